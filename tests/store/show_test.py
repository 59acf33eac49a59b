#!/usr/bin/env python3
"""`pgdyno show` on the golden results: one value, the whole, and paths that lead nowhere.

usage: show_test.py PGDYNO GOLDEN-FOLDER
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PGDYNO, GOLDEN = sys.argv[1:3]
CLOSED = os.path.join(GOLDEN, 'result-closed.json')
OPEN = os.path.join(GOLDEN, 'result-open.json')


def show(*words):
    return subprocess.run([PGDYNO, 'show', *words], capture_output=True, text=True, timeout=60)


class Show(unittest.TestCase):
    def value(self, path, result=CLOSED):
        done = show(result, '--json', path)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout

    def refused(self, words, *needles):
        done = show(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        for needle in needles:
            self.assertIn(needle, done.stderr)

    def test_values(self):
        self.assertEqual(self.value('summary.latency_ms.response.p99.9'), '13.475678\n')
        self.assertEqual(self.value('/summary/latency_ms/response/p99.9'), '13.475678\n')
        self.assertEqual(self.value('summary.transactions.done'), '800\n')
        self.assertEqual(self.value('target.host'), '/run/pg\n')
        self.assertEqual(self.value('target.hostaddr'), 'null\n')
        self.assertEqual(self.value('closed_loop'), 'true\n')
        self.assertEqual(self.value('batch_means.done.3'), '200\n')
        self.assertEqual(json.loads(self.value('summary.queries'))['total'], 800)

    def test_strings_are_raw_in_a_pipe(self):
        self.assertIn('\x1b]0;owned', self.value('target.host', OPEN))

    def test_whole(self):
        with open(CLOSED, encoding='utf-8') as golden:
            whole = json.load(golden)
        self.assertEqual(json.loads(self.value('')), whole)
        self.assertEqual(json.loads(show(CLOSED, '--format', 'json').stdout), whole)

    def test_text(self):
        done = show(CLOSED)
        with open(os.path.join(GOLDEN, 'summary-closed-100.txt'), encoding='utf-8') as golden:
            lines = golden.read().splitlines()
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines()[:-1], lines[:-1])
        self.assertTrue(done.stdout.endswith(CLOSED + '\n'))

    def test_nowhere(self):
        self.refused([CLOSED, '--json', 'summary.latency_m.response'], 'did you mean latency_ms?')
        self.refused([CLOSED, '--json', 'target.hots'], 'did you mean host?', 'dbname')
        self.refused([CLOSED, '--json', 'x'], 'nothing at x: there is schema, tool')
        self.refused([CLOSED, '--json', 'errors.0'], 'is empty')
        self.refused([OPEN, '--json', 'errors.9'], 'there is 0 to 3')
        self.refused([CLOSED, '--json', 'schema.x'], 'a single value')
        self.refused([CLOSED, '--json', '/'], 'nothing at /')
        self.refused([CLOSED, '--json', '/summry'], 'did you mean summary?')

    def test_no_result(self):
        with tempfile.TemporaryDirectory() as folder:
            self.refused([folder], 'is no result')
            open(os.path.join(folder, 'run.log'), 'w', encoding='utf-8').close()
            self.refused([folder], 'a run that did not end')
            self.refused([os.path.join(folder, 'x')], 'no result at')
            with open(os.path.join(folder, 'result.json'), 'w', encoding='utf-8') as file:
                file.write('{\n"schema": }')
            done = show(folder)
            self.assertEqual(done.returncode, 3)
            self.assertIn('line 2, column', done.stderr)
        self.refused([], 'wants one result')
        self.refused([CLOSED, OPEN], 'wants one result')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
