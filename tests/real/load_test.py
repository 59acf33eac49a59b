"""load and drop on a real server: what is loaded, and what is left alone."""

import json

from load_gate import *


class Content(LoadTest):
    def test_columns(self):
        self.load(2, 20000)
        self.whole(2, 20000)
        for name in ('sbtest1', 'sbtest2'):
            wrong = self.value(rf"SELECT count(*) FROM {name} WHERE c::text !~ '^(\d{{11}}-){{9}}\d{{11}}$'"
                               rf" OR pad::text !~ '^(\d{{11}}-){{4}}\d{{11}}$'"
                               ' OR k NOT BETWEEN 1 AND 20000')
            self.assertEqual(wrong, '0')
            self.assertGreater(int(self.value(f'SELECT count(DISTINCT k) FROM {name}')), 10000)
            self.assertEqual(self.value(f'SELECT count(DISTINCT c) FROM {name}'), '20000')
        self.assertNotEqual(self.value('SELECT c FROM sbtest1 WHERE id = 7'),
                            self.value('SELECT c FROM sbtest2 WHERE id = 7'))

    def test_same_rows_whatever_the_connections(self):
        seen = []
        for connections in (1, 2, 8):
            self.load(1, 180000, '-c', connections, '--force') # two lanes
            self.whole(1, 180000)
            seen.append(self.hash(1))
            self.sql('DROP TABLE sbtest1, pgdyno_dataset')
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])
        self.load(1, 180000, '--data-seed', 2)
        self.assertNotEqual(seen[0], self.hash(1))

    def test_rows_lie_in_order(self):
        self.load(1, 400000, '-c', 4)
        self.assertGreaterEqual(float(self.value(
            "SELECT correlation FROM pg_stats WHERE tablename = 'sbtest1' AND attname = 'id'")), 0.99)

    def test_small_tables_lie_in_order(self):
        self.load(3, 10000, '-c', 4)
        for number in (1, 2, 3):
            self.assertGreaterEqual(float(self.value(
                f"SELECT correlation FROM pg_stats WHERE tablename = 'sbtest{number}'"
                " AND attname = 'id'")), 0.99)

    def test_one_row(self):
        self.load(1, 1)
        self.assertEqual(self.value('SELECT id FROM sbtest1'), '1')

    def test_progress(self):
        """Rows and bytes a second, and how long it may still take."""
        gate = self.gate()
        gate.close_at('copy', 5)
        load = self.start(1, 30000, '-c', 1)
        gate.wait(load)
        for line in load.stdout:
            if line.startswith('copy '):
                break
        self.assertRegex(line, r'copy +[0-9]+ %, [0-9,]+ of 30,000 rows, [0-9,]+ rows/s, '
                               r'[0-9.]+ [kM]?B/s, [0-9]+ s left \(sbtest1\)')
        gate.open()
        self.ended(load, 0)

    def test_empty_tables(self):
        """As sysbench's --table-size=0: for loads that only insert."""
        self.load(2, 0)
        self.assertEqual(self.hash(2), [('0', '0'), ('0', '0')])
        self.assertEqual(self.value("SELECT count(*) FROM pg_index WHERE indisvalid AND indrelid = "
                                    "'sbtest2'::regclass"), '2')
        self.assertIn('nothing to do', self.load(2, 0).out)
        check = self.pgdyno.run(*self.words('check', 2, 0), check=0)
        self.assertNotIn('differ', check.out)
        words = self.words('run', 2, 0, '--transactions', 50, '-c', 1, '--warmup', 0)
        for words[1] in ('oltp_insert', 'oltp_read_write'):
            self.assertRegex(self.pgdyno.run(*words, check=0).out, 'transactions +50 ')
        self.assertGreaterEqual(sum(int(rows) for rows, _ in self.hash(2)), 50)

    def report(self, done):
        path = re.search('written: (.*)', done.out).group(1)
        with open(os.path.join(self.pgdyno.home, path), encoding='utf-8') as file:
            return json.load(file)

    def test_report(self):
        done = self.load(2, 20000, '--results', 'kept')
        self.assertIn('40,000 rows', done.out)
        self.assertEqual([line for line in done.out.splitlines() if len(line) > 80
                          and ' left (' not in line and 'written' not in line], [])
        report = self.report(done)
        self.assertEqual([phase['step'] for phase in report['phases']],
                         ['create', 'copy', 'index', 'vacuum', 'checkpoint'])
        copies = [step for step in report['steps'] if step['step'] == 'copy']
        self.assertEqual(sorted(step['what'] for step in copies), ['sbtest1', 'sbtest2'])
        self.assertTrue(all(step['rows'] == 20000 and step['bytes'] > 20000 * 200
                            and step['seconds'] > 0 for step in copies))
        self.assertEqual(len([step for step in report['steps'] if step['step'] == 'index']), 6)

    def test_report_of_what_was_used(self):
        self.assertIn('over 1 connection\n', self.load(1, 1000, '-c', 4).out)
        gate = self.gate()
        gate.close_at('copy', 1)
        load = self.start(5, 1000, '-c', 4, '--force')
        gate.wait(load, sessions=4)
        gate.open()
        self.assertIn('over 4 connections\n', self.ended(load, 0)[0])

    def test_report_of_a_load_that_goes_on(self):
        """What it did, not what was there."""
        gate = self.gate()
        gate.close_at('copy', 4)
        load = self.start(1, 20000, '-c', 1)
        gate.wait(load)
        self.end(load)
        gate.open()
        wait_until(lambda: self.server.sessions('pgdyno-load') == 0)
        there = int(self.value('SELECT count(*) FROM sbtest1'))
        self.assertGreater(there, 10000)
        report = self.report(self.load(1, 20000, '--results', 'kept'))
        copied = next(phase for phase in report['phases'] if phase['step'] == 'copy')
        self.assertEqual(copied['rows'], 20000 - there)
        self.assertAlmostEqual(copied['bytes'] / copied['rows'], 206, delta=10)


