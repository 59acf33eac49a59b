"""compare and aa on a real server: what the sides say of themselves, and what a machine can tell."""

import json
import os
import pathlib
import unittest

from harness import Pgdyno, Postgres, main

SIZE = ('--tables', '1', '--table-size', '1000')


class CompareTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15)
        cls.addClassCleanup(cls.server.close)
        with Pgdyno() as pgdyno:
            pgdyno.run('load', 'oltp_update_non_index', '-t', cls.server.conninfo(), *SIZE, check=0)

    def measure(self, pgdyno, *options, workload='oltp_update_non_index', **conninfo):
        _, result = pgdyno.measure(workload, '-t', self.server.conninfo(**conninfo), *SIZE,
                                   '--time', '1', '-c', '2', *options)
        return result.path

    def test_unlike_durability_is_said_first_and_not_compared(self):
        with Pgdyno() as pgdyno:
            base = self.measure(pgdyno)
            head = self.measure(pgdyno, options='-c synchronous_commit=off')
            done = pgdyno.run('compare', base, head, check=9)
            self.assertRegex(done.out.splitlines()[0], 'durability .*synchronous_commit on / off')
            done = pgdyno.run('compare', base, head, '--allow', 'durability', check=0)
            self.assertIn('no claim', done.out)

    def test_unlike_modes_and_options(self):
        with Pgdyno() as pgdyno:
            base = self.measure(pgdyno)
            for option, kind in (('--protocol=simple', 'mode'), ('--isolation=serializable',
                                                                 'options')):
                head = self.measure(pgdyno, option)
                done = pgdyno.run('compare', base, head, check=9)
                self.assertIn(f'differ in {kind};', done.err)

    def test_the_same_twice_differs_in_nothing(self):
        with Pgdyno() as pgdyno:
            sides = [self.measure(pgdyno) for _ in range(2)]
            done = pgdyno.run('compare', *sides, '--format', 'json', check=0)
            tree = json.loads(done.out)
            self.assertEqual(tree['differences'], [])
            figure = json.loads((pathlib.Path(sides[0]) / 'result.json').read_text())
            self.assertAlmostEqual(tree['rows'][0]['cells'][0]['mean'],
                                   figure['summary']['queries']['per_s'])

    def test_a_plan_that_changed_is_named(self):
        with Pgdyno() as pgdyno:
            base = self.measure(pgdyno)
            head = self.measure(pgdyno, options='-c enable_indexscan=off -c enable_bitmapscan=off')
            done = pgdyno.run('compare', base, head, check=0)
            told = ' '.join(done.out.split('compared')[0].split())
            self.assertIn('enable_indexscan', told)
            self.assertIn('query plan', told)


class ResolutionTest(unittest.TestCase):
    def test_what_the_machine_can_tell_is_kept_and_is_the_least(self):
        with Pgdyno() as pgdyno:
            done = pgdyno.run('aa', 'null', '--time', '1', '--blocks', '2', '--seed', '5', check=0)
            self.assertRegex(done.out, r'tells [\d.]+ % at best for null')
            file = pathlib.Path(pgdyno.home) / 'state' / 'pgdyno' / 'resolution.json'
            kept = json.loads(file.read_text())
            (host, families), = kept.items()
            self.assertEqual((families['null']['blocks'], families['null']['workload']),
                             (2, 'null'))
            results = [result.json() for result in pgdyno.results()]
            results.sort(key=lambda result: result['started'])
            self.assertEqual([result['plan']['label'] for result in results],
                             ['aa-a', 'aa-b', 'aa-b', 'aa-a'])
            seeds = [result['plan']['seed'] for result in results]
            self.assertEqual((seeds[0], seeds[2]), (seeds[1], seeds[3]))
            self.assertNotEqual(seeds[0], seeds[2])
            self.assertEqual([result['host']['hostname'] for result in results], [host] * 4)
            # A machine that can tell nothing below 40 % claims nothing below it.
            families['null']['half_width'] = 0.4
            file.write_text(json.dumps(kept))
            done = pgdyno.run('compare', '--by', 'label', pgdyno.results_folder, '--format', 'json',
                              check=0)
            self.assertEqual(json.loads(done.out)['rows'][0]['threshold'], 0.4)

    def test_a_run_that_fails_ends_it(self):
        with Pgdyno() as pgdyno:
            done = pgdyno.run('aa', 'oltp_point_select', '-t', 'host=/nowhere', '--time', '1',
                              check=4)
            self.assertIn('block 1', done.err)
            self.assertIn('/nowhere', done.err) # the run's own words, not only that it failed
            self.assertFalse(os.path.exists(os.path.join(pgdyno.home, 'state', 'pgdyno',
                                                         'resolution.json')))


if __name__ == '__main__':
    main()
