"""The tables of a tournament: standings, crosstables, ranking and the tables of its format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from arena.ended_games import GameScoreCounts, count_unplayed
from arena.ratings.lists import rating_list, repeated_games, repeats_note
from arena.store.values import ALL_GAMES, GameFilter
from arena.tables.crosstable import WIDEST, Crosstable, crosstable, crosstable_rows, crosstable_view
from arena.tables.format_tables import FormatView, format_view
from arena.tables.ratings import RANKING_NOTES, groups_note, ranking_rows, ranking_table
from arena.tables.standings import StandingsOrder, games_line, points_note, points_table, standings
from arena.tables.text_table import TitledTable, heading

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.ended_games import GameEnding
    from arena.store import Store

__all__ = ["TournamentTables", "tournament_tables"]


@dataclass(frozen=True, slots=True)
class TournamentTables:
    """The tables of a tournament, for programs and for people.

    Attributes:
        data: the tables as plain values, as `arena standings --json` prints them.
        renderables: sentences and tables, in the order in which people read them.
    """

    data: dict[str, object]
    renderables: list[RenderableType]


def tournament_tables(store: Store, tournament: str | None, *, wide: bool = True) -> TournamentTables:
    """Return the tables of a tournament: for each of its game ids, and for all game ids together.

    Args:
        store: the database.
        tournament: the tournament's name, or ``None`` for all tournaments together.
        wide: whether crosstables of many engines are among the renderables; a terminal takes a minute to lay
            out one of a thousand.
    """
    games = store.tally(tournament=tournament)
    # Ratings use all games of an engine and not only the games of this tournament.
    alone = [info.rated for info in store.tournaments()] == [True]
    rated_games = games if tournament is None or alone else store.tally()
    lists = {game: rating_list(store, game, rated_games.get(game, Counter())) for game in games}
    formats = {game: _format_view(store, tournament, game) for game in games}
    only = ALL_GAMES if tournament is None else GameFilter(frozenset({tournament}))
    repeats = {
        game: repeats_note(repeated_games(store, game, played, only), played)
        for game, played in games.items()
    }
    groups = {game: rated.groups() for game, rated in lists.items()}
    crosstables = {game: crosstable(played, formats[game].order) for game, played in games.items()}
    rankings = {
        game: ranking_rows(standings(played, formats[game].order), lists[game].ratings, groups=groups[game])
        for game, played in games.items()
    }
    tables = [
        {
            "game": game,
            "played": played.total() - count_unplayed(played),
            "unplayed": count_unplayed(played),
            "crosstable": crosstable_rows(crosstables[game]),
            "ranking": rankings[game],
            **formats[game].data,
        }
        for game, played in games.items()
    ]
    data: dict[str, object] = {"tournament": tournament, "games": tables}
    title = heading(tournament)
    renderables: list[RenderableType] = []
    for game, played in games.items():
        renderables.append(f"{title}, {game}: {games_line(played)}")
        renderables += formats[game].renderables
        renderables.append(_crosstable(game, crosstables[game], wide=wide))
        renderables.append(
            TitledTable(game, "ranking", ranking_table(rankings[game]), RANKING_NOTES["trueskill"])
        )
        renderables += filter(None, [groups_note(groups[game]), repeats[game]])
    if len(games) > 1:
        order = next(iter(formats.values())).order
        data["overall"], tables_of_all = _overall(
            title, sum(games.values(), GameScoreCounts()), order, wide=wide
        )
        renderables += tables_of_all
    return TournamentTables(data, renderables)


def _overall(
    title: str, all_games: GameScoreCounts, order: StandingsOrder, *, wide: bool
) -> tuple[dict[str, object], list[RenderableType]]:
    """Return the tables of all game ids together, as data and to print."""
    table, ranking = crosstable(all_games, order), standings(all_games, order)
    data = {
        "played": all_games.total() - count_unplayed(all_games),
        "unplayed": count_unplayed(all_games),
        "crosstable": crosstable_rows(table),
        "standings": [asdict(standing) for standing in ranking],
    }
    return data, [
        f"{title}, all games: {games_line(all_games)}",
        _crosstable("", table, wide=wide),
        TitledTable("", "points", points_table(ranking, order), points_note(order)),
    ]


def _crosstable(game: str, table: Crosstable, *, wide: bool) -> RenderableType:
    """Return the crosstable, or a hint if it is too large for a terminal."""
    if not wide and len(table.names) > WIDEST:
        return f"The crosstable has more than {WIDEST} engines: print it with --format csv, md, html or json."
    return TitledTable(game, "crosstable", crosstable_view(table), table.note)


def _format_view(store: Store, name: str | None, game: str) -> FormatView:
    """Return the tables of the tournament's format; all tournaments together have none."""
    return (
        FormatView({}, []) if name is None else format_view(store.outline(name), game, _endings(store, name))
    )


def _endings(store: Store, name: str) -> Iterator[GameEnding]:
    """Read how the tournament's games ended, on demand, because most formats do not need it."""
    yield from store.endings(name)
