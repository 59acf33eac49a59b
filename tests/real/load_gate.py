"""What the tests of `pgdyno load` share: a server, the program, and a gate that a load halts at.

A test that does something to a load in the middle of it must not guess when that is. So the test's
database counts what a load does there, with triggers, and lets it wait at a number the test chose:
that point is the same however fast the machine is.
"""

import contextlib

from harness import *

WORKLOAD = 'oltp_point_select'
FULL = os.environ.get('PGDYNO_TEST_FULL') == '1'
HASH = ("SELECT count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) FROM {} t")
WHOLE = """
SELECT count(*), count(DISTINCT id), min(id), max(id),
       (SELECT string_agg(indexname, ' ' ORDER BY indexname) FROM pg_indexes
        WHERE tablename = 'sbtest'),
       nextval('sbtest_id_seq'), count(DISTINCT (ctid::text::point)[0]),
       (SELECT relallvisible FROM pg_class WHERE oid = 'sbtest'::regclass),
       (SELECT reltuples FROM pg_class WHERE oid = 'sbtest'::regclass) FROM sbtest"""
GATE_KEY = 4711
# Events: `made` a table, `copy` a COPY that begins, `row` one in the middle of it, `record` a row
# of pgdyno_dataset, `commit` of such a row, `index` a key or an index that is built.
KINDS = ('made', 'copy', 'row', 'record', 'commit', 'index')
GATE = f"""
CREATE SCHEMA gate;
CREATE SEQUENCE gate.events;
CREATE TABLE gate.bar (kind text, first bigint, last bigint);
CREATE FUNCTION gate.pass(which text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    number bigint := nextval('gate.' || which); total bigint := nextval('gate.events');
BEGIN
    IF EXISTS (SELECT FROM gate.bar WHERE kind = which AND number BETWEEN first AND last
               OR kind = 'events' AND total BETWEEN first AND last) THEN
        PERFORM pg_advisory_lock_shared({GATE_KEY});
        PERFORM pg_advisory_unlock_shared({GATE_KEY});
    END IF;
END $$;
CREATE FUNCTION gate.trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM gate.pass(TG_ARGV[0]);
    RETURN NEW;
END $$;
CREATE FUNCTION gate.statement() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
    made record;
BEGIN
    IF TG_TAG <> 'CREATE TABLE' THEN
        PERFORM gate.pass('index');
        RETURN;
    END IF;
    FOR made IN SELECT objid::regclass AS name FROM pg_event_trigger_ddl_commands()
                WHERE object_type = 'table' LOOP
        IF made.name::text = 'pgdyno_dataset' THEN
            EXECUTE 'CREATE TRIGGER record BEFORE INSERT ON pgdyno_dataset FOR EACH ROW'
                    ' EXECUTE FUNCTION gate.trigger(''record'');'
                    'CREATE CONSTRAINT TRIGGER settle AFTER INSERT ON pgdyno_dataset'
                    ' DEFERRABLE INITIALLY DEFERRED FOR EACH ROW'
                    ' EXECUTE FUNCTION gate.trigger(''commit'')';
        ELSE
            PERFORM gate.pass('made');
            EXECUTE format('CREATE TRIGGER copy BEFORE INSERT ON %1$s FOR EACH STATEMENT'
                           ' EXECUTE FUNCTION gate.trigger(''copy'');'
                           'CREATE TRIGGER middle BEFORE INSERT ON %1$s FOR EACH ROW'
                           ' WHEN (NEW.id %% 2000 = 999) EXECUTE FUNCTION gate.trigger(''row'')',
                           made.name);
        END IF;
    END LOOP;
END $$;
""" + ''.join(f'CREATE SEQUENCE gate.{kind};' for kind in KINDS) + """
CREATE EVENT TRIGGER statement ON ddl_command_end
    WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE', 'CREATE INDEX') EXECUTE FUNCTION gate.statement();
"""
NO_TIMEOUTS = 'SET statement_timeout = 0; SET lock_timeout = 0; SET idle_session_timeout = 0;'


@contextlib.contextmanager
def frozen(server):
    """The server and all its sessions stand still."""
    def signal_all(pids, number):
        for pid in pids:
            # One that had ended before is reaped by the server once that goes on.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
    os.kill(server.pid, signal.SIGSTOP) # No children come from here on.
    children = server.children()
    signal_all(children, signal.SIGSTOP)
    try:
        yield
    finally:
        signal_all([server.pid, *children], signal.SIGCONT)


