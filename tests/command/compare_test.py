#!/usr/bin/env python3
"""`pgdyno compare` on synthetic results: tables word for word, verdicts, differences, exit codes.

usage: compare_test.py PROGRAM [--write]     --write makes tests/golden/compare anew
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / 'compare'))
import bench_folder  # noqa: E402

GOLDEN = TESTS / 'golden' / 'compare'
DOCS = TESTS.parent / 'docs' / 'compare.md'
PROGRAM = os.environ.get('PGDYNO', 'build/pgdyno')
MICRO = ['micro/' + name for name in (
    'point-query', 'hot-points', 'scan', 'range-covered-pk', 'read-only-count', 'insert',
    'update-index', 'read-only_range=10')]


class Folder(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def compare(self, *arguments, wanted=0, state='state'):
        env = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8', 'TERM': 'dumb',
               'XDG_STATE_HOME': str(self.root / state)}
        env.update({name: os.environ[name] for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS')
                    if name in os.environ})
        done = subprocess.run([os.path.abspath(PROGRAM), 'compare', *map(str, arguments)], env=env,
                              cwd=self.root, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, wanted, done.stdout[-2000:] + done.stderr)
        return done

    def tree(self, *arguments, **options):
        return json.loads(self.compare(*arguments, '--format', 'json', **options).stdout)

    def side(self, name, rates, workload='oltp_read_only', **changes):
        return [bench_folder.write(self.root / f'{name}-{i}',
                                   bench_folder.result(workload, rate, **changes))
                for i, rate in enumerate(rates)]

    def verdicts(self, tree):
        return {row['name']: row['cells'][1]['ratio']['verdict'] for row in tree['rows']}


GOLDENS = {
    'versions.txt': ['versions'],
    'versions-detail.md': ['versions', '--format', 'markdown', '--detail', '--base', 'pg17'],
    'versions.csv': ['versions', '--format', 'csv'],
    'two.txt': ['two', '--per-query'],
    'one-run.txt': ['--by', 'version', 'single'],
}


def goldens(case):
    """The output of each golden's command line."""
    bench_folder.bench(case.root / 'versions', MICRO,
                       {'pg12': {}, 'pg17': {'micro/hot-points': 2.34, 'micro/update-index': 0.94},
                        'pg18': {'micro/hot-points': 2.3, 'micro/insert': 1.2}})
    bench_folder.bench(case.root / 'two', ['oltp_read_only', 'oltp_point_select'],
                       {'pg17': {}, 'pg18': {'oltp_read_only': 1.2}})
    for target, rate in ('pg17', 1000.0), ('pg18', 1100.0):
        bench_folder.write(case.root / 'single' / target,
                           bench_folder.result('oltp_insert', rate, target))
    return {name: case.compare(*arguments).stdout for name, arguments in GOLDENS.items()}


class Golden(Folder):
    def test_tables_are_as_they_were(self):
        for name, got in goldens(self).items():
            with self.subTest(name):
                wanted = (GOLDEN / name).read_text() if (GOLDEN / name).exists() else ''
                self.assertEqual(got, wanted, f'{name} differs; if that is meant: '
                                 'tests/command/compare_test.py PROGRAM --write')

    def test_no_golden_is_left_over(self):
        self.assertEqual(sorted(path.name for path in GOLDEN.iterdir()), sorted(GOLDENS))

    def test_every_key_of_the_json_is_in_the_docs(self):
        goldens(self)
        side = self.side('odd', [100, 101, 99, 100, 42])
        trees = [self.tree('versions'), self.tree('--by', 'version', 'single'),
                 self.tree(*side, '--', *side)]
        documented = set(re.findall(r'^\| `([^`]+)`', DOCS.read_text(), re.MULTILINE))
        found = set()

        def walk(value, path):
            if isinstance(value, dict):
                for key, inner in value.items():
                    free = path.endswith(('published', 'published_ratio'))
                    walk(inner, f'{path}.{"<column>" if free else key}'.lstrip('.'))
            elif isinstance(value, list):
                for inner in value:
                    walk(inner, path + '[]')
                found.add(path + '[]') if not value or not isinstance(value[0], dict) else None
            else:
                found.add(path)

        for tree in trees:
            walk(tree, '')
        optional = {path for path in found if any(other.startswith((path + '.', path + '[]'))
                                                  for other in found if other != path)}
        self.assertEqual(sorted(found - documented - optional), [])


