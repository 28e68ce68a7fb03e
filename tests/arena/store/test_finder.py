"""The finder finds what a plain loop over all games finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations

import pytest

from arena.address import Address, ServerAddress
from arena.model import GameRecord
from arena.scoring import seat_endings
from arena.store import GameSearch, Store, finder
from arena.tables.statistics import opening_line
from tests.arena.web.sites import EVIL, NAMES, played
from tests.postgres import FILE_OR_SERVER

Wanted = Callable[[GameRecord], bool]


@pytest.fixture(scope="module", params=FILE_OR_SERVER)
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    if request.param == "file":
        yield tmp_path_factory.mktemp("finder") / "arena.db"
    else:
        with request.getfixturevalue("postgres").database() as server:
            yield ServerAddress(server)


@pytest.fixture(scope="module")
def store(address: Address) -> Iterator[Store]:
    seats = [*permutations(NAMES, 2)]
    kinds = [*(("hops", two) for two in seats), *(("quoridor", two) for two in seats), ("quoridor4", NAMES)]
    found = Store.open(address, create=True)
    found.begin_tournament("cup", {})
    found.add_games(
        [
            played(id_, names, number, 5 + number % 4, opening=number % 3)
            for number, (id_, names) in enumerate(kinds)
        ]
    )
    found.make_void([3], "a test")
    yield found
    found.close()


def every(store: Store) -> list[GameRecord]:
    return list(store.finder.records())


def has(name: str) -> Wanted:
    return lambda one: name in [player.name for player in one.result.players]


def ended(name: str, *endings: str, seat: int | None = None) -> Wanted:
    def wanted(one: GameRecord) -> bool:
        players = one.result.players
        return any(
            player.name == name and ending in endings and seat in (None, index)
            for index, (player, ending) in enumerate(zip(players, seat_endings(players), strict=True))
        )

    return wanted


def beaten_by_far(one: GameRecord) -> bool:
    strengths = {"alpha": 100.0, "beta": 0.0, EVIL: 99.0}
    ranks = [(player.rank or 9, strengths.get(player.name)) for player in one.result.players]
    winners = [strength for rank, strength in ranks if rank == 1 and strength is not None]
    losers = [strength for rank, strength in ranks if 1 < rank < 9 and strength is not None]
    return any(loser - winner >= 100 for winner in winners for loser in losers)


ANY = ("won", "drew", "lost", "forfeited", "void")
SEARCHES: dict[str, tuple[GameSearch, Wanted]] = {
    "all": (GameSearch("cup"), lambda _: True),
    "another tournament": (GameSearch("cap"), lambda _: False),
    "a game id": (GameSearch("cup", "hops"), lambda one: one.result.game == "hops"),
    "an engine": (GameSearch("cup", engines=(EVIL,)), has(EVIL)),
    "two": (GameSearch("cup", engines=(EVIL, "beta")), lambda one: has(EVIL)(one) and has("beta")(one)),
    "a seat": (GameSearch("cup", engines=("beta",), seat=1), ended("beta", *ANY, seat=1)),
    "won": (GameSearch("cup", engines=("beta",), result="won"), ended("beta", "won")),
    "drawn": (GameSearch("cup", engines=("beta",), result="drawn"), ended("beta", "drew")),
    "lost": (GameSearch("cup", engines=("beta",), result="lost"), ended("beta", "lost", "forfeited")),
    "forfeited": (GameSearch("cup", engines=("beta",), result="forfeited"), ended("beta", "forfeited")),
    "any forfeit": (
        GameSearch("cup", result="forfeited"),
        lambda one: "forfeited" in seat_endings(one.result.players),
    ),
    "any decided": (
        GameSearch("cup", result="decided"),
        lambda one: "won" in seat_endings(one.result.players),
    ),
    "any drawn": (GameSearch("cup", result="drawn"), lambda one: "drew" in seat_endings(one.result.players)),
    "void": (GameSearch("cup", result="void"), lambda one: not one.result.counts),
    "a reason": (GameSearch("cup", reason="illegal"), lambda one: one.result.reason == "illegal"),
    "no reason": (GameSearch("cup", reason="' or 1 --"), lambda _: False),
    "lengths": (GameSearch("cup", least=6, most=7), lambda one: 6 <= one.result.plies <= 7),
    "upsets": (GameSearch("cup", upset={"alpha": 100.0, "beta": 0.0, EVIL: 99.0}), beaten_by_far),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_it_finds_counts_and_reads_the_games_that_meet_the_conditions(store: Store, name: str) -> None:
    search, wanted = SEARCHES[name]
    expected = [one for one in every(store) if wanted(one)]
    assert store.finder.find(search, 10**6) == expected[::-1]
    assert list(store.finder.records(search)) == expected
    assert store.finder.count(search) == len(expected)


def test_these_searches_differ_and_most_find_something(store: Store) -> None:
    sizes = {name: store.finder.count(search) for name, (search, _) in SEARCHES.items()}
    empty = {name for name, size in sizes.items() if not size}
    assert empty <= {"another tournament", "no reason", "drawn", "any drawn"}
    assert sizes["upsets"] < sizes["all"]


def test_an_opening_is_the_start_of_all_moves_and_words_are_whole(store: Store) -> None:
    def line(record: GameRecord) -> list[str]:
        played = [ply.text for ply in record.record if ply.is_move]
        return [*record.opening.moves, *played]

    games = [one for one in every(store) if not any(ply.fault for ply in one.record)]
    for one in games:
        for words in (1, 2, 3):
            text = "  ".join(line(one)[:words])
            expected = [other for other in games if line(other)[:words] == line(one)[:words]]
            found = store.finder.find(GameSearch("cup", opening=text), 10**6)
            assert [record for record in found if record in games] == expected[::-1]
        assert one not in store.finder.find(GameSearch("cup", opening=line(one)[0][:-1]), 10**6)
    assert store.finder.find(GameSearch("cup", opening='%"]'), 9) == []


@pytest.mark.parametrize("name", ["all", "an engine", "any decided", "any forfeit", "upsets"])
@pytest.mark.parametrize("order", ["newest", "oldest", "longest", "shortest"])
def test_pages_of_each_order_have_every_game_once(
    store: Store, order: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder, "_NEAR", 5)  # enough games are near, some are, or none is
    search, wanted = SEARCHES[name]
    whole = store.finder.find(search, 10**6, order=order)
    assert sorted(one.result.id or 0 for one in whole) == [
        one.result.id for one in every(store) if wanted(one)
    ]
    pages, after = [], None
    while page := store.finder.find(search, 4, order=order, after=after):
        pages += page
        after = page[-1].result.id
    assert pages == whole
    by = (
        (lambda one: one.result.plies)
        if order in ("longest", "shortest")
        else (lambda one: one.result.id or 0)
    )
    values = [by(one) for one in whole]
    assert values == sorted(values, reverse=order in ("newest", "longest"))
    assert len(set(values)) > (2 if name == "all" else 1)


def test_meetings_count_each_game_once_with_its_score_reason_and_opening(store: Store) -> None:
    expected = Counter(
        (one.result.game, tuple((seat.name, seat.rank) for seat in one.result.players), one.result.reason)
        for one in every(store)
        if one.result.counts
    )
    found: Counter[object] = Counter()
    meetings = store.finder.meetings(GameSearch("cup"))
    for one in meetings:
        found[one.game, tuple((seat.name, seat.rank) for seat in one.score), one.reason] += one.games
    assert found == expected
    lines = Counter(opening_line(one, 2) for one in every(store) if one.result.counts)
    assert lines == sum((Counter({one.opening: one.games}) for one in meetings), Counter[str]())


def test_what_can_be_searched_for_is_known(store: Store) -> None:
    facets = store.finder.facets("cup")
    assert facets.games == ("hops", "quoridor", "quoridor4")
    assert facets.engines == tuple(sorted(NAMES))
    assert set(facets.reasons) == {one.result.reason for one in every(store)}
    assert store.finder.facets("cap") == ((), (), ())


def test_faulty_games_are_those_with_a_forfeit_or_a_forgiven_fault(store: Store) -> None:
    found = store.finder.faulty(GameSearch(engines=("beta",)), 100)
    expected = [
        one
        for one in every(store)
        if ended("beta", "forfeited")(one) or (has("beta")(one) and any(ply.fault for ply in one.record))
    ]
    assert found == expected[::-1]
    assert found
