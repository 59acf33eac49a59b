"""PGIO: its tables, what its figures count, and what the published loop hides."""

import os
import re
import unittest

from harness import Pgdyno, Postgres, main

SMALL = ('--scale', '8M', '--num-schemas', '2')

# As the published file has it, with shell's quotes and comments.
CONF = """\
# pgio.conf
UPDATE_PCT=10
RUN_TIME=2
NUM_SCHEMAS=2
NUM_THREADS=3     # sessions a table

WORK_UNIT=63
UPDATE_WORK_UNIT=8
SCALE=8M
DBNAME=pg10
CONNECT_STRING="nosuchdb"
CREATE_BASE_TABLE=FALSE
TUNE=1
"""


class SmallTest(unittest.TestCase):
    """Two tables that fit into the buffers."""

    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15)
        cls.pgdyno = Pgdyno()
        cls.addClassCleanup(cls.server.close)
        cls.addClassCleanup(cls.pgdyno.close)
        cls.pgdyno.run('load', 'pgio', '-t', cls.server.conninfo(), *SMALL, check=0)

    def measure(self, *options, **more):
        return self.pgdyno.measure('pgio', '-t', self.server.conninfo(), *options, **more)

    def test_0_one_row_a_block(self):
        blocks = self.server.value("SELECT pg_relation_size('pgio1') / 8192")
        self.assertEqual(int(blocks), 1024)
        self.assertEqual(self.server.value(
            "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY "
            "attnum) FROM pg_attribute WHERE attrelid = 'pgio2'::regclass AND attnum > 0"),
            'mykey bigint, scratch bigint, filler character(1024)')
        self.assertEqual(self.server.value(
            "SELECT indexdef FROM pg_indexes WHERE tablename = 'pgio2'"),
            'CREATE INDEX pgio2_idx ON public.pgio2 USING btree (mykey)')
        self.assertEqual(self.server.value(
            "SELECT count(*) FROM pgio1 WHERE filler <> repeat('X', 1024)"), '0')
        # In order of scratch, which is no order of keys.
        self.assertEqual(self.server.value(
            'SELECT count(*) FROM (SELECT scratch, lag(scratch) OVER (ORDER BY ctid) AS last FROM '
            'pgio1) AS s WHERE scratch < last'), '0')
        near = float(self.server.value("SELECT abs(corr(mykey, (ctid::text::point)[0])) FROM pgio1"))
        self.assertLess(near, 0.2)
        again = self.pgdyno.run('load', 'pgio', '-t', self.server.conninfo(), *SMALL, check=0)
        self.assertIn('nothing to do', again.out)

    def test_updates_are_in_the_data(self):
        done, result = self.measure(*SMALL[2:], '-c', '4', '--update-pct', '20', '--time', '2')
        tree = result.json()
        self.assertTrue(tree['books']['ok'], tree['books'])
        ledger = tree['ledgers'][0]
        self.assertTrue(ledger['balanced'], ledger)
        updates = tree['transactions']['update']
        self.assertEqual(ledger['growth'], ledger['committed'])
        self.assertGreaterEqual(ledger['growth'], 9 * updates['done'])
        self.assertEqual(tree['statements']['update']['rows'], 9 * updates['done'])
        share = updates['done'] / tree['summary']['transactions']['done']
        self.assertAlmostEqual(share, 0.2, delta=0.01)
        # All of it is in the buffers: the rest was read when the sessions came.
        blocks = tree['blocks']
        self.assertLess(blocks['miss_share'], 0.02)
        self.assertEqual(tree['summary']['riops'], blocks['riops'])
        counted = (blocks['riops'] + blocks['cache_hits_per_s']) * tree['summary']['measured_s']
        begun = tree['summary']['transactions']['scheduled']
        self.assertAlmostEqual(counted / (blocks['per_transaction'] * begun), 1, delta=1e-3)
        self.assertGreater(blocks['wal_bytes_per_s'], 0)
        self.pgdyno.run('check', 'pgio', '-t', self.server.conninfo(), *SMALL, check=0)

    def test_mixes_and_hot_spots(self):
        _, result = self.measure(*SMALL[2:], '-c', '3', '--update-pct', '100', '--redo-stress',
                                 'heavy', '--transactions', '300', '--do-hotspot', '--hotspot-mb',
                                 '1', '--hotspot-offset-mb', '2', '--rand-type', 'zipfian',
                                 '--hot-schema-frequency', '3')
        tree = result.json()
        self.assertEqual(tree['transactions']['update']['done'], 300)
        self.assertTrue(tree['ledgers'][0]['balanced'], tree['ledgers'])
        self.assertIn('update_heavy', tree['statements'])
        self.assertNotIn('select', tree['transactions'])

    def test_more_than_there_is(self):
        done = self.pgdyno.run('run', 'pgio', '-t', self.server.conninfo(), *SMALL[2:], '--scale',
                               '16M', check=3)
        self.assertIn('only 1024', done.err)
        done = self.pgdyno.run('run', 'pgio', '-t', self.server.conninfo(), '--num-schemas', '3',
                               check=3)
        self.assertIn('pgdyno load pgio', done.err)

    def test_another_plan_is_refused(self):
        scans = self.server.conninfo(options='-c enable_indexscan=off -c enable_bitmapscan=off')
        done = self.pgdyno.run('run', 'pgio', '-t', scans, *SMALL[2:], '--time', '1', check=3)
        self.assertIn('Seq Scan on pgio*', done.err)
        self.pgdyno.measure('pgio', '-t', scans, *SMALL[2:], '--time', '1', '--any-plan')

    def test_a_conf_file_is_read_and_not_run(self):
        path = os.path.join(self.pgdyno.home, 'pgio.conf')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(CONF)
        done, result = self.measure('--pgio-conf', path, '--work-unit', '31')
        tree = result.json()
        options = tree['plan']['workload_options']
        self.assertEqual((options['update-pct'], options['num-schemas'], options['work-unit'],
                          options['scale']), (10, 2, 31, '8M'))
        self.assertEqual(tree['plan']['connections'], 6)
        self.assertEqual(tree['plan']['time'], 2)
        self.assertIn('TUNE', done.err)
        lost = self.pgdyno.run('run', 'pgio', '--pgio-conf', path, check=4,
                               env={'PGHOST': self.server.conninfo().split("host='")[1]
                                    .split("'")[0] if "host='" in self.server.conninfo() else
                                    '/nowhere'})
        self.assertTrue('nosuchdb' in lost.err or 'nowhere' in lost.err, lost.err)
        with open(path, 'w', encoding='utf-8') as file:
            file.write('SCALE=8M\nRUN_TIME=$(touch /tmp/x)\n')
        done = self.pgdyno.run('run', 'pgio', '--pgio-conf', path, check=2)
        self.assertIn('pgio.conf, line 2', done.err)

    def test_the_published_loop_and_its_dead(self):
        done, result = self.measure('--num-schemas', '1', '--num-threads', '4', '--update-pct',
                                    '15', '--time', '4', '--compat', 'pgio1', timeout=60)
        tree = result.json()
        published = tree['blocks']['published']
        failed = tree['summary']['errors'].get('40P01', 0)
        self.assertGreater(failed, 0)
        self.assertEqual(published['sessions_died'], failed)
        self.assertEqual(published['sessions'], 4)
        self.assertTrue(any('sessions died' in note for note in tree['notes']), tree['notes'])
        self.assertFalse(tree['client']['saturated'], tree['client'])
        # Rows of those that lived, and no others, are in the data.
        self.assertTrue(tree['ledgers'][0]['balanced'], tree['ledgers'])
        self.assertEqual(tree['ledgers'][0]['growth'], tree['tallies']['rows_updated'])
        self.assertEqual(tree['tallies']['rows_updated'], 9 * tree['tallies']['updates'])
        share = tree['tallies']['updates'] / tree['tallies']['operations']
        self.assertAlmostEqual(share, 0.15, delta=0.01)
        line = re.search(r'^DBNAME:  postgres\. 1 schemas, 4 threads\(each\)\. Run time: (\d+) '
                         r'seconds\. RIOPS >(\d+)< CACHE_HITS/s >(\d+)<$', done.out, re.M)
        seconds, riops, hits = map(int, line.groups())
        self.assertIn(seconds, (4, 5, 6))
        self.assertEqual(riops, published['blks_read'] // seconds)
        self.assertEqual(hits, published['blks_hit'] // seconds)

    def test_what_the_published_loop_cannot_do(self):
        for option in (('--update-pct', '60'), ('--scan-pct', '5'), ('--do-hotspot',),
                       ('--rate', '10'), ('--transactions', '5'), ('--time', '1500ms')):
            done = self.pgdyno.run('run', 'pgio', '-t', self.server.conninfo(), '--compat', 'pgio1',
                                   *option, check=2)
            self.assertIn('pgio1', done.err)

    def test_z_check_finds_a_second_row(self):
        # In a block that has one: the last.
        self.server.sql("ALTER TABLE pgio2 SET (fillfactor = 100); INSERT INTO pgio2 SELECT 1025, "
                        "1, 'X'")
        done = self.pgdyno.run('check', 'pgio', '-t', self.server.conninfo(), *SMALL, check=8)
        self.assertIn('pgio2: blocks with a row', done.out)
        self.assertNotIn('pgio1:', done.out)


class LargerThanBuffersTest(unittest.TestCase):
    def test_misses_that_no_device_sees(self):
        """U42: RIOPS high, reads of the device few, and both told."""
        with Postgres(17, settings={'shared_buffers': '8MB'}) as server, Pgdyno() as pgdyno:
            pgdyno.run('load', 'pgio', '-t', server.conninfo(), '--scale', '64M', '--num-schemas',
                       '1', '--scan-pct', '5', '--obfuscate-columns', check=0)
            done, result = pgdyno.measure('pgio', '-t', server.conninfo(), '--num-schemas', '1',
                                          '-c', '4', '--scan-pct', '5', '--warmup', '2', '--time',
                                          '3')
            tree = result.json()
            blocks, summary = tree['blocks'], tree['summary']
            self.assertGreater(summary['riops'], 500)
            self.assertGreater(blocks['miss_share'], 0.4)
            self.assertGreater(blocks['read'], blocks['window_read'])
            if blocks['page_cache_share'] is not None:
                self.assertGreater(blocks['page_cache_share'], 0.5)
                self.assertIsNotNone(summary['rpiops'])
            self.assertGreater(blocks['server_cpu_us_per_block'], 0)
            self.assertEqual(blocks['settings']['effective_io_concurrency'], '1')
            self.assertIn('scan', tree['transactions'])
            # A part of the tables is small enough for the buffers.
            _, result = pgdyno.measure('pgio', '-t', server.conninfo(), '--num-schemas', '1', '-c',
                                       '2', '--scale', '1024', '--work-unit', '7', '--rand-type',
                                       'zipfian', '--rand-zipfian-exp', '3', '--time', '2')
            self.assertLess(result.json()['blocks']['miss_share'], 0.2)
            self.assertTrue(any('1024 of 8192 blocks' in note
                                for note in result.json()['notes']))


if __name__ == '__main__':
    main()
