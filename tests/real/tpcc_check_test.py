#!/usr/bin/env python3
"""The consistency conditions of TPC-C find what is broken, and nothing else.

One data set, a short run on it, then one damage after the other: each is found by its condition,
named with both values, and taken back.
"""

from harness import *

WAREHOUSES = 1
# name, the damage, how it is taken back, conditions that must find it, words it is named by.
DAMAGES = [
    ('balance', 'UPDATE customer1 SET c_balance = c_balance + 1 WHERE c_w_id = 1 AND c_d_id = 3 AND c_id = 7',
     'UPDATE customer1 SET c_balance = c_balance - 1 WHERE c_w_id = 1 AND c_d_id = 3 AND c_id = 7',
     {10, 12}, 'customer 7'),
    ('warehouse ytd', 'UPDATE warehouse1 SET w_ytd = w_ytd + 1', 'UPDATE warehouse1 SET w_ytd = w_ytd - 1',
     {1, 8}, 'warehouse 1'),
    ('district ytd', 'UPDATE district1 SET d_ytd = d_ytd - 0.01 WHERE d_id = 4',
     'UPDATE district1 SET d_ytd = d_ytd + 0.01 WHERE d_id = 4', {1, 9}, 'district 4'),
    ('ytd unknown', 'UPDATE district1 SET d_next_o_id = d_next_o_id + 1 WHERE d_id = 5',
     'UPDATE district1 SET d_next_o_id = d_next_o_id - 1 WHERE d_id = 5', {2}, 'district 5'),
    ('carrier', 'UPDATE orders1 SET o_carrier_id = NULL WHERE o_d_id = 2 AND o_id = 1000',
     'UPDATE orders1 SET o_carrier_id = 1 WHERE o_d_id = 2 AND o_id = 1000', {5, 7}, 'order 1000'),
    ('delivery date', 'UPDATE order_line1 SET ol_delivery_d = NULL WHERE ol_d_id = 2 AND ol_o_id = 11'
     ' AND ol_number = 1',
     "UPDATE order_line1 SET ol_delivery_d = now() WHERE ol_d_id = 2 AND ol_o_id = 11 AND ol_number = 1",
     {7}, 'line 1 of order 11'),
    ('stock count', 'UPDATE stock1 SET s_order_cnt = s_order_cnt + 1 WHERE s_i_id = 77',
     'UPDATE stock1 SET s_order_cnt = s_order_cnt - 1 WHERE s_i_id = 77', {13}, 's_order_cnt of item 77'),
    ('stock quantity', 'UPDATE stock1 SET s_quantity = s_quantity + 1 WHERE s_i_id = 78',
     'UPDATE stock1 SET s_quantity = s_quantity - 1 WHERE s_i_id = 78', {13}, 's_quantity of item 78'),
]
# Rows that go away for a while: name, table, which, conditions.
LOSSES = [
    ('newest new order', 'new_orders1', 'no_d_id = 1 AND no_o_id = (SELECT max(no_o_id) FROM'
     ' new_orders1 WHERE no_d_id = 1)', {2, 5}),
    ('middle new order', 'new_orders1', 'no_d_id = 1 AND no_o_id = (SELECT min(no_o_id) + 50 FROM'
     ' new_orders1 WHERE no_d_id = 1)', {3, 5}),
    ('order line', 'order_line1', 'ol_d_id = 9 AND ol_o_id = 2500 AND ol_number = 2', {4, 6}),
    ('history', 'history1', 'h_c_d_id = 1 AND h_c_id = 9', {8, 9, 10}),
    ('an order', 'orders1', 'o_d_id = 6 AND o_id = 2222', {4, 5, 6, 11}),
    ('all new orders', 'new_orders1', 'true', {5, 11}),
    ('all history', 'history1', 'true', {8, 9, 10}),
    ('all stock', 'stock1', 'true', {0}),
]


