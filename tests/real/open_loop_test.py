"""An open loop on a real PostgreSQL: the schedule does not wait, times are those of a model of the
queue, the books balance under overload, and it ends on time.

The model knows nothing of pgdyno: arrivals at k/rate, c servers, a service of a fixed time outside
of a lock; what meets the lock waits for its end.
"""

import ctypes
import heapq
import math
import sys
from datetime import datetime

from books_test import times_of
from load_run import *

LOCK = 'LOCK TABLE sbtest1 IN ACCESS EXCLUSIVE MODE'
NEAR = 0.05  # of what the model computes
PR_SET_TIMERSLACK = 29
PERCENTILES = (50, 60, 70, 75, 80, 85, 90, 92, 95, 97, 99, 99.9)


# ---- the model ----

def queue_model(rate, seconds, servers, service_s, lock, drain_s=10.0):
    """Arrivals 1/rate, 2/rate, ... in [0, seconds); `lock` is (begin, end) in the same seconds. A
    list of (response, service, queue) of those that ended and of the ages of those that did not."""
    free = [0.0] * servers
    done, ages, dropped = [], [], 0
    for k in range(1, math.ceil(rate * seconds - 1e-9)):
        due = k / rate
        sent = max(due, heapq.heappop(free))
        if sent >= seconds:
            ages.append(seconds - due)
            dropped += 1
            heapq.heappush(free, sent)
            continue
        end = sent + service_s
        if end > lock[0] and sent < lock[1]:
            end = lock[1] + service_s
        heapq.heappush(free, end)
        if end > seconds + drain_s:
            ages.append(seconds + drain_s - due)
        else:
            done.append((end - due, end - sent, sent - due))
    return done, ages, dropped


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100 - 1e-9) - 1)]


class Lock:
    """The table locked by another session between two instants of wall time."""

    def __init__(self, server):
        self.psql = subprocess.Popen(['psql', '-Xqt', '-d', server.conninfo()], env=clean_env(),
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                     bufsize=1)
        self.begin = self.end = None

    def say(self, sql):
        """Says it, and gives the server's time when it was done."""
        self.psql.stdin.write(sql + '; SELECT extract(epoch FROM clock_timestamp());\n')
        self.psql.stdin.flush()
        while True:
            line = self.psql.stdout.readline()
            if line.strip():
                return float(line)

    def take(self):
        self.say('BEGIN')
        self.begin = self.say(LOCK)

    def release(self):
        self.end = self.say('COMMIT')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.psql.stdin.close()
        self.psql.stdout.close()
        self.psql.wait(20)


def started(whole):
    """Wall time at which the load began, in seconds."""
    return datetime.fromisoformat(whole['started'].replace('Z', '+00:00')).timestamp()


def sleep_until(wall):
    time.sleep(max(0, wall - time.time()))


