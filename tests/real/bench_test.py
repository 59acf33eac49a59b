#!/usr/bin/env python3
"""`pgdyno bench`: a plan carried out, interrupted, killed and gone on with."""

import collections
import json
import os
import signal
import unittest

from harness import (Pgdyno, Postgres, Result, installed_majors, main, need_postgres,
                     skip_or_fail, wait_until)

DELETES = 400


def two_majors():
    majors = installed_majors()
    if len(majors) < 2:
        skip_or_fail('two majors of PostgreSQL are wanted')
    return majors[-2:]


class Bench:
    """A plan in a folder of its own, with a program to carry it out."""

    def __init__(self, pgdyno, plan, name='plan.yaml'):
        self.pgdyno, self.folder = pgdyno, os.path.join(pgdyno.home, 'out')
        self.plan = self.write(name, plan)

    def write(self, name, content):
        path = os.path.join(self.pgdyno.home, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(content)
        return path

    def run(self, *options, **more):
        return self.pgdyno.run('bench', self.plan, '-o', self.folder, *options, timeout=200, **more)

    def index(self):
        with open(os.path.join(self.folder, 'index.json'), encoding='utf-8') as file:
            return json.load(file)

    def runs(self, state='done'):
        try:
            return [run for run in self.index()['runs'] if run['state'] == state]
        except FileNotFoundError:
            return []

    def result(self, run):
        return Result(os.path.join(self.folder, run['result']))

    def everything(self):
        content = b''
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with open(os.path.join(folder, name), 'rb') as file:
                    content += file.read()
        return content


def processes_with(word):
    """Command lines of processes that hold the word."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as file:
                line = file.read().replace(b'\0', b' ').decode('utf-8', 'replace')
        except OSError:
            continue
        if word in line:
            found.append(line)
    return found


class Majors(unittest.TestCase):
    """Two majors, data restored from a copy, the bench interrupted and killed on the way."""

    PLAN = '''
name: majors
seed: 11
targets:
  - {{name: old, target: "local:{0}"}}
  - {{name: new, target: "local:{1}"}}
workloads:
  - {{workload: oltp_point_select, table-size: 1000, time: 300ms, warmup: 0}}
  - {{workload: oltp_delete, table-size: 1000, transactions: {2}, warmup: 0}}
repeats: 2
restore: copy
'''

    def check_order(self, index):
        runs = sorted(index['runs'], key=lambda run: run['order'])
        self.assertEqual(len(runs), 8)
        for block in (1, 2):
            mine = [run for run in runs if run['block'] == block]
            self.assertEqual(len({run['seed'] for run in mine}), 1)
            pairs = [(run['target'], run['row']) for run in mine]
            self.assertEqual(len(set(pairs)), 4)
            for one, other in zip(mine[::2], mine[1::2]):
                self.assertEqual(one['row'], other['row'])
        self.assertEqual(len({run['seed'] for run in runs}), 2)

    def check_results(self, bench):
        deleted = collections.defaultdict(set)
        for run in bench.runs():
            result = bench.result(run).json()
            self.assertEqual(result['plan']['seed'], run['seed'])
            self.assertTrue(result['target']['local'])
            self.assertEqual(run['state_before']['restore'], 'copy')
            self.assertTrue(run['precondition']['vacuum']['done'])
            self.assertTrue(run['precondition']['checkpoint']['done'])
            before = bench.result(run).json('before.json')
            self.assertEqual(before['all_settings']['data_checksums'], 'on')
            if run['row'] == 'oltp_delete':
                self.assertEqual(result['statements']['delete']['count'], DELETES)
                deleted[run['block']].add(result['statements']['delete']['rows'])
        # One seed and the same data: each target has lost the same rows, and in the second block
        # about as many as in the first: there they would be half as many on what was left.
        for block in (1, 2):
            self.assertEqual(len(deleted[block]), 1, deleted)
        first, second = min(deleted[1]), min(deleted[2])
        self.assertGreater(second, 0.8 * first)

    def test_goes_on_where_it_was(self):
        majors = two_majors()
        with Pgdyno() as pgdyno:
            bench = Bench(pgdyno, self.PLAN.format(*majors, DELETES))
            self.dry_run(bench)
            self.interrupt(bench)
            self.kill(bench)
            done = bench.pgdyno.run('bench', bench.folder, timeout=200, check=0)
            self.assertIn('8/8', done.out)
            self.assertEqual(len(bench.runs()), 8)
            self.assertEqual(len({run['result'] for run in bench.runs()}), 8)
            self.check_order(bench.index())
            self.check_results(bench)
            self.other_plan(bench)
            self.assertEqual(processes_with(os.path.join(pgdyno.home, 'state')), [])
            self.assertFalse(os.path.exists(os.path.join(pgdyno.home, 'state/pgdyno/servers')))

    def dry_run(self, bench):
        done = bench.run('--dry-run', check=0)
        self.assertIn('8 runs on 2 targets in 2 blocks, seed 11, restore copy', done.out)
        for factor in '--scale-factor', '--time-factor':
            self.assertIn(factor + '=0: too small', bench.run('--dry-run', factor, '0', check=2).err)
        self.assertFalse(os.path.exists(bench.folder))
        self.assertEqual(done.out, bench.run('--dry-run', check=0).out)

    def interrupt(self, bench):
        process = bench.pgdyno.start('bench', bench.plan, '-o', bench.folder)
        wait_until(lambda: bench.runs(), 120, 'a first run that is done')
        second = bench.pgdyno.run('bench', bench.plan, '-o', bench.folder)
        self.assertIn('another pgdyno bench is at work', second.err)
        second = bench.pgdyno.run('bench', bench.plan, '-o', bench.folder + '-2', check=3)
        self.assertIn('another pgdyno bench is at work with the servers', second.err)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn('goes on from here', err)

    def kill(self, bench):
        before = len(bench.runs())
        self.assertGreater(before, 0)
        self.assertLess(before, 8)
        process = bench.pgdyno.start('bench', bench.plan, '-o', bench.folder)
        wait_until(lambda: len(bench.runs()) > before, 120, 'another run that is done')
        process.kill()
        process.communicate(timeout=60)
        wait_until(lambda: not processes_with(f'--results={bench.folder}/runs'), 20,
                   'the end of the run that was at hand')
        self.assertLess(len(bench.runs()), 8)

    def other_plan(self, bench):
        with open(bench.plan, encoding='utf-8') as file:
            content = file.read()
        bench.write('plan.yaml', content.replace('restore: copy', 'restore: keep'))
        done = bench.run(check=3)
        self.assertIn('`restore: copy\', now it is `restore: keep\'', done.err)
        self.assertIn('restore: keep', bench.run('--dry-run', check=3).err)


class OneServer(unittest.TestCase):
    """One major with different settings, and one that does not start."""

    PLAN = '''
name: settings
targets:
  - {{name: small, target: "local:{0}", settings: [base.conf, small.conf]}}
  - {{name: large, target: "local:{0}", settings: base.conf}}
  - {{name: wrong, target: "local:{0}", settings: wrong.conf}}
workloads:
  - {{workload: oltp_point_select, table-size: 100, time: 200ms, warmup: 0}}
precondition: none
'''

    def bench(self, pgdyno):
        if not installed_majors():
            skip_or_fail('no PostgreSQL server on this machine')
        bench = Bench(pgdyno, self.PLAN.format(installed_majors()[-1]))
        bench.write('base.conf', 'work_mem = 9MB\n')
        bench.write('small.conf', "work_mem = '3MB'\n")
        bench.write('wrong.conf', 'work_mem = much\n')
        return bench

    def test_settings_are_in_force(self):
        with Pgdyno() as pgdyno:
            bench = self.bench(pgdyno)
            done = bench.run(check=3)
            self.assertIn('1 of 3 runs failed', done.err)
            [failed] = bench.runs('failed')
            self.assertEqual((failed['target'], failed['exit_code']), ('wrong', 3))
            self.assertIn('work_mem', failed['error'])
            found = {run['target']: bench.result(run).json('before.json')['all_settings']['work_mem']
                     for run in bench.runs()}
            self.assertEqual(found, {'small': '3072', 'large': '9216'})
            bench.run('--retry-failed', check=3)
            self.assertEqual(len(bench.runs()), 2)

    def test_a_plan_does_not_act(self):
        with Pgdyno() as pgdyno:
            bench = self.bench(pgdyno)
            bench.write('wrong.conf', "# \n  Archive_Command = 'touch /tmp/here'\n")
            done = bench.run(check=3)
            self.assertIn('wrong.conf:2: Archive_Command: a plan is data', done.err)
            os.remove(os.path.join(pgdyno.home, 'wrong.conf'))
            done = bench.run(check=2)
            self.assertRegex(done.err, r'plan.yaml:\d+: target wrong: settings: cannot read [^ ]*wrong.conf: ')
            self.assertFalse(os.path.exists(bench.folder))


class Fresh(unittest.TestCase):
    """With a copy every run begins from data as loaded, whatever was on that server before."""

    PLAN = '''
name: fresh
seed: 3
targets: [{{name: a, target: "local:{0}"}}]
workloads:
  - {{workload: oltp_delete, table-size: 1000, transactions: {1}, warmup: 0}}
precondition: none
restore: copy
'''

    def deleted(self, bench, block):
        [run] = [run for run in bench.runs() if run['block'] == block]
        return bench.result(run).json()['statements']['delete']['rows']

    def test_other_folders_and_removed_servers(self):
        if not installed_majors():
            skip_or_fail('no PostgreSQL server on this machine')
        with Pgdyno() as pgdyno:
            one = Bench(pgdyno, self.PLAN.format(installed_majors()[-1], DELETES))
            one.run(check=0)
            first = self.deleted(one, 1)
            self.assertGreater(first, 0.5 * DELETES)
            # Another bench of that name: what the first one deleted is there again.
            other = Bench(pgdyno, self.PLAN.format(installed_majors()[-1], DELETES))
            other.folder = os.path.join(pgdyno.home, 'other')
            other.run('--servers', 'remove', check=0)
            self.assertEqual(self.deleted(other, 1), first)
            # Nothing is left of its servers, and it takes a further block all the same.
            self.assertEqual(other.index()['data'], {})
            other.run('--repeats', '2', check=0)
            self.assertGreater(self.deleted(other, 2), 0.8 * first)


class Suite(unittest.TestCase):
    """The 32 microbenchmarks with what is between them; run only when there is time."""

    PLAN = '''
name: suite
targets: [{{name: a, target: "local:{0}"}}]
workloads:
  - {{suite: micro, tables: 2, table-size: 1000, connections: 2, read-time: 20s, write-time: 20s,
     warm-time: 20s, warmup: 0}}
restore: reload
'''

    def test_the_published_order(self):
        if not installed_majors():
            skip_or_fail('no PostgreSQL server on this machine')
        with Pgdyno() as pgdyno:
            bench = Bench(pgdyno, self.PLAN.format(installed_majors()[-1]))
            done = bench.run('--dry-run', check=0)
            self.assertIn('40 runs on 1 target', done.out)
            self.assertIn('postwrite.load, 60 s', done.out)
            if os.environ.get('PGDYNO_TEST_FULL') != '1':
                return
            bench.run('--time-factor', '0.002', check=0)
            self.assertEqual(len(bench.index()['rows']), 32)
            self.assertEqual(len(bench.runs()), 32)
            between = bench.index()['unreported']
            self.assertEqual([step['state'] for step in between], ['done'] * 8)
            first = bench.runs()[0]
            self.assertEqual((first['row'], first['order']), ('update-inlist', 6))


class Foreign(unittest.TestCase):
    """A server that is not ours, reached with a password, its database a template."""

    PLAN = '''
name: foreign
targets: [{name: a, target: $BENCH_SERVER}]
workloads:
  - {workload: oltp_insert, table-size: 100, transactions: 50, warmup: 0}
repeats: 2
restore: template
'''

    def test_secrets_stay_secret_and_the_template_as_it_is(self):
        need_postgres(15)
        with Postgres(15) as server, Pgdyno() as pgdyno:
            server.sql('CREATE DATABASE mine')
            bench = Bench(pgdyno, self.PLAN)
            secret = server.conninfo('mine', password='hunter2')
            lines = []
            process = pgdyno.start('bench', bench.plan, '-o', bench.folder,
                                   env={'BENCH_SERVER': secret})

            def look():
                lines.extend(processes_with('--label=b02'))
                return process.poll() is not None

            wait_until(look, 120, 'the end of the bench', every=0.005)
            out, err = process.communicate()
            self.assertEqual(process.returncode, 0, out + err)
            self.assertTrue(lines)
            self.assertNotIn('hunter2', ''.join(lines) + out + err)
            self.assertNotIn(b'hunter2', bench.everything())
            self.assertEqual(server.value('SELECT count(*) FROM sbtest1', 'mine'), '100')
            self.assertEqual(server.value('SELECT count(*) FROM sbtest1', 'mine_pgdyno_bench'), '150')
            done = bench.run(check=3)
            self.assertIn('BENCH_SERVER', done.err)
            done = bench.run('--repeats', '3', check=3,
                             env={'BENCH_SERVER': server.conninfo('other', password='hunter2')})
            self.assertIn('target a was ', done.err)
            self.assertNotIn('hunter2', done.err)

    def test_a_password_in_a_plan_is_refused(self):
        with Pgdyno() as pgdyno:
            bench = Bench(pgdyno, self.PLAN.replace('$BENCH_SERVER', '"host=a password=hunter2"'))
            done = bench.run(check=3)
            self.assertIn('PGPASSFILE', done.err)
            self.assertNotIn('hunter2', done.out + done.err)


if __name__ == '__main__':
    main()
