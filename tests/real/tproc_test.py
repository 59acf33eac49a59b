#!/usr/bin/env python3
"""HammerDB's TPROC-C on a real PostgreSQL: the schema is HammerDB's, the published routines have the
defects that its specification measured and the mended ones have not, and a database that something
else built is driven as it is."""

from harness import *

WAREHOUSES = 2
COUNT = 2500  # transactions of a run
FIXTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tproc_schema.txt')
LOADED = "timestamptz '2026-01-01 00:00+00'"  # all that was loaded, unlike what a run adds


def fixture():
    """Sections by their heading: lists of lines."""
    sections = {}
    with open(FIXTURE, encoding='utf-8') as file:
        for line in file:
            if line.startswith('#'):
                continue
            if not line.startswith(' '):
                heading = line.strip()
                sections[heading] = []
            else:
                sections[heading].append(line.strip())
    return sections


class Tproc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15, {'shared_buffers': '256MB', 'autovacuum': 'off',
                                   'max_wal_size': '4GB', 'fsync': 'off'})
        cls.addClassCleanup(cls.server.close)
        cls.pgdyno = Pgdyno()
        cls.addClassCleanup(cls.pgdyno.close)

    @classmethod
    def make(cls, name, template='template0'):
        cls.server.sql(f'CREATE DATABASE {name} TEMPLATE {template}')

    def copy(self, template):
        """The data as they were loaded, in a database of their own."""
        self.server.sql('DROP DATABASE IF EXISTS run')
        self.make('run', template)

    @classmethod
    def target(cls, database='run', **more):
        return ['tproc', '-t', cls.server.conninfo(database, **more)]

    @classmethod
    def load(cls, database, *options):
        return cls.pgdyno.run('load', *cls.target(database), '-q', '--warehouses', WAREHOUSES,
                              *options, check=0, timeout=300)

    def run_it(self, *options, **more):
        """Without warm-up, so that the tables tell of the measured window alone."""
        name, *words = self.target(**more)
        return self.pgdyno.measure(name, *words, '-q', '--warmup', 0, '--check', 'never', *options,
                                   timeout=200)[1].json()

    def ask(self, sql, database='run'):
        return self.server.sql(sql, database, timeout=120)

    def number(self, sql, database='run'):
        return float(self.server.value(sql, database) or 0)

    def assert_near(self, found, wanted, tolerance):
        self.assertLessEqual(abs(found - wanted), tolerance, f'{found}, wanted {wanted}')


def transactions(result):
    """Committed ones by name."""
    return {name: one['done'] for name, one in result['transactions'].items()}


# ---- the schema ----

COLUMNS = """
SELECT attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null'
       ELSE '' END FROM pg_attribute WHERE attrelid = '{}'::regclass AND attnum > 0 ORDER BY attnum"""
INDEXES = """
SELECT i.relname || CASE WHEN indisprimary THEN ' PRIMARY KEY ' WHEN indisunique THEN ' UNIQUE '
       ELSE ' ' END || '(' || string_agg(attname, ', ' ORDER BY ordinality) || ')'
  FROM pg_index JOIN pg_class i ON i.oid = indexrelid,
       unnest(indkey::int2[]) WITH ORDINALITY AS k (number, ordinality), pg_attribute a
 WHERE indrelid = '{}'::regclass AND a.attrelid = indrelid AND a.attnum = k.number
 GROUP BY i.relname, indisprimary, indisunique ORDER BY i.relname"""
ROUTINES = """
SELECT proname || '(' || coalesce((SELECT string_agg(CASE coalesce(proargmodes[n], 'i') WHEN 'b' THEN
       'inout ' ELSE '' END || format_type(t, NULL), ', ' ORDER BY n) FROM
       unnest(coalesce(proallargtypes, proargtypes::oid[])) WITH ORDINALITY AS p (t, n)), '') || ')' ||
       CASE prokind WHEN 'f' THEN ' ' || CASE WHEN proretset THEN 'setof ' ELSE '' END ||
       format_type(prorettype, NULL) ELSE '' END
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = '{}' ORDER BY 1"""


