"""The checks of the house find what they are there for: each is shown a small tree with one fault."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

ROOMS = """# a comment
base:
plan: base
engine: base plan
door: plan/option.h
open: base
"""

HEADER = """/* {0} - a door. */
#ifndef {1}_H
#define {1}_H
{2}
#endif
"""

GOOD = {
    'tools/rooms.txt': ROOMS,
    'src/base/text.h': HEADER.format('text.h', 'BASE_TEXT', ''),
    'src/plan/plan.h': HEADER.format('plan.h', 'PLAN_PLAN', '#include "base/text.h"'),
    'src/plan/option.h': HEADER.format('option.h', 'PLAN_OPTION', ''),
    'src/plan/inner.h': HEADER.format('inner.h', 'PLAN_INNER', ''),
    'src/engine/engine.h': HEADER.format('engine.h', 'ENGINE_ENGINE', '#include "plan/plan.h"'),
    'src/engine/engine.c': '/* engine.c - nothing. */\n'
                           '#include "engine/engine.h"\n#include "base/text.h"\n'
                           '#include "plan/option.h"\n',
}


class ToolsTest(unittest.TestCase):

    def setUp(self):
        self.tree = tempfile.mkdtemp(prefix='pgd')
        self.addCleanup(shutil.rmtree, self.tree)
        shutil.copy(os.path.join(ROOT, '.clang-format'), self.tree)
        for folder in ('src', 'tests', 'bench'):
            os.makedirs(os.path.join(self.tree, folder))
        for path, words in GOOD.items():
            self.write(path, words)

    def write(self, path, words):
        whole = os.path.join(self.tree, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, 'w', encoding='utf-8') as file:
            file.write(words)

    def tool(self, name, *arguments):
        done = subprocess.run([os.path.join(ROOT, 'tools', name), '--root', self.tree, *arguments],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, '')
        return done.returncode, done.stdout

    def finds(self, name, *wanted, arguments=()):
        code, out = self.tool(name, *arguments)
        self.assertEqual(code, 1, out)
        for words in wanted:
            self.assertIn(words, out)

    def body(self, text):
        self.write('src/engine/engine.c', '/* engine.c - a body. */\n' + text)

    # -- check-rooms --

    def test_a_good_tree_passes(self):
        self.assertEqual(self.tool('check-rooms'), (0, ''))
        self.assertEqual(self.tool('check-style'), (0, ''))
        self.assertEqual(self.tool('format', '--check'), (0, ''))

    def test_an_include_against_the_arrows(self):
        self.write('src/base/text.h', HEADER.format('', 'X', '#include "plan/plan.h"'))
        self.finds('check-rooms', 'src/base/text.h:4: base may not include plan',
                   'a cycle of headers: base/text.h -> plan/plan.h -> base/text.h')

    def test_a_private_header_of_another_room(self):
        self.body('#include "plan/inner.h"\n')
        self.finds('check-rooms', 'src/engine/engine.c:2: "plan/inner.h" is private to plan')

    def test_an_include_without_its_room_or_without_a_file(self):
        self.body('#include "engine.h"\n#include "base/none.h"\n')
        self.finds('check-rooms', 'engine.c:2: "engine.h" names no room',
                   'engine.c:3: "base/none.h" is not in src')

    def test_a_cycle_of_rooms_and_an_unknown_room(self):
        self.write('tools/rooms.txt', ROOMS.replace('base:', 'base: engine', 1))
        self.finds('check-rooms', 'a cycle of rooms: base -> engine -> base')
        self.write('tools/rooms.txt', ROOMS.replace('engine: base', 'engine: cellar'))
        self.finds('check-rooms', 'engine lists cellar, which is no room')
        self.write('src/attic/box.c', '/* box */\n')
        self.finds('check-rooms', 'src/attic/box.c: is in no room')

    # -- check-style --

    def test_a_long_file_but_not_a_long_table(self):
        rows = '    { 1 },\n' * 600
        self.body('const struct row rows[] = {\n' + rows + '};\n')
        self.assertEqual(self.tool('check-style'), (0, ''))
        self.body('int a;\n' * 500)
        self.finds('check-style', 'src/engine/engine.c:1: 501 lines')

    def test_a_long_function(self):
        fits = 'static int sum(void)\n{\n' + '    x();\n' * 60 + '}\n'
        self.body(fits)
        self.assertEqual(self.tool('check-style'), (0, ''))
        self.body(fits.replace('    x();\n', '    x();\n    y();\n', 1))
        self.finds('check-style', 'src/engine/engine.c:3: a function of 61 lines')

    def test_too_many_parameters(self):
        self.body('int five(int a, int (*b)(int, int),\n         int c, int d, int e)\n{\n}\n')
        self.assertEqual(self.tool('check-style'), (0, ''))
        self.body('int six(int a, int b, int c,\n        int d, int e, int f)\n{\n}\n')
        self.finds('check-style', 'engine.c:3: 6 parameters')

    def test_banned_calls(self):
        for call in ('strcpy(a, b)', 'sprintf(a, "b")', 'atoi(a)', 'system("ls")', 'malloc(8)',
                     'printf("hello")', 'exit(1)', 'time(NULL)', 'rand()', 'fputs("x", stderr)'):
            self.body('void f(void)\n{\n    ' + call + ';\n}\n')
            self.finds('check-style', 'src/engine/engine.c:4: ' + call.split('(')[0].replace(
                'fputs', 'stderr') + ' is banned here')

    def test_a_call_is_no_call_in_a_comment_a_text_or_a_longer_name(self):
        self.body('/* exit(1), malloc(2) */\nvoid f(void)\n{\n    g("printf(3)", my_exit(4));\n'
                  '    row->time(5);\n}\n')
        self.assertEqual(self.tool('check-style'), (0, ''))

    def test_what_is_banned_here_is_lawful_at_home(self):
        self.write('src/base/memory.c', '/* memory.c */\nvoid *f(void)\n{\n    return malloc(8);\n}\n')
        self.write('src/base/clock.c', '/* clock.c */\nvoid f(void)\n{\n    clock_gettime(1, NULL);\n}\n')
        self.assertEqual(self.tool('check-style'), (0, ''))
        self.write('src/plan/plan.c', '/* plan.c */\nvoid f(void)\n{\n    PQfinish(NULL);\n}\n')
        self.finds('check-style', 'src/plan/plan.c:4: PQfinish is banned here')

    def test_form(self):
        self.write('src/plan/plan.c', '#include "plan/plan.h"\n\tint a; \ntypedef int b;\n')
        self.finds('check-style', 'plan.c:1: begins without', 'plan.c:2: a tab',
                   'plan.c:2: trailing blanks', 'plan.c:3: a typedef')

    def test_a_header_that_needs_another_before_it(self):
        self.write('src/plan/plan.h', HEADER.format('', 'PLAN_PLAN', 'int f(size_t size);'))
        self.finds('check-style', 'src/plan/plan.h:1: does not compile alone')
        self.assertEqual(self.tool('check-style', '--no-headers'), (0, ''))
        self.write('src/plan/plan.h', '/* no guard */\nstruct plan {\n    int a;\n};\n')
        self.finds('check-style', 'src/plan/plan.h:1: does not compile alone, or not twice')

    # -- format --

    def test_format_finds_and_mends(self):
        self.body('int f( void ) {\nreturn 1; }\n')
        self.finds('format', 'src/engine/engine.c: not as clang-format 14', arguments=['--check'])
        self.assertEqual(self.tool('format'), (0, ''))
        self.assertEqual(self.tool('format', '--check'), (0, ''))
        with open(os.path.join(self.tree, 'src/engine/engine.c'), encoding='utf-8') as file:
            self.assertIn('int f(void)\n{\n    return 1;\n}\n', file.read())

    def test_format_refuses_what_it_does_not_know(self):
        done = subprocess.run([os.path.join(ROOT, 'tools', 'format'), '--chekc'],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn('--chekc', done.stderr)


if __name__ == '__main__':
    unittest.main(verbosity=2)
