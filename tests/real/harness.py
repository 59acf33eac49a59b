"""What the tests on a real PostgreSQL share: a server of one's own, the program, small helpers.

A test file is a plain unittest file that begins with `from harness import ...` and ends with
`if __name__ == '__main__': main()`. Each server lives in a short temporary folder of its own,
listens on a unix socket there (and on 127.0.0.1 when asked), and is gone when its `with` block ends
or when this process dies. As root the server runs as the account `postgres`, because PostgreSQL
refuses root. Nothing of the surroundings reaches a test: PG* variables are kept from every child.
"""

import atexit
import csv
import ctypes
import glob
import io
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

MAJORS = (12, 13, 14, 15, 16, 17, 18)
SETTINGS = {'fsync': 'off', 'log_line_prefix': '%m [%p] %a ', 'max_connections': '100'}
STOP_SIGNALS = {'smart': signal.SIGTERM, 'fast': signal.SIGINT, 'immediate': signal.SIGQUIT}
PR_SET_PDEATHSIG = 1


# ---- small helpers ----

def clean_env(extra=None):
    """The environment without PG* variables, plus `extra`; a value of None removes a name."""
    env = {name: value for name, value in os.environ.items()
           if not (name.startswith('PG') and not name.startswith('PGDYNO'))}
    env.update({'LC_ALL': 'C.UTF-8', 'NO_COLOR': '1', 'TERM': 'dumb'})
    for name, value in (extra or {}).items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = str(value)
    return env


def free_port():
    """A TCP port of 127.0.0.1 that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def wait_until(condition, timeout=10.0, what='the condition', every=0.02):
    """Calls `condition` until it gives something true, and gives that back."""
    end = time.monotonic() + timeout
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f'waited {timeout} s in vain for {what}')
        time.sleep(every)


class Folder:
    """A short temporary folder, removed at the end; `with Folder() as path`."""

    def __init__(self, account=None):
        self.path = tempfile.mkdtemp(prefix='pgd', dir='/tmp')
        if account is not None and os.geteuid() == 0:
            os.chown(self.path, account.pw_uid, account.pw_gid)
        atexit.register(self.remove)

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)
        atexit.unregister(self.remove)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        self.remove()


def skip_or_fail(reason):
    """Skips the test, unless PGDYNO_TEST_REQUIRE=1 says that everything must be there."""
    if os.environ.get('PGDYNO_TEST_REQUIRE') == '1':
        raise AssertionError(f'{reason} (and PGDYNO_TEST_REQUIRE=1 makes that a failure)')
    raise unittest.SkipTest(reason)


# ---- finding servers ----

def server_account():
    """The account that a server runs as: `postgres` when we are root, else nobody else (None)."""
    if os.geteuid() != 0:
        return None
    for name in ('postgres', 'nobody'):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise AssertionError('neither the account postgres nor nobody exists')


def cache_folder():
    return os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')


def fetched_folder():
    """Where tools/get-postgres puts servers."""
    if os.geteuid() == 0:
        return '/var/lib/pgdyno/postgres'
    return os.path.join(cache_folder(), 'pgdyno', 'postgres')


def _major_of(bin_folder, env):
    try:
        said = subprocess.run([os.path.join(bin_folder, 'postgres'), '--version'], env=env,
                              capture_output=True, text=True, timeout=20, check=False).stdout
    except OSError:
        return None
    found = re.search(r'\) (\d+)', said)
    return int(found.group(1)) if found else None


def find_binaries(major):
    """(folder with postgres and initdb, library folder or None) of a major; None when missing."""
    fetched = os.path.join(fetched_folder(), str(major))
    places = [f'/usr/lib/postgresql/{major}/bin', f'/usr/pgsql-{major}/bin']
    on_path = shutil.which('postgres')
    if on_path:
        places.append(os.path.dirname(os.path.realpath(on_path)))
    places += sorted(glob.glob(os.path.join(fetched, '**', 'bin'), recursive=True))
    for place in places:
        needed = [os.path.join(place, name) for name in ('postgres', 'initdb')]
        if not all(os.access(path, os.X_OK) for path in needed):
            continue
        library = os.path.join(os.path.dirname(place), 'lib') if place.startswith(fetched) else None
        env = clean_env({'LD_LIBRARY_PATH': library} if library else None)
        if _major_of(place, env) == major:
            return place, library
    return None


def installed_majors():
    """All majors that a test can run on, ascending."""
    return [major for major in MAJORS if find_binaries(major)]


def need_postgres(major):
    """Skips (or fails, see skip_or_fail) when no server of that major is on this machine."""
    found = find_binaries(major)
    if not found:
        skip_or_fail(f'PostgreSQL {major} is not installed: tools/get-postgres {major}')
    return found


# ---- a server ----

class SqlError(AssertionError):
    """psql's message for a statement that failed."""


