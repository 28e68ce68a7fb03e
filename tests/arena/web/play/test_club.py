"""The games of a club, with a referee that only notes its orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Barrier, Event
from typing import cast

import msgspec
import pytest
import trio
import trio.testing
from starlette.testclient import TestClient

from arena.address import Address
from arena.config import load
from arena.model import GameRecord
from arena.run.executor import JobLost
from arena.run.local_referees import LocalReferees
from arena.store import Store
from arena.web.offer import NewGame, Offer, WrongOrder
from arena.web.server import club as module
from arena.web.server.app import LOOPBACK, application
from arena.web.server.casual_game import CASUAL, Client, Hint, Status, Unplayable, legal_moves
from arena.web.server.club import Club
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from referee.match.job import Job, OrderRefused, RunningGame, TurnBegan
from referee.ply import Ply
from tests.arena.web.play.play_browser import tournament_file
from tests.arena.workers.jobs import finished

WISH = NewGame("quoridor", [None, "mate-1"])
SOMEBODY = Client("somebody", "::1")


class Referees:
    """Takes orders, and does nothing."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}
        self.abandoned: list[str] = []
        self.events: trio.MemoryReceiveChannel[object]

    def begin_turn(self, job: str, *plies: Ply) -> TurnBegan:
        """Return what a referee sends when it is the turn of the first seat, or after the plies."""
        turn = len(plies) % 2
        return TurnBegan(RunningGame(job, len(plies), turn, (60_000, 60_000), plies=plies), ("", ""))

    @property
    def running(self) -> list[str]:
        """The jobs that were not abandoned."""
        return [job for job in self.jobs if job not in self.abandoned]

    async def submit(self, job: Job) -> None:
        self.jobs[job.id] = job
        await trio.lowlevel.checkpoint()

    async def abandon(self, job: str) -> None:
        if job in self.jobs:
            self.abandoned.append(job)
        await trio.lowlevel.checkpoint()


@pytest.fixture
def referees() -> Referees:
    return Referees()


@pytest.fixture
def club_of(tmp_path: Path, referees: Referees) -> Callable[[int], Club]:
    offer = Offer(load(tournament_file(tmp_path, ["quoridor"])))
    noting = cast("LocalReferees", referees)
    return lambda most: Club(offer, noting, most, lambda name, text: pytest.fail(f"{name}: {text}"))


async def heard(club: Club, referees: Referees, *events: object) -> None:
    """Let a club hear what a referee sends, and end after that."""
    send, referees.events = trio.open_memory_channel[object](len(events))
    for event in events:
        send.send_nowait(event)
    send.close()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.run)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()


async def over(club: Club) -> str:
    """Play a game that ends without a result, and return its id."""
    game = await club.start(WISH, SOMEBODY)
    await club.end(game, "enough")
    assert game.status is Status.OVER
    return game.id


async def test_two_hundred_games_that_are_over_can_still_be_looked_at_and_the_oldest_are_forgotten(
    club_of: Callable[[int], Club],
) -> None:
    club = club_of(2)
    running = await club.start(WISH, SOMEBODY)
    ids = [await over(club) for _ in range(module._GAMES_KEPT)]
    assert module._GAMES_KEPT == 200
    assert all(club.find(id_) for id_ in ids)
    newest = [await over(club), await over(club)]  # the first of them makes no room, because 200 were over
    assert club.find(ids[0]) is None
    assert all(club.find(id_) for id_ in (*ids[1:], *newest))
    assert club.find(running.id) is running  # however old it is


async def test_a_game_that_is_over_makes_room_for_another_and_one_that_runs_does_not(
    club_of: Callable[[int], Club],
) -> None:
    club = club_of(1)
    game = await club.start(WISH, SOMEBODY)
    with pytest.raises(Unplayable, match=r"^1 games are being played, which is the most; try again later$"):
        await club.start(WISH, SOMEBODY)
    await club.end(game, "enough")
    await over(club)


async def test_one_client_has_at_most_five_games_and_the_list_has_those_that_run(
    club_of: Callable[[int], Club],
) -> None:
    club = club_of(20)
    games = [await club.start(WISH, Client("ann", "::1")) for _ in range(5)]
    problem = r"^you play 5 games already, which is the most: end one of them first$"
    with pytest.raises(Unplayable, match=problem):
        await club.start(WISH, Client("ann", "::1"))
    other = await club.start(WISH, Client("bob", "::1"))
    await club.end(games[1], "enough")
    assert club.running("ann") == [games[4], games[3], games[2], games[0]]
    assert club.running("bob") == [other]
    await club.start(WISH, Client("ann", "::1"))
    with pytest.raises(Unplayable, match=problem):
        await club.take_back(games[1])