class Session:
    """One session that stays, for questions that come often and for locks."""

    def __init__(self, server, db):
        self.psql = subprocess.Popen(
            ['psql', '-XqtA', '-v', 'ON_ERROR_STOP=1', '-d', server.conninfo(db)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=clean_env({'PGAPPNAME': 'test'}))
        self.ask(NO_TIMEOUTS)

    def ask(self, sql):
        """The answer's lines."""
        self.psql.stdin.write(sql + '\n;\n\\echo -- that is all\n')
        self.psql.stdin.flush()
        lines = []
        for line in self.psql.stdout:
            if line == '-- that is all\n':
                return lines
            lines.append(line.rstrip('\n'))
        raise SqlError(self.psql.communicate()[1])

    def number(self, sql):
        return int(self.ask(sql)[0])

    def close(self):
        self.psql.kill()
        self.psql.communicate()


class Gate:
    """The gate of one database; `with Gate(server, db) as gate`. It is open at first."""

    def __init__(self, server, db):
        self.server, self.db = server, db
        self.session = Session(server, db)
        self.session.ask(GATE)

    def close_at(self, kind, first, last=10 ** 9):
        """From now on a load halts at event number `first` of that kind, and at those up to `last`,
        all counted from now on; `kind` may also be `events`, whatever they are. Who halts at
        another number goes on."""
        restart = ''.join(f"SELECT setval('gate.{one}', 1, false);"
                          for one in KINDS + ('events',))
        self.session.ask(f"BEGIN; DELETE FROM gate.bar; INSERT INTO gate.bar VALUES ('{kind}', "
                         f"{first}, {last}); {restart} COMMIT; SELECT pg_advisory_unlock_all();"
                         f'SELECT pg_advisory_lock({GATE_KEY})')

    def open(self):
        """Lets everybody go on, and halts nobody any more."""
        self.session.ask('DELETE FROM gate.bar; SELECT pg_advisory_unlock_all()')

    def number(self, sql):
        return self.session.number(sql)

    def count(self, kind='events'):
        return self.number('SELECT CASE WHEN is_called THEN last_value ELSE 0 END '
                                   f'FROM gate.{kind}')

    def waiting(self):
        return self.number('SELECT count(*) FROM pg_locks WHERE NOT granted AND '
                                   f"locktype = 'advisory' AND objid = {GATE_KEY} AND objsubid = 1")

    def wait(self, load=None, sessions=1):
        """Until the load halts there."""
        def halted():
            if load is not None and load.poll() is not None:
                raise AssertionError(f'the load ended before the gate: {load.communicate()}')
            return self.waiting() >= sessions
        wait_until(halted, 30, 'the load to come to the gate', every=0.002)

    def renew(self):
        """After a crash of the server: a new session; the gate is open."""
        self.session.close()
        self.session = Session(self.server, self.db)
        self.open()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session.close()


class LoadTest(unittest.TestCase):
    """A server for a class, a database for a test."""

    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.server = Postgres(15, settings=cls.settings)
        cls.addClassCleanup(cls.server.close)
        cls.pgdyno = Pgdyno()
        cls.addClassCleanup(cls.pgdyno.close)
        cls.count = 0

    def setUp(self):
        if not self.server.running():
            self.server.start()
        type(self).count += 1
        self.db = f'd{self.count}'
        self.server.sql(f'SET statement_timeout = 0; CREATE DATABASE {self.db}')

    def gate(self):
        """A gate in this test's database, until the test ends."""
        gate = Gate(self.server, self.db)
        self.addCleanup(lambda: gate.session.close())
        return gate

    def words(self, verb, tables, size, *more, **conninfo):
        return [verb, WORKLOAD, '-t', self.server.conninfo(self.db, **conninfo), '--tables', tables,
                '--table-size', size, *more]

    def load(self, tables, size, *more, check=0, **conninfo):
        return self.pgdyno.run(*self.words('load', tables, size, *more, **conninfo), check=check)

    def start(self, tables, size, *more, **conninfo):
        """A load in the background; it does not outlive the test."""
        load = self.pgdyno.start(*self.words('load', tables, size, *more, **conninfo))
        self.addCleanup(self.end, load)
        return load

    @staticmethod
    def end(load):
        """Kills it; its output is thrown away."""
        if load.poll() is None:
            load.kill()
        with contextlib.suppress(ValueError): # both pipes are read already
            load.communicate()

    def ended(self, load, code, within=30):
        """Waits for its end; gives (output, messages)."""
        out, err = load.communicate(timeout=within)
        self.assertEqual(load.returncode, code, out + err)
        return out, err

    def sql(self, text):
        return self.server.sql(text, self.db)

    def value(self, text):
        return self.server.value(text, self.db)

    def hash(self, tables):
        rows = self.sql(' UNION ALL '.join(
            f'SELECT {number}, * FROM ({HASH.format(f"sbtest{number}")}) h'
            for number in range(1, tables + 1)) + ' ORDER BY 1')
        return [row[1:] for row in rows]

    def tables(self):
        return [row[0] for row in self.sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND "
                                           "relnamespace = 'public'::regnamespace ORDER BY 1")]

    def whole(self, tables, size):
        """Everything that a finished load promises, as against one half done."""
        for number in range(1, tables + 1):
            name = f'sbtest{number}'
            found = self.sql(WHOLE.replace('sbtest', name))[0]
            self.assertEqual(found[:4], (str(size), str(size), '1', str(size)))
            self.assertEqual(found[4:6], (f'k_{number} {name}_pkey', str(size + 1)))
            # Vacuumed and analyzed. Pages without rows, which a killed copy leaves behind, are not
            # counted as visible.
            pages, visible, rows = map(float, found[6:])
            self.assertGreaterEqual(visible, pages)
            self.assertAlmostEqual(rows / size, 1, delta=0.05)
        self.assertEqual(self.value("SELECT count(*) FROM pgdyno_dataset WHERE kind = 'chunk'"), '0')
