"""Rating lists: checkpoints, settings, and games that end in any order."""

import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.errors import ArenaError, StoreError
from arena.model import GameRecord, Opening
from arena.ratings import lists
from arena.ratings.fit import fit
from arena.ratings.lists import (
    RatingList,
    RatingListUpdater,
    elo_fit,
    rating_list,
    repeated_games,
)
from arena.ratings.settings import KEYS, Anchor, ListSettings, RatingSettings, changed
from arena.ratings.trueskill import Rating
from arena.ratings.trueskill import rate as rate_seats
from arena.scoring import SeatScore, tally
from arena.store import Checkpoint, GameFilter, ScheduleOrder, Store
from arena.store.rating_lists import RatingLists
from referee import Termination, game
from tests.seeds import seeds

MakeRecord = Callable[..., GameRecord]
VOID = Termination.VOID
STEP = 10
FIXED = {"draw_probability": "0.3"}
"""A fixed draw probability. With few games an estimate changes often, and all ratings change with it."""


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "EVERY", STEP)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as opened:
        opened.begin_tournament("cup", {})
        opened.begin_tournament("league", {})
        opened.rating_lists.set("quoridor", FIXED)
        yield opened


def games(record: MakeRecord, count: int, *, first: int = 0, tournament: str = "cup") -> list[GameRecord]:
    """Random games of four engines; the same number always gives the same game."""
    made = []
    for number in range(first, first + count):
        chance = random.Random(number)
        one, other = chance.sample("abcd", 2)
        ranks = chance.choice(((1, 2), (2, 1), (1, 1)))
        found = record((one, ranks[0]), (other, ranks[1]), number=number, tournament=tournament)
        made.append(replace(found, duration=1_000 + number))
    return made


def rated(store: Store, id_: str = "quoridor") -> RatingList:
    return rating_list(store, id_, store.tally(game=id_)[id_])


def from_nothing(store: Store, id_: str = "quoridor") -> dict[str, Rating]:
    """The ratings without checkpoints, from all results of the store."""
    results = [result.players for result in store.results(game=id_) if result.counts]
    return rate_seats(results, rated(store).model)


def checkpoints(store: Store) -> list[int]:
    with closing(sqlite3.connect(store.address)) as connection:
        return [games for (games,) in connection.execute("SELECT games FROM checkpoint ORDER BY games")]


def delete(store: Store, number: int) -> None:
    """Delete a game by its id."""
    with closing(sqlite3.connect(store.address)) as connection:
        for table, column in (("player", "game_id"), ("record", "game_id"), ("game", "id")):
            connection.execute(f"DELETE FROM {table} WHERE {column} = {number}")
        connection.commit()


