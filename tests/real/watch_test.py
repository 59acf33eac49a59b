"""What is seen of the server during a run: counters, waits, checkpoints and vacuums, by any role."""

import os
import re
import subprocess
import time
import unittest

from harness import Pgdyno, Postgres, clean_env, installed_majors, main, wait_until

SIZE = ('--tables', '1', '--table-size', '1000')
FULL = os.environ.get('PGDYNO_TEST_FULL')


def load(pgdyno, server, *options, workload='oltp_read_write'):
    pgdyno.run('load', workload, '-t', server.conninfo(), *SIZE, *options, check=0)


def failed_statements(server):
    """Lines of the server's log that a statement of the collector left."""
    return [line for line in server.log.splitlines()
            if re.search(r'pgdyno-collect', line) and re.search(r'ERROR|FATAL', line)]


class WatchTest(unittest.TestCase):
    def look(self, major):
        settings = {'autovacuum': 'off', 'log_min_error_statement': 'error'}
        with Postgres(major, settings=settings) as server, Pgdyno() as pgdyno:
            load(pgdyno, server)
            for role, grant in (('plain', ''), ('watcher', 'GRANT pg_monitor TO watcher'),
                                ('boss', 'ALTER ROLE boss SUPERUSER')):
                server.sql(f'CREATE ROLE {role} LOGIN; {grant};'
                           f' GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}')
            for role in ('plain', 'watcher', 'boss'):
                with self.subTest(major=major, role=role):
                    self.run_as(pgdyno, server, role, major)
            self.assertEqual(failed_statements(server), [])

    def run_as(self, pgdyno, server, role, major):
        done, result = pgdyno.measure('oltp_read_write', '-t', server.conninfo(user=role), *SIZE,
                                      '-c', '2', '--time', '2', '--warmup', '0')
        told = result.json()
        counts, statistics = told['summary'], told['statistics']
        database = statistics['database']
        ended = counts['transactions']['done'] + counts['transactions']['failed']
        # The window begins with the load: exact but for what connecting left to be published.
        self.assertLess(abs(database['xact_commit'] - counts['transactions']['done']),
                        0.05 * ended + 20)
        self.assertEqual(statistics['lag_s'], 0)
        rows = {row['name']: row for row in statistics['tables']['rows']}
        self.assertGreater(rows['sbtest1']['n_tup_ins'], 0)
        self.assertGreater(statistics['indexes']['idx_scan'], 0)
        self.assertGreater(statistics['wal']['position_bytes'], 0)
        self.assertEqual('records' in statistics['wal'], major >= 14)
        self.assertEqual('io' in statistics, major >= 16)
        self.assertEqual('slru' in statistics, major >= 13)
        self.assertNotIn('statements', statistics)
        for key in ('timed', 'requested', 'write_ms', 'buffers_written'):
            self.assertIn(key, statistics['checkpointer'])
        self.assertIn('buffers_backend', statistics['bgwriter'])
        waits = told['waits']
        self.assertGreater(waits['samples'], 0)
        self.assertAlmostEqual(sum(waits['classes'].values()), waits['average_active_sessions'],
                               places=6)
        self.assertLessEqual(waits['average_active_sessions'], 2)
        self.assertTrue(told['books']['ok'], told['books'])
        self.assertEqual([note for note in told['notes'] if 'not watched' in note], [])
        seen = [line['server'] for line in result.series() if line['server']]
        self.assertTrue(any(line['database']['xact_commit'] > 0 for line in seen), seen)
        self.assertIn('active on average', done.out)

    def test_roles_and_majors(self):
        majors = installed_majors()
        for major in majors if FULL else {majors[0], majors[-1]}:
            self.look(major)

    def test_a_checkpoint_and_a_vacuum(self):
        """Forced in the run: both are events, in the second where they were."""
        with Postgres(installed_majors()[-1], settings={'autovacuum': 'off'}) as server, \
                Pgdyno() as pgdyno:
            load(pgdyno, server)
            process = pgdyno.start('run', 'oltp_read_write', '-t', server.conninfo(), *SIZE, '-c',
                                   '2', '--time', '6', '--results', pgdyno.results_folder)
            try:
                wait_until(server.sessions, 20, 'the load sessions')
                time.sleep(1.5)  # not a synchronisation: so that the times below are not 0
                moments = {}
                for kind, sql in (('checkpoint', 'CHECKPOINT'), ('vacuum', 'VACUUM sbtest1')):
                    begin = time.time()
                    server.sql(sql, dbname='postgres')
                    moments[kind] = (begin, time.time())
            finally:
                process.communicate(timeout=60)
            told = pgdyno.results()[-1].json()
            started = self.epoch(told['started'])
            for kind, (begin, end) in moments.items():
                found = [event for event in told['events'] if event['kind'] == kind]
                self.assertEqual(len(found), 1, told['events'])
                self.assertGreater(started + found[0]['at_s'], begin - 1.1)
                self.assertLess(started + found[0]['at_s'], end + 1.1)
                self.assertGreaterEqual(found[0]['until_s'], found[0]['at_s'])
            self.assertEqual([event['table'] for event in told['events']
                              if event['kind'] == 'vacuum'], ['public.sbtest1'])

    @staticmethod
    def epoch(stamp):
        from datetime import datetime
        return datetime.fromisoformat(stamp.replace('Z', '+00:00')).timestamp()

    def test_a_hot_row_is_charged_to_its_holder(self):
        """All sessions want one row, and its holder is the client's: that is where the time is."""
        with Postgres(15) as server, Pgdyno() as pgdyno:
            load(pgdyno, server)
            _, result = pgdyno.measure('oltp_read_write', '-t', server.conninfo(), '--tables', '1',
                                       '--table-size', '1', '--skip-trx', 'off', '-c', '8',
                                       '--time', '3', '--on-error', 'continue', check=None)
            waits = result.json()['waits']
            self.assertGreater(waits['classes_direct']['lock'], 1)
            self.assertGreater(waits['chain_samples'], 0)
            self.assertLess(waits['classes']['lock'], 0.5 * waits['classes_direct']['lock'])

    def test_a_stranger_of_the_same_name(self):
        """What a session does that was there before the run is not the load's."""
        with Postgres(15) as server, Pgdyno() as pgdyno:
            load(pgdyno, server)
            stranger = subprocess.Popen(
                ['psql', '-Xtq', '-d', server.conninfo(application_name='pgdyno'), '-c',
                 'SELECT pg_sleep(600)'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=clean_env())
            try:
                wait_until(server.sessions, 20, 'the stranger')
                _, result = pgdyno.measure('oltp_point_select', '-t', server.conninfo(), *SIZE,
                                           '-c', '2', '--time', '1', '--warmup', '0')
            finally:
                stranger.kill()
                stranger.wait()
            waits = result.json()['waits']
            self.assertGreater(waits['samples'], 0)
            self.assertEqual(waits['classes']['timeout'], 0)

    def test_off_and_elsewhere(self):
        with Postgres(15) as server, Pgdyno() as pgdyno:
            load(pgdyno, server)
            _, result = pgdyno.measure('oltp_point_select', '-t', server.conninfo(), *SIZE,
                                       '--time', '1', '--collect', 'off')
            told = result.json()
            self.assertIsNone(told['statistics'])
            self.assertIsNone(told['waits'])
            self.assertIsNone(told['events'])
            self.assertNotIn('server', result.series()[0])

    def test_statements_where_they_are_counted(self):
        with Postgres(15, settings={'shared_preload_libraries': 'pg_stat_statements'}) as server, \
                Pgdyno() as pgdyno:
            load(pgdyno, server)
            server.sql('CREATE SCHEMA "odd name"; CREATE EXTENSION pg_stat_statements SCHEMA'
                       ' "odd name"')
            _, result = pgdyno.measure('oltp_point_select', '-t', server.conninfo(), *SIZE,
                                       '--time', '1', '--warmup', '0')
            told = result.json()
            calls = [row['calls'] for row in told['statistics']['statements']['rows']]
            self.assertIn(told['summary']['queries']['read'], calls)
            self.assertEqual(failed_statements(server), [])


if __name__ == '__main__':
    main()
