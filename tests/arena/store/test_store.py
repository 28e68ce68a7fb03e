"""The store: it returns games as they were stored, and in order; it stores a batch whole or not at all."""

import gc
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as replace_ply
from sqlalchemy.dialects import postgresql as postgresql_dialect
from sqlalchemy.schema import CreateTable
from sqlmodel import Session, select

from arena.address import Address
from arena.cli.stored_games import lost_unplayed
from arena.errors import ArenaError, ChangedSettings, StoreError
from arena.model import (
    GameRecord,
    RatingListRecord,
    TournamentRecord,
)
from arena.scoring import GameEnding, SeatScore
from arena.store import (
    ALL_GAMES,
    REMOTE_GAMES,
    Checkpoint,
    GameFilter,
    GameSearch,
    Store,
    postgresql,
    sqlite,
    writer,
)
from arena.store.rows import RecordRow, metadata
from protocol.wire.messages import Thought
from referee import Termination
from tests.arena.any_games import GAMES
from tests.seeds import examples

MakeRecord = Callable[..., GameRecord]


@pytest.fixture
def store(address: Address) -> Iterator[Store]:
    with closing(Store.open(address, create=True)) as opened:
        opened.begin_tournament("cup", {"seed": "1"})
        yield opened


def in_cup(game: GameRecord) -> GameRecord:
    return replace(game, result=replace(game.result, tournament="cup"))


RECORDS = GAMES.filter(lambda game: game.result.players).map(in_cup)
NUMBERS = count()


def without_nul(text: str) -> str:
    return text.replace("\0", "␀")


def as_stored(record: GameRecord) -> GameRecord:
    """Return the game with the symbol for null in place of each null character, outside of JSON."""
    values = msgspec.to_builtins(record)
    course = values.pop("record"), values["opening"].pop("moves")
    options = [player.pop("options") for player in values["result"]["players"]]
    values = msgspec.json.decode(msgspec.json.encode(values).replace(rb"\u0000", "␀".encode()))
    values["record"], values["opening"]["moves"] = course
    for player, chosen in zip(values["result"]["players"], options, strict=True):
        player["options"] = chosen
    return msgspec.convert(values, GameRecord)


@settings(examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(RECORDS, min_size=1, max_size=4))
def test_what_is_stored_is_what_comes_back(store: Store, records: list[GameRecord]) -> None:
    unique = [
        replace(record, result=replace(record.result, key=f"{next(NUMBERS)} {record.result.key}"))
        for record in records
    ]
    store.add_games(unique)
    keys = {without_nul(record.result.key) for record in unique}
    numbers = {result.key: result.id for result in store.results() if result.key in keys}
    for record in unique:
        number = numbers[without_nul(record.result.key)]
        assert number is not None
        assert store.game(number) == as_stored(replace(record, result=replace(record.result, id=number)))


def test_only_what_an_engine_reported_takes_room(store: Store, record: MakeRecord) -> None:
    plain = record(number=0)
    first, second = record(number=1).record
    reports = (replace_ply(first, thought=Thought(7, pv="e2 e8")), second)
    store.add_games([plain, replace(record(number=1), record=reports)])
    query = select(RecordRow.nodes, RecordRow.nps, RecordRow.pvs).order_by(RecordRow.game_id)
    with store.database.reading() as session:
        rows = [tuple(row) for row in session.exec(query)]
    assert rows == [(None, None, None), ([7, None], None, ["e2 e8", ""])]
    assert store.game(2).record == reports


def _placed(record: GameRecord) -> GameRecord:
    """Return the game with a rank for each player, as in every game that counts, and a key of its own."""
    players = tuple(replace(player, rank=player.rank or 1) for player in record.result.players)
    key = f"{next(NUMBERS)} {record.result.key}"
    return replace(record, result=replace(record.result, key=key, players=players))


