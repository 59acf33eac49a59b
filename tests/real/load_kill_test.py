"""A load that is killed, interrupted, or loses its server: what comes after is what a clean load
makes. Where the load is at that moment, the gate tells (load_gate.py)."""

import random

from load_gate import *

ROUNDS = 10 if FULL else 3
SEED = int(os.environ.get('PGDYNO_TEST_SEED') or random.randrange(1000000))
AFTER_MAX = 12 # events
TERMINATE = ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = "
             "'pgdyno-load'")


class KillTest(LoadTest):
    """Loads of two tables; `clean` is what they hold when nothing happens."""

    size = 30000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.sql('CREATE DATABASE clean')
        cls.pgdyno.run('load', WORKLOAD, '-t', cls.server.conninfo('clean'), '--tables', 2,
                       '--table-size', cls.size, check=0)
        cls.clean = [row for number in (1, 2)
                     for row in cls.server.sql(HASH.format(f'sbtest{number}'), 'clean')]

    def begin(self, *more):
        return self.start(2, self.size, *more)

    def halted(self, gate, *bar, more=()):
        """A load that stands at that bar."""
        gate.close_at(*bar)
        load = self.begin(*more)
        gate.wait(load)
        return load

    def as_clean(self):
        self.whole(2, self.size)
        self.assertEqual(self.hash(2), self.clean)

    def finish(self):
        done = self.load(2, self.size)
        self.as_clean()
        return done

    def drop(self):
        self.pgdyno.run(*self.words('drop', 2, self.size, '--yes'), check=0)


class Killed(KillTest):
    def test_client_killed_again_and_again(self):
        gate = self.gate()
        for bar in (('record', 1), ('made', 1), ('copy', 1), ('row', 3), ('copy', 3), ('commit', 2),
                    ('index', 1), ('index', 2)):
            with self.subTest(bar=bar):
                self.end(self.halted(gate, *bar))
        gate.open()
        self.finish()

    def test_server_gone(self):
        """It does not come back: the load ends in time, and says so."""
        gate = self.gate()
        for bar in (('copy', 4), ('index', 1)):
            load = self.halted(gate, *bar, more=('--connect-timeout', 1))
            self.server.stop('immediate')
            self.ended(load, 4, within=15)
            self.server.start()
            gate.renew()
        self.finish()

    def test_server_back_at_once(self):
        """The load outlives a crash of the server, which takes chunks that were told committed."""
        gate = self.gate()
        load = self.halted(gate, 'copy', 6)
        self.server.restart('immediate')
        self.ended(load, 0)
        self.as_clean()

    def test_sessions_terminated(self):
        """A connection lost in the middle of a chunk: done again, or not when it was committed."""
        gate = self.gate()
        bars = [('copy', 2), ('row', 4), ('record', 3), ('commit', 3), ('index', 2)]
        load = self.halted(gate, *bars[0])
        for bar in bars[1:]:
            self.server.sql(TERMINATE)
            gate.close_at(*bar)
            gate.wait(load)
        self.server.sql(TERMINATE)
        gate.open()
        self.ended(load, 0)
        self.as_clean()

    def test_killed_while_an_index_is_built(self):
        """The server goes on building; the next load ends that and does not wait for it."""
        gate = self.gate()
        load = self.halted(gate, 'index', 1, 1)
        self.end(load)
        self.assertGreaterEqual(gate.waiting(), 1)
        self.finish() # The gate is still closed for the one that builds.

    def test_interrupted(self):
        gate = self.gate()
        for bar in (('made', 1), ('copy', 2), ('row', 2), ('index', 2)):
            load = self.halted(gate, *bar)
            load.send_signal(signal.SIGINT)
            begin = time.monotonic()
            self.ended(load, 130)
            self.assertLess(time.monotonic() - begin, 3)
            wait_until(lambda: self.server.sessions('pgdyno-load') == 0)
        gate.open()
        self.finish()


class Forced(KillTest):
    """After `load --force` was interrupted."""

    def interrupted(self, load):
        load.send_signal(signal.SIGINT)
        return self.ended(load, 130)[1]

    def oid(self):
        return self.value("SELECT 'sbtest1'::regclass::oid")

    def test_while_it_fills(self):
        """Without --force it goes on, with it everything is made anew."""
        self.load(2, 1000)
        gate = self.gate()
        load = self.halted(gate, 'copy', 4, more=('--force',))
        self.assertIn('the same load without --force goes on', self.interrupted(load))
        gate.open()
        made = self.oid()
        self.finish()
        self.assertEqual(made, self.oid())
        load = self.halted(gate, 'copy', 4, more=('--force',))
        self.interrupted(load)
        gate.open()
        made = self.oid()
        self.load(2, self.size, '--force')
        self.assertNotEqual(made, self.oid())
        self.as_clean()

    def test_while_it_drops(self):
        """What is left of the old data is not taken for the new ones."""
        self.load(2, 1000)
        holder = Session(self.server, self.db)
        self.addCleanup(holder.close)
        for more in ((), ('--data-seed', 2)):
            holder.ask('BEGIN; LOCK sbtest2 IN ROW SHARE MODE')
            load = self.start(2, 1000, '--force', *more)
            wait_until(lambda: self.server.value(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgdyno-load' AND "
                "wait_event_type = 'Lock'") != '0')
            self.assertIn('after 1 table: the others are still there', self.interrupted(load))
            holder.ask('ROLLBACK')
            self.assertEqual(self.tables(), ['pgdyno_dataset', 'sbtest2'])
            self.assertIn('data-seed is 1 there and 3 is asked',
                          self.load(2, 1000, '--data-seed', 3, check=3).err)
            self.sql('DELETE FROM sbtest2 WHERE id = 5') # as a run may have done before
            self.assertIn('sbtest2 has 999 rows', self.load(2, 1000, check=3).err)
            self.load(2, 1000, '--force')
            self.whole(2, 1000)

    def test_killed(self):
        self.load(2, 1000)
        gate = self.gate()
        self.end(self.halted(gate, 'copy', 3, more=('--force',)))
        gate.open()
        self.finish()


