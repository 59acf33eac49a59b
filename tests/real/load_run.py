"""What the tests of `pgdyno run` share: a table like sysbench's, a run in the background, books."""

import contextlib
import hashlib
import json
import math
import os
import threading

from harness import *

WORKLOAD = 'oltp_point_select'
FULL = os.environ.get('PGDYNO_TEST_FULL') == '1'
SLOW = 4.0 if os.environ.get('PGDYNO_SLOW') == '1' else 1.0  # a sanitizer or valgrind runs
WATCHED = 'template1'
OUTCOMES = ('done', 'rolled_back', 'failed', 'unknown', 'dropped', 'unfinished')
KINDS = ('read', 'write', 'other')
ROWS = 10000
TABLE = f"""
    SET client_min_messages = warning;
    DROP TABLE IF EXISTS sbtest1 CASCADE;
    CREATE TABLE sbtest1 (id integer PRIMARY KEY, k integer NOT NULL DEFAULT 0,
                          c char(120) NOT NULL DEFAULT '', pad char(60) NOT NULL DEFAULT '');
    INSERT INTO sbtest1 SELECT n, n, 'c' || n, 'pad' FROM generate_series(1, {ROWS}) n;
    ANALYZE sbtest1;"""


def strict(text):
    """JSON as the standard has it: NaN and Infinity, which Python would take, are refused."""
    def refuse(word):
        raise AssertionError(f'{word} in JSON')
    return json.loads(text, parse_constant=refuse)


def sleepy_view(seconds):
    """In the place of sbtest1 a view that takes its time."""
    return f"""CREATE VIEW sbtest1 AS SELECT id,
                 CASE WHEN pg_sleep({seconds}) IS NULL THEN '' ELSE 'c' END::text AS c
               FROM generate_series(1, {ROWS}) id"""


