"""The server goes away, stops, fills up or says no in mid run: the run goes on, ends on time, tells.

Each fault comes three times in the full run (PGDYNO_TEST_FULL=1), once otherwise.
"""

import random

from load_run import *

ROUNDS = 3 if FULL else 1
AWAY = {'57P01', '57P02', '57P03', 'net:closed', 'net:reset', 'net:pipe', 'connect'}


class OutageTest(RunTest):
    settings = {'max_connections': '40'}

    def setUp(self):
        self.server.start()

    def ended(self, run, code=0, ended='finished', timeout=40):
        completed = run.finish(timeout)
        self.assertEqual(completed.code, code, completed)
        whole = self.check_result(run.result())
        self.assertEqual(whole['ended'], ended)
        return completed, whole

    def loaded(self, connections, *words, workload=WORKLOAD, **more):
        if workload == WORKLOAD:
            run = self.background('-c', connections, *words, **more)
            run.wait_for_load(self.server, connections)
        else:
            run = Background(self.pgdyno, workload, '--warmup', 0, *self.target(), '-c',
                             connections, *words)
            self.addCleanup(run.__exit__)
            run.wait_for_load(self.server, connections, active=False)
            time.sleep(0.2)
        return run

    def lost(self, whole):
        return sum(one['failed'] + one['unknown'] for one in whole['outages'])

    @staticmethod
    def wake(family):
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


class Outages(OutageTest):
    def one_long(self, whole, at_least, at_most):
        """The outage that counts, beside those of a moment while the server goes down."""
        long = [one for one in whole['outages'] if one['seconds'] > 0.1]
        self.assertEqual(len(long), 1, whole['outages'])
        self.assertIs(long[0]['ended'], True)
        self.assertTrue(at_least <= long[0]['seconds'] <= at_most, long)
        self.assertIn(long[0]['code'], AWAY)
        return long[0]

    def test_restart(self):
        """Fast and immediate, with a pause: measured as long as it was."""
        for mode in ('fast', 'immediate') * ROUNDS:
            with self.subTest(mode):
                self.server.start()
                run = self.loaded(4, '-j', 2, '--time', 4)
                self.server.stop(mode)
                down = time.monotonic()
                time.sleep(0.7)
                self.server.start()
                up = time.monotonic() - down
                completed, whole = self.ended(run)
                outage = self.one_long(whole, 0.6, up + 1.2)
                self.assertGreater(outage['refused'], 0)
                counts = whole['summary']['transactions']
                self.assertEqual(self.lost(whole), counts['failed'] + counts['unknown'])
                self.assertEqual(counts['failed'] + counts['unknown'], 4)
                self.assertLessEqual(set(whole['summary']['errors']), AWAY)
                self.assertAlmostEqual(whole['summary']['measured_s'], 4, delta=0.5 * SLOW)
                self.assertIsNone(whole['books']['ok'])
                self.assertIn('restarted', whole['books']['note'])
                self.assertEqual(whole['connect_ms']['reopened']['count'], 4)
                self.assertIn('outages', completed.out)
                self.no_session_left()

    def test_by_count(self):
        """A plan by count still does every one of them, once."""
        run = self.loaded(4, '-j', 2, '--transactions', 60000)
        time.sleep(0.2)
        self.server.restart('immediate')
        _, whole = self.ended(run)
        counts = whole['summary']['transactions']
        self.assertEqual(counts['scheduled'], 60000)
        self.assertEqual(counts['done'] + counts['failed'] + counts['unknown'], 60000)
        self.assertGreaterEqual(self.lost(whole), 1)

    def test_backend_killed(self):
        """By kill -9 the whole server starts again; by pg_terminate_backend one session does."""
        for _ in range(ROUNDS):
            run = self.loaded(3, '--time', 3)
            pid = int(self.server.value("SELECT pid FROM pg_stat_activity WHERE application_name ="
                                        " 'pgdyno' LIMIT 1", WATCHED))
            os.kill(pid, signal.SIGKILL)
            _, whole = self.ended(run)
            self.assertTrue(1 <= self.lost(whole) <= 6)
            self.assertTrue(all(one['ended'] for one in whole['outages']))
            self.assertGreaterEqual(whole['connect_ms']['reopened']['count'], 3)
            self.assertAlmostEqual(whole['summary']['measured_s'], 3, delta=0.5 * SLOW)

    def test_down_for_good(self):
        for mode in ('fast', 'immediate') * ROUNDS:
            with self.subTest(mode):
                self.server.start()
                run = self.loaded(3, '--time', 2)
                self.server.stop(mode)
                completed, whole = self.ended(run, 4)
                self.assertLess(completed.seconds, 6 * SLOW)
                last = whole['outages'][-1]
                self.assertIs(last['ended'], False)
                self.assertAlmostEqual(last['at_s'] + last['seconds'], 2, delta=0.05)
                self.assertGreater(whole['summary']['transactions']['done'], 0)
                self.assertIn('NOT OVER', completed.out)
                self.one_line(completed, 'server was lost')

    def test_open_loop(self):
        """The schedule goes on: what was due meanwhile waits, and is not lost."""
        run = self.loaded(4, '--time', 4, '--rate', 200)
        self.server.stop('fast')
        time.sleep(0.5)
        self.server.start()
        _, whole = self.ended(run)
        self.one_long(whole, 0.4, 3)
        counts = whole['summary']['transactions']
        self.assertLessEqual(counts['failed'] + counts['unknown'], 4)
        self.assertGreater(counts['done'], 600)
        self.assertGreater(whole['summary']['latency_ms']['response']['max'], 400)


