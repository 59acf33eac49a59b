"""coroutine_test.c under every compiler and level that is there: the switch between stacks leans on
what compilers do with registers, and sanitizers and valgrind on where a stack is. A variant whose
compiler or tool is missing is skipped."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = ['tests/engine/coroutine_test.c', 'src/engine/coroutine.c', 'src/base/memory.c',
           'src/base/rng.c', 'src/base/clock.c']
SANITIZE = '-O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined'
USE_AFTER_RETURN = 'detect_stack_use_after_return=1:detect_leaks=1'
VALGRIND = ['valgrind', '-q', '--error-exitcode=99', '--leak-check=full']


class Variants(unittest.TestCase):
    def variant(self, compiler, flags, env=None, wrapper=()):
        for tool in (compiler, *wrapper[:1]):
            if shutil.which(tool) is None:
                self.skipTest(f'{tool} is not there')
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'coroutine_test')
            self.call([compiler, '-std=gnu17', '-D_GNU_SOURCE', '-g', '-I', 'src', *flags.split(),
                       '-o', program, *SOURCES, '-lcmocka', '-lpthread'])
            said = self.call([*wrapper, program], env)
            self.assertIn('[  PASSED  ] 7 test(s)', said)
            self.assertNotIn('WARNING', said)

    def call(self, words, env=None):
        done = subprocess.run(words, cwd=ROOT, env=dict(os.environ, **(env or {})), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_gcc_plain(self):
        self.variant('gcc', '-O0')

    def test_gcc_o2(self):
        self.variant('gcc', '-O2')

    def test_gcc_o3_lto(self):
        self.variant('gcc', '-O3 -flto=auto')

    def test_gcc_o3_without_frames(self):
        self.variant('gcc', '-O3 -fomit-frame-pointer -fipa-ra -march=native')

    def test_clang_plain(self):
        self.variant('clang', '-O0')

    def test_clang_o2(self):
        self.variant('clang', '-O2')

    def test_clang_o3_lto(self):
        if shutil.which('ld.lld') is None:
            self.skipTest('ld.lld is not there')
        self.variant('clang', '-O3 -flto -fuse-ld=lld')

    def test_gcc_sanitized(self):
        self.variant('gcc', SANITIZE)

    def test_gcc_sanitized_use_after_return(self):
        self.variant('gcc', SANITIZE, {'ASAN_OPTIONS': USE_AFTER_RETURN})

    def test_clang_sanitized_use_after_return(self):
        self.variant('clang', SANITIZE, {'ASAN_OPTIONS': USE_AFTER_RETURN})

    def test_gcc_threads(self):
        self.variant('gcc', '-O1 -fsanitize=thread')

    def test_valgrind(self):
        self.variant('gcc', '-O2', wrapper=VALGRIND)


if __name__ == '__main__':
    sys.stdout.reconfigure(line_buffering=True)
    unittest.main(verbosity=2)
