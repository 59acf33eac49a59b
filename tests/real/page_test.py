"""The pages say what is so. README: its table of workloads is the program's, its first run runs.
CONTRIBUTING: "add a workload in ten lines" is followed to the letter, in a copy of the tree."""

import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import unittest

from harness import Folder, Pgdyno, Postgres, main, wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COPIED = ('src', 'tools', 'man', 'bench', 'tests', 'meson.build', 'meson_options.txt',
          '.clang-format')


def shell(*words, cwd):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f'{" ".join(words)}: {done.stdout[-3000:]}{done.stderr[-3000:]}')
    return done.stdout


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        return file.read()


def shape(summary):
    """What a summary says whatever was measured: its labels and headings, and of some lines the
    words with all numbers alike."""
    text = summary[summary.index('oltp_point_select on PostgreSQL'):].rstrip()
    text = re.sub(r'\n {16}(?=\S)', ' ', text)
    # What these tell hangs on the machine.
    text = re.sub(r'\n(?:machine, over|server, over|verdict)(.*\n)(.+\n)+', '', text)
    lines = []
    for line in text.splitlines()[1:]:
        label = re.match(r'  (\w+) ', line)
        if label and label[1] not in ('load', 'transactions', 'queries', 'connections', 'settings'):
            line = label[1]
        if label is None or label[1] != 'load':
            line = re.sub(r'\d[\d.,]*', '0', line)
        lines.append(' '.join(line.split()))
    return lines


