"""The tables of a tournament: standings, crosstables, ranking and the tables of its format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from arena.ended_games import GameScoreCounts, count_unplayed
from arena.formats.format import FormatView, MatchRow, Plan, Played, StandingsOrder
from arena.ratings.lists import rating_list, repeated_games, repeats_note
from arena.store.values import ALL_GAMES, GameFilter
from arena.tables.crosstable import WIDEST, Crosstable, crosstable, crosstable_rows, crosstable_view
from arena.tables.ratings import RANKING_NOTES, groups_note, ranking_rows, ranking_table
from arena.tables.standings import games_line, points_note, points_table, standings
from arena.tables.text_table import TextTable, TitledTable, heading
from protocol.words import printable

if TYPE_CHECKING:
    from arena.store import Store


@dataclass(frozen=True, slots=True)
class TournamentTables:
    """The tables of a tournament, as `arena standings --json` prints them, and for people in their order."""

    data: dict[str, object]
    renderables: list[RenderableType]


def tournament_tables(store: Store, tournament: str | None, *, wide: bool = True) -> TournamentTables:
    """Return the tables of a tournament, or of all: for each of its game ids, and for all game ids together.

    Unless ``wide``, large crosstables are left out: a terminal takes a minute to lay out a thousand engines.
    """
    games = store.tally(tournament=tournament)
    # Ratings use all games of an engine and not only the games of this tournament.
    alone = [info.rated for info in store.tournaments()] == [True]
    rated_games = games if tournament is None or alone else store.tally()
    lists = {game: rating_list(store, game, rated_games.get(game, Counter())) for game in games}
    plan = None if tournament is None else Plan.stored(store.outline(tournament))
    formats = {
        game: FormatView()
        if plan is None or tournament is None
        else plan.view(game, Played(played.total(), lambda: store.endings(tournament)))
        for game, played in games.items()
    }
    only = ALL_GAMES if tournament is None else GameFilter(tournament)
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
        renderables += format_renderables(game, formats[game])
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


def format_renderables(game: str, view: FormatView) -> list[RenderableType]:
    """Return what the format shows of one game id, in the order in which people read it."""
    table, bracket = view.table, view.bracket
    parts: list[RenderableType | None] = [
        view.title or None,
        None
        if table is None
        else TitledTable(game, table.name, TextTable(table.headers, table.rows), table.note),
        BracketView(bracket) if bracket else None,
        view.remark or None,
    ]
    return [part for part in parts if part is not None]


_MIN_NAME_WIDTH = 8
_GAP = 5  # the cells between two columns: a line out of the left one, a joint, a line into the right one


class BracketView:
    """The drawing of a bracket, from left to right: a line leads from an engine to its match."""

    __slots__ = ("_rounds",)

    def __init__(self, rounds: Sequence[Sequence[MatchRow]]) -> None:
        self._rounds = rounds

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = self._columns()
        widest = max(cell_len(name + points) for column in columns for name, points in column)
        room = (options.max_width - _GAP * len(self._rounds)) // len(columns)
        width = min(widest, max(room, _MIN_NAME_WIDTH))
        line, upper, lower, bar, joint = "-++|+" if options.ascii_only else "─┐┘│├"
        canvas: list[dict[int, str]] = [{} for _ in range(2 * len(columns[0]) - 1)]
        for depth, column in enumerate(columns):
            left = depth * (width + _GAP)
            for place, (name, points) in enumerate(column):
                if not name:
                    continue
                row = 2**depth * (2 * place + 1) - 1
                canvas[row][left] = _fitted(name, points, width, options)
                if depth < len(self._rounds):
                    canvas[row][left + width + 1] = line + (lower if place % 2 else upper)
                    if place % 2 == 0:
                        for between in range(row + 1, row + 2**depth):
                            canvas[between][left + width + 2] = bar
                        canvas[row + 2**depth][left + width + 2] = joint + line
                        for between in range(row + 2**depth + 1, row + 2 ** (depth + 1)):
                            canvas[between][left + width + 2] = bar
        rows = [row for row, cells in enumerate(canvas) if cells]
        for cells in canvas[rows[0] : rows[-1] + 1]:
            yield Text(_joined(cells), no_wrap=True)

    def _columns(self) -> list[list[tuple[str, str]]]:
        """Return the names and points of each column from top to bottom; a bye has no name."""
        columns = []
        for matches in self._rounds:
            column: list[tuple[str, str]] = []
            for match in matches:
                if match["by"] == "bye":
                    column += [("", ""), ("", "")]
                    continue
                for name, points in zip(match["engines"], match["points"], strict=True):
                    column.append((name or "?", f" {points:g}" if match["games"] else ""))
            columns.append(column)
        return [*columns, [(self._rounds[-1][0]["winner"] or "?", "")]]


def _fitted(name: str, points: str, width: int, options: ConsoleOptions) -> str:
    """Fit a name and its points into ``width`` cells. A long name is cut, but the points are not."""
    text = printable(name).encode(options.encoding, "replace").decode(options.encoding)
    if cell_len(text + points) > width:
        ellipsis = ".." if options.ascii_only else "…"
        room = max(width - cell_len(ellipsis + points), 1)
        text = set_cell_size(text, room).rstrip() + ellipsis
    return set_cell_size(text + points, width)


def _joined(cells: dict[int, str]) -> str:
    """Join the texts of a row, each at its column."""
    text = ""
    for left, piece in sorted(cells.items()):
        text += " " * (left - cell_len(text)) + piece
    return text.rstrip()
