"""CONTRIBUTING's page "add a workload in ten lines", followed to the letter: the code it shows is put
into a copy of the tree, which is then built and run."""

import os
import re
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


class PageTest(unittest.TestCase):

    def replace(self, path, old, new):
        with open(path, encoding='utf-8') as file:
            words = file.read()
        self.assertEqual(words.count(old), 1, f'{old} in {path}')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(words.replace(old, new))

    def add_workload(self, tree):
        with open(os.path.join(ROOT, 'CONTRIBUTING.md'), encoding='utf-8') as file:
            page = file.read()
        shown = re.findall(r'^   ```c\n(.*?)^   ```', page, re.DOTALL | re.MULTILINE)
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
