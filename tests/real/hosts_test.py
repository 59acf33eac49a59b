"""A list of hosts: sessions go round it, the result counts by host, target_session_attrs holds (U02)."""

from load_run import *


class Hosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_postgres(15)
        cls.servers = [cls.enterClassContext(Postgres(tcp=True)) for _ in range(2)]
        cls.pgdyno = cls.enterClassContext(Pgdyno())
        for server in cls.servers:
            server.sql(TABLE)

    def target(self, more=''):
        ports = ','.join(str(server.port) for server in self.servers)
        return f'host=127.0.0.1,127.0.0.1 port={ports} dbname=postgres user=postgres {more}'

    def hosts_of(self, target, connections=4, env=None):
        arguments = ['-t', target] if target else []
        results = os.path.join(self.pgdyno.home, f'hosts-{time.monotonic_ns()}')
        done = self.pgdyno.run('run', WORKLOAD, *arguments, '-c', str(connections), '--time', '1',
                               '--warmup', '0', '-q', '--results', results, env=env)
        self.assertEqual(done.code, 0, done)
        result = results_in(results)[0].json()
        return result, {row['port']: row for row in result['target']['hosts']}

    def test_sessions_go_round_the_list(self):
        before = [int(server.value('SELECT xact_commit FROM pg_stat_database'
                                   " WHERE datname = 'postgres'", WATCHED)) for server in self.servers]
        result, hosts = self.hosts_of(self.target())
        self.assertEqual([hosts[str(server.port)]['connections'] for server in self.servers], [2, 2])
        self.assertEqual(sum(row['committed'] for row in hosts.values()),
                         result['summary']['transactions']['done'])
        for server, old in zip(self.servers, before):
            count = hosts[str(server.port)]['committed']
            self.assertGreater(count, 0)
            self.assertGreaterEqual(int(server.value(
                "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'", WATCHED))
                - old, count)
        self.assertIn('several servers', result['books']['note'])

    def test_an_odd_one_goes_to_the_first(self):
        _, hosts = self.hosts_of(self.target(), connections=5)
        self.assertEqual([hosts[str(server.port)]['connections'] for server in self.servers], [3, 2])

    def test_the_environment_may_hold_the_list(self):
        env = {'PGHOST': '127.0.0.1,127.0.0.1', 'PGUSER': 'postgres', 'PGDATABASE': 'postgres',
               'PGPORT': ','.join(str(server.port) for server in self.servers)}
        _, hosts = self.hosts_of(None, env=env)
        self.assertEqual(sorted(row['connections'] for row in hosts.values()), [2, 2])

    def test_session_attributes_are_honoured(self):
        self.servers[0].sql('ALTER SYSTEM SET default_transaction_read_only = on')
        self.servers[0].sql('SELECT pg_reload_conf()')
        self.addCleanup(lambda: (self.servers[0].sql(
            'ALTER SYSTEM RESET default_transaction_read_only'),
            self.servers[0].sql('SELECT pg_reload_conf()')))
        wait_until(lambda: self.servers[0].value('SHOW transaction_read_only') == 'on')
        _, hosts = self.hosts_of(self.target('target_session_attrs=read-write'))
        self.assertEqual(list(hosts), [str(self.servers[1].port)])
        self.assertEqual(hosts[str(self.servers[1].port)]['connections'], 4)


if __name__ == '__main__':
    main(faults=True)
