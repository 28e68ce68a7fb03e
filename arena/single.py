"""Single games outside a tournament: play one, replay a turn of one, judge openings for one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import trio
from msgspec.structs import replace

from arena.errors import ArenaError, OpeningError
from arena.model import GameRecord, Opening
from arena.openings.book import OpeningBook
from arena.replay import charge_fault
from arena.scoring import fault_of
from protocol.errors import (
    EngineError,
    EngineOptionError,
    EngineStartError,
    HubFault,
)
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchRequest, SearchResult
from protocol.hub.transcript import LineObserver, Transcript
from protocol.spec import EngineSpec
from protocol.wire.codec import RESIGN, format_command, is_removal
from protocol.wire.messages import Go
from protocol.words import counted, printable
from referee import MoveError, PositionError, game
from referee.game import Game
from referee.match.adjudication import Adjudication, centipawns
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.forfeits import Forfeit, failure
from referee.match.job import Job, JobFinished
from referee.match.play import RefereedGame, SeatLineObserver
from referee.match.pool import EnginePool
from referee.match.seats import Person, SeatedPlayer, check_seatable, gameinfo, turn_of
from referee.match.time_control import NS_PER_MS, TimeControl
from referee.outcome import Termination
from referee.ply import Ply

HUMAN = "human"  # the command that gives a seat to a person
_TRIES = 100  # how many openings are judged for each wanted opening before the search ends with an error


_HELP = """\
a move, as in {move}{notation}
?       the list of the legal moves
undo    take back the last move of a person, and all moves after it
resign  lose the game
quit    leave the game, which then has no result (also: exit, q, Ctrl-D)"""


class TakenBack(Exception):
    """A person takes moves back, and these first moves of the game stay, and all moves of the opening."""

    def __init__(self, kept: int) -> None:
        super().__init__(kept)
        self.kept = kept


class Abandoned(Exception):
    """A person leaves the game."""


class HumanPlayer(Person):
    """A person who types moves; ``ask`` shows a prompt and returns a line, or raises EOFError at the end.

    The people of a game share ``turns``: how many moves the game had before each move of a person.
    """

    def __init__(
        self,
        game: Game,
        name: str,
        ask: Callable[[str], str],
        show: Callable[[str], None],
        turns: list[int],
    ) -> None:
        super().__init__(name)
        self._name = name
        self._game = game
        self._ask = ask
        self._show = show
        self._turns = turns

    async def think_until(
        self, alarm: trio.CancelScope, turn: SearchRequest, go: Go, budget: int
    ) -> SearchResult:
        """Ask until the answer is a legal move or ``resign``; the time of a person is not measured.

        Raises `TakenBack` and `Abandoned`.
        """
        alarm.deadline = math.inf
        position = self._game.parse_position(turn.fen())
        while True:
            try:
                text = await trio.to_thread.run_sync(
                    self._ask, f"{self._name}, your move (or help): ", abandon_on_cancel=True
                )
            except EOFError:
                raise Abandoned from None
            text = text.strip()
            try:
                move = str(position.parse_move(text))
            except MoveError as error:
                if self._resigns(text.lower(), turn, error):
                    return SearchResult(RESIGN, 0, 0, "")
            else:
                self._turns.append(len(turn.moves))
                return SearchResult(move, 0, 0, "")

    def _resigns(self, word: str, turn: SearchRequest, error: MoveError) -> bool:
        """Do what a person asks for instead of a move; return whether it is the end of the game."""
        match word:
            case "resign":
                return True
            case "quit" | "exit" | "q":
                raise Abandoned
            case "undo":
                self._undo(turn)
            case "?":
                self._show(" ".join(turn.legal()))
            case "help":
                notation = self._game.info.notation
                described = f": {notation}" if notation else ""
                self._show(_HELP.format(move=turn.legal()[0], notation=described))
            case _ if word:
                self._show(f"{printable(str(error))}; help lists what you can type")
        return False

    def _undo(self, turn: SearchRequest) -> None:
        if not self._turns:
            self._show("no person has moved yet, so there is nothing to take back")
        elif any(map(is_removal, turn.moves[self._turns[-1] :])):
            self._show("a player has left the game since the last move of a person, which therefore stays")
        else:
            kept = self._turns.pop()
            self._show(f"taken back: {' '.join(turn.moves[kept:])}")
            raise TakenBack(kept)


async def play_one(
    job: Job,
    people: Mapping[int, SeatedPlayer],
    observe: Callable[[Arbiter], None],
    warn: Callable[[str, str], None],
    trace: SeatLineObserver | None = None,
) -> JobFinished:
    """Play one game in this process, with people at the seats that have no engine.

    ``observe`` is called before the first move and after every move, and ``trace`` with every line between
    the referee and the engines. If a person takes moves back, the engines are started again, and their clocks
    show what they showed then. If a person leaves, the game is void. A group has a `RefereeError` or
    ValueError, if the job cannot be played, or an `ArenaError`, if an engine does not take its options.
    """
    started, kept = time.time(), list[Ply]()
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        for engine in (entry.engine for seat, entry in enumerate(job.seats) if seat not in people):
            if engine.options and (problem := await pool.try_out(engine, job.game)):
                raise ArenaError(f"the engine of {engine.name} {problem}")
        try:
            number = 0
            while True:
                number += 1
                job = replace(job, id=str(number))  # each has its own transcripts
                game = RefereedGame(job, pool, lambda: None, people=people, observe=observe, trace=trace)
                for ply in kept:
                    _play_stored(game.arbiter, ply)
                game.arbiter.record[:] = kept  # with the scores
                observe(game.arbiter)
                try:
                    finished = await game.play()
                except TakenBack as back:
                    kept = game.arbiter.record[: back.kept - len(job.moves)]
                    continue
                except Abandoned:
                    finished = game.abandoned()
                return finished if number == 1 else replace(finished, started=started)
        finally:
            pool.close()


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn of a stored game, with the clocks that the engine to move had."""

    game: str
    seat: int
    start: str | None  # the position string at the start of the game; None for the usual start
    arbiter: Arbiter  # at this turn; it judges the answer, too
    info: list[tuple[str, str]]  # the items of ``gameinfo`` that the referee offered
    margin: int  # milliseconds that the engine may exceed its clock
    played: Ply | None  # by the engine in the stored game; None if it forfeited here