class Again(LoadTest):
    def test_second_load_does_nothing(self):
        self.load(2, 10000)
        before = self.sql('SELECT oid, relfilenode FROM pg_class ORDER BY 1')
        rows = self.sql('SELECT * FROM pgdyno_dataset ORDER BY kind, name, part')
        done = self.load(2, 10000)
        self.assertIn('nothing to do', done.out)
        self.assertEqual(before, self.sql('SELECT oid, relfilenode FROM pg_class ORDER BY 1'))
        self.assertEqual(rows, self.sql('SELECT * FROM pgdyno_dataset ORDER BY kind, name, part'))

    def test_other_data_are_refused(self):
        self.load(2, 10000)
        before = self.hash(2)
        done = self.load(2, 20000, check=3)
        self.assertIn('table-size is 10000 there and 20000 is asked', done.err)
        self.assertIn('--force', done.err)
        done = self.load(2, 10000, '--data-seed', 9, check=3)
        self.assertIn('data-seed is 1 there and 9 is asked', done.err)
        done = self.load(2, 10000, '--rand-type', 'pareto', check=3)
        self.assertIn('rand-type', done.err)
        self.assertEqual(before, self.hash(2))
        self.load(1, 3000, '--force')
        self.whole(1, 3000)
        self.assertEqual(self.tables(), ['pgdyno_dataset', 'sbtest1'])

    def test_used_up_data_are_told_and_force_makes_them_anew(self):
        self.load(2, 10000)
        before = self.hash(2)
        self.sql('DELETE FROM sbtest1 WHERE id > 9500')
        done = self.load(2, 10000, check=3)
        self.assertIn('sbtest1 has 9500 rows and 10000 were loaded', done.err)
        self.assertIn('--force', done.err)
        self.assertRegex(self.pgdyno.run(*self.words('drop', 2, 10000), check=3).out,
                         'sbtest1 +9,500 rows')
        self.load(2, 10000, '--force')
        self.whole(2, 10000)
        self.assertEqual(before, self.hash(2))
        self.sql('INSERT INTO sbtest2 (k, c, pad) VALUES (1, 2, 3)')
        self.assertIn('sbtest2 has 10001 rows', self.load(2, 10000, check=3).err)

    def test_table_dropped_by_hand_is_made_again(self):
        self.load(3, 5000)
        before = self.hash(3)
        self.sql('DROP TABLE sbtest2')
        done = self.load(3, 5000)
        self.assertIn('sbtest2 had been dropped', done.out)
        self.whole(3, 5000)
        self.assertEqual(before, self.hash(3))

    def test_two_at_once(self):
        gate = self.gate()
        gate.close_at('copy', 1)
        first = self.start(1, 5000)
        gate.wait(first)
        self.assertIn('another load', self.load(1, 5000, check=3).err)
        gate.open()
        self.ended(first, 0)
        self.whole(1, 5000)

    def test_taken_over(self):
        """A load whose lock was lost finds that another has the data set, and copies no more."""
        gate = self.gate()
        gate.close_at('copy', 2)
        first = self.start(1, 20000, '-c', 1)
        gate.wait(first)
        self.sql("UPDATE pgdyno_dataset SET loader = 'other' WHERE kind = 'data set'")
        gate.open()
        self.assertIn('another load has taken', self.ended(first, 3)[1])
        self.assertLess(int(self.value('SELECT count(*) FROM sbtest1')), 10000)
        self.load(1, 20000)
        self.whole(1, 20000)


