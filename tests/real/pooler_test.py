"""Behind PgBouncer: each protocol works, or says before the clock starts why not and what to use."""

from load_run import *

POOL = 4


class Pooler:
    """PgBouncer on a unix socket before a server; more words go into its configuration."""

    def __init__(self, server, **more):
        program = shutil.which('pgbouncer', path='/usr/sbin:/usr/local/sbin:' + os.environ['PATH'])
        if program is None:
            skip_or_fail('there is no pgbouncer')
        account = server_account()
        self._folder = Folder(account)
        self.socket, self.port = self._folder.path, free_port()
        words = {'listen_addr': '', 'unix_socket_dir': self.socket, 'listen_port': self.port,
                 'auth_type': 'any', 'default_pool_size': POOL, 'max_client_conn': 500,
                 'logfile': os.path.join(self.socket, 'log'), 'pool_mode': 'transaction', **more}
        path = os.path.join(self.socket, 'pgbouncer.ini')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(f'[databases]\n* = host={server.socket} port={server.port} user=postgres\n'
                       '[pgbouncer]\n')
            file.writelines(f'{key} = {value}\n' for key, value in words.items())
        os.chmod(path, 0o644)
        more = {'user': account.pw_uid, 'group': account.pw_gid, 'extra_groups': []} if account else {}
        self.process = subprocess.Popen([program, '-q', path], env=clean_env(), cwd=self.socket,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, **more)
        wait_until(lambda: os.path.exists(f'{self.socket}/.s.PGSQL.{self.port}') or
                   self.process.poll() is not None, what='PgBouncer')
        if self.process.poll() is not None:
            raise AssertionError(f'PgBouncer did not start: {self.log()}')

    def log(self):
        with contextlib.suppress(OSError), open(f'{self.socket}/log', encoding='utf-8') as file:
            return file.read()
        return ''

    def target(self, **more):
        words = {'host': self.socket, 'port': self.port, 'user': 'postgres', 'dbname': 'postgres',
                 **more}
        return ['-t', ' '.join(f"{name}='{value}'" for name, value in words.items())]

    def close(self):
        self.process.terminate()
        self.process.wait()
        self._folder.remove()


class PoolerTest(RunTest):
    pooling = {}
    settings = {'max_connections': 40}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pooler = Pooler(cls.server, **cls.pooling)
        cls.addClassCleanup(cls.pooler.close)

    def through(self, *options, check=0, pooler=None, target=None, **more):
        return self.run_it(*options, target=target or (pooler or self.pooler).target(), check=check,
                           **more)

    def works(self, *options, mode, protocol, connections=12, **more):
        completed, result = self.through('-c', connections, '--transactions', 600, *options, **more)
        self.assertEqual(completed.err, '')
        self.assertLess(completed.seconds, 8 * SLOW, 'nothing is waited for that cannot come')
        whole = self.check_result(result)
        # Two sessions that delete and insert the same row: one of them fails, as it should.
        clash = whole['summary']['errors'].pop('23505', 0) if 'workload' in more else 0
        self.assertEqual(whole['summary']['transactions']['done'], 600 - clash)
        self.assertLess(clash, 20)
        self.assertEqual({code for code in whole['summary']['errors']} - {'40P01'}, set())
        self.assertEqual(whole['client']['protocol'], protocol)
        self.assertEqual(whole['target']['pooler_mode'], mode)
        self.assertIn(f'pools {mode}s', whole['target']['pooler'])
        self.assertIsNone(whole['books']['server_commits'])
        self.assertIn('pooler', whole['books']['note'])
        self.assertIsNone(whole['plans'])
        self.assertTrue([one for one in whole['notes'] if 'there was a pooler' in one])
        self.assertIn(f'protocol {protocol}', completed.out)
        return whole

    def refused(self, *options, words, code=3, within=4, **more):
        completed, result = self.through(*options, check=code, **more)
        self.assertIsNone(result)
        self.one_line(completed, *words)
        self.assertLess(completed.seconds, within * SLOW)
        self.assertNotIn('throughput', completed.out)