class OpenLoop(RunTest):
    """Rates, overload, locks."""

    def measured(self, run, check=0):
        done = run.finish()
        self.assertEqual(done.code, check, done)
        return done, self.check_result(run.result())

    # ---- what the schedule says ----

    def test_rate_is_kept(self):
        for arrival in ('constant', 'poisson'):
            done, result = self.run_it('-c', 4, '--rate', 200, '--arrival', arrival, '--time', 3)
            whole = self.check_result(result)
            counts = whole['summary']['transactions']
            spread = 2 if arrival == 'constant' else 4 * math.sqrt(600)
            self.assertAlmostEqual(counts['scheduled'], 600, delta=spread)
            self.assertLessEqual(counts['dropped'] + counts['unfinished'], 6)
            self.assertEqual(whole['rate'], {
                'arrival': arrival, 'wanted_per_s': 200, 'ramp': None, 'kept': True,
                'achieved_share': whole['rate']['achieved_share']})
            self.assertGreaterEqual(whole['rate']['achieved_share'], 0.99)
            self.assertIn('achieved, kept', done.out)
            self.assertFalse(whole['closed_loop'])

    def test_closed_loop_says_so(self):
        done, result = self.run_it('-c', 2, '--transactions', 50)
        whole = self.check_result(result)
        self.assertIn('closed loop: not corrected for coordinated omission', whole['notes'])
        self.assertIn('not corrected for coordinated omission', ' '.join(done.out.split()))
        self.assertIsNone(whole['rate'])

    def test_ramp(self):
        _, result = self.run_it('-c', 4, '--ramp', '50..450/3s', '--arrival', 'constant', '--time',
                                4, '--warmup', 1, '--interval', 1)
        whole = self.check_result(result)
        # 50 in the warm-up; 250 a second on average in the ramp; then 450.
        self.assertAlmostEqual(whole['phases']['warmup']['transactions']['scheduled'], 50, delta=1)
        self.assertAlmostEqual(whole['summary']['transactions']['scheduled'], 1200, delta=2)
        self.assertEqual(whole['rate']['ramp'], '50..450/3s')
        self.assertIsNone(whole['rate']['wanted_per_s'])
        # The integral second by second: 50 + 400/3 t.
        seconds = [0] * 5
        for line in result.series():
            if line['phase'] == 'measure':
                seconds[min(4, round(line['at_s']) - 2)] += sum(
                    line['transactions'][name] for name in OUTCOMES)
        for found, wanted in zip(seconds, (116.7, 250, 383.3, 450)):
            self.assertAlmostEqual(found, wanted, delta=0.15 * wanted)

    def test_both_ends(self):
        """--time and --transactions: whichever comes first."""
        done, result = self.run_it('-c', 2, '--rate', 200, '--transactions', 100, '--time', 20)
        self.assertEqual(self.check_result(result)['summary']['transactions']['scheduled'], 100)
        self.assertLess(done.seconds, 10)
        _, result = self.run_it('-c', 2, '--rate', 5, '--transactions', 1000, '--time', 1)
        self.assertAlmostEqual(self.check_result(result)['summary']['measured_s'], 1, delta=0.2)

    # ---- overload ----

    def overloaded(self, done, whole):
        counts, rate = whole['summary']['transactions'], whole['rate']
        undone = counts['dropped'] + counts['unfinished']
        self.assertAlmostEqual(rate['achieved_share'], 1 - undone / counts['scheduled'])
        self.assertFalse(rate['kept'])
        self.assertRegex(done.err, f"overloaded: achieved {100 * rate['achieved_share']:.1f} % "
                                   'of the rate')
        self.assertEqual(whole['exit_code'], 6)
        self.assertIn('NOT KEPT', done.out)
        self.assertTrue(any('in no memory' in note for note in whole['notes']))

    def test_overload(self):
        self.with_sleepy_view(0.02)  # 2 sessions: a hundred a second at most
        done, result = self.run_it('-c', 2, '--rate', 1000, '--arrival', 'constant', '--time', 3,
                                   check=6)
        whole = self.check_result(result)
        self.overloaded(done, whole)
        counts, times = whole['summary']['transactions'], whole['summary']['latency_ms']
        self.assertAlmostEqual(counts['scheduled'], 3000, delta=2)
        self.assertLess(counts['done'], 330)
        self.assertAlmostEqual(whole['summary']['measured_s'], 3, delta=0.1)
        self.assertEqual(times['censored']['count'], counts['dropped'] + counts['unfinished'])
        # About 290 are done in order, so the first dropped one was due at about 0.29 s.
        oldest = 3000 - counts['done'] - counts['unfinished']
        self.assertAlmostEqual(times['censored']['max_ms'], oldest, delta=NEAR * oldest)
        self.assertTrue(times['response']['p99_at_least'])
        # Half of all are younger than this when they are dropped or done: no flattering.
        self.assertGreater(times['response']['p50'], 1000)

    def peak_of(self, run):
        peak = 0
        while run.process.poll() is None:
            with contextlib.suppress(OSError, AttributeError):
                with open(f'/proc/{run.process.pid}/status', encoding='ascii') as file:
                    peak = max(peak, int(re.search(r'VmHWM:\s+(\d+)', file.read()).group(1)))
            time.sleep(0.05)
        return peak

    def test_memory_and_end_at_any_rate(self):
        peaks = {}
        for rate, seconds in ((100, 2), (1000000, 2), (1000000, 6), (10000000, 4)):
            run = self.background('-c', 4, '--rate', rate, '--time', seconds, '--warmup', 1)
            peaks[rate, seconds] = self.peak_of(run)
            done, whole = self.measured(run, check=0 if rate == 100 else 6)
            self.assertLess(done.seconds, seconds + 1 + 8)  # with connecting and the books
            counts = whole['summary']['transactions']
            self.assertAlmostEqual(counts['scheduled'] / (rate * seconds), 1,
                                   delta=5 / math.sqrt(rate * seconds))
            self.assertLess(whole['phases']['drain']['seconds'], 1.5)
            if rate > 100:
                self.overloaded(done, whole)
        for key, peak in peaks.items():
            self.assertLess(peak, peaks[100, 2] * 1.1 + 1024, f'{key}: {peaks}')

    def test_by_count_is_overloaded_too(self):
        """Nothing is left over, but it is later and later."""
        self.with_sleepy_view(0.02)
        done, result = self.run_it('-c', 1, '--rate', 200, '--transactions', 60, check=6)
        whole = self.check_result(result)
        self.assertEqual(whole['summary']['transactions']['done'], 60)
        self.assertLess(whole['rate']['achieved_share'], 0.5)
        self.assertIn('overloaded', done.err)

    def test_latency_limit(self):
        self.with_sleepy_view(0.02)
        _, result = self.run_it('-c', 2, '--rate', 400, '--arrival', 'constant', '--time', 2,
                                '--latency-limit', '200ms', check=6)
        whole = self.check_result(result)
        counts, times = whole['summary']['transactions'], whole['summary']['latency_ms']
        self.assertGreater(counts['late'], 0)  # started in time, done too late
        self.assertGreater(counts['dropped'], 300)
        # What is too late is dropped at once, not when the run ends: nobody gets much older.
        self.assertLess(times['queue']['max'], 230)
        self.assertLess(times['censored']['max_ms'], 400)
        _, result = self.run_it('-c', 2, '--time', 1, '--latency-limit', '5ms')
        whole = self.check_result(result)
        self.assertEqual(whole['summary']['transactions']['late'],
                         whole['summary']['transactions']['done'])
        self.assertEqual(whole['summary']['transactions']['dropped'], 0)

    # ---- locks, against the model ----

    def locked_run(self, seconds, begin_s, end_s, rate=200, check=0):
        """A run of 4 sessions with a lock; gives its result, the model's, and how it ended."""
        run = self.background('-c', 4, '-j', 2, '--rate', rate, '--arrival', 'constant', '--time',
                              seconds, '--percentiles', ','.join(map(str, PERCENTILES)))
        run.wait_for_load(self.server, 1)
        with Lock(self.server) as lock:
            zero = time.time()  # about; the result says when exactly
            sleep_until(zero + begin_s)
            lock.take()
            sleep_until(zero + end_s)
            if run.process.poll() is None:
                lock.release()
            done, whole = self.measured(run, check)
            end = lock.end if lock.end is not None else time.time() + 100
            begin = lock.begin
        zero = started(whole)
        service_s = whole['summary']['latency_ms']['service']['p50'] / 1e3
        model = queue_model(rate, seconds, 4, min(service_s, 0.005), (begin - zero, end - zero))
        return done, whole, model

    def like_the_model(self, whole, model, least=4):
        """Every percentile above 100 ms in the model, of all three times. One where the model jumps,
        such as at the edge of the lock, is not held against it: four arrivals more or less may
        have met the lock."""
        done, ages, dropped = model
        counts, times = whole['summary']['transactions'], whole['summary']['latency_ms']
        self.assertAlmostEqual(counts['scheduled'], len(done) + len(ages), delta=3)
        self.assertAlmostEqual(counts['dropped'], dropped, delta=max(3, NEAR * dropped))
        self.assertEqual(times['censored']['count'], counts['dropped'] + counts['unfinished'])
        compared = 0
        for index, name in enumerate(('response', 'service', 'queue')):
            values = [one[index] * 1e3 for one in done]
            if name == 'response':
                values += [age * 1e3 for age in ages]  # the shortest they can have been
            total = len(values)
            for percent in PERCENTILES:
                low, wanted, high = (percentile(values, min(100, max(0, percent + shift)))
                                     for shift in (-400 / total, 0, 400 / total))
                if wanted < 100 or max(high - wanted, wanted - low) > NEAR * wanted:
                    continue
                self.assertAlmostEqual(times[name][f'p{percent:g}'], wanted, delta=NEAR * wanted,
                                       msg=f'{name} p{percent}: {times[name]}')
                compared += 1
        self.assertGreaterEqual(compared, least)

    def test_lock_in_mid_run(self):
        _, whole, model = self.locked_run(4, 1.0, 2.0)
        self.like_the_model(whole, model)
        times = whole['summary']['latency_ms']
        self.assertEqual(whole['summary']['transactions']['dropped'], 0)
        self.assertEqual(times['censored']['count'], 0)
        self.assertGreater(times['response']['max'], 900)
        self.assertLess(times['service']['p99'], 100)  # 4 of 800 met the lock themselves ...
        self.assertGreater(times['queue']['p90'], 200)  # ... and 200 waited behind them
        self.assertTrue(whole['rate']['kept'])

    def test_lock_past_the_end(self):
        """What is in flight ends in the drain; what was not started is dropped with its age."""
        done, whole, model = self.locked_run(3, 1.0, 4.0, check=6)
        self.like_the_model(whole, model, least=4)
        self.overloaded(done, whole)
        counts = whole['summary']['transactions']
        self.assertEqual(counts['unfinished'], 0)
        self.assertGreater(whole['summary']['latency_ms']['response']['max'], 2500)
        self.assertTrue(whole['summary']['latency_ms']['response']['p99_at_least'])
        self.no_session_left()

    def test_lock_that_does_not_end(self):
        """The drain is bounded; then the statements are cancelled and counted with their age."""
        run = self.background('-c', 4, '-j', 2, '--rate', 200, '--time', 2)
        run.wait_for_load(self.server, 1)
        with Lock(self.server) as lock:
            lock.take()
            done, whole = self.measured(run, check=6)
            self.assertLess(done.seconds, 2 + 10 + 8)
            self.no_session_left()
        self.assertEqual(whole['summary']['transactions']['unfinished'], 4)
        self.assertAlmostEqual(whole['phases']['drain']['seconds'] + whole['summary']['measured_s'],
                               12, delta=1)
        self.assertGreater(whole['summary']['latency_ms']['censored']['max_ms'], 10000)
        self.overloaded(done, whole)

    def test_u07_lock_in_warm_up(self):
        """What warm-up left undone does not spoil the window."""
        run = self.background('-c', 4, '--rate', 500, '--warmup', 5, '--time', 2)
        run.wait_for_load(self.server, 1)
        with Lock(self.server) as lock:
            lock.take()
            time.sleep(3)
            lock.release()
            _, whole = self.measured(run)
        self.assertLess(lock.end, started(whole) + 5)
        self.assertLess(whole['summary']['latency_ms']['response']['p99'], 100)
        # And when it lasts until the window begins, the rest is dropped, and counted as warm-up's.
        run = self.background('-c', 4, '--rate', 500, '--warmup', 2, '--time', 3)
        run.wait_for_load(self.server, 1)
        with Lock(self.server) as lock:
            lock.take()
            wait_until(lambda: self.lines(run) >= 2, 10, 'the warm-up to end')
            lock.release()
            _, whole = self.measured(run)
        self.assertGreater(whole['phases']['warmup']['transactions']['dropped'], 300)

    def lines(self, run):
        result = run.result()
        return len(result.text('series.jsonl').splitlines()) if result else 0

    # ---- what is asked for, and where it is written ----

    def test_three_times_in_the_log(self):
        _, result = self.run_it('-c', 2, '--rate', 300, '--time', 1)
        whole = self.check_result(result)
        times = times_of(result, '50', '99')
        for name in ('service', 'queue'):
            line = times[f'measure/point_select/{name}']
            kept = whole['summary']['latency_ms'][name]
            self.assertEqual(line['count'], whole['summary']['transactions']['done'])
            self.assertAlmostEqual(line['p99'] / 1e6, kept['p99'], delta=0.002 + 0.01 * kept['p99'])


