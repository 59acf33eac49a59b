"""What a data set may have beside plain tables: several rows a number, foreign keys, functions, and
growth. The data set is that of tests/load/load_probe.c, in a schema whose name needs quoting."""

import json
import subprocess
import unittest

from harness import Postgres, clean_env, main, os, wait_until

PROBE = os.environ.get('LOAD_PROBE', 'load_probe')
TABLES = ('"a shop"', 'ware', 'orders', 'lines')
LINKS = "SELECT string_agg(conname, ' ' ORDER BY conname) FROM pg_constraint " \
        "WHERE contype = 'f' AND convalidated"


class Parts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15)
        cls.addClassCleanup(cls.server.close)
        cls.server.sql('''CREATE SCHEMA "it's"; ALTER DATABASE postgres SET search_path = "it's"''')

    def setUp(self):
        self.addCleanup(self.sql, '''DROP SCHEMA "it's" CASCADE; CREATE SCHEMA "it's"''')

    def sql(self, text):
        return self.server.sql(text)

    def words(self, verb, **options):
        more = [word for name, value in options.items() for word in (f'--{name}', str(value))]
        return [PROBE, self.server.conninfo(), verb, *more]

    def call(self, verb, code=0, **options):
        done = subprocess.run(self.words(verb, **options), capture_output=True, text=True,
                              timeout=60, check=False, env=clean_env(), stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr if code else json.loads(done.stdout)

    def load(self, **options):
        return self.call('load', **options)

    def steps(self, report, step):
        return [(one['what'], one['rows']) for one in report['steps'] if one['step'] == step]

    def hashes(self):
        return [self.sql(f'SELECT count(*), sum(hashtextextended(t::text, 0)::numeric) FROM {name}'
                         ' t')[0] for name in TABLES]


class Content(Parts):
    def test_rows_links_and_report(self):
        report = self.load(shops=10)
        rows = [int(row[0]) for row in self.hashes()]
        self.assertEqual(rows[:3], [10, 400, 500])
        self.assertEqual(report['rows'], sum(rows))
        self.assertEqual(dict(self.steps(report, 'copy'))['lines'], rows[3])
        self.assertEqual(self.sql('SELECT count(DISTINCT id), max(line) <= 9 FROM lines'),
                         [('500', 't')])
        self.assertEqual(self.sql(LINKS), [('of_order of_shop of_ware',)])
        order = [phase['step'] for phase in report['phases']]
        self.assertEqual(order, ['create', 'copy', 'index', 'vacuum', 'link', 'object',
                                 'checkpoint'])
        # What a decimal and a moment are is worked out from the same draws by the unit tests.
        self.assertEqual(self.sql("SELECT bool_and(scale(price) = 4), bool_and(price BETWEEN 0.0001 "
                                  "AND 99.9999) FROM ware"), [('t', 't')])
        self.assertEqual(self.sql("SELECT min(at) >= timestamptz '2023-11-14 22:13:20+00' AND "
                                  "max(at) < timestamptz '2023-11-14 22:30:00+00' FROM orders"),
                         [('t',)])
        self.assertTrue(self.load(shops=10)['nothing_to_do'])

    def test_changed_data_are_told_by_real_rows(self):
        self.load(shops=10)
        rows = self.sql('SELECT count(*) FROM lines')[0][0]
        self.sql('DELETE FROM lines WHERE id = 7 AND line = 1')
        self.assertIn(f'lines has {int(rows) - 1} rows and {rows} were loaded',
                      self.call('load', code=3, shops=10))

    def test_parent_dropped_by_hand(self):
        self.load()
        self.sql('DROP TABLE ware CASCADE')
        self.assertIn('table ware had been dropped, and with it what linked lines to it',
                      self.call('load', code=3))
        self.load(force='on')
        self.assertEqual(self.sql(LINKS), [('of_order of_shop of_ware',)])

    def test_drop_leaves_what_others_name(self):
        self.load()
        expected = self.hashes()
        self.sql('CREATE TABLE mine (shop integer REFERENCES "a shop")')
        self.assertIn('mine', self.call('drop', code=4))
        self.assertEqual(self.sql('SELECT count(*) FROM "a shop"'), [('2',)])
        self.load()
        self.assertEqual(self.hashes(), expected)
        self.assertEqual(self.sql(LINKS), [('mine_shop_fkey of_order of_shop of_ware',)])
        self.sql('DROP TABLE mine')
        self.assertEqual(self.call('drop'), 4)
        self.assertEqual(self.sql("SELECT count(*) FROM pg_class JOIN pg_namespace n ON n.oid = "
                                  "relnamespace WHERE nspname = 'it''s'"), [('0',)])


class Objects(Parts):
    def test_made_and_made_anew(self):
        self.load(objects=0)
        before = self.hashes()
        self.assertEqual([what for what, _ in self.steps(self.load(), 'object')],
                         ['FUNCTION total(integer, integer)', 'PROCEDURE touch(integer)'])
        self.assertEqual(self.sql('SELECT total(2, 3)'), [('5',)])
        report = self.load(body='*')
        self.assertEqual([what for what, _ in self.steps(report, 'object')],
                         ['FUNCTION total(integer, integer)'])
        self.assertEqual(self.sql('SELECT total(2, 3)'), [('6',)])
        self.assertTrue(self.load(body='*')['nothing_to_do'])
        self.assertEqual(self.hashes(), before)
        self.sql('CALL touch(1)')
        self.call('drop')
        self.assertEqual(self.sql("SELECT count(*) FROM pg_proc JOIN pg_namespace n ON n.oid = "
                                  "pronamespace WHERE nspname = 'it''s'"), [('0',)])

    def test_foreign_ones_are_not_touched(self):
        theirs = 'CREATE FUNCTION total(a integer, b integer) RETURNS integer LANGUAGE sql AS ' \
                 '$$ SELECT 7 $$'
        self.sql(theirs)
        self.assertIn('FUNCTION total(integer, integer) in schema it\'s was not made by pgdyno',
                      self.call('load', code=3))
        self.sql('DROP FUNCTION total(integer, integer)')
        # Another signature is another function.
        self.sql(theirs.replace('b integer', 'b bigint'))
        self.load()
        self.sql('DROP FUNCTION total(integer, integer)')
        self.sql(theirs)
        self.assertIn('was not made by pgdyno', self.call('load', code=3))
        self.call('drop')
        self.assertEqual(self.sql('SELECT total(2, 3), total(2, 3::bigint)'), [('7', '7')])


class Growth(Parts):
    def fresh(self, **options):
        self.load(**options)
        expected = self.hashes()
        self.call('drop')
        return expected

    def test_grown_is_as_fresh(self):
        expected = self.fresh(shops=120)
        self.load(shops=30)
        self.sql("UPDATE lines SET pad = 'used' WHERE id = 1")
        report = self.load(shops=120)
        self.assertIn('shops grow from 30 to 120', report['notes'][0])
        self.assertEqual(dict(self.steps(report, 'copy'))['orders'], 90 * 50)
        self.assertNotIn('ware', dict(self.steps(report, 'copy')))
        self.assertEqual(self.steps(report, 'index') + self.steps(report, 'link'), [])
        self.assertEqual(report['rows'], sum(int(rows) for rows, _ in expected))
        self.sql("UPDATE lines SET pad = repeat('b', 200) WHERE id = 1")
        self.assertEqual(self.hashes(), expected)
        self.assertTrue(self.load(shops=120)['nothing_to_do'])
        self.assertIn('shops is 120 there and 119 is asked', self.call('load', code=3, shops=119))
        self.assertIn('lines is 9 there and 8 is asked', self.call('load', code=3, shops=130,
                                                                   lines=8))
        self.assertEqual(self.hashes(), expected)

    def test_unfinished_grows_too(self):
        expected = self.fresh(shops=120)
        self.sql("CREATE FUNCTION no() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE "
                 "'not now'; END $$; CREATE EVENT TRIGGER no ON ddl_command_start WHEN TAG IN "
                 "('CREATE INDEX') EXECUTE FUNCTION no()")
        self.addCleanup(self.sql, 'DROP EVENT TRIGGER IF EXISTS no')
        self.assertIn('not now', self.call('load', code=4, shops=60))
        self.sql('DROP EVENT TRIGGER no')
        self.load(shops=120)
        self.assertEqual(self.hashes(), expected)
        self.assertEqual(self.sql(LINKS), [('of_order of_shop of_ware',)])

    def test_killed_while_it_grows(self):
        expected = self.fresh(shops=120)
        self.load(shops=20)
        for table in ('orders', 'lines'):
            self.stop_at(table, shops=120)
        self.assertIn('shops is 120 there and 20 is asked', self.call('load', code=3, shops=20))
        self.load(shops=120)
        self.assertEqual(self.hashes(), expected)
        self.assertTrue(self.load(shops=120)['nothing_to_do'])

    def stop_at(self, table, **options):
        """Kills a load that waits to copy into the table."""
        holder = subprocess.Popen(['psql', '-Xq', '-d', self.server.conninfo()], env=clean_env(),
                                  stdin=subprocess.PIPE, text=True)
        with holder:
            holder.stdin.write(f'BEGIN; LOCK TABLE {table} IN SHARE MODE;\n')
            holder.stdin.flush()
            wait_until(lambda: self.locks("granted AND mode = 'ShareLock' AND relation = "
                                          f"'{table}'::regclass"))
            load = subprocess.Popen(self.words('load', **options), env=clean_env(),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: self.locks('NOT granted'), what='a load that waits')
            load.kill()
            load.wait()

    def locks(self, which):
        return self.sql(f'SELECT 1 FROM pg_locks WHERE {which}')


if __name__ == '__main__':
    main()
