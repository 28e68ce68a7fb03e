"""Games that participants ask for: who may ask whom, the queue on pages, and the games themselves."""

from __future__ import annotations

import html
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.config import load
from arena.door.asking import Asking, asked_spec, seatings, tournament_of
from arena.door.desk import Desk
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, Request, RequestState, State, token_hash
from arena.door.upload import ArchiveLimits, SourceFile, packed
from arena.door.worker import DoorWorker
from arena.formats.contest import Entrants, ScheduleState
from arena.model import GameRecord, GameResult, Pairing
from arena.run.upcoming import next_games
from arena.store import Store
from tests.arena.door.test_pages import crashes, served_door
from tests.arena.door.test_remote import BOT, connected, hub
from tests.arena.forked import forked
from tests.missing_tools import needs
from tests.processes import wait_for

FILE = """
games = ["quoridor", "quoridor4"]
format = "ladder"
[door]
most_a_day = 5
[[engines]]
name = "sample"
command = "sample:random"
[[engines]]
name = "two"
command = "sample:greedy"
games = ["quoridor"]
[[engines]]
name = "three"
command = "sample:random"
[[engines]]
name = "four"
command = "sample:random"
[[engines]]
name = "five"
command = "sample:random"
"""
RANDOM = Path(__file__).parents[3] / "engines" / "python-random" / "engine.py"
LIMITS = ArchiveLimits(1 << 20, 9)
HOSTILE = "<script>alert(1)</script>"


@dataclass
class Door:
    """A door whose pages are served, and which plays nothing."""

    file: Path
    client: TestClient
    register: DoorRegister
    store: Store
    desk: Desk

    def invite(self, name: str, state: State | None = State.PLAYS, *, organiser: bool = False) -> str:
        """Invite somebody, with a version in a state, if any; return the token."""
        token = f"token of {name}"
        who = self.register.invite({name: token_hash(token)}, organiser=organiser)[0]
        if state is not None:
            plan = {"command": ["./x"], "build": []}
            version = self.register.hand_in(who.id, f"digest of {name}", "x", plan, 5)
            self.register.move_on(version.id, state)
        return token

    def ask(self, token: str, opponent: str, game: str = "") -> dict[str, object]:
        headers = {"authorization": f"Bearer {token}", "accept": "application/json"}
        answer = self.client.post("/door/ask", headers=headers, data={"opponent": opponent, "game": game})
        assert answer.status_code == (400 if "error" in answer.json() else 201)
        return answer.json()

    def look(self, token: str) -> dict[str, list[dict[str, object]]]:
        headers = {"authorization": f"Bearer {token}", "accept": "application/json"}
        return self.client.get("/door/ask", headers=headers).json()

    def page(self, token: str) -> str:
        return self.client.get("/door/", headers={"authorization": f"Bearer {token}"}).text

    def clear(self, token: str, number: object) -> str:
        """Take a request back; return the page that follows."""
        headers = {"authorization": f"Bearer {token}", "content-type": "application/x-www-form-urlencoded"}
        return self.client.post(f"/door/asked/{number}/clear", headers=headers).text


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    file = tmp_path / "league.toml"
    file.write_text(FILE)
    with served_door(file) as (client, register, desk, store):
        yield Door(file, client, register, store, desk)


# --- who may ask whom


def test_a_participant_asks_another_or_an_engine_of_the_file_and_sees_the_queue(door: Door) -> None:
    ann, ben = door.invite("ann"), door.invite("ben")
    first = door.ask(ann, "ben", "quoridor")["request"]
    second = door.ask(ben, "two")["request"]
    assert door.look(ann) == door.look(ben)
    assert door.look(ann)["queue"] == [
        {"request": first, "game": "quoridor", "seats": ["ann", "ben"], "state": "waits", "before": 0,
         "problem": "", "games": []},
        {"request": second, "game": "quoridor", "seats": ["ben", "two"], "state": "waits", "before": 1,
         "problem": "", "games": []},
    ]  # fmt: skip
    page = door.page(ann)
    assert "2 in the queue" in page
    assert "<option>ben</option><option>sample</option>" in page
    assert "<option>ann</option>" not in page
    assert page.count("Take back") == 1  # the own one


