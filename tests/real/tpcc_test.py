#!/usr/bin/env python3
"""TPC-C-like: the data are what the specification says, and every way of running it - statements or
functions, each protocol and engine, with a pipeline or without - ends in the same data, which a
plain model agrees with."""

from harness import *
from tpcc_model import Model, calls

WAREHOUSES = 2
TABLES = ['item', 'warehouse', 'district', 'customer', 'history', 'stock', 'orders', 'new_orders',
          'order_line']
# Columns that hold the time of day: only whether it is there can be the same.
TIMES = {'c_since', 'h_date', 'o_entry_d', 'ol_delivery_d'}
ALIKE = ['--mix', '1,1,1,1,1']
# options of a run; the first is what the others are held against.
WAYS = [
    ['--mode', 'sql'],
    ['--mode', 'sql', '--pipeline'],
    ['--mode', 'sql', '--protocol', 'extended', '--engine', 'thread'],
    ['--mode', 'sql', '--protocol', 'simple', '--pipeline', '--isolation', 'serializable'],
    ['--mode', 'sql', '--pipeline', '--engine', 'thread', '--isolation', 'repeatable-read'],
    ['--mode', 'functions', '--pipeline', '--isolation', 'serializable'],
    ['--mode', 'functions', '--protocol', 'extended', '--engine', 'thread'],
    ['--mode', 'functions', '--protocol', 'simple'],
]


class TpccTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15, {'shared_buffers': '256MB', 'autovacuum': 'off',
                                   'max_wal_size': '4GB', 'log_line_prefix': '%d '})
        cls.pgdyno = Pgdyno()
        cls.server.sql('CREATE DATABASE loaded')
        cls.load('loaded', '--warehouses', WAREHOUSES)

    @classmethod
    def tearDownClass(cls):
        cls.pgdyno.close()
        cls.server.close()

    @classmethod
    def load(cls, database, *options):
        cls.pgdyno.run('load', 'tpcc', '-t', cls.server.conninfo(database), *options, '-q', check=0,
                       timeout=300)

    def fresh(self, name='run'):
        """The data as they were loaded, in a database of their own."""
        self.server.sql(f'DROP DATABASE IF EXISTS {name}')
        self.server.sql(f'CREATE DATABASE {name} TEMPLATE loaded')
        self.addCleanup(self.server.sql, f'DROP DATABASE IF EXISTS {name}')
        return name

    def run_it(self, *options, warehouses=WAREHOUSES, database='run'):
        _, result = self.pgdyno.measure('tpcc', '-t', self.server.conninfo(database), '--warehouses',
                                        warehouses, '--warmup', 0, '--check', 'never', *options,
                                        timeout=300)
        return result.json()

    def ask(self, sql, database='run'):
        return self.server.sql(sql, database, timeout=120)

    def hashes(self, database='run', sets=1):
        """Of each table its rows and a sum of their hashes, which knows no order."""
        found = {}
        for table in TABLES:
            columns = [name for name, in self.ask(
                f"SELECT attname FROM pg_attribute WHERE attrelid = '{table}1'::regclass"
                ' AND attnum > 0', database)]
            columns = [f'{name} IS NULL' if name in TIMES else name for name in columns]
            for place in range(1, sets + 1):
                found[f'{table}{place}'] = self.ask(
                    f'SELECT count(*), sum(hashtextextended(row({", ".join(columns)})::text,'
                    f' 0)::numeric) FROM {table}{place}', database)
        return found


