"""The servers that pgdyno keeps: made, started, found again, and what may go wrong with them."""

import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest

from harness import (Folder, Pgdyno, clean_env, fetched_folder, find_binaries, main,
                     server_account, skip_or_fail, wait_until)

ROOT = os.geteuid() == 0


def newest():
    for major in (17, 18, 16, 15, 14, 13, 12):
        if find_binaries(major):
            return major
    return skip_or_fail('no PostgreSQL server on this machine')


def gone(pid):
    """True for a zombie too: who is to bury orphans in a container?"""
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
            return file.read().rsplit(')', 1)[1].split()[0] == 'Z'
    except OSError:
        return True


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.major = newest()
        self.pgdyno = Pgdyno()
        self.state = os.path.join(self.pgdyno.home, 'state')

    def tearDown(self):
        if os.path.isdir(self.servers()):
            for name in os.listdir(self.servers()):
                if name.isdigit():
                    self.server('remove', name, '--quiet')
        self.pgdyno.close()

    # -- helpers --

    def server(self, *words, check=None, env=None):
        more = {'XDG_STATE_HOME': self.state}
        more.update(env or {})
        return self.pgdyno.run('server', *words, check=check, env=more, timeout=120)

    def start(self, *words, check=0, env=None):
        return self.server('start', self.major, *words, check=check, env=env)

    def servers(self):
        return os.path.join(self.state, 'pgdyno', 'servers')

    def path(self, *names):
        return os.path.join(self.servers(), str(self.major), *names)

    def url(self, major=None):
        return self.server('url', major or self.major, check=0).out.strip()

    def psql(self, sql, url=None, env=None):
        done = subprocess.run(['psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', url or self.url(),
                               '-c', sql], capture_output=True, text=True, check=False,
                              env=clean_env(env), timeout=60)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout.strip()

    def host_of_run(self, target):
        """Where a run with that target says that it went."""
        words = ['oltp_point_select', '--target', target, '--table-size', 100, '--quiet']
        env = {'XDG_STATE_HOME': self.state}
        self.pgdyno.run('load', *words, check=0, env=env)
        _, result = self.pgdyno.measure(*words, '--warmup', 0, '--transactions', 1, env=env)
        return result.json()['target']['host']

    def pid(self):
        with open(self.path('data', 'postmaster.pid'), encoding='utf-8') as file:
            return int(file.readline())

    def settings(self, words):
        path = os.path.join(self.pgdyno.home, 'my.conf')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(words)
        return path

    def kill_server(self):
        """The postmaster vanishes; its children notice by themselves."""
        pid = self.pid()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: gone(pid), 10, 'the postmaster to go')

    def read(self, *names):
        with open(self.path(*names), encoding='utf-8') as file:
            return file.read()

    # -- the plain course of things --

    def test_made_found_again_stopped_removed(self):
        first = self.start()
        self.assertIn('shared_buffers', first.out)
        self.assertIn('durability is untouched', first.out)
        self.assertEqual(first.out.splitlines()[-1], self.url())
        self.assertEqual(self.psql('CREATE TABLE t AS SELECT 7 AS n; SELECT n FROM t'), '7')
        self.assertEqual(self.psql("SELECT current_database() || ' ' || current_user || ' ' ||"
                                   " pg_encoding_to_char(encoding) FROM pg_database"
                                   " WHERE datname = current_database()"), 'pgdyno postgres UTF8')
        for name in ('fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum'):
            self.assertEqual(self.psql(f'SHOW {name}'), 'on')
        pid = self.pid()
        self.assertLess(min(self.start('--quiet').seconds for _ in range(5)), 1.0)
        self.assertEqual(self.pid(), pid, 'a running server is left alone')
        self.assertIn('runs', self.server('list', check=0).out)
        self.server('stop', self.major, check=0)
        self.assertTrue(gone(pid))
        self.assertIn('stopped', self.server('list', check=0).out)
        self.assertEqual(self.server('url', self.major).code, 4)
        self.server('stop', self.major, check=0)
        self.start()
        self.assertEqual(self.psql('SELECT n FROM t'), '7')
        self.server('remove', self.major, check=0)
        self.assertFalse(os.path.exists(self.path()))
        self.assertIn('No server is kept', self.server('list', check=0).out)

    def test_every_major(self):
        majors = [major for major in range(12, 19) if find_binaries(major)]
        for major in majors:
            with self.subTest(major=major):
                self.server('start', major, check=0)
                said = self.psql('SHOW server_version', self.url(major))
                self.assertEqual(said.split('.')[0], str(major))
                self.server('remove', major, check=0)

    def test_out_of_reach_for_others_and_for_ctrl_c(self):
        self.start()
        self.assertNotEqual(os.getsid(self.pid()), os.getsid(0))
        self.assertNotEqual(os.getpgid(self.pid()), os.getpgid(0))
        facts = os.stat(self.path('socket'))
        self.assertEqual(stat.S_IMODE(facts.st_mode), 0o700)
        account = server_account()
        self.assertEqual(facts.st_uid, account.pw_uid if account else os.geteuid())
        self.assertEqual(self.psql('SHOW listen_addresses'), '')

    # -- settings --

    def test_settings_are_applied_kept_and_taken_back(self):
        self.start()
        pid = self.pid()
        mine = self.settings("# mine\nwork_mem = 12MB\nshared_buffers '48MB' # small\n"
                             "DateStyle = 'ISO, DMY'\n")
        done = self.start('--settings', mine)
        self.assertIn('restarting', done.err)
        self.assertIn(f'from {mine}', done.out)
        self.assertNotEqual(self.pid(), pid)
        self.assertEqual(self.psql('SHOW work_mem'), '12MB')
        self.assertEqual(self.psql('SHOW shared_buffers'), '48MB')
        self.assertEqual(self.psql('SHOW DateStyle'), 'ISO, DMY')
        pid = self.pid()
        self.assertNotIn('restarting', self.start('--settings', mine).err)
        self.assertEqual(self.pid(), pid, 'the same settings restart nothing')
        self.server('stop', self.major, check=0)
        self.start()
        self.assertEqual(self.psql('SHOW work_mem'), '12MB')
        self.start('--settings', 'default')
        self.assertNotEqual(self.psql('SHOW work_mem'), '12MB')

    def test_wrong_settings_cost_a_message_and_no_server(self):
        self.start()
        pid = self.pid()
        for words, complaint in (
                ('work_mem = 12MB\nshared_bufers = 1GB\n', 'shared_bufers'),
                ('work_mem = plenty\n', 'work_mem'),
                ('work_mem = 1\nport = 5433\n', 'line 2: pgdyno holds its server by this setting'),
                ('listen_addresses = *\n', 'leave it out: listen_addresses')):
            with self.subTest(words=words):
                done = self.start('--settings', self.settings(words), check=3)
                self.assertIn(complaint, done.err)
                self.assertEqual(self.pid(), pid)
        self.assertEqual(self.start('--settings', '/nowhere/x.conf', check=2).out, '')
        self.assertEqual(self.psql('SELECT 1'), '1')

    def test_a_setting_that_keeps_the_server_from_starting(self):
        self.start()
        mine = self.settings("shared_preload_libraries = 'no_such_library'\n")
        done = self.start('--settings', mine, check=5)
        self.assertIn('no_such_library', done.err)
        self.assertIn('it runs again with the settings it had', done.err)
        self.assertEqual(self.psql('SHOW shared_preload_libraries'), '')
        self.server('stop', self.major, check=0)
        self.start('--settings', mine, check=5)
        self.start()
        self.assertEqual(self.psql('SHOW shared_preload_libraries'), '')

    def test_a_setting_that_is_overruled_is_an_error(self):
        self.start()
        self.psql("ALTER SYSTEM SET work_mem = '5MB'")
        done = self.start('--settings', self.settings('work_mem = 12MB\n'), check=3)
        self.assertIn('work_mem is not in force', done.err)
        self.assertIn('postgresql.auto.conf', done.err)
        self.psql('ALTER SYSTEM RESET ALL')
        self.psql("ALTER DATABASE pgdyno SET work_mem = '5MB'")
        self.server('stop', self.major, check=0)
        done = self.start(check=3)
        self.assertIn('it is 5MB by database', done.err)

    def test_a_setting_nobody_knows(self):
        done = self.start('--settings', self.settings('nobody.knows = 1\n'), check=3)
        self.assertIn('nobody.knows is not in force', done.err)

    # -- TCP --

    def test_tcp_with_a_password_that_is_never_shown(self):
        done = self.start('--tcp')
        url = self.url()
        passfile = re.search(r'passfile=(\S+)', url).group(1)
        with open(passfile, encoding='utf-8') as file:
            password = file.read().strip().split(':')[-1]
        self.assertGreater(len(password), 30)
        facts = os.stat(passfile)
        self.assertEqual((stat.S_IMODE(facts.st_mode), facts.st_uid), (0o600, os.geteuid()))
        said = done.out + done.err + url + self.server('list', check=0).out + self.read('log')
        self.assertNotIn(password, said)
        self.assertIn('host=127.0.0.1', url)
        self.assertEqual(self.psql('SELECT inet_server_addr()', url), '127.0.0.1')
        with self.assertRaisesRegex(AssertionError, 'password'):
            self.psql('SELECT 1', url.replace(passfile, '/nowhere') + ' password=wrong')
        self.start()
        self.assertIn('host=127.0.0.1', self.url(), 'it stays open until it is stopped')
        self.assertIn('/', self.host_of_run(f'local:{self.major}'), 'by the socket all the same')
        self.assertEqual(self.host_of_run(url), '127.0.0.1')
        self.server('stop', self.major, check=0)
        self.start()
        self.assertNotIn('127.0.0.1', self.url())

    # -- what may go wrong --

    def test_killed_and_started_again(self):
        self.start()
        self.psql('CREATE TABLE t AS SELECT 1')
        self.kill_server()
        self.assertIn('stopped', self.server('list', check=0).out)
        self.start()
        self.assertEqual(self.psql('SELECT count(*) FROM t'), '1')

    def test_a_stale_pid_file_that_names_a_living_process(self):
        self.start()
        self.kill_server()
        account = server_account()
        more = {'user': account.pw_uid, 'group': account.pw_gid,
                'extra_groups': []} if account else {}
        with subprocess.Popen(['sleep', '60'], cwd='/', **more) as other:
            try:
                for path in (self.path('data', 'postmaster.pid'),
                             self.path('socket', '.s.PGSQL.5432.lock')):
                    with open(path, encoding='utf-8') as file:
                        lines = file.read().split('\n')
                    with open(path, 'w', encoding='utf-8') as file:
                        file.write('\n'.join([str(other.pid)] + lines[1:]))
                self.assertIn('stopped', self.server('list', check=0).out)
                self.start()
                self.assertEqual(self.psql('SELECT 1'), '1')
                self.assertIsNone(other.poll(), 'the other process is none of our business')
            finally:
                other.kill()

    def test_a_socket_path_that_is_too_long(self):
        self.state = os.path.join(self.pgdyno.home, *['deep' * 10] * 3)
        self.start()
        folder = re.search(r'host=(\S+)', self.url()).group(1)
        self.assertTrue(folder.startswith('/tmp/pgdyno-'), folder)
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
        self.server('stop', self.major, check=0)
        self.start()
        self.assertIn(f'host={folder} ', self.url(), 'it is remembered')
        self.server('stop', self.major, check=0)
        shutil.rmtree(folder)  # as a reboot does
        self.start()
        self.assertEqual(self.psql('SELECT 1'), '1')
        folder = re.search(r'host=(\S+)', self.url()).group(1)
        self.server('remove', self.major, check=0)
        self.assertFalse(os.path.exists(folder))

    def test_the_runtime_folder_is_preferred_for_it(self):
        account = server_account()
        self.state = os.path.join(self.pgdyno.home, *['deep' * 10] * 3)
        with Folder(account) as runtime:
            self.start(env={'XDG_RUNTIME_DIR': runtime})
            self.assertIn(f'host={runtime}/pgdyno-', self.url())
            self.server('remove', self.major, check=0)

    def test_two_at_once(self):
        env = {'XDG_STATE_HOME': self.state}
        both = [self.pgdyno.start('server', 'start', str(self.major), env=env) for _ in range(2)]
        said = [one.communicate(timeout=120) for one in both]
        self.assertEqual([one.returncode for one in both], [0, 0], said)
        self.assertEqual(said[0][0].splitlines()[-1], said[1][0].splitlines()[-1])
        self.assertIn('waiting for it', said[0][1] + said[1][1])
        self.assertEqual((said[0][1] + said[1][1]).count('making a PostgreSQL'), 1)

    def test_data_of_another_major(self):
        self.start()
        self.server('stop', self.major, check=0)
        version = self.path('data', 'PG_VERSION')
        with open(version, 'w', encoding='utf-8') as file:
            file.write('11\n')
        done = self.start(check=5)
        self.assertIn(f'holds data of PostgreSQL 11, not of {self.major}', done.err)
        os.remove(version)
        self.assertIn('is in the way', self.start(check=5).err)

    def test_killed_in_the_middle_of_initdb(self):
        pgdyno = self.pgdyno.start('server', 'start', str(self.major),
                                   env={'XDG_STATE_HOME': self.state})

        def unfinished():
            return [name for name in os.listdir(self.path()) if name.startswith('data.new-')
                    and os.listdir(self.path(name))] if os.path.isdir(self.path()) else []
        name = wait_until(unfinished, 20, 'initdb to begin', every=0.001)[0]
        pgdyno.kill()
        pgdyno.communicate(timeout=10)
        self.assertFalse(os.path.exists(self.path('data')))
        self.start()
        self.assertEqual(self.psql('SELECT 1'), '1')
        self.assertFalse(os.path.exists(self.path(name)))

    def test_a_full_disk(self):
        if not ROOT:
            self.skipTest('only root can mount a small disk')
        os.makedirs(self.state)
        done = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=16m', 'none', self.state],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest('mounting is not allowed here: ' + done.stderr)
        try:
            os.chmod(self.state, 0o755)
            done = self.start(check=5)
            self.assertIn('the disk is full', done.err)
            self.assertIn('No space left on device', done.err)
            self.assertFalse(os.path.exists(self.path()), 'nothing half made stays')
        finally:
            subprocess.run(['umount', self.state], check=True)

    def test_a_folder_that_is_not_ours(self):
        os.makedirs(self.path())
        dear = self.path('dear')
        with open(dear, 'w', encoding='utf-8') as file:
            file.write('x')
        self.assertIn('pgdyno did not make it', self.start(check=5).err)
        self.assertIn('left alone', self.server('remove', self.major, check=5).err)
        self.assertTrue(os.path.exists(dear))
        shutil.rmtree(self.path())
        self.assertIn('no server of PostgreSQL',
                      self.server('remove', self.major, check=2).err)
        elsewhere = os.path.join(self.pgdyno.home, 'elsewhere')
        os.makedirs(elsewhere)
        with open(os.path.join(elsewhere, 'pgdyno-server'), 'w', encoding='utf-8') as file:
            file.write('pgdyno server 1\n')
        os.symlink(elsewhere, self.path())
        self.assertEqual(self.server('remove', self.major).code, 5)
        self.assertTrue(os.path.exists(os.path.join(elsewhere, 'pgdyno-server')))
        os.remove(self.path())

    def test_nothing_of_the_environment_reaches_it(self):
        env = {'PGHOST': '/nowhere', 'PGHOSTADDR': '203.0.113.1', 'PGPORT': '1', 'PGUSER': 'nobody',
               'PGDATABASE': 'nothing', 'PGOPTIONS': '-c nonsense=1', 'PGSSLMODE': 'verify-full',
               'PGDATA': '/nowhere', 'PGSERVICE': 'nothing', 'PGPASSWORD': 'wrong',
               'PGTARGETSESSIONATTRS': 'standby', 'PGCONNECT_TIMEOUT': '1', 'LC_ALL': 'de_DE.UTF-8',
               'PGREQUIREPEER': 'somebody', 'PGGSSENCMODE': 'require',
               'PGCLIENTENCODING': 'LATIN1'}
        for words in ((), ('--tcp',)):
            self.start(*words, env=env)
            url = self.server('url', self.major, env=env, check=0).out.strip()
            self.assertNotIn('wrong', url)
            env.pop('PGSERVICE', None)  # a conninfo cannot overrule this one
            self.assertEqual(self.psql('SHOW client_encoding', url, env=env), 'UTF8')

    def test_a_major_that_is_not_there(self):
        done = self.server('start', 99, check=5)
        self.assertRegex(done.err, r'no PostgreSQL 99 on this machine \(found: .*\d')
        self.assertIn('pgdyno knows majors 12 to 18', done.err)
        self.assertFalse(os.path.exists(self.servers()))
        done = self.start('--pg-bin', '/usr', check=2)
        self.assertIn('--pg-bin /usr: no working postgres', done.err)
        self.assertEqual(self.server('start', 'seventeen').code, 2)
        self.assertEqual(self.server('dance').code, 2)

    def test_pg_bin_decides_and_another_one_restarts(self):
        bin_folder = find_binaries(self.major)[0]
        self.start('--pg-bin', bin_folder)
        pid = self.pid()
        self.start('--pg-bin', bin_folder)
        self.assertEqual(self.pid(), pid)
        wrong = [major for major in range(12, 19) if major != self.major and find_binaries(major)]
        if wrong:
            done = self.start('--pg-bin', find_binaries(wrong[0])[0], check=2)
            self.assertIn(f'{self.major} was asked for', done.err)
        with Folder() as copy:
            os.chmod(copy, 0o755)
            whole = os.path.dirname(os.path.realpath(bin_folder))
            if not os.path.exists(os.path.join(whole, 'pg-symlinks.json')):
                self.skipTest('only the servers of get-postgres can be copied')
            shutil.copytree(whole, os.path.join(copy, 'pg'), symlinks=True)
            other = os.path.join(copy, 'pg', 'bin')
            self.assertIn('another --pg-bin', self.start('--pg-bin', other).err)
            self.assertEqual(os.path.realpath(f'/proc/{self.pid()}/exe'),
                             os.path.join(os.path.realpath(other), 'postgres'))
            if ROOT:
                os.chmod(copy, 0o700)
                self.assertIn('cannot get at', self.start(
                    '--pg-bin', other, '--settings', self.settings('work_mem = 9MB\n'),
                    check=5).err)
                os.chmod(copy, 0o755)
            self.server('stop', self.major, check=0)

    def test_several_servers_need_to_be_named(self):
        majors = [major for major in range(12, 19) if find_binaries(major)]
        if len(majors) < 2:
            skip_or_fail('two majors are needed')
        for major in majors[:2]:
            self.server('start', major, check=0)
        for verb in ('stop', 'url', 'remove'):
            done = self.server(verb, check=2)
            self.assertIn('say which server', done.err)
        self.server('remove', majors[0], check=0)
        self.server('stop', check=0)

    # -- tools/get-postgres --

    def test_get_postgres(self):
        tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools',
                            'get-postgres')

        def call(*words):
            return subprocess.run([tool, *words], capture_output=True, text=True, check=False,
                                  env=clean_env(), timeout=60)
        done = call('11')
        self.assertEqual(done.returncode, 1)
        self.assertIn('no PostgreSQL 11 here: there are 12 13 14 15 16 17 18', done.stderr)
        folder = os.path.join(fetched_folder(), str(self.major))
        if not os.path.exists(os.path.join(folder, 'pgdyno-version')):
            self.skipTest('this major is not from there')
        before = os.stat(folder).st_ino
        self.assertEqual(call(str(self.major)).stdout, folder + '\n')
        self.assertEqual(os.stat(folder).st_ino, before, 'what is there is left alone')

    # -- accounts --

    def inside(self, script, mounts=''):
        """Runs a shell script as root in a mount namespace of its own; gives what it printed."""
        if not ROOT or shutil.which('unshare') is None:
            self.skipTest('only root can hide parts of the machine')
        env = clean_env({'PGDYNO': self.pgdyno.path, 'MAJOR': str(self.major),
                         'HOME': self.pgdyno.home, 'XDG_STATE_HOME': self.state})
        done = subprocess.run(['unshare', '-m', 'sh', '-ec', mounts + '\n' + script], env=env,
                              capture_output=True, text=True, check=False, timeout=120,
                              stdin=subprocess.DEVNULL)
        if 'unshare:' in done.stderr or 'mount:' in done.stderr:
            self.skipTest('mounting is not allowed here: ' + done.stderr)
        return done

    def test_nothing_found_says_what_to_install(self):
        done = self.inside('PATH=/usr/bin:/bin exec $PGDYNO server start',
                           'for folder in /usr/lib/postgresql /var/lib/pgdyno /usr/local/pgsql;'
                           ' do if [ -d $folder ]; then mount -t tmpfs none $folder; fi; done\n'
                           'if [ -e /usr/bin/postgres ]; then exit 77; fi')
        if done.returncode == 77:
            self.skipTest('PostgreSQL is in /usr/bin itself')
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn('no PostgreSQL server was found', done.stderr)
        self.assertRegex(done.stderr, '`(apt install postgresql|dnf install postgresql-server)`')
        self.assertIn('tools/get-postgres', done.stderr)
        self.assertIn('--pg-bin', done.stderr)

    def test_a_home_that_the_account_cannot_enter(self):
        os.makedirs(os.path.join(self.pgdyno.home, 'closed', 'state'))
        os.chmod(os.path.join(self.pgdyno.home, 'closed'), 0o700)
        if not os.path.exists('/var/lib/pgdyno/servers'):  # it is made to be mounted upon
            self.addCleanup(os.rmdir, '/var/lib/pgdyno/servers')
        self.state = os.path.join(self.pgdyno.home, 'closed', 'state')
        done = self.inside('$PGDYNO server start $MAJOR\n$PGDYNO server list\n'
                           '$PGDYNO server remove $MAJOR',
                           'mkdir -p /var/lib/pgdyno/servers\n'
                           'mount -t tmpfs none /var/lib/pgdyno/servers\n'
                           'chmod 755 /var/lib/pgdyno/servers')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('does not get into', done.stderr)
        self.assertIn(f'/var/lib/pgdyno/servers/{self.major}/data', done.stdout)
        self.assertEqual(os.listdir(self.state), [])

    def test_the_account_nobody_where_there_is_no_postgres(self):
        passwd = os.path.join(self.pgdyno.home, 'passwd')
        with open('/etc/passwd', encoding='utf-8') as file:
            lines = [line for line in file if not line.startswith('postgres:')]
        with open(passwd, 'w', encoding='utf-8') as file:
            file.writelines(lines)
        done = self.inside('$PGDYNO server start $MAJOR\nstat -c %U $XDG_STATE_HOME/pgdyno/'
                           'servers/$MAJOR/data\n$PGDYNO server stop $MAJOR',
                           f'mount --bind {passwd} /etc/passwd')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('\nnobody\n', done.stdout)
        # Now that there is an account postgres, the data still belong to nobody.
        self.start()
        self.assertEqual(self.psql('SELECT 1'), '1')

    def test_as_an_ordinary_user(self):
        if not ROOT:
            self.skipTest('every other test does this already')
        account = server_account()
        folder = tempfile.mkdtemp(prefix='pgd', dir='/tmp')
        program = os.path.join(folder, 'pgdyno')
        try:
            shutil.copy(self.pgdyno.path, program)
            os.chmod(program, 0o755)
            os.chown(folder, account.pw_uid, account.pw_gid)

            def call(*words):
                done = subprocess.run([program, 'server', *words], capture_output=True, text=True,
                                      check=False, timeout=120, user=account.pw_uid,
                                      group=account.pw_gid, extra_groups=[], cwd='/',
                                      env=clean_env({'HOME': folder, 'XDG_STATE_HOME': None,
                                                     'XDG_CACHE_HOME': None}))
                self.assertEqual(done.returncode, 0, done.stderr)
                return done.stdout
            call('start', str(self.major))
            try:
                url = call('url').strip()
                self.assertEqual(self.psql('SELECT 1', url), '1')
                kept = os.path.join(folder, '.local/state/pgdyno/servers', str(self.major))
                self.assertEqual(stat.S_IMODE(os.stat(kept).st_mode), 0o700)
                self.assertIn(kept, call('list'))
            finally:
                call('remove')
            self.assertFalse(os.path.exists(kept))
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    main()