@contextmanager
def browser_of(club: Club, address: str, **headers: str) -> Iterator[TestClient]:
    databases = Databases([])
    app = application(
        databases, Broadcast(databases), LOOPBACK, club, url="http://localhost" if headers else ""
    )
    client = TestClient(app, "http://localhost", client=(address, 1), headers=headers, backend="trio")
    with client as made:
        yield made


def begin(browser: TestClient, *, cookie: str = "") -> int:
    """Start a game with a cookie, or with a new one of the server; return the status."""
    browser.cookies.clear()
    if cookie:
        browser.cookies["player"] = cookie
    else:
        browser.get("/play/")
    return browser.post("/api/play/games", json=msgspec.to_builtins(WISH)).status_code


def test_invented_cookies_start_no_more_than_five_games_of_an_address(
    club_of: Callable[[int], Club],
) -> None:
    with browser_of(club_of(20), "10.0.0.1") as browser:
        statuses = [begin(browser, cookie=f"invented-{number}") for number in range(20)]
        assert statuses == [201] * 5 + [409] * 15
        assert begin(browser) == 201  # a browser with a cookie of the server is another client


@pytest.mark.parametrize("proxy", ["none", "one"])
def test_one_address_starts_half_of_the_games_with_any_number_of_cookies(
    club_of: Callable[[int], Club], proxy: str
) -> None:
    club = club_of(20)
    for client in ("10.0.0.1", "10.0.0.2"):
        # The proxy adds the address of its client to what the client claims.
        told = {"x-forwarded-for": f"192.0.2.7, {client}"} if proxy == "one" else {}
        with browser_of(club, "127.0.0.1" if told else client, **told) as browser:
            assert [begin(browser) for _ in range(20)] == [201] * 10 + [409] * 10


@pytest.mark.parametrize("waits", ["for an engine", "for a hint", "for a person"])
async def test_a_game_that_nobody_looks_at_ends_while_an_engine_thinks(
    club_of: Callable[[int], Club], referees: Referees, mock_clock: trio.testing.MockClock, waits: str
) -> None:
    club = club_of(1)
    game = await club.start(WISH, SOMEBODY)
    plies = (Ply(0, "e2", 1),) if waits == "for an engine" else ()
    await heard(club, referees, referees.begin_turn(game.job, *plies))
    if waits == "for a hint":
        await club.hint(game, "")

    async def later(seconds: float) -> Status:
        game.seen -= seconds
        async with trio.open_nursery() as nursery:
            nursery.start_soon(club._end_idle)
            await trio.testing.wait_all_tasks_blocked()
            mock_clock.jump(module._LOOK_SECONDS)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        return game.status

    before = game.status
    assert await later(290) is before
    assert club.find(game.id) is game  # its page is asked for
    assert await later(290) is before
    game.log.listeners = 1
    assert await later(301) is before
    game.log.listeners = 0
    assert await later(301) is (before if waits == "for a person" else Status.OVER)
    assert referees.running == ([game.job] if waits == "for a person" else [])


async def test_the_job_of_a_game_that_ends_is_abandoned_once(
    club_of: Callable[[int], Club], referees: Referees
) -> None:
    club = club_of(3)
    first, second = await club.start(WISH, SOMEBODY), await club.start(WISH, SOMEBODY)
    jobs = [first.job, second.job]
    assert [*referees.jobs] == jobs
    await club.end(first, "enough")
    await club.end(first, "enough")
    assert referees.abandoned == jobs[:1]
    await club.close()
    assert referees.abandoned == jobs


def test_games_that_are_stored_at_one_moment_have_numbers_and_addresses_of_their_own(
    address: Address, record: Callable[..., GameRecord]
) -> None:
    at_once, games = 4, [record(key=f"game-{number}", tournament=CASUAL) for number in range(12)]
    moment = Barrier(at_once, timeout=60)
    with closing(Store.open(address, create=True)) as store:

        def store_game(game: GameRecord) -> tuple[int, str]:
            moment.wait()
            return module._store_game(store, game)

        with ThreadPoolExecutor(at_once) as threads:
            stored = [*threads.map(store_game, games)]
        results = [store.game(id_).result for id_, _ in stored]
    assert [result.key for result in results] == [game.result.key for game in games]
    assert {result.number for result in results} == {*range(12)}
    assert [page.rpartition("/")[2] for _, page in stored] == [f"{id_}.html" for id_, _ in stored]


