"""The pages say what is so. README: its table of workloads is the program's, its first run runs.
CONTRIBUTING: "add a workload in ten lines" is followed to the letter, in a copy of the tree."""

import glob
import os
import re
import shlex
import shutil
import subprocess
import unittest

from harness import Folder, Pgdyno, Postgres, main

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


class ReadmeTest(unittest.TestCase):

    def test_the_table_of_workloads(self):
        with Pgdyno() as pgdyno:
            rows = pgdyno.run('list', 'workloads', check=0).out.splitlines()
        wanted = [f'| `{name}` | {what} |' for name, what in
                  (row.split(maxsplit=1) for row in rows)]
        table = read('README.md').split('## Workloads', 1)[1]
        self.assertEqual([line for line in table.splitlines() if line.startswith('| `')], wanted)

    def test_the_first_run(self):
        section = read('README.md').split('## First run', 1)[1].split('## ', 1)[0]
        shown = re.findall(r'^pgdyno (.*)$', section, re.MULTILINE)
        self.assertGreaterEqual(len(shown), 3)
        with Pgdyno() as pgdyno:
            try:
                for line in shown:
                    words = []
                    for word in shlex.split(line):
                        found = glob.glob(os.path.join(pgdyno.home, word)) if '*' in word else []
                        words += found or [word]
                    pgdyno.run(*words, timeout=120, check=0)
                self.assertEqual(len(pgdyno.results()), 1)
            finally:
                for server in pgdyno.run('server', 'list').out.splitlines():
                    major = server.split()[0] if server.split() else ''
                    if major.isdigit():
                        pgdyno.run('server', 'stop', major)


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