@dataclass(frozen=True, slots=True)
class ReplayedAnswer:
    """The answer of an engine to a `StoredTurn`."""

    move: str | None  # None if it sent none
    fault: Termination | None  # that would have lost the game; None for a move that counts
    reason: str  # a sentence about the fault; "" without one
    time: int | None  # nanoseconds; None without an answer
    infos: tuple[str, ...]  # its ``info`` lines, in order


def decisive_turn(record: GameRecord, seat: int) -> int:
    """Return the ply of the turn by which a seat, from 0, lost: its forfeit, or its last move; 0 for none."""
    forfeited = record.result.players[seat].forfeit is not None
    turns = (ply.is_removal if forfeited else ply.is_move for ply in record.record)
    plies = [n for n, wanted in enumerate(turns, 1) if wanted and record.record[n - 1].seat == seat]
    return plies[-1] if plies else (len(record.record) + 1) * forfeited


def stored_turn(record: GameRecord, ply: int) -> StoredTurn:
    """Return the turn of ply number ``ply`` of a game, counted from 1.

    The ply after the last one is the turn of the forfeit that ended the game. A game that the rules ended
    has no such turn, and raises an `ArenaError`.
    """
    players = record.result.players
    controls = [TimeControl.parse(player.time_control) for player in players]
    opening, number = record.opening, str(record.result.number + 1)
    if not 1 <= ply <= len(record.record) + 1:
        last = len(record.record)
        raise ArenaError(
            f"there is no ply {ply}: the game has {last}; if a forfeit ended it, take ply {last + 1}"
        )
    try:
        margins = [player.margin for player in players]
        arbiter = _arbiter(game(record.result.game), opening, controls, margins)
        infos = [
            gameinfo(number, record.result.game, arbiter.clock, controls, margin, seat)
            for seat, margin in enumerate(margins)
        ]
        for earlier in record.record[: ply - 1]:
            _play_stored(arbiter, earlier)
    except (MoveError, PositionError, ValueError) as error:
        raise ArenaError(f"the rules do not accept the game as it is stored: {error}") from None
    if arbiter.over:
        raise ArenaError(f"there is no ply {ply}: the game was over by then")
    played = record.record[ply - 1] if ply <= len(record.record) else None
    if played is not None and played.seat != arbiter.seat:
        raise ArenaError(
            f"ply {ply}, {played.text}, is not a turn: it removed a seat while another seat had to move"
        )
    return StoredTurn(
        record.result.game,
        arbiter.seat,
        opening.position,
        arbiter,
        infos[arbiter.seat],
        players[arbiter.seat].margin,
        None if played is None or played.is_removal else played,
    )


