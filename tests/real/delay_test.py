"""A network, or a pooler, that takes its time: U06, U21."""

import itertools
import random

from load_run import *

CONNECT_S = 2


class Delay:
    """A TCP port of 127.0.0.1 before a server that holds answers back: `wait(first, load)` tells
    for how many seconds, `first` being true for the first answer of a connection, and `load` when
    it is a session under load."""

    def __init__(self, server, wait):
        self.server, self.wait = server, wait
        self.sockets = []
        self.load = {} # client's socket: [accepted at, first answer passed on at], under load
        self.worked = {} # client's socket: when it sent its first statement, under load
        self.listener = socket.create_server(('127.0.0.1', 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.carry, args=(client, time.monotonic()),
                                 daemon=True).start()

    def carry(self, client, begin):
        there = socket.socket(socket.AF_UNIX)
        there.connect(os.path.join(self.server.socket, f'.s.PGSQL.{self.server.port}'))
        self.sockets += [client, there]
        threading.Thread(target=self.answer, args=(client, there), daemon=True).start()
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if b'application_name\0pgdyno\0' in data:
                    self.load[client] = [begin, None]
                if b'SELECT c FROM' in data and client in self.load:
                    self.worked.setdefault(client, time.monotonic())
                there.sendall(data)
            there.shutdown(socket.SHUT_WR)

    def answer(self, client, there):
        first = True
        with contextlib.suppress(OSError):
            while data := there.recv(65536):
                time.sleep(self.wait(first, client in self.load))
                client.sendall(data)
                if first and client in self.load:
                    self.load[client][1] = time.monotonic()
                first = False
            client.shutdown(socket.SHUT_WR)

    def close(self):
        for one in [self.listener] + self.sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


class Delayed(RunTest):
    def through(self, wait):
        proxy = Delay(self.server, wait)
        self.addCleanup(proxy.close)
        return proxy, self.target(host='127.0.0.1', port=proxy.port, sslmode='disable')

    def test_ninety_connections_that_take_two_seconds_each(self):
        """They open beside each other: all are up as if it were one."""
        proxy, target = self.through(lambda first, _: CONNECT_S if first else 0)
        _, result = self.run_it('-c', 90, '--transactions', 180, target=target)
        whole = self.check_result(result)
        opened = whole['connect_ms']['opened']
        self.assertEqual(opened['count'], 90)
        self.assertGreaterEqual(opened['max'], CONNECT_S * 1000)
        self.assertEqual(len(proxy.load), 90)
        begins, ends = zip(*proxy.load.values())
        self.assertLess(max(ends) - min(begins), 5)
        self.assertEqual(whole['summary']['transactions']['done'], 180)

    def test_u21_nobody_starts_early(self):
        """One connection comes late: no other works before it is there, nor does the clock run."""
        first_ones = itertools.count(1)
        proxy, target = self.through(
            lambda first, load: 1.5 if first and load and next(first_ones) == 3 else 0)
        _, result = self.run_it('-c', 8, '--time', '1.5', '--warmup', 0, '--interval', '0.5',
                                target=target)
        whole = self.check_result(result)
        self.assertGreaterEqual(whole['connect_ms']['opened']['max'], 1500)
        self.assertEqual(len(proxy.worked), 8)
        self.assertGreaterEqual(min(proxy.worked.values()),
                                max(answered for _, answered in proxy.load.values()))
        for line in result.series():
            self.assertTrue(line['transactions']['done'] > 0 or line['seconds'] < 0.4, line)

    def test_every_answer_is_late(self):
        """Up to two seconds each, connecting as well: the run is what it was asked for, and the time is
        the transactions', not the tool's."""
        rng = random.Random(6)
        _, target = self.through(lambda _, load: rng.uniform(0, 2) if load else 0)
        _, result = self.run_it('-c', 4, '--transactions', 12, target=target)
        whole = self.check_result(result)
        self.assertEqual(whole['summary']['transactions']['done'], 12)
        response = whole['summary']['latency_ms']['response']
        self.assertGreater(response['max'], 300)
        self.assertTrue(200 < response['mean'] < 2400, response)

    def test_too_slow_is_told(self):
        """The limit is adjustable, and the message names where and how long."""
        proxy, target = self.through(lambda *_: 3)
        completed, result = self.run_it('-c', 4, '--transactions', 4, '--connect-timeout', 1,
                                        target=target, check=4)
        self.assertIsNone(result)
        self.one_line(completed, '127.0.0.1', proxy.port)
        self.assertRegex(completed.err, 'time|1 s')


if __name__ == '__main__':
    main(faults=True)