class Stopped(OutageTest):
    """SIGSTOP to all of the server."""

    def stop_under_load(self):
        """Three runs of which the last one is to end soon; then the server stops."""
        runs = []
        for seconds in (60, 60, 2):
            runs.append(self.background('-c', 3, '--time', seconds))
            runs[-1].wait_for_load(self.server, 3 * len(runs), active=False)
        runs[-1].wait_for_load(self.server, 1)
        family = [self.server.pid] + self.server.children()
        self.addCleanup(self.wake, family)
        for pid in family:
            os.kill(pid, signal.SIGSTOP)
        return runs, family

    def test_server_stops_reading(self):
        """The end is kept, what ran is unfinished, nothing hangs. Meanwhile others are interrupted,
        one of them twice: the second one waits for nothing, and there may be a result or not."""
        for _ in range(ROUNDS):
            (once, twice, run), family = self.stop_under_load()
            time.sleep(0.3)
            once.signal(signal.SIGINT)
            completed = once.finish(20)
            self.assertEqual(completed.code, 130, completed)
            self.assertLess(completed.seconds, 2 * SLOW, completed)
            self.assertEqual(self.check_result(once.result())['ended'], 'interrupted')
            twice.signal(signal.SIGINT)
            time.sleep(0.1)
            twice.signal(signal.SIGINT)
            completed = twice.finish(20)
            self.assertEqual(completed.code, 130, completed)
            self.assertLess(completed.seconds, 0.6 * SLOW, completed)
            completed = run.finish(30)
            self.wake(family)
            self.assertEqual(completed.code, 0, completed)
            whole = self.check_result(run.result())
            self.assertEqual(whole['summary']['transactions']['unfinished'], 3)
            self.assertIsNone(whole['books']['ok'])
            self.assertLess(completed.seconds, 30)
            self.no_session_left(3)