def _arbiter(
    rules: Game, opening: Opening, controls: Sequence[TimeControl], margins: Sequence[int]
) -> Arbiter:
    """Return the arbiter of a game, which adjudicates nothing; margins are in milliseconds."""
    start = rules.start() if opening.position is None else rules.parse_position(opening.position)
    clock = Clock(controls, [margin * NS_PER_MS for margin in margins])
    return Arbiter(rules, start, opening.moves, clock, Adjudication(repetition=None, plies=None))


def _play_stored(arbiter: Arbiter, ply: Ply) -> None:
    """Play a stored ply; a ValueError says that it is impossible here."""
    if ply.is_removal:
        arbiter.on_forfeit({ply.seat: Forfeit(Termination.VOID, "")})
        return
    if ply.seat != arbiter.seat:
        raise ValueError(f"{ply.text} is played by player {ply.seat + 1} out of turn")
    if ply.fault:
        charge_fault(arbiter.clock, ply)
        return
    arbiter.on_move(ply.text, 0, ply.time, "")
    if not arbiter.in_play(ply.seat):
        raise ValueError(": ".join(arbiter.last_fault))


async def ask_engine(
    turn: StoredTurn, spec: EngineSpec, trace: LineObserver, warn: Callable[[str, str], None]
) -> ReplayedAnswer:
    """Start an engine, and ask it for its move in a stored turn as a referee does.

    The arbiter of the turn plays the answer, so use each turn only once. A group has an `EngineStartError` or
    `HubFault`, if the engine could not be started, or an `ArenaError`, if it does not take its options.
    """
    infos: list[str] = []

    def observe(seconds: float, direction: str, text: str) -> None:
        if direction == "<" and text.split(maxsplit=1)[:1] == ["info"]:
            infos.append(text)
        trace(seconds, direction, text)

    result, fault, reason = None, None, ""
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        try:
            with Transcript(watch=observe) as transcript:
                client = await pool.acquire(spec, turn.game, transcript)
                result = await _think(client, turn, transcript)
        except EngineOptionError as error:
            raise ArenaError(f"the engine {error}") from None
        except (EngineStartError, HubFault):
            raise
        except EngineError as error:
            fault, reason = failure(error)
        finally:
            pool.close()
    if result is None:
        return ReplayedAnswer(None, fault, reason, None, tuple(infos))
    arbiter = turn.arbiter
    arbiter.on_move(result.move, result.started, result.ended, result.info)
    if not arbiter.in_play(turn.seat):
        word, reason = arbiter.last_fault
        fault = Termination(word)
    return ReplayedAnswer(result.move, fault, reason, result.ended - result.started, tuple(infos))


