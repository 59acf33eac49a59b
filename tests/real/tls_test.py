"""TLS from end to end: versions, channel binding, client certificates, small buffers, broken streams."""

from load_run import *

PASSWORD = 'Geh31m-und-lang'


class Authority:
    """Makes certificates with openssl: its own, and those it signs."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.path = self._path('crt')
        self._openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj',
                      f'/CN={name}', '-keyout', self._path('key'), '-out', self.path)

    def _path(self, ending, name=None):
        return os.path.join(self.folder, f'{self.name}-{name or "ca"}.{ending}')

    @staticmethod
    def _openssl(*words):
        subprocess.run(['openssl', *words], capture_output=True, check=True)

    def sign(self, name, expired=False):
        """The conninfo words that show a certificate of this name."""
        key, request, certificate = (self._path(ending, name + ('-old' if expired else ''))
                                     for ending in ('key', 'csr', 'crt'))
        self._openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', f'/CN={name}', '-keyout',
                      key, '-out', request)
        if expired:  # x509 knows no dates in the past, ca does
            index = self._path('index')
            with open(index, 'w', encoding='utf-8'):
                pass
            config = self._path('conf')
            with open(config, 'w', encoding='utf-8') as file:
                file.write(f'[ca]\ndefault_ca = own\n[own]\ndatabase = {index}\nnew_certs_dir = '
                           f'{self.folder}\nrand_serial = yes\ndefault_md = sha256\npolicy = any\n'
                           '[any]\ncommonName = supplied\n')
            self._openssl('ca', '-batch', '-config', config, '-startdate', '20200101000000Z',
                          '-enddate', '20210101000000Z', '-cert', self.path, '-keyfile',
                          self._path('key'), '-in', request, '-out', certificate)
        else:
            self._openssl('x509', '-req', '-in', request, '-CA', self.path, '-CAkey',
                          self._path('key'), '-CAcreateserial', '-days', '2', '-out', certificate)
        os.chmod(key, 0o600)
        return {'sslcert': certificate, 'sslkey': key}


class TlsTest(RunTest):
    server_words = {'tls': True, 'password': PASSWORD}

    def over(self, **more):
        words = {'sslmode': 'verify-full', 'sslrootcert': self.server.certificate}
        return self.server.conninfo(tcp=True, **{**words, **more})

    def works(self, *options, conninfo=None, transactions=300, **more):
        completed, result = self.run_it('-c', 3, '--transactions', transactions, *options,
                                        target=['-t', conninfo or self.over()], **more)
        self.assertNotIn(PASSWORD, completed.err)
        whole = self.check_result(result)
        self.assertEqual(whole['summary']['transactions']['done'], transactions)
        self.assertEqual(whole['summary']['errors'], {})
        return whole

    def refused(self, conninfo, *words, code=4, **more):
        completed, result = self.run_it(target=['-t', conninfo], check=code, **more)
        self.assertIsNone(result)
        lines = [line for line in completed.err.strip().split('\n') if 'PGPASSFILE' not in line]
        self.assertEqual(len(lines), 1, completed)
        for word in words:
            self.assertIn(word, lines[0].lower())
        self.assertNotIn('throughput', completed.out)
        self.assertLess(completed.seconds, 3 * SLOW)
        self.no_session_left()


class Versions(TlsTest):
    def facts(self, whole, protocol):
        for tls in (whole['target']['tls'], whole['target']['load_sessions_tls']):
            self.assertEqual((tls['in_use'], tls['protocol']), (True, protocol))
            self.assertGreaterEqual(tls['bits'], 128)
            self.assertTrue(tls['cipher'])
        self.assertEqual(*(whole['target'][name]['cipher'] for name in ('tls', 'load_sessions_tls')))

    def test_1_3_and_1_2(self):
        self.facts(self.works(conninfo=self.over(ssl_min_protocol_version='TLSv1.3')), 'TLSv1.3')
        self.facts(self.works(conninfo=self.over(ssl_max_protocol_version='TLSv1.2')), 'TLSv1.2')

    def test_channel_binding(self):
        self.works(conninfo=self.over(channel_binding='require'))
        # Without TLS there is no channel to bind to.
        self.refused(self.over(channel_binding='require', sslmode='disable'), 'channel binding')

    def test_plain_says_so(self):
        whole = self.works(conninfo=self.over(sslmode='disable'))
        self.assertEqual(whole['target']['load_sessions_tls'],
                         {'in_use': False, 'protocol': None, 'cipher': None, 'bits': None})

    def test_wrong_name(self):
        # The certificate is for localhost and 127.0.0.1.
        self.refused(self.over(host='nowhere.example', hostaddr='127.0.0.1'), 'certificate',
                     'nowhere.example')

    def test_pipeline_and_protocols(self):
        for protocol in ('prepared', 'extended', 'simple'):
            for pipeline in ((), ('--pipeline',)):
                with self.subTest(protocol=protocol, pipeline=pipeline):
                    self.works('--protocol', protocol, *pipeline, workload='oltp_read_write',
                               transactions=30)

    def test_gss_is_refused(self):
        self.refused(self.over(gssencmode='require'), 'gssencmode', 'sslmode', code=3)
        self.refused(self.over(), 'gssencmode', code=3, env={'PGGSSENCMODE': 'require'})
        self.works(conninfo=self.over(gssencmode='prefer'), transactions=20)


class Certificates(TlsTest):
    """The server wants a certificate of the client."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.authority = Authority(cls.pgdyno.home, 'ours')
        cls.stranger = Authority(cls.pgdyno.home, 'theirs')
        trusted = os.path.join(cls.server.data, 'clients.crt')
        shutil.copy(cls.authority.path, trusted)
        os.chmod(trusted, 0o644)
        cls.server.sql(f"ALTER SYSTEM SET ssl_ca_file = '{trusted}'; CREATE ROLE visitor LOGIN;"
                       'GRANT SELECT ON sbtest1 TO visitor')
        with open(os.path.join(cls.server.data, 'pg_hba.conf'), encoding='utf-8') as file:
            rules = file.read()
        with open(os.path.join(cls.server.data, 'pg_hba.conf'), 'w', encoding='utf-8') as file:
            file.write('hostssl all visitor 127.0.0.1/32 cert\n' + rules)
        cls.server.restart()

    def shown(self, **more):
        return self.over(user='visitor', password=None, **more)

    def test_certificate(self):
        for version in ('TLSv1.2', 'TLSv1.3'):
            self.works(conninfo=self.shown(ssl_max_protocol_version=version,
                                           **self.authority.sign('visitor')))

    def test_wrong_ones(self):
        self.refused(self.shown(), 'certificate')
        for version in ('TLSv1.2', 'TLSv1.3'):
            with self.subTest(version=version):
                words = {'ssl_max_protocol_version': version}
                self.refused(self.shown(**words, **self.authority.sign('visitor', expired=True)),
                             'expired')
                self.refused(self.shown(**words, **self.stranger.sign('visitor')), 'unknown ca')
        self.refused(self.shown(**self.authority.sign('other')), 'certificate authentication failed')
        self.refused(self.shown(sslcert='/nowhere/a.crt', sslkey='/nowhere/a.key'),
                     'client certificate')