def _die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


class Postgres:
    """A PostgreSQL server in a folder of its own, used as `with Postgres(17) as server`.

    settings  lines of postgresql.conf over SETTINGS; auto=False leaves it stopped
    tcp       also listen on 127.0.0.1; tls=True adds a certificate (server.certificate) and tcp
    password  None: trust everybody. Else SCRAM for everybody, this password for `postgres`; sql()
              goes on to work.
    initdb    more arguments for initdb, such as ['--data-checksums']
    """

    def __init__(self, major=15, settings=None, tcp=False, tls=False, password=None, initdb=(),
                 auto=True):
        self.major = major
        self.bin, self.library = need_postgres(major)
        self.account = server_account()
        self.settings = dict(SETTINGS, **(settings or {}))
        self.tcp = tcp or tls
        self.tls = tls
        self.password = password
        self.user = 'postgres'
        self.port = free_port()
        self.process = None
        self._folder = Folder(self.account)
        self.socket = self._folder.path
        self.data = os.path.join(self.socket, 'data')
        self.log_path = os.path.join(self.socket, 'log')
        self.certificate = os.path.join(self.socket, 'server.crt')
        atexit.register(self.close)
        try:
            self._make(list(initdb))
            if auto:
                self.start()
        except BaseException:
            self.close()
            raise

    # -- making --

    def _env(self):
        return clean_env({'LD_LIBRARY_PATH': self.library, 'HOME': self.socket, 'TZ': 'UTC'})

    def _as_account(self):
        if self.account is None:
            return {}
        return {'user': self.account.pw_uid, 'group': self.account.pw_gid, 'extra_groups': []}

    def _tool(self, arguments):
        done = subprocess.run(arguments, env=self._env(), cwd=self.socket, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                              stdin=subprocess.DEVNULL, **self._as_account())
        if done.returncode != 0:
            raise AssertionError(f'{arguments[0]} failed: {done.stdout}')

    def _make(self, initdb):
        arguments = [os.path.join(self.bin, 'initdb'), '--no-sync', '-D', self.data,
                     '-U', self.user, '--encoding=UTF8', '--locale=C.UTF-8']
        if self.password is None:
            arguments += ['-A', 'trust']
        else:
            word = os.path.join(self.socket, 'word')
            self._write(word, self.password + '\n')
            arguments += ['-A', 'scram-sha-256', f'--pwfile={word}']
        self._tool(arguments + initdb)
        lines = dict(self.settings, port=self.port, unix_socket_directories=self.socket,
                     listen_addresses='127.0.0.1' if self.tcp else '')
        if self.password is not None:
            lines['password_encryption'] = 'scram-sha-256'
        if self.tls:
            key = os.path.join(self.socket, 'server.key')
            self._tool(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2',
                        '-subj', '/CN=localhost', '-addext',
                        'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out',
                        self.certificate])
            os.chmod(key, 0o600)
            lines.update({'ssl': 'on', 'ssl_cert_file': self.certificate, 'ssl_key_file': key})
        with open(os.path.join(self.data, 'postgresql.conf'), 'a', encoding='utf-8') as conf:
            for name, value in lines.items():
                quoted = str(value).replace("'", "''")
                conf.write(f"{name} = '{quoted}'\n")

    def _write(self, path, words):
        with open(path, 'w', encoding='utf-8') as out:
            out.write(words)
        os.chmod(path, 0o600)
        if self.account is not None:
            os.chown(path, self.account.pw_uid, self.account.pw_gid)

    # -- starting and stopping --

    @property
    def pid(self):
        """Of the postmaster; None when it does not run."""
        return self.process.pid if self.running() else None

    def running(self):
        return self.process is not None and self.process.poll() is None

    def start(self, timeout=60):
        """Starts the server and waits until it answers."""
        if self.running():
            return self
        with open(self.log_path, 'ab') as log:
            self.process = subprocess.Popen(
                [os.path.join(self.bin, 'postgres'), '-D', self.data], env=self._env(),
                cwd=self.socket, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=_die_with_parent, **self._as_account())
        wait_until(self._ready, timeout, f'PostgreSQL {self.major} to start; its log:\n{self.log}')
        return self

    def _ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f'PostgreSQL {self.major} did not start:\n{self.log}')
        try:
            with open(os.path.join(self.data, 'postmaster.pid'), encoding='utf-8') as file:
                lines = file.read().splitlines()
        except OSError:
            return False
        return (len(lines) >= 8 and lines[0] == str(self.process.pid)
                and lines[7].strip() == 'ready')

    def stop(self, mode='fast', timeout=60):
        """Stops the server: smart, fast or immediate."""
        if self.running():
            self.process.send_signal(STOP_SIGNALS[mode])
            self.process.wait(timeout)

    def kill(self):
        """The server vanishes in mid work: postmaster and backends get SIGKILL."""
        if not self.running():
            return
        family = [self.process.pid] + self.children()
        for pid in family:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(10)
        wait_until(lambda: not any(os.path.exists(f'/proc/{pid}') for pid in family), 10,
                   'the backends to go')

    def children(self):
        """Process ids of the backends and the server's own helpers."""
        path = f'/proc/{self.process.pid}/task/{self.process.pid}/children'
        try:
            with open(path, encoding='ascii') as file:
                return [int(word) for word in file.read().split()]
        except OSError:
            return []

    def restart(self, mode='fast'):
        self.stop(mode)
        return self.start()

    def close(self):
        """Stops the server and removes its folder."""
        atexit.unregister(self.close)
        if self.running():
            self.stop('immediate')
        self._folder.remove()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # -- talking --

    @property
    def log(self):
        """What the server has written so far."""
        try:
            with open(self.log_path, encoding='utf-8', errors='replace') as file:
                return file.read()
        except OSError:
            return ''

    def conninfo(self, dbname='postgres', tcp=False, **more):
        """A conninfo string; tcp=True goes through 127.0.0.1. It holds the password when there is
        one, unless more says password=None."""
        words = {'host': '127.0.0.1' if tcp else self.socket, 'port': self.port,
                 'user': self.user, 'dbname': dbname, 'password': self.password}
        words.update(more)

        def quote(value):
            if re.fullmatch('[A-Za-z0-9_./-]+', str(value)):
                return str(value)
            escaped = str(value).replace('\\', '\\\\').replace("'", "\\'")
            return f"'{escaped}'"
        return ' '.join(f'{name}={quote(value)}' for name, value in words.items()
                        if value is not None)

    def uri(self, dbname='postgres', tcp=False):
        """The same as a URI, without a password."""
        if tcp:
            return f'postgresql://{self.user}@127.0.0.1:{self.port}/{dbname}'
        host = self.socket.replace('/', '%2F')
        return f'postgresql://{self.user}@{host}:{self.port}/{dbname}'

    def sql(self, text, dbname='postgres', timeout=60):
        """Runs SQL through psql; gives the rows as tuples of strings (NULL is ''). SqlError with
        psql's message when a statement fails."""
        done = subprocess.run(
            ['psql', '-Xtq', '--csv', '-v', 'ON_ERROR_STOP=1', '-d', self.conninfo(dbname),
             '-f', '-'],
            input=text, capture_output=True, text=True, timeout=timeout, check=False,
            env=clean_env())
        if done.returncode != 0:
            raise SqlError(done.stderr.strip())
        return [tuple(row or ['']) for row in csv.reader(io.StringIO(done.stdout, newline=''))]

    def value(self, text, dbname='postgres'):
        """The one value of the one row of a query."""
        rows = self.sql(text, dbname)
        if len(rows) != 1 or len(rows[0]) != 1:
            raise AssertionError(f'one value wanted, got {rows!r}')
        return rows[0][0]

    def sessions(self, application_name='pgdyno'):
        """How many sessions whose application name begins so are connected."""
        return int(self.value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE "
                              f"'{application_name}%'"))


