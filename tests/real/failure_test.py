"""Errors of the server and the operator's signals in a run: counted, told, and a result left."""

from load_run import *


class Errors(RunTest):
    def setUp(self):
        self.server.start()  # unless it runs

    def ended(self, run, code, ended):
        """How it ended; gives (Completed, result.json)."""
        completed = run.finish()
        self.assertEqual(completed.code, code, completed)
        result = run.result()
        self.assertIsNotNone(result, completed)
        whole = self.check_result(result)
        self.assertEqual((whole['ended'], whole['exit_code'], whole['interrupted']),
                         (ended, code, ended == 'interrupted'))
        return completed, whole

    def kill_sessions(self, limit=''):
        killed = self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                                 f"application_name = 'pgdyno' {limit}", WATCHED)
        self.assertTrue(killed)

    def failed(self, whole, code):
        """The errors of that code, in both phases, with what is told of them."""
        ours = [one for one in whole['errors'] if one['code'] == code]
        self.assertTrue(ours, whole['errors'])
        for one in ours:
            self.assertEqual(one['statement'], 'point_select', one)
            self.assertTrue(one['message'], one)
        return sum(one['count'] for one in ours)

    def test_table_vanishes(self):
        run = self.background('-c', 4, '-j', 2, '--time', 30)
        run.wait_for_load(self.server, 4)
        self.server.sql('DROP TABLE sbtest1')
        self.addCleanup(self.server.sql, TABLE)
        completed, whole = self.ended(run, 4, 'stopped')
        self.assertLess(completed.seconds, 15 * SLOW)
        self.assertTrue(1 <= self.failed(whole, '42P01') <= 4)
        self.assertIn('42P01', completed.out)
        self.one_line(completed, 'sbtest1', '42P01', '--on-error continue')
        self.assertGreater(whole['summary']['transactions']['done'], 0)
        self.no_session_left()

    def test_go_on_when_told(self):
        run = self.background('-c', 2, '--time', 2, '--on-error', 'continue')
        run.wait_for_load(self.server, 2)
        self.server.sql('ALTER TABLE sbtest1 RENAME TO away')
        time.sleep(0.3)
        self.server.sql('ALTER TABLE away RENAME TO sbtest1')
        _, whole = self.ended(run, 0, 'finished')
        counts = whole['summary']['transactions']
        self.assertEqual(self.failed(whole, '42P01'), counts['failed'])
        self.assertGreater(counts['failed'], 10)
        self.assertAlmostEqual(whole['summary']['measured_s'], 2, delta=0.5 * SLOW)
        last = strict(run.result().text('series.jsonl').splitlines()[1])
        self.assertGreater(last['transactions']['done'], 100)  # it works again

    def locked(self, *options):
        """A run whose statements meet a lock for 0.7 s, with a statement_timeout of 100 ms."""
        role = f'hasty{time.monotonic_ns()}'
        self.server.sql(f'CREATE ROLE {role} LOGIN; GRANT SELECT ON sbtest1 TO {role};'
                        f"ALTER ROLE {role} SET statement_timeout = '100ms'")
        run = self.background('-c', 3, *options, target=self.target(user=role))
        run.wait_for_load(self.server, 3)
        with contextlib.suppress(SqlError):
            self.server.sql("BEGIN; SET LOCAL lock_timeout = '5s'; LOCK TABLE sbtest1;"
                            'SELECT pg_sleep(0.7); COMMIT')
        return run

    def test_timeout_is_counted(self):
        run = self.locked('--time', 3)
        _, whole = self.ended(run, 0, 'finished')
        counts = whole['summary']['transactions']
        self.assertEqual(self.failed(whole, '57014'), counts['failed'])
        self.assertTrue(3 <= counts['failed'] <= 40, counts)
        self.assertEqual(list(whole['summary']['errors']), ['57014'])
        # Failed ones have no response time: those that were measured are short.
        self.assertEqual(whole['statements']['point_select']['count'], counts['done'])
        self.assertAlmostEqual(whole['summary']['measured_s'], 3, delta=0.5 * SLOW)

    def test_stop_when_told(self):
        run = self.locked('--time', 30, '--on-error', 'stop')
        completed, whole = self.ended(run, 4, 'stopped')
        self.assertTrue(1 <= self.failed(whole, '57014') <= 3)
        self.one_line(completed, '57014')

    def test_one_session_killed(self):
        for protocol in ('prepared', 'simple'):
            run = self.background('-c', 4, '--time', 2, '--protocol', protocol)
            run.wait_for_load(self.server, 4)
            self.kill_sessions('LIMIT 1')
            completed, whole = self.ended(run, 0, 'finished')
            self.assertEqual(sum(one['count'] for one in whole['errors']
                                 if one['code'] == '57P01'), 1, whole['errors'])
            self.assertEqual(whole['summary']['transactions']['failed'], 1)
            self.assertAlmostEqual(whole['summary']['measured_s'], 2, delta=0.5 * SLOW)
            self.assertIn('57P01', completed.out)

    def test_all_sessions_killed(self):
        """They are opened anew, and the run goes on to its end."""
        run = self.background('-c', 4, '-j', 2, '--time', 3)
        run.wait_for_load(self.server, 4)
        self.kill_sessions()
        _, whole = self.ended(run, 0, 'finished')
        self.assertEqual(whole['summary']['errors'], {'57P01': 4})
        self.assertEqual(whole['summary']['transactions']['failed'], 4)
        self.assertEqual(whole['connect_ms']['reopened']['count'], 4)
        self.assertGreater(strict(run.result().text('series.jsonl').splitlines()[2])
                           ['transactions']['done'], 100)
        self.assertEqual(whole['books']['client_commits'], whole['books']['server_commits'])
        self.no_session_left()

    def test_stop_at_the_first_loss(self):
        run = self.background('-c', 4, '--time', 30, '--on-error', 'stop')
        run.wait_for_load(self.server, 4)
        self.kill_sessions('LIMIT 1')
        completed, _ = self.ended(run, 4, 'stopped')
        self.one_line(completed, '57P01')
        self.no_session_left()

    def test_server_stopped(self):
        """For good: the run goes on trying to its end, and says what it was."""
        for how in ('immediate', 'fast', 'kill'):
            with self.subTest(how):
                self.server.start()
                run = self.background('-c', 3, '--time', 2)
                run.wait_for_load(self.server, 3)
                self.server.kill() if how == 'kill' else self.server.stop(how)
                completed, whole = self.ended(run, 4, 'finished')
                self.assertLess(completed.seconds, 8 * SLOW)
                errors = whole['summary']['errors']
                self.assertLessEqual(set(errors), {'57P01', '57P02', '57P03', 'net:closed',
                                                   'net:reset', 'net:pipe', 'connect'})
                counts = whole['summary']['transactions']
                self.assertEqual(counts['failed'] + counts['unknown'], 3)
                self.assertGreater(counts['done'], 0)
                self.assertIsNone(whole['books']['server_commits'])
                self.assertTrue(whole['books']['note'])
                self.one_line(completed, 'server was lost', '3 connections')

    def test_restarted_server(self):
        """The run goes on; the books cannot be closed, and are not made up."""
        run = self.background('-c', 3, '--time', 4)
        run.wait_for_load(self.server, 3)
        self.server.restart('immediate')
        _, whole = self.ended(run, 0, 'finished')
        self.assertIsNone(whole['books']['ok'])
        self.assertIn('restarted', whole['books']['note'])
        self.assertEqual(whole['connect_ms']['reopened']['count'], 3)
        self.assertAlmostEqual(whole['summary']['measured_s'], 4, delta=0.5 * SLOW)

    def test_interrupted_while_the_server_is_away(self):
        run = self.background('-c', 3, '--time', 60)
        run.wait_for_load(self.server, 3)
        self.server.stop('immediate')
        time.sleep(0.5)
        run.signal(signal.SIGINT)
        completed, whole = self.ended(run, 130, 'interrupted')
        self.assertLess(completed.seconds, 2 * SLOW)
        self.assertIsNone(whole['books']['ok'])


