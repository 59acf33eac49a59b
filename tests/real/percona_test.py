"""Percona's sysbench-tpcc: its schema, the statements it says and how many, defects kept and mended.

Statements are taken from the server's log, so they are what really arrived."""

import collections
import re
import unittest

from harness import Pgdyno, Postgres, main

# Of every transaction each statement as (name, its shape): numbers are N, texts T.
SHAPES = {
    'new_order.customer': 'SELECT c_discount, c_last, c_credit, w_tax FROM customer1, warehouse1 '
                          'WHERE w_id = N AND c_w_id = w_id AND c_d_id = N AND c_id = N',
    'new_order.lock_district': 'SELECT d_next_o_id, d_tax FROM district1 WHERE d_w_id = N AND d_id '
                               '= N FOR UPDATE',
    'new_order.next_order': 'UPDATE district1 SET d_next_o_id = N WHERE d_id = N AND d_w_id = N',
    'new_order.add_order': 'INSERT INTO orders1 (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, '
                           'o_all_local) VALUES (N, N, N, N, NOW(), N, N)',
    'new_order.add_new_order': 'INSERT INTO new_orders1 (no_o_id, no_d_id, no_w_id) VALUES (N, N, '
                               'N)',
    'new_order.item': 'SELECT i_price, i_name, i_data FROM item1 WHERE i_id = N',
    'new_order.lock_stock': 'SELECT s_quantity, s_data, s_dist_DD AS s_dist FROM stock1 WHERE s_i_id '
                            '= N AND s_w_id = N FOR UPDATE',
    'new_order.change_stock': 'UPDATE stock1 SET s_quantity = N WHERE s_i_id = N AND s_w_id = N',
    'new_order.add_line': 'INSERT INTO order_line1 (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, '
                          'ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES (N, N, N, '
                          'N, N, N, N, N, T)',
    'payment.pay_warehouse': 'UPDATE warehouse1 SET w_ytd = w_ytd + N WHERE w_id = N',
    'payment.warehouse': 'SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM '
                         'warehouse1 WHERE w_id = N',
    'payment.pay_district': 'UPDATE district1 SET d_ytd = d_ytd + N WHERE d_w_id = N AND d_id = N',
    'payment.district': 'SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM '
                        'district1 WHERE d_w_id = N AND d_id = N',
    'payment.find_payer': 'SELECT c_id FROM customer1 WHERE c_w_id = N AND c_d_id = N AND c_last = '
                          'T ORDER BY c_first',
    'payment.lock_payer': 'SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, '
                          'c_state, c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, '
                          'c_ytd_payment, c_since FROM customer1 WHERE c_w_id = N AND c_d_id = N '
                          'AND c_id = N FOR UPDATE',
    'payment.data': 'SELECT c_data FROM customer1 WHERE c_w_id = N AND c_d_id = N AND c_id = N',
    'payment.pay_customer': 'UPDATE customer1 SET c_balance = N, c_ytd_payment = N WHERE c_w_id = N '
                            'AND c_d_id = N AND c_id = N',
    'payment.add_history': 'INSERT INTO history1 (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, '
                           'h_date, h_amount, h_data) VALUES (N, N, N, N, N, NOW(), N, T)',
    'order_status.find_customer': 'SELECT c_balance, c_first, c_middle, c_id FROM customer1 WHERE '
                                  'c_w_id = N AND c_d_id = N AND c_last = T ORDER BY c_first',
    'order_status.customer': 'SELECT c_balance, c_first, c_middle, c_last FROM customer1 WHERE '
                             'c_w_id = N AND c_d_id = N AND c_id = N',
    'order_status.last_order': 'SELECT o_id, o_carrier_id, o_entry_d FROM orders1 WHERE o_w_id = N '
                               'AND o_d_id = N AND o_c_id = N ORDER BY o_id DESC',
    'order_status.lines': 'SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d '
                          'FROM order_line1 WHERE ol_w_id = N AND ol_d_id = N AND ol_o_id = N',
    'delivery.oldest_new_order': 'SELECT no_o_id FROM new_orders1 WHERE no_d_id = N AND no_w_id = N '
                                 'ORDER BY no_o_id ASC LIMIT N FOR UPDATE',
    'delivery.take_new_order': 'DELETE FROM new_orders1 WHERE no_o_id = N AND no_d_id = N AND '
                               'no_w_id = N',
    'delivery.buyer': 'SELECT o_c_id FROM orders1 WHERE o_id = N AND o_d_id = N AND o_w_id = N',
    'delivery.carry_order': 'UPDATE orders1 SET o_carrier_id = N WHERE o_id = N AND o_d_id = N AND '
                            'o_w_id = N',
    'delivery.deliver_lines': 'UPDATE order_line1 SET ol_delivery_d = NOW() WHERE ol_o_id = N AND '
                              'ol_d_id = N AND ol_w_id = N',
    'delivery.sum_lines': 'SELECT SUM(ol_amount) sm FROM order_line1 WHERE ol_o_id = N AND ol_d_id = '
                          'N AND ol_w_id = N',
    'delivery.charge_customer': 'UPDATE customer1 SET c_balance = c_balance + N, c_delivery_cnt = '
                                'c_delivery_cnt + N WHERE c_id = N AND c_d_id = N AND c_w_id = N',
    'stock_level.next_order': 'SELECT d_next_o_id FROM district1 WHERE d_id = N AND d_w_id = N',
    'stock_level.count_low': 'SELECT COUNT(DISTINCT(s_i_id)) FROM order_line1, stock1 WHERE ol_w_id '
                             '= N AND ol_d_id = N AND ol_o_id < N AND ol_o_id >= N AND s_w_id = N '
                             'AND s_i_id = ol_i_id AND s_quantity < N',
}
NAMES = 'SELECT count(c_id) namecnt FROM customer1 WHERE c_w_id = N AND c_d_id = N AND c_last = T'
BAD_CREDIT = 'UPDATE customer1 SET c_balance = N, c_ytd_payment = N, c_data = T WHERE c_w_id = N ' \
             'AND c_d_id = N AND c_id = N'