class Background:
    """A run that goes on while the test does something to it."""

    def __init__(self, pgdyno, workload, *options, env=None):
        self.pgdyno = pgdyno
        self.results = os.path.join(pgdyno.home, f'results-{time.monotonic_ns()}')
        self.begin = time.monotonic()
        self.process = pgdyno.start('run', workload, '--results', self.results, *options, env=env)

    def wait_for_load(self, server, connections, active=True):
        """Until the sessions have begun to work. Asked in another database: what is asked in that
        of the run would be in its books."""
        state = " AND query LIKE 'SELECT c%'" if active else ''
        wait_until(lambda: self.process.poll() is not None or int(server.value(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgdyno'" + state,
            WATCHED))
            >= connections, 20, 'the load')
        if self.process.poll() is not None:
            raise AssertionError(f'the run ended too soon\n{self.finish()}')

    def finish(self, timeout=30):
        """Waits for the end; gives Completed. `seconds` count from the last signal, if any."""
        out, err = self.process.communicate(timeout=timeout)
        return Completed(self.process.args, self.process.returncode, out, err,
                         time.monotonic() - self.begin)

    def signal(self, number):
        self.begin = time.monotonic()
        self.process.send_signal(number)

    def result(self):
        found = results_in(self.results)
        return found[-1] if found else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Proxy:
    """A TCP port of 127.0.0.1 before a server: the first `open_to` connections are let through,
    those that come later are taken and never answered."""

    def __init__(self, server, open_to):
        self.server, self.open_to, self.taken = server, open_to, 0
        self.held = []
        self.listener = socket.create_server(('127.0.0.1', 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.held.append(client)
            self.taken += 1
            if self.taken <= self.open_to:
                there = socket.socket(socket.AF_UNIX)
                there.connect(os.path.join(self.server.socket, f'.s.PGSQL.{self.server.port}'))
                self.held.append(there)
                for pair in ((client, there), (there, client)):
                    threading.Thread(target=self._carry, args=pair, daemon=True).start()

    @staticmethod
    def _carry(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def close(self):
        for one in [self.listener] + self.held:
            one.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class RunTest(unittest.TestCase):
    """A server with a table, and the program; both for a whole class."""

    server_words = {}
    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.pgdyno = Pgdyno()
        cls.addClassCleanup(cls.pgdyno.close)
        cls.server = Postgres(15, settings=dict({'autovacuum': 'off'}, **cls.settings),
                              **cls.server_words)
        cls.addClassCleanup(cls.server.close)
        cls.server.sql(TABLE)

    def target(self, **more):
        return ['-t', self.server.conninfo(**more)]

    def run_it(self, *options, workload=WORKLOAD, check=0, target=None, **more):
        """A short run; gives (Completed, Result or None)."""
        words = ['--warmup', '0'] if '--warmup' not in options else []
        if workload != 'null':
            words += target or self.target()
        return self.pgdyno.measure(workload, *words, *options, check=check, **more)

    def background(self, *options, env=None, target=None):
        words = ['--warmup', '0'] if '--warmup' not in options else []
        run = Background(self.pgdyno, WORKLOAD, *words, *(target or self.target()), *options,
                         env=env)
        self.addCleanup(run.__exit__)
        return run

    def with_sleepy_view(self, seconds):
        """For the rest of the test sbtest1 is slow."""
        self.server.sql('ALTER TABLE sbtest1 RENAME TO kept;' + sleepy_view(seconds))
        self.addCleanup(self.server.sql,
                        'DROP VIEW IF EXISTS sbtest1; ALTER TABLE kept RENAME TO sbtest1')

    def no_session_left(self, patience=0.5):
        def left():
            return self.server.sql("SELECT application_name, state, wait_event, query FROM "
                                   "pg_stat_activity WHERE application_name LIKE 'pgdyno%'",
                                   WATCHED)
        end = time.monotonic() + patience
        while (rows := left()) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(rows, [])

    def one_line(self, completed, *words):
        """One message of one line, with these words in it, in any case."""
        lines = completed.err.strip().split('\n')
        self.assertEqual(len(lines), 1, completed)
        for word in words:
            self.assertIn(str(word).lower(), lines[0].lower(), completed)

    # ---- what holds for every result ----

    def check_sums(self, result):
        for line in result.text('sha256sums').splitlines():
            digest, name = line.split(maxsplit=1)
            with open(os.path.join(result.path, name.lstrip('*')), 'rb') as file:
                self.assertEqual(digest, hashlib.sha256(file.read()).hexdigest(), name)

    def check_phase(self, phase, seconds):
        counts = phase['transactions']
        self.assertEqual(counts['scheduled'], sum(counts[name] for name in OUTCOMES), counts)
        self.assertEqual(counts['attempts'],
                         counts['scheduled'] - counts['dropped'] + counts['retried'], counts)
        if seconds > 0:
            self.assertAlmostEqual(counts['per_s'], counts['done'] / seconds,
                                   delta=1e-6 * (1 + counts['done']))
            self.assertAlmostEqual(phase['queries']['per_s'],
                                   phase['queries']['total'] / seconds,
                                   delta=1e-6 * (1 + phase['queries']['total']))
        self.assertEqual(phase['queries']['total'], sum(phase['queries'][kind] for kind in KINDS))

    def check_series(self, result, whole):
        lines = [strict(line) for line in result.text('series.jsonl').splitlines()]
        for name in ('warmup', 'measure'):
            of_phase = [line for line in lines if line['phase'] == name]
            phase = whole['phases'][name]
            for group, keys in (('transactions', OUTCOMES + ('retried',)),
                                ('queries', KINDS + ('total',))):
                for key in keys:
                    self.assertEqual(sum(line[group][key] for line in of_phase),
                                     phase[group][key], f'{name} {group}.{key}')
            self.assertEqual(sum(line['errors'] for line in of_phase),
                             sum(phase['errors'].values()), f'errors of {name}')
        return lines

    def check_result(self, result):
        """Everything that must hold whatever happened; gives result.json."""
        for name in ('before.json', 'after.json'):
            if name in result.files():
                strict(result.text(name))
        whole = strict(result.text('result.json'))
        summary = whole['summary']
        self.assertEqual(summary['transactions'], whole['phases']['measure']['transactions'])
        self.assertEqual(summary['measured_s'], whole['phases']['measure']['seconds'])
        for phase in ('warmup', 'measure'):
            self.check_phase(whole['phases'][phase], whole['phases'][phase]['seconds'])
        by_name = whole['transactions'].values()
        for key in OUTCOMES + ('scheduled', 'attempts', 'retried'):
            self.assertEqual(sum(one[key] for one in by_name), summary['transactions'][key], key)
        self.assertEqual(sum(one['count'] for one in whole['statements'].values()),
                         summary['queries']['total'])
        for code, count in summary['errors'].items():
            self.assertEqual(count, sum(one['count'] for one in whole['errors']
                                        if one['code'] == code and one['phase'] == 'measure'))
        self.assertTrue(whole['books']['balanced'], whole['books'])
        self.assertTrue(math.isfinite(summary['measured_s']) and summary['measured_s'] >= 0)
        self.check_series(result, whole)
        self.check_sums(result)
        return whole