@pytest.mark.parametrize(
    ("opponent", "game", "sentence"),
    [
        ("ann", "", "your engine cannot play against itself; choose another"),
        ("nobody", "", "there is no such engine; choose an engine of the list"),
        ("boss", "", "there is no such engine; choose an engine of the list"),
        ("", "", "there is no such engine; choose an engine of the list"),
        ("ben\0", "", "there is no such engine; choose an engine of the list"),
        ("x" * 9000, "", "there is no such engine; choose an engine of the list"),
        ("ben", HOSTILE, "choose one of these games: quoridor, quoridor4"),
        ("ben", "chess", "choose one of these games: quoridor, quoridor4"),
        ("two", "quoridor4", "two does not play quoridor4"),
        ("new", "", "new has no version that plays"),
        ("away", "", "the bot of away is not connected"),
        ("paused", "", "the organiser has paused paused"),
        ("removed", "", "removed is not in the tournament any more"),
    ],
)
def test_each_refusal_is_a_sentence_on_the_page_and_for_a_program(
    door: Door, opponent: str, game: str, sentence: str
) -> None:
    ann = door.invite("ann")
    for name, state in (
        ("ben", State.PLAYS), ("new", None), ("away", State.AWAY), ("paused", State.PLAYS),
        ("removed", State.PLAYS),
    ):  # fmt: skip
        door.invite(name, state)
    door.invite("boss", None, organiser=True)
    door.register.change("paused", state="paused")
    door.register.change("removed", state="removed")
    assert door.ask(ann, opponent, game) == {"error": sentence}
    headers = {"authorization": f"Bearer {ann}"}
    answer = door.client.post("/door/ask", headers=headers, data={"opponent": opponent, "game": game})
    assert answer.status_code == 400
    assert f'role="alert">{sentence}</p>' in html.unescape(answer.text)
    assert door.look(ann) == {"queue": [], "ended": []}


def test_who_has_no_engine_that_plays_does_not_ask(door: Door) -> None:
    new, paused = door.invite("new", None), door.invite("paused")
    boss = door.invite("boss", None, organiser=True)
    door.register.change("paused", state="paused")
    assert door.ask(new, "sample") == {"error": "new has no version that plays"}
    assert door.ask(paused, "sample") == {"error": "the organiser has paused paused"}
    headers = {"authorization": f"Bearer {boss}"}
    assert door.client.post("/door/ask", headers=headers, data={"opponent": "sample"}).status_code == 400
    assert door.client.post("/door/ask", data={"opponent": "sample"}).status_code == 401
    assert not door.register.queue()


def test_three_requests_may_wait_and_five_come_in_a_day(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, ben = door.invite("ann"), door.invite("ben")
    numbers = [door.ask(ann, "sample")["request"] for _ in range(3)]
    waits = {"error": "you have 3 requests in the queue; wait until a request has ended"}
    assert door.ask(ann, "sample") == waits
    assert "request" in door.ask(ben, "ann")
    for number in numbers[:2]:
        door.clear(ann, number)
    assert "request" in door.ask(ann, "sample")
    assert "request" in door.ask(ann, "sample")
    assert door.ask(ann, "sample") == waits
    for number in numbers[2:]:
        door.clear(ann, number)
    today = {"error": "you have asked for games 5 times within 24 hours; come back later"}
    assert door.ask(ann, "sample") == today
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 86_401)
    assert "request" in door.ask(ann, "sample")


def test_a_request_is_taken_back_by_its_participant_or_the_organiser_until_it_plays(door: Door) -> None:
    ann, ben = door.invite("ann"), door.invite("ben")
    boss = door.invite("boss", None, organiser=True)
    first, second, third = (door.ask(ann, "ben")["request"] for _ in range(3))
    assert "there is no such request in the queue" in door.clear(ben, first)
    assert "there is no such request in the queue" in door.clear(ann, 9**18)
    assert door.page(boss).count("Take back") == 3
    assert "its participant has taken it back" in door.clear(ann, first)
    door.clear(boss, second)
    request = door.register.queue()[0]
    assert request.id == third
    assert door.register.change_request(request, replace(request, state=RequestState.PLAYS))
    ended = replace(request, state=RequestState.ENDED)
    assert not door.register.change_request(request, ended)  # it plays now
    assert "its games are being played; wait for their end" in door.clear(ann, third)
    assert "its games are being played; wait for their end" in door.clear(boss, third)
    looked = door.look(ann)
    (waiting,) = looked["queue"]
    assert (waiting["request"], waiting["state"], waiting["before"]) == (third, "plays", 0)
    problems = ["the organiser has taken it back", "its participant has taken it back"]
    assert [request["problem"] for request in looked["ended"]] == problems


