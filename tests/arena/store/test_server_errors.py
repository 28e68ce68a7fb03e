"""What errors of a server mean, and that none of them loses a game that has ended."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing

import psycopg
import pytest
import trio

from arena.address import ServerAddress
from arena.errors import DamagedDatabase, StoreError, StoreUnavailable
from arena.model import GameRecord
from arena.store import Store
from arena.store.writer import GameWriter
from tests.missing_tools import needs
from tests.postgres import Postgres

MakeRecord = Callable[..., GameRecord]

PASSING = """
    08000 08001 08003 08004 08006 08007 08P01 25006 25P03 25P04 40000 40001 40002 40003 40P01 53000 53100
    53200 53300 53400 55P03 57000 57014 57P01 57P02 57P03 57P04 57P05 58000 58030
"""
ENDING = """
    0A000 21000 22001 22003 22021 22P02 23502 23503 23505 23514 25001 25P02 28000 28P01 2F002 3D000 3F000
    42501 42601 42883 42P07 54000 55000 55006 58P01 58P02 F0000 HV000 P0000 P0001 P0004 XX000 ZZ999
"""
DAMAGED = "42P01 42703 XX001 XX002"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (code, kind)
        for codes, kind in ((PASSING, StoreUnavailable), (ENDING, StoreError), (DAMAGED, DamagedDatabase))
        for code in codes.split()
    ],
)
def test_every_code_of_a_server_is_a_sentence_with_its_words(code: str, kind: type[StoreError]) -> None:
    from arena.store.errors import explained
    from arena.store.postgresql import of_server

    fault = type("Fault", (psycopg.DatabaseError,), {"sqlstate": code})("the words\nof the server")
    with pytest.raises(StoreError, match="the words of the server") as raised:  # noqa: SIM117
        with explained(of_server, ServerAddress("postgresql://arena@lab/league")):
            raise fault
    assert type(raised.value) is kind
    assert str(raised.value).startswith("postgresql://arena@lab/league: ")
    assert raised.value.__cause__ is fault


@pytest.fixture
def store(server_database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store that a run has claimed, and that tries again soon."""
    monkeypatch.setattr("arena.store.writer._PAUSES", (0.02,))
    monkeypatch.setattr("arena.store.writer.REST", 0.0)
    with closing(Store.open(ServerAddress(server_database), create=True)) as store:
        store.begin_tournament("cup", {})
        store.claim("cup")
        yield store


class Run:
    """A writer of a run, and what it says."""

    def __init__(self, store: Store, record: MakeRecord) -> None:
        self.told: list[str] = []
        self.writer = GameWriter(store, list, list, tell=self.told.append)
        self._send, self.receive = trio.open_memory_channel[GameRecord](1000)
        self._record = record

    def play(self, number: int) -> GameRecord:
        """End a game."""
        game = self._record(number=number)
        self._send.send_nowait(game)
        return game

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Store games, and end with the last one."""
        with trio.fail_after(30):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.writer.run, self.receive)
                yield
                self._send.close()

    async def says(self, text: str) -> None:
        """Wait until the user is told something."""
        while not any(text in told for told in self.told):  # noqa: ASYNC110 - it is a list
            await trio.sleep(0.01)


def name_of(store: Store) -> str:
    assert isinstance(store.address, ServerAddress)
    return store.address.url.partition("?")[0].rpartition("/")[2]


ARENA = "FROM pg_stat_activity WHERE datname = '{}' AND application_name LIKE 'arena:%'"
WAITING = f"{ARENA} AND wait_event_type = 'Lock'"


async def waits(postgres: Postgres, name: str) -> None:
    query = f"SELECT count(*) {WAITING.format(name)}"
    while not postgres.value(query, "postgres"):  # noqa: ASYNC110 - the server tells nobody
        await trio.sleep(0.01)


def server(test: Callable[..., object]) -> Callable[..., object]:
    """Mark a test that needs the server."""
    return needs("postgresql")(pytest.mark.system(test))


@server
async def test_a_table_that_another_program_locks_is_waited_for(
    store: Store, record: MakeRecord, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.postgresql._SHORT_WAIT", 0.05)
    run = Run(store, record)
    with psycopg.connect(postgres.url(name_of(store))) as other:
        other.execute("LOCK TABLE game IN ACCESS EXCLUSIVE MODE")
        async with run.open():
            run.play(0)
            await run.says("Games go on")
            await trio.sleep(0.3)  # several attempts
            other.rollback()
    assert store.finished("cup") == {"quoridor:0"}
    assert len(run.told) == 2  # that it waits, and that it goes on
    assert "another program locks the database or a table of it" in run.told[0]


@server
@pytest.mark.parametrize("function", ["pg_cancel_backend", "pg_terminate_backend"])
async def test_a_transaction_that_somebody_ends_is_tried_again(
    store: Store, record: MakeRecord, postgres: Postgres, function: str
) -> None:
    run, name = Run(store, record), name_of(store)
    with psycopg.connect(postgres.url(name)) as other:
        other.execute("LOCK TABLE game IN ACCESS EXCLUSIVE MODE")
        async with run.open():
            run.play(0)
            await waits(postgres, name)
            postgres.execute(f"SELECT {function}(pid) {WAITING.format(name)}")
            await run.says("Games go on")
            other.rollback()
    assert store.finished("cup") == {"quoridor:0"}


@server
async def test_a_database_that_is_read_only_for_a_while_gets_the_games_later(
    store: Store, record: MakeRecord, postgres: Postgres
) -> None:
    run, name = Run(store, record), name_of(store)
    postgres.execute(
        f"ALTER DATABASE {name} SET default_transaction_read_only = on",
        f"SELECT pg_terminate_backend(pid) {ARENA.format(name)}",
    )
    async with run.open():
        run.play(0)
        await run.says("the database can only be read now")
        postgres.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
    assert store.finished("cup") == {"quoridor:0"}
    assert run.told[-1].startswith("the database is back")


TRIGGER = """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {} END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON game FOR EACH ROW EXECUTE FUNCTION refuse()
"""


@server
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("RAISE 'no games today';", "the server says: no games today, in PL/pgSQL function refuse"),
        ("RAISE 'odd' USING ERRCODE = 'ZZ999';", "odd, in PL/pgSQL function refuse() line 1 at RAISE"),
        ("RAISE check_violation USING MESSAGE = 'bad rank';", "bad rank, in PL/pgSQL"),
        ("RAISE unique_violation USING MESSAGE = 'twice';", "twice, in PL/pgSQL"),
        ("PERFORM * FROM absent;", 'relation "absent" does not exist'),
        ("PERFORM 1 / 0; RETURN NEW;", "division by zero"),
        ("", "control reached end of trigger procedure without RETURN"),
        ("PERFORM nothing(); RETURN NEW;", "function nothing() does not exist"),
    ],
)
async def test_a_trigger_that_refuses_games_ends_the_run(
    store: Store, record: MakeRecord, postgres: Postgres, body: str, words: str
) -> None:
    postgres.execute(TRIGGER.format(body), database=name_of(store))
    run = Run(store, record)
    for number in range(3):
        run.play(number)
    with pytest.RaisesGroup(pytest.RaisesExc(StoreError, check=lambda error: words in str(error))):
        async with run.open():
            pass
    assert not run.told