COLUMNS = {'warehouse': 9, 'district': 11, 'customer': 21, 'history': 8, 'orders': 8,
           'new_orders': 3, 'order_line': 10, 'stock': 17, 'item': 5}
INDEXES = ['customer1_pkey', 'district1_pkey', 'fkey_history_11', 'fkey_history_21',
           'fkey_order_line_21', 'fkey_stock_21', 'idx_customer1', 'idx_orders1', 'item1_pkey',
           'new_orders1_pkey', 'order_line1_pkey', 'orders1_pkey', 'stock1_pkey', 'warehouse1_pkey']


def shape(sql):
    sql = re.sub(r"'(?:[^']|'')*'", 'T', sql)
    sql = re.sub(r's_dist_\d\d ', 's_dist_DD ', sql)
    return re.sub(r'(?<![\w.])-?\d+(\.\d+)?\b', 'N', sql)


class Percona(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15, settings={'max_wal_size': '4GB', 'autovacuum': 'off'})
        cls.addClassCleanup(cls.server.close)
        cls.pgdyno = Pgdyno()
        cls.addClassCleanup(cls.pgdyno.close)
        cls.server.sql('CREATE DATABASE loaded')
        cls.pgdyno.run('load', *cls.words('percona', 'loaded'), check=0)

    @classmethod
    def words(cls, compat, database):
        return ['tpcc', '--compat', compat, '--tables', '1', '--scale=1', '--use_fk=1', '-t',
                cls.server.conninfo(database)]

    def sql(self, text):
        return self.server.sql(text, 'loaded')

    def measure(self, compat, *more):
        """A run's JSON, its output, and what the server was told by it; on data of its own."""
        database = self.id().rsplit('.', 1)[1]
        self.server.sql(f'CREATE DATABASE {database} TEMPLATE loaded;'
                        f'ALTER DATABASE {database} SET log_statement = "all"')
        before = len(self.server.log)
        done, result = self.pgdyno.measure(*self.words(compat, database), '--warmup', '0', '--time',
                                           '0', '--seed', '5', *more)
        said = re.findall(r'\] pgdyno LOG:  statement: (.*)', self.server.log[before:])
        self.value = lambda text: self.server.sql(text, database)[0][0]
        return result.json(), done.out, said

    def test_schema(self):
        columns = dict(self.sql("SELECT table_name, count(*) FROM information_schema.columns "
                                       "WHERE table_schema = 'public' AND table_name LIKE '%1' "
                                       "GROUP BY 1"))
        self.assertEqual(columns, {name + '1': str(count) for name, count in COLUMNS.items()})
        types = self.sql("SELECT column_name, format_type(atttypid, atttypmod) FROM "
                                "information_schema.columns JOIN pg_attribute ON attrelid = "
                                "table_name::regclass AND attname = column_name WHERE table_name "
                                "IN ('stock1', 'history1') AND column_name !~ 'dist'")
        self.assertEqual(dict(types), {
            's_i_id': 'integer', 's_w_id': 'smallint', 's_quantity': 'smallint',
            's_ytd': 'numeric(8,0)', 's_order_cnt': 'smallint', 's_remote_cnt': 'smallint',
            's_data': 'character varying(50)', 'h_c_id': 'integer', 'h_c_d_id': 'smallint',
            'h_c_w_id': 'smallint', 'h_d_id': 'smallint', 'h_w_id': 'smallint',
            'h_date': 'timestamp without time zone', 'h_amount': 'numeric(6,2)',
            'h_data': 'character varying(24)'})
        self.assertEqual(sorted(row[0] for row in self.sql(
            "SELECT indexrelid::regclass FROM pg_index WHERE indrelid::regclass::text ~ '^[a-z_]+1$'")),
            INDEXES)
        self.assertEqual(self.sql("SELECT count(*), bool_and(convalidated) FROM pg_constraint "
                                         "WHERE contype = 'f'"), [('10', 't')])

    def test_rows(self):
        one_letter = "'^(.)\\1*$'"
        for question, answer in {
            "SELECT w_ytd, w_name ~ '^name-[a-z]{5}$', w_zip ~ '^zip-[0-9]{5}$' FROM warehouse1":
                ('300000.00', 't', 't'),
            "SELECT count(*), min(d_next_o_id) >= 3001, max(d_tax) <= 0.2 FROM district1":
                ('10', 't', 't'),
            f"SELECT count(*), bool_and(c_data ~ {one_letter}), min(length(c_data)) >= 300, "
            "max(length(c_data)) <= 500, count(DISTINCT c_last) FROM customer1 "
            "WHERE c_credit = 'GC'": None,
            "SELECT count(DISTINCT a) FROM (SELECT o_d_id, string_agg(o_c_id::text, ',' ORDER BY "
            "o_id) AS a FROM orders1 WHERE o_id <= 3000 GROUP BY 1) x": ('1',),
            "SELECT count(DISTINCT o_c_id) FROM orders1 WHERE o_d_id = 4 AND o_id <= 3000":
                ('3000',),
            "SELECT count(*) FILTER (WHERE (ol_delivery_d IS NULL) <> (ol_o_id > 2100)), "
            f"bool_and(ol_dist_info ~ {one_letter}) FROM order_line1 WHERE ol_o_id <= 2900 AND "
            "(ol_o_id <= 2100 OR ol_o_id > 2800)": ('0', 't'),
            f"SELECT count(*), bool_and(s_data ~ {one_letter}) FROM stock1": ('100000', 't'),
            "SELECT bool_and(i_name ~ '^item-[0-9]+-'), min(i_price) >= 1, max(i_price) <= 101, "
            "max(length(i_name)) FROM item1": ('t', 't', 't', '24'),
        }.items():
            row = self.sql(question)[0]
            if answer is None:
                self.assertEqual(row[1:], ('t', 't', 't', '1000'), question)
            else:
                self.assertEqual(row, answer, question)

    def test_statements_as_published(self):
        result, out, said = self.measure('percona', '--trx_level', 'RC', '--transactions', '1200',
                                         '-c', '2', '--format', 'sysbench')
        counts = {name: one['count'] for name, one in result['statements'].items()}
        shapes = collections.Counter(shape(sql) for sql in said)
        for name, words in SHAPES.items():
            self.assertEqual(shapes.pop(words, 0) + (shapes.pop(BAD_CREDIT, 0) if name ==
                             'payment.pay_customer' else 0), counts[name], name)
        self.assertEqual(shapes.pop(NAMES), counts['payment.count_names'] +
                         counts['order_status.count_names'])
        self.assertEqual(shapes.pop('BEGIN ISOLATION LEVEL READ COMMITTED'), counts['begin'])
        self.assertEqual(shapes.pop('COMMIT'), counts['commit'])
        self.assertEqual(shapes.pop('ROLLBACK'), counts['rollback'])
        self.assertLess(sum(shapes.values()), 40, shapes)  # connecting, asking, checking
        self.assert_means(result, counts)
        self.assert_told(result, out)
        # Order-Status reads an order of the load, whose number is the district's.
        orders = {int(sql.rsplit(' ', 1)[1]) for sql in said
                  if sql.startswith('SELECT ol_i_id, ol_supply')}
        self.assertTrue(orders <= set(range(1, 11)), orders)
        self.assertEqual(result['tallies']['remote_lines'], 0)
        self.assertEqual(self.value('SELECT sum(s_ytd) + sum(s_order_cnt) FROM stock1'), '0')
        self.assertEqual(self.value('SELECT max(c_payment_cnt) FROM customer1'), '1')
        self.assertEqual(len(result['check']['cannot_hold']), 1)
        self.assertEqual(result['check']['failed'], 0)

    def assert_means(self, result, counts):
        done = {name: one['done'] + one['rolled_back']
                for name, one in result['transactions'].items()}
        said = collections.Counter()
        for name, count in counts.items():
            said[name.split('.')[0]] += count
        means = {name: said[name] / done[name] + 2 for name in done}
        for name, mean, borne in (('new_order', 47.0, 2), ('payment', 10.3, .2),
                                  ('order_status', 5.6, .25), ('delivery', 72, 0),
                                  ('stock_level', 4, 0)):
            self.assertAlmostEqual(means[name], mean, delta=borne, msg=name)
        queries = result['summary']['queries']
        events = sum(done.values())
        self.assertEqual(events, 1200)
        for kind, mean, borne in (('total', 28.4, 2.5), ('read', 13.0, 1.2), ('write', 13.5, 1.2),
                                  ('other', 2.0, 0)):
            self.assertAlmostEqual(queries[kind] / events, mean, delta=borne, msg=kind)

    def assert_told(self, result, out):
        transactions = result['summary']['transactions']
        self.assertGreater(transactions['rolled_back'], 0)
        self.assertRegex(out, r'transactions: +1200 ')
        self.assertRegex(out, rf'ignored errors: +{transactions["rolled_back"]} ')
        self.assertIn('kept are the defects of sysbench-tpcc', ' '.join(result['notes']))

    def test_mended(self):
        result, _, said = self.measure('percona-fixed', '--transactions', '300', '-c', '1')
        self.assertEqual(result['plan']['isolation'], 'repeatable-read')
        self.assertIn('BEGIN ISOLATION LEVEL REPEATABLE READ', said)
        pairs = zip(said, said[1:])
        asked = [(int(re.search(r'o_d_id = (\d+)', one)[1]), int(two.rsplit(' ', 1)[1]))
                 for one, two in pairs if one.startswith('SELECT o_id, o_carrier_id')]
        self.assertTrue(asked)
        self.assertTrue(any(order > 10 for _, order in asked), asked)
        self.assertEqual((result['check']['failed'], result['check']['cannot_hold']), (0, []))
        self.assertGreater(int(self.value('SELECT sum(s_ytd) FROM stock1')), 0)
        self.assertGreater(int(self.value('SELECT max(c_payment_cnt) FROM customer1')), 1)
        self.assertTrue(any('s_order_cnt = s_order_cnt + 1' in sql for sql in said))

    def test_purge(self):
        result, _, said = self.measure('percona', '--enable_purge=yes', '--transactions', '150',
                                       '-c', '1')
        self.assertGreater(result['transactions']['purge']['done'], 0)
        self.assertTrue(any(sql.startswith('SELECT min(no_o_id)') for sql in said))
        self.assertEqual(result['check']['failed'], 0)


if __name__ == '__main__':
    main()