@settings(examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(RECORDS, min_size=1, max_size=4))
def test_endings_are_the_results_that_count_without_the_rest(store: Store, records: list[GameRecord]) -> None:
    store.begin_tournament("another", {})
    placed = list(map(_placed, records))
    store.add_games(placed)
    store.add_games([replace(placed[0], result=replace(placed[0].result, tournament="another"))])
    results = [result for result in store.results(tournament="cup") if result.counts]
    assert store.endings("cup") == [
        GameEnding(
            result.number,
            result.key,
            result.game,
            result.termination,
            tuple(
                SeatScore(player.name, player.rank, player.points, player.forfeit)
                for player in result.players
            ),
        )
        for result in results
    ]


def test_games_are_numbered_from_one_as_they_are_stored(store: Store, record: MakeRecord) -> None:
    store.add_games([record(number=7), record(number=3)])
    store.add_games([record(number=5)])
    assert {result.number: result.id for result in store.results()} == {7: 1, 3: 2, 5: 3}


def test_a_number_without_game_is_refused_with_the_last_number(store: Store) -> None:
    with pytest.raises(ArenaError, match="there is no game 1; the database has no games yet"):
        store.game(1)


def test_results_are_in_schedule_order_the_oldest_tournament_first(store: Store, record: MakeRecord) -> None:
    store.begin_tournament("another", {})
    store.add_games([record(number=0, tournament="another")])
    store.add_games([record(number=2), record(number=1, key="y"), record(number=1, key="x")])
    order = [(result.tournament, result.number, result.key) for result in store.results()]
    assert order == [
        ("cup", 1, "x"),
        ("cup", 1, "y"),
        ("cup", 2, "quoridor:2"),
        ("another", 0, "quoridor:0"),
    ]


def test_an_engine_keeps_the_version_with_which_it_played(store: Store, record: MakeRecord) -> None:
    store.add_games([record(number=0, version="1.0")])
    store.add_games([record(number=1, version="1.1"), record(number=2, version="1.0")])
    versions = [{player.version for player in result.players} for result in store.results()]
    assert versions == [{"1.0"}, {"1.1"}, {"1.0"}]


def test_void_games_may_precede_the_one_that_counts(store: Store, record: MakeRecord) -> None:
    void = record(("a", None), ("b", None), key="k", termination=Termination.VOID)
    store.add_games([void, void])
    assert store.finished("cup") == frozenset()
    store.add_games([record(key="k")])
    assert store.finished("cup") == {"k"}
    assert [result.termination.value for result in store.results()] == ["void", "void", "normal"]


def test_a_key_has_one_game_that_counts_and_a_second_takes_nothing_with_it(
    store: Store, record: MakeRecord
) -> None:
    store.add_games([record(key="twice")])
    with pytest.raises(StoreError, match="has a result of this game already"):
        store.add_games([record(number=1), record(key="twice")])
    assert store.finished("cup") == {"twice"}
    with pytest.raises(StoreError, match="has a result of this game already"):
        store.add_games([record(key="new"), record(key="new", number=3)])
    assert len(store.results()) == 1
    store.begin_tournament("another", {})
    store.add_games([record(key="twice", tournament="another")])


def test_a_game_of_a_tournament_that_never_started_is_refused(store: Store, record: MakeRecord) -> None:
    with pytest.raises(StoreError, match=r"arena.*: tournament 'other' was never started"):
        store.add_games([record(), record(number=1, tournament="other")])
    assert store.results() == []


def test_tournaments_are_listed_the_oldest_first_with_the_games_that_count(
    store: Store, record: MakeRecord
) -> None:
    store.begin_tournament("another", {})
    void = record(("a", None), ("b", None), number=2, termination=Termination.VOID)
    store.add_games([record(number=0), record(number=1), void])
    cup, another = store.tournaments()
    assert (cup.name, cup.games, another.name, another.games) == ("cup", 2, "another", 0)
    assert 1_600_000_000 < cup.created <= another.created