def test_a_request_ends_with_a_sentence_if_its_turn_comes_too_late(door: Door) -> None:
    ann, spec = door.invite("ann"), load(door.file)
    assert spec.door is not None
    names = {
        "paused": "the organiser has paused paused",
        "removed": "removed is not in the tournament any more",
        "away": "the bot of away is not connected",
        "ben": "ben is disabled: failed 3 times in a row",
    }
    asking = Asking(spec, spec.door, door.register)
    for name, problem in names.items():
        door.invite(name)
        door.ask(ann, name)
        if name in ("paused", "removed"):
            door.register.change(name, state=name)
        elif name == "away":
            door.register.move_on(door.register.submissions()[0].id, State.AWAY)
        else:
            crashes(door, name, 3)
        assert asking.next() is None
        assert door.look(ann)["ended"][0]["problem"] == problem
    assert not door.register.queue()


def test_a_request_that_ends_the_process_each_time_is_given_up(door: Door) -> None:
    ann, spec = door.invite("ann"), load(door.file)
    assert spec.door is not None
    door.ask(ann, "sample")
    asking = Asking(spec, spec.door, door.register)
    for attempt in range(3):
        request = asking.next()
        assert request is not None
        started = replace(request, state=RequestState.PLAYS, attempts=attempt + 1)
        assert door.register.change_request(request, started)
    assert asking.next() is None
    assert door.look(ann)["ended"][0]["problem"] == "the machine stopped 3 times while this was played"


def test_names_in_the_queue_are_text(door: Door) -> None:
    ann, eve = door.invite("ann"), door.invite(f"eve {HOSTILE}")
    boss = door.invite("boss", None, organiser=True)
    assert "request" in door.ask(ann, f"eve {HOSTILE}")
    assert "request" in door.ask(eve, "ann")
    door.register.change(f"eve {HOSTILE}", state="paused")
    assert door.ask(ann, f"eve {HOSTILE}") == {"error": f"the organiser has paused eve {HOSTILE}"}
    for page in (door.page(ann), door.page(eve), door.page(boss)):
        assert "<script>alert" not in page
        assert "eve &lt;script&gt;" in page


# --- the games


def request(number: int, game: str, *seats: str) -> Request:
    return Request(number, RequestState.WAITS, game, seats, 0, "", 0.0)


def wanted(door: Door, request: Request, state: ScheduleState | None = None) -> list[Pairing]:
    spec = asked_spec(load(door.file), request)
    assert spec is not None
    return list(next_games(spec, state or ScheduleState()))


def test_two_engines_play_a_game_from_each_seat_and_four_play_four(door: Door) -> None:
    two = request(7, "quoridor", "sample", "two")
    four = request(8, "quoridor4", "sample", "three", "four", "five")
    assert [game.key for game in wanted(door, two)] == ["quoridor:sample|two:7", "quoridor:two|sample:7"]
    games = wanted(door, four)
    assert len(games) == 4
    for seat in range(4):
        assert {game.seats[seat] for game in games} == set(four.seats)
    assert {tuple(map(len, seatings(Entrants("", four.seats, 4), 8)))} == {(3, 3, 3, 3)}
    assert asked_spec(load(door.file), request(9, "quoridor", "sample", "gone")) is None


def test_a_table_of_four_is_filled_with_engines_of_the_file_that_play_the_game(door: Door) -> None:
    ann = door.invite("ann")
    door.invite("ben")
    door.ask(ann, "ben", "quoridor4")
    assert door.look(ann)["queue"][0]["seats"] == ["ann", "ben", "sample", "three"]
    door.ask(ann, "four", "quoridor4")
    assert door.look(ann)["queue"][1]["seats"] == ["ann", "four", "sample", "three"]


def test_numbers_of_games_go_on_and_what_is_stored_is_not_played_again(door: Door) -> None:
    wish = request(7, "quoridor", "sample", "two")
    first = wanted(door, wish)
    assert [game.number for game in first] == [0, 1]
    state = ScheduleState(stored=frozenset({first[0].key}), numbers={5: first[0].key})
    (left,) = wanted(door, wish, state)
    assert (left.key, left.number) == (first[1].key, 6)
    state.numbers[9] = first[1].key  # it was void, and keeps its number
    state.running.clear()
    (left,) = wanted(door, wish, state)
    assert (left.key, left.number) == (first[1].key, 9)


