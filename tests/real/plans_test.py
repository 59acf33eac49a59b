#!/usr/bin/env python3
"""The plans in a result: of every statement, on every major, and never in the way of the run."""

from harness import *

# All with PGDYNO_TEST_FULL=1.
MAJORS = range(12, 19) if os.environ.get('PGDYNO_TEST_FULL') == '1' else (12, 18)
SIZE = 20000
POINT = 'Index Scan using sbtest*_pkey on sbtest*'
WRITES = {
    'point_select': POINT,
    'simple_range': POINT,
    'sum_range': f'Aggregate ({POINT})',
    'order_range': f'Sort ({POINT})',
    'distinct_range': f'Unique (Sort ({POINT}))',
    'index_update': f'Update on sbtest* ({POINT})',
    'non_index_update': f'Update on sbtest* ({POINT})',
    'delete': f'Delete on sbtest* ({POINT})',
    'insert': 'Insert on sbtest* (Result)',
}
SETTINGS = {'enable_bitmapscan': 'off'}  # the same plan whatever a major thinks of costs


class PlansTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pgdyno = cls.enterClassContext(Pgdyno())

    def load(self, server, **more):
        self.pgdyno.run('load', 'micro', '-t', server.conninfo(**more), '--tables', 2, '--table-size',
                        SIZE, '--quiet', check=0)

    def run_it(self, server, workload, *options, check=0, **more):
        return self.pgdyno.measure(workload, '-t', server.conninfo(**more), '--tables', 2, '--table-size',
                                   SIZE, '-c', 1, '--transactions', 5, '--warmup', 0, '--quiet', *options,
                                   check=check)[1].json()

    def shapes(self, result):
        self.assertEqual([plan['error'] for plan in result['plans'].values()],
                         [None] * len(result['plans']))
        return {name: plan['shape'] for name, plan in result['plans'].items()}

    def test_on_majors(self):
        for major in MAJORS:
            with self.subTest(major), Postgres(major, SETTINGS) as server:
                self.load(server)
                result = self.run_it(server, 'oltp_read_write')
                self.assertEqual(self.shapes(result), WRITES)
                line = result['plans']['point_select']['lines'][0]
                self.assertRegex(line, r'^Index Scan using sbtest1_pkey on sbtest1  \(cost=.*\)$')
                # What was asked is told apart from what was measured.
                self.assertEqual(result['books']['client_commits'], result['books']['server_commits'])
                wide = self.run_it(server, 'micro/update-inlist', '--compat', 'sysbench')
                self.assertEqual(self.shapes(wide), {'inlist_update': WRITES['index_update']})
                # Nothing but the load and five transactions has written. What is true is published
                # a little later, before 15 by another process.
                rows = '''SELECT sum(n_tup_ins + n_tup_del) FROM pg_stat_user_tables
                          WHERE relname LIKE 'sbtest%' '''
                wait_until(lambda: int(server.value(rows)) >= 2 * SIZE + 10, what='statistics')
                self.assertEqual(int(server.value(rows)), 2 * SIZE + 10)

    def test_what_stands_in_the_way(self):
        with Postgres(15, SETTINGS) as server:
            # The user's search_path leads to the tables.
            server.sql('CREATE SCHEMA app')
            place = {'options': '-c search_path=app'}
            self.load(server, **place)
            result = self.run_it(server, 'micro/scan', **place)
            self.assertEqual(self.shapes(result), {'scan': 'Seq Scan on sbtest*'})
            # A list of 1,000 is a long line.
            result = self.run_it(server, 'micro/random-points_range=1000', **place)
            lines = result['plans']['inlist_select']['lines']
            self.assertLess(max(map(len, lines)), 600)
            self.assertIn('...', lines[1])
            # Who may not do it is told so, and that does not end the run.
            server.sql('CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA app TO reader; '
                       'GRANT SELECT, UPDATE (k) ON app.sbtest1, app.sbtest2 TO reader')
            result = self.run_it(server, 'oltp_write_only', '--on-error', 'continue', check=4,
                                 user='reader', **place)
            self.assertIn('permission denied', result['plans']['delete']['error'])
            self.assertEqual(result['plans']['delete']['lines'], [])
            self.assertIsNone(result['plans']['delete']['shape'])
            self.assertEqual(result['plans']['index_update']['shape'], WRITES['index_update'])
            path = max(self.pgdyno.results(), key=lambda one: os.path.getmtime(one.path)).path
            shown = self.pgdyno.run('show', path, '--format', 'plans', check=0).out
            self.assertIn('index_update\n  Update on sbtest1  (cost=', shown)
            self.assertIn('delete\n  permission denied', shown)


if __name__ == '__main__':
    main()
