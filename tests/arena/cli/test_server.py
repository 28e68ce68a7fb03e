"""Commands with a database on a PostgreSQL server: they say the same as with a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from arena.address import Address, ServerAddress
from arena.store import Store, copying
from tests.arena.invoking import invoke as arena
from tests.arena.store.copies import games
from tests.arena.stored import new_store
from tests.missing_tools import needs
from tests.postgres import Postgres

pytestmark = [needs("postgresql"), pytest.mark.system]


@pytest.fixture(scope="module")
def filled(postgres: Postgres, sample_database: Path) -> Iterator[str]:
    """A copy of the sample database on the server; do not write to it."""
    with postgres.database() as url:
        done = arena("db", "copy", sample_database, url)
        assert done.exit_code == 0, done.output
        assert done.stdout == f"{url}: copied 7 games, 0 there already; all are as in the original\n"
        yield url


@pytest.mark.parametrize(
    "words",
    [
        ("standings", "spring", "--json"),
        ("standings", "--all"),
        ("list", "--json"),
        ("ratings", "--json"),
        ("stats", "spring", "--json"),
        ("show", "3", "--json"),
        ("export", "--all"),
        ("export", "spring", "--jsonl"),
    ],
    ids=" ".join,
)
def test_a_command_says_the_same_as_with_a_file(
    filled: str, sample_database: Path, words: tuple[str, ...]
) -> None:
    of_file = arena(*words, "--db", sample_database)
    assert of_file.stdout or of_file.exit_code == 2
    for done in (arena(*words, "--db", filled), arena(*words, env={"ARENA_DB": filled})):
        assert (done.exit_code, done.stdout) == (of_file.exit_code, of_file.stdout), done.stderr


def test_an_import_and_an_export_give_the_games_back(
    filled: str, server_database: str, tmp_path: Path
) -> None:
    text = arena("export", "--jsonl", "--db", filled).stdout
    (tmp_path / "games.txt").write_text(text)
    done = arena("import", tmp_path / "games.txt", "--db", server_database)
    assert (done.exit_code, done.stdout) == (0, "7 games: 7 added, 0 there already, 0 refused\n")
    again = arena("import", tmp_path / "games.txt", "--db", server_database)
    assert again.stdout == "7 games: 0 added, 7 there already, 0 refused\n"
    assert arena("export", "--jsonl", "--db", server_database).stdout == text


def test_a_check_finds_no_damage_in_a_sound_database(filled: str) -> None:
    done = arena("db", "check", filled)
    assert (done.exit_code, done.stdout) == (0, f"{filled}: no damage: 7 games, every checksum is right\n")


@pytest.mark.parametrize(
    ("change", "damage"),
    [
        ("UPDATE game SET duration = 1 WHERE id = 2", "game 2: it is not as arena stored it"),
        ("UPDATE record SET moves = '[]' WHERE game_id = 3", "game 3: it holds a value that arena never"),
        ("UPDATE player SET time_used = 7 WHERE game_id = 4", "game 4: it is not as arena stored it"),
        ("DELETE FROM record WHERE game_id = 5", "game 5: it holds a value that arena never writes"),
        ("UPDATE engine SET name = 'x' WHERE id = 1", "games 1 to 4: it is not as arena stored it"),
    ],
)
def test_a_check_names_what_was_changed_by_hand(
    sample_database: Path, server_database: str, change: str, damage: str
) -> None:
    arena("db", "copy", sample_database, server_database)
    with psycopg.connect(server_database) as connection:
        connection.execute(change)  # type: ignore[call-overload]  # a constant
    done = arena("db", "check", server_database)
    assert done.exit_code == 1
    assert f"{server_database}: {damage}" in done.stdout
    assert "restore it from a backup of the server" in done.stdout
    found = json.loads(arena("db", "check", server_database, "--json").stdout)
    assert found["sound"] is False


@pytest.fixture(params=["file", "server"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    if request.param == "file":
        return tmp_path / "copy.db"
    return ServerAddress(request.getfixturevalue("server_database"))


def test_a_copy_goes_on_after_an_interruption_and_takes_new_games(
    tmp_path: Path, target: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "GAMES_AT_ONCE", 2)
    path = tmp_path / "arena.db"
    with closing(Store.open(path, create=True)) as store:
        for name in ("spring", "autumn"):
            store.begin_tournament(name, {"seed": "1"}, "plan", created=5.5)
        store.rating_lists.set("quoridor", {"beta": "5"})
        store.add_games(games(9))
        with closing(Store.open(target, create=True)) as copy, pytest.raises(KeyboardInterrupt):
            copying.copy_database(store, copy, interrupt)
        done = arena("db", "copy", path, target)
        assert done.stdout == f"{target}: copied 5 games, 4 there already; all are as in the original\n"
        store.add_games(games(11)[9:])
    done = arena("db", "copy", path, target)
    assert done.stdout == f"{target}: copied 2 games, 9 there already; all are as in the original\n"
    back = tmp_path / "back.db"
    assert arena("db", "copy", target, back).exit_code == 0
    for one in (target, back):
        assert arena("export", "--db", one).stdout == arena("export", "--db", path).stdout
        assert (
            arena("ratings", "--db", one, "--json").stdout == arena("ratings", "--db", path, "--json").stdout
        )
        assert arena("db", "check", one).exit_code == 0


def interrupt(_: str, count: int) -> None:
    if count == 4:
        raise KeyboardInterrupt


def test_a_copy_keeps_the_numbers_of_games_and_what_comes_next_follows(
    tmp_path: Path, target: Address
) -> None:
    path = tmp_path / "arena.db"
    with closing(new_store(path, "spring", "autumn")) as store:
        made = games(4)
        numbered = zip(made, (5, 9), strict=False)
        renumbered = [replace(game, result=replace(game.result, id=id_)) for game, id_ in numbered]
        store.add_games(renumbered, numbered=True)
    assert arena("db", "copy", path, target).exit_code == 0
    with closing(Store.open(target, create=False)) as copy:
        copy.begin_tournament("winter", {})
        copy.add_games(made[2:])
        assert sorted(result.id or 0 for result in copy.results()) == [5, 9, 10, 11]


def test_a_copy_into_a_database_with_other_games_is_refused(
    sample_database: Path, tmp_path: Path, target: Address
) -> None:
    new_store(target, "mine").close()
    done = arena("db", "copy", sample_database, target)
    assert done.exit_code == 2
    assert (
        f"{target}: has other tournaments or games than {sample_database}; copy into an empty" in done.stderr
    )
    same = arena("db", "copy", target, target)
    assert f"error: {target}: is the database to copy; name another one" in same.stderr


def test_rescue_says_that_a_server_repairs_its_own_files(filled: str, tmp_path: Path) -> None:
    done = arena("db", "copy", "--damaged", filled, tmp_path / "new.db")
    assert done.exit_code == 2
    assert done.stderr == (
        f"error: {filled}: --damaged needs the file of a database; a server repairs its own files, and"
        f" `arena db copy {filled} NEW.db` makes a file of this database\n"
    )


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql://anna:secret@lab/arena", "the address postgresql://anna:***@lab/arena has a password"),
        ("postgresql://lab/arena?password=secret", "the address postgresql://lab/arena has a password"),
        ("mysql://lab/arena", "or the address of a database on a PostgreSQL server"),
        ("postgresql://lab", "names no database"),
        ("postgresql://lab/a b", "has a character that no address can have"),
    ],
)
def test_a_wrong_address_is_refused_and_no_password_is_shown(address: str, message: str) -> None:
    done = arena("standings", "--db", address)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "secret" not in done.output


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql://arena@/gone?host={0}", 'database "gone" does not exist'),
        ("postgresql://nobody@/postgres?host={0}", 'role "nobody" does not exist'),
        ("postgresql://arena@/postgres?host=/nonexistent", "the server cannot be reached"),
        ("postgresql://arena@/postgres?colour=red", "libpq does not understand this address"),
    ],
)
def test_a_server_that_cannot_be_used_is_one_sentence(postgres: Postgres, address: str, message: str) -> None:
    url = address.format(postgres.folder)
    done = arena("standings", "--db", url)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {url}: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_database_whose_texts_are_not_utf_8_is_refused(postgres: Postgres) -> None:
    name = "test_latin"
    postgres.execute(
        f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'"
    )
    try:
        done = arena("list", "--db", postgres.url(name))
        assert "the texts of this database are SQL_ASCII; create one with the encoding UTF8" in done.stderr
    finally:
        postgres.execute(f"DROP DATABASE {name}")


def test_a_user_who_may_not_create_tables_learns_whom_to_ask(
    sample_database: Path, server_database: str, postgres: Postgres
) -> None:
    postgres.execute("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN")
    url = server_database.replace("//arena@", "//guest@")
    done = arena("db", "copy", sample_database, url)
    assert done.exit_code == 2
    assert "permission denied for schema public; ask the owner of the database for the rights" in done.stderr


def test_without_psycopg_one_sentence_names_the_extra(filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("arena.store.postgresql")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = arena("standings", "--db", filled)
    assert done.exit_code == 2
    assert done.stderr == (
        "error: databases on a PostgreSQL server need more packages: pip install 'leapfrog-arena[postgres]'\n"
    )