class Data(TpccTest):
    def counts(self, sql):
        """One row of whole numbers."""
        return [int(word) for word in self.ask(sql, 'loaded')[0]]

    def test_how_many(self):
        wanted = {'item': 100000, 'warehouse': 2, 'district': 20, 'customer': 60000,
                  'history': 60000, 'stock': 200000, 'orders': 60000, 'new_orders': 18000}
        for table, count in wanted.items():
            self.assertEqual(self.counts(f'SELECT count(*) FROM {table}1'), [count], table)

    def test_marked_tenths(self):
        """Exactly a tenth of the items, of each warehouse's stock, of each district's customers."""
        self.assertEqual(self.counts("SELECT count(*) FROM item1 WHERE i_data LIKE '%ORIGINAL%'"),
                         [10000])
        for sql in ("SELECT min(n), max(n) FROM (SELECT count(*) FILTER (WHERE s_data LIKE"
                    " '%ORIGINAL%') AS n FROM stock1 GROUP BY s_w_id) x",):
            self.assertEqual(self.counts(sql), [10000, 10000])
        self.assertEqual(self.counts("SELECT min(n), max(n) FROM (SELECT count(*) FILTER (WHERE"
                                     " c_credit = 'BC') AS n FROM customer1 GROUP BY c_w_id, c_d_id) x"),
                         [300, 300])

    def test_customers(self):
        wrong = ("SELECT count(*) FROM customer1 WHERE c_balance <> -10 OR c_ytd_payment <> 10 OR"
                 " c_payment_cnt <> 1 OR c_delivery_cnt <> 0 OR c_credit_lim <> 50000 OR c_middle <>"
                 " 'OE' OR c_discount NOT BETWEEN 0 AND 0.5 OR length(c_data) NOT BETWEEN 300 AND 500"
                 " OR c_zip !~ '^[0-9]{4}11111$' OR c_phone !~ '^[0-9]{16}$' OR c_state !~"
                 " '^[a-zA-Z0-9]{2}$' OR length(c_first) NOT BETWEEN 8 AND 16")
        self.assertEqual(self.counts(wrong), [0])
        # All thousand names in each district; the rest by NURand, so that some are common.
        self.assertEqual(self.counts('SELECT min(names), max(names), min(most) FROM (SELECT count(*)'
                                     ' AS names, (max(n) >= 20)::integer AS most FROM (SELECT c_w_id,'
                                     ' c_d_id, c_last, count(*) AS n FROM customer1 GROUP BY 1, 2, 3)'
                                     ' x GROUP BY c_w_id, c_d_id) y'), [1000, 1000, 1])

    def test_orders(self):
        """Every customer ordered once; lines as many as their order says; amounts by delivery."""
        self.assertEqual(self.counts('SELECT count(DISTINCT (o_w_id, o_d_id, o_c_id)) FROM orders1'),
                         [60000])
        self.assertEqual(self.counts('SELECT count(*) FROM orders1 WHERE (o_carrier_id IS NULL) <>'
                                     ' (o_id > 2100) OR o_ol_cnt NOT BETWEEN 5 AND 15 OR o_all_local'
                                     ' <> 1'), [0])
        self.assertEqual(self.counts('SELECT count(*) FROM order_line1 WHERE (ol_delivery_d IS NULL)'
                                     ' <> (ol_o_id > 2100) OR (ol_amount = 0) <> (ol_o_id <= 2100) OR'
                                     ' ol_amount NOT BETWEEN 0 AND 9999.99 OR ol_quantity <> 5 OR'
                                     ' ol_supply_w_id <> ol_w_id'), [0])
        self.assertEqual(self.counts('SELECT count(*) FROM orders1 LEFT JOIN (SELECT ol_w_id,'
                                     ' ol_d_id, ol_o_id, count(*) AS n, max(ol_number) AS last FROM'
                                     ' order_line1 GROUP BY 1, 2, 3) l ON ol_w_id = o_w_id AND'
                                     ' ol_d_id = o_d_id AND ol_o_id = o_id WHERE n IS DISTINCT FROM'
                                        ' o_ol_cnt OR last IS DISTINCT FROM o_ol_cnt'), [0])

    def test_prices_and_taxes(self):
        self.assertEqual(self.counts('SELECT count(*) FROM item1 WHERE i_price NOT BETWEEN 1 AND 100'
                                     ' OR i_im_id NOT BETWEEN 1 AND 10000 OR length(i_name) NOT'
                                     ' BETWEEN 14 AND 24 OR length(i_data) NOT BETWEEN 26 AND 50'), [0])
        self.assertEqual(self.counts('SELECT count(*) FROM warehouse1 WHERE w_tax NOT BETWEEN 0 AND'
                                     ' 0.2 OR w_ytd <> 300000'), [0])
        self.assertEqual(self.counts('SELECT count(*) FROM district1 WHERE d_tax NOT BETWEEN 0 AND'
                                     ' 0.2 OR d_ytd <> 30000 OR d_next_o_id <> 3001'), [0])
        self.assertEqual(self.counts('SELECT min(s_quantity), max(s_quantity), max(s_order_cnt),'
                                     ' max(s_remote_cnt), max(s_ytd), max(n) / min(n) FROM stock1,'
                                     ' (SELECT count(*) AS n FROM stock1 GROUP BY s_quantity) x'),
                         [10, 100, 0, 0, 0, 1])

    def test_grown_is_as_loaded_at_once(self):
        self.server.sql('CREATE DATABASE grown')
        self.addCleanup(self.server.sql, 'DROP DATABASE grown')
        self.load('grown', '--warehouses', 1)
        self.load('grown', '--warehouses', 2)
        self.assertEqual(self.hashes('grown'), self.hashes('loaded'))