# ---- the program ----

class Result:
    """A result folder, read."""

    def __init__(self, path):
        self.path = path

    def json(self, name='result.json'):
        with open(os.path.join(self.path, name), encoding='utf-8') as file:
            return json.load(file)

    def series(self):
        with open(os.path.join(self.path, 'series.jsonl'), encoding='utf-8') as file:
            return [json.loads(line) for line in file]

    def text(self, name):
        with open(os.path.join(self.path, name), encoding='utf-8') as file:
            return file.read()

    def files(self):
        return sorted(os.listdir(self.path))

    def everything(self):
        """All bytes of all files, to look for what must not be there."""
        content = b''
        for name in self.files():
            with open(os.path.join(self.path, name), 'rb') as file:
                content += file.read()
        return content


def results_in(folder):
    """The results below a folder, oldest name first; unfinished ones as well."""
    if not os.path.isdir(folder):
        return []
    return [Result(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
            if os.path.isdir(os.path.join(folder, name))]


class Completed:
    """How a call of the program ended."""

    def __init__(self, arguments, code, out, err, seconds):
        self.arguments, self.code, self.out, self.err = arguments, code, out, err
        self.seconds = seconds

    def json(self):
        """What was printed, as JSON."""
        return json.loads(self.out)

    def __str__(self):
        return (f'{" ".join(self.arguments)}\n-> exit {self.code} after {self.seconds:.1f} s\n'
                f'--- out\n{self.out}--- err\n{self.err}')


class Pgdyno:
    """The built program: path from the environment variable PGDYNO, or build/pgdyno. Its local
    servers and results go to `home`, a folder of its own unless given. `with Pgdyno() as pgdyno`
    removes it; a local server started in it must be stopped before."""

    def __init__(self, path=None, home=None):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        self.path = os.path.abspath(path or os.environ.get('PGDYNO')
                                    or os.path.join(root, 'build', 'pgdyno'))
        if not os.access(self.path, os.X_OK):
            raise AssertionError(f'{self.path} is no program: build it, or set PGDYNO')
        self._folder = None if home else Folder()
        self.home = home or self._folder.path
        os.chmod(self.home, 0o755)
        self.results_folder = os.path.join(self.home, 'results')

    def close(self):
        if self._folder is not None:
            self._folder.remove()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def env(self, extra=None):
        # State below /tmp: reachable for the account of a local server, gone with the folder.
        mine = {'HOME': self.home, 'XDG_STATE_HOME': os.path.join(self.home, 'state'),
                'XDG_CACHE_HOME': cache_folder()}
        mine.update(extra or {})
        return clean_env(mine)

    def start(self, *arguments, env=None, **popen):
        """Starts the program and leaves it running; gives the Popen, with pipes of text."""
        options = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE,
                   'stderr': subprocess.PIPE, 'text': True, 'cwd': self.home}
        options.update(popen)
        return subprocess.Popen([self.path, *map(str, arguments)], env=self.env(env), **options)

    def run(self, *arguments, timeout=60, env=None, input=None, check=None):
        """Runs the program to its end. `check` is the exit code wanted; None takes any."""
        words = [self.path, *map(str, arguments)]
        begin = time.monotonic()
        options = {'stdin': subprocess.DEVNULL} if input is None else {'input': input}
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False,
                              env=self.env(env), cwd=self.home, **options)
        completed = Completed(words, done.returncode, done.stdout, done.stderr,
                              time.monotonic() - begin)
        if check is not None and completed.code != check:
            raise AssertionError(f'exit code {check} was wanted\n{completed}')
        return completed

    def results(self):
        """Results of runs that were given no --results of their own, see measure()."""
        return results_in(self.results_folder)

    def measure(self, workload, *options, timeout=120, env=None, check=0):
        """`pgdyno run WORKLOAD ... --results` into the folder of this object; gives (Completed, the
        new Result or None)."""
        before = {result.path for result in self.results()}
        completed = self.run('run', workload, '--results', self.results_folder, *options,
                             timeout=timeout, env=env, check=check)
        fresh = [result for result in self.results() if result.path not in before]
        return completed, fresh[-1] if fresh else None


