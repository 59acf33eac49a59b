"""load and drop on a real server: what is loaded, what survives a crash, what is left alone."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import time

from harness import *

WORKLOAD = 'oltp_point_select'
HASH = ("SELECT count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) FROM {} t")


@contextlib.contextmanager
def frozen(server):
    """The server and all its sessions stand still."""
    pids = [server.pid, *server.children()]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


class LoadTest(unittest.TestCase):
    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15, settings=cls.settings)
        cls.pgdyno = Pgdyno()
        cls.count = 0

    @classmethod
    def tearDownClass(cls):
        cls.pgdyno.close()
        cls.server.close()

    def setUp(self):
        if not self.server.running():
            self.server.start()
        type(self).count += 1
        self.db = f'd{self.count}'
        self.server.sql(f'SET statement_timeout = 0; CREATE DATABASE {self.db}')

    def words(self, verb, tables, size, *more, **conninfo):
        return [verb, WORKLOAD, '-t', self.server.conninfo(self.db, **conninfo), '--tables', tables,
                '--table-size', size, *more]

    def load(self, tables, size, *more, check=0, **conninfo):
        return self.pgdyno.run(*self.words('load', tables, size, *more, **conninfo), check=check)

    def start(self, tables, size, *more):
        return self.pgdyno.start(*self.words('load', tables, size, *more))

    def sql(self, text):
        return self.server.sql(text, self.db)

    def value(self, text):
        return self.server.value(text, self.db)

    def hash(self, tables):
        return [self.sql(HASH.format(f'sbtest{number}'))[0] for number in range(1, tables + 1)]

    def tables(self):
        return [row[0] for row in self.sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND "
                                           "relnamespace = 'public'::regnamespace ORDER BY 1")]

    def whole(self, tables, size):
        """Everything that a finished load promises, as against one half done."""
        for number in range(1, tables + 1):
            name = f'sbtest{number}'
            self.assertEqual(self.sql(f'SELECT count(*), count(DISTINCT id), min(id), max(id) '
                                      f'FROM {name}'), [(str(size), str(size), '1', str(size))])
            indexes = [row[0] for row in self.sql('SELECT indexname FROM pg_indexes WHERE tablename'
                                                  f" = '{name}' ORDER BY 1")]
            self.assertEqual(indexes, [f'k_{number}', f'{name}_pkey'])
            self.assertEqual(self.value(f"SELECT nextval('{name}_id_seq')"), str(size + 1))
            # Frozen and all visible, statistics there.
            pages, visible, rows = map(float, self.sql(
                'SELECT relpages, relallvisible, reltuples FROM pg_class '
                f"WHERE relname = '{name}'")[0])
            # Pages that a copy left empty when it was killed are not counted as visible.
            self.assertGreater(visible / pages, 0.9)
            self.assertAlmostEqual(rows / size, 1, delta=0.05)
        self.assertEqual(self.value("SELECT count(*) FROM pgdyno_dataset WHERE kind = 'chunk'"), '0')


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
        for connections in (1, 2, 4):
            self.load(2, 150000, '-c', connections, '--force')
            seen.append(self.hash(2))
            self.sql('DROP TABLE sbtest1, sbtest2, pgdyno_dataset')
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])
        self.load(2, 150000, '--data-seed', 2)
        self.assertNotEqual(seen[0], self.hash(2))

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

    def test_report(self):
        done = self.load(2, 20000, '--results', 'kept')
        self.assertIn('40,000 rows', done.out)
        path = re.search('written: (.*)', done.out).group(1)
        with open(os.path.join(self.pgdyno.home, path), encoding='utf-8') as file:
            report = json.load(file)
        self.assertEqual([phase['step'] for phase in report['phases']],
                         ['create', 'copy', 'index', 'vacuum', 'checkpoint'])
        copies = [step for step in report['steps'] if step['step'] == 'copy']
        self.assertEqual(sorted(step['what'] for step in copies), ['sbtest1', 'sbtest2'])
        self.assertTrue(all(step['rows'] == 20000 and step['bytes'] > 20000 * 200
                            and step['seconds'] > 0 for step in copies))
        self.assertEqual(len([step for step in report['steps'] if step['step'] == 'index']), 6)


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
        first = self.start(1, 1500000)
        try:
            wait_until(lambda: self.tables() == ['pgdyno_dataset', 'sbtest1'])
            done = self.load(1, 1500000, check=3)
            self.assertIn('another load', done.err)
        finally:
            first.kill()
            first.communicate()

    def test_taken_over(self):
        """A load whose lock was lost finds that another has the data set, and copies no more."""
        first = self.start(1, 1500000, '-c', 1)
        wait_until(lambda: self.tables() == ['pgdyno_dataset', 'sbtest1'])
        self.sql("UPDATE pgdyno_dataset SET loader = 'other' WHERE kind = 'data set'")
        out, err = first.communicate(timeout=60)
        self.assertEqual(first.returncode, 3, out + err)
        self.assertIn('another load has taken', err)
        self.load(1, 1500000)
        self.whole(1, 1500000)


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

    def test_state_of_another_owner_is_refused(self):
        self.sql('CREATE ROLE other; CREATE TABLE pgdyno_dataset (a int); '
                 'ALTER TABLE pgdyno_dataset OWNER TO other')
        self.assertIn('belongs to role other', self.load(1, 1000, check=3).err)


class Rights(LoadTest):
    def test_role_that_owns_one_schema(self):
        self.sql('CREATE ROLE app LOGIN; CREATE SCHEMA app '
                 'AUTHORIZATION app')
        done = self.load(2, 5000, user='app')
        self.assertIn('note: no CHECKPOINT', done.out)
        self.assertEqual(self.value('SELECT count(*) FROM app.sbtest2'), '5000')
        self.assertIn('nothing to do', self.load(2, 5000, user='app').out)
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


class Killed(LoadTest):
    tables_count, size = 2, 250000

    def clean(self):
        cls = type(self)
        if not hasattr(cls, 'expected'):
            self.load(self.tables_count, self.size)
            cls.expected = self.hash(self.tables_count)
            self.sql('DROP TABLE sbtest1, sbtest2, pgdyno_dataset')
        return cls.expected

    def finish(self):
        self.load(self.tables_count, self.size)
        self.whole(self.tables_count, self.size)
        self.assertEqual(self.hash(self.tables_count), self.clean_hash)

    def test_client_killed(self):
        self.clean_hash = self.clean()
        rng = random.Random(1)
        for _ in range(6):
            load = self.start(self.tables_count, self.size)
            time.sleep(rng.uniform(0.02, 1.6))
            load.kill()
            load.communicate()
        self.finish()

    def test_client_killed_each_from_scratch(self):
        self.clean_hash = self.clean()
        for delay in (0.1, 0.4, 0.8, 1.2):
            load = self.start(self.tables_count, self.size)
            time.sleep(delay)
            load.kill()
            load.communicate()
            self.finish()
            self.pgdyno.run(*self.words('drop', 1, 1, '--yes'), check=0)

    def test_server_killed(self):
        self.clean_hash = self.clean()
        for delay in (0.3, 0.7):
            load = self.start(self.tables_count, self.size, '--connect-timeout', 1)
            time.sleep(delay)
            self.server.stop('immediate')
            begin = time.monotonic()
            out, err = load.communicate(timeout=30)
            self.assertLess(time.monotonic() - begin, 15)
            self.assertEqual(load.returncode, 4, out + err)
            self.server.start()
        self.finish()

    def test_server_back_at_once(self):
        """The load outlives a crash of the server, which takes chunks that were told committed."""
        self.clean_hash = self.clean()
        load = self.start(self.tables_count, self.size)
        time.sleep(0.4)
        self.server.restart('immediate')
        out, err = load.communicate(timeout=60)
        self.assertEqual(load.returncode, 0, out + err)
        self.finish()

    def test_sessions_terminated(self):
        """A connection lost in the middle of a chunk: done again, or not when it was committed."""
        self.clean_hash = self.clean()
        load = self.start(self.tables_count, self.size)
        for _ in range(8):
            time.sleep(0.1)
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                            "application_name = 'pgdyno-load'")
        out, err = load.communicate(timeout=60)
        self.assertEqual(load.returncode, 0, out + err)
        self.finish()

    def test_killed_while_an_index_is_built(self):
        """The server goes on building; the next load ends that and does not wait for it."""
        self.clean_hash = self.clean()
        load = self.start(self.tables_count, self.size)
        wait_until(lambda: self.server.value(
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%ADD CONSTRAINT%' AND "
            "state = 'active' AND application_name = 'pgdyno-load'") != '0', every=0.005)
        load.kill()
        load.communicate()
        self.finish()

    def test_interrupted(self):
        self.clean_hash = self.clean()
        for delay in (0.2, 0.6, 0.9):
            load = self.start(self.tables_count, self.size)
            time.sleep(delay)
            load.send_signal(signal.SIGINT)
            begin = time.monotonic()
            out, err = load.communicate(timeout=30)
            self.assertLess(time.monotonic() - begin, 3)
            self.assertIn(load.returncode, (0, 130), out + err)
            wait_until(lambda: self.server.sessions('pgdyno-load') == 0)
        self.finish()


class Hostile(LoadTest):
    settings = {'idle_session_timeout': '1s', 'statement_timeout': '150ms', 'lock_timeout': '10ms',
                'idle_in_transaction_session_timeout': '200ms',
                'default_transaction_isolation': 'serializable', 'max_connections': '20'}

    def test_timeouts(self):
        done = self.load(1, 1000000, '-c', 1)
        self.assertGreater(done.seconds, 2)
        self.sql('SET statement_timeout = 0; SELECT count(*) FROM sbtest1')
        self.assertEqual(self.value("SELECT count(*) FROM pgdyno_dataset WHERE kind = 'after'"), '3')

    def test_few_connections(self):
        self.load(200, 100)
        self.assertEqual(self.value("SELECT count(*) FROM pgdyno_dataset WHERE kind = 'vacuum'"),
                         '200')
        self.load(200, 200, '-c', 200, '--force')
        self.assertEqual(self.value("SELECT count(*) FROM pgdyno_dataset WHERE kind = 'vacuum'"),
                         '200')


class Stopped(LoadTest):
    """Ctrl-C while somebody holds a lock, and while the server does not answer at all."""

    def hold(self, what):
        """A session that holds a lock for long; to be closed by its Popen's kill()."""
        holder = subprocess.Popen(
            [os.path.join(self.server.bin, 'psql'), '-Xqd', self.server.conninfo(self.db), '-c',
             f'BEGIN; {what}; SELECT pg_sleep(100)'], env=clean_env({'PGAPPNAME': 'holder'}),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.let_go, holder)
        wait_until(lambda: self.value("SELECT count(*) FROM pg_stat_activity WHERE "
                                      "application_name = 'holder' AND query LIKE '%pg_sleep%' AND "
                                      "wait_event = 'PgSleep'") != '0')
        return holder

    def let_go(self, holder):
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                        "application_name = 'holder'")
        holder.wait()

    def waits(self):
        wait_until(lambda: self.value("SELECT count(*) FROM pg_stat_activity WHERE application_name"
                                      " = 'pgdyno-load' AND wait_event_type = 'Lock'") != '0')

    def interrupt(self, process):
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        out, err = process.communicate(timeout=10)
        self.assertLess(time.monotonic() - begin, 2)
        self.assertEqual(process.returncode, 130, out + err)
        return err

    def test_drop_and_force_that_wait_for_a_lock(self):
        self.load(2, 1000)
        holder = self.hold('LOCK sbtest1 IN ROW SHARE MODE')
        for words in (self.words('drop', 2, 1000, '--yes'),
                      self.words('load', 2, 2000, '--force')):
            process = self.pgdyno.start(*words)
            self.waits()
            self.assertIn('after 0 tables', self.interrupt(process))
            wait_until(lambda: self.server.sessions('pgdyno-load') == 0)
        self.let_go(holder)
        time.sleep(0.2)
        self.assertEqual(self.tables(), ['pgdyno_dataset', 'sbtest1', 'sbtest2'])

    def test_server_that_is_frozen(self):
        self.load(2, 1000)
        self.hold('LOCK sbtest1 IN ROW SHARE MODE')
        process = self.pgdyno.start(*self.words('drop', 2, 1000, '--yes'))
        self.waits()
        with frozen(self.server):
            self.assertIn('does not answer', self.interrupt(process))
            self.interrupt_soon(self.words('load', 2, 2000, '--force'))
        wait_until(lambda: self.server.sessions('pgdyno-load') == 0)
        self.assertEqual(self.tables(), ['pgdyno_dataset', 'sbtest1', 'sbtest2'])

    def interrupt_soon(self, words):
        process = self.pgdyno.start(*words)
        time.sleep(0.3)
        self.interrupt(process)


if __name__ == '__main__':
    main()