class Verdicts(Folder):
    def test_one_planted_slowdown_is_flagged_and_only_that_one(self):
        rows = MICRO
        bench_folder.bench(self.root / 'bench', rows, {'pg17': {}, 'pg18': {'micro/scan': 0.9}},
                           blocks=12, spread=0.01, seed=3)
        done = self.compare('bench', '--fail-if', 'slower', wanted=7)
        self.assertIn('slower than the base: micro/scan', done.stderr)
        verdicts = self.verdicts(self.tree('bench'))
        self.assertEqual([name for name in verdicts if verdicts[name] in ('slower', 'faster')],
                         ['micro/scan'])

    def test_against_itself_nothing_is_faster_or_slower(self):
        bench_folder.bench(self.root / 'bench', MICRO, {'pg17': {}, 'pg18': {}}, seed=4)
        self.compare('bench', '--fail-if', 'slower')
        self.assertFalse({'slower', 'faster'} & set(self.verdicts(self.tree('bench')).values()))

    def test_one_run_a_side_claims_nothing(self):
        base, head = self.side('base', [1000.0]), self.side('head', [100.0])
        done = self.compare(*base, *head, '--fail-if', 'slower')
        self.assertIn('says nothing about the next run', done.stdout)
        ratio = self.tree(*base, *head)['rows'][0]['cells'][1]['ratio']
        self.assertEqual((ratio['verdict'], ratio['low']), ('no claim', None))
        within = self.tree(*base, *head)['rows'][0]['cells'][0]['within']
        self.assertTrue(within['low'] < 1000 < within['high'])

    def test_groups_without_blocks_and_pairs(self):
        base = self.side('base', [1000, 1200, 800, 1100, 900, 1000])
        head = self.side('head', [1100, 1320, 881, 1210, 990, 1099])
        alone = self.tree(*base, '--', *head)['rows'][0]['cells'][1]['ratio']
        self.assertEqual((alone['paired'], alone['verdict']), (False, 'cannot tell'))
        self.assertGreater(alone['further'], 10)
        pairs = self.tree(*base, '--', *head, '--paired')['rows'][0]['cells'][1]['ratio']
        self.assertEqual((pairs['paired'], pairs['verdict'], pairs['count']), (True, 'faster', 6))

    def test_a_metric_of_which_less_is_better(self):
        base = self.side('base', [1000] * 6, summary__latency_ms__response__mean=2.0)
        head = self.side('head', [1000] * 6, summary__latency_ms__response__mean=3.0)
        arguments = (*base, '--', *head, '--metric', 'summary.latency_ms.response.mean')
        self.assertEqual(self.verdicts(self.tree(*arguments)), {'oltp_read_only': 'slower'})
        self.assertEqual(self.verdicts(self.tree(*arguments, '--no-lower-is-better')),
                         {'oltp_read_only': 'faster'})
        self.compare(*base, '--', *head, '--metric', 'summary.nothing', wanted=2)

    def test_an_open_loop_is_compared_by_its_response_time(self):
        rate = {'arrival': 'poisson', 'wanted_per_s': 100.0, 'kept': True}
        sides = [self.side(name, [100] * 6, rate=rate, summary__latency_ms__response__p99=p99)
                 for name, p99 in (('base', 5.0), ('head', 4.0))]
        tree = self.tree(*sides[0], '--', *sides[1])
        self.assertEqual(tree['rows'][0]['metric'], 'summary.latency_ms.response.p99')
        self.assertEqual(self.verdicts(tree), {'oltp_read_only': 'faster'})

    def test_an_outlier_is_named_with_a_reason_and_counted(self):
        stalled = [1000.0] * 20 + [5.0] * 6 + [1000.0] * 4
        base = self.side('base', [1000, 1004, 997, 1001, 999])
        head = self.side('head', [1001, 998, 1003, 1000])
        head += self.side('stalled', [700], pieces=stalled)
        tree = self.tree(*base, '--', *head)
        odd = tree['rows'][0]['cells'][1]['outliers']
        self.assertEqual([one['run'] for one in odd], [head[-1]])
        self.assertIn('for 6 s, from 20 s on', odd[0]['why'])
        self.assertEqual(tree['rows'][0]['cells'][1]['count'], 5)
        self.assertTrue(any('is an outlier' in note for note in tree['notes']))

    def test_what_this_machine_can_tell_is_the_least(self):
        base, head = self.side('base', [1000.0] * 6), self.side('head', [1080.0] * 6)
        self.assertEqual(self.verdicts(self.tree(*base, '--', *head)), {'oltp_read_only': 'faster'})
        (self.root / 'noisy' / 'pgdyno').mkdir(parents=True)
        (self.root / 'noisy' / 'pgdyno' / 'resolution.json').write_text(json.dumps(
            {'bench': {'oltp': {'half_width': 0.1, 'blocks': 6}}}))
        tree = self.tree(*base, '--', *head, state='noisy')
        self.assertEqual(self.verdicts(tree), {'oltp_read_only': 'same'})
        self.assertEqual(tree['rows'][0]['threshold'], 0.1)
        self.assertIn('tells 10.0 % at best', tree['notes'][0])

    def test_what_it_can_tell_of_times_is_not_that_of_rates(self):
        base, head = self.side('base', [1000.0] * 6), self.side('head', [1080.0] * 6)
        (self.root / 'noisy' / 'pgdyno').mkdir(parents=True)
        for metric, threshold in {'summary.latency_ms.response.p99': 0.03,
                                  'summary.transactions.per_s': 0.1}.items():
            (self.root / 'noisy' / 'pgdyno' / 'resolution.json').write_text(json.dumps(
                {'bench': {'oltp': {'half_width': 0.1, 'blocks': 6, 'metric': metric}}}))
            tree = self.tree(*base, '--', *head, state='noisy')
            self.assertEqual(tree['rows'][0]['threshold'], threshold)