def test_the_mean_duration_counts_the_played_games_of_one_tournament(
    store: Store, record: MakeRecord
) -> None:
    assert store.mean_duration("cup") is None
    store.begin_tournament("another", {})
    void = record(("a", None), ("b", None), key="v", termination=Termination.VOID)
    games = [
        replace(record(number=0), duration=1_000_000_000),
        replace(record(number=1), duration=2_000_000_000),
        replace(record(number=2), duration=0),  # written by hand
        replace(void, duration=90_000_000_000),
        replace(record(number=0, tournament="another"), duration=60_000_000_000),
    ]
    store.add_games(games)
    assert (store.mean_duration("cup"), store.mean_duration("another")) == (1.5, 60.0)


def test_settings_are_checked_without_a_change(store: Store) -> None:
    store.check_settings("cup", {"seed": "1", "sandbox": "none"})
    with pytest.raises(ChangedSettings, match="started with seed = 1, and now it is 2"):
        store.check_settings("cup", {"sandbox": "none", "seed": "2"})
    with pytest.raises(StoreError, match="nowhere"):
        store.check_settings("nowhere", {})
    assert store.contents().tournaments[0].settings == {"seed": "1"}


def test_only_a_tournament_without_games_is_dropped(store: Store, record: MakeRecord) -> None:
    store.begin_tournament("empty", {"seed": "1"})
    store.add_games([record(("a", None), ("b", None), termination=Termination.VOID)])
    for name in ("cup", "empty"):
        store.drop_empty(name)
    assert [info.name for info in store.tournaments()] == ["cup"]
    store.begin_tournament("empty", {"seed": "2"})


def test_a_tournament_has_the_machines_of_all_its_runs_once(store: Store) -> None:
    for machine in ("big", "small", "big"):
        store.begin_tournament("cup", {"seed": "1", "machines": machine})
    store.begin_tournament("cup", {"seed": "1"})
    store.check_settings("cup", {"seed": "1", "machines": "another"})
    assert store.settings("cup") == {"seed": "1", "machines": "big | small"}
    with pytest.raises(StoreError, match="nowhere"):
        store.settings("nowhere")


def test_a_tournament_has_the_workers_of_its_games(store: Store, record: MakeRecord) -> None:
    store.add_games([replace(record(number=0), worker="lab3"), record(number=1)])
    assert store.workers("cup") == ["", "lab3"]


def test_the_mark_of_a_tournament_changes_with_its_own_data_only(store: Store, record: MakeRecord) -> None:
    seen = [store.marks()]
    store.begin_tournament("another", {})
    assert store.marks()["cup"] == seen[0]["cup"]
    store.add_games([replace(record(number=0), worker="lab3"), record(number=1)])
    seen.append(store.marks())
    store.add_games([record(number=0, tournament="another")])
    assert store.marks()["cup"] == seen[-1]["cup"]
    played_there = store.finder.results(GameSearch("cup", worker="lab3"))
    store.make_void([result.id or 0 for result in played_there], "no reason")
    seen.append(store.marks())
    store.add_games([record(("a", 2), ("b", 1), number=0)])
    seen.append(store.marks())
    store.begin_tournament("cup", {"seed": "1"}, "three engines")
    seen.append(store.marks())
    assert len({marks["cup"] for marks in seen}) == len(seen)
    assert store.marks(3)["another"] != store.marks(2)["another"] == store.marks(0)["another"]


def test_a_snapshot_sees_no_later_game_and_ends_with_its_block(store: Store, record: MakeRecord) -> None:
    with store.database.snapshot():
        seen = [store.finder.count(GameSearch())]
        with closing(Store.open(store.address, create=False)) as other:
            other.add_games([record(number=0)])
        seen.append(store.finder.count(GameSearch()))
    for number in (1, 2):
        seen.append(store.finder.count(GameSearch()))
        store.add_games([record(number=number)])
    assert [*seen, store.finder.count(GameSearch())] == [0, 0, 1, 2, 3]