class Failover(OutageTest):
    """host=a,b with target_session_attrs: the sessions go where writing is possible."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.other = Postgres(15, settings={'default_transaction_read_only': 'on'})
        cls.addClassCleanup(cls.other.close)
        cls.other.sql('BEGIN READ WRITE;' + TABLE + 'COMMIT')

    def test_other_host(self):
        for _ in range(ROUNDS):
            self.over_to('stop')

    def test_silent_host(self):
        """The old one does not refuse, it says nothing: passed over after --connect-timeout."""
        self.over_to('silent', '--connect-timeout', 1)

    def over_to(self, how, *words):
        other = self.other
        other.sql('ALTER SYSTEM RESET ALL; SELECT pg_reload_conf()')
        wait_until(lambda: other.value('SHOW default_transaction_read_only') == 'on', 10,
                   'read only')
        self.server.start()
        hosts = (f'host={self.server.socket},{other.socket} port={self.server.port},{other.port} '
                 'user=postgres dbname=postgres target_session_attrs=read-write')
        run = self.loaded(4, '--time', 5, *words, target=['-t', hosts])
        self.assertEqual(other.sessions(), 0)
        family = []
        if how == 'stop':
            self.server.stop('immediate')
        else:
            family = [self.server.pid]
            os.kill(self.server.pid, signal.SIGSTOP)
            for pid in self.server.children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.5)
        other.sql('ALTER SYSTEM SET default_transaction_read_only = off')
        other.sql('SELECT pg_reload_conf()')
        try:
            wait_until(lambda: other.sessions('pgdyno') >= 4, 6, 'the failover')
            _, whole = self.ended(run)
        finally:
            self.wake(family)
        long = [one for one in whole['outages'] if one['seconds'] > 0.3]
        self.assertEqual(len(long), 1, whole['outages'])
        self.assertTrue(long[0]['ended'])
        self.assertGreater(whole['summary']['transactions']['done'], 1000)
        self.assertAlmostEqual(whole['summary']['measured_s'], 5, delta=0.5 * SLOW)


class Limits(OutageTest):
    def test_idle_in_transaction(self):
        """The server ends sessions that wait in a block: opened again, each counted."""
        role = 'drowsy'
        self.server.sql(f"CREATE ROLE {role} SUPERUSER LOGIN; ALTER ROLE {role} SET "
                        "idle_in_transaction_session_timeout = '150ms'")
        for _ in range(ROUNDS):
            run = Background(self.pgdyno, 'oltp_read_write', '--warmup', 0,
                             *self.target(user=role), '-c', 2, '--time', 3, '--table-size', ROWS)
            self.addCleanup(run.__exit__)
            run.wait_for_load(self.server, 2, active=False)
            time.sleep(0.5)
            os.kill(run.process.pid, signal.SIGSTOP)  # the client is what pauses
            time.sleep(0.6)
            os.kill(run.process.pid, signal.SIGCONT)
            _, whole = self.ended(run)
            self.assertLessEqual(set(whole['summary']['errors']), {'25P03', '40001', '40P01', '23505'})
            self.assertEqual(whole['outages'], [])
            counts = whole['summary']['transactions']
            self.assertEqual(counts['unknown'], 0)
            self.assertEqual(whole['connect_ms']['reopened']['count'],
                             whole['summary']['errors'].get('25P03', 0))
            self.assertGreater(counts['done'], 20)

    def test_out_of_disk(self):
        """53100 is no matter of load: the run ends at it, or counts when told to."""
        if os.geteuid() != 0:
            self.skipTest('mounting a small disk takes root')
        folder = os.path.join(self.server.socket, 'small')
        os.makedirs(folder, exist_ok=True)
        done = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=4m,mode=0777', 'pgd', folder],
                              capture_output=True, check=False)
        if done.returncode != 0:
            self.skipTest('no tmpfs can be mounted here')
        self.addCleanup(subprocess.run, ['umount', '-l', folder], check=False)
        space = os.path.join(folder, 'space')
        os.makedirs(space)
        os.chown(space, self.server.account.pw_uid, self.server.account.pw_gid)
        os.chmod(space, 0o700)
        self.server.sql(f"CREATE TABLESPACE small LOCATION '{space}'")
        self.server.sql('CREATE DATABASE tight')
        self.server.sql(TABLE + 'ALTER TABLE sbtest1 SET TABLESPACE small;'
                        'ALTER TABLE sbtest1 ALTER id ADD GENERATED BY DEFAULT AS IDENTITY '
                        f'(START {ROWS + 1})', 'tight')
        # The first one ends when the disk is full; the second one finds it so.
        for policy, seconds, ended in (('policy', 25, 'stopped'), ('continue', 1, 'finished')):
            run = Background(self.pgdyno, 'oltp_insert', '--warmup', 0,
                             *self.target(dbname='tight'), '-c', 2, '--time', seconds,
                             '--on-error', policy, '--table-size', ROWS)
            self.addCleanup(run.__exit__)
            completed = run.finish()
            if policy == 'policy':
                self.assertEqual(completed.code, 4, completed)
            whole = self.check_result(run.result())
            self.assertEqual(whole['ended'], ended, completed)
            self.assertIn('53100', whole['summary']['errors'])
            self.assertEqual(whole['outages'], [])
        self.server.sql('DROP DATABASE tight')
        self.server.sql('DROP TABLESPACE small')


class Signals(OutageTest):
    """SIGINT and SIGTERM at random instants, some of them twice; two runs at a time."""

    def start(self, *words):
        run = Background(self.pgdyno, WORKLOAD, *self.target(), '-c', 8, '-j', 2, *words)
        self.addCleanup(run.__exit__)
        return run

    def interrupt(self, run, number):
        """What the kinds come to: by number, so that each comes as often."""
        if run.process.poll() is None:
            run.signal((signal.SIGINT, signal.SIGTERM)[number % 2])
        if number % 3 == 2 and run.process.poll() is None:
            time.sleep(random.uniform(0.0, 0.05))
            run.signal((signal.SIGINT, signal.SIGTERM)[number // 3 % 2])

    def check_end(self, run, number, limit_s=2):
        """A result with the right mark or, when it was too early or in a hurry, a clear word."""
        completed = run.finish()
        twice = number % 3 == 2
        self.assertIn(completed.code, (0, 130, -signal.SIGINT, -signal.SIGTERM), completed)
        self.assertLess(completed.seconds, limit_s * SLOW, completed)
        result = run.result()
        if result is not None and 'result.json' in result.files():
            marks = ('finished', 'interrupted') if twice else (
                ('finished',) if completed.code == 0 else ('interrupted',))
            self.assertIn(self.check_result(result)['ended'], marks, completed)
        elif completed.code == 0:
            self.fail(f'no result\n{completed}')
        elif completed.code == 130 and not twice:
            self.assertIsNone(result, completed)
            self.one_line(completed, 'interrupted')

    def test_at_any_moment(self):
        """Over connecting, warm-up, run and the end."""
        for first in range(0, 60 if FULL else 12, 2):
            runs = [self.start('--warmup', '0.4', '--time', '0.6') for _ in range(2)]
            instants = sorted(random.uniform(0.0, 1.5) for _ in runs)
            begin = time.monotonic()
            for number, run in enumerate(runs):
                time.sleep(max(0, begin + instants[number] - time.monotonic()))
                self.interrupt(run, first + number)
            for number, run in enumerate(runs):
                self.check_end(run, first + number)
            self.no_session_left(1)

    def lock_table(self):
        """Until it is killed: the lock goes with its session."""
        lock = subprocess.Popen(['psql', '-Xqt', '-c', 'BEGIN; LOCK TABLE sbtest1', '-f', '-',
                                 '-d', self.server.conninfo()], env=clean_env(),
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.addCleanup(lock.communicate)
        return lock

    def test_in_the_drain(self):
        """Statements that do not end hold it for ten seconds; a signal does not wait for them."""
        waiting = ("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                   "application_name = 'pgdyno' AND clock_timestamp() - query_start > '1.2 s'")
        mine = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgdyno'"
        for number in (0, 1, 2) if FULL else (1, 2):
            run = self.start('--warmup', 0, '--time', 1)
            run.wait_for_load(self.server, 8)
            lock = self.lock_table()
            wait_until(lambda: int(self.server.value(waiting, WATCHED)) >= 8, 9, 'the drain')
            self.assertIsNone(run.process.poll())
            self.interrupt(run, number)
            self.check_end(run, number, 5)
            if number < 2:
                whole = run.result().json()
                self.assertEqual(whole['ended'], 'interrupted')
                self.assertEqual(whole['summary']['transactions']['unfinished'], 8)
            # A question of the collector may have met the lock too: 5 s are its limit.
            wait_until(lambda: self.server.value(mine, WATCHED) == '0', 2, 'the load to go')
            lock.communicate()
            self.no_session_left(1)


class Exact(OutageTest):
    """Thousands of retries: the counters hold exactly what was committed."""

    def test_counters(self):
        for level in ('serializable', 'repeatable\\ read'):
            for kind in (('same', 'redraw') if FULL else ('same',)):
                with self.subTest(level, kind=kind):
                    self.counted(level, kind, 1000 if FULL else 100)

    def counted(self, level, kind, wanted):
        """Run after run until so many were retried: how many a run has is a matter of speed."""
        options = f'-c default_transaction_isolation={level}'
        retried = 0
        for _ in range(12):
            before = int(self.server.value('SELECT sum(k) FROM sbtest1 WHERE id <= 5'))
            _, result = self.run_it('-c', 8, '-j', 2, '--time', 2, '--table-size', 5, '--retry',
                                    kind, '--retries', 100, workload='oltp_update_index',
                                    target=self.target(options=options))
            counts = self.check_result(result)['summary']['transactions']
            after = int(self.server.value('SELECT sum(k) FROM sbtest1 WHERE id <= 5'))
            self.assertEqual(counts['unknown'] + counts['unfinished'], 0)
            self.assertEqual(after - before, counts['done'])
            retried += counts['retried']
            if retried > wanted:
                return
        self.fail(f'only {retried} were retried')


class StoppedBeside(unittest.TestCase):
    """Stopped waits nearly all of its time: it has a process of its own beside the others, which is
    begun before them and looked at after them."""

    process = None

    def test_stopped(self):
        told = self.process.communicate()[0]
        self.assertEqual(self.process.returncode, 0, told)


def main_beside():
    if len(sys.argv) > 1:
        main()
    others = [name for name, one in globals().items() if isinstance(one, type)
              and issubclass(one, OutageTest) and one not in (OutageTest, Stopped)]
    with subprocess.Popen([sys.executable, __file__, 'Stopped'], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as StoppedBeside.process:
        unittest.main(argv=[__file__, *others, 'StoppedBeside'], verbosity=2)


if __name__ == '__main__':
    main_beside()