class Differences(Folder):
    def first_line(self, done):
        return done.stdout.splitlines()[0]

    def test_unlike_durability_is_not_comparable(self):
        base = self.side('base', [1000] * 6)
        head = self.side('head', [2000] * 6, durability__synchronous_commit='off')
        done = self.compare(*base, '--', *head, wanted=9)
        self.assertIn('durability synchronous_commit on / off', self.first_line(done))
        self.assertNotIn('faster', done.stdout)
        self.assertIn('--allow durability', done.stderr)
        done = self.compare(*base, '--', *head, '--allow', 'durability')
        self.assertIn('durability synchronous_commit on / off', self.first_line(done))
        self.assertIn('faster', done.stdout)

    def test_what_differs_behind_what_is_shown_differs(self):
        long = 'é' * 70 + 'x' * 200
        base = self.side('base', [1000], plans__point__shape=long + 'a')
        head = self.side('head', [1000], plans__point__shape=long + 'b')
        [found] = [one for one in self.tree(*base, '--', *head)['differences']
                   if one['kind'] == 'query plan']
        self.assertNotEqual(*found['values'])
        self.assertTrue(all(value.startswith('é' * 60 + '... (') for value in found['values']))
        self.assertEqual(self.tree(*base, '--', *base)['differences'], [])

    def test_the_machine_is_the_mean_of_the_runs_that_know(self):
        base = self.side('base', [1000] * 2, machine__published={'cpu/o': 10})
        base += self.side('more', [1000], machine__published=None)
        head = self.side('head', [1000] * 2, machine__published={'cpu/o': 30})
        cells = self.tree(*base, '--', *head)['rows'][0]['cells']
        self.assertEqual(cells[0]['published'], {'cpu/o': 10})
        self.assertEqual(cells[1]['published_ratio'], {'cpu/o': 3})

    def test_unlike_modes_options_and_data_are_not_comparable(self):
        base = self.side('base', [1000])
        for kind, changes in {
                'mode': {'client__protocol': 'simple'},
                'options': {'plan__connections': 64},
                'data': {'plan__workload_options__table-size': 7}}.items():
            with self.subTest(kind):
                head = self.side('head-' + kind, [1000], **changes)
                done = self.compare(*base, *head, wanted=9)
                self.assertIn(f'--allow {kind}', done.stderr)
                self.compare(*base, *head, '--allow', kind)
                self.compare(*base, *head, '--allow', 'all')
        self.compare(*base, *base, '--allow', 'nonsense', wanted=2)

    def test_what_may_differ_is_told_first(self):
        base = self.side('base', [1000], plans={'point': {'shape': 'Index Scan'}})
        head = self.side('head', [1000], 'oltp_read_only', target='pg18',
                         plans={'point': {'shape': 'Seq Scan'}},
                         settings__work_mem__value='65536', host__cpus=8)
        line = ' '.join(self.compare(*base, *head).stdout.split('compared')[0].split())
        for part in ('version 17.10 / 18.4', 'settings work_mem 16384 x kB / 65536 x kB',
                     'client cpus 4 / 8', 'query plan point Index Scan / Seq Scan'):
            self.assertIn(part, line)
        self.assertIn('differs nothing', ' '.join(self.compare(*base, *base).stdout.split()))

    def test_other_workloads_are_not_comparable(self):
        base, head = self.side('base', [1]), self.side('head', [1], 'oltp_insert')
        told = self.compare(*base, *head, wanted=9).stderr
        self.assertIn('no workload was run on', told)
        self.assertIn('(oltp_read_only, ...)', told)
        self.assertIn('(oltp_insert, ...)', told)

    def test_runs_of_one_side_with_other_options_have_no_mean(self):
        sides = [self.side(f'{side}{sessions}', [1000 * sessions], plan__connections=sessions)
                 for side in ('base', 'head') for sessions in (2, 4)]
        base, head = sides[0] + sides[1], sides[2] + sides[3]
        done = self.compare(*base, '--', *head, wanted=9)
        self.assertIn('options connections 2 and 4 / 2 and 4', ' '.join(done.stdout.split()))
        self.compare(*base, '--', *head, '--allow', 'options')
        # What is all the same on a side may still have been made by unlike machines or seeds.
        seeds = [self.side(f'seed{i}', [1000], plan__seed=i)[0] for i in range(2)]
        self.compare(*seeds, '--', *seeds)

    def test_a_default_in_a_file_is_no_difference(self):
        setting = {'value': '16', 'unit': None, 'source': 'configuration file', 'boot': '16'}
        base = self.side('base', [1000])
        head = self.side('head', [1000], settings__autovacuum_worker_slots=setting)
        self.assertNotIn('autovacuum_worker_slots', self.compare(*base, *head).stdout)
        other = self.side('other', [1000],
                          settings__autovacuum_worker_slots=dict(setting, value='32'))
        line = ' '.join(self.compare(*base, *other).stdout.split())
        self.assertIn("autovacuum_worker_slots - / 32 (-: that server's default)", line)

    def test_an_interval_within_a_run_is_explained_where_there_is_one(self):
        self.assertIn('+- is of the mean within the run',
                      self.compare(*self.side('a', [1000]), *self.side('b', [1000])).stdout)
        short = [self.side(name, [1000], pieces=[1000.0])[0] for name in 'cd']
        done = self.compare(*short)
        self.assertIn('one run a side', done.stdout)
        self.assertNotIn('within the run', done.stdout)


