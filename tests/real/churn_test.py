"""Connection churn: --reconnect, a storm of connections, too few of them; failover over a list."""

from load_run import *

PASSWORD = 'Geh31m-und-lang'
PARTS = ('tcp', 'tls', 'auth', 'ready')


class Watch:
    """The most load sessions that pg_stat_activity has shown while it ran."""

    def __init__(self, server):
        self.server, self.most, self.looks, self.over = server, 0, 0, False
        self.thread = threading.Thread(target=self._look, daemon=True)

    def _look(self):
        looks = ('DO $$ DECLARE n int; m int := 0; BEGIN FOR i IN 1..100 LOOP '
                 "SELECT count(*) INTO n FROM pg_stat_activity WHERE application_name = 'pgdyno';"
                 'PERFORM pg_stat_clear_snapshot(), pg_sleep(0.002);'
                 'IF n > m THEN m := n; END IF; END LOOP; '
                 "PERFORM set_config('pgd.most', m::text, false); END $$;"
                 "SELECT current_setting('pgd.most')")
        while not self.over:
            self.most = max(self.most, int(self.server.value(looks, WATCHED)))
            self.looks += 100

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join(20)


class Churn(RunTest):
    def test_storm(self):
        """A new connection for each transaction; no session more than asked for."""
        with Watch(self.server) as watch:
            _, result = self.run_it('-c', 8, '--time', 2, '--reconnect', 1)
        whole = self.check_result(result)
        self.assertGreater(watch.looks, 100)
        self.assertLessEqual(watch.most, 8)
        self.assertGreaterEqual(watch.most, 4)
        connects, counts = whole['connect_ms'], whole['summary']['transactions']
        self.assertGreater(counts['done'], 40)
        self.assertEqual(counts['done'], counts['scheduled'])
        self.assertAlmostEqual(connects['reopened']['count'], counts['done'], delta=16)
        self.assertEqual(whole['outages'], [])
        # Those that were connecting when it ended were let finish, and are counted; but for one that
        # a busy machine held up for longer than the grace.
        self.assertIs(whole['books']['ok'], True)
        self.assertAlmostEqual(whole['books']['client_commits'], whole['books']['server_commits'],
                               delta=2)
        self.assertEqual(connects['parts']['tls']['count'], 0)
        self.check_parts(connects, ('tcp', 'auth', 'ready'))
        self.assertAlmostEqual(whole['summary']['measured_s'], 2, delta=0.5 * SLOW)
        self.no_session_left()

    def check_parts(self, connects, names):
        """They add up to the whole, connection by connection, so their sums do."""
        count = connects['opened']['count'] + connects['reopened']['count']
        total = sum(connects[one]['mean'] * connects[one]['count']
                    for one in ('opened', 'reopened') if connects[one]['count'])
        parts = 0
        for name in names:
            self.assertEqual(connects['parts'][name]['count'], count, name)
            parts += connects['parts'][name]['mean'] * count
        self.assertAlmostEqual(parts / total, 1, delta=0.001)

    def test_every_few(self):
        """No session is starved of its turn to connect."""
        _, result = self.run_it('-c', 4, '-j', 2, '--transactions', 1000, '--reconnect', 50)
        whole = self.check_result(result)
        self.assertEqual(whole['summary']['transactions']['done'], 1000)
        self.assertTrue(10 <= whole['connect_ms']['reopened']['count'] <= 20)
        self.assertLess(whole['client']['sessions']['done_deviation'], 250)

    def test_no_more_room(self):
        """53300 while reopening: backed off, counted, no outage, and the run goes on."""
        self.server.sql('CREATE ROLE narrow LOGIN; GRANT SELECT ON sbtest1 TO narrow')
        self.addCleanup(self.server.sql, 'DROP OWNED BY narrow; DROP ROLE narrow')
        run = self.background('-c', 4, '--time', 3, target=self.target(user='narrow'))
        run.wait_for_load(self.server, 4)
        self.server.sql('ALTER ROLE narrow CONNECTION LIMIT 1')
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                        "application_name = 'pgdyno' LIMIT 3", WATCHED)
        time.sleep(1)
        self.server.sql('ALTER ROLE narrow CONNECTION LIMIT -1')
        completed = run.finish()
        self.assertEqual(completed.code, 0, completed)
        whole = self.check_result(run.result())
        errors = whole['summary']['errors']
        self.assertEqual(set(errors), {'57P01', '53300'})
        self.assertEqual(errors['57P01'], 3)
        self.assertTrue(6 <= errors['53300'] <= 60, errors)
        self.assertEqual(whole['connect_ms']['reopened']['count'], 3)
        self.assertIn('too many connections for role', completed.out)
        self.assertFalse([one for one in whole['outages'] if one['code'] == '53300'])
        self.assertAlmostEqual(whole['summary']['measured_s'], 3, delta=0.5 * SLOW)

    def test_database_is_gone(self):
        """What no time will heal ends the run."""
        self.server.sql('CREATE DATABASE other')
        self.server.sql(TABLE, 'other')
        run = self.background('-c', 4, '--time', 30, target=self.target(dbname='other'))
        run.wait_for_load(self.server, 4)
        self.server.sql('DROP DATABASE other WITH (FORCE)', WATCHED)
        completed = run.finish()
        self.assertEqual(completed.code, 4, completed)
        self.one_line(completed, '3D000', 'does not exist')
        self.assertLess(completed.seconds, 15 * SLOW)


class Encrypted(Churn):
    """The same over TCP and TLS with SCRAM: all four parts are there."""

    server_words = {'tls': True, 'password': PASSWORD}
    test_every_few = test_no_more_room = test_database_is_gone = None

    def target(self, **more):
        return ['-t', self.server.conninfo(tcp=True, sslmode='require', **more)]

    def test_storm(self):
        _, result = self.run_it('-c', 4, '--time', 2, '--reconnect', 1, check=0)
        connects = self.check_result(result)['connect_ms']
        self.check_parts(connects, PARTS)
        self.assertGreater(connects['parts']['auth']['mean'], connects['parts']['tcp']['mean'])
        self.assertGreater(connects['parts']['tls']['p50'], 0.1)


if __name__ == '__main__':
    main(faults=True)
