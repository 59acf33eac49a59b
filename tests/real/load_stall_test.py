"""A load whose server says nothing any more: noticed, told and ended; one that is slow is not."""

import threading

from load_gate import *

PATIENCE = 1 # s, of --connect-timeout: asked after one, given up after two of it
SOON = 8


class Proxy:
    """A TCP port of 127.0.0.1 before a server, that can stop to carry anything: what goes through
    connections that are there, or also new ones."""

    def __init__(self, server):
        self.server = server
        self.sockets = []
        self.stopped, self.closed_to_new = set(), False
        self.listener = socket.create_server(('127.0.0.1', 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                there = socket.socket(socket.AF_UNIX)
                there.connect(os.path.join(self.server.socket, f'.s.PGSQL.{self.server.port}'))
                pair = (client, there)
                if self.closed_to_new:
                    self.stopped.add(pair)
                self.sockets.append(pair)
                for source, sink in (pair, pair[::-1]):
                    threading.Thread(target=self.carry, args=(pair, source, sink),
                                     daemon=True).start()

    def carry(self, pair, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                while pair in self.stopped:
                    time.sleep(0.01)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def stop(self, new_ones):
        self.closed_to_new = new_ones
        self.stopped.update(self.sockets)

    def close(self):
        self.listener.close()
        for pair in self.sockets:
            for half in pair:
                with contextlib.suppress(OSError):
                    half.shutdown(socket.SHUT_RDWR) # also for the thread that reads it
                half.close()
        self.stopped.clear()


class Stalled(LoadTest):
    size = 30000

    def halted(self, *bar, **conninfo):
        """(gate, load) that stands at that bar."""
        gate = self.gate()
        gate.close_at(*bar)
        load = self.start(2, self.size, '--connect-timeout', PATIENCE, **conninfo)
        gate.wait(load)
        return gate, load

    def given_up(self, load, *words):
        begin = time.monotonic()
        out, err = self.ended(load, 4)
        self.assertLess(time.monotonic() - begin, SOON)
        for word in words:
            self.assertIn(word, err)
        return out

    def afterwards(self, proxy=None):
        """The sessions left behind end, and another load goes on from there."""
        if proxy:
            proxy.close()
        wait_until(lambda: self.server.sessions('pgdyno-load') == 0)
        self.load(2, self.size)
        self.whole(2, self.size)

    def test_server_stands_still_in_a_copy(self):
        gate, load = self.halted('copy', 3)
        with frozen(self.server):
            out = self.given_up(load, 'table sbtest', 'copying rows', 'has not answered for')
        self.assertRegex(out, 'copy +[0-9]+ %, no answer for [0-9]+ s, neither here')
        gate.open()
        self.afterwards()

    def test_server_stands_still_at_an_index(self):
        gate, load = self.halted('index', 1)
        with frozen(self.server):
            self.given_up(load, 'has not answered for')
        gate.open()
        self.afterwards()

    def test_server_stands_still_before_anything_is_made(self):
        self.load(2, 1000)
        holder = Session(self.server, self.db)
        self.addCleanup(holder.close)
        holder.ask('BEGIN; LOCK sbtest1')
        for verb in (('drop', '--yes'), ('load', '--force', '--data-seed', 3)):
            words = self.words(verb[0], 2, 1000, *verb[1:], '--connect-timeout', PATIENCE)
            process = self.pgdyno.start(*words)
            wait_until(lambda: holder.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0)
            with frozen(self.server):
                self.given_up(process, 'has not answered for')
            wait_until(lambda: self.server.sessions('pgdyno-load') == 0)
        holder.close()
        self.assertEqual(self.tables(), ['pgdyno_dataset', 'sbtest1', 'sbtest2'])

    def test_dead_network(self):
        proxy = Proxy(self.server)
        self.addCleanup(proxy.close)
        gate, load = self.halted('copy', 3, host='127.0.0.1', port=proxy.port)
        proxy.stop(new_ones=True)
        gate.open()
        self.given_up(load, 'has not answered for')
        self.afterwards(proxy)

    def test_network_that_carries_new_connections_only(self):
        proxy = Proxy(self.server)
        self.addCleanup(proxy.close)
        gate, load = self.halted('copy', 3, host='127.0.0.1', port=proxy.port)
        proxy.stop(new_ones=False)
        gate.open()
        self.given_up(load, 'the server waits for us')
        self.afterwards(proxy)

    def test_session_that_is_gone_is_replaced(self):
        """The server ended it, which never came through."""
        proxy = Proxy(self.server)
        self.addCleanup(proxy.close)
        gate, load = self.halted('index', 1, host='127.0.0.1', port=proxy.port)
        proxy.stop(new_ones=False)
        gate.open()
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                        "application_name = 'pgdyno-load'")
        self.ended(load, 0)
        self.whole(2, self.size)

    def test_slow_server_is_waited_for(self):
        """At work for more than three times the patience; no word of it."""
        self.gate()
        self.sql('CREATE OR REPLACE FUNCTION gate.pass(which text) RETURNS void LANGUAGE sql AS '
                 f"'SELECT pg_sleep({3.5 * PATIENCE}) WHERE which = ''index'' AND "
                 "nextval(''gate.index'') = 1'")
        load = self.start(1, 5000, '--connect-timeout', PATIENCE)
        out, _ = self.ended(load, 0)
        self.assertNotIn('no answer', out)
        self.whole(1, 5000)

    def test_lock_of_somebody_else_is_told_and_waited_for(self):
        gate, load = self.halted('index', 1)
        holder = gate.number('SELECT pg_backend_pid()')
        time.sleep(3.5 * PATIENCE)
        self.assertIsNone(load.poll())
        gate.open()
        out, _ = self.ended(load, 0)
        self.assertRegex(out, f'session [0-9]+ waits for a lock that session {holder} holds')
        self.whole(2, self.size)


if __name__ == '__main__':
    main(faults=True)
