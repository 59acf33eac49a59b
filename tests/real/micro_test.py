#!/usr/bin/env python3
"""The 32 microbenchmarks on a real PostgreSQL: one event of each, as the server's log has it.

What is sent, how often, with which values, and how it is counted is held against the published
tests (the specification of sysbench, section 3.2).
"""

import concurrent.futures
import re

from harness import *

SIZE = 3000
TABLES = 2

POINT = 'SELECT c FROM T WHERE id=$1'
SIMPLE = 'SELECT c FROM T WHERE id BETWEEN $1 AND $2'
SUM = 'SELECT SUM(k) FROM T WHERE id BETWEEN $1 AND $2'
ORDER = SIMPLE + ' ORDER BY c'
DISTINCT = 'SELECT DISTINCT c FROM T WHERE id BETWEEN $1 AND $2 ORDER BY c'
UPDATE_K = 'UPDATE T SET k=k+1 WHERE id=$1'
UPDATE_C = 'UPDATE T SET c=$1 WHERE id=$2'
DELETE = 'DELETE FROM T WHERE id=$1'
INSERT = 'INSERT INTO T (id, k, c, pad) VALUES ($1, $2, $3, $4)'
READS = [POINT] * 10 + [SIMPLE, SUM, ORDER, DISTINCT]
WRITES = [UPDATE_K, UPDATE_C, DELETE, INSERT]


def block(*statements):
    return ['BEGIN', *statements, 'COMMIT']


def listed(begin, count, first=1):
    return f'{begin} IN ({", ".join(f"${i}" for i in range(first, first + count))})'


def between(columns, by):
    return [f'SELECT {columns} FROM T WHERE {by} BETWEEN $1 AND $2']


# Statements of one event; reads, writes and others; the width of a range, where there is one.
EVENTS = {
    'hot-points': ([listed('SELECT c FROM T WHERE id', 100)], (1, 0, 0)),
    'point-query': ([POINT], (1, 0, 0)),
    'points-covered-pk': ([listed('SELECT id FROM T WHERE id', 100)], (1, 0, 0)),
    'points-covered-si': ([listed('SELECT k FROM T WHERE k', 100)], (1, 0, 0)),
    'points-notcovered-pk': ([listed('SELECT id, c FROM T WHERE id', 100)], (1, 0, 0)),
    'points-notcovered-si': ([listed('SELECT k, c FROM T WHERE k', 100)], (1, 0, 0)),
    'random-points_range=10': ([listed('SELECT c FROM T WHERE id', 10)], (1, 0, 0)),
    'random-points_range=100': ([listed('SELECT c FROM T WHERE id', 100)], (1, 0, 0)),
    'random-points_range=1000': ([listed('SELECT c FROM T WHERE id', 1000)], (1, 0, 0)),
    'range-covered-pk': (between('id', 'id'), (1, 0, 0), 101),
    'range-covered-si': (between('k', 'k'), (1, 0, 0), 101),
    'range-notcovered-pk': (between('id, c', 'id'), (1, 0, 0), 101),
    'range-notcovered-si': (between('k, c', 'k'), (1, 0, 0), 101),
    'scan': (['SELECT * FROM T WHERE length(c) < 0'], (1, 0, 0)),
    'read-only-count': (between('count(c)', 'id'), (1, 0, 0), 1000),
    'read-only-distinct': (block(*[POINT] * 10, DISTINCT), (11, 0, 2), 1000),
    'read-only-order': (block(*[POINT] * 10, ORDER), (11, 0, 2), 1000),
    'read-only_range=10': (block(*READS), (14, 0, 2), 10),
    'read-only_range=100': (block(*READS), (14, 0, 2), 100),
    'read-only_range=10000': (block(*READS), (14, 0, 2), 10000),
    'read-only-simple': (block(*[POINT] * 10, SIMPLE), (11, 0, 2), 1000),
    'read-only-sum': (block(*[POINT] * 10, SUM), (11, 0, 2), 1000),
    'delete': ([DELETE], (0, 1, 0)),
    'insert': (['INSERT INTO T (k, c, pad) VALUES ($1, $2, $3)'], (0, 1, 0)),
    'read-write_range=10': (block(*READS, *WRITES), (14, 4, 2), 10),
    'read-write_range=100': (block(*READS, *WRITES), (14, 4, 2), 100),
    'update-index': ([UPDATE_K], (0, 1, 0)),
    'update-inlist': ([listed('UPDATE T SET c=$1 WHERE id', 10, 2)], (0, 1, 0)),
    'update-nonindex': ([UPDATE_C], (0, 1, 0)),
    'update-one': ([UPDATE_C], (0, 1, 0)),
    'update-zipf': ([UPDATE_C], (0, 1, 0)),
    'write-only': (block(*WRITES), (0, 4, 2)),
}