def test_a_rating_list_has_no_game_of_unrated_tournaments_or_of_another_list(
    store: Store, record: MakeRecord
) -> None:
    for number, (name, rated) in enumerate({"cup": "yes", "casual": "no", "home": "remote"}.items()):
        store.begin_tournament(name, {"rated": rated}, created=float(number))
        store.add_games([record((name, 1), ("b", 2), tournament=name)])

    def rated_engines(only: GameFilter) -> set[str]:
        return {seat.name for score in store.tally(only=only)["quoridor"] for seat in score}

    assert rated_engines(ALL_GAMES) == {"cup", "b"}
    assert rated_engines(REMOTE_GAMES) == {"home", "b"}
    assert rated_engines(GameFilter(tournament="home")) == {"home", "b"}


def test_a_checkpoint_holds_while_the_games_up_to_its_place_are_the_rated_ones(
    store: Store, record: MakeRecord
) -> None:
    store.begin_tournament("first", {}, created=1.0)
    store.begin_tournament("casual", {"rated": "no"}, created=2.0)
    store.add_games([replace(record(number=number), worker="lab3") for number in (0, 1, 5)])
    lists = store.rating_lists
    place = store.rating_lists.scored("quoridor")[1].place
    two = Checkpoint(2, place, 6_000_000, {"a": (25.0, 8.0, 2)})
    lists.keep("quoridor", "m", [two], every=1)
    assert lists.checkpoint("quoridor", "m") == two
    assert lists.checkpoint("quoridor", "other") is None
    assert lists.checkpoint("hops", "m") is None
    store.add_games([record(number=3), record(number=0, tournament="casual")])
    assert lists.checkpoint("quoridor", "m") == two  # neither is a rated game up to its place
    store.add_games([record(number=0, tournament="first")])  # started before
    assert lists.checkpoint("quoridor", "m") is None
    played_there = store.finder.results(GameSearch("cup", worker="lab3"))
    store.make_void([result.id or 0 for result in played_there], "no reason")
    assert lists.checkpoint("quoridor", "m") is None


def test_the_games_that_a_disabled_engine_lost_unplayed_become_void_alone(
    store: Store, record: MakeRecord
) -> None:
    def lost(number: int, loser: str, **more: Any) -> GameRecord:
        game = record(number=number, **more)
        players = [
            replace(one, forfeit=Termination.DISABLED if one.name == loser else None)
            for one in game.result.players
        ]
        return replace(game, result=replace(game.result, players=tuple(players)))

    store.begin_tournament("another", {})
    games = [lost(0, "a"), lost(1, "b"), record(number=2), lost(3, "a"), lost(0, "a", tournament="another")]
    store.add_games(games)
    found = [game.id or 0 for game in lost_unplayed(store, "cup", "a")]
    assert sorted(found) == [1, 4]
    assert lost_unplayed(store, "cup", "c") == []
    store.make_void(found, "why")
    assert [store.game(number).result.detail for number in found] == ["why", "why"]
    assert lost_unplayed(store, "cup", "a") == []
    assert store.finished("cup") == {game.result.key for game in games[1:3]}
    assert len(store.finished("another")) == 1


def test_a_setting_that_is_new_is_added_and_no_setting_may_change_later(store: Store) -> None:
    store.begin_tournament("cup", {"seed": "1", "sandbox": "none"})
    store.begin_tournament("cup", {"seed": "1"})
    with pytest.raises(StoreError, match="sandbox = none, and now it is bwrap"):
        store.begin_tournament("cup", {"seed": "1", "sandbox": "bwrap"})


def test_a_tournament_that_goes_on_keeps_when_it_started_and_takes_the_new_outline(store: Store) -> None:
    store.begin_tournament("league", {"seed": "1"}, "two engines", created=5.5)
    store.begin_tournament("league", {"seed": "1"}, "three engines", created=9.5)
    assert store.outline("league") == "three engines"
    league = store.contents().tournaments[-1]
    assert league == TournamentRecord("league", 5.5, {"seed": "1"}, "three engines")


