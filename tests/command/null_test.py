#!/usr/bin/env python3
"""What a run says and writes, seen on `run null`, which needs no server."""

import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get('PGDYNO', 'build/pgdyno')


def clean_env():
    env = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8', 'TERM': 'dumb'}
    for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TSAN_OPTIONS'):
        if name in os.environ:
            env[name] = os.environ[name]
    return env


class NullTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='pgd')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_null(self, *words, code=0, **options):
        options.setdefault('stdout', subprocess.PIPE)
        done = subprocess.run([PROGRAM, 'run', 'null', '--results', str(self.folder), *words],
                              env=clean_env(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, timeout=60, **options)
        self.assertEqual(done.returncode, code, (done.stdout, done.stderr))
        return done

    def file(self, name):
        found = list(self.folder.glob(f'*/{name}'))
        self.assertEqual(len(found), 1, found)
        return found[0].read_text()


class Intervals(NullTest):
    def test_each_second_is_told_with_its_phase(self):
        out = self.run_null('--time', '2', '--warmup', '1').stdout
        lines = re.findall(r'^ +(\d+)s  (\w+) +([\d,]+)', out, re.MULTILINE)
        self.assertEqual([(at, phase) for at, phase, _ in lines],
                         [('1', 'warmup'), ('2', 'measure'), ('3', 'measure')])
        for _, _, rate in lines:
            self.assertGreater(int(rate.replace(',', '')), 10000)

    def test_seconds_are_those_of_the_phase(self):
        self.run_null('--time', '1', '--warmup', '0.7', '--quiet')
        length = {'warmup': 0, 'measure': 0}
        for line in map(json.loads, self.file('series.jsonl').splitlines()):
            length[line['phase']] += line['seconds']
        self.assertAlmostEqual(length['warmup'], 0.7, delta=0.01)
        self.assertAlmostEqual(length['measure'], 1, delta=0.1)


class Client(NullTest):
    def test_a_pass_longer_than_the_window(self):
        """So many sessions that a turn of all of them takes long: still ticks, and a verdict."""
        self.run_null('-c', '20000', '-j', '1', '--time', '1', '--warmup', '0', '--quiet')
        client = json.loads(self.file('result.json'))['client']
        self.assertTrue(client['saturated'], client)
        self.assertNotEqual(client['why'], '')
        self.assertGreater(client['cpu_cores'], 0.1)
        lines = [json.loads(line) for line in self.file('series.jsonl').splitlines()]
        self.assertEqual([line['stalled_lanes'] for line in lines], [0] * len(lines))


class Words(NullTest):
    def test_nothing_of_a_protocol(self):
        out = self.run_null('--time', '0.2', '--warmup', '0', '-c', '1').stdout
        self.assertIn('null: 1 connection, ', out)
        self.assertNotIn('protocol', out)


class Given(NullTest):
    def given(self):
        return json.loads(self.file('result.json'))['plan_given']

    def test_only_what_was_typed(self):
        self.run_null('--time', '0.1', '--warmup', '0', '-c', '1', '--quiet')
        self.assertEqual(sorted(self.given()),
                         ['connections', 'results', 'time', 'warmup'])

    def test_a_seed_that_was_typed(self):
        self.run_null('--time', '0.1', '--warmup', '0', '--seed', '7', '--quiet')
        self.assertIn('seed', self.given())


class LostOutput(NullTest):
    def test_full(self):
        with open('/dev/full', 'w') as full:
            done = self.run_null('--time', '0.2', '--warmup', '0', code=5, stdout=full)
        self.assertIn('cannot write the output', done.stderr)
        self.file('result.json')

    def test_closed(self):
        for words in ('list', '--help', 'version'):
            done = subprocess.run(['sh', '-c', f'exec {PROGRAM} {words} >&-'], env=clean_env(),
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 5, (words, done.stderr))
            self.assertIn('cannot write the output', done.stderr)

    def test_a_reader_that_went_away_is_no_fault(self):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, 'w') as pipe:
            done = self.run_null('--time', '0.2', '--warmup', '0', stdout=pipe)
        self.assertEqual(done.stderr, '')

    def test_files_may_not_grow(self):
        done = self.run_null('--time', '0.2', '--warmup', '0', code=5, preexec_fn=lambda:
                             resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
        self.assertIn('too large', done.stderr)


class FindRate(NullTest):
    def test_tries_lead_to_a_rate_and_are_kept(self):
        done = self.run_null('--find-rate', 'p99<=10s', '--time', '0.1', '--warmup', '0')
        self.assertIn('highest rate with p99 <= 10000 ms', done.stdout)
        [name] = [name for name in os.listdir(self.folder) if name.endswith('-find-rate.json')]
        with open(os.path.join(self.folder, name), encoding='utf-8') as file:
            report = json.load(file)
        self.assertEqual(len(report['closed']), 1)
        self.assertLessEqual(len(report['tries']), 8)
        met = [run['rate'] for run in report['tries'] if run['met']]
        self.assertEqual(report['highest_rate'], max(met))
        self.assertEqual([round(run['rate'] / report['highest_rate'], 3)
                          for run in report['measured']], [0.5, 0.7, 0.9])
        for run in report['closed'] + report['tries'] + report['measured']:
            path = os.path.join(self.folder, run['result'], 'result.json')
            with open(path, encoding='utf-8') as file:
                self.assertEqual(json.load(file)['plan'].get('rate', 0), run['rate'] or 0)

    def test_what_is_no_limit(self):
        for words in (['--find-rate', 'p98<=1ms'], ['--find-rate', 'p99<=1ms', '--rate', '5'],
                      ['--find-rate', 'p99<=1ms', '--transactions', '5']):
            self.run_null(*words, code=2)


if __name__ == '__main__':
    unittest.main()