async def test_a_game_that_is_taken_back_while_it_is_stored_can_be_stored_again(
    club_of: Callable[[int], Club], referees: Referees, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = club_of(1)
    club._store = cast("Store", "a database")
    game = await club.start(WISH, SOMEBODY)
    job = game.job
    end = msgspec.structs.replace(finished(1), id=job, record=(Ply(0, "e2", 1),))
    await heard(club, referees, referees.begin_turn(job), end)
    ends = Event()

    def store_game(*_: object) -> tuple[int, str]:
        assert ends.wait(60)
        return 7, "/the/page"

    monkeypatch.setattr(module, "_store_game", store_game)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.keep, game)
        await trio.testing.wait_all_tasks_blocked()
        await club.take_back(game)
        ends.set()
    assert (game.stored, game.page) == (None, "")


async def test_a_hint_is_the_first_move_of_an_engine_and_the_search_ends_with_it(
    club_of: Callable[[int], Club], referees: Referees
) -> None:
    club = club_of(1)
    game = await club.start(WISH, SOMEBODY)
    await heard(club, referees, referees.begin_turn(game.job))
    await club.hint(game, "")
    search = game.hint_job
    await club.hint(game, "mate-2")  # while one is looked for, no other is
    assert [*referees.jobs] == [game.job, search]
    assert game.hint == Hint()
    ply = Ply(0, "e2", 1)
    await heard(club, referees, referees.begin_turn(search), referees.begin_turn(search, ply))
    assert game.hint == Hint("e2")
    assert referees.abandoned == [search]
    assert game.plies == []


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (lambda job: OrderRefused(job, "no such engine"), "no such engine"),
        (lambda job: JobLost(job, "the referee died"), "the referee died"),
        (lambda job: msgspec.structs.replace(finished(1), id=job), "why"),
    ],
)
async def test_a_search_that_fails_says_why_and_may_be_tried_again(
    club_of: Callable[[int], Club], referees: Referees, event: Callable[[str], object], why: str
) -> None:
    club = club_of(1)
    game = await club.start(WISH, SOMEBODY)
    await heard(club, referees, referees.begin_turn(game.job))
    await club.hint(game, "mate-2")
    first = game.hint_job
    await heard(club, referees, event(first))
    assert game.hint == Hint(failed=why)
    await club.hint(game, "mate-2")
    assert game.hint_job != first
    assert game.hint == Hint()
    game.hint = None
    with pytest.raises(WrongOrder, match=r"^no engine 'nobody' plays quoridor$"):
        await club.hint(game, "nobody")


async def test_the_legal_moves_are_of_the_position_that_was_asked_for_when_the_game_goes_on_meanwhile(
    club_of: Callable[[int], Club], referees: Referees
) -> None:
    club = club_of(1)
    game = await club.start(WISH, SOMEBODY)
    before = game.follower.position
    here = legal_moves(game, 0, before)
    await heard(club, referees, referees.begin_turn(game.job, Ply(0, "e2", 1)))
    assert legal_moves(game, 0, before) == here != legal_moves(game, 1, game.follower.position)


@pytest.mark.parametrize("what", ["two take-backs", "two hints", "a take-back and the end"])
async def test_a_game_has_one_job_and_one_search_when_two_things_are_asked_for_at_one_moment(
    club_of: Callable[[int], Club], referees: Referees, what: str
) -> None:
    club = club_of(1)
    game = await club.start(WISH, SOMEBODY)
    plies = [Ply(seat, text, 1) for text, seat in zip(("e2", "e8", "e3", "e7"), (0, 1, 0, 1), strict=True)]
    await heard(club, referees, referees.begin_turn(game.job, *plies))
    asked = {
        "two take-backs": (partial(club.take_back, game), partial(club.take_back, game)),
        "two hints": (partial(club.hint, game, "mate-1"), partial(club.hint, game, "mate-2")),
        "a take-back and the end": (partial(club.take_back, game), partial(club.end, game, "enough")),
    }
    async with trio.open_nursery() as nursery:
        for ask in asked[what]:
            nursery.start_soon(ask)
    known = [game.job, game.hint_job]
    assert referees.running == [job for job in known if job]
    assert [*club._jobs] == referees.running
    assert game.ply == {"two take-backs": 0, "two hints": 4}.get(what, 2)


async def test_a_referee_that_loses_a_game_ends_it_and_says_why(
    club_of: Callable[[int], Club], referees: Referees
) -> None:
    club = club_of(1)
    game = await club.start(WISH, SOMEBODY)
    await heard(club, referees, JobLost(game.job, "the referee died"))
    assert (game.status, game.ended) == (Status.OVER, "the referee died")