class Foreign(LoadTest):
    def test_foreign_table_is_not_touched(self):
        self.sql('CREATE TABLE sbtest2 (mine text); INSERT INTO sbtest2 VALUES (42)')
        for more in ((), ('--force',)):
            done = self.load(3, 1000, *more, check=3)
            self.assertIn('sbtest2', done.err)
            self.assertIn('not made by pgdyno', done.err)
        self.assertEqual(self.tables(), ['sbtest2'])
        self.assertEqual(self.sql('SELECT * FROM sbtest2'), [('42',)])

    def test_replaced_table_is_foreign(self):
        self.load(2, 1000)
        self.sql('DROP TABLE sbtest1; CREATE TABLE sbtest1 (mine text)')
        for more in ((), ('--force', '--data-seed', '5')):
            self.assertIn('not made by pgdyno', self.load(2, 1000, *more, check=3).err)
        self.pgdyno.run(*self.words('drop', 2, 1000, '--yes'), check=0)
        self.assertEqual(self.tables(), ['sbtest1'])

    def test_drop_removes_only_ours(self):
        self.load(2, 1000)
        self.sql('CREATE TABLE sbtest3 (id int); CREATE TABLE other (id int); CREATE SCHEMA s; '
                 'CREATE TABLE s.sbtest1 (id int)')
        done = self.pgdyno.run(*self.words('drop', 3, 1000), check=3)
        self.assertIn('--yes', done.err)
        self.assertIn('sbtest2', done.out)
        self.assertEqual(len(self.tables()), 5)
        done = self.pgdyno.run(*self.words('drop', 3, 1000, '--yes'), check=0)
        self.assertIn('2 tables dropped', done.out)
        self.assertEqual(self.tables(), ['other', 'sbtest3'])
        self.assertEqual(self.value("SELECT count(*) FROM pg_class WHERE relname = 'sbtest1'"), '1')
        self.assertIn('nothing dropped',
                      self.pgdyno.run(*self.words('drop', 3, 1000, '--yes'), check=0).out)

    def test_table_of_another_owner_stays(self):
        self.load(2, 1000)
        self.sql('CREATE ROLE heir; ALTER TABLE sbtest1 OWNER TO heir')
        self.pgdyno.run(*self.words('drop', 2, 1000, '--yes'), check=0)
        self.assertEqual(self.tables(), ['sbtest1'])
        self.sql('DROP TABLE sbtest1')

    def test_foreign_index_is_told_before_anything_is_made(self):
        self.sql('CREATE TABLE other (k int, PRIMARY KEY (k)); CREATE INDEX k_2 ON other (k);'
                 'CREATE SEQUENCE sbtest1_pkey')
        before = self.sql('SELECT oid FROM pg_class ORDER BY 1')
        err = self.load(2, 1000, check=3).err
        self.assertIn('index k_2 on table other, sequence sbtest1_pkey in schema public are in '
                      'the way', err)
        self.assertIn('Rename or drop them', err)
        self.assertEqual(before, self.sql('SELECT oid FROM pg_class ORDER BY 1'))

    def test_foreign_names_are_told_before_force_drops_anything(self):
        self.load(1, 1000)
        for make, drop in (('TABLE sbtest2 (a int)', 'TABLE sbtest2'),
                           ('INDEX k_2 ON pgdyno_dataset (at)', 'INDEX k_2')):
            self.sql(f'CREATE {make}')
            before = self.sql('SELECT oid FROM pg_class ORDER BY 1')
            self.assertIn('in the way', self.load(2, 1000, '--force', check=3).err)
            self.assertEqual(before, self.sql('SELECT oid FROM pg_class ORDER BY 1'))
            self.sql(f'DROP {drop}')
        self.load(2, 1000, '--force')
        self.whole(2, 1000)

    def test_index_made_by_hand_on_a_half_made_table(self):
        gate = self.gate()
        gate.close_at('index', 1)
        load = self.start(1, 1000)
        gate.wait(load)
        self.end(load)
        gate.open()
        wait_until(lambda: self.server.sessions('pgdyno-load') == 0)
        self.sql('CREATE INDEX k_1 ON sbtest1 (k)')
        self.assertIn('index k_1 on table sbtest1', self.load(1, 1000, check=3).err)
        self.sql('DROP INDEX k_1')
        self.load(1, 1000)
        self.whole(1, 1000)

    def test_foreign_state_is_refused(self):
        for make in ('TABLE pgdyno_dataset (a int)', 'VIEW pgdyno_dataset AS SELECT 1'):
            self.sql(f'CREATE {make}')
            for words in (self.words('load', 1, 1000), self.words('load', 1, 1000, '--force'),
                          self.words('drop', 1, 1000, '--yes')):
                self.assertIn('pgdyno_dataset in schema public is not the table',
                              self.pgdyno.run(*words, check=3).err)
            self.sql(f'DROP {make.split()[0]} pgdyno_dataset')

    def test_state_of_another_owner_is_refused(self):
        self.sql('CREATE ROLE other; CREATE TABLE pgdyno_dataset (a int); '
                 'ALTER TABLE pgdyno_dataset OWNER TO other')
        self.assertIn('belongs to role other', self.load(1, 1000, check=3).err)


