"""The books (design D6) on several majors: the client's commits are the server's, to the last one;
and the histograms as another tool reads them."""

import shutil

from load_run import *

HERE = os.path.dirname(os.path.abspath(__file__))
BOOKS_MAJORS = MAJORS if FULL else (12, 15, 17, 18)


def times_of(result, *percents):
    """latency.hlog by tag, as hdr-histogram-js reads it."""
    node = shutil.which('node')
    if node is None:
        skip_or_fail('node is not installed')
    done = subprocess.run([node, os.path.join(HERE, 'hlog_read.mjs'),
                           os.path.join(result.path, 'latency.hlog'), *percents],
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == 77:
        skip_or_fail('hdr-histogram-js is missing: npm ci --ignore-scripts in tests/node')
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Books(RunTest):
    """On each major, loaded by pgdyno itself."""

    @classmethod
    def setUpClass(cls):
        cls.pgdyno = Pgdyno()
        cls.addClassCleanup(cls.pgdyno.close)

    def balanced(self, *options):
        _, result = self.run_it(*options)
        whole = self.check_result(result)
        books = whole['books']
        self.assertEqual(books['client_commits'], books['server_commits'], (options, books))
        self.assertEqual((books['difference'], books['ok'], books['note']), (0, True, ''))
        # What was measured is less than what was done in all.
        done = sum(whole['phases'][name]['transactions']['done'] for name in ('warmup', 'measure'))
        self.assertTrue(done < books['client_commits'] < done + 200, books)
        return result

    def test_majors(self):
        for major in BOOKS_MAJORS:
            with self.subTest(major=major), \
                 Postgres(major, settings={'autovacuum': 'off'}) as server:
                type(self).server = server
                self.pgdyno.run('load', WORKLOAD, *self.target(), '--tables', 3, '--table-size',
                                2000, check=0)
                data = ['--tables', 3, '--table-size', 2000]
                result = self.balanced('-c', 8, '-j', 2, '--time', '0.7', '--warmup', '0.3', *data)
                # U19 on each: before what the books wait for, which is long on old ones.
                refused, _ = self.run_it('-c', 150, check=3)
                self.assertLess(refused.seconds, 1)
                target = result.json()['target']
                self.assertEqual(target['major'], major)
                self.balanced('-c', 3, '--protocol', 'extended', '--transactions', 3000, *data)
                self.balanced('-c', 3, '--protocol', 'simple', '--transactions', 3000, *data)
                self.balanced('-c', 5, '--pipeline', '--transactions', 3000, '--statement-cache', 1,
                              *data)


class Log(RunTest):
    def test_hlog_has_the_same_times(self):
        _, result = self.run_it('-c', 4, '-j', 2, '--time', '1.5', '--warmup', '0.5', '--interval',
                                '0.25', '--percentiles', '10,50,99.95')
        whole = self.check_result(result)
        percents = ['10', '50', '75', '90', '95', '99', '99.9', '99.95', '99.99']
        told = times_of(result, *percents)
        self.assertEqual(set(told), {'warmup/point_select', 'measure/point_select',
                                     'warmup/statement/point_select',
                                     'measure/statement/point_select', 'connect'} & set(told))
        for tag, times, count in (
                ('measure/point_select', whole['summary']['latency_ms']['response'],
                 whole['summary']['transactions']['done']),
                ('measure/statement/point_select',
                 whole['statements']['point_select']['latency_ms'],
                 whole['statements']['point_select']['count'])):
            self.assertEqual(told[tag]['count'], count)
            for percent in percents:
                # Theirs is the end of a cell, ours never above the exact maximum. Ours is in ms
                # with 6 digits: whole ns.
                theirs = min(told[tag][f'p{percent}'] / 1e6, times['max'])
                self.assertAlmostEqual(times[f'p{percent}'], theirs, delta=1e-6, msg=percent)
            self.assertAlmostEqual(told[tag]['max'] / 1e6 / times['max'], 1, delta=1e-3)
            self.assertAlmostEqual(told[tag]['mean'] / 1e6 / times['mean'], 1, delta=1e-3)
        self.assertEqual(told['connect']['count'], 4)
        self.assertEqual(told['warmup/point_select']['count'],
                         whole['phases']['warmup']['transactions']['done'])


if __name__ == '__main__':
    main()
