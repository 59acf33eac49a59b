"""Threads that meet: both engines while sessions are killed, reconnect, share lanes and are
interrupted. Under ThreadSanitizer (meson -Db_sanitize=thread) a race fails it; without, it is a
test of the thread engine's ways out of a wait."""

from load_run import *

NULL_SERVER = os.environ.get('NULL_SERVER', '')
TSAN = 'halt_on_error=0:exitcode=66:second_deadlock_stack=1'


class Threads(RunTest):
    def of(self, engine, *options, **more):
        completed, result = self.run_it('--engine', engine, *options, env={'TSAN_OPTIONS': TSAN},
                                        **more)
        self.assertNotIn('ThreadSanitizer', completed.err)
        return completed, result

    def in_both(self, *options, **more):
        for engine in ('thread', 'coroutine'):
            with self.subTest(engine=engine):
                workers = ['-j', 2] if engine == 'coroutine' else []
                whole = self.check_result(self.of(engine, *workers, *options, **more)[1])
                self.assertGreater(whole['summary']['transactions']['done'], 0)

    def test_closed_loop(self):
        self.in_both('-c', 6, '--time', '2s', '--warmup', '1s', '--interval', '200ms')

    def test_by_count(self):
        self.in_both('-c', 20, '--transactions', 3000)

    def test_open_loop(self):
        self.in_both('-c', 20, '--rate', 300, '--time', '2s', '--warmup', '1s')

    def test_thinking(self):
        self.in_both('-c', 20, '--think', '20ms', '--time', '2s')

    def test_reconnecting(self):
        self.in_both('-c', 4, '--reconnect', 20, '--time', '2s')

    def test_without_a_server(self):
        self.in_both('-c', 4, '--time', '1s', workload='null')
        self.in_both('-c', 4, '--rate', 500, '--time', '1s', workload='null')

    def test_null_server(self):
        if not NULL_SERVER:
            self.skipTest('no null server')
        with Folder() as folder:
            server = subprocess.Popen([NULL_SERVER, '-k', folder], stdout=subprocess.PIPE,
                                      text=True)
            try:
                server.stdout.readline()
                for engine in ('thread', 'coroutine'):
                    _, result = self.of(engine, '-c', 8, '--time', '2s',
                                        target=['-t', f'host={folder} user=u dbname=d'])
                    counts = result.json()['summary']['transactions']
                    self.assertGreater(counts['done'], 0)
                    self.assertEqual(counts['done'], counts['scheduled'])
            finally:
                server.terminate()
                server.communicate()

    def ended(self, run, code, limit):
        completed = run.finish(60)
        self.assertEqual(completed.code, code, completed)
        self.assertNotIn('ThreadSanitizer', completed.err)
        self.assertLess(completed.seconds, limit * SLOW, completed)
        self.no_session_left()
        return self.check_result(run.result())

    def started(self, engine, *options):
        run = self.background('--engine', engine, *options, env={'TSAN_OPTIONS': TSAN})
        run.wait_for_load(self.server, 4)
        return run

    def test_killed_sessions(self):
        for engine in ('thread', 'coroutine'):
            for load in ([], ['--rate', 200], ['--think', '5ms']):
                with self.subTest(engine=engine, load=load):
                    run = self.started(engine, '-c', 6, '--time', '3s', *load)
                    self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                    "WHERE application_name = 'pgdyno'", WATCHED)
                    whole = self.ended(run, 0, 30)
                    self.assertEqual(whole['connect_ms']['reopened']['count'], 6)

    def test_interrupted(self):
        for engine in ('thread', 'coroutine'):
            with self.subTest(engine=engine):
                run = self.started(engine, '-c', 20, '--time', '60s')
                run.signal(signal.SIGINT)
                whole = self.ended(run, 130, 2)
                self.assertEqual(whole['summary']['transactions']['unfinished'], 0)

    def test_interrupted_behind_a_lock(self):
        """Threads block in a wait that nothing ends but the clock."""
        self.with_sleepy_view(30)
        for engine in ('thread', 'coroutine'):
            with self.subTest(engine=engine):
                run = self.started(engine, '-c', 4, '--time', '60s')
                time.sleep(0.3)
                run.signal(signal.SIGINT)
                completed = run.finish(60)
                self.assertIn(completed.code, (130, 4), completed)
                self.assertNotIn('ThreadSanitizer', completed.err)
                self.assertLess(completed.seconds, 2 * SLOW, completed)
                self.no_session_left()
                counts = run.result().json()['summary']['transactions']
                self.assertEqual((counts['unfinished'], counts['done']), (4, 0), counts)


if __name__ == '__main__':
    main()
