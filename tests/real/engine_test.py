"""The engine on a real PostgreSQL: engine_real_check runs blocks of statements in every protocol,
and asks the tables."""

import os
import subprocess

from harness import Postgres, clean_env, main, unittest

CHECK = os.environ.get('PGDYNO_ENGINE_CHECK', '')


class Engine(unittest.TestCase):
    def test_tables_and_counts_agree(self):
        with Postgres(15, settings={'deadlock_timeout': '10ms'}) as server:
            done = subprocess.run([CHECK], text=True, timeout=500, check=False,
                                  env=clean_env({'PGDYNO_ENGINE_CONNINFO': server.conninfo()}),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn('[  PASSED  ] 6 test(s)', done.stdout)
            self.assertNotIn('PANIC', server.log)


if __name__ == '__main__':
    main()