class Repeater(unittest.TestLoader):
    """Gives every test so many times; a class's repeats share what its setUpClass made."""

    def __init__(self, times):
        super().__init__()
        self.times = times

    def getTestCaseNames(self, test_case):  # pylint: disable=invalid-name
        return list(super().getTestCaseNames(test_case)) * self.times

    def loadTestsFromName(self, name, module=None):  # pylint: disable=invalid-name
        found = super().loadTestsFromName(name, module)
        single = name.rpartition('.')[2].startswith('test')
        return self.suiteClass([found] + [super(Repeater, self).loadTestsFromName(name, module)
                                          for _ in range(self.times - 1)]) if single else found


def repeats(faults):
    """How often each test of a file comes: PGDYNO_TEST_REPEAT, else faults three times in the full
    check."""
    told = os.environ.get('PGDYNO_TEST_REPEAT')
    if told:
        return max(1, int(told))
    return 3 if faults and os.environ.get('PGDYNO_TEST_FULL') == '1' else 1


def main(faults=False):
    """Runs the tests of the calling file; verbose, so that a log tells which test it was. `faults`:
    they are of what goes wrong, where luck has a part."""
    sys.stdout.reconfigure(line_buffering=True)
    unittest.main(module='__main__', verbosity=2, testLoader=Repeater(repeats(faults)))
