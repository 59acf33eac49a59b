"""Many terminals on few connections of a real PostgreSQL: their pace, what waits and what is put
off, the shares that the rules bound, and the data that say how much was done."""

from harness import *

WAREHOUSES = 1
CYCLE_S = 20.99  # of a terminal by the rules, on average, without the answers
OUTCOMES = ('done', 'rolled_back', 'failed', 'unknown', 'dropped', 'unfinished')


class Terminals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15, {'shared_buffers': '256MB', 'synchronous_commit': 'off'})
        cls.pgdyno = Pgdyno()
        cls.words = ['-t', cls.server.conninfo(), '--warehouses', WAREHOUSES, '--check', 'never']
        cls.pgdyno.run('load', 'tpcc', *cls.words, '--quiet', check=0, timeout=200)

    @classmethod
    def tearDownClass(cls):
        cls.pgdyno.close()
        cls.server.close()

    def measure(self, *options):
        done, result = self.pgdyno.measure('tpcc', *self.words, '--quiet', *options)
        return done, result.json()

    def assert_balanced(self, result):
        counts = result['summary']['transactions']
        self.assertEqual(counts['scheduled'], sum(counts[outcome] for outcome in OUTCOMES))
        self.assertTrue(result['books']['balanced'], result['books'])
        self.assertTrue(result['books']['ok'], result['books'])
        for ledger in result['ledgers']:
            self.assertTrue(ledger['balanced'], ledger)
        self.assertGreater(len(result['ledgers']), 0)

    def test_pace(self):
        done, result = self.measure('--terminals', 200, '--pace-scale', 40, '-c', 4, '--time', 4,
                                    '--warmup', 1)
        self.assert_balanced(result)
        terminals = result['terminals']
        self.assertEqual((terminals['count'], terminals['wanted'], terminals['pace_scale']),
                         (200, 10 * WAREHOUSES, 40))
        self.assertFalse(result['closed_loop'])
        counts = result['summary']['transactions']
        # Slower when the answers take long, but never faster than the terminals.
        expected = 200 * result['summary']['measured_s'] * 40 / CYCLE_S
        self.assertLess(counts['scheduled'], 1.15 * expected)
        self.assertGreater(counts['scheduled'], 0)
        self.assertGreater(terminals['deferred']['queued'], 0)
        delivery = result['transactions']['delivery']
        self.assertEqual(delivery['scheduled'], terminals['deferred']['queued'])
        self.assertIn('NOT BY THE RULES', done.out)
        rates = {row['name']: row for row in result['rates']}
        self.assertEqual(rates['nopm_per_warehouse']['verdict'], 'not applicable')
        self.assertEqual(rates['delivery_in_time']['part'], delivery['done'])
        self.assertEqual(rates['lines_per_order']['part'], result['tallies']['lines'])
        self.assertEqual(result['tallies']['payments'], result['transactions']['payment']['done'])
        minutes = result['summary']['measured_s'] / 60
        self.assertAlmostEqual(result['summary']['nopm'],
                               result['transactions']['new_order']['done'] / minutes, delta=0.01)
        self.assertAlmostEqual(result['summary']['tpm'],
                               (counts['done'] + counts['rolled_back']) / minutes, delta=0.01)

    def test_more_than_a_connection_can_carry(self):
        """What is due waits in order, with its times; what is left is dropped; Deliveries, which
        nobody waits for, are left most of all."""
        _, result = self.measure('--terminals', 2000, '--pace-scale', 20000, '-c', 1, '--time', 3,
                                 '--warmup', 0)
        self.assert_balanced(result)
        counts = result['summary']['transactions']
        times = result['summary']['latency_ms']
        # All terminals but the one that is served wait at the end.
        self.assertGreater(counts['dropped'], 1500)
        self.assertGreater(times['queue']['p50'], times['service']['p50'])
        self.assertLess(times['response']['max'], 3100)
        delivery = result['transactions']['delivery']
        self.assertEqual(delivery['done'], 0)
        self.assertEqual(delivery['dropped'], result['terminals']['deferred']['left'])
        self.assertLess(result['phases']['drain']['seconds'], 5)

    def test_by_count(self):
        _, result = self.measure('--terminals', 50, '--pace-scale', 1000, '-c', 3, '-j', 2,
                                 '--transactions', 300, '--warmup', 0)
        self.assert_balanced(result)
        counts = result['summary']['transactions']
        self.assertEqual(counts['scheduled'], 300)
        self.assertEqual(counts['done'] + counts['rolled_back'], 300)

    def test_as_many_as_the_rules_want(self):
        done, result = self.measure('--terminals', 'full', '-c', 2, '--time', 3, '--warmup', 0)
        self.assert_balanced(result)
        self.assertEqual(result['terminals']['count'], 10 * WAREHOUSES)
        self.assertEqual(result['plan']['terminals'], 10 * WAREHOUSES)
        rates = {row['name']: row for row in result['rates']}
        self.assertNotEqual(rates['nopm_per_warehouse']['verdict'], 'not applicable')
        self.assertIn('keying and thinking by the rules', done.out)

    def test_what_makes_no_sense(self):
        for words, said in ((['tpcc', '--terminals', 2, '-c', 4], 'nothing to do'),
                            (['tpcc', '--terminals', 20, '--rate', 5], 'leave --rate'),
                            (['tpcc', '--terminals', 20, '--think', '1s'], 'leave --think'),
                            (['oltp_point_select', '--terminals', 20], 'no keying and thinking')):
            done = self.pgdyno.run('run', *words, '-t', self.server.conninfo(), check=2)
            self.assertIn(said, done.err)


if __name__ == '__main__':
    main()
