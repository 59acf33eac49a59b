"""ping: every round trip is there, and the network's share is the kernel's."""

import csv
import io
import unittest

from harness import Pgdyno, Postgres, main


class PingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(16, tcp=True)
        cls.pgdyno = Pgdyno()
        cls.addClassCleanup(cls.server.close)
        cls.addClassCleanup(cls.pgdyno.close)

    def ping(self, *options, tcp=False):
        done, result = self.pgdyno.measure('ping', '-t', self.server.conninfo(tcp=tcp), *options)
        return done, result.json(), list(csv.DictReader(io.StringIO(
            result.text('round_trips.csv')))), result

    def test_200_over_tcp(self):
        done, tree, rows, result = self.ping(tcp=True)
        trips, network = tree['round_trips'], tree['network']
        self.assertEqual((trips['count'], len(rows), trips['not_kept']), (200, 200, 0))
        self.assertEqual(tree['statements']['one']['count'], 200)
        times = sorted(float(row['ms']) for row in rows)
        self.assertAlmostEqual(trips['min_us'], 1000 * times[0], delta=0.01)
        self.assertAlmostEqual(trips['p50_us'], 1000 * times[99], delta=0.01)
        self.assertAlmostEqual(trips['p99_us'], 1000 * times[197], delta=0.01)
        self.assertAlmostEqual(trips['max_us'], 1000 * times[-1], delta=0.01)
        # The histogram saw the same.
        self.assertAlmostEqual(tree['summary']['latency_ms']['response']['max'], times[-1],
                               delta=0.001)
        begun = [float(row['at_s']) for row in rows]
        self.assertEqual(begun, sorted(begun))
        self.assertEqual(network['sockets'], 1)
        self.assertGreater(trips['tcp_rtt_us'], 0)
        self.assertLess(trips['tcp_rtt_us'], trips['p50_us'])
        self.assertAlmostEqual(trips['tcp_rtt_us'], 1000 * network['min_rtt_ms'], delta=0.01)
        self.assertIn('round_trips.csv', result.text('sha256sums'))
        self.assertIn('the fastest round trip', done.out)

    def test_several_connections_over_a_unix_socket(self):
        _, tree, rows, _ = self.ping('-c', '3', '--count', '50')
        self.assertEqual(len(rows), 150)
        # Whoever is free takes the next.
        self.assertLessEqual({row['connection'] for row in rows}, {'1', '2', '3'})
        self.assertIsNone(tree['network'])
        self.assertIsNone(tree['round_trips']['tcp_rtt_us'])
        self.assertIsNone(tree['summary']['above_tcp_us'])
        self.assertTrue(tree['books']['ok'], tree['books'])


if __name__ == '__main__':
    main()
