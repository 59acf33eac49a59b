"""What the machine did, held against what this test sees in /proc itself."""

import os
import unittest

from harness import Pgdyno, Postgres, installed_majors, main

TICKS = os.sysconf('SC_CLK_TCK')


def cpu_of(server):
    """CPU seconds of the server until now: the living and, through their parent, the ended."""
    total = 0
    for number, pid in enumerate([server.pid] + server.children()):
        try:
            with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
                fields = file.read().rsplit(')', 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += sum(int(field) for field in fields[11:15 if number == 0 else 13])
    return total / TICKS


def machine_of(result):
    return result.json()['machine']


class MachineTest(unittest.TestCase):
    def test_backends_that_come_and_go(self):
        """With a connection a transaction nearly all CPU is of backends that have ended."""
        with Postgres(15) as server, Pgdyno() as pgdyno:
            self.load(pgdyno, server)
            before = cpu_of(server)
            _, result = pgdyno.measure('oltp_point_select', '-t', server.conninfo(), '-c', '2',
                                       '--tables', '1', '--table-size', '100', '--time', '2',
                                       '--reconnect', '1')
            whole = cpu_of(server) - before
            machine = machine_of(result)
            self.assertLess(machine['server']['cpu_s'], whole + 0.1)
            self.assertGreater(machine['server']['cpu_s'], 0.5 * whole)
            self.assertEqual(machine['roles'], ['client', 'server'])
            self.assertIsNone(machine['why'])

    def load(self, pgdyno, server):
        pgdyno.run('load', 'oltp_point_select', '-t', server.conninfo(), '--tables', '1',
                   '--table-size', '100', check=0)

    def test_a_write_load(self):
        with Postgres(installed_majors()[-1], settings={'fsync': 'on'}) as server, \
                Pgdyno() as pgdyno:
            self.load(pgdyno, server)
            done, result = pgdyno.measure('oltp_update_index', '-t', server.conninfo(), '-c', '2',
                                          '--tables', '1', '--table-size', '100', '--time', '2',
                                          '--warmup', '1')
            all_of_it = result.json()
            machine, queries = all_of_it['machine'], all_of_it['summary']['queries']['total']
            query, published = machine['per_query'], machine['published']
            self.assertAlmostEqual(machine['seconds'], all_of_it['summary']['measured_s'],
                                   delta=0.25)
            self.assertAlmostEqual(query['server_cpu_us'] * queries / 1e6,
                                   machine['server']['cpu_s'], places=6)
            whole = machine['whole']
            self.assertGreater(whole['cpu_s'] + 0.1 * whole['cpus'],
                               machine['server']['cpu_s'] + machine['client']['cpu_s'] - 0.1)
            self.assertGreater(whole['context_switches'], 0)
            self.assertAlmostEqual(published['o/s'], all_of_it['summary']['queries']['per_s'],
                                   delta=1)
            # Percent of the machine at a rate, times CPUs: CPU time of a query.
            self.assertAlmostEqual(published['cpu/o'] * whole['cpus'] * 1e4
                                   / query['machine_cpu_us'], 1, delta=0.2)
            if machine['devices'] is None:
                self.assertIsNotNone(machine['devices_why'])
            else:
                self.assertEqual({use for row in machine['devices'] for use in row['for']},
                                 {'data', 'wal'})
                self.assertGreater(sum(row['writes'] for row in machine['devices']), 0)
                self.assertGreater(query['written_kb'], 0)
            seconds = [line['machine'] for line in result.series() if line['machine']]
            self.assertTrue(any(second['server_cpus'] > 0 for second in seconds))
            self.assertIn('CPU a query', done.out)

    def test_majors_have_their_postmaster(self):
        some = installed_majors()
        for major in some if os.environ.get('PGDYNO_TEST_FULL') else {some[0], some[-1]}:
            with self.subTest(major=major), Postgres(major) as server, Pgdyno() as pgdyno:
                self.load(pgdyno, server)
                _, result = pgdyno.measure('oltp_point_select', '-t', server.conninfo(), '--tables',
                                           '1', '--table-size', '100', '--time', '1')
                self.assertGreater(machine_of(result)['server']['cpu_s'], 0)

    def test_no_server(self):
        with Pgdyno() as pgdyno:
            _, result = pgdyno.measure('null', '--time', '1')
            machine = machine_of(result)
            self.assertIsNone(machine['server'])
            self.assertIsNone(machine['devices'])
            self.assertIsNone(machine['published']['cpu/o'])
            self.assertIn('no server', machine['why'])
            self.assertGreater(machine['client']['cpu_s'], 0)


if __name__ == '__main__':
    main()