class SlowProxy:
    """A port before a server, with tiny buffers, that takes its time; `cut_after` bytes from the
    server each connection but the first few is reset."""

    def __init__(self, port, piece=2000, pause=0.0, cut_after=None, spare=0):
        self.to, self.piece, self.pause = port, piece, pause
        self.cut_after, self.spare, self.cuts = cut_after, spare, 0
        self.open = []
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2048)
        self.listener.bind(('127.0.0.1', 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                there = socket.create_connection(('127.0.0.1', self.to))
                self.open += [client, there]
                limit = None if self.spare > 0 else self.cut_after
                self.spare -= 1
                for pair in ((client, there, None), (there, client, limit)):
                    threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, source, sink, limit):
        with contextlib.suppress(OSError):
            while data := source.recv(self.piece):
                if limit is not None and (limit := limit - len(data)) <= 0:
                    sink.sendall(data[:len(data) // 2 + 1])
                    self.cuts += 1
                    for one in (source, sink):
                        one.shutdown(socket.SHUT_RDWR)
                    return
                sink.sendall(data)
                time.sleep(self.pause)
            sink.shutdown(socket.SHUT_WR)

    def close(self):
        for one in [self.listener] + self.open:
            one.close()


class Streams(TlsTest):
    """What is longer than a record and than the kernel's room, both ways at once."""

    def proxy(self, **more):
        proxy = SlowProxy(self.server.port, **more)
        self.addCleanup(proxy.close)
        return proxy

    def wide(self, length):
        """In place of the table rows of that many bytes."""
        self.server.sql(f"""ALTER TABLE sbtest1 RENAME TO kept;
            CREATE VIEW sbtest1 AS SELECT id, repeat('c', {length}) AS c FROM kept""")
        self.addCleanup(self.server.sql, 'DROP VIEW sbtest1; ALTER TABLE kept RENAME TO sbtest1')

    def test_large_results(self):
        self.wide(2_000_000)
        for version in ('TLSv1.2', 'TLSv1.3'):
            self.works(conninfo=self.over(ssl_max_protocol_version=version), transactions=30)

    def test_large_results_slowly(self):
        self.wide(150_000)
        for pipeline in ((), ('--pipeline',)):
            self.works(*pipeline, conninfo=self.over(port=self.proxy(piece=1500).port),
                       transactions=20)

    def test_large_statements_slowly(self):
        """bulk_insert says some hundred kilobytes at a time."""
        self.server.sql('CREATE DATABASE bulk')
        self.addCleanup(self.server.sql, 'DROP DATABASE bulk')
        port = self.proxy(piece=3000).port
        self.pgdyno.run('load', 'bulk_insert', '-t', self.over(dbname='bulk'), check=0)
        whole = self.works(conninfo=self.over(dbname='bulk', port=port), workload='bulk_insert',
                           transactions=12)
        rows = int(self.server.value('SELECT count(*) FROM sbtest1', 'bulk'))
        self.assertGreater(rows, 12 * 10_000)
        self.assertEqual(rows % whole['summary']['queries']['write'], 0)
        for protocol in ('prepared', 'simple'):
            self.works('--pipeline', '--protocol', protocol, conninfo=self.over(port=port),
                       workload='oltp_read_write', transactions=30)

    def test_cut_in_mid_message(self):
        """Half a record arrives, then nothing: counted, opened anew, the run goes on."""
        self.wide(50_000)
        for version in ('TLSv1.2', 'TLSv1.3'):
            # The collector and the administrator are spared.
            proxy = self.proxy(piece=20_000, cut_after=300_000, spare=3)
            completed, result = self.run_it(
                '-c', 2, '--time', 2, check=0,
                target=['-t', self.over(port=proxy.port, ssl_max_protocol_version=version)])
            whole = self.check_result(result)
            self.assertGreater(proxy.cuts, 2)
            self.assertGreater(whole['summary']['transactions']['done'], 5)
            codes = set(whole['summary']['errors'])
            self.assertTrue(codes and codes <= {'net:closed', 'net:reset', 'tls', 'connect'},
                            completed)
            self.assertGreater(whole['connect_ms']['reopened']['count'], 1)
        self.no_session_left(2)


if __name__ == '__main__':
    main(faults=True)
