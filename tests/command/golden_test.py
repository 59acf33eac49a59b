#!/usr/bin/env python3
"""What the program says of itself, word for word: --help, list, the man page, shell completion.

Each case is a command line and a file in tests/golden/command that holds its output. After a change
that is meant, `tests/command/golden_test.py --write PROGRAM` writes the files anew; look at the
difference before it is committed.
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent.parent / 'golden' / 'command'
CASES = {
    'help.txt': ['--help'],
    'list.txt': ['list'],
    'list-transactions.txt': ['list', 'transactions'],
    'list-options.txt': ['list', 'options'],
    'list-exit-codes.txt': ['list', 'exit-codes'],
    'pgdyno.1': ['doc', 'man'],
    'completion.bash': ['doc', 'completion', 'bash'],
    'completion.zsh': ['doc', 'completion', 'zsh'],
}


def program():
    return os.environ.get('PGDYNO', 'build/pgdyno')


def run(*arguments, **options):
    env = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8', 'TERM': 'dumb'}
    for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TSAN_OPTIONS'):
        if name in os.environ:
            env[name] = os.environ[name]
    return subprocess.run([program(), *arguments], env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, **options)


def verbs():
    """The verbs that this program has; the same words may not be in --help twice."""
    return re.findall(r'^  ([a-z]+)  ', run('--help').stdout.split('workloads:')[0], re.MULTILINE)


def cases():
    there = {**CASES, **{f'help-{verb}.txt': [verb, '--help'] for verb in verbs()}}
    if 'run' in verbs():
        there['help-run-oltp_point_select.txt'] = ['run', 'oltp_point_select', '--help']
    return there


def version_neutral(text):
    return re.sub(r'pgdyno \d+\.\d+\.\d+', 'pgdyno VERSION', text)


class Golden(unittest.TestCase):
    maxDiff = None

    def test_output_is_as_it_was(self):
        for name, arguments in cases().items():
            with self.subTest(name):
                got = run(*arguments)
                self.assertEqual((got.returncode, got.stderr), (0, ''))
                wanted = (FOLDER / name).read_text() if (FOLDER / name).exists() else ''
                difference = '\n'.join(difflib.unified_diff(
                    wanted.splitlines(), version_neutral(got.stdout).splitlines(), name,
                    ' '.join(arguments), lineterm=''))
                self.assertEqual(difference, '', f'{name} differs; if that is meant: '
                                 'tests/command/golden_test.py --write PROGRAM\n' + difference)

    def test_no_file_is_left_over(self):
        self.assertEqual(sorted(path.name for path in FOLDER.iterdir()), sorted(cases()))

    def test_help_fits_a_terminal(self):
        for name, arguments in cases().items():
            if name.startswith(('help', 'list')):
                for line in run(*arguments).stdout.splitlines():
                    self.assertLessEqual(len(line), 100, f'{name}: {line}')


class ManPage(unittest.TestCase):
    @unittest.skipUnless(shutil.which('mandoc'), 'mandoc is not installed')
    def test_mandoc_has_nothing_to_say(self):
        with tempfile.NamedTemporaryFile('w', suffix='.1') as page:
            page.write(run('doc', 'man').stdout)
            page.flush()
            lint = subprocess.run(['mandoc', '-Tlint', page.name], capture_output=True, text=True)
        # Whether the machine's index of man pages is up to date is not ours.
        said = [line for line in (lint.stdout + lint.stderr).splitlines()
                if 'mandoc.db' not in line]
        self.assertEqual(said, [])


class Completion(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = run('doc', 'completion', 'bash').stdout
        script += '\nCOMP_WORDS=(%s)\n' % ' '.join(f"'{word}'" for word in words)
        script += f'COMP_CWORD={len(words) - 1}\n_pgdyno\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
        got = subprocess.run(['bash', '--norc', '-c', script], capture_output=True, text=True)
        self.assertEqual(got.stderr, '')
        return got.stdout.split()

    def test_verbs(self):
        self.assertIn('list', self.complete('pgdyno', ''))
        self.assertEqual(self.complete('pgdyno', 'lis'), ['list'])
        self.assertNotIn('doc', self.complete('pgdyno', ''))

    def test_options_words_and_workloads(self):
        if 'run' not in verbs():
            self.skipTest('there is no run yet')
        self.assertEqual(self.complete('pgdyno', 'run', 'oltp_po'), ['oltp_point_select'])
        self.assertEqual(self.complete('pgdyno', 'run', '--conn'),
                         ['--connections', '--connect-timeout'])
        self.assertEqual(self.complete('pgdyno', 'run', '--protocol', 's'), ['simple'])
        self.assertEqual(self.complete('pgdyno', 'run', '--protocol', '=', 's'), ['simple'])
        self.assertEqual(self.complete('pgdyno', 'run', '--protocol', '='),
                         ['auto', 'prepared', 'extended', 'simple'])
        self.assertIn('--table-size', self.complete('pgdyno', 'run', '--t'))
        self.assertNotIn('--threads', self.complete('pgdyno', 'run', '--t'))

    def test_words_of_a_verb_and_local_targets(self):
        self.assertEqual(self.complete('pgdyno', 'server', ''),
                         ['list', 'start', 'stop', 'remove', 'url'])
        self.assertEqual(self.complete('pgdyno', 'server', 'list', ''), [])
        self.assertIn('exit-codes', self.complete('pgdyno', 'list', ''))
        self.assertIn('local:12', self.complete('pgdyno', 'run', '-t', 'loc'))
        # bash takes "local:1" for three words.
        self.assertIn('17', self.complete('pgdyno', 'run', '-t', 'local', ':', '1'))
        self.assertIn('17', self.complete('pgdyno', 'run', '--target', '=', 'local', ':'))

    def test_majors_are_those_that_a_word_can_act_on(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = os.path.join(folder, 'pgdyno')
            with open(fake, 'w', encoding='utf-8') as file:
                file.write('#!/bin/sh\ncat <<end\nServers kept by pgdyno:\n'
                           'major  state    size\n15     runs (7)  9 MB\n16     stopped  9 MB\n\n'
                           'PostgreSQL on this machine:\nmajor  version\n15     15.1\n17     17.2\nend\n')
            os.chmod(fake, 0o755)
            for verb, majors in (('start', ['15', '17']), ('stop', ['15']), ('url', ['15']),
                                 ('remove', ['15', '16']), ('list', [])):
                self.assertEqual(self.complete(fake, 'server', verb, ''), majors)
            self.assertEqual(self.complete(fake, 'server', 'start', '17'), ['17'])
            self.assertEqual(self.complete(fake, 'server', 'stop', '--t'), ['--tcp'])
        self.assertIn('17', self.complete('/nowhere/pgdyno', 'server', 'stop', '1'))

    @unittest.skipUnless(shutil.which('zsh'), 'zsh is not installed')
    def test_zsh_can_read_it(self):
        got = subprocess.run(['zsh', '-n'], input=run('doc', 'completion', 'zsh').stdout,
                             capture_output=True, text=True)
        self.assertEqual((got.returncode, got.stderr), (0, ''))


class Manners(unittest.TestCase):
    """The edges of the program that no verb owns."""

    def refused(self, *arguments):
        got = run(*arguments)
        self.assertEqual((got.returncode, got.stdout), (2, ''), arguments)
        self.assertTrue(got.stderr.startswith('pgdyno'), got.stderr)
        return got.stderr

    def test_unknown_words_get_the_nearest(self):
        self.assertIn('did you mean list?', self.refused('lsit'))
        self.assertIn('pgdyno run oltp_point_select', self.refused('oltp_point_select.lua'))
        self.assertIn('pgdyno load WORKLOAD', self.refused('prepare'))
        self.assertIn('did you mean pgdyno run oltp_read_write?', self.refused('oltp_readwrite'))
        self.assertIn('wanted is workloads', self.refused('list', 'nonsense'))
        self.assertIn('usage:', self.refused())

    def test_command_lines_of_sysbench_are_answered_in_our_words(self):
        rows = [
            (['oltp_read_write', '--threads=8', '--time=10', 'run'],
             'pgdyno run oltp_read_write --connections=8 --time=10'),
            (['--db-driver=pgsql', '--num-threads', '4', '/usr/share/sysbench/oltp_insert.lua', 'run'],
             'pgdyno run oltp_insert --connections 4'),
            (['oltp_point_select', '--tables=4', 'prepare'],
             'prepare is called load here; in pgdyno\'s words:\n'
             '        pgdyno load oltp_point_select --tables=4'),
            (['cleanup', 'oltp_delete', '--tables=2'], 'pgdyno drop oltp_delete --tables=2'),
            (['--test=/x/oltp.lua', '--oltp-table-size=5', 'run'],
             'pgdyno run oltp_read_write --oltp-table-size=5'),
            (['oltp_insert', 'help'], 'pgdyno run oltp_insert --help'),
            (['oltp_insert', 'prewarm'], 'a run warms up by itself, see --warmup; '),
            (['oltp_insert', '--create-table-options=WITH (x = \'1\')', 'prepare'],
             "pgdyno load oltp_insert '--create-table-options=WITH (x = '\\''1'\\'')'"),
            (['select_random_points', 'check'], 'pgdyno check select_random_points'),
        ]
        for words, wanted in rows:
            self.assertIn(wanted + ('' if wanted.endswith(' ') else '\n'), self.refused(*words))

    def test_no_secret_is_repeated(self):
        for words in (['--pgsql-password=s3cret'], ['--pgsql-password', 's3cret'],
                      ['--pgsql_password=s3cret'], ['--pgsql-db=dbname=x password=s3cret'],
                      ['-t', 'postgresql://u:s3cret@h/d'], ['-t', 'host=h password=s3cret'],
                      ['--pg-pass=s3cret'], ['--target', 'host=h password=s3cret', '--time=1']):
            said = self.refused('oltp_insert', *words, 'run')
            self.assertIn('pgdyno run oltp_insert', said)
            self.assertNotIn('s3cret', said)

    def test_other_words_of_sysbench(self):
        if 'run' not in verbs():
            self.skipTest('there is no run yet')
        for words in (['cpu', 'run'], ['run', 'fileio'], ['memory', '--threads=2', 'run']):
            self.assertIn("sysbench's tests of a machine have no counterpart", self.refused(*words))
        self.assertIn('did you mean oltp_point_select?', self.refused('run', 'oltp_simple'))
        self.assertIn('did you mean oltp_update_index?', self.refused('run', '/db/update_index.lua'))
        self.assertIn('the verb stands first already', self.refused('run', 'oltp_insert', 'run'))
        self.assertIn('say --help', self.refused('load', 'oltp_insert', 'help'))
        self.assertIn('a verb comes first', self.refused('--time=5'))
        self.assertIn('--connections', self.refused('run', 'oltp_insert', '--threads=5'))
        self.assertIn('a word of its own', self.refused('run', 'oltp_insert', '--test=oltp'))
        self.assertIn('PostgreSQL only', self.refused('run', 'oltp_insert', '--mysql-ignore-errors=1'))
        self.assertIn('command line only', self.refused('run', 'oltp_insert', '--config-file=x'))
        # One whose value may be left out takes no word that follows.
        for words in (['--forced-shutdown'], ['--forced-shutdown=5'], ['--rand-init=on']):
            said = self.refused('run', 'null', *words, '--time=never')
            self.assertIn('--time', said)
            self.assertNotIn('needs a value', said)
        self.assertEqual(run('help', 'oltp_insert').stdout, run('run', 'oltp_insert', '--help').stdout)

    def test_workloads_as_sysbench_names_them(self):
        if 'run' not in verbs():
            self.skipTest('there is no run yet')
        for name in ('oltp-point-select', 'oltp_point_select.lua', '/usr/share/oltp_point_select.lua'):
            self.assertIn('--table-size', run('run', name, '--help').stdout)
            self.assertIn('--table-size', run('run', '--connections', '4', name, '--help').stdout)
        self.assertIn('did you mean oltp_point_select?', self.refused('run', 'oltp_pont_select'))
        self.assertIn('which workload?', self.refused('run'))
        self.assertIn('did you mean --table-size?',
                      self.refused('run', 'oltp_point_select', '--table-sise=5'))
        self.assertIn('one workload is enough', self.refused('run', 'null', 'oltp_point_select'))

    def test_a_terminal_is_not_written_to_by_strangers(self):
        self.assertNotIn('\x1b', self.refused('\x1b[31m'))
        self.assertNotIn('\x1b', self.refused('list', '--\x1b[31m'))

    def test_a_reader_that_goes_away_is_no_fault(self):
        reading, writing = os.pipe()
        os.close(reading)
        got = subprocess.run([program(), 'list', 'options'], stdout=writing,
                             stderr=subprocess.PIPE, timeout=60)
        os.close(writing)
        self.assertEqual((got.returncode, got.stderr), (0, b''))

    @unittest.skipUnless(os.path.exists('/dev/full'), 'there is no /dev/full')
    def test_a_full_disk_is_told(self):
        with open('/dev/full', 'w') as full:
            got = subprocess.run([program(), 'list'], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(got.returncode, 5)
        self.assertIn('No space left', got.stderr)

    def test_closed_descriptors_do_no_harm(self):
        got = subprocess.run(['sh', '-c', f'{program()} list >&- 2>&- <&-'], timeout=60)
        self.assertEqual(got.returncode, 5)  # the list is lost
        got = subprocess.run(['sh', '-c', f'{program()} list 2>&- <&- >/dev/null'], timeout=60)
        self.assertEqual(got.returncode, 0)


def write(path):
    os.environ['PGDYNO'] = path
    FOLDER.mkdir(parents=True, exist_ok=True)
    for stale in FOLDER.iterdir():
        stale.unlink()
    for name, arguments in cases().items():
        (FOLDER / name).write_text(version_neutral(run(*arguments, check=True).stdout))


if __name__ == '__main__':
    if len(sys.argv) == 3 and sys.argv[1] == '--write':
        write(os.path.abspath(sys.argv[2]))
    else:
        unittest.main()