class OnMajor:
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Postgres(cls.major, {'log_statement': 'all'}))
        cls.pgdyno = cls.enterClassContext(Pgdyno())
        cls.load('micro/point-query')

    @classmethod
    def words(cls, workload, *options, name='micro', size=SIZE):
        return [workload, '--target', cls.server.conninfo(application_name=name), '--tables', TABLES,
                '--table-size', size, *options]

    @classmethod
    def load(cls, workload, **more):
        return cls.pgdyno.run('load', *cls.words(workload, **more), check=0).out

    def run_one(self, test, *options, name=None):
        """The JSON of one event, and the server's log of it: [(statement, [values], table)]."""
        name = name or 'micro_' + re.sub('[^a-z0-9]', '_', test)
        before = len(self.server.log)
        results = os.path.join(self.pgdyno.home, name)
        self.pgdyno.run('run', *self.words('micro/' + test, name=name), '--transactions', 1, '--warmup',
                        0, '-c', 1, '--quiet', '--results', results, *options, check=0)
        return results_in(results)[-1].json(), self.sent(name, self.server.log[before:])

    def sent(self, name, log):
        said, lines = [], log.replace('\n\t', ' ').splitlines()
        for i, line in enumerate(lines):
            match = re.search(r'\] ' + name + r' LOG:  (?:statement|execute [^:]*): (.+)', line)
            if not match:
                continue
            detail = re.search(name + ' DETAIL:  [Pp]arameters: (.*)', lines[i + 1]) \
                if i + 1 < len(lines) else None
            values = re.findall(r"\$\d+ = '([^']*)'", detail.group(1)) if detail else []
            table = re.search(r'sbtest(\d+)', match.group(1))
            said.append((re.sub(r'sbtest\d+', 'T', match.group(1)), values,
                         int(table.group(1)) if table else 0))
        return said

    def test_one_event_of_each(self):
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            done = {test: pool.submit(self.run_one, test) for test in EVENTS}
        for test, (statements, counts, *width) in EVENTS.items():
            with self.subTest(test):
                result, said = done[test].result()
                self.assertEqual([one[0] for one in said], statements)
                queries = result['summary']['queries']
                self.assertEqual((queries['read'], queries['write'], queries['other']), counts)
                self.assertEqual(result['summary']['transactions']['done'], 1)
                self.assertEqual(result['workload'], 'micro/' + test)
                for sql, values, table in said:
                    if 'BETWEEN' in sql:
                        self.assertEqual([int(values[1]) - int(values[0]) + 1], width)
                    self.assertEqual(len(values), len(re.findall(r'\$', sql)))
                    self.assertIn(table, range(0 if sql in ('BEGIN', 'COMMIT') else 1, TABLES + 1))
        values = {test: done[test].result()[1][0][1] for test in EVENTS}
        self.assertEqual([int(value) for value in values['hot-points']],
                         list(range(SIZE // 2 + 1, SIZE // 2 + 101)))
        self.assertEqual(values['update-one'][1], '1')
        self.assertGreater(len(set(values['random-points_range=1000'])), 500)
        headline = done['scan'].result()[0]['headlines'][0]
        per_s = done['scan'].result()[0]['summary']['queries']['per_s']
        self.assertEqual(headline['name'], 'rows_per_s')
        self.assertAlmostEqual(headline['value'] / (per_s * SIZE), 1, places=3)

    def test_a_scan_keeps_to_its_table(self):
        _, said = self.run_one('scan', '-c', 3, '--transactions', 60, '--workers', 1, name='micro_scans')
        self.assertEqual(len(said), 60)
        tables = {table for _, _, table in said}
        self.assertEqual(tables, {1, 2})
        # Sessions 0 and 2 have the first table, session 1 the second; a pid each.
        by_pid = {}
        for pid, table in re.findall(r'\[(\d+)\] micro_scans LOG:  statement: .* sbtest(\d+)',
                                     self.server.log):
            by_pid.setdefault(pid, set()).add(table)
        self.assertEqual(sorted(map(sorted, by_pid.values())), [['1'], ['1'], ['2']])

    def test_long_lists_with_each_protocol(self):
        cases = [(protocol, *one) for protocol in ('prepared', 'extended', 'simple')
                 for one in (('random-points_range=1000', ()), ('points-notcovered-si', ()),
                             ('update-inlist', ('--random-points', 999)))]
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
            done = [pool.submit(self.run_one, test, '--protocol', protocol, *options,
                                name=f'micro_list_{i}')
                    for i, (protocol, test, options) in enumerate(cases)]
        for case, one in zip(cases, done):
            with self.subTest(case):
                result, said = one.result()
                self.assertEqual(result['summary']['transactions']['done'], 1)
                self.assertEqual([len(values) for _, values, _ in said],
                                 [0 if case[0] == 'simple' else 100 if 'si' in case[1] else 1000])

    def test_sysbench_declares_wider(self):
        result, _ = self.run_one('random-points_range=10', '--compat', 'sysbench', name='micro_wide')
        self.assertIn('int8', ' '.join(result['notes']))

    def test_all_have_the_same_data(self):
        for workload in ('micro', 'micro/update-zipf', 'micro/update-one', 'oltp_read_only'):
            self.assertIn('nothing to do', self.load(workload))
        done = self.pgdyno.run('run', 'micro', check=2)
        self.assertIn('pgdyno list micro', done.err)
        # Deletes and inserts of other tests do no harm to what is checked here.
        self.assertIn('checks', self.pgdyno.run('check', *self.words('micro/scan')).out)


# All with PGDYNO_TEST_FULL=1.
for number in range(12, 19) if os.environ.get('PGDYNO_TEST_FULL') == '1' else (15,):
    globals()[f'On{number}'] = type(f'On{number}', (OnMajor, unittest.TestCase), {'major': number})

if __name__ == '__main__':
    main()