class Inputs(RunTest):
    """The server's log tells what was asked for."""

    settings = {'log_statement': 'all'}

    def asked_for(self, workers):
        with open(self.server.log_path, 'rb') as log:
            log.seek(0, 2)
            begin = log.tell()
        _, result = self.run_it('-c', 4, '-j', workers, '--rate', 3000, '--transactions', 1500,
                                '--seed', 42, check=None)
        self.check_result(result)
        with open(self.server.log_path, encoding='utf-8', errors='replace') as log:
            log.seek(begin)
            words = log.read()
        return sorted(re.findall(r"parameters: \$1 = '(\d+)'", words))

    def test_same_inputs_whatever_the_workers(self):
        first = self.asked_for(1)
        self.assertEqual(len(first), 1500)
        self.assertGreater(len(set(first)), 100)
        for workers in (2, 4):
            self.assertEqual(self.asked_for(workers), first, f'{workers} workers')


class Redrawn(RunTest):
    def test_ids_that_are_taken(self):
        """A retry that redraws tries another id, not the same one for ever."""
        self.server.sql('''
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE unique_violation; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON sbtest1 FOR EACH ROW WHEN (NEW.id % 2 = 0)
                EXECUTE FUNCTION refuse()''')
        _, result = self.run_it('-c', 2, '--rate', 100, '--transactions', 100, '--table-size',
                                ROWS, '--compat', 'sysbench', '--auto-inc', 'off',
                                workload='oltp_insert', check=None, timeout=20)
        whole = self.check_result(result)
        counts = whole['summary']['transactions']
        self.assertEqual(counts['done'], 100, whole['errors'])
        self.assertGreater(counts['retried'], 30)
        self.assertEqual(whole['summary']['errors'], {'23505': counts['retried']})
        self.assertEqual(int(self.server.value(f'SELECT count(*) FROM sbtest1 WHERE id > {ROWS}')),
                         100)