class Published(Tproc):
    """As HammerDB has it. The database `published` has functions and procedures, `functions` and
    `procedures` the one only."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make('functions')
        cls.load('functions')
        cls.make('published', 'functions')
        cls.load('published', '--routines', 'procedures')

    def test_the_schema_is_hammerdbs(self):
        sections = fixture()
        for heading, wanted in sections.items():
            with self.subTest(heading):
                kind, _, table = heading.partition(' ')
                if kind == 'table':
                    found = [one for sql in (COLUMNS, INDEXES)
                             for one, in self.ask(sql.format(table), 'published')]
                else:
                    found = [one for one, in self.ask(ROUTINES.format(kind[0]), 'published')
                             if kind == 'functions' or 'dbms_random' not in one]
                self.assertEqual(found, wanted)
        self.assertEqual(len(sections), 11)
        self.assertEqual(self.ask("SELECT relname FROM pg_class WHERE relkind IN ('r', 'S', 'v', 'p') "
                                  "AND relnamespace = 'public'::regnamespace AND relname <> "
                                  "'pgdyno_dataset' ORDER BY 1", 'published'),
                         sorted((heading[6:],) for heading in sections if heading[:5] == 'table'))
        # Nothing is set for a table, nor left out of the write-ahead log; no foreign keys, no checks.
        self.assertEqual(self.number("SELECT count(*) FROM pg_class WHERE (reloptions IS NOT NULL OR "
                                     "relpersistence <> 'p') AND relnamespace = 'public'::regnamespace "
                                     "AND relname NOT LIKE 'pgdyno%'", 'published'), 0)
        self.assertEqual(self.number("SELECT count(*) FROM pg_constraint WHERE contype <> 'p' AND "
                                     "connamespace = 'public'::regnamespace", 'published'), 0)

    def test_growth(self):
        """Warehouses that are added have the rows that they would have had from the start."""
        self.make('grown')
        self.addCleanup(self.server.sql, 'DROP DATABASE grown')
        self.pgdyno.run('load', *self.target('grown'), '-q', '--warehouses', 1, check=0, timeout=200)
        done = self.load('grown')
        self.assertIn('warehouses grow from 1 to 2', done.out + done.err)
        for table in ('item', 'warehouse', 'stock', 'customer', 'orders', 'order_line', 'history'):
            rows = (f'SELECT count(*), sum(hashtextextended({table}::text, 0)::numeric) FROM {table}')
            self.assertEqual(self.ask(rows, 'grown'), self.ask(rows, 'functions'), table)

    def test_partitions(self):
        """From 200 warehouses on, as many as there are hundreds. The load is not waited for."""
        self.make('parted')
        self.addCleanup(self.server.sql, 'DROP DATABASE parted WITH (FORCE)')
        load = self.pgdyno.start('load', *self.target('parted'), '--warehouses', 399, '--partition',
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        parts = ("SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_class c, pg_inherits "
                 "WHERE inhrelid = c.oid AND inhparent = to_regclass('order_line') ORDER BY 1")
        wait_until(lambda: len(self.ask(parts, 'parted')) >= 3, 60, 'partitions')
        load.send_signal(signal.SIGINT)
        load.wait(timeout=60)
        self.assertEqual(self.ask(parts, 'parted'), [
            (f'ol_{i}', f'FOR VALUES WITH (modulus 3, remainder {i})') for i in range(3)])
        self.assertEqual(self.ask("SELECT pg_get_partkeydef('order_line'::regclass)", 'parted'),
                         [('HASH (ol_w_id)',)])
        self.assertEqual([one for one, in self.ask(COLUMNS.format('order_line'), 'parted')],
                         [line for line in fixture()['table order_line'] if 'PRIMARY KEY' not in line])
        self.pgdyno.run('drop', *self.target('parted'), '--yes', check=0)
        self.assertEqual(self.number("SELECT count(*) FROM pg_class WHERE relnamespace = "
                                     "'public'::regnamespace", 'parted'), 0)

    def test_runs_on_partitions(self):
        """Both kinds of routines, and what check says, as without."""
        self.copy('published')
        self.ask('ALTER TABLE order_line RENAME TO whole; ALTER INDEX order_line_i1 RENAME TO whole_i1; '
                 'CREATE TABLE order_line (LIKE whole) PARTITION BY HASH (ol_w_id); '
                 'CREATE TABLE ol_0 PARTITION OF order_line FOR VALUES WITH (MODULUS 2, REMAINDER 0); '
                 'CREATE TABLE ol_1 PARTITION OF order_line FOR VALUES WITH (MODULUS 2, REMAINDER 1); '
                 'INSERT INTO order_line SELECT * FROM whole; DROP TABLE whole; ALTER TABLE order_line '
                 'ADD CONSTRAINT order_line_i1 PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)')
        for routines in ('functions', 'procedures'):
            result = self.run_it('-c', 2, '--transactions', 400, '--routines', routines)
            self.assertEqual(result['errors'], [])
        self.pgdyno.run('check', *self.target(), check=0, timeout=120)

    def test_rows_and_check(self):
        wanted = {'item': 100000, 'warehouse': 2, 'district': 20, 'customer': 60000,
                  'history': 60000, 'stock': 200000, 'orders': 60000, 'new_order': 18000}
        for table, count in wanted.items():
            self.assertEqual(self.number(f'SELECT count(*) FROM {table}', 'functions'), count, table)
        self.assertEqual(self.number('SELECT count(*) FROM order_line', 'functions'),
                         self.number('SELECT sum(o_ol_cnt) FROM orders', 'functions'))
        self.assertEqual(self.number("SELECT count(*) FROM order_line WHERE ol_delivery_d IS NULL <> "
                                     "(ol_amount = 0)", 'functions'), 0)
        # Every customer with a delivered order breaks conditions 10 and 12 (spec hammerdb 3.7).
        done = self.pgdyno.run('check', *self.target('functions'), '--warehouses', WAREHOUSES, timeout=120)
        self.assertIn(done.code, (0, 8), done)
        self.assertIn('condition 10', done.out)

    def test_functions(self):
        self.copy('functions')
        before = self.ask("SELECT txid_current(), sum(d_next_o_id) FROM district")[0]
        result = self.run_it('-c', 1, '--transactions', COUNT, '--seed', 7)
        after = self.ask("SELECT txid_current(), sum(d_next_o_id) FROM district")[0]
        done, told = transactions(result), result['tallies']
        self.assertEqual(result['notes'][0].split(';')[0], 'hammerdb: the five routines are functions')
        self.assertEqual(result['summary']['transactions']['done'], COUNT)
        self.assertEqual(result['summary']['transactions']['rolled_back'], 0)
        self.assertEqual(done['neword'], int(after[1]) - int(before[1]))
        # The subtransaction of the exception block takes an id of its own.
        writes = done['neword'] + done['payment'] + done['delivery']
        self.assert_near(int(after[0]) - int(before[0]), 2 * writes, 60)
        self.orders_with_an_unused_item(done, told)
        self.counters_are_lost()
        # Nobody is found by name: six in ten lose their balance, and get no history of bad credit.
        self.assert_near(self.share_overwritten(), told['payments_by_name'] / told['payments'], 0.03)
        self.assertGreater(told['order_status_empty'], told['order_status_by_name'] - 1)

    def orders_with_an_unused_item(self, done, told):
        unused = self.number('SELECT count(*) FROM order_line WHERE ol_i_id = 100001')
        self.assert_near(unused / done['neword'], 0.01, 0.015)
        self.assertGreater(unused, 0)
        self.assertEqual(self.number('SELECT count(*) FROM order_line WHERE ol_i_id = 100001 AND '
                                     '(ol_amount IS NOT NULL OR ol_dist_info IS NOT NULL)'), 0)
        if told is not None:  # an item that is there twice makes a total NULL as well
            self.assert_near(told['new_orders_without_total'], unused, 5)
            self.assertGreaterEqual(told['new_orders_without_total'], unused)

    def counters_are_lost(self):
        self.assertEqual(self.ask('SELECT sum(s_ytd), sum(s_order_cnt), sum(s_remote_cnt) FROM stock'),
                         [('0', '0', '0')])
        self.assertEqual(self.ask('SELECT max(c_payment_cnt), max(c_delivery_cnt), max(c_ytd_payment)'
                                  ' FROM customer'), [('1', '0', '10.00')])

    def share_overwritten(self):
        """Of customers with one Payment of the run and no Delivery those whose balance is what was
        paid, as if there had been nothing before."""
        return self.number(f"""
            SELECT avg((c_balance = -h_amount)::integer) FROM customer JOIN history ON
             (h_c_w_id, h_c_d_id, h_c_id) = (c_w_id, c_d_id, c_id) AND h_date > {LOADED} WHERE
             (SELECT count(*) FROM history h WHERE (h_c_w_id, h_c_d_id, h_c_id) =
               (c_w_id, c_d_id, c_id) AND h_date > {LOADED}) = 1
             AND c_balance IN (-h_amount, -10 - h_amount)""")

    def test_procedures(self):
        self.copy('published')
        before = self.number("SELECT sum(d_next_o_id) FROM district")
        result = self.run_it('-c', 1, '--transactions', COUNT, '--routines', 'procedures')
        done = transactions(result)
        self.assertEqual(result['notes'][0].split(';')[0], 'hammerdb: the five routines are procedures')
        self.assertEqual(result['errors'], [])
        self.assertEqual(done['neword'], self.number("SELECT sum(d_next_o_id) FROM district") - before)
        self.assertEqual(sum(done.values()), COUNT)
        self.orders_with_an_unused_item(done, None)
        self.counters_are_lost()
        # Names are looked up; only one that nobody shares takes a customer at random.
        self.assertLess(self.share_overwritten(), 0.25)
        self.assertGreater(self.number(f'SELECT count(*) FROM customer WHERE c_data ~ '
                                       "'^[0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9.]+ 20'"), 0)

    def test_keyandthink(self):
        """Pauses are between transactions: in no latency, and no transaction is left in one. An
        order is keyed in for 18 seconds, so none is made."""
        self.copy('published')
        result = self.run_it('-c', 40, '--keyandthink', '--time', 7)
        done, summary = transactions(result), result['summary']
        self.assertLess(summary['measured_s'], 12, 'the window waited for who thinks')
        self.assertEqual(summary['transactions']['unfinished'], 0)
        self.assertEqual(done['neword'], 0)
        self.assertGreater(done['payment'], 0)
        self.assertEqual(self.number(f'SELECT count(*) FROM history WHERE h_date > {LOADED}'),
                         done['payment'])
        self.assertLess(summary['latency_ms']['response']['max'], 2000)
        for other in (['--think', '1s'], ['--rate', 5]):
            self.pgdyno.run('run', *self.target(), '--keyandthink', *other, check=2)

    def customers_of(self, names):
        """How many customers have such a name, on average; `names` are (warehouse, district, name)."""
        rows = ', '.join(f"({warehouse}, {district}, '{name}')" for warehouse, district, name in names)
        return self.number(f'SELECT count(c_id)::float / {len(names)} FROM (VALUES {rows}) AS said '
                           '(w, d, name) LEFT JOIN customer ON (c_w_id, c_d_id, c_last) = (w, d, name)')

    def test_rows_that_names_match(self):
        """Of what the server was really told: procedures find 12.3 customers, functions none."""
        self.copy('published')
        said = {}
        for routines, words in (
                ('procedures', r"CALL payment\(\d+,\d+,(\d+),(\d+),1,\d+,'0','(\w+)'"),
                ('functions', r"SELECT payment\(\$1, \$2, (\$3), (\$4), .*, '(\$8)', '0', 0\)")):
            begin = len(self.server.log)
            self.run_it('-c', 1, '--transactions', 2000, '--seed', 7, '--routines', routines,
                        options='-c log_statement=all')
            said[routines] = re.findall(words, self.server.log[begin:])
            self.assertGreater(len(said[routines]), 400)
        self.assert_near(self.customers_of(said['procedures']), 12.3, 1.5)
        self.assertEqual({name for _, _, name in said['functions']}, {'$8'})
        self.assertEqual(self.number("SELECT count(*) FROM customer WHERE c_last = '$8'"), 0)

    def test_a_deadlock_is_hidden(self):
        """What the handler catches becomes 2D000 in a function, and success in a procedure."""
        self.copy('published')
        slow = "-c default_transaction_isolation=repeatable\\ read"
        result = self.run_it('-c', 8, '--time', 3, options=slow)
        self.assertEqual({error['code'] for error in result['errors']}, {'2D000'})
        self.assertGreater(result['summary']['transactions']['failed'], 0)
        before = self.number("SELECT sum(d_next_o_id) FROM district")
        result = self.run_it('-c', 8, '--time', 3, '--routines', 'procedures', options=slow)
        growth = self.number("SELECT sum(d_next_o_id) FROM district") - before
        self.assertEqual(result['errors'], [])
        self.assertGreater(transactions(result)['neword'], growth)
        self.assertFalse(result['ledgers'][0]['balanced'])

    def test_which_customer_a_name_means(self):
        """Payment takes row n / 2, rounded down, Order-Status another one (spec hammerdb 2.4)."""
        self.copy('published')
        self.ask("UPDATE customer SET c_last = 'ROW' || c_id % 10, c_first = lpad(c_id::text, 4, '0'),"
                 " c_balance = c_id, c_credit = 'GC' WHERE c_w_id = 1 AND c_d_id = 1 AND c_id <= 50;"
                 "UPDATE customer SET c_last = 'GONE' WHERE c_w_id = 1 AND c_d_id = 1 AND c_id <= 50"
                 " AND (c_id - 1) / 10 > c_id % 10")
        # Of ROWn there are n + 1, their numbers n, n + 10, n + 20, ...
        for rows, payment, status in ((2, 1, 2), (3, 1, 3), (4, 2, 3), (5, 2, 4)):
            n = rows - 1
            call = f"'0','ROW{n}',2999" + ",''" * 18 + ",localtimestamp,0,0,0,'',localtimestamp"
            found = self.ask(f"CALL payment(1,1,1,1,1,1,{call})")[0]
            self.assertEqual(int(found[2]), n + 10 * (payment - 1), f'Payment, {rows} of a name')
            found = self.ask(f"CALL ostat(1,1,2999,1,'ROW{n}','','',0,0,localtimestamp,0,'')")[0]
            self.assertEqual(int(found[0]), n + 10 * (status - 1), f'Order-Status, {rows} of a name')
        # Nobody is fetched of one: the number at random, its balance taken for nothing.
        call = "'0','ROW0',2999" + ",''" * 18 + ",localtimestamp,0,0,0,'',localtimestamp"
        self.assertEqual(self.ask(f"CALL payment(1,1,1,1,1,100,{call})")[0][2], '2999')
        self.assertEqual(self.number('SELECT c_balance FROM customer WHERE c_w_id = 1 AND c_d_id = 1 '
                                     'AND c_id = 2999'), -100)

    def test_one_identity_is_not_run_as_the_other(self):
        done = self.pgdyno.run('run', *self.target('functions'), '--compat', 'hammerdb-fixed')
        self.assertEqual(done.code, 3, done)
        self.assertIn('as HammerDB makes them', done.err)


class Mended(Tproc):
    """The same on data and routines of hammerdb-fixed, functions and procedures."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make('mended')
        cls.load('mended', '--compat', 'hammerdb-fixed')
        cls.load('mended', '--compat', 'hammerdb-fixed', '--routines', 'procedures')

    def one_kind(self, kind):
        self.copy('mended')
        before = self.ask("SELECT txid_current(), sum(d_next_o_id) FROM district")[0]
        result = self.run_it('-c', 1, '--transactions', COUNT, '--routines', kind, '--compat',
                             'hammerdb-fixed')
        after = self.ask("SELECT txid_current(), sum(d_next_o_id) FROM district")[0]
        done = transactions(result)
        rolled_back = result['summary']['transactions']['rolled_back']
        self.assertEqual(result['errors'], [])
        self.assertEqual(sum(done.values()) + rolled_back, COUNT)
        self.assertEqual(done['neword'], int(after[1]) - int(before[1]))
        self.assertTrue(result['ledgers'][0]['balanced'])
        self.assertGreater(rolled_back, 0)
        self.assert_near(rolled_back / (done['neword'] + rolled_back), 0.01, 0.015)
        writes = done['neword'] + rolled_back + done['payment'] + done['delivery']
        self.assert_near(int(after[0]) - int(before[0]), writes, 60)
        self.nothing_is_lost(done)
        return result

    def nothing_is_lost(self, done):
        self.assertEqual(self.number('SELECT count(*) FROM order_line WHERE ol_amount IS NULL OR '
                                     'ol_dist_info IS NULL OR ol_i_id > 100000'), 0)
        self.assertEqual(self.number(f'SELECT count(*) FROM order_line JOIN orders ON '
                                     '(o_w_id, o_d_id, o_id) = (ol_w_id, ol_d_id, ol_o_id) JOIN item ON '
                                     f'i_id = ol_i_id WHERE o_entry_d > {LOADED} AND ol_amount <> '
                                     'ol_quantity * i_price'), 0)
        self.assertEqual(self.number('SELECT sum(c_payment_cnt) FROM customer'),
                         60000 + done['payment'])
        self.assertEqual(self.number('SELECT sum(c_delivery_cnt) FROM customer'),
                         10 * done['delivery'])
        checked = self.pgdyno.run('check', *self.target(), '--compat', 'hammerdb-fixed',
                                  '--warehouses', WAREHOUSES, timeout=120)
        self.assertEqual(checked.code, 0, checked)

    def test_functions(self):
        told = self.one_kind('functions')['tallies']
        self.assertEqual(told['order_status_empty'], 0)  # each customer has an order
        self.assertEqual(told['new_orders_without_total'], 0)

    def test_procedures(self):
        self.one_kind('procedures')

    def test_the_same_item_twice(self):
        """Three lines of one item: each takes from what the one before has left."""
        self.copy('mended')
        # Draws come in a row: roll, then item (two), quantity of each line.
        self.ask("DROP FUNCTION dbms_random(integer, integer);"
                 "CREATE FUNCTION dbms_random(low integer, high integer) RETURNS integer LANGUAGE sql"
                 " AS $$ SELECT CASE WHEN high = 10 THEN 7 WHEN low = 1 AND high = 100 THEN 50"
                 " WHEN low = 0 THEN 0 ELSE 17 END $$;"
                 "UPDATE stock SET s_quantity = 25 WHERE s_w_id = 1;"
                 "SELECT neword(1, 2, 3, 4, 5, 0)")
        # 25, 18, 11, then 11 - 7 + 91 = 95, 88, 81.
        self.assertEqual(self.ask('SELECT s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM stock WHERE '
                                  's_w_id = 1 AND s_order_cnt > 0'), [('81', '35', '5', '0')])
        self.assertEqual(self.ask("SELECT ol_number FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 3 "
                                  "AND ol_o_id = 3001 AND ol_dist_info = (SELECT s_dist_03 FROM stock "
                                  "WHERE s_i_id = ol_i_id AND s_w_id = 1) ORDER BY 1"),
                         [('1',), ('2',), ('3',), ('4',), ('5',)])

    def test_damages_are_found(self):
        self.copy('mended')
        self.run_it('-c', 4, '--transactions', 800, '--compat', 'hammerdb-fixed')
        check = ['check', *self.target(), '--compat', 'hammerdb-fixed']
        self.pgdyno.run(*check, check=0)
        for damage, undo, words in (
                ('UPDATE stock SET s_quantity = s_quantity + 1 WHERE s_i_id = 7 AND s_w_id = 2',
                 'UPDATE stock SET s_quantity = s_quantity - 1 WHERE s_i_id = 7 AND s_w_id = 2',
                 's_quantity of item 7 of warehouse 2'),
                ('UPDATE district SET d_ytd = d_ytd - 0.01 WHERE d_w_id = 1 AND d_id = 4',
                 'UPDATE district SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 1 AND d_id = 4',
                 'd_ytd of district 4 of warehouse 1'),
                ('CREATE TABLE kept AS SELECT * FROM new_order; TRUNCATE new_order',
                 'INSERT INTO new_order SELECT * FROM kept; DROP TABLE kept',
                 'condition 5')):
            self.ask(damage)
            done = self.pgdyno.run(*check)
            self.assertEqual(done.code, 8, done)
            self.assertIn(words, done.out)
            self.ask(undo)

    def test_many_sessions_keep_it_consistent(self):
        self.copy('mended')
        result = self.run_it('-c', 8, '--time', 3, '--compat', 'hammerdb-fixed', '--isolation',
                             'repeatable-read')
        self.assertTrue(result['ledgers'][0]['balanced'])
        self.assertGreater(result['summary']['transactions']['retried'], 0)
        self.nothing_is_lost(transactions(result))


