"""The program itself under valgrind: short runs on a real server, each way of running, with the ends
that leave something behind. Its coroutines' stacks are registered (engine/fiber.h). Only in the full
check."""

from load_run import *

VALGRIND = ['valgrind', '-q', '--error-exitcode=99', '--leak-check=full',
            '--errors-for-leak-kinds=definite']
# It does not know epoll_pwait2, and says so at length.
KNOWN = ('unhandled amd64-linux syscall: 441', 'You may be able to write your own handler',
         'README_MISSING_SYSCALL_OR_IOCTL', 'we consider this a bug', 'valgrind.org/support')


class Valgrind(RunTest):
    server_words = {'tls': True}

    @classmethod
    def setUpClass(cls):
        if shutil.which('valgrind') is None:
            skip_or_fail('there is no valgrind')
        super().setUpClass()
        wrapper = os.path.join(cls.pgdyno.home, 'pgdyno')
        with open(wrapper, 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\nexec {" ".join(VALGRIND)} {cls.pgdyno.path} "$@"\n')
        os.chmod(wrapper, 0o755)
        cls.pgdyno.path = wrapper

    def clean(self, completed, code=0):
        self.assertEqual(completed.code, code, completed)
        told = [line for line in completed.err.splitlines()
                if line.startswith('==') or line.startswith('--')]
        self.assertEqual([line for line in told if not any(one in line for one in KNOWN)], [])

    def short(self, *options, workload=WORKLOAD, done=200, **more):
        completed, result = self.run_it('-c', 4, '--transactions', done, '--table-size', ROWS,
                                        *options, workload=workload, check=None, **more)
        self.clean(completed)
        self.assertEqual(self.check_result(result)['summary']['transactions']['done'], done)

    def test_ways_to_run(self):
        for options in (['-j', 2], ['--engine', 'thread'], ['--rate', 100], ['--reconnect', 10],
                        ['--protocol', 'simple'], ['--think', '5ms']):
            with self.subTest(options):
                self.short(*options)

    def test_blocks_over_tls(self):
        for options in (['--pipeline'], ['--engine', 'thread'], ['--protocol', 'extended']):
            with self.subTest(options):
                self.short(*options, workload='oltp_read_write', done=60, target=self.target(
                    tcp=True, sslmode='verify-full', sslrootcert=self.server.certificate))

    def test_sessions_killed(self):
        """Bodies are dropped, connections opened anew."""
        for engine in ('coroutine', 'thread'):
            with self.subTest(engine):
                run = self.background('--engine', engine, '-c', 4, '--time', '4s')
                run.wait_for_load(self.server, 4)
                self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                                "application_name = 'pgdyno'", WATCHED)
                self.clean(run.finish(60))
                whole = self.check_result(run.result())
                self.assertEqual(whole['connect_ms']['reopened']['count'], 4)

    def test_interrupted(self):
        """While all of them wait for the server."""
        self.with_sleepy_view(60)
        for engine in ('coroutine', 'thread'):
            with self.subTest(engine):
                run = self.background('--engine', engine, '-c', 4, '--time', '60s')
                run.wait_for_load(self.server, 4)
                run.signal(signal.SIGINT)
                self.clean(run.finish(60), 130)
                counts = self.check_result(run.result())['summary']['transactions']
                self.assertEqual(counts['unfinished'], 4)
                self.no_session_left(5)

    def test_refused(self):
        for words, code in ((['-c', 150], 3), (['-c', 2, '--tables', 3], 3)):
            completed, _ = self.run_it(*words, check=None)
            self.clean(completed, code)


if __name__ == '__main__':
    main()