def counted_feeding(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the number of games in each call of `rate`."""
    fed = []

    def rate(seats, settings, earlier=None):
        seats = list(seats)
        fed.append(len(seats))
        return rate_seats(seats, settings, earlier)

    monkeypatch.setattr(lists, "rate", rate)
    return fed


def test_with_checkpoints_the_ratings_are_the_same_to_the_last_bit(
    store: Store, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_games(games(record, 57))
    first = rated(store).ratings
    assert checkpoints(store) == [10, 20, 30, 40, 50]
    assert first == from_nothing(store)
    store.add_games(games(record, 8, first=57))
    fed = counted_feeding(monkeypatch)
    found = rated(store).ratings
    assert sum(fed) == 15
    assert found == from_nothing(store)
    assert checkpoints(store) == [10, 20, 30, 40, 50, 60]


RESIGN = Termination.RESIGN


def league(path: Path, record: MakeRecord, name: str, begun: float, seed: int) -> bytes:
    """Return a tournament of 25 games, each given up after two moves, as the text of `arena export`."""
    chance = random.Random(seed)
    played = []
    for number in range(25):
        winner, loser = chance.sample("xyz", 2)
        one = record(
            (winner, 1), (loser, 2), number=number, tournament=name, termination=RESIGN,
            forfeits={loser: RESIGN},
        )  # fmt: skip
        opening = Opening(None, ("e2", "e8"))
        ended = replace(one.result, reason="resignation", plies=0)
        final = "/ / e2 e8 / 10 10 / 1"
        played.append(replace(one, result=ended, opening=opening, record=(), final_position=final))
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament(name, {}, created=begun)
        store.add_games(played)
    return CliRunner().invoke(main, ["export", "--jsonl", "--db", str(path)]).stdout_bytes


def test_tables_are_the_same_bytes_whichever_tournament_was_imported_first(
    tmp_path: Path, record: MakeRecord
) -> None:
    texts = [
        league(tmp_path / f"{name}.db", record, name, begun, seed)
        for seed, (name, begun) in enumerate((("b", 2e9), ("c", 1e9), ("a", 2e9)))
    ]
    commands = (["ratings", "--json"], ["ratings", "--los"], ["standings", "--all"])
    tables = set()
    for number, order in enumerate((texts, texts[::-1])):
        database = tmp_path / f"order-{number}.db"
        for text in order:
            done = CliRunner().invoke(main, ["import", "-", "--db", str(database)], input=text)
            assert done.exit_code == 0, done.output
        shown = [CliRunner().invoke(main, [*command, "--db", str(database)]) for command in commands]
        assert {done.exit_code for done in shown} == {0}
        tables.add(tuple(done.stdout_bytes for done in shown))
        with closing(Store.open(database, create=False)) as store:
            assert checkpoints(store)[-1] == 70  # an import makes some after each tournament
            assert [result.tournament for result in store.results()] == ["c"] * 25 + ["a"] * 25 + ["b"] * 25
    assert len(tables) == 1


def test_checkpoints_of_a_version_that_rated_otherwise_are_not_used(
    store: Store, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_games(games(record, 2 * STEP))
    method = lists._METHOD
    monkeypatch.setattr(lists, "_METHOD", "by started")
    rated(store)
    monkeypatch.setattr(lists, "_METHOD", method)
    fed = counted_feeding(monkeypatch)
    rated(store)
    assert sum(fed) == 2 * STEP


def test_a_game_that_ends_late_makes_later_checkpoints_void_and_earlier_ones_serve(
    store: Store, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = games(record, 50)
    late = played.pop(24)
    store.add_games(played)
    rated(store)
    store.add_games([late])
    fed = counted_feeding(monkeypatch)
    found = rated(store).ratings
    assert sum(fed) == 30
    assert found == from_nothing(store)
    assert checkpoints(store) == [10, 20, 30, 40, 50]


def test_a_game_that_was_deleted_and_played_again_is_noticed(store: Store, record: MakeRecord) -> None:
    played = games(record, 20)
    store.add_games(played)
    before = rated(store).ratings
    delete(store, 20)
    other = games(record, 1, first=22)[0]
    again = replace(
        other,
        result=replace(other.result, number=19, key=played[19].result.key),
        duration=played[19].duration + 1,
    )
    store.add_games([again])
    assert rated(store).ratings == from_nothing(store) != before


FIRST, *OTHERS = seeds(20)


@pytest.mark.parametrize("seed", [FIRST, *(pytest.param(seed, marks=pytest.mark.slow) for seed in OTHERS)])
def test_after_any_changes_the_ratings_equal_ratings_from_nothing(
    store: Store, record: MakeRecord, seed: int
) -> None:
    chance = random.Random(seed)
    waiting = games(record, 90) + games(record, 60, tournament="league")
    settings = (FIXED, {}, {"draw_probability": "0.8"}, {**FIXED, "forfeits": "skip"})
    updater = RatingListUpdater(store)
    there: list[int] = []
    for _ in range(20):
        what = chance.choices(("near", "anywhere", "delete", "set"), (8, 3, 1, 1))[0]
        if what == "set":
            store.rating_lists.set("quoridor", chance.choice(settings))
        elif what == "delete" and there:
            delete(store, there.pop(chance.randrange(len(there))))
        else:
            reach = 5 if what == "near" else len(waiting)
            count = min(len(waiting), chance.randrange(1, 15))
            batch = [waiting.pop(chance.randrange(min(len(waiting), reach))) for _ in range(count)]
            store.add_games(batch)
            updater.stored(batch)
            there = [result.id for result in store.results(game="quoridor") if result.id is not None]
        if there and chance.random() < 0.7:
            assert rated(store).ratings == from_nothing(store)
    assert rated(store).ratings == from_nothing(store) != {}


def test_two_runs_into_one_file_at_the_same_time_disturb_no_rating(store: Store, record: MakeRecord) -> None:
    def play(tournament: str) -> None:
        with closing(Store.open(store.address, create=False)) as own:
            updater = RatingListUpdater(own)
            played = games(record, 36, tournament=tournament)
            for first in range(0, 36, 6):
                own.add_games(played[first : first + 6])
                updater.stored(played[first : first + 6])
                rated(own)

    with ThreadPoolExecutor() as pool:
        list(pool.map(play, ("cup", "league")))
    assert rated(store).tally.total() == 72
    assert rated(store).ratings == from_nothing(store)


def test_of_old_checkpoints_every_tenth_is_kept(store: Store, record: MakeRecord) -> None:
    for first in range(0, 260, 65):
        store.add_games(games(record, 65, first=first))
        rated(store)
    assert checkpoints(store) == [100, *range(170, 261, 10)]
    assert rated(store).ratings == from_nothing(store)


def test_a_database_that_cannot_be_written_is_rated_all_the_same(
    store: Store, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_games(games(record, 30))

    def full(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(RatingLists, "keep", full)
    assert rated(store).ratings == from_nothing(store)
    assert checkpoints(store) == []


def test_the_updater_rates_each_list_after_a_number_of_its_own_games(
    store: Store, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(lists, "rating_list", lambda store, game, games: asked.append((game, games.total())))
    updater = RatingListUpdater(store)
    for number, two in enumerate(games(record, 3 * STEP)):
        four = record(("a", 1), ("b", 2), ("c", 3), ("d", 4), number=3 * STEP + number)
        for played in (two, four) if number < STEP else (two,):
            store.add_games([played])
            updater.stored([played])
    assert asked == [
        ("quoridor", STEP),
        ("quoridor4", STEP),
        ("quoridor", 2 * STEP),
        ("quoridor", 3 * STEP),
    ]


def test_the_updater_estimates_the_draw_probability_from_all_games_so_far(
    store: Store, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.rating_lists.set("quoridor", {})
    updater = RatingListUpdater(store)
    for first in range(0, 5 * STEP, STEP):
        rank = 1 if first else 2  # after the first games, all are draws
        batch = [record(("a", 1), ("b", rank), number=number) for number in range(first, first + STEP)]
        store.add_games(batch)
        updater.stored(batch)
    fed = counted_feeding(monkeypatch)
    found = rated(store)
    assert found.model.draw_probability > 0.4
    assert sum(fed) == 0


def test_another_models_checkpoints_are_kept_until_there_are_some_twice_as_far(store: Store) -> None:
    def keep(game: str, model: str, *games: int) -> None:
        made = [Checkpoint(count, ScheduleOrder(1, count, f"game {count}"), 0, {}) for count in games]
        store.rating_lists.keep(game, model, made, every=STEP)

    keep("quoridor", "old", 10, 20)
    keep("hops", "old", 10)
    keep("quoridor", "new", 10)
    assert checkpoints(store) == [10, 10, 10, 20]
    keep("quoridor", "new", 20)
    assert checkpoints(store) == [10, 10, 10, 20, 20]
    keep("quoridor", "new", 30)
    assert checkpoints(store) == [10, 10, 20, 20, 30]
    keep("quoridor", "new", 40, 50)
    assert checkpoints(store) == [10, 10, 20, 30, 40, 50]


# --- some games, and games that depend on each other


def test_a_list_of_some_games_has_only_games_of_its_own_id(store: Store, record: MakeRecord) -> None:
    cup = games(record, 5)
    league = games(record, 5, first=5, tournament="league")
    other = record(("x", 1), ("y", 2), number=9, game="hops")
    store.add_games([*cup, *league, other])
    only = GameFilter("cup")
    found = rating_list(store, "quoridor", tally(played.result for played in cup), only)
    assert found.ratings == rate_seats([played.result.players for played in cup], found.model)


def opened(record: MakeRecord, *openings: str) -> list[GameRecord]:
    """Return games of a and b in turn, with these openings."""
    return [
        replace(record(("a", 1), ("b", 1 + number % 2), number=number), opening=Opening(None, (opening,)))
        for number, opening in enumerate(openings)
    ]


def test_games_on_one_opening_are_a_cluster_and_change_the_errors(store: Store, record: MakeRecord) -> None:
    store.add_games(opened(record, "e2", "e2", "d1"))
    found = rated(store)
    plain, clustered = fit(found.tally, found.model), elo_fit(store, found)
    assert plain is not None
    assert clustered is not None
    assert (plain.clustered, clustered.clustered) == (False, True)
    assert [one.elo for one in clustered.strengths] == [one.elo for one in plain.strengths]
    assert clustered.strengths[0].error != plain.strengths[0].error


def test_games_on_openings_of_their_own_are_no_clusters(store: Store, record: MakeRecord) -> None:
    store.add_games(opened(record, "e2", "d1", "f1"))
    found = elo_fit(store, rated(store))
    assert found is not None
    assert not found.clustered


def test_only_as_many_games_are_compared_as_is_quick(
    store: Store, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = [record(("x", 1), ("y", 2), number=number, game="hops") for number in (7, 8)]
    store.add_games([*opened(record, "e2", "e2", "d1"), *other])
    found = rated(store)
    for most, clustered, repeated in ((3, True, 1), (2, False, None)):
        monkeypatch.setattr(lists, "_GAMES_COMPARED", most)
        fitted = elo_fit(store, found)
        assert fitted is not None
        assert fitted.clustered == clustered
        assert repeated_games(store, "quoridor", found.tally) == repeated


# --- settings


def test_each_game_id_has_settings_of_its_own(store: Store, record: MakeRecord) -> None:
    four = [record(("a", 1), ("b", 2), ("c", 2), ("d", 4), number=number) for number in range(3)]
    store.add_games(games(record, 5) + four)
    store.rating_lists.set("quoridor", {"forfeits": "skip"})
    assert not rated(store).model.forfeits
    assert rated(store).game == "quoridor"
    assert rated(store).settings == ListSettings.of({"forfeits": "skip"})
    assert rated(store, "quoridor4").model.forfeits


def share(name: str, rank: int, forfeit: Termination | None = None) -> SeatScore:
    return SeatScore(name, rank, 0.0, forfeit)


@pytest.mark.parametrize(
    ("drawn", "decided", "expected"),
    [
        (0, 0, None),
        (50, 50, 0.4),
        (5, 18, 0.15),  # the prior counts as 20 games more
        (5, 19, 0.1),
        (0, 10_000, 0.001),
        (10_000, 0, 0.95),
        (7, 493, 0.01),
        (130, 870, 0.15),
    ],
)
def test_the_draw_probability_is_estimated_in_steps_and_clamped(
    drawn: int, decided: int, expected: float | None
) -> None:
    counts = tally([])
    counts[share("a", 1), share("b", 1)] = drawn
    counts[share("a", 2), share("b", 1)] = decided
    model = ListSettings().model_for("quoridor", counts)
    if expected is None:
        expected = max(game("quoridor").info.draw_prior, 0.001)
    assert model.draw_probability == expected


def test_ties_of_four_are_counted_among_neighbours_in_the_ranking() -> None:
    counts = tally([])
    counts[tuple(share(name, rank) for name, rank in zip("abcd", (3, 1, 1, 3), strict=True))] = 10_000
    assert ListSettings().model_for("quoridor4", counts).draw_probability == 0.65


def test_the_draw_prior_counts_as_much_as_twenty_neighbours() -> None:
    assert game("quoridor4").info.draw_prior == 0.5
    one = Counter({tuple(share(name, rank) for rank, name in enumerate("abcd", 1)): 1})
    assert ListSettings().model_for("quoridor4", one).draw_probability == 0.45  # 10 of 23, rounded


def test_forfeits_count_unless_the_list_leaves_them_out(store: Store, record: MakeRecord) -> None:
    crash = Termination.CRASH
    lost = record(("a", 1), ("b", 2), number=0, termination=crash, forfeits={"b": crash})
    store.add_games([lost, *games(record, 3, first=1)])
    assert rated(store).ratings["b"].games > 0
    counted = sum(rating.games for rating in rated(store).ratings.values())
    store.rating_lists.set("quoridor", {"forfeits": "skip"})
    assert sum(rating.games for rating in rated(store).ratings.values()) == counted - 2
    assert rated(store).tally.total() == 4


def test_games_that_the_list_leaves_out_say_nothing_of_draws() -> None:
    crash = Termination.CRASH
    counts = tally([])
    counts[share("a", 1), share("b", 1)] = 100
    counts[share("a", 1), share("b", 2, crash)] = 300
    assert ListSettings().model_for("quoridor", counts).draw_probability == 0.25
    without = ListSettings.of({"forfeits": "skip"}).model_for("quoridor", counts)
    assert without == RatingSettings(draw_probability=0.85, forfeits=False)
    fixed = ListSettings.of({"draw_probability": "0.3"})
    assert fixed.model_for("quoridor", counts) is fixed.model


def test_settings_are_changed_one_by_one_and_set_back() -> None:
    texts = changed({}, ["forfeits=skip", "anchor=random bot=0", "draw_probability=0.3"])
    settings = ListSettings.of(texts)
    assert settings.model == RatingSettings(draw_probability=0.3, forfeits=False)
    assert (settings.estimated, settings.anchor) == (False, Anchor("random bot", 0))
    assert changed(texts, ["forfeits=default", "draw_probability=estimate"]) == {
        "anchor": "random bot=0",
        "draw_probability": "estimate",
    }
    assert ListSettings.of(changed(texts, ["draw_probability=estimate"])).estimated
    assert changed({}, ["forfeits=default"]) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("forfeit=skip", "ratings have no setting 'forfeit'; did you mean forfeits?"),
        ("x=1", f"ratings have no setting 'x'; the settings are {', '.join(KEYS)}"),
        ("forfeits", "setting 'forfeits': write KEY=VALUE, as in forfeits=skip, or KEY=default"),
        ("draw_probability=nan", "draw_probability = nan: this must be a number"),
        ("draw_probability=1", "draw_probability = 1: the draw probability must lie between 0.001 and 0.95"),
        (
            "forfeits=maybe",
            "forfeits = maybe: this must be `lose` (the default: a forfeit is a loss) or `skip` (not rated)",
        ),
        ("anchor=alpha", "anchor 'alpha': write NAME=VALUE, as in stockfish=3000"),
        ("anchor=alpha=strong", "anchor = strong: this must be a number"),
        (
            "anchor=alpha=1000001",
            "anchor 'alpha=1000001': the Elo must lie between -1000000 and 1000000",
        ),
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(change: str, message: str) -> None:
    with pytest.raises(ArenaError) as caught:
        changed({}, [change])
    assert str(caught.value) == message


# --- tallies


def test_the_database_counts_the_outcomes_that_its_results_have(store: Store, record: MakeRecord) -> None:
    crash = Termination.CRASH
    chance = random.Random(8)
    made = games(record, 60) + games(record, 10, tournament="league")
    for number in range(60, 100):
        ranks = chance.choice(((1, 2, 2, 4), (1, 1, 1, 1), (2, 1, 3, 4)))
        made.append(record(*zip("abcd", ranks, strict=True), number=number))
    for number in range(100, 110):
        forfeits = chance.choice(({}, {"b": crash}))
        made.append(record(("a", 1), ("b", 2), number=number, version=chance.choice("12"), forfeits=forfeits))
        made.append(record(("a", None), ("b", None), number=number, key=f"void {number}", termination=VOID))
    store.add_games(chance.sample(made, len(made)))
    for which in {}, {"tournament": "cup"}, {"game": "quoridor"}, {"game": "hops"}:
        results = [result for result in store.results(**which) if result.counts]
        by_id = {
            id_: [one for one in results if one.game == id_] for id_ in dict.fromkeys(r.game for r in results)
        }
        found = store.tally(**which)
        assert found == {id_: tally(played) for id_, played in by_id.items()}
        assert list(found) == list(by_id)