async def _think(client: EngineClient, turn: StoredTurn, transcript: Transcript | None) -> SearchResult:
    arbiter = turn.arbiter
    check_seatable(client.session, arbiter.players)
    await client.new_game(turn.info, transcript)
    return await client.think(turn_of(arbiter, turn.start), arbiter.go(), arbiter.budget())


def turn_text(number: int, ply: int, record: GameRecord, turn: StoredTurn, *, ascii_only: bool) -> str:
    """Return what the engine is asked: the turn, the earlier answer, the position and the clocks."""
    result, arbiter = record.result, turn.arbiter
    player = f"player {turn.seat + 1} ({printable(result.players[turn.seat].name)})"
    if turn.played is not None:
        then = f"{printable(turn.played.text.removeprefix('?'))} in {turn.played.time / 1e9:.3f} s"
    else:
        fault = fault_of(result.detail, turn.seat)
        then = "no legal move in time" + (f": {printable(fault)}" if fault else "")
    return "\n".join(
        (
            f"game {number} of {printable(result.tournament)}: {turn.game}, ply {ply}, {player}",
            f"answer then: {then}",
            "",
            arbiter.position.diagram(ascii_only=ascii_only),
            "",
            f"position: {arbiter.position}",
            format_command(arbiter.go(), "ugi"),
        )
    )


def answer_text(answer: ReplayedAnswer) -> str:
    """Return the ``info`` lines of an engine, its move, and the fault if it made one."""
    time = "" if answer.time is None else f" in {answer.time / 1e9:.3f} s"
    if answer.fault is None:
        now = f"answer now: {printable(str(answer.move))}, legal,{time}"
    else:
        move = "none" if answer.move is None else printable(answer.move)
        now = f"answer now: {move}{time}: {answer.fault}, the engine {printable(answer.reason)}"
    return "\n".join((*map(printable, answer.infos), now))


@dataclass(frozen=True, slots=True)
class OpeningJudge:
    """The engine that judges openings; it must report a score with its move."""

    engine: EngineSpec
    control: TimeControl  # for each opening
    window: int  # the largest distance of a kept opening's score from 0, in centipawns


async def choose_openings(
    game: Game,
    book: OpeningBook,
    count: int,
    judge: OpeningJudge,
    keep: Callable[[Opening, int], None],
    warn: Callable[[str, str], None],
) -> int:
    """Judge the openings of a book until ``count`` of them are balanced; return how many were judged.

    ``keep`` is called with each kept opening and its score in centipawns for the player to move. A group has
    an `OpeningError`, if too few openings are balanced, the engine fails, or it reports no score.
    """
    kept = number = 0
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        try:
            client = await pool.acquire(judge.engine, game.info.id)
            while kept < count:
                if number >= count * _TRIES:
                    raise OpeningError(
                        f"only {kept} of {counted(number, 'opening')} are within "
                        f"{counted(judge.window, 'centipawn')} of 0; "
                        "widen the window, or take more plies"
                    )
                opening = book.opening(number)
                number += 1
                score = await _score(game, opening, judge, client)
                if abs(score) <= judge.window:
                    kept += 1
                    keep(opening, score)
        except EngineError as error:
            raise OpeningError(f"the filter: {error}") from error
        finally:
            pool.close()
    return number


async def _score(game: Game, opening: Opening, judge: OpeningJudge, client: EngineClient) -> int:
    """Return the engine's score of an opening, in centipawns for the player to move."""
    name, players, margin = game.info.id, game.info.players, judge.engine.margin
    controls = [judge.control] * players
    arbiter = _arbiter(game, opening, controls, [margin] * players)
    info = gameinfo("filter", name, arbiter.clock, controls, margin, arbiter.seat)
    turn = StoredTurn(name, arbiter.seat, opening.position, arbiter, info, margin, None)
    result = await _think(client, turn, None)
    score = centipawns(result.info)
    if score is None:
        raise OpeningError(
            f"the engine reported no score with its move {result.move}; "
            "the filter needs `info ... score cp N` or `score mate N` before `bestmove`"
        )
    return score