class Conditions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15, {'shared_buffers': '256MB'})
        cls.pgdyno = Pgdyno()
        cls.words = ['tpcc', '--target', cls.server.conninfo(), '--warehouses', str(WAREHOUSES)]
        cls.server.sql('CREATE TABLE bystander (a int); INSERT INTO bystander VALUES (1)')
        cls.loads = os.path.join(cls.pgdyno.home, 'loads')
        cls.pgdyno.run('load', *cls.words, '--use-fk', '--quiet', '--results', cls.loads, check=0,
                       timeout=120)

    @classmethod
    def tearDownClass(cls):
        cls.pgdyno.close()
        cls.server.close()

    def check(self, wanted):
        return self.pgdyno.run('check', *self.words, check=wanted, timeout=120)

    def assert_found(self, conditions, name, words=''):
        done = self.check(8)
        found = {int(number) for number in re.findall(r'condition (\d+),', done.out)}
        if 'rows of warehouse' in done.out:
            found.add(0)
        self.assertTrue(conditions <= found, f'{name}: wanted {conditions}\n{done}')
        self.assertIn(words, done.out, name)
        return found

    def load_report(self):
        [name] = os.listdir(self.loads)
        path = os.path.join(self.loads, name)
        if os.path.isdir(path):
            path = os.path.join(path, 'load.json')
        with open(path, encoding='utf-8') as file:
            return json.load(file)

    def test_1_fresh(self):
        self.check(0)

    def test_1_steps(self):
        """U18: every step has its seconds, foreign keys too. U29: VACUUM, then CHECKPOINT. U28: in
        this database, its tables and no others."""
        report = self.load_report()
        self.assertEqual([phase['step'] for phase in report['phases']],
                         ['create', 'copy', 'index', 'vacuum', 'link', 'object', 'checkpoint'])
        for phase in report['phases']:
            self.assertGreaterEqual(phase['seconds'], 0, phase)
        keys = [step for step in report['steps'] if 'FOREIGN KEY' in step['what']]
        valid = [step for step in report['steps'] if 'VALIDATE' in step['what']]
        self.assertEqual((len(keys), len(valid)), (10, 10))
        vacuumed = self.server.value('SELECT count(*) FROM pg_stat_user_tables WHERE last_vacuum IS'
                                     " NOT NULL AND relname LIKE '%1'")
        self.assertEqual(vacuumed, '9')
        self.assertEqual(self.server.value('SELECT last_vacuum IS NULL FROM pg_stat_user_tables'
                                           " WHERE relname = 'bystander'"), 't')

    def test_1_wide_enough(self):
        """U30: initial values are the specification's, and days of payments do not overflow."""
        self.assertEqual(self.server.value('SELECT w_ytd FROM warehouse1'), '300000.00')
        self.assertEqual(self.server.value('SELECT sum(d_ytd) FROM district1'), '300000.00')
        self.server.sql('UPDATE warehouse1 SET w_ytd = w_ytd + 9999999900;'
                        'UPDATE district1 SET d_ytd = d_ytd + 9999999900')
        try:
            _, result = self.pgdyno.measure(*self.words, '--mix', '0,100,0,0,0', '-c', 4, '--check',
                                            'never', '--transactions', 500, '--warmup', 0, '-q')
            told = result.json()
            self.assertEqual(told['summary']['errors'], {})
            # U14: how it was done is part of the result.
            self.assertEqual(told['plan']['workload_options']['mode'], 'sql')
        finally:
            self.server.sql('UPDATE warehouse1 SET w_ytd = w_ytd - 9999999900;'
                            'UPDATE district1 SET d_ytd = d_ytd - 9999999900')
        self.check(0)

    def test_2_after_a_run(self):
        done = self.pgdyno.run('run', *self.words, '-c', 8, '--transactions', 1500, '--warmup', 0,
                               '--quiet', check=0, timeout=120)
        self.assertIn('consistency after the run: passed', done.out)
        result = self.pgdyno.results()[-1].json()
        self.assertEqual((result['check']['state'], result['check']['failed']), ('passed', 0))
        self.assertEqual(result['check']['checked'], 14)
        self.check(0)

    def test_3_damages(self):
        for name, damage, mend, conditions, words in DAMAGES:
            with self.subTest(name):
                self.server.sql(damage)
                try:
                    found = self.assert_found(conditions, name, words)
                    self.assertEqual(found, conditions, name)
                finally:
                    self.server.sql(mend)

    def test_4_losses(self):
        for name, table, which, conditions in LOSSES:
            with self.subTest(name):
                # As if the keys had not been there to prevent it.
                self.server.sql('SET session_replication_role = replica;'
                                f'CREATE TABLE lost AS SELECT * FROM {table} WHERE {which};'
                                f'DELETE FROM {table} WHERE {which}')
                try:
                    self.assert_found(conditions, name)
                finally:
                    self.server.sql('SET session_replication_role = replica;'
                                    f'INSERT INTO {table} SELECT * FROM lost; DROP TABLE lost')
        self.check(0)

    def test_5_run_finds_it(self):
        """A run on damaged data ends with exit 8, and the result names what differs."""
        self.server.sql('UPDATE warehouse1 SET w_ytd = w_ytd + 1')
        try:
            done = self.pgdyno.run('run', *self.words, '-c', 2, '--transactions', 50, '--warmup', 0,
                                   '--quiet', check=8, timeout=120)
            check = self.pgdyno.results()[-1].json()['check']
            self.assertEqual(check['state'], 'failed')
            self.assertIn('warehouse 1', str(check['differences']))
            self.assertIn('w_ytd', done.out)
            never = self.pgdyno.run('run', *self.words, '-c', 2, '--transactions', 50, '--warmup',
                                    0, '--quiet', '--check', 'never', check=0, timeout=120)
            self.assertIn('skipped', never.out)
        finally:
            self.server.sql('UPDATE warehouse1 SET w_ytd = w_ytd - 1')

    def test_6_traffic_elsewhere(self):
        """Transactions in another database are in no figure, and are told."""
        self.server.sql('CREATE DATABASE other')
        run = self.pgdyno.start('run', *self.words, '-c', 2, '--time', 3, '--warmup', 0, '--quiet',
                                '--check', 'never', '--results', self.pgdyno.results_folder)
        try:
            wait_until(lambda: self.server.sessions() >= 2)
            for _ in range(5):
                self.server.sql('DO $$ BEGIN FOR i IN 1..999 LOOP COMMIT; END LOOP; END $$', 'other')
        finally:
            out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, out + err)
        told = self.pgdyno.results()[-1].json()
        self.assertGreaterEqual(told['books']['elsewhere'], 5000)
        self.assertTrue(told['books']['ok'], told['books'])
        self.assertTrue(told['ledgers'][0]['balanced'], told['ledgers'])
        self.assertIn('other databases', ' '.join(told['notes']))
        done = told['summary']['transactions']
        ended = done['done'] + done['rolled_back']
        self.assertAlmostEqual(told['summary']['tpm'], 60 * ended / told['summary']['measured_s'],
                               places=3)


if __name__ == '__main__':
    main()