class Stopper:
    """A TCP port of 127.0.0.1 before a server, all of which is stopped as soon as a client says
    `word`; goes on when the block ends."""

    def __init__(self, server, word):
        self.server, self.word, self.family, self.held = server, word.encode(), [], []
        self.listener = socket.create_server(('127.0.0.1', 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                there = socket.socket(socket.AF_UNIX)
                there.connect(os.path.join(self.server.socket, f'.s.PGSQL.{self.server.port}'))
                self.held += [client, there]
                for pair in ((client, there), (there, client)):
                    threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if self.word in data and not self.family:
                    self.family = [self.server.pid] + self.server.children()
                    for pid in self.family:
                        os.kill(pid, signal.SIGSTOP)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        for one in [self.listener] + self.held:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # a thread may be reading from it
            one.close()


class Silence(RunTest):
    """The server stops before the clock starts, or while the end is written up: given up in time."""

    def test_before_the_run(self):
        # The first is told by libpq or by us, whoever looks at the clock first.
        cases = [('pgdyno-collect', '127.0.0.1'),
                 ('pg_postmaster_start_time', 'no answer within 1000 ms'),
                 ('pgdyno-admin', 'no answer from 127.0.0.1', 'within 1 s'),
                 ('rolconnlimit', 'within 1 s', 'room', '--connect-timeout'),
                 ('SELECT c FROM sbtest1', 'within 1 s', 'point_select')]
        if FULL:  # takes 7 s: the collector's statements have a limit of their own
            cases += [('pg_stat_force_next_flush', 'no answer from 127.0.0.1')]
        for word, *said in cases:
            with self.subTest(word), Stopper(self.server, word) as stopper:
                completed, result = self.run_it(
                    '-c', 2, '--time', 60, '--connect-timeout', 1, check=4, target=[
                        '-t', f'host=127.0.0.1 port={stopper.port} user=postgres dbname=postgres '
                              'sslmode=disable gssencmode=disable'])
                self.assertTrue(stopper.family)
                self.assertIsNone(result)
                self.one_line(completed, *said)
                self.assertRegex(completed.err, 'timeout expired|no answer|within')
                self.assertLess(completed.seconds, 12 * SLOW)
            self.no_session_left(3)

    def test_while_the_end_is_written_up(self):
        """The collector's connection is dead, and a new one is never answered."""
        run = self.background('-c', 2, '--time', 2, '--connect-timeout', 1)
        run.wait_for_load(self.server, 2)
        postmaster = self.server.pid
        os.kill(postmaster, signal.SIGSTOP)
        try:
            for pid in self.server.children():
                os.kill(pid, signal.SIGKILL)
            completed = run.finish(60)
        finally:
            os.kill(postmaster, signal.SIGCONT)
        self.assertEqual(completed.code, 4, completed)
        self.assertLess(completed.seconds, 12 * SLOW, completed)
        whole = self.check_result(run.result())
        self.assertIsNone(whole['books']['ok'])
        self.assertIs(whole['outages'][-1]['ended'], False)
        self.one_line(completed, 'server was lost')
        self.server.restart()

    def test_more_sessions_than_mappings(self):
        """No server: each session of this machine costs memory, not one of the kernel's mappings."""
        _, result = self.run_it('-c', 40000, '--time', '0.2', workload='null')
        self.assertGreater(result.json()['summary']['transactions']['done'], 0)


class Signals(RunTest):
    def interrupted(self, run, completed, limit=2.0, code=130):
        self.assertEqual(completed.code, code, completed)
        self.assertLess(completed.seconds, limit * SLOW, completed)
        self.no_session_left(0.3 * SLOW)
        result = run.result()
        self.assertIsNotNone(result, completed)
        whole = self.check_result(result)
        self.assertEqual((whole['ended'], whole['interrupted'], whole['exit_code']),
                         ('interrupted', True, code))
        return whole

    def test_interrupt_and_terminate(self):
        """U22, both signals, in the window and in warm-up."""
        for number, warmup, words in ((signal.SIGINT, 0, ['-c', 8, '-j', 2]),
                                      (signal.SIGTERM, 0, ['-c', 3]),
                                      (signal.SIGINT, 30, ['-c', 3])):
            run = self.background('--time', 60, '--warmup', warmup, *words)
            run.wait_for_load(self.server, words[1])
            time.sleep(0.8)
            run.signal(number)
            completed = run.finish()
            whole = self.interrupted(run, completed)
            self.one_line(completed, 'interrupted')
            self.assertEqual(whole['summary']['transactions']['unfinished'], 0)
            counts = whole['phases']['warmup' if warmup else 'measure']['transactions']
            self.assertGreater(counts['done'], 100)
            if not warmup:
                self.assertTrue(0.7 < whole['summary']['measured_s'] < 5)
                self.assertEqual(whole['books']['client_commits'] <=
                                 whole['books']['server_commits'], True)
            shown = self.pgdyno.run('show', run.result().path, check=0)
            self.assertIn('INTERRUPTED', shown.out)

    def test_while_a_statement_runs(self):
        self.with_sleepy_view(60)
        run = self.background('--time', 60, '-c', 5, '-j', 2)
        run.wait_for_load(self.server, 5)
        run.signal(signal.SIGINT)
        completed = run.finish()
        whole = self.interrupted(run, completed)
        counts = whole['summary']['transactions']
        self.assertEqual((counts['done'], counts['unfinished']), (0, 5))
        self.assertEqual(whole['summary']['latency_ms']['censored']['count'], 5)

    def test_behind_a_lock(self):
        """What the collector asks about a locked table is cancelled too: nothing waits on there."""
        run = self.background('-c', 4, '--time', 60)
        run.wait_for_load(self.server, 4)
        locker = subprocess.Popen(['psql', '-Xq', '-d', self.server.conninfo()],
                                  stdin=subprocess.PIPE, text=True, env=clean_env())
        try:
            locker.stdin.write('BEGIN; LOCK TABLE sbtest1;\n')
            locker.stdin.flush()
            wait_until(lambda: self.server.value(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                "application_name = 'pgdyno'", WATCHED) == '4', what='all to wait')
            run.signal(signal.SIGINT)
            completed = run.finish()
            self.interrupted(run, completed)
        finally:
            locker.communicate('ROLLBACK;\n')

    def test_second_signal(self):
        """Waits for nothing any more; what there is is still written."""
        self.with_sleepy_view(60)
        run = self.background('--time', 60, '-c', 5)
        run.wait_for_load(self.server, 5)
        run.signal(signal.SIGINT)
        time.sleep(0.1)
        run.signal(signal.SIGINT)
        self.interrupted(run, run.finish(), 0.5)

    def test_before_the_run_while_a_table_is_locked(self):
        """What the server was asked meanwhile is cancelled: its session does not wait on."""
        asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgdyno-collect'"
        with subprocess.Popen(['psql', '-Xqt', '-d', self.server.conninfo()], env=clean_env(),
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as locker:
            locker.stdin.write('BEGIN; LOCK TABLE sbtest1;\n\\echo locked\n')
            locker.stdin.flush()
            self.assertEqual(locker.stdout.readline(), 'locked\n')
            run = self.background('--time', 60, '-c', 3)
            wait_until(lambda: self.server.value(asked + " AND wait_event_type = 'Lock'") == '1', 20,
                       'it to wait for the lock')
            run.signal(signal.SIGINT)
            completed = run.finish()
            self.assertEqual(completed.code, 130, completed)
            self.assertIsNone(run.result())
            wait_until(lambda: self.server.value(asked) == '0', 2 * SLOW, 'its session to go')

    def test_while_connecting(self):
        """The server takes connections and says nothing: no reason to wait for it."""
        for let_through in (0, 1, 2, 5):
            with Proxy(self.server, let_through) as proxy:
                run = self.background('--time', 60, '-c', 8, target=[
                    '-t', f'host=127.0.0.1 port={proxy.port} user=postgres dbname=postgres '
                          'sslmode=disable gssencmode=disable'])
                wait_until(lambda: proxy.taken >= min(let_through + 1, 10), 10, 'it to connect')
                time.sleep(0.2)
                run.signal(signal.SIGINT)
                completed = run.finish()
                self.assertEqual(completed.code, 130, completed)
                self.one_line(completed, 'interrupted')
                self.assertLess(completed.seconds, 2 * SLOW, completed)
                self.assertIsNone(run.result())
                self.no_session_left(2)

    def test_connecting_takes_too_long(self):
        with Proxy(self.server, 4) as proxy:
            run = self.background('--time', 60, '-c', 8, '--connect-timeout', 2, target=[
                '-t', f'host=127.0.0.1 port={proxy.port} user=postgres dbname=postgres '
                      'sslmode=disable gssencmode=disable'])
            completed = run.finish()
            self.assertEqual(completed.code, 4, completed)
            self.assertLess(completed.seconds, 5 * SLOW)
            self.one_line(completed, '127.0.0.1', proxy.port, 'within 2 s')


if __name__ == '__main__':
    main(faults=True)