def test_a_request_shows_the_dialogue_of_its_participant_on_either_seat(
    door: Door, record: Callable[..., GameRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = door.invite("ann")
    door.invite("ben")
    number = door.ask(ann, "ben")["request"]
    name = tournament_of(load(door.file))
    door.store.begin_tournament(name, {})
    games = [(0, "ann", "ben"), (1, "ben", "ann")]
    door.store.add_games(
        record(
            (first, 1), (second, 2), number=place, key=f"quoridor:{first}|{second}:{number}", tournament=name
        )
        for place, first, second in games
    )
    seen = []

    def transcript_of(spec: object, result: GameResult, seat: int) -> None:
        seen.append(result.players[seat].name)

    monkeypatch.setattr("arena.door.asking.transcript_of", transcript_of)
    assert len(door.look(ann)["queue"][0]["games"]) == 2
    assert seen == ["ann", "ann"]


def asked_games(file: Path) -> list[GameRecord]:
    spec = load(file)
    with closing(Store.open(spec.database, create=False)) as store:
        records = list(store.finder.records()) if store.tournaments() else []
    return [record for record in records if record.result.tournament == f"{spec.name}: asked"]


@needs("bwrap")
def test_asked_games_are_played_once_even_if_their_process_is_killed_and_change_no_rating(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o755)
    file = tmp_path / "league.toml"
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "sample:random"\n' for name in ("one", "two"))
    file.write_text(
        'game = "quoridor"\nformat = "ladder"\nlog = "log"\nlog_lost = 0\nadjudication.plies = 8\n'
        f"[door]\n{engines}"
    )
    spec = load(file)
    folder = DoorFolder(tmp_path / "door")
    with closing(Store.open(spec.database, create=True)) as store:
        register = DoorRegister(store, spec.name)
        for name in ("ann", "ben"):
            who = register.invite({name: token_hash(name)})[0]
            plan = {"command": ["{python}", "bot.py", "0"], "build": []}
            version = register.hand_in(who.id, name, "x", plan, 5)
            folder.install(version.id, packed((SourceFile("bot.py", BOT.read_bytes(), False),)), LIMITS)
            register.move_on(version.id, State.PLAYS)
        assert spec.door is not None
        DoorWorker(spec, spec.door, register, folder).publish()
        ben = register.participants()[1]
        for opponent in ("two", "ann", "gone"):
            register.ask(ben.id, "quoridor", ("ben", opponent), 9)
        with forked("door", "games", file, cwd=tmp_path) as games:
            wait_for(lambda: len(asked_games(file)) > 0, "no game is played")
            games.kill()
            games.wait(20)
        with forked("door", "games", file, cwd=tmp_path) as games:
            wait_for(lambda: not register.queue(), games.stderr)
            games.send_signal(signal.SIGINT)
            assert games.wait(30) == 130
        problems = [request.problem for request in register.ended_requests(ben.id, 9)]
        assert problems == ["gone is not in the tournament any more", "", ""]
        seats = Counter(
            tuple(player.name for player in record.result.players)
            for record in asked_games(file)
            if record.result.counts
        )
        assert seats == {("ben", "two"): 1, ("two", "ben"): 1, ("ben", "ann"): 1, ("ann", "ben"): 1}
        assert store.tally() == {}  # no list rates them
        assert not [info for info in store.tournaments() if info.name == "league"]
        assert re.match(r"league: asked", store.tournaments()[0].name)
        assert not store.tournaments()[0].rated
    transcripts = [file.read_text() for file in (tmp_path / "log" / "asked").glob("*-ben*.log")]
    assert len(transcripts) >= 4
    assert all("python" in text and "/engine/bot.py 0" in text for text in transcripts)
    assert not [text for text in transcripts if str(tmp_path) in text]


def test_a_remote_bot_that_is_asked_plays_at_home_and_loses_if_it_goes(tmp_path: Path) -> None:
    keys = 'bots = "remote"\nremote.grace = 2'
    with hub(tmp_path, "ann", door=keys) as door, ExitStack() as stack:
        ann = connected(door, stack, "ann", 0.2)
        with closing(Store.open(load(door.file).database, create=True)) as store:
            register = DoorRegister(store, load(door.file).name)
            register.ask(register.participants()[0].id, "quoridor", ("ann", "one"), 9)
            with forked("door", "games", door.file, cwd=tmp_path) as games:
                wait_for(lambda: "game 1 starts" in ann.stderr, games.stderr)
                time.sleep(1)  # until the bot has said something
                ann.kill()
                wait_for(lambda: not register.queue(), games.stderr)
                games.send_signal(signal.SIGINT)
                games.wait(30)
        ended = [record.result for record in asked_games(door.file) if record.result.counts]
        assert {result.reason for result in ended} == {"gone"}
        assert {result.remote for result in ended} == {True}