# ---- a database that was built by something else ----

PLAIN_DATA = """
INSERT INTO warehouse SELECT w, 'name', 'a', 'b', 'c', 'dd', '123411111', 0.1, 300000 FROM
 generate_series(1, 3) w;
INSERT INTO district SELECT w, 3001, d, 30000, 0.1, 'name', 'a', 'b', 'c', 'dd', '123411111' FROM
 generate_series(1, 3) w, generate_series(1, 10) d;
"""
PLAIN_FUNCTIONS = """
CREATE FUNCTION neword(integer, integer, integer, integer, integer, integer) RETURNS numeric
 LANGUAGE plpgsql AS $$ DECLARE n integer; BEGIN
  ASSERT $2 = 3 AND $6 = 0;
  UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $3
   RETURNING d_next_o_id - 1 INTO n;
  INSERT INTO orders VALUES (current_timestamp, n, $1, $4, $3, NULL, $5, 1);
  RETURN 1.5; END $$;
CREATE FUNCTION payment(integer, integer, integer, integer, integer, integer, numeric, varchar,
 varchar, numeric) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN
  ASSERT $8 = '$8' AND $9 = '0' AND $10 = 0;
  INSERT INTO history VALUES (current_timestamp, $5, $3, $1, $4, $2, $7, '');
  RETURN $5; END $$;
CREATE FUNCTION ostat(integer, integer, integer, integer, varchar) RETURNS SETOF record LANGUAGE
 plpgsql AS $$ BEGIN
  ASSERT $5 = '$5';
  RETURN QUERY SELECT 1, 2, 3::smallint, 4.5, current_timestamp, $3, 'a'::varchar, 'b'::varchar,
   'c'::varchar, 5.5, 6, localtimestamp, 7; END $$;
CREATE FUNCTION delivery(integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION slev(integer, integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
"""