class Thinking(RunTest):
    """Pauses between transactions."""

    def test_rate_of_a_thinking_crowd(self):
        """c / (think + service) a second, and the pauses are in no latency."""
        _, result = self.run_it('-c', 40, '--think', '100ms', '--time', 4, '--warmup', 1)
        whole = self.check_result(result)
        times = whole['summary']['latency_ms']
        wanted = 40 / (0.1 + times['service']['mean'] / 1e3)
        self.assertAlmostEqual(whole['summary']['transactions']['per_s'], wanted,
                               delta=0.1 * wanted)
        self.assertLess(times['response']['p50'], 50)
        self.pgdyno.run('run', WORKLOAD, *self.target(), '--think', '1s', '--rate', 5, check=2)


# ---- the client itself (U09, U41) ----

class Spinner:
    """A process that computes on one CPU until the block ends."""

    def __init__(self, cpu):
        self.process = subprocess.Popen(['taskset', '-c', str(cpu), sys.executable, '-c',
                                         'while True: pass'])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Client(RunTest):
    """Is it the client that is slow?"""

    def pinned(self, cpu, *options):
        results = os.path.join(self.pgdyno.home, f'pinned-{time.monotonic_ns()}')
        done = subprocess.run(
            ['taskset', '-c', str(cpu), self.pgdyno.path, 'run', *map(str, options), '--results',
             results], env=self.pgdyno.env(), cwd=self.pgdyno.home, capture_output=True, text=True,
            timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, results_in(results)[-1].json()

    def test_u09_saturated_beside_a_busy_loop(self):
        cpu = max(os.sched_getaffinity(0))
        with Spinner(cpu), Spinner(cpu), Spinner(cpu):
            out, whole = self.pinned(cpu, 'null', '-c', 4, '-j', 1, '--time', 3, '--warmup', 0)
        self.assertIs(whole['client']['saturated'], True, whole['client'])
        self.assertRegex(whole['client']['why'], r'worker 1 of 1 computed \d+ % of the time')
        worker = whole['client']['workers'][0]
        self.assertGreater(worker['cpu'] + (worker['run_delay'] or 0), 0.9)
        self.assertIn(whole['client']['why'].split(':')[0][:30], ' '.join(out.split()))

    def test_u09_quiet(self):
        _, result = self.run_it('-c', 2, '-j', 1, '--rate', 50, '--time', 2)
        client = result.json()['client']
        self.assertIs(client['saturated'], False, client)
        self.assertLess(client['workers'][0]['cpu'], 0.3)

    def test_u41_same_rate_more_workers(self):
        """p50 does not depend on the number of workers; what is due starts when it is due, as far
        as this machine lets anybody start in time. Others use this machine as well: blocks of all,
        and of each the best. More threads are woken on more CPUs, and a virtual one that idles
        takes some 0.1 ms to begin."""
        medians, late = {}, {}
        slack = 0
        for _ in range(3):
            for workers in (1, 2, 4):
                _, result = self.run_it('-c', 8, '-j', workers, '--rate', 100, '--arrival',
                                        'constant', '--time', 2)
                whole = self.check_result(result)
                times = whole['summary']['latency_ms']
                for kept, value in ((medians, times['response']['p50']),
                                    (late, times['queue']['p99'])):
                    kept[workers] = min(kept.get(workers, math.inf), value)
                # Sessions take turns, so the same backends work for however many workers.
                self.assertLess(whole['client']['sessions']['done_deviation'], 200 / 8 / 2)
            slack = max(slack, 2 * bare_lateness_p99_ms(1) + 1)
        self.assertLess(max(medians.values()), 1.5 * min(medians.values()) + 0.15, medians)
        self.assertLess(max(late.values()), slack, late)


def bare_lateness_p99_ms(seconds):
    """How late a loop that does nothing but sleep wakes up, at 100 a second."""
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    late, due = [], time.monotonic()
    for _ in range(int(100 * seconds)):
        due += 0.01
        while (left := due - time.monotonic()) > 0:
            time.sleep(left)
        late.append((time.monotonic() - due) * 1e3)
    return percentile(late, 99)


if __name__ == '__main__':
    main()
