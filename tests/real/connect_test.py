"""How a run reaches the server, and every way in which it may not: told before the clock starts."""

from load_run import *

PASSWORD = 'Geh31m-und-lang'


class Reach(RunTest):
    """U01: every form that libpq knows reaches the server; a wrong one fails with one message."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.sql('CREATE DATABASE other')
        cls.server.sql(TABLE, 'other')
        cls.service = os.path.join(cls.pgdyno.home, 'services.conf')
        with open(cls.service, 'w', encoding='utf-8') as file:
            for name, database in (('good', 'other'), ('bad', 'nowhere')):
                file.write(f'[{name}]\nhost={cls.server.socket}\nport={cls.server.port}\n'
                           f'user=postgres\ndbname={database}\n')

    def reaches(self, words, env=None):
        _, result = self.pgdyno.measure(WORKLOAD, *words, '--transactions', 20, '--warmup', 0,
                                        env=env, check=0)
        target = result.json()['target']
        self.assertEqual((target['dbname'], target['user'], target['port'], target['local']),
                         ('other', 'postgres', self.server.port, False))
        return result

    def refused(self, words, *wanted, env=None, code=4):
        completed, result = self.pgdyno.measure(WORKLOAD, *words, '--transactions', 20, env=env,
                                                check=code)
        self.assertIsNone(result)
        self.one_line(completed, *wanted)
        self.assertNotIn('throughput', completed.out)
        self.assertLess(completed.seconds, 4 * SLOW)
        return completed

    def both(self, good, bad, env_good=None, env_bad=None):
        self.reaches(good, env_good)
        self.refused(bad, 'nowhere', 'does not exist', env=env_bad)

    def test_conninfo(self):
        self.both(['-t', self.server.conninfo('other')], ['-t', self.server.conninfo('nowhere')])

    def test_uri(self):
        self.both(['-t', self.server.uri('other')], ['-t', self.server.uri('nowhere')])

    def test_service_file(self):
        env = {'PGSERVICEFILE': self.service}
        self.both(['-t', 'service=good'], ['-t', 'service=bad'], env, env)
        self.both([], [], dict(env, PGSERVICE='good'), dict(env, PGSERVICE='bad'))
        # libpq finds that out by itself, before any server is asked.
        self.refused(['-t', 'service=none'], 'none', 'not found', env=env, code=4)

    def test_variables(self):
        env = {'PGHOST': self.server.socket, 'PGPORT': self.server.port, 'PGUSER': 'postgres'}
        self.both([], [], dict(env, PGDATABASE='other'), dict(env, PGDATABASE='nowhere'))

    def test_target_over_variables(self):
        """What a target leaves open comes from the variables, and nothing else."""
        env = {'PGHOST': '/nowhere', 'PGPORT': self.server.port, 'PGDATABASE': 'nowhere'}
        self.reaches(['-t', f'host={self.server.socket} user=postgres dbname=other'], env)

    def test_sysbench_spelling(self):
        words = ['--pgsql-host', self.server.socket, '--pgsql-port', self.server.port,
                 '--pgsql-user', 'postgres', '--pgsql-db']
        self.both(words + ['other'], words + ['nowhere'])

    def test_several_hosts(self):
        self.reaches(['-t', f'host=/nowhere,{self.server.socket} port=1,{self.server.port} '
                            'user=postgres dbname=other target_session_attrs=read-write'])

    def test_keywords_go_to_libpq_unchanged(self):
        result = self.reaches(['-t', self.server.conninfo('other', options='-c work_mem=7777kB',
                                                          keepalives_idle=33, gssencmode='disable',
                                                          application_name='pgdyno as well')])
        self.assertEqual(result.json()['settings']['work_mem']['value'], '7777')
        self.refused(['-t', self.server.conninfo('other', gibtsnicht='1')], 'gibtsnicht', code=2)
        self.refused(['-t', self.server.conninfo('other', sslmode='gibtsnicht')], 'sslmode',
                     'gibtsnicht', code=2)

    def test_options_reach_the_load_sessions(self):
        _, result = self.run_it(
            '--transactions', 5, '-c', 2,
            target=['-t', self.server.conninfo('other', options='-c search_path=nowhere')], check=3)
        self.assertIsNone(result)

    def test_nobody_listens(self):
        port = free_port()
        self.refused(['-t', f'host=127.0.0.1 port={port} user=postgres'], '127.0.0.1', port,
                     'refused')
        self.refused(['-t', f'host=/nowhere port={port} user=postgres'], '/nowhere',
                     f'PGSQL.{port}', 'no such file')

    def test_no_table(self):
        completed, result = self.run_it('--tables', 2, check=3)
        self.assertIsNone(result)
        self.one_line(completed, 'sbtest2', '42P01', f'pgdyno load {WORKLOAD}')
        self.server.sql('CREATE DATABASE empty')
        self.addCleanup(self.server.sql, 'DROP DATABASE empty')
        completed, result = self.run_it(target=self.target(dbname='empty'), check=3)
        self.assertIsNone(result)
        self.one_line(completed, 'sbtest1', '42P01', f'pgdyno load {WORKLOAD}')

    def test_results_that_cannot_be_written(self):
        path = os.path.join(self.pgdyno.home, 'file')
        with open(path, 'w', encoding='utf-8'):
            pass
        completed = self.pgdyno.run('run', WORKLOAD, *self.target(), '--time', 20, '--results',
                                    os.path.join(path, 'results'), check=5)
        self.one_line(completed, 'file', 'not a directory')
        self.assertLess(completed.seconds, 5 * SLOW)
        self.no_session_left()

    def test_user_without_rights(self):
        """Preparing does not ask for rights, so this comes with the first statement."""
        self.server.sql('CREATE ROLE poor LOGIN')
        self.addCleanup(self.server.sql, 'DROP ROLE poor')
        completed, _ = self.run_it(target=self.target(user='poor'), check=4)
        self.one_line(completed, 'permission denied', 'sbtest1', '42501')
        completed = self.pgdyno.run('quick', *self.target(user='poor'), check=3)
        self.one_line(completed, 'permission denied for database', 'GRANT CREATE', 'pgdyno_quick')


class DoomedProxy(Proxy):
    """Load sessions are killed at the very moment at which they are ready."""

    def __init__(self, server):
        self.doomed = set()
        super().__init__(server, 1000)

    def _carry(self, source, sink):
        fields = b'SFATAL\0VFATAL\0C57P01\0Mkilled at once\0Fpostgres.c\0L1\0RX\0\0'
        killed = b'E' + (len(fields) + 4).to_bytes(4, 'big') + fields
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if b'application_name\0pgdyno\0' in data:
                    self.doomed.add(source)
                if sink in self.doomed and data.endswith(b'Z\0\0\0\5I'):
                    sink.sendall(data + killed)
                    break
                sink.sendall(data)
            sink.shutdown(socket.SHUT_RDWR)


class Farewell(RunTest):
    def test_killed_when_ready(self):
        """What libpq would write to standard error by itself stays ours to tell."""
        with DoomedProxy(self.server) as proxy:
            completed, _ = self.run_it('-c', 1, '--time', 1, check=4, target=[
                '-t', f'host=127.0.0.1 port={proxy.port} user=postgres dbname=postgres '
                      'sslmode=disable gssencmode=disable'])
            self.assertTrue(proxy.doomed)
            self.one_line(completed, 'pgdyno: ')


class Room(RunTest):
    def test_too_many_connections(self):
        """U19: told at once, with need and have; nothing is left."""
        completed, result = self.run_it('-c', 150, check=3)
        self.assertIsNone(result)
        self.assertLess(completed.seconds, 3 * SLOW)
        self.one_line(completed, '150 connections', 'max_connections 100')
        room = int(re.search(r'room for (\d+)', completed.err).group(1))
        self.assertTrue(90 <= room <= 100, completed)
        self.no_session_left()
        # What it says there is room for there is, to the last one.
        _, result = self.run_it('-c', room, '--transactions', 500)
        self.assertEqual(result.json()['connect_ms']['opened']['count'], room)

    def test_room_of_a_role(self):
        self.server.sql('CREATE ROLE few LOGIN CONNECTION LIMIT 6; GRANT SELECT ON sbtest1 TO few')
        self.addCleanup(self.server.sql, 'DROP OWNED BY few; DROP ROLE few')
        completed, _ = self.run_it('-c', 20, target=self.target(user='few'), check=3)
        self.one_line(completed, '20 connections', 'role')
        self.assertLess(completed.seconds, 3 * SLOW)
        self.run_it('-c', 4, '--transactions', 100, target=self.target(user='few'))
        self.run_it('-c', 7, target=self.target(user='few'), check=3)

    def test_sessions_are_those_asked_for(self):
        """U40: by application name, in each phase; none after the end."""
        run = self.background('-c', 7, '-j', 2, '--time', '4', '--warmup', '1')
        run.wait_for_load(self.server, 7)
        seen = []
        while run.process.poll() is None:
            rows = self.server.sql("SELECT application_name, count(*) FROM pg_stat_activity WHERE "
                                   "application_name LIKE 'pgdyno%' GROUP BY 1 ORDER BY 1",
                                   'template1')
            seen.append({name: int(count) for name, count in rows})
            time.sleep(0.05)
        completed = run.finish()
        self.assertEqual(completed.code, 0, completed)
        self.no_session_left()
        loaded = [one for one in seen if 'pgdyno' in one]
        self.assertGreater(len(loaded), 6)
        # The second collector's, which watches the run, comes when the load sessions are open.
        allowed = {'pgdyno': 7, 'pgdyno-admin': 1, 'pgdyno-collect': 2}
        first = {**allowed, 'pgdyno-collect': 1}
        # The last ones may have been taken while sessions were being closed.
        self.assertTrue(all(one == allowed for one in loaded[3:-2]), seen)
        self.assertTrue(all(one in (first, allowed) for one in loaded[:3]), seen)
        self.assertTrue(all(set(one) <= set(allowed) for one in seen), seen)

    def test_name_given_by_the_user(self):
        run = self.background('-c', 3, '--time', '1', target=self.target(application_name='mine'))
        # Asked in another database: what we ask here would be in the books of this one.
        names = ("SELECT application_name FROM pg_stat_activity WHERE datname = 'postgres' "
                 'ORDER BY 1')
        wait_until(lambda: [row[0] for row in self.server.sql(names, 'template1')] ==
                   ['mine'] * 3 + ['pgdyno-admin', 'pgdyno-collect'], 10, 'the sessions')
        completed = run.finish()
        self.assertEqual(completed.code, 0, completed)
        books = self.check_result(run.result())['books']
        self.assertEqual(books['client_commits'], books['server_commits'])


class Secrets(RunTest):
    """TLS and passwords."""

    server_words = {'tls': True, 'password': PASSWORD}

    def over_tls(self, **more):
        return self.target(tcp=True, **more)

    def free_of_secrets(self, completed, result=None):
        self.assertNotIn(PASSWORD, completed.out + completed.err)
        if result is not None:
            self.assertNotIn(PASSWORD.encode(), result.everything())

    def with_passfile(self):
        path = os.path.join(self.pgdyno.home, 'passfile')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(f'*:*:*:postgres:{PASSWORD}\n')
        os.chmod(path, 0o600)
        return {'PGPASSFILE': path}

    def test_verify_full(self):
        completed, result = self.run_it(
            '--transactions', 200, '-c', 3, env=self.with_passfile(),
            target=self.over_tls(password=None, sslmode='verify-full',
                                 sslrootcert=self.server.certificate))
        self.assertEqual(completed.err, '')
        target = self.check_result(result)['target']
        for tls in (target['tls'], target['load_sessions_tls']):
            self.assertIs(tls['in_use'], True)
            self.assertEqual(tls['protocol'], 'TLSv1.3')
            self.assertRegex(tls['cipher'], r'^TLS_\w+')
        self.assertGreaterEqual(target['tls']['bits'], 128)
        self.assertIn('TLSv1.3', completed.out)
        self.free_of_secrets(completed, result)

    def test_wrong_authority(self):
        other = os.path.join(self.pgdyno.home, 'other.crt')
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2',
                        '-subj', '/CN=other', '-keyout', other + '.key', '-out', other],
                       capture_output=True, check=True)
        for path in (other, '/nowhere/root.crt'):
            completed, result = self.run_it(
                check=4, env=self.with_passfile(),
                target=self.over_tls(password=None, sslmode='verify-full', sslrootcert=path))
            self.assertIsNone(result)
            self.one_line(completed, 'certificate')
        self.no_session_left()

    def test_wrong_password(self):
        wrong = 'Fa1sch-und-lang'
        for words, env in ((self.target(password=None), {'PGPASSWORD': wrong}),
                           (self.target(password=wrong), None)):
            completed, result = self.run_it(check=4, target=words, env=env)
            self.assertIsNone(result)
            self.assertIn('password authentication failed', completed.err)
            self.assertNotIn(wrong, completed.out + completed.err)
        self.no_session_left()

    def test_password_in_argv_is_overwritten(self):
        for words in (self.target(), ['-t', f'postgresql://postgres:{PASSWORD}@127.0.0.1:'
                                            f'{self.server.port}/postgres'],
                      self.target(password=None) + ['--pgsql-password', PASSWORD]):
            if '--pgsql-password' in words:
                words = ['--pgsql-host', self.server.socket, '--pgsql-port', self.server.port,
                         '--pgsql-user', 'postgres', '--pgsql-db', 'postgres', '--pgsql-password',
                         PASSWORD]
            run = self.background('--time', '0.7', target=words)
            run.wait_for_load(self.server, 1)
            with open(f'/proc/{run.process.pid}/cmdline', encoding='utf-8') as file:
                self.assertNotIn(PASSWORD, file.read())
            completed = run.finish()
            self.assertEqual(completed.code, 0, completed)
            self.assertIn('PGPASSFILE', completed.err)
            self.free_of_secrets(completed, run.result())
            shown = self.pgdyno.run('show', run.result().path, '--format', 'json', check=0)
            self.free_of_secrets(shown)


if __name__ == '__main__':
    main(faults=True)