def test_only_rating_lists_that_differ_from_the_usual_are_among_the_contents(store: Store) -> None:
    for game, differing in (("rodeurs", {"beta": "2"}), ("quoridor", {}), ("hops", {"beta": "3"})):
        store.rating_lists.set(game, {"beta": "1"})
        store.rating_lists.set(game, differing)
    assert store.contents().rating_lists == (
        RatingListRecord("hops", {"beta": "3"}),
        RatingListRecord("rodeurs", {"beta": "2"}),
    )


def test_the_page_on_the_database_has_every_table_and_a_query_that_works(
    tmp_path: Path, record: MakeRecord
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "database.md").read_text(encoding="utf-8")
    assert [table for table in metadata.tables if f"| `{table}` |" not in page] == []
    path = tmp_path / "arena.db"
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games([record()])
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(page.partition("```sql\n")[2].partition("```")[0]).fetchall()
    assert rows == [(1, 2, "e8", 0.002), (1, 1, "e2", 0.001)]


def test_on_a_server_texts_are_sorted_by_code_points_and_whole_numbers_have_64_bits() -> None:
    for table in metadata.sorted_tables:
        made = str(CreateTable(table).compile(dialect=postgresql_dialect.dialect()))
        assert "VARCHAR" not in made.replace('VARCHAR COLLATE "C"', "")
        assert " INTEGER" not in made


def test_the_page_on_the_database_has_the_waits_that_arena_keeps() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "database.md").read_text(encoding="utf-8")
    assert f"| wait for others that write | {sqlite.BUSY_TIMEOUT:g} s | {postgresql._WAIT:g} s |" in page
    assert (postgresql._SHORT_WAIT, writer.PATIENCE) == (2.0, 600.0)
    for words in (
        "arena waits two seconds, then prints the line",
        "ten minutes after the last",
    ):
        assert words in page


def test_the_last_options_of_an_engine_come_from_its_last_game_that_counts(
    store: Store, record: Callable[..., GameRecord]
) -> None:
    def played(number: int, options: dict[str, str] | None, **more: Any) -> GameRecord:
        game = record(number=number, **more)
        players = [replace(player, options=options) for player in game.result.players]
        return replace(game, result=replace(game.result, players=tuple(players)))

    def last_options(tournament: str) -> dict[str, Mapping[str, str] | None]:
        return {name: use.options for name, use in store.last_uses(tournament).items()}

    assert last_options("cup") == {}
    store.begin_tournament("cup", {})
    store.begin_tournament("other", {})
    store.add_games([played(0, None)])
    assert last_options("cup") == {"a": None, "b": None}  # an older arena did not store them
    store.add_games([played(2, {"Hash": "16"}), played(1, {"Threads": "1", "Hash": "32"})])
    store.add_games([played(3, {}, termination=Termination.VOID), played(0, {}, tournament="other")])
    options = {"Hash": "32", "Threads": "1"}
    assert last_options("cup") == {"a": options, "b": options}
    assert last_options("other") == {"a": {}, "b": {}}
    assert [game.players[0].options for game in store.results(tournament="cup")] == [
        None,
        options,
        {"Hash": "16"},
        {},
    ]


def connection_of(session: Session) -> Any:
    return session.connection().connection.driver_connection


def test_a_connection_that_is_used_while_the_database_is_closed_is_closed_afterwards(
    address: Address,
) -> None:
    store = Store.open(address, create=True)
    with store.database.reading() as session:  # a page may be made in a thread while the server stops
        connection = connection_of(session)
        store.close()
    with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError), match="closed"):
        connection.execute("SELECT 1")


def test_a_database_that_is_forgotten_is_closed(address: Address) -> None:
    store = Store.open(address, create=True)  # by a run that is cancelled meanwhile
    store.begin_tournament("cup", {})
    store.claim("cup")
    with store.database.reading() as session:
        connection = connection_of(session)
    del store, session
    gc.collect()
    with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError), match="closed"):
        connection.execute("SELECT 1")
    with closing(Store.open(address, create=False)) as another:
        another.claim("cup")
