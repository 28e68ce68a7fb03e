"""A game as its page shows it: the board with the players beside it, the moves, plots under one cursor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import asinh, exp
from typing import TypedDict

import msgspec
from markupsafe import Markup

from arena.errors import ArenaError
from arena.events import LiveGame
from arena.model import GameRecord, GameResult, Opening, PlayerRecord, game_title
from arena.replay import clocks, positions
from arena.scoring import seat_endings
from arena.tables.result_text import verdict
from arena.web.boards import draw, seat_signs
from arena.web.boards.svg import Box, Drawing, union
from arena.web.figures import clock_text, number_of, points_text, score_text, seconds_text, written
from arena.web.pages.games import score_of
from arena.web.pages.thoughts import (
    NO_THOUGHT,
    Line,
    LineTable,
    ShownThought,
    agreements,
    line_table,
    shown_thoughts,
)
from arena.web.plots import WIDTH, PlotAxes, Series, line_plot, time_bars
from protocol.words import shortened
from referee import Position, Termination, game
from referee.errors import RefereeError
from referee.game import Notated
from referee.match.adjudication import centipawns
from referee.match.time_control import TimeControl
from referee.ply import Ply

_NAME_SHOWN = 39
"""The most characters of a name in a sentence."""

_OPENING_SHOWN = 60
"""The most characters of the moves of an opening."""

_MAX_SCORE = 10
"""The largest score in the plot, in units of the engines. Larger scores are drawn at the edge."""

_SCORE_TICKS = tuple(
    (asinh(units), text) for units, text in ((-10, "−10"), (-1, "−1"), (0, "0"), (1, "+1"), (10, "+10"))
)
_PLOT_HEIGHT = 150
_PLOT_STEP = 20
"""The plies by which the plots of a running game grow."""
_SCORE_HEIGHT = 190
"""So high that the marks from −1 to +1 stay apart on a phone."""

_LOW_SCORE_HEIGHT = 128
_LOW_SCORE_WIDTH = 400
"""The same beside a large board, where there is less room."""


class ReplayPly(msgspec.Struct, frozen=True, omit_defaults=True):
    """A ply, as data for ``replay.js``; without what is not known."""

    seat: int
    move: str
    score: str = ""
    thought: ShownThought = NO_THOUGHT
    clock: str = ""  # after it
    agreement: str = ""  # of the last lines of all players


class ReplayFrames(TypedDict):
    """The positions of a game, as data for ``replay.js``."""

    opening: int  # the number of moves in it
    items: list[str]  # the different SVG elements of all boards
    frames: list[list[int]]  # the board of each position: indexes into items, the bottom layer first
    says: list[str]  # a line of text about each position
    captions: list[str]
    positions: list[str]
    turns: list[int]  # the seat to move, from 0; -1 at the end if the rules ended the game
    plies: list[ReplayPly]
    clocks: list[str]  # of each seat at the start
    results: list[str]  # the points of each seat
    chances: list[int | None]  # of player 1 at each position, in percent; empty if there are not two players
    said: list[str]  # what any player reported: "score", a name of `ShownThought.values` or "line"
    running: bool  # whether the game is still being played


@dataclass(frozen=True, slots=True)
class GameBoards:
    """All boards of a game."""

    frames: ReplayFrames
    box: Box  # the area that every board fits in
    last: Drawing  # the last board


@dataclass(frozen=True, slots=True)
class ShownPly:
    """A ply with all that the page shows of it."""

    ply: Ply
    left: int | None  # the nanoseconds on its player's clock after it; None without a clock
    text: str  # in the list of moves
    thought: ShownThought
    agreement: str  # until where the last lines agree; "" if not all players have lines

    @property
    def score(self) -> str:
        """The score that its player reported."""
        return score_text(self.ply.score)

    @property
    def time(self) -> str:
        """The time that it took."""
        return "" if self.ply.is_removal else seconds_text(self.ply.time)

    @property
    def clock(self) -> str:
        """The time that its player has left."""
        return "" if self.left is None else clock_text(self.left)


@dataclass(frozen=True, slots=True)
class SeatStrip:
    """A player beside its side of the board, at the end of the game."""

    seat: int  # from 1
    mark: str  # an SVG element with the sign of the seat
    name: str
    version: str
    points: str
    place: str  # "" in a void game
    clock: str  # the time left on its clock; "" without one
    control: str
    forfeit: str  # the kind; "" if it did not forfeit
    score: str  # the last one that it reported
    time: str  # of its last move; "" without one
    thought: ShownThought  # likewise
    won: bool  # whether it has the first place


@dataclass(frozen=True, slots=True)
class MoveCell:
    """A move in the list: its ply (1 is the first one after the opening), its text, score and time."""

    ply: int
    text: str
    score: str
    time: str


@dataclass(frozen=True, slots=True)
class MoveRow:
    """A row of the list with a cell for each seat; None where the seat did not move."""

    number: str  # of the first ply, or of the moves in the notation of people
    cells: tuple[MoveCell | None, ...]


@dataclass(frozen=True, slots=True)
class GameView:
    """A game."""

    tournament: str
    game: str
    number: int  # while it runs, its number in the schedule
    title: str  # of its game
    strips: tuple[SeatStrip, ...]
    score: str  # in seat order
    verdict: str  # who won and why
    detail: str  # the reason in full, in the words of the referee; may be empty
    control: str  # the time controls
    opening: str  # its name, or how it starts
    given: int  # the number of its moves
    started: float  # in seconds since the epoch
    rows: tuple[MoveRow, ...]
    plies: tuple[ShownPly, ...]
    moves: str  # all moves as a text
    boards: GameBoards | None
    missing: str  # why there are no boards; "" if there are
    said: Sequence[str]  # as in `ReplayFrames`
    running: bool = False

    @property
    def agreement(self) -> str:
        """Until where the last lines agree; "" if not all players have lines."""
        return self.plies[-1].agreement if self.plies else ""

    @property
    def above(self) -> tuple[SeatStrip, ...]:
        """The players above the board, from the top."""
        return self.strips[: (len(self.strips) - 1) // 2 : -1]

    @property
    def below(self) -> tuple[SeatStrip, ...]:
        """The players below the board, from the top."""
        return self.strips[(len(self.strips) - 1) // 2 :: -1]


def game_view(record: GameRecord, *, boards: bool = True) -> GameView:
    """Return the view, by wish without boards. It has none if the rules are missing or reject a move."""
    result = record.result
    opening = record.opening
    played, missing = None, ""
    try:
        played = list(positions(game(result.game), record))
    except (ArenaError, RefereeError) as error:
        missing = f"The boards cannot be drawn: {error}."
    texts = _texts(record, played)
    early, texts = texts[: len(opening.moves)], texts[len(opening.moves) :]
    before = None if played is None else played[len(opening.moves) :]
    thoughts = shown_thoughts(len(result.players), record.record, before)
    agreed = agreements(len(result.players), record.record, thoughts)
    plies = tuple(
        ShownPly(ply, left, text, thought, agreement)
        for (ply, left), text, thought, agreement in zip(clocks(record), texts, thoughts, agreed, strict=True)
    )
    strips = tuple(_strips(record, plies))
    said = _said(plies)
    drawn = _boards(record, plies, played, strips, early, said) if boards and played is not None else None
    controls = list(dict.fromkeys(seat.time_control for seat in result.players))
    players = tuple(replace(player, name=shortened(player.name, _NAME_SHOWN)) for player in result.players)
    return GameView(
        result.tournament,
        result.game,
        result.id or 0,
        game_title(result.game),
        strips,
        score_of(result),
        verdict(replace(result, players=players)),
        result.detail,
        " and ".join(controls),
        _opening_text(opening, early),
        len(early),
        record.started,
        tuple(_rows(record, plies, played, early)),
        plies,
        " ".join([*opening.moves, *(ply.text for ply in record.record if not ply.fault)]),
        drawn,
        missing,
        said,
    )


def _opening_text(opening: Opening, moves: Sequence[str]) -> str:
    if opening.name:
        return f"opening {opening.name}"
    given = "" if opening.position is None else "from a given position"
    line = f"opening {shortened(' '.join(moves), _OPENING_SHOWN)}" if moves else ""
    return ", ".join(filter(None, (given, line))) or "no opening"


def first_chance(ply: Ply) -> int | None:
    """Return the chance of the first of two seats in percent, by the curve of lichess.org/page/accuracy.

    It is None without a score, and for a score in an unknown form.
    """
    units = centipawns(f"score {ply.score}") if ply.score else None
    if units is None:
        return None
    units = max(-2000, min(-units if ply.seat else units, 2000))
    return round(100 / (1 + exp(-0.00368208 * units)))


def _chances(record: GameRecord) -> list[int | None]:
    """Return the chance of player 1 at each position, by the last score before it; at the end, its points."""
    players = record.result.players
    if len(players) != 2:
        return []
    chances: list[int | None] = [None] * (len(record.opening.moves) + 1)
    for ply in record.record:
        chances.append(first_chance(ply) if ply.score else chances[-1])
    if chances[-1] is not None and record.result.counts:
        chances[-1] = round(100 * players[0].points)
    return chances


def _said(plies: Sequence[ShownPly]) -> list[str]:
    """Return the names of the values that any player reported."""
    said = {name for shown in plies for name, value in shown.thought.values() if value}
    said |= {"score" for shown in plies if shown.ply.score}
    said |= {"line" for shown in plies if shown.thought.line != Line()}
    return sorted(said)


def _strips(record: GameRecord, plies: Sequence[ShownPly]) -> Iterator[SeatStrip]:
    players = record.result.players
    signs = seat_signs(record.result.game, len(players))
    for seat, (player, ending) in enumerate(zip(players, seat_endings(players), strict=True)):
        played = [shown for shown in plies if shown.ply.seat == seat and not shown.ply.is_removal]
        last = played[-1] if played else None
        base = TimeControl.parse(player.time_control).base_ns
        left = base if last is None else last.left
        yield SeatStrip(
            seat + 1,
            signs[seat],
            player.name,
            player.version,
            points_text(player.points) if record.result.counts else "–",
            "" if player.rank is None else str(player.rank),
            "" if left is None else clock_text(left),
            player.time_control,
            player.forfeit.value if player.forfeit else "",
            (last and last.score) or "–",
            "" if last is None else last.time,
            NO_THOUGHT if last is None else last.thought,
            ending in ("won", "drew"),
        )


def _texts(record: GameRecord, played: Sequence[Position] | None) -> list[str]:
    """Return the moves of the opening and the plies as the page shows them."""
    moves = [*record.opening.moves, *(ply.text if ply.is_move else "" for ply in record.record)]
    if played is not None and isinstance(played[0], Notated):
        moves = [
            move and written(position, position.parse_move(move))
            for move, position in zip(moves, played, strict=False)
        ]
    opening = len(record.opening.moves)
    return [*moves[:opening], *map(_shown, record.record, moves[opening:])]


def _shown(ply: Ply, move: str) -> str:
    if ply.is_removal:
        return "removed"
    return f"forgiven: {ply.text[1:]}" if ply.fault else move


def _rows(
    record: GameRecord, plies: Sequence[ShownPly], played: Sequence[Position] | None, early: Sequence[str]
) -> Iterator[MoveRow]:
    """Yield the rows. A new row starts when the seat to move is not behind all seats in the row."""
    opening = len(early)
    count = len(record.result.players)
    cells = [
        (
            played[index].turn if played else index % count,
            MoveCell(index + 1 - opening, text, "", "opening"),
        )
        for index, text in enumerate(early)
    ]
    cells += [
        (shown.ply.seat, MoveCell(number, shown.text, shown.score, shown.time))
        for number, shown in enumerate(plies, 1)
    ]
    rows: list[dict[int, MoveCell]] = []
    for seat, cell in cells:
        if not rows or seat <= max(rows[-1]):
            rows.append({})
        rows[-1][seat] = cell
    for row in rows:
        first = row[min(row)].ply
        people = number_of(played[first - 1 + opening]).replace("…", ".") if played else ""
        shown = people or (str(first) if first > 0 else "")
        yield MoveRow(shown, tuple(row.get(seat) for seat in range(count)))


def _boards(
    record: GameRecord,
    plies: Sequence[ShownPly],
    played: list[Position],
    strips: Sequence[SeatStrip],
    early: Sequence[str],
    said: list[str],
) -> GameBoards:
    moves = [None, *record.opening.moves, *(ply.text for ply in record.record)]
    drawings = [
        draw(record.result.game, position, move) for position, move in zip(played, moves, strict=True)
    ]
    numbers: dict[str, int] = {}  # of the different items of all drawings
    frames = [[numbers.setdefault(item, len(numbers)) for item in drawing.items] for drawing in drawings]
    controls = [TimeControl.parse(player.time_control).base_ns for player in record.result.players]
    turns = [position.turn for position in played]
    if record.result.termination is Termination.NORMAL:
        turns[-1] = -1
    return GameBoards(
        ReplayFrames(
            opening=len(record.opening.moves),
            items=list(numbers),
            frames=frames,
            says=list(_descriptions(record, plies, early)),
            captions=[drawing.caption for drawing in drawings],
            positions=[str(position) for position in played],
            turns=turns,
            plies=[
                ReplayPly(one.ply.seat, one.ply.text, one.score, one.thought, one.clock, one.agreement)
                for one in plies
            ],
            clocks=["" if base is None else clock_text(base) for base in controls],
            results=[strip.points for strip in strips],
            chances=_chances(record),
            said=said,
            running=False,
        ),
        union(drawing.box for drawing in drawings),
        drawings[-1],
    )


def _descriptions(record: GameRecord, plies: Sequence[ShownPly], early: Sequence[str]) -> Iterator[str]:
    """Yield a line of text about each position."""
    yield "Start"
    for text in early:
        yield f"Opening: {text}"
    for number, shown in enumerate(plies, 1):
        ply = shown.ply
        name = record.result.players[ply.seat].name
        where = f"Ply {number} of {len(plies)}, {shortened(name, _NAME_SHOWN)}"
        if ply.is_removal:
            yield f"{where}: removed by the referee"
            continue
        score = f", score {shown.score}" if ply.score else ""
        depth = "" if ply.depth is None else f", depth {ply.depth}"
        yield f"{where}: {shown.text} in {shown.time}{score}{depth}"


def running_view(tournament: str, live: LiveGame, *, boards: bool = True) -> GameView:
    """Return the view of a running game, in the same form as the view of a finished game."""
    view = game_view(_so_far(tournament, live), boards=boards)
    drawn = view.boards
    if drawn is not None:
        frames = drawn.frames.copy()
        frames["running"] = True
        frames["results"] = ["" for _ in frames["results"]]
        drawn = replace(drawn, frames=frames)
    return replace(
        view,
        number=live.pairing.number + 1,
        strips=tuple(_running_strips(view, live)),
        score="–",
        verdict="This game is being played",
        control=" and ".join(dict.fromkeys(live.time_controls)),
        boards=drawn,
        running=True,
    )


def _so_far(tournament: str, live: LiveGame) -> GameRecord:
    """Return the game so far, in the shape of a finished one. It has no result."""
    pairing = live.pairing
    controls = live.time_controls or tuple("none" for _ in pairing.seats)
    players = tuple(
        PlayerRecord(name, "", None, 0.0, None, control, 0, 0)
        for name, control in zip(pairing.seats, controls, strict=True)
    )
    result = GameResult(
        None,
        tournament,
        pairing.number,
        pairing.key,
        pairing.game,
        Termination.VOID,
        "",
        "",
        len(live.plies),
        players,
    )
    return GameRecord(result, pairing.opening, live.plies, "", 0.0, 0)


def _running_strips(view: GameView, live: LiveGame) -> Iterator[SeatStrip]:
    """Yield the players with the clocks that the run has reported."""
    for strip in view.strips:
        left = live.clocks_ms[strip.seat - 1] if live.clocks_ms else None
        clock = strip.clock if left is None or not strip.clock else clock_text(left * 1_000_000)
        yield replace(strip, points="", clock=clock)


def watched_view(tournament: str, live: LiveGame) -> GameView:
    """Return the view of a running game without boards, and with the last thought of each player only."""
    last = {ply.seat: number for number, ply in enumerate(live.plies) if ply.is_move}
    plies = tuple(
        ply if last.get(ply.seat) == number else msgspec.structs.replace(ply, thought=None)
        for number, ply in enumerate(live.plies)
    )
    return running_view(tournament, msgspec.structs.replace(live, plies=plies), boards=False)


def lines_of(view: GameView) -> LineTable | None:
    """Return the last lines of the players under the same plies."""
    plies = [shown.ply for shown in view.plies]
    return line_table(len(view.strips), plies, [shown.thought for shown in view.plies])


def game_plots(view: GameView, *, watched: bool = False) -> dict[str, Markup | None]:
    """Return the plots of the scores, the clocks and the time of each move; None for an empty plot.

    The scores of a game that is ``watched`` have the names of the players at their ends, and no cursor.
    """
    two = len(view.strips) == 2
    clocks: list[list[tuple[float, float]]] = [[] for _ in view.strips]
    times: list[list[tuple[float, float]]] = [[] for _ in view.strips]
    scores: list[list[tuple[float, float]]] = [[] for _ in view.strips]
    for number, shown in enumerate(view.plies, 1):
        ply = shown.ply
        if ply.is_removal:
            continue
        if not ply.fault:
            times[ply.seat].append((number, float(ply.time)))
        if shown.left is not None:
            clocks[ply.seat].append((number, float(shown.left)))
        score = centipawns(f"score {ply.score}") if ply.score else None
        if score is not None:
            units = max(-_MAX_SCORE, min(score / 100, _MAX_SCORE))
            scores[ply.seat].append((number, asinh(-units if two and ply.seat == 1 else units)))
    last = max(len(view.plies), 1)
    if view.running:  # so that the plots grow in steps
        last += -last % _PLOT_STEP
    x_range = (float(-view.given), float(last))
    most = max((value for line in clocks for _, value in line), default=0.0)
    longest = max((value for line in times for _, value in line), default=0.0)
    high = asinh(_MAX_SCORE)
    clock_ticks = tuple((part * most, clock_text(int(part * most))) for part in (0.0, 0.5, 1.0))
    time_ticks = tuple((value, seconds_text(abs(value))) for value in (-longest, 0.0, longest))
    time_range = (-longest if two else 0.0, longest)
    time_axes = PlotAxes("Time a move", "", "", x_range, time_range, time_ticks, _PLOT_HEIGHT)
    height = _LOW_SCORE_HEIGHT if watched else _SCORE_HEIGHT
    width = _LOW_SCORE_WIDTH if watched else WIDTH
    score_axes = PlotAxes("Score", "", "", x_range, (-high, high), _SCORE_TICKS, height, width, named=watched)
    clock_axes = PlotAxes("Clock", "", "", x_range, (0.0, most), clock_ticks, _PLOT_HEIGHT)
    names = [strip.name for strip in view.strips]
    return {
        "scores": _lines(scores, names, score_axes),
        "clocks": _lines(clocks, names, clock_axes),
        "times": time_bars(time_axes, times) if longest else None,
    }


def _lines(lines: list[list[tuple[float, float]]], names: Sequence[str], axes: PlotAxes) -> Markup | None:
    """Plot lines with their names at their ends, or with a cursor; None if nothing is to be seen."""
    if not any(lines) or axes.y_range[0] >= axes.y_range[1]:
        return None
    series = [Series(tuple(line), (), name) for line, name in zip(lines, names, strict=True)]
    return line_plot(axes, series, cursor=not axes.named)
