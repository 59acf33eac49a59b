"""What collect sees of real servers: snapshots by version and role, secrets, and the books."""

import json
import os
import shutil
import subprocess
import unittest

from harness import (Folder, Postgres, clean_env, installed_majors, main, need_postgres,
                     server_account, skip_or_fail, wait_until)

PROBE = os.environ.get('COLLECT_PROBE', 'collect_probe')
SECRET = 'open-Sesame-77'
EVERYWHERE = {'at', 'notes', 'server', 'version', 'version_num', 'system_identifier', 'settings',
              'all_settings', 'pending_restart', 'database', 'relations', 'unlogged', 'extensions',
              'bgwriter', 'checkpointer', 'wal', 'archiver', 'replication', 'maintenance',
              'sessions', 'durability'}


def probe(conninfo, *more, expect=0, env=None):
    done = subprocess.run([PROBE, conninfo, *more], capture_output=True, text=True, timeout=60,
                          check=False, env=clean_env(env), stdin=subprocess.DEVNULL)
    if done.returncode != expect or done.stderr:
        raise AssertionError(f'{done.returncode}: {done.stdout} {done.stderr}')
    return json.loads(done.stdout.splitlines()[-1])


class Books:
    """The books while the `with` block runs; then .commits, .note and .begin."""

    def __init__(self, conninfo, application='load'):
        self.process = subprocess.Popen([PROBE, conninfo, application], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=clean_env())

    def __enter__(self):
        if self.process.stdout.readline() != 'begin\n':
            raise AssertionError('no begin')
        return self

    def __exit__(self, *_):
        said, _ = self.process.communicate(timeout=60)
        answer = json.loads(said)
        self.commits, self.note, self.begin = answer['commits'], answer['note'], answer['begin']


def load(server, text, application='load', dbname='books'):
    """Runs statements through psql on one session of that name."""
    conninfo = server.conninfo(dbname, application_name=application)
    subprocess.run(['psql', '-Xq', '-d', conninfo, '-f', '-'], input=text, text=True, check=True,
                   capture_output=True, timeout=60, env=clean_env())