class Shapes(TpccTest):
    """Sets, keys and partitions; every transaction runs on them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.sql('CREATE DATABASE shaped')
        cls.options = ['--warehouses', 1, '--tables', 2, '--use-fk', '--partitions', 3,
                       '--fillfactor', 80]
        cls.load('shaped', *cls.options)

    def test_runs_in_both_modes(self):
        for mode in ('sql', 'functions'):
            with self.subTest(mode):
                summary = self.run_it('--mode', mode, '-c', 3, '--transactions', 600, *ALIKE,
                                      '--tables', 2, warehouses=1, database='shaped')['summary']
                self.assertEqual(summary['transactions']['failed'], 0)
        self.pgdyno.run('check', 'tpcc', '-t', self.server.conninfo('shaped'), *self.options, check=0)
        for place in (1, 2):
            self.assertGreater(int(self.ask(f'SELECT count(*) FROM orders{place} WHERE o_id > 3000',
                                            'shaped')[0][0]), 20)

    def test_catalogue(self):
        self.assertEqual(self.ask("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND"
                                  ' convalidated AND conparentid = 0', 'shaped'), [('20',)])
        self.assertEqual(self.ask("SELECT count(*), min(reloptions::text), max(reloptions::text)"
                                  " FROM pg_class WHERE relispartition AND relkind = 'r'", 'shaped'),
                         [('48', '{fillfactor=80}', '{fillfactor=80}')])
        self.assertEqual(self.ask("SELECT reloptions FROM pg_class WHERE relname = 'item2'", 'shaped'),
                         [('{fillfactor=80}',)])

    def test_dropped(self):
        self.server.sql('CREATE DATABASE gone TEMPLATE shaped')
        self.addCleanup(self.server.sql, 'DROP DATABASE gone')
        self.pgdyno.run('drop', 'tpcc', '-t', self.server.conninfo('gone'), *self.options, '--yes',
                        check=0)
        self.assertEqual(self.ask("SELECT count(*) FROM pg_class WHERE relnamespace ="
                                  " 'public'::regnamespace", 'gone'), [('0',)])
        self.assertEqual(self.ask("SELECT count(*) FROM pg_proc WHERE pronamespace ="
                                  " 'public'::regnamespace", 'gone'), [('0',)])


class Runs(TpccTest):
    def test_fewer_warehouses_than_asked_for(self):
        done, result = self.pgdyno.measure('tpcc', '-t', self.server.conninfo('loaded'), check=3)
        self.assertIn('--warehouses 2', done.err)
        self.assertIsNone(result)

    def test_a_part_of_the_warehouses(self):
        """What is checked are the data as they were loaded, with or without options."""
        database = self.fresh()
        done = self.pgdyno.run('run', 'tpcc', '-t', self.server.conninfo(database), '--warehouses', 1,
                               '--transactions', 50, '--check', 'always', timeout=120)
        self.assertEqual(done.code, 0, done)
        self.assertIn('14 of 14 checks hold', done.out)
        for options, code in (([], 0), (['--warehouses', 1], 8)):
            self.pgdyno.run('check', 'tpcc', '-t', self.server.conninfo(database), *options, check=code,
                            timeout=120)

    def test_sums_have_room(self):
        """Warehouses that took payments for days; and what the notes say."""
        self.fresh()
        self.ask('UPDATE warehouse1 SET w_ytd = 9999999900; UPDATE district1 SET d_ytd = 9999999900')
        result = self.run_it('-c', 1, '--transactions', 100, '--mix', '0,1,0,0,0')
        self.assertEqual(result['summary']['transactions']['done'], 100)
        self.assertTrue(any('not tpmC' in note for note in result['notes']), result['notes'])
        self.assertTrue(any('5.2.3' in note for note in result['notes']), result['notes'])

    def test_statements(self):
        """How many each takes: 7 and 4 a line for a New-Order; one in all as a function."""
        self.fresh()
        for place, (low, high) in enumerate([(45, 49), (7.4, 7.8), (5, 5), (62, 62), (4, 4)]):
            mix = ','.join('1' if i == place else '0' for i in range(5))
            for mode in ('sql', 'functions'):
                with self.subTest(mix=mix, mode=mode):
                    summary = self.run_it('-c', 1, '--transactions', 400, '--seed', 3, '--mix', mix,
                                          '--mode', mode)['summary']
                    each = summary['queries']['total'] / summary['transactions']['scheduled']
                    if mode == 'sql':
                        self.assertTrue(low <= each <= high, each)
                    else:  # With BEGIN and ROLLBACK around one in a hundred orders.
                        self.assertTrue(1 <= each <= (1.05 if place == 0 else 1), each)

    def test_all_ways_end_alike(self):
        self.fresh()
        untouched, ends = self.hashes(), {}
        for way in WAYS:
            self.fresh()
            result = self.run_it('-c', 1, '--transactions', 500, '--seed', 5, '--mix', '6,2,1,1,1', *way)
            counts = result['summary']['transactions']
            self.assertEqual((counts['failed'], counts['unfinished']), (0, 0), way)
            self.assertEqual(counts['done'] + counts['rolled_back'], 500, way)
            if way is WAYS[0]:  # An item twice in an order, which pipelines could get wrong.
                self.assertNotEqual(self.ask(
                    'SELECT ol_o_id FROM order_line1 WHERE ol_o_id > 3000 GROUP BY ol_w_id, ol_d_id,'
                    ' ol_o_id, ol_supply_w_id, ol_i_id HAVING count(*) > 1'), [])
            ends[tuple(way)] = self.hashes(), counts['rolled_back'], result['tallies']
        first = ends[tuple(WAYS[0])]
        changed = {table for table, end in first[0].items() if end != untouched[table]}
        self.assertEqual(changed, {f'{table}1' for table in TABLES} - {'item1'})
        for way, end in ends.items():
            self.assertEqual(end, first, way)

    def test_model_agrees(self):
        """2,000 of each type and more than is there to deliver."""
        self.fresh()
        model = Model(self.ask)
        self.server.sql("ALTER DATABASE run SET log_statement = 'all'")
        before = len(self.server.log)
        result = self.run_it('-c', 1, '--transactions', 10700, '--seed', 6, '--mode', 'functions',
                             '--protocol', 'simple', *ALIKE)
        for name, values in calls(self.server.log[before:]):
            model.apply(name, values)
        self.server.sql('ALTER DATABASE run RESET log_statement')
        kinds = ('new_order', 'payment', 'order_status', 'delivery', 'stock_level')
        self.assertEqual(sum(model.counts[kind] for kind in kinds), 10700)
        self.assertGreater(min(model.counts[kind] for kind in kinds), 2000)
        self.assertGreater(min(model.counts.values()), 0, model.counts)  # nothing went unseen
        self.assertEqual(model.differences(self.ask), [])
        tallies = result['tallies']
        for mine, theirs in (('new_order', 'new_orders'), ('rolled_back', 'rolled_back'),
                             ('lines', 'lines'), ('remote_lines', 'remote_lines'),
                             ('payment', 'payments'), ('remote_payments', 'remote_payments'),
                             ('by_name', 'payments_by_name'), ('order_status', 'order_status'),
                             ('delivery', 'deliveries'), ('delivered', 'districts_delivered'),
                             ('skipped', 'districts_skipped'), ('stock_level', 'stock_levels')):
            self.assertEqual(model.counts[mine], tallies[theirs], mine)

    def test_many_sessions(self):
        """Sixteen at two warehouses: no update is lost, and nothing stands in a circle of locks."""
        for mode in ('sql', 'functions'):
            with self.subTest(mode):
                self.fresh()
                result = self.run_it('-c', 16, '--transactions', 3000, '--mode', mode, '--pipeline',
                                     '--isolation', 'read-committed')
                counts = result['summary']['transactions']
                self.assertEqual(counts['done'] + counts['rolled_back'], 3000)
                self.assertNotIn('40P01', str(result['errors']))
                self.assertEqual(self.ask('SELECT sum(d_next_o_id - 3001) FROM district1'),
                                 [(str(result['transactions']['new_order']['done']),)])
                self.pgdyno.run('check', 'tpcc', '-t', self.server.conninfo('run'), '--warehouses',
                                WAREHOUSES, check=0, timeout=120)


class Majors(unittest.TestCase):
    """The oldest and the newest server that there is."""

    def test_both_modes(self):
        for major in (12, 18):
            with self.subTest(major), Postgres(major) as server, Pgdyno() as pgdyno:
                words = ['tpcc', '-t', server.conninfo(), '--warehouses', '1']
                pgdyno.run('load', *words, '--use-fk', '-q', check=0, timeout=120)
                for mode in ('sql', 'functions'):
                    pgdyno.measure(*words, '--mode', mode, '--pipeline', '-c', 4, '--warmup', 0,
                                   '--transactions', 400, *ALIKE, '--check', 'never')
                pgdyno.run('check', *words, check=0, timeout=120)


if __name__ == '__main__':
    main()
