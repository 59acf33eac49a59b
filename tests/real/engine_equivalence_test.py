"""Both engines do the same: for one seed the same transactions end in the same data, whatever the
protocol and the pipeline, and the same inputs reach the server, however many sessions there are."""

import itertools

from load_run import *

SIZE = ['--tables', 2, '--table-size', 500]
ENGINES = ('coroutine', 'thread')
WAYS = list(itertools.product(ENGINES, ('prepared', 'extended', 'simple'), (False, True)))


class Equivalence(RunTest):
    columns = 'id, k, c, pad'
    settings = {'log_statement': 'none', 'log_line_prefix': '%m [%p] app=%a '}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.sql('CREATE DATABASE loaded')
        cls.pgdyno.run('load', 'oltp_read_write', '-t', cls.server.conninfo('loaded'), *SIZE, '-q',
                       check=0)

    def afresh(self):
        """The data as they were loaded, in the database `run`."""
        self.server.sql('DROP DATABASE IF EXISTS run;')
        self.server.sql('CREATE DATABASE run TEMPLATE loaded')

    def tables(self):
        """Rows, and a sum of their hashes, which knows no order."""
        return [self.server.sql(f'SELECT count(*), sum(hashtextextended(row({self.columns})::text, '
                                f'0)::numeric) FROM sbtest{i} t', 'run') for i in (1, 2)]

    def ends_in(self, workload, way, *options):
        """How the tables are after a run that did everything."""
        engine, protocol, pipeline = way
        self.afresh()
        _, result = self.run_it('--engine', engine, '--protocol', protocol,
                                *(['--pipeline'] if pipeline else []), *SIZE, '--seed', 11,
                                *options, workload=workload,
                                target=['-t', self.server.conninfo('run')])
        whole = self.check_result(result)
        self.assertEqual(whole['plan']['engine'], engine)
        counts = whole['summary']['transactions']
        self.assertEqual((counts['done'], counts['scheduled']), (self.wanted, self.wanted), counts)
        return self.tables()

    def all_end_alike(self, workload, ways, *options):
        self.afresh()
        untouched = self.tables()
        ends = {}
        for way in ways:
            ends[way] = self.ends_in(workload, way, *options)
        first = ends[ways[0]]
        self.assertNotEqual(first, untouched)
        for way, end in ends.items():
            self.assertEqual(end, first, way)

    def test_one_session(self):
        self.wanted = 60
        for workload in ('oltp_read_write', 'oltp_insert', 'oltp_update_index'):
            with self.subTest(workload=workload):
                self.all_end_alike(workload, WAYS, '-c', 1, '--transactions', self.wanted)

    def test_many_sessions(self):
        """Arrivals are numbered, and these transactions may come in any order."""
        self.wanted = 150
        self.columns = 'k, c, pad'  # the id of a new row is the server's: who comes first has it
        for workload in ('oltp_insert', 'oltp_update_index'):
            with self.subTest(workload=workload):
                self.all_end_alike(workload, [('coroutine', 'prepared', False),
                                              ('thread', 'prepared', False),
                                              ('thread', 'simple', True)],
                                   '-c', 20,  # more than there are lanes for threads
                                   '--rate', 300, '--transactions', self.wanted)

    def asked(self, *options):
        """{backend: [values of each statement, in order]}, as the server's log tells."""
        before = len(self.server.log)
        _, result = self.run_it('--seed', 12, *SIZE, *options,
                                target=['-t', self.server.conninfo('run')])
        self.check_result(result)
        said = {}
        for line in self.server.log[before:].splitlines():
            found = re.search(r"\[(\d+)\] app=pgdyno DETAIL: +parameters: \$1 = '(\d+)'", line)
            if found:
                said.setdefault(found.group(1), []).append(int(found.group(2)))
        return list(said.values())

    def test_inputs_are_the_same(self):
        self.afresh()
        self.server.sql("ALTER DATABASE run SET log_statement = 'all'")
        both = [sorted(itertools.chain(*self.asked('--engine', engine, '-c', 4, '--rate', 500,
                                                   '--transactions', 200)))
                for engine in ENGINES]
        self.assertEqual(len(both[0]), 200)
        self.assertEqual(both[0], both[1])
        # Closed loop: who is quicker does more, each along a stream of its own.
        both = [{one[0]: one for one in self.asked('--engine', engine, '-c', 4, '--transactions',
                                                   400)} for engine in ENGINES]
        for streams in both:
            self.assertEqual(sum(map(len, streams.values())), 400)
        common = set(both[0]) & set(both[1])
        self.assertGreaterEqual(len(common), 3)
        for begin in common:
            shorter = min(len(streams[begin]) for streams in both)
            self.assertEqual(both[0][begin][:shorter], both[1][begin][:shorter])


class ThreadEngine(RunTest):
    """What is told of the thread engine itself."""

    def test_too_many_threads(self):
        completed, result = self.run_it('--engine', 'thread', '-c', 513, check=3)
        self.assertIsNone(result)
        self.one_line(completed, '512', '513')

    def test_workers_are_not_for_it(self):
        completed, _ = self.run_it('--engine', 'thread', '-c', 2, '-j', 2, check=2)
        self.one_line(completed, '--workers')

    def test_a_thread_a_session(self):
        completed, result = self.run_it('--engine', 'thread', '-c', 20, '--time', '1s')
        self.assertIn('20 connections on 20 threads', completed.out)
        self.assertEqual(len(self.check_result(result)['client']['workers']), 20)


if __name__ == '__main__':
    main()
