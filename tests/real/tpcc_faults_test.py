#!/usr/bin/env python3
"""TPC-C under fire: whatever happens to its sessions, the data stay consistent and the orders that
the client counts are those that the districts have numbered, give or take what is unknown.
"""

import signal
import threading

from harness import *

ISOLATIONS = ('read-committed', 'repeatable-read', 'serializable')


class Killer(threading.Thread):
    """Ends a session of the load now and then, until it has ended `wanted` of them."""

    def __init__(self, server, wanted):
        super().__init__()
        self.server, self.wanted, self.killed, self.over = server, wanted, 0, False

    def run(self):
        while not self.over and self.killed < self.wanted:
            # From another database: the books are of the run's own.
            gone = self.server.value(
                "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity"
                " WHERE application_name = 'pgdyno' AND datname = 'shop' AND xact_start IS NOT NULL"
                ' ORDER BY random() LIMIT 1) one')
            self.killed += int(gone)
            time.sleep(0.15)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15, {'shared_buffers': '256MB', 'max_wal_size': '4GB'})
        cls.pgdyno = Pgdyno()
        cls.server.sql('CREATE DATABASE shop')
        cls.words = ['tpcc', '--target', cls.server.conninfo('shop'), '--warehouses', '2']
        cls.pgdyno.run('load', *cls.words, '--quiet', check=0, timeout=120)

    @classmethod
    def tearDownClass(cls):
        cls.pgdyno.close()
        cls.server.close()

    def order_ids(self):
        return int(self.server.value('SELECT sum(d_next_o_id) FROM district1', 'shop'))

    def assert_ledger(self, result):
        ledger = result['ledgers'][0]
        self.assertTrue(ledger['balanced'], ledger)
        self.assertLessEqual(abs(ledger['growth'] - ledger['committed']), ledger['unknown'], ledger)
        return ledger

    def storm(self, *options, kills=8):
        before = self.order_ids()
        killer = Killer(self.server, kills)
        killer.start()
        try:
            done, result = self.pgdyno.measure(*self.words, '-c', 16, '--warmup', 0, '--quiet',
                                               *options, check=0)
        finally:
            killer.over = True
            killer.join()
        told = result.json()
        self.assertEqual(told['check']['state'], 'passed', done)
        ledger = self.assert_ledger(told)
        self.assertEqual(self.order_ids() - before, ledger['growth'])
        # How many were in time is a matter of speed.
        self.assertGreater(killer.killed, 0, 'sessions were to be killed while it ran')
        self.assertIn('57P01', told['summary']['errors'])
        return told

    def test_isolation_levels(self):
        for level in ISOLATIONS:
            with self.subTest(level):
                told = self.storm('--isolation', level, '--time', 3)
                if level != 'read-committed':
                    self.assertGreater(told['summary']['transactions']['retried'], 0)

    def test_functions(self):
        self.storm('--mode', 'functions', '--isolation', 'repeatable-read', '--time', 2, kills=4)

    def test_pipeline(self):
        self.storm('--pipeline', 'on', '--isolation', 'repeatable-read', '--time', 2, kills=4)

    def test_interrupted(self):
        before = self.order_ids()
        run = self.pgdyno.start('run', *self.words, '-c', 16, '--time', 60, '--warmup', 0,
                                '--results', self.pgdyno.results_folder)
        wait_until(lambda: self.order_ids() > before + 100, 20)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=20)
        self.assertEqual(run.returncode, 130, out + err)
        told = self.pgdyno.results()[-1].json()
        self.assertEqual(told['ended'], 'interrupted')
        self.assertEqual(told['check']['state'], 'skipped')
        self.pgdyno.run('check', *self.words, check=0, timeout=120)
        ledger = told['ledgers'][0]
        if ledger['balanced'] is not None:
            self.assert_ledger(told)


if __name__ == '__main__':
    main(faults=True)