class Gathering(Folder):
    def test_sides_by_label_from_a_folder(self):
        for i in range(6):
            for label, rate in ('before', 1000), ('after', 1200):
                bench_folder.write(self.root / 'results' / f'{i}-{label}', bench_folder.result(
                    'oltp_read_only', rate + i, plan__label=label))
        tree = self.tree('--by', 'label', 'results', '--base', 'before')
        self.assertEqual(tree['columns'], ['before', 'after'])
        self.assertEqual(self.verdicts(tree), {'oltp_read_only': 'faster'})
        self.compare('--by', 'label', 'results', '--base', 'nobody', wanted=2)

    def test_benches_as_sides(self):
        for name, ratio in ('monday', 1.0), ('tuesday', 1.2):
            bench_folder.bench(self.root / name, ['oltp_read_only'], {'pg17': {'oltp_read_only': ratio}})
        self.assertEqual(self.verdicts(self.tree('monday', 'tuesday')), {'oltp_read_only': 'faster'})
        bench_folder.bench(self.root / 'both', ['oltp_read_only'], {'pg17': {}, 'pg18': {}})
        self.assertEqual(self.tree('--by', 'version', 'both')['columns'], ['17.10', '18.4'])

    def test_more_than_one_head(self):
        sides = [self.side(f'side{i}', [1000 * (1 + i)] * 6) for i in range(3)]
        tree = self.tree(*sides[0], '--', *sides[1], '--', *sides[2])
        self.assertEqual(tree['columns'], ['base', 'head 1', 'head 2'])
        self.assertAlmostEqual(tree['rows'][0]['cells'][2]['ratio']['value'], 3)

    def test_what_is_left_out_is_said(self):
        bench_folder.bench(self.root / 'bench', MICRO[:2], {'pg17': {}, 'pg18': {}})
        index = self.root / 'bench' / 'index.json'
        tree = json.loads(index.read_text())
        tree['runs'][0]['state'], tree['runs'][1]['state'] = 'failed', 'waiting'
        index.write_text(json.dumps(tree))
        broken = self.root / 'bench' / tree['runs'][2]['result'] / 'result.json'
        broken.write_text(json.dumps({**json.loads(broken.read_text()), 'ended': 'interrupted'}))
        notes = ' '.join(self.tree('bench')['notes'])
        for part in ('1 of 24 runs of the bench failed', '1 of 24 runs of the bench have not',
                     'was interrupted before its end'):
            self.assertIn(part, notes)
        index.write_text('{')
        self.compare('bench', wanted=3)

    def test_wrong_operands(self):
        base = self.side('base', [1000])
        self.compare(wanted=2)
        self.compare(*base, wanted=2)
        self.compare(self.root / 'nothing', *base, wanted=2)
        (self.root / 'empty').mkdir()
        self.compare('empty', *base, wanted=2)

    def test_nothing_acts_on_a_terminal_or_a_spreadsheet(self):
        base = self.side('base', [1000], plan__label='=1+1\x1b[2J')
        head = self.side('head', [1000], plan__label='b|c')
        self.assertNotIn('\x1b', self.compare(*base, *head).stdout)
        self.assertIn('\'=1+1', self.compare(*base, *head, '--format', 'csv').stdout)
        self.assertIn('b\\|c', self.compare(*base, *head, '--format', 'markdown').stdout)

    def test_older_results_stand(self):
        tree = json.loads(bench_folder.GOLDEN.read_text())
        for key in ('batch_means', 'host', 'client', 'settings', 'durability', 'rate', 'headlines',
                    'family', 'target'):
            tree.pop(key, None)
        paths = [bench_folder.write(self.root / name, tree) for name in ('a', 'b')]
        self.assertEqual(self.verdicts(self.tree(*paths)), {'oltp_point_select': 'no claim'})


def write_goldens():
    case = Golden()
    case.setUp()
    GOLDEN.mkdir(exist_ok=True)
    for name, got in goldens(case).items():
        (GOLDEN / name).write_text(got)
    case.doCleanups()


if __name__ == '__main__':
    if len(sys.argv) > 1 and not sys.argv[1].startswith('-') and os.path.exists(sys.argv[1]):
        PROGRAM = sys.argv.pop(1)
    if '--write' in sys.argv:
        write_goldens()
    else:
        unittest.main()