class AtRandom(KillTest):
    """Killed somewhere: at a number of events that is drawn, or some instant behind it."""

    def setUp(self):
        super().setUp()
        self.bars = self.gate()

    def moments(self, salt):
        """[(event, bar)]: the load is killed when so many events are seen, and gets no further than
        the bar. Half of the bars are the event itself, so that nothing moves at that moment."""
        rng = random.Random(f'{SEED} {salt}')
        self.bars.close_at('events', 10 ** 8)
        self.load(2, self.size)
        total = self.bars.count()
        self.drop()
        moments = []
        for number in range(ROUNDS):
            event = 1 + int(rng.random() * total)
            bar = event if number % 2 else min(event + rng.randint(1, AFTER_MAX), total)
            moments.append((event, bar))
        print(f'seed {SEED}, events (and bars) of {total}: {moments} ', end='', flush=True)
        return moments

    def until(self, event, bar, *more):
        self.bars.close_at('events', bar)
        load = self.begin(*more)
        wait_until(lambda: self.bars.count() >= event, 30, f'event {event}', every=0)
        self.assertIsNone(load.poll())
        return load

    def test_client_killed(self):
        for event, bar in self.moments('client'):
            with self.subTest(seed=SEED, event=event, bar=bar):
                self.end(self.until(event, bar))
                self.bars.open()
                self.finish()
                self.drop()

    def test_server_killed(self):
        """It comes back at once, which a load may outlive, or when the load has given up."""
        for number, (event, bar) in enumerate(self.moments('server')):
            with self.subTest(seed=SEED, event=event, bar=bar):
                stays_away = number % 3 == 2
                load = self.until(event, bar, *(('--connect-timeout', 1) if stays_away else ()))
                self.server.kill() if number % 2 else self.server.stop('immediate')
                if stays_away:
                    self.ended(load, 4)
                self.server.start()
                self.bars.renew()
                if not stays_away:
                    load.communicate(timeout=30)
                    self.assertIn(load.returncode, (0, 4))
                self.finish()
                self.drop()


class Stopped(LoadTest):
    """Ctrl-C while somebody holds a lock, and while the server does not answer at all."""

    def hold(self, what):
        """A session that holds a lock until it is closed."""
        holder = Session(self.server, self.db)
        self.addCleanup(holder.close)
        holder.ask(f'BEGIN; {what}')
        return holder

    def waits(self):
        wait_until(lambda: self.value("SELECT count(*) FROM pg_stat_activity WHERE application_name"
                                      " = 'pgdyno-load' AND wait_event_type = 'Lock'") != '0')

    def interrupt(self, process):
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        err = self.ended(process, 130)[1]
        self.assertLess(time.monotonic() - begin, 2)
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
        holder.close()
        self.assertEqual(self.tables(), ['pgdyno_dataset', 'sbtest1', 'sbtest2'])

    def test_server_that_is_frozen(self):
        self.load(2, 1000)
        self.hold('LOCK sbtest1 IN ROW SHARE MODE')
        process = self.pgdyno.start(*self.words('drop', 2, 1000, '--yes'))
        self.waits()
        with frozen(self.server):
            self.assertIn('does not answer', self.interrupt(process))
            process = self.pgdyno.start(*self.words('load', 2, 2000, '--force'))
            wait_until(lambda: self.is_ready(process))
            self.interrupt(process)
        wait_until(lambda: self.server.sessions('pgdyno-load') == 0)
        self.assertEqual(self.tables(), ['pgdyno_dataset', 'sbtest1', 'sbtest2'])

    @staticmethod
    def is_ready(process):
        """It catches SIGINT, and a thread of it is connecting."""
        with open(f'/proc/{process.pid}/status', encoding='ascii') as file:
            status = dict(line.split(':', 1) for line in file if ':' in line)
        return (int(status['SigCgt'], 16) >> (signal.SIGINT - 1) & 1
                and int(status['Threads']) > 1)


if __name__ == '__main__':
    main(faults=True)