class Rights(LoadTest):
    def test_role_that_owns_one_schema(self):
        """All verbs, with nothing but that."""
        self.sql('CREATE ROLE app LOGIN; CREATE SCHEMA app AUTHORIZATION app')
        done = self.load(2, 5000, user='app')
        self.assertIn('note: no CHECKPOINT', done.out)
        self.assertEqual(self.value('SELECT count(*) FROM app.sbtest2'), '5000')
        self.assertIn('nothing to do', self.load(2, 5000, user='app').out)
        self.pgdyno.run(*self.words('check', 2, 5000, user='app'), check=0)
        self.pgdyno.run(*self.words('run', 2, 5000, '--transactions', 50, '-c', 2, '--warmup', 0,
                                    user='app'), check=0)
        self.assertNotIn('permission denied', self.server.log)
        self.pgdyno.run(*self.words('drop', 2, 5000, '--yes', user='app'), check=0)
        self.assertEqual(self.value("SELECT count(*) FROM pg_class WHERE relnamespace = "
                                    "'app'::regnamespace"), '0')

    def test_role_that_may_create_nowhere(self):
        self.sql('CREATE ROLE guest LOGIN')
        self.assertIn('may not create tables in schema public',
                      self.load(1, 1000, check=3, user='guest').err)

    def test_schema_of_an_awkward_name(self):
        self.sql("""CREATE SCHEMA "it's ""odd"" %s";""")
        self.sql(f"""ALTER DATABASE {self.db} SET search_path = "it's ""odd"" %s" """)
        self.load(2, 5000)
        self.assertEqual(self.value('SELECT count(*) FROM sbtest2'), '5000')
        self.assertEqual(self.value("SELECT nextval('sbtest2_id_seq')"), '5001')
        self.pgdyno.run(*self.words('drop', 2, 5000, '--yes'), check=0)

    def test_error_tells_sqlstate_and_table(self):
        done = self.load(1, 1000, '--create-table-options', 'WITH (fillfactor=1)', check=4)
        self.assertIn('sbtest1', done.err)
        self.assertIn('SQLSTATE 22023', done.err)


class Hostile(LoadTest):
    settings = {'idle_session_timeout': '1s', 'statement_timeout': '150ms', 'lock_timeout': '10ms',
                'idle_in_transaction_session_timeout': '200ms',
                'default_transaction_isolation': 'serializable', 'max_connections': '20'}

    def test_timeouts(self):
        """Every one of them would have cut the load that waits: for a lock, in a statement, and
        with a session that only holds the load's own lock."""
        gate = self.gate()
        gate.close_at('copy', 2, 2)
        load = self.start(1, 20000, '-c', 1)
        gate.wait(load)
        time.sleep(0.3)
        gate.close_at('index', 1)
        gate.wait(load)
        time.sleep(1.3)
        gate.open()
        self.ended(load, 0)
        self.sql(NO_TIMEOUTS + 'SELECT count(*) FROM sbtest1')
        self.assertEqual(self.value("SELECT count(*) FROM pgdyno_dataset WHERE kind = 'after'"), '3')

    def test_few_connections(self):
        self.load(200, 100)
        self.assertEqual(self.value("SELECT count(*) FROM pgdyno_dataset WHERE kind = 'vacuum'"),
                         '200')
        self.load(200, 200, '-c', 200, '--force')
        self.assertEqual(self.value("SELECT count(*) FROM pgdyno_dataset WHERE kind = 'vacuum'"),
                         '200')


if __name__ == '__main__':
    main()