class EveryMajor(unittest.TestCase):

    def on(self, major):
        need_postgres(major)
        with Postgres(major, settings={'autovacuum': 'off', 'primary_conninfo':
                                       f'host=x password={SECRET}'}) as server:
            server.sql('CREATE DATABASE books; CREATE ROLE plain LOGIN; CREATE ROLE watch LOGIN;'
                       'GRANT pg_monitor TO watch')
            server.sql('CREATE TABLE t (a int PRIMARY KEY)', 'books')
            self.snapshots(server)
            self.books(server)

    def snapshots(self, server):
        for role in ('postgres', 'watch', 'plain'):
            answer = probe(server.conninfo('books', user=role))
            snapshot, target = answer['snapshot'], answer['target']
            missing = EVERYWHERE - set(snapshot)
            self.assertEqual(missing - {'system_identifier'}, set(), role)
            if role != 'plain':
                self.assertEqual(snapshot['notes'], [])
                self.assertGreater(snapshot['waldir']['files'], 0)
            else:
                self.assertIn('waldir: not allowed for this role', snapshot['notes'])
            self.assertEqual(snapshot['version_num'] // 10000, server.major)
            self.assertEqual('io' in snapshot, server.major >= 16)
            self.assertEqual('records' in snapshot['wal'], server.major >= 14)
            self.assertGreater(snapshot['wal']['position_bytes'], 1 << 20)
            self.assertGreater(snapshot['database']['size_bytes'], 1 << 20)
            self.assertEqual([row['name'] for row in snapshot['relations']], ['t'])
            self.assertEqual(snapshot['all_settings']['search_path'], '"$user", public')
            self.assertEqual(snapshot['all_settings']['statement_timeout'], '0')
            self.assertEqual(snapshot['settings']['max_connections']['value'], '100')
            self.assertEqual(snapshot['settings']['fsync']['value'], 'off')
            self.assertNotIn('work_mem', snapshot['settings'])
            self.assertEqual(target['major'], server.major)
            self.assertTrue(target['here'])
            self.assertIsNone(target['pooler'])
            self.assertNotIn(SECRET, json.dumps(answer))
            if role == 'postgres':
                self.assertEqual(snapshot['all_settings']['primary_conninfo'], '...')
        self.assertNotIn('ERROR', server.log)
        durability = snapshot['durability']
        self.assertEqual((durability['durable'], durability['why']), (False, ['fsync is off']))
        self.assertEqual(durability['data_checksums'], server.major >= 18)

    def books(self, server):
        conninfo = server.conninfo('books')
        for number in (0, 1, 500):
            with Books(conninfo) as books:
                if number:
                    load(server, f'INSERT INTO t VALUES (-1); DELETE FROM t;'
                                 f'BEGIN; SELECT 1/0; COMMIT; SELECT 1/0;\n' +
                                 'SELECT 1;\n' * number)
            expected = 1 + 2 + number if number else 0
            self.assertEqual((books.commits, books.note), (expected, ''), f'{number} statements')
            self.assertGreater(books.begin, 0)

    def test_12(self):
        self.on(12)

    def test_15(self):
        self.on(15)

    def test_17(self):
        self.on(17)

    def test_18(self):
        self.on(18)

    @unittest.skipUnless(os.environ.get('PGDYNO_TEST_FULL'), 'the rest of the majors')
    def test_others(self):
        for major in set(installed_majors()) - {12, 15, 17, 18}:
            self.on(major)


class OneServer(unittest.TestCase):

    def test_books_that_cannot_be_kept(self):
        with Postgres(15, settings={'autovacuum': 'off'}) as server:
            server.sql('CREATE DATABASE books')
            conninfo = server.conninfo('books')
            with Books(conninfo) as books:
                stays = subprocess.Popen(
                    ['psql', '-Xq', '-d', server.conninfo('books', application_name='load')],
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=clean_env())
                stays.stdin.write('SELECT 1;\n')
                stays.stdin.flush()
                while server.sessions('load') == 0:
                    pass
            stays.communicate('')
            self.assertEqual(books.commits, -1)
            self.assertIn('1 session(s) named load are still there', books.note)
            # One that was there before is nobody we wait for.
            before = subprocess.Popen(
                ['psql', '-Xq', '-d', server.conninfo('books', application_name='load')],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=clean_env())
            before.stdin.write('SELECT pg_stat_force_next_flush();\n')
            before.stdin.flush()
            wait_until(lambda: server.value(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'load' AND"
                " state = 'idle' AND query LIKE '%flush%'") == '1', what='the session from before')
            with Books(conninfo) as books:
                load(server, 'SELECT 1; SELECT 2;')
            self.assertEqual((books.commits, books.note), (3, ''))
            before.communicate('')
            with Books(conninfo) as books:
                server.sql('SELECT pg_stat_reset()', 'books')
            self.assertEqual(books.commits, -1)
            self.assertIn('reset', books.note)
            with Books(conninfo) as books:
                server.restart()
            self.assertEqual(books.commits, -1)
            self.assertIn('restarted', books.note)
            with Books(conninfo) as books:
                server.stop()
            self.assertEqual(books.commits, -1)
            self.assertNotEqual(books.note, '')

    def test_durable(self):
        settings = {'fsync': 'on', 'wal_level': 'logical'}
        with Postgres(15, settings=settings, initdb=['--data-checksums']) as server:
            found = probe(server.conninfo())['snapshot']['durability']
            self.assertEqual((found['durable'], found['why'], found['data_checksums'],
                              found['wal_level']), (True, [], True, 'logical'))
            server.sql('CREATE UNLOGGED TABLE u (a int PRIMARY KEY); CREATE SCHEMA s;'
                       'CREATE UNLOGGED TABLE s.u (a int); CREATE TEMP TABLE v (a int)')
            found = probe(server.conninfo(options='-c synchronous_commit=off'))
            found = found['snapshot']['durability']
            self.assertEqual(found['why'], ['synchronous_commit is off', '2 unlogged table(s)'])

    def test_foreign_sessions_are_counted_not_read(self):
        with Postgres(15) as server:
            with subprocess.Popen(['psql', '-Xq', '-d', server.conninfo(application_name="it's")],
                                  stdin=subprocess.PIPE, text=True, env=clean_env()) as other:
                other.stdin.write(f"SELECT '{SECRET}' \\g /dev/null\n")
                other.stdin.flush()
                while server.sessions("it''s") == 0:
                    pass
                answer = probe(server.conninfo())
                other.communicate('')
            named = [row for row in answer['snapshot']['sessions'] if row['application'] == "it's"]
            self.assertEqual([(row['count'], row['here']) for row in named], [(1, 1)])
            self.assertNotIn(SECRET, json.dumps(answer))

    def test_tls_password_and_latin1(self):
        with Postgres(15, tls=True, password=SECRET) as server:
            server.sql("CREATE DATABASE l1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
            server.sql('SET client_encoding = UTF8; CREATE TABLE "stra\u00dfe" (a int)', 'l1')
            answer = probe(server.conninfo('l1', tcp=True, sslmode='verify-full', host='localhost',
                                           sslrootcert=server.certificate))
            tls = answer['target']['tls']
            self.assertEqual((tls['in_use'], tls['protocol']), (True, 'TLSv1.3'))
            self.assertGreaterEqual(tls['bits'], 128)
            self.assertTrue(answer['target']['here'])
            self.assertEqual(answer['target']['port'], server.port)
            self.assertEqual([row['name'] for row in answer['snapshot']['relations']],
                             ['stra\u00dfe'])
            self.assertNotIn(SECRET, json.dumps(answer))
            for wrong in (server.conninfo(tcp=True, sslmode='verify-full', password=SECRET,
                                          dbname=f'no {SECRET}'),
                          server.conninfo(dbname=f'no {SECRET}'),
                          f'host={server.socket} password={SECRET} {SECRET}=1'):
                answer = probe(wrong, expect=2 if wrong.endswith('=1') else 4)
                self.assertNotEqual(answer['error'], '')
                self.assertNotIn(SECRET, answer['error'])

    def test_pooler(self):
        if not shutil.which('pgbouncer'):
            skip_or_fail('pgbouncer is not installed')
        with Postgres(15, settings={'autovacuum': 'off'}) as server, \
                Folder(server_account()) as folder:
            path = os.path.join(folder, 'ini')
            with open(path, 'w', encoding='utf-8') as ini:
                ini.write(f'[databases]\n* = host={server.socket} port={server.port} '
                          f'user=postgres\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\n'
                          f'unix_socket_dir = {folder}\nauth_type = any\n'
                          'pool_mode = transaction\n')
            account = server_account()
            more = {'user': account.pw_uid, 'group': account.pw_gid} if account else {}
            pooler = subprocess.Popen(['pgbouncer', path], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                      env=clean_env(), **more)
            try:
                wait_until(lambda: os.path.exists(f'{folder}/.s.PGSQL.6432'), what='pgbouncer')
                answer = probe(f'host={folder} port=6432 user=postgres dbname=postgres')
                self.assertIn('pid', answer['target']['pooler'])
                self.assertTrue(answer['target']['here'])
                self.assertEqual(answer['snapshot']['notes'], [])
                # Nothing of ours stays behind in a session that others will get.
                left = subprocess.run(
                    ['psql', '-XAtc', 'SHOW search_path', '-d',
                     f'host={folder} port=6432 user=postgres dbname=postgres'],
                    capture_output=True, text=True, timeout=20, check=True, env=clean_env())
                self.assertEqual(left.stdout.strip(), '"$user", public')
            finally:
                pooler.terminate()
                pooler.wait(10)

    def test_host(self):
        answer = probe('host=/nowhere', expect=4)
        self.assertIn('/nowhere', answer['error'])
        self.assertNotIn('\n', answer['error'])
        host = answer['host']
        self.assertEqual(host['cpus'], os.cpu_count())
        self.assertEqual(host['cpus_allowed'], len(os.sched_getaffinity(0)))
        self.assertEqual(host['hostname'], os.uname().nodename)
        self.assertGreater(host['memory_bytes'], 1 << 27)
        self.assertRegex(host['libpq'], r'^\d+\.\d+$')
        self.assertIn('OpenSSL', host['openssl'])
        self.assertGreater(answer['self']['rss_bytes'], 1 << 20)
        self.assertGreaterEqual(answer['self']['cpu'], 0)


if __name__ == '__main__':
    main()
