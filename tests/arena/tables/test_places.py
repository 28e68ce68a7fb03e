"""Places: one order in all tables of a tournament, and who leads."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from arena.config import TournamentSpec
from arena.formats.stages import StageKeys
from arena.model import GameRecord, GameResult, Opening
from arena.ratings.lists import rating_list
from arena.store import Store
from arena.tables.places import Placed, decisive_places, leaders, stored_standings
from arena.tables.tournament_tables import tournament_tables
from arena.web.links import Links
from arena.web.pages.section import ratings_of, read_results
from arena.web.pages.tournament import TournamentCollector, tournament_view
from tests.arena.formats.playing import by_strength, names, play, tournament


def stored(folder: Path, spec: TournamentSpec, results: list[GameResult]) -> Store:
    store = Store.open(folder / "arena.db", create=True)
    store.begin_tournament("t", {}, spec.plan.encode())
    store.add_games([GameRecord(one, Opening(None), (), "", 1.0, 1) for one in results])
    return store


STAGES = (
    StageKeys(name="cup", format="knockout"),
    StageKeys(name="league", format="round-robin", engines=4),
)


@pytest.mark.parametrize(
    ("form", "keys"),
    [
        ("stages", {"stages": STAGES}),
        ("knockout", {}),
        ("swiss", {"rounds": 3}),
        ("ladder", {"max_games": 30}),
    ],
)
def test_the_crosstable_has_the_order_of_the_places_and_says_what_decides(
    form: str, keys: dict[str, object], tmp_path: Path
) -> None:
    spec = tournament(names(8), form, **keys)
    _, results = play(spec, by_strength({}))
    with closing(stored(tmp_path, spec, results)) as store:
        view, table = stored_standings(store, "t", "quoridor")
        rated = rating_list(store, "quoridor", store.tally()["quoridor"])
        order = [placed.name for placed in decisive_places(view, table, rated)]
        data = tournament_tables(store, "t").data
        ((game, tally),) = store.tally().items()
        section = read_results(store, "t", spec.plan, game, tally)
    (shown,) = data["games"]  # type: ignore[misc]
    assert [row["engine"] for row in shown["crosstable"]] == list(section.table.names) == order
    assert [place["engine"] for place in shown.get("places", [])] in ([], order)
    assert section.table.note == (
        view.note
        or "Order: mu-3sigma (mu: strength, sigma: uncertainty); engines without a rated game come last, by"
        " points, wins, Sonneborn-Berger, name."
    )


def test_while_a_bye_is_above_all_games_the_first_engine_that_played_leads(
    tmp_path: Path,
) -> None:
    spec = tournament(names(5), "swiss", 1, rounds=2)
    _, results = play(spec, lambda pairing: [1, 1], until=2)  # e4 has the bye, and all points of its round
    with closing(stored(tmp_path, spec, results)) as store:
        view, table = stored_standings(store, "t", "quoridor")
        places = decisive_places(view, table, None)
        collected = TournamentCollector()
        collected.read_on(store, "t")
        found = [read_results(store, "t", spec.plan, *item) for item in store.tally().items()]
        shown = tournament_view("t", spec.plan, found, collected, Links("t"))
    assert [place for place, _, _ in places] == [2, 3, 4, 5]
    assert leaders(places) == ("e0",)
    ratings = ratings_of(places[-1].name, shown.sections)
    assert [(rating.place, rating.engines) for rating in ratings.values()] == [(5, 5)]


def test_the_leaders_are_in_the_first_place_of_the_first_group() -> None:
    assert leaders([Placed(1, "a", 1), Placed(1, "b", 1), Placed(3, "c", 1), Placed(1, "d", 2)]) == ("a", "b")
    assert leaders([]) == ()
