"""The doors of a database are copied with it, and what can be read of them is saved."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.address import Address, ServerAddress
from arena.cli import main
from arena.door.register import DoorRegister, State
from arena.errors import StoreError
from arena.store import Store
from arena.store.copying import door_rows, replace_doors
from arena.store.rows import LINE, PARTICIPANT
from tests.postgres import FILE_OR_SERVER


def arena(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(params=FILE_OR_SERVER)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    if request.param == "file":
        return tmp_path / "copy.db"
    return ServerAddress(request.getfixturevalue("server_database"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with a door of two participants, of whom one has handed in."""
    path = tmp_path / "arena.db"
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("league", {})
        door = DoorRegister(store, "league")
        ann = door.invite({"Ann": "token-1"})[0]
        door.invite({"Bob": "token-2"})
        first = door.hand_in(ann.id, "digest", "bot.py", {"command": ["python3", "bot.py"]}, 9)
        door.note("output", "nothing\0 but ⟂", first.id)
        door.note("note", "welcome")
        door.ask(ann.id, "quoridor", ["Ann", "one"], 9)
    return path


def test_a_copy_has_the_door_and_the_door_goes_on_there(path: Path, target: Address, tmp_path: Path) -> None:
    assert arena("db", "copy", path, target).exit_code == 0
    with closing(Store.open(path, create=False)) as store:
        door = DoorRegister(store, "league")
        taken = door.take(3)
        assert taken is not None
        door.move_on(taken.id, State.PLAYS)
        door.change("Bob", state="removed")
    done = arena("db", "copy", path, target)
    assert done.exit_code == 0, done.output
    with closing(Store.open(path, create=False)) as store, closing(Store.open(target, create=False)) as copy:
        assert list(door_rows(copy)) == list(door_rows(store))
        door = DoorRegister(copy, "league")
        (only,) = door.submissions()
        assert (only.state, only.plan) == (State.PLAYS, {"command": ["python3", "bot.py"]})
        cat = door.invite({"Cat": "token-3"})[0]
        assert door.hand_in(cat.id, "other", "bot.py", {}, 9).version == 1
        door.note("note", "more")
        assert [line.text for line in door.lines()] == ["welcome", "more"]
        at_target = list(door_rows(copy))
    back = tmp_path / "back.db"
    assert arena("db", "copy", target, back).exit_code == 0
    with closing(Store.open(back, create=False)) as third:
        assert list(door_rows(third)) == at_target


def test_rows_that_contradict_each_other_are_not_stored_and_nothing_changes(path: Path) -> None:
    with closing(Store.open(path, create=False)) as store:
        before = list(door_rows(store))
        with pytest.raises(StoreError):
            replace_doors(store, [*before[:1], *before])
        assert list(door_rows(store)) == before


def test_a_sound_door_is_no_damage_and_a_rescue_saves_all_of_it(path: Path, tmp_path: Path) -> None:
    checked = arena("db", "check", path)
    assert checked.exit_code == 0, checked.output
    saved = tmp_path / "saved.db"
    done = arena("db", "copy", "--damaged", path, saved)
    assert done.exit_code == 0, done.output
    with closing(Store.open(path, create=False)) as store, closing(Store.open(saved, create=False)) as copy:
        assert list(door_rows(copy)) == list(door_rows(store))


def test_a_rescue_saves_what_is_sound_of_a_door_and_names_the_rest(path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE door_submission SET plan = '{' WHERE id = 1")
    lost = "door submission 1 is lost: its plan is damaged"
    assert lost in arena("db", "check", path).stdout
    saved = tmp_path / "saved.db"
    done = arena("db", "copy", "--damaged", path, saved)
    assert (done.exit_code, done.stderr) == (
        1,
        f"{path}: {lost}\n{path}: door line 1 is lost: FOREIGN KEY constraint failed\n",
    )
    with closing(Store.open(saved, create=False)) as store:
        door = DoorRegister(store, "league")
        assert [one.name for one in door.participants()] == ["Ann", "Bob"]
        assert [line.text for line in door.lines()] == ["welcome"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": 1}, "UNIQUE constraint failed: door_participant.id"),
        ({"name": "Ann"}, "UNIQUE constraint failed: door_participant.tournament, door_participant.name"),
        ({"token": "t"}, "UNIQUE constraint failed: door_participant.token"),
    ],
)
def test_a_row_that_contradicts_another_is_left_out(
    path: Path, change: dict[str, object], reason: str
) -> None:
    names = {"tournament": "league", "name": "Ann", "token": "t"}
    ann = {"id": 1, **names, "role": "guest", "state": "open", "created": 1.5}
    other = ann | {"id": 2, "name": "Bob", "token": "u"} | change
    refused: list[str] = []
    with closing(Store.open(path, create=False)) as store:
        replace_doors(store, [(PARTICIPANT, ann), (PARTICIPANT, other)], refused)
        assert list(door_rows(store)) == [(PARTICIPANT, ann)]
    assert refused == [f"door participant {other['id']} is lost: {reason}"]


def test_a_note_to_all_needs_no_submission(path: Path) -> None:
    note = {"id": 1, "tournament": "league", "submission_id": None, "at": 1.0, "kind": "note", "text": "hi"}
    with closing(Store.open(path, create=False)) as store:
        replace_doors(store, [(LINE, note)])
        assert list(door_rows(store)) == [(LINE, note)]
