"""quickstart, check and the counting of tests: what they refuse, and what they say."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What the scripts need beside bash's own words, so that a PATH without packages can be made.
TOOLS = ('bash', 'env', 'sed', 'grep', 'cat', 'mktemp', 'id', 'stat', 'tail', 'sort', 'tr', 'dirname',
         'date', 'rm', 'mkdir', 'apt-get')


class CountTest(unittest.TestCase):

    def count(self, *records):
        """(figures, what was said of failures) for (result, standard output, standard error)."""
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            for number, (result, out, err) in enumerate(records):
                file.write(json.dumps({'name': f'program {number}', 'result': result, 'stdout': out,
                                       'stderr': err}) + '\n')
            file.flush()
            done = subprocess.run([os.path.join(ROOT, 'tools', 'count-tests'), file.name],
                                  capture_output=True, text=True, check=True)
        return done.stdout.strip(), done.stderr

    def test_programs_that_do_not_tell(self):
        self.assertEqual(self.count(('OK', '', ''), ('OK', 'hello', ''))[0], '2 0 0')
        figures, said = self.count(('OK', '', ''), ('FAIL', 'the reason\n', ''), ('SKIP', '', ''))
        self.assertEqual(figures, '1 1 1')
        self.assertIn('program 1: FAIL', said)
        self.assertIn('the reason', said)

    def test_cmocka(self):
        good = '[==========] 3 test(s) run.\n[  PASSED  ] 3 test(s).\n'
        bad = '[  PASSED  ] 2 test(s).\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] a_test\n'
        skip = '[  PASSED  ] 2 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n'
        self.assertEqual(self.count(('OK', good, ''))[0], '3 0 0')
        self.assertEqual(self.count(('OK', '', good + good))[0], '6 0 0')
        self.assertEqual(self.count(('FAIL', '', bad))[0], '2 1 0')
        self.assertEqual(self.count(('OK', '', skip))[0], '2 0 1')

    def test_unittest(self):
        def told(last, ran=5):
            return f'...\nRan {ran} tests in 0.1s\n\n{last}\n'
        self.assertEqual(self.count(('OK', '', told('OK')))[0], '5 0 0')
        self.assertEqual(self.count(('OK', '', told('OK (skipped=2)')))[0], '3 0 2')
        self.assertEqual(
            self.count(('FAIL', '', told('FAILED (failures=1, errors=1, skipped=1)')))[0], '2 2 1')
        self.assertEqual(self.count(('FAIL', '', told('FAILED (errors=1)', ran=0)))[0], '0 1 0')

    def test_the_exit_status_is_believed_over_the_words(self):
        good = '[  PASSED  ] 3 test(s).\n'
        self.assertEqual(self.count(('FAIL', '', good + 'LeakSanitizer: ...'))[0], '3 1 0')
        self.assertEqual(self.count(('TIMEOUT', '', ''))[0], '0 1 0')
        self.assertEqual(self.count(('OK', '', '[  FAILED  ] 1 test(s)\n' + good))[0], '3 0 0')


class ScriptsTest(unittest.TestCase):

    def run_script(self, *words, path=None, cwd=None):
        env = dict(os.environ, HOME='/nonexistent')
        if path:
            env['PATH'] = path
        return subprocess.run([os.path.join(cwd or ROOT, words[0]), *words[1:]], env=env,
                              capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)

    def test_unknown_arguments_are_refused(self):
        for words in (['quickstart', '--biuld'], ['check', '--fast'], ['check', '--only', 'nothing'],
                      ['check', '--only'], ['.ci/run', '--fast']):
            done = self.run_script(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr, 'known|wants')
            self.assertEqual(done.stdout, '')

    def test_help(self):
        for script, words in (('quickstart', '--build'), ('check', '--full')):
            done = self.run_script(script, '--help')
            self.assertEqual(done.returncode, 0)
            self.assertIn(words, done.stdout)
            self.assertNotIn('set -', done.stdout)

    def test_without_root_and_sudo_the_command_is_shown(self):
        """The scripts in a copy, with nothing on PATH, as an account that cannot install."""
        account = 65534 if os.geteuid() == 0 else None
        with tempfile.TemporaryDirectory(prefix='pgd') as folder:
            os.chmod(folder, 0o755)
            tools = os.path.join(folder, 'bin')
            os.makedirs(tools)
            for name in TOOLS:
                if shutil.which(name):
                    os.symlink(shutil.which(name), os.path.join(tools, name))
            for name in ('quickstart', 'check'):
                shutil.copy(os.path.join(ROOT, name), folder)
            os.makedirs(os.path.join(folder, 'tools'))
            shutil.copy(os.path.join(ROOT, 'tools', 'packages'), os.path.join(folder, 'tools'))
            as_account = {'user': account, 'group': account, 'extra_groups': []} if account else {}
            for script, code in (('quickstart', 5), ('check', 1)):
                done = subprocess.run([os.path.join(folder, script)], capture_output=True, text=True,
                                      check=False, stdin=subprocess.DEVNULL, cwd='/',
                                      env={'PATH': tools, 'HOME': '/nonexistent'}, **as_account)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stderr, 'missing for .*libjansson-dev')
                if shutil.which('apt-get'):
                    self.assertRegex(done.stderr, 'apt-get install .*libjansson-dev.* meson')
                if script == 'check':
                    self.assertEqual(done.stdout.splitlines()[-1], '0 passed, 1 failed')


if __name__ == '__main__':
    unittest.main(verbosity=2)