class ReadmeTest(unittest.TestCase):

    def test_the_table_of_workloads(self):
        with Pgdyno() as pgdyno:
            rows = pgdyno.run('list', 'workloads', check=0).out.splitlines()
        wanted = [f'| `{name}` | {what} |' for name, what in
                  (row.split(maxsplit=1) for row in rows)]
        table = read('README.md').split('## Workloads', 1)[1]
        self.assertEqual([line for line in table.splitlines() if line.startswith('| `')], wanted)

    def stop_all(self, pgdyno):
        for server in pgdyno.run('server', 'list').out.splitlines():
            major = server.split()[0] if server.split() else ''
            if major.isdigit():
                pgdyno.run('server', 'stop', major)

    def first_run(self, pgdyno):
        section = read('README.md').split('## First run', 1)[1].split('## ', 1)[0]
        shown = re.findall(r'^pgdyno (.*)$', section, re.MULTILINE)
        self.assertGreaterEqual(len(shown), 3)
        for line in shown:
            words = []
            for word in shlex.split(line):
                found = glob.glob(os.path.join(pgdyno.home, word)) if '*' in word else []
                words += found or [word]
            pgdyno.run(*words, timeout=120, check=0)

    def test_in_the_order_of_the_page(self):
        """quick as ./quickstart ends, the first run, and quick again: none is in another's way."""
        quick = ('quick', '--time', '1s', '--warmup', '0')
        with Pgdyno() as pgdyno:
            try:
                done = pgdyno.run(*quick, timeout=120, check=0)
                self.assertIn('pgdyno_quick', done.out)
                shown = read('README.md').split('```')[3]
                self.assertEqual(shape(shown), shape(done.out))
                for heading in ('machine, over the measured time', 'server, over the measured time',
                                'verdict'):
                    self.assertIn(f'\n{heading}\n', shown)
                    self.assertIn(f'\n{heading}\n', done.out)
                self.assertNotIn('stays up', done.err)
                self.assertIn('stopped', pgdyno.run('server', 'list', check=0).out)
                self.first_run(pgdyno)
                done = pgdyno.run(*quick, timeout=120, check=0)
                self.assertNotIn('copy', done.out)
                self.assertRegex(pgdyno.run('server', 'list', check=0).out, r'runs \(')
                self.assertEqual(len(pgdyno.results()), 3)
                # Its own data are quick's to replace, those of load are as they were.
                pgdyno.run(*quick, '--tables', '1', timeout=120, check=0)
                pgdyno.run('check', 'oltp_point_select', '-t', 'local', '--tables', '1',
                           '--table-size', '100000', timeout=120, check=0)
            finally:
                self.stop_all(pgdyno)

    def test_quick_interrupted_while_it_loads(self):
        """The server that it started is stopped all the same."""
        with Pgdyno() as pgdyno:
            try:
                running = pgdyno.start('quick', '--tables', '1', '--table-size', '10000000')
                url = wait_until(lambda: pgdyno.run('server', 'url').out.strip(), 60, 'a server')
                ask = ['psql', url, '-Atc', "SELECT to_regclass('pgdyno_quick.sbtest1')"]
                wait_until(lambda: subprocess.run(ask, capture_output=True, check=False).stdout
                           .strip(), 60, 'the table of quick')
                running.send_signal(signal.SIGINT)
                out, said = running.communicate(timeout=60)
                self.assertEqual(running.returncode, 130, out + said)
                self.assertIn('interrupted', said)
                self.assertNotIn('runs (', pgdyno.run('server', 'list', check=0).out)
            finally:
                self.stop_all(pgdyno)

    def test_quick_stops_no_server_of_others(self):
        with Pgdyno() as pgdyno:
            try:
                running = pgdyno.start('quick', '--time', '6s', '--warmup', '0', '--tables', '1',
                                       '--table-size', '1000')
                url = wait_until(lambda: pgdyno.run('server', 'url').out.strip(), 60, 'a server')
                ask = ['psql', url, '-Atc', "SELECT to_regclass('pgdyno_quick.sbtest1')"]
                wait_until(lambda: subprocess.run(ask, capture_output=True, check=False).stdout
                           .strip(), 60, 'the table of quick')
                guest = subprocess.Popen(['psql', url, '-c', 'SELECT pg_sleep(30)'],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    _, said = running.communicate(timeout=120)
                    self.assertEqual(running.returncode, 0, said)
                    self.assertIn('stays up', said)
                    self.assertIn('runs (', pgdyno.run('server', 'list', check=0).out)
                finally:
                    guest.kill()
                    guest.wait()
            finally:
                self.stop_all(pgdyno)


class PageTest(unittest.TestCase):

    def replace(self, path, old, new):
        with open(path, encoding='utf-8') as file:
            words = file.read()
        self.assertEqual(words.count(old), 1, f'{old} in {path}')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(words.replace(old, new))

    def add_workload(self, tree):
        shown = re.findall(r'^   ```c\n(.*?)^   ```', read('CONTRIBUTING.md'), re.DOTALL | re.MULTILINE)
        self.assertEqual(len(shown), 2)
        os.makedirs(os.path.join(tree, 'src/workload/hello'))
        for name, words in zip(('hello.h', 'hello.c'), shown):
            with open(os.path.join(tree, 'src/workload/hello', name), 'w', encoding='utf-8') as file:
                file.write(re.sub('^   ', '', words, flags=re.MULTILINE))
        table = os.path.join(tree, 'src/workload/table.c')
        self.replace(table, '#include "workload/null/null.h"',
                     '#include "workload/hello/hello.h"\n#include "workload/null/null.h"')
        self.replace(table, '    &workload_null,\n', '    &workload_hello,\n    &workload_null,\n')
        self.replace(os.path.join(tree, 'src/workload/meson.build'), "'null/null.c'",
                     "'hello/hello.c', 'null/null.c'")

    def test_a_workload_by_the_page_alone(self):
        with Folder() as tree:
            for name in COPIED:
                whole = os.path.join(ROOT, name)
                if os.path.isdir(whole):
                    shutil.copytree(whole, os.path.join(tree, name), ignore=shutil.ignore_patterns(
                        'node_modules', '__pycache__'))
                else:
                    shutil.copy(whole, tree)
            self.add_workload(tree)
            for check in (['tools/check-rooms'], ['tools/check-style'], ['tools/format', '--check']):
                done = subprocess.run(check, cwd=tree, capture_output=True, text=True, check=False)
                self.assertNotIn('hello', done.stdout + done.stderr)
            shell('meson', 'setup', 'build', '-Dwerror=true', '-Dtests=disabled',
                  '-Doptimization=0', cwd=tree)
            shell('ninja', '-C', 'build', 'pgdyno', cwd=tree)
            with Postgres() as server, Pgdyno(os.path.join(tree, 'build', 'pgdyno')) as pgdyno:
                self.assertIn('hello', pgdyno.run('list', 'workloads', check=0).out)
                _, result = pgdyno.measure('hello', '-t', server.conninfo(), '--transactions', '100',
                                           '-c', '2', '--warmup', '0')
                told = result.json()
                self.assertEqual(told['summary']['transactions']['done'], 100)
                self.assertEqual(told['summary']['queries']['read'], 100)


if __name__ == '__main__':
    main()
