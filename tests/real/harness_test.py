"""The harness itself: a server that starts, answers, stops, dies and comes back."""

import os
import unittest

from unittest import mock

from harness import (Postgres, Repeater, SqlError, find_binaries, installed_majors, main, repeats,
                     skip_or_fail, wait_until)


class HarnessTest(unittest.TestCase):

    def test_life_of_a_server(self):
        with Postgres() as server:
            self.assertEqual(server.sql("SELECT 1, 'a b'; SELECT 2, NULL"), [('1', 'a b'), ('2', '')])
            self.assertEqual(server.value('SHOW server_version_num')[:2], '15')
            self.assertEqual(server.value('SHOW listen_addresses'), '')
            with self.assertRaises(SqlError) as caught:
                server.sql('SELECT nothing_there')
            self.assertIn('nothing_there', str(caught.exception))
            server.kill()
            self.assertFalse(server.running())
            server.start()
            self.assertEqual(server.value('SELECT 3'), '3')
            server.restart()
            self.assertIn('ready to accept connections', server.log)
            folder = server.socket
        self.assertFalse(os.path.exists(folder))

    def test_tcp_tls_and_password(self):
        with Postgres(tls=True, password="it's secret", settings={'work_mem': '7MB'}) as server:
            self.assertEqual(server.value('SHOW work_mem'), '7MB')
            self.assertIn('password=', server.conninfo())
            self.assertNotIn('secret', server.conninfo(password=None))
            self.assertNotIn('secret', server.uri(tcp=True))
            self.assertEqual(server.value('SHOW ssl'), 'on')
            self.assertTrue(os.path.exists(server.certificate))

    def test_a_major_that_is_not_there(self):
        self.assertIsNone(find_binaries(7))
        self.assertIn(15, installed_majors())
        required = os.environ.pop('PGDYNO_TEST_REQUIRE', None)
        try:
            with self.assertRaises(unittest.SkipTest):
                skip_or_fail('not there')
            os.environ['PGDYNO_TEST_REQUIRE'] = '1'
            with self.assertRaises(AssertionError):
                skip_or_fail('not there')
        finally:
            os.environ.pop('PGDYNO_TEST_REQUIRE', None)
            if required is not None:
                os.environ['PGDYNO_TEST_REQUIRE'] = required

    def test_faults_are_repeated(self):
        class Some(unittest.TestCase):
            runs, made = [], []

            @classmethod
            def setUpClass(cls):
                cls.made.append(1)

            def test_it(self):
                self.runs.append(1)

        Repeater(3).loadTestsFromTestCase(Some).run(unittest.TestResult())
        self.assertEqual((len(Some.runs), len(Some.made)), (3, 1))
        alone = Repeater(3).loadTestsFromName(
            'HarnessTest.test_waiting_in_vain_fails', __import__('__main__'))
        self.assertEqual(alone.countTestCases(), 3)
        for full, told, faults, times in ((None, None, True, 1), ('1', None, True, 3),
                                          ('1', None, False, 1), (None, '5', False, 5)):
            given = {'PGDYNO_TEST_FULL': full, 'PGDYNO_TEST_REPEAT': told}
            with mock.patch.dict(os.environ):
                for name, value in given.items():
                    os.environ.pop(name, None)
                    if value is not None:
                        os.environ[name] = value
                self.assertEqual(repeats(faults), times, given)

    def test_waiting_in_vain_fails(self):
        with self.assertRaises(AssertionError):
            wait_until(lambda: False, timeout=0.05)


if __name__ == '__main__':
    main()
