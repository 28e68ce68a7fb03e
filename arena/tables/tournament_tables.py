"""The tables of a tournament: standings, crosstables, ranking and the tables of its format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from arena.formats.format import FormatView, MatchRow, Played, StandingsOrder
from arena.formats.plan import Plan
from arena.ratings.lists import rating_list, repeated_games, repeats_note
from arena.scoring import EndedGame, GameScoreCounts, count_unplayed
from arena.store import ALL_GAMES, GameFilter, Store
from arena.tables.crosstable import WIDEST, Crosstable, crosstable
from arena.tables.match_block import MatchBlock, conditions
from arena.tables.places import decisive_crosstable
from arena.tables.ratings import groups_note, rating_table
from arena.tables.standings import ORDER_NOTES, Standing, games_line, points_format, shared_places, standings
from arena.tables.text_table import MIN_NAME_WIDTH, TextTable, cut_cells, heading, showable
from protocol.words import percent


@dataclass(frozen=True, slots=True)
class TournamentTables:
    """The tables of a tournament, as `arena standings --json` prints them, and for people in their order."""

    data: dict[str, object]
    renderables: list[RenderableType]
    matches: list[MatchBlock]

    def summary(self) -> str:
        """Return the blocks of the matches as Markdown."""
        return "\n\n".join(match.markdown() for match in self.matches)


_RATINGS_NOTE = "mu and sigma: from all rated games of the database; the other columns: from this tournament."


def tournament_tables(store: Store, tournament: str | None, *, wide: bool = True) -> TournamentTables:
    """Return the tables of a tournament, or of all: for each of its game ids, and for all game ids together.

    Unless ``wide``, large crosstables are left out: a terminal takes a minute to lay out a thousand engines.
    The block of a match replaces all tables; for ``wide`` it has standings, too.
    """
    games = store.tally(tournament=tournament)
    # Ratings use all games of an engine and not only the games of this tournament.
    alone = [info.rated for info in store.tournaments()] == [True]
    list_ = store.list_of(tournament)
    rated_games = games if tournament is None or alone else store.tally(only=list_)
    plan = None if tournament is None else Plan.stored(store.outline(tournament))
    only = ALL_GAMES if tournament is None else GameFilter(tournament)
    title, order = heading(tournament), None
    tables: list[dict[str, object]] = []
    renderables: list[RenderableType] = []
    matches: list[MatchBlock] = []
    counts = {game: played.total() for game, played in games.items()}

    @cache
    def endings() -> Sequence[EndedGame]:
        return [] if plan is None or tournament is None else plan.games(store, tournament)

    for game, played in games.items():
        view = FormatView() if plan is None else plan.view(game, Played(played.total(), endings))
        order = order or view.order
        ratings = rating_list(store, game, rated_games.get(game, Counter()), list_)
        rated = rating_table(
            ratings,
            None,
            standings(played, view.order),
            repeated_games(store, game, played, only),
            "trueskill" if view.duel is None else "points",
        )
        table, rows = decisive_crosstable(view, played, ratings), list(rated.rows)
        tables.append({"game": game, **_counts(played, table), "ranking": rows, **view.data})
        if places := _places(game, view):
            tables[-1]["places"] = [{"place": place, "engine": name} for place, name in view.places]
        renderables.append(f"{title}, {game}: {_games_line(plan, counts, endings, played, game)}")
        if view.curves:  # an engine that plays itself has no rank
            renderables += format_renderables(game, view)
        elif view.duel is None or tournament is None:
            ranking = rated.table(elo=False)
            if rated_games.get(game) != played:
                ranking = replace(ranking, note=f"{ranking.note} {_RATINGS_NOTE}")
            renderables += [
                *format_renderables(game, view),
                *places,
                _fitting(table, game, wide=wide),
                ranking,
                *filter(None, [groups_note(rated.groups)]),
            ]
        else:
            matches.append(MatchBlock(game, view.duel, conditions(store, tournament, view.duel.engines)))
            renderables.append(matches[-1])
            if wide:
                renderables.append(points_table(game, "standings", standings(played, view.order), view.order))
        renderables += filter(None, [repeats_note(rated.repeated, played)])
    for game in plan.names if plan is not None and games else ():
        if game not in games:
            renderables.append(f"{title}, {game}: {_games_line(plan, counts, endings, Counter(), game)}")
    data: dict[str, object] = {"tournament": tournament, "games": tables}
    if len(games) > 1:
        played, order = sum(games.values(), GameScoreCounts()), order or "points"
        table, ranked = crosstable(played, order), standings(played, order)
        data["all_games"] = {**_counts(played, table), "standings": [asdict(row) for row in ranked]}
        renderables += [
            f"{title}, all games: {_games_line(plan, counts, endings, played)}",
            _fitting(table, "", wide=wide),
            points_table("", "points", ranked, order),
        ]
    return TournamentTables(data, renderables, matches)


def _games_line(
    plan: Plan | None,
    counts: Mapping[str, int],
    endings: Callable[[], Iterable[EndedGame]],
    played: GameScoreCounts,
    game: str = "",
) -> str:
    """Return the number of games of one id, or of all; while some are missing, with the number in the end."""
    if plan is None:
        return games_line(played)
    if game:
        over = plan.is_over(game, Played(counts.get(game, 0), endings))
        most = plan.most_games(game)
    else:
        over, most = plan.is_finished(counts, endings), plan.most
    exact = not plan.format.may_end_early(plan.keys)
    return games_line(played) if over else games_line(played, most, exact=exact)


def _counts(played: GameScoreCounts, table: Crosstable) -> dict[str, object]:
    unplayed = count_unplayed(played)
    return {"played": played.total() - unplayed, "unplayed": unplayed, "crosstable": table.data()}


def _fitting(table: Crosstable, game: str, *, wide: bool) -> RenderableType:
    """Return the crosstable, or a hint if it is too large for a terminal."""
    if not wide and len(table.names) > WIDEST:
        return f"The crosstable has more than {WIDEST} engines: print it with --format csv, md or json."
    return table.titled(game)


def points_table(
    game: str, name: str, table: Sequence[Standing], order: StandingsOrder = "points"
) -> TextTable:
    """Return the standings without ratings, with the tie-break that ``order`` needs."""
    berger = order == "points"
    points = points_format([standing.points for standing in table])
    headers: tuple[str, ...] = ("#", "engine", "games", "W-D-L", "points", "score", "forfeits")
    rows = tuple(
        (
            str(place),
            standing.name,
            str(standing.games),
            f"{standing.wins}-{standing.draws}-{standing.losses}",
            format(standing.points, points),
            percent(standing.score),
            str(standing.forfeits or ""),
            *((f"{standing.sonneborn_berger:.2f}",) if berger else ()),
        )
        for place, standing in zip(shared_places(table, order), table, strict=True)
    )
    if berger:
        headers += ("Sonneborn-Berger",)
    return TextTable(game, name, headers, rows, f"{ORDER_NOTES[order]} Score: points per game.")


def format_renderables(game: str, view: FormatView, *, bracket: bool = True) -> list[RenderableType]:
    """Return what the format shows of one game id, in the order in which people read it.

    Pages draw the ``bracket`` themselves.
    """
    table = view.table
    parts: list[RenderableType | None] = [
        None if table is None else TextTable(game, table.name, table.headers, table.rows, table.note),
        BracketView(view.bracket) if bracket and view.bracket else None,
        view.remark or None,
    ]
    shown = [part for part in parts if part is not None]
    for part in view.parts:
        shown += format_renderables(game, part, bracket=bracket)
    return [view.title, *shown] if view.title and shown else shown


def _places(game: str, view: FormatView) -> list[RenderableType]:
    """Return the places of the engines, if the format decides them, and its own table does not show them."""
    if view.table is not None or not view.places:
        return []
    rows = tuple((str(place), name) for place, name in view.places)
    return ["Places", TextTable(game, "places", ("#", "engine"), rows, view.note)]


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
        width = min(widest, max(room, MIN_NAME_WIDTH))
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
    ellipsis = ".." if options.ascii_only else "…"
    text = cut_cells(showable(name, options.encoding), width - cell_len(points), ellipsis)
    return set_cell_size(text + points, width)


def _joined(cells: dict[int, str]) -> str:
    """Join the texts of a row, each at its column."""
    text = ""
    for left, piece in sorted(cells.items()):
        text += " " * (left - cell_len(text)) + piece
    return text.rstrip()
