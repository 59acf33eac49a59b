"""The wire room on a real PostgreSQL, by every way to reach it: wire_real_check does the asking."""

import os
import subprocess

from harness import Postgres, clean_env, main, unittest

CHECK = os.environ.get('PGDYNO_WIRE_CHECK', '')


class Wire(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15, tls=True)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def check(self, conninfo, tls=None):
        env = clean_env({'PGDYNO_WIRE_CONNINFO': conninfo, 'PGDYNO_WIRE_TLS': tls})
        done = subprocess.run([CHECK], env=env, text=True, timeout=200, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('[  PASSED  ] 10 test(s)', done.stdout)

    def test_unix_socket(self):
        self.check(self.server.conninfo())

    def test_tcp(self):
        self.check(self.server.conninfo(tcp=True, sslmode='disable'))

    def test_tls_1_3(self):
        self.check(self.server.conninfo(tcp=True, sslmode='verify-full',
                                        sslrootcert=self.server.certificate), 'TLSv1.3')

    def test_tls_1_2(self):
        self.check(self.server.conninfo(tcp=True, sslmode='require',
                                        ssl_max_protocol_version='TLSv1.2'), 'TLSv1.2')


if __name__ == '__main__':
    main()
