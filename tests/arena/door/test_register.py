"""What the door stores."""

import pytest

from arena.address import ServerAddress
from arena.door.register import DoorRegister, State, new_token, token_hash
from arena.errors import ArenaError
from arena.store import Store
from arena.store.copying import door_rows
from tests.postgres import FILE_OR_SERVER


@pytest.fixture(params=FILE_OR_SERVER)
def store(request, tmp_path):
    address = tmp_path / "arena.db"
    if request.param == "server":
        address = ServerAddress(request.getfixturevalue("server_database"))
    store = Store.open(address, create=True)
    yield store
    store.close()


@pytest.fixture
def door(store):
    return DoorRegister(store, "league")


def hand_in(door, who, digest="d", most=10):
    return door.hand_in(who.id, digest, "bot.py", {"command": ["x"]}, most)


def test_a_token_is_stored_only_as_its_hash_and_finds_its_participant(door, store):
    token = new_token()
    ann = door.invite({"ann": token_hash(token)})[0]
    assert len(token) >= 32
    assert door.with_token(token_hash(token)) == ann
    assert door.with_token(token) is None
    assert DoorRegister(store, "cup").with_token(token_hash(token)) is None
    assert token not in str(list(door_rows(store)))


def test_a_renewed_or_removed_link_works_no_more(door):
    door.invite({"ann": "old"})
    door.change("ann", token="new")
    assert (door.with_token("old"), door.with_token("new").name) == (None, "ann")
    door.change("ann", state="removed")
    assert door.with_token("new") is None


def test_no_two_participants_have_the_same_name(door):
    door.invite({"Ann": "1"})
    with pytest.raises(ArenaError, match="ann is invited already"):
        door.invite({"ann": "2"})
    with pytest.raises(ArenaError, match="bob is not invited"):
        door.change("bob", state="paused")


def test_all_are_invited_or_nobody_is(door):
    door.invite({"bob": "1"})
    with pytest.raises(ArenaError, match="bob is invited already"):
        door.invite({"ann": "2", "bob": "3"})
    assert [who.name for who in door.participants()] == ["bob"]
    assert door.invite({"ann": "2", "cat": "3"}) == door.participants()[1:]


def test_versions_are_counted_for_each_participant_and_a_quota_holds(door):
    ann, bob = door.invite({"ann": "1"})[0], door.invite({"bob": "2"})[0]
    assert [
        hand_in(door, ann, "a", 2).version,
        hand_in(door, bob).version,
        hand_in(door, ann, "b", 2).version,
    ] == [1, 1, 2]
    with pytest.raises(ArenaError, match="2 times within 24 hours"):
        hand_in(door, ann, "c", 2)
    assert [version.state for version in door.submissions(ann.id)] == [State.WAITING, State.REFUSED]


def test_the_same_files_twice_are_noticed(door):
    ann = door.invite({"ann": "1"})[0]
    first = hand_in(door, ann)
    with pytest.raises(ArenaError, match="your version 1; nothing has changed"):
        hand_in(door, ann)
    door.move_on(first.id, State.REFUSED, "no")
    assert hand_in(door, ann).version == 2


def test_a_submission_is_stored_with_its_first_line_or_not_at_all(door, monkeypatch):
    ann = door.invite({"ann": "1"})[0]
    first = door.hand_in(ann.id, "digest", "bot.py", {"command": ["x"]}, 9, sentence="found bot.py")
    assert [(line.kind, line.text) for line in door.lines(first.id)] == [("plan", "found bot.py")]

    def fail(*_):
        raise ArenaError("the disk is full")

    monkeypatch.setattr(DoorRegister, "_add_line", fail)
    with pytest.raises(ArenaError, match="the disk is full"):
        door.hand_in(ann.id, "other", "bot.py", {"command": ["x"]}, 9, sentence="found bot.py")
    assert door.submissions() == [first]


def test_submissions_are_taken_in_turn_and_one_in_hand_is_taken_again(door):
    ann, bob = door.invite({"ann": "1"})[0], door.invite({"bob": "2"})[0]
    first, second = hand_in(door, ann), hand_in(door, bob)
    door.note("plan", "understood", first.id)
    assert door.waiting_before(second) == 1
    assert door.take(3).id == first.id
    door.move_on(first.id, State.CHECKING)
    door.note("check", "half done", first.id)
    again = door.take(3)  # the worker was killed
    assert (again.id, again.attempts, again.state) == (first.id, 2, State.BUILDING)
    assert [line.text for line in door.lines(first.id)] == ["understood"]
    door.move_on(first.id, State.PLAYS)
    assert door.take(3).id == second.id


def test_a_submission_that_ends_the_worker_each_time_is_refused(door):
    ann = door.invite({"ann": "1"})[0]
    hand_in(door, ann)
    for _ in range(3):
        assert door.take(3) is not None
    assert door.take(3) is None
    assert "stopped 3 times" in door.submissions()[0].problem


def test_the_new_version_replaces_the_one_that_plays(door):
    ann = door.invite({"ann": "1"})[0]
    for digest in "ab":
        door.move_on(hand_in(door, ann, digest).id, State.PLAYS)
    assert [version.state for version in door.submissions(ann.id)] == [State.PLAYS, State.REPLACED]


@pytest.mark.parametrize("state", [State.BUILDING, State.CHECKING, State.PLAYING, State.REFUSED])
def test_a_version_plays_on_while_a_new_one_is_tried_and_when_it_is_refused(door, state):
    ann = door.invite({"ann": "1"})[0]
    door.move_on(hand_in(door, ann, "a").id, State.PLAYS)
    door.move_on(hand_in(door, ann, "b").id, state)
    assert [version.state for version in door.submissions(ann.id)] == [state, State.PLAYS]


def test_notes_to_all_are_apart_from_lines_of_submissions(door, store):
    version = hand_in(door, door.invite({"ann": "1"})[0])
    door.note("note", "the machine rests tonight")
    door.note("build", "cc", version.id)
    assert [line.text for line in door.lines()] == ["the machine rests tonight"]
    assert [line.text for line in door.lines(version.id)] == ["cc"]
    assert DoorRegister(store, "cup").lines() == []