class Transaction(PoolerTest):
    """Transactions are pooled, and prepared statements lost."""

    def test_default_finds_a_protocol(self):
        whole = self.works(mode='transaction', protocol='extended')
        self.assertEqual(whole['plan']['protocol'], 'auto')

    def test_what_works(self):
        for protocol in ('extended', 'simple'):
            for pipeline in ((), ('--pipeline',)):
                with self.subTest(protocol=protocol, pipeline=pipeline):
                    self.works('--protocol', protocol, *pipeline, workload='oltp_read_write',
                               mode='transaction', protocol=protocol)

    def test_prepared_is_refused(self):
        self.refused('--protocol', 'prepared', '--pipeline',
                     words=('prepared', 'pooler', '--protocol extended', 'simple'))
        # Nothing that would spoil the next try is left in the pooler's sessions.
        self.works(mode='transaction', protocol='extended')

    def test_more_sessions_than_the_server_has(self):
        self.works('-j', 2, connections=150, mode='transaction', protocol='extended')

    def test_one_backend(self):
        pooler = Pooler(self.server, default_pool_size=1)
        self.addCleanup(pooler.close)
        self.works(pooler=pooler, mode='transaction', protocol='extended', connections=5)
        self.refused('--protocol', 'prepared', pooler=pooler, words=('prepared', 'pooler'))

    def test_backends_in_turn(self):
        """The one that was used longest ago comes next, and there are several from the beginning."""
        pooler = Pooler(self.server, server_round_robin=1, min_pool_size=3)
        self.addCleanup(pooler.close)
        time.sleep(0.5)
        self.works(pooler=pooler, mode='transaction', protocol='extended')
        self.refused('--protocol', 'prepared', pooler=pooler, words=('prepared', 'pooler'))

    def test_startup_parameters(self):
        self.works(target=self.pooler.target(application_name='mine'), mode='transaction',
                   protocol='extended')
        self.refused(target=self.pooler.target(options='-c work_mem=7MB'), code=4,
                     words=('unsupported startup parameter', 'options'))

    def test_unfinished_is_cancelled(self):
        """Through cancel requests: a pid that the pooler invents may be anybody's."""
        self.with_sleepy_view(60)
        completed, result = self.through('-c', 3, '--time', 1, check=4, timeout=40)
        counts = result.json()['summary']['transactions']
        self.assertEqual((counts['done'], counts['unfinished'], counts['scheduled']), (0, 3, 3))
        wait_until(lambda: self.server.value(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE "
            "'SELECT c%' AND pid <> pg_backend_pid()", WATCHED) == '0', 2, 'the end of what was cancelled')
        self.assertLess(completed.seconds, 15 * SLOW)

    def test_interrupt(self):
        self.with_sleepy_view(60)
        run = self.background('-c', 3, '--time', 30, target=self.pooler.target())
        run.wait_for_load(self.server, 3)
        run.signal(2)
        completed = run.finish()
        self.assertEqual(completed.code, 130, completed)
        self.assertLess(completed.seconds, 4 * SLOW)
        wait_until(lambda: self.server.value(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE "
            "'SELECT c%' AND pid <> pg_backend_pid()", WATCHED) == '0', 2, 'the end of what was cancelled')

    def test_backend_killed(self):
        run = self.background('-c', 8, '--time', 2, target=self.pooler.target())
        # Not those that an earlier test left in the pool: they are idle.
        wait_until(lambda: self.server.value(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE "
            "'SELECT c%'", WATCHED) != '0', 20, 'the load', every=0)
        for _ in range(12):  # One that is idle at that moment is replaced without a word.
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
                            " 'postgres' AND application_name = 'pgdyno'", WATCHED)
        completed = run.finish()
        self.assertEqual(completed.code, 0, completed)
        whole = self.check_result(run.result())
        self.assertGreater(sum(whole['summary']['errors'].values()), 0)
        self.assertGreater(whole['connect_ms']['reopened']['count'], 0)


class Session(PoolerTest):
    """A connection keeps its backend: all works, as long as there are enough."""

    pooling = {'pool_mode': 'session', 'default_pool_size': 16}

    def test_all_work(self):
        for protocol, pipeline in (('prepared', ()), ('prepared', ('--pipeline',)),
                                   ('extended', ('--pipeline',)), ('simple', ())):
            with self.subTest(protocol=protocol, pipeline=pipeline):
                self.works('--protocol', protocol, *pipeline, mode='session', protocol=protocol,
                           workload='oltp_read_write')
        self.works(mode='session', protocol='prepared')

    def test_too_few_backends(self):
        self.refused('-c', 20, '--connect-timeout', 2, code=4, within=12,
                     words=('pooler', 'fewer --connections'))
        self.works(mode='session', protocol='prepared')


class Statement(PoolerTest):
    pooling = {'pool_mode': 'statement'}

    def test_refused(self):
        self.refused(words=('pools statements', 'pool_mode'))

    def test_without_a_pooler(self):
        _, result = self.run_it('-c', 3, '--transactions', 100)
        whole = self.check_result(result)
        self.assertEqual(whole['client']['protocol'], 'prepared')
        self.assertIsNone(whole['target']['pooler'])
        self.assertIsNone(whole['target']['pooler_mode'])
        self.assertEqual(whole['books']['client_commits'], whole['books']['server_commits'])
        self.refused('-c', 100, target=self.target(), words=('100 connections', 'max_connections'))


if __name__ == '__main__':
    main(faults=True)