def plain_tables():
    """CREATE TABLE and keys, from the fixture."""
    statements = []
    for heading, lines in fixture().items():
        kind, _, table = heading.partition(' ')
        if kind == 'table':
            keys = [line for line in lines if '(c_w_id' in line or ' (' in line]
            columns = [line for line in lines if line not in keys]
            statements.append(f'CREATE TABLE {table} ({", ".join(columns)})')
            statements += [f'ALTER TABLE {table} ADD CONSTRAINT {key}' for key in keys]
    return ';\n'.join(statements) + ';\n'


def plain_procedures():
    """With HammerDB's signatures; of these only New-Order and Payment do something."""
    bodies = {'neword': 'UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $3;',
              'payment': "ASSERT $5 = 0 OR $8 ~ '^[A-Z]+$'; INSERT INTO history VALUES "
                         "($33, $9, $3, $1, $4, $2, $6, '');"}
    made = []
    for line in fixture()['procedures']:
        name = line.split('(')[0]
        made.append(f'CREATE PROCEDURE {line} LANGUAGE plpgsql AS $$ BEGIN {bodies.get(name, "")} '
                    'END $$;\n')
    return ''.join(made)


class Foreign(Tproc):
    def build(self, routines):
        self.server.sql('DROP DATABASE IF EXISTS run')
        self.make('run')
        self.ask(plain_tables() + PLAIN_DATA + routines)

    def test_functions_are_found(self):
        self.build(PLAIN_FUNCTIONS)
        result = self.run_it('-c', 2, '--transactions', 400, '--routines', 'procedures')
        done = transactions(result)
        self.assertEqual(result['errors'], [])
        self.assertEqual(sum(done.values()), 400)
        self.assertEqual(self.number('SELECT count(*) FROM orders'), done['neword'])
        self.assertEqual(self.number('SELECT count(*) FROM history'), done['payment'])
        self.assertEqual(result['ledgers'][0]['growth'], done['neword'])
        self.assertTrue(any('the database has only the functions' in note for note in result['notes']),
                        result['notes'])

    def test_procedures_are_found(self):
        self.build(plain_procedures())
        result = self.run_it('-c', 2, '--transactions', 400)
        done = transactions(result)
        self.assertEqual(result['errors'], [])
        self.assertEqual(self.number('SELECT sum(d_next_o_id - 3001) FROM district'), done['neword'])
        self.assertEqual(self.number('SELECT count(*) FROM history WHERE h_date = date_trunc('
                                     "'second', h_date)"), done['payment'])
        self.assertTrue(any('the database has only the procedures' in note for note in result['notes']),
                        result['notes'])

    def test_neither(self):
        self.build('')
        done = self.pgdyno.run('run', *self.target(), '--time', 1)
        self.assertEqual(done.code, 3, done)
        self.assertIn('has 0 of 5 as functions and 0 of 5 as procedures', done.err)
        self.server.sql('DROP DATABASE run')
        self.make('run')
        done = self.pgdyno.run('run', *self.target(), '--time', 1)
        self.assertEqual(done.code, 3, done)
        self.assertIn('pgdyno load tproc', done.err)

    def last_vacuum(self, table, database='run'):
        return self.server.value(f"SELECT last_vacuum IS NOT NULL FROM pg_stat_user_tables WHERE "
                                 f"relname = '{table}'", dbname=database)

    def test_vacuum(self):
        """VACUUM of the tables of this database alone, then CHECKPOINT, behind the window."""
        self.build(PLAIN_FUNCTIONS)
        self.ask('CREATE TABLE bystander ()')
        self.server.sql('DROP TABLE IF EXISTS elsewhere; CREATE TABLE elsewhere ()')
        result = self.run_it('--transactions', 50, '--pg_vacuum', 'true')
        vacuum = result['vacuum']
        steps = [step['what'] for step in vacuum['steps']]
        self.assertEqual(vacuum['state'], 'done', vacuum)
        self.assertEqual(len(steps), 10)
        self.assertEqual(steps[-1], 'CHECKPOINT')
        self.assertEqual(steps[-2], 'VACUUM order_line')
        self.assertGreater(vacuum['steps'][1]['bytes_after'], 0)
        wait_until(lambda: self.last_vacuum('order_line') == 't', what='statistics of VACUUM')
        self.assertEqual(self.last_vacuum('bystander'), 'f')
        self.assertEqual(self.last_vacuum('elsewhere', 'postgres'), 'f')
        self.assertIsNone(self.run_it('--transactions', 5)['vacuum'])

    def test_vacuum_that_may_not_checkpoint(self):
        self.build(PLAIN_FUNCTIONS + 'GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC')
        self.server.sql('DROP ROLE IF EXISTS ordinary; CREATE ROLE ordinary LOGIN')
        vacuum = self.run_it('--transactions', 50, '--vacuum', user='ordinary')['vacuum']
        self.assertEqual(vacuum['state'], 'refused', vacuum)
        self.assertIn('42501', vacuum['steps'][-1]['error'])

    def test_slow_vacuum_is_ended_by_a_signal(self):
        """That is no failure of the run, and nothing of its result is lost."""
        self.build(PLAIN_FUNCTIONS)
        self.ask('INSERT INTO history SELECT now(), i, 1, 1, 1, 1, 1, repeat(\'x\', 24) FROM '
                 'generate_series(1, 100000) i')
        target = self.target(options='-c vacuum_cost_delay=100 -c vacuum_cost_limit=1')
        run = self.pgdyno.start('run', *target, '--transactions', 50, '--check', 'never', '--vacuum',
                                '--results', self.pgdyno.results_folder)
        for line in run.stdout:
            if 'VACUUM customer' in line:
                break
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        result = self.pgdyno.results()[-1].json()
        self.assertEqual(result['vacuum']['state'], 'interrupted', result['vacuum'])
        self.assertEqual(result['summary']['transactions']['done'], 50)

    def test_hammerdbs_options(self):
        self.build(PLAIN_FUNCTIONS)
        done, result = self.pgdyno.measure(
            'tproc', '--pg_host', self.server.socket, '--pg_port', self.server.port, '--pg_user',
            'postgres', '--pg_dbase', 'run', '--pg_rampup', 0, '--pg_duration', 0.01, '--vu', 3,
            '--pg_allwarehouse', 'true', '--pg_raiseerror', 'false', '--pg_storedprocs', 'false',
            '--pg_total_iterations', 10, '--pg_oracompat', 'false', '--pg_superuserpass', 'hidden',
            '--check', 'never')
        result = result.json()
        self.assertEqual(result['plan']['time'], 0.6)
        self.assertEqual(result['plan']['warmup'], 0)
        self.assertIn('time', result['plan_given'])
        self.assertEqual(result['plan']['connections'], 3)
        self.assertEqual(result['plan']['workload_options']['allwarehouse'], True)
        self.assertGreater(result['summary']['transactions']['done'], 10)
        self.assertIn('--pg-total-iterations is ignored: there is no cap', done.err)
        self.assertNotIn('hidden', done.err + done.out)
        done = self.pgdyno.run('run', 'tproc', '--pg_oracompat', 'true')
        self.assertEqual(done.code, 2, done)


if __name__ == '__main__':
    main()
