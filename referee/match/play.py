"""Plays one game between engines: passes positions to the clients and their answers to the arbiter."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from traceback import extract_tb, format_exception_only
from typing import Final

import trio

from protocol.disguise import Disguise
from protocol.errors import (
    EngineAbsent,
    EngineError,
    EngineTimedOut,
    HubFault,
)
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchRequest
from protocol.hub.transcript import Transcript, transcript_file
from protocol.spec import EngineSpec
from protocol.wire.xboard import limit_problem
from protocol.words import shortened
from referee.errors import MoveError, TimeControlError
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.disguised import DisguisedPlayer
from referee.match.forfeits import Forfeit, failure
from referee.match.forgiveness import Forgiver
from referee.match.heartbeat import LIMIT_NS, Heartbeat
from referee.match.job import Job, JobFinished, JobSeat, RunningGame, SeatResult, VoidCause
from referee.match.pool import EnginePool
from referee.match.seats import SeatedPlayer, check_seatable, gameinfo, result_of, turn_of
from referee.match.time_control import NS_PER_MS, TimeControl
from referee.registry import game as find_game

_LONGEST_ERROR: Final = 300  # characters of an error that rules raised

SeatLineObserver = Callable[[int, float, str, str], None]
"""Called with each line of a dialogue: the seat, then the arguments of `LineObserver`."""


class RefereedGame:
    """Plays one job.

    ``started`` is called when all engines are ready, before the first ``go``, ``observe`` after every move,
    and after every removal since then, ``trace`` with every line between the referee and the engines.
    ``people`` are players that are not engines from the pool. The heartbeat detects that this process was
    stopped, which makes the game void. An invalid job is a RefereeError or a ValueError: an unknown game, a
    damaged position, an illegal opening, a bad time control, or the wrong number of seats.
    """

    def __init__(
        self,
        job: Job,
        pool: EnginePool,
        started: Callable[[], None],
        *,
        people: Mapping[int, SeatedPlayer] | None = None,
        observe: Callable[[Arbiter], None] | None = None,
        trace: SeatLineObserver | None = None,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self.job = job
        self._heartbeat = heartbeat
        self._observe = observe
        self._trace = trace
        self._transcripts: dict[int, Transcript] = {}
        self._started_at = 0.0  # in seconds since the epoch
        self._start = time.monotonic_ns()
        self._turn_started = 0  # when the clock of the seat to move started; 0 while none runs
        self._pool = pool
        self._started = started
        rules = find_game(job.game)
        if len(job.seats) != rules.info.players:
            raise ValueError(f"{job.game} has {rules.info.players} seats, not {len(job.seats)}")
        start = rules.start(job.setup) if job.position is None else rules.parse_position(job.position)
        self._controls = [_time_control(seat) for seat in job.seats]
        clock = Clock(self._controls, [seat.engine.margin * NS_PER_MS for seat in job.seats])
        foreign = {seat for seat, entry in enumerate(job.seats) if entry.engine.dialect == "xboard"}
        forgiver = None if job.forgive is None else Forgiver(job.forgive, job.seed)
        self.arbiter = Arbiter(rules, start, job.moves, clock, job.adjudication, foreign, forgiver)
        self._start_text = None if job.position is None and job.setup is None else str(start)
        self._borrowed: dict[int, EngineClient] = {}
        self._players: dict[int, SeatedPlayer] = dict(people or {})
        self._failed: set[int] = set()
        self._void: VoidCause | None = None
        self._shown = 0  # the plies that earlier snapshots had

    def running(self, *, watched: bool) -> RunningGame:
        """Return the current state of the game; if ``watched``, with the plies since the last snapshot."""
        arbiter = self.arbiter
        first, self._shown = (self._shown, len(arbiter.record)) if watched else (0, 0)
        plies = tuple(arbiter.record[first : self._shown])
        lefts = [arbiter.clock.left_ns(seat) for seat in range(arbiter.players)]
        if self._turn_started and not arbiter.over:
            spent = time.monotonic_ns() - self._turn_started
            lefts[arbiter.seat] = max(lefts[arbiter.seat] - spent, 0)
        clocks = tuple(
            None if control.base_ns is None else left // NS_PER_MS
            for left, control in zip(lefts, self._controls, strict=True)
        )
        return RunningGame(self.job.id, arbiter.plies, arbiter.seat, clocks, first, plies)

    def abandoned(self) -> JobFinished:
        """Return the result of a game whose `play` was cancelled."""
        self._on_void(VoidCause.ABANDONED, "the game was abandoned")
        return self._kept(self._result(0))

    def broken(self, error: Exception) -> JobFinished:
        """Return the result of a game whose rules raised an error in `play`."""
        place = extract_tb(error.__traceback__)[-1]
        what = shortened(" ".join(format_exception_only(error)[-1].split()), _LONGEST_ERROR)
        where = f"{place.filename}, line {place.lineno}"
        self._on_void(VoidCause.RULES, f"the rules of {self.job.game} failed in {where}: {what}")
        return self._kept(self._result(0))

    async def play(self) -> JobFinished:
        """Play the game to its end. Failures of engines become part of the result, never an exception."""
        self._started_at = time.time()
        first_go = time.monotonic_ns()
        try:
            with ExitStack() as transcripts:
                seats = range(self.arbiter.players)
                await self._for_each_seat(seats, lambda seat: self._acquire(seat, transcripts))
                await self._for_each_seat(seats, self._new_game)
                if self._borrowed:
                    await self._pool.calm()
                first_go = time.monotonic_ns()
                self._started()
                await self._play_plies()
                for seat in seats:
                    await self._game_over(seat)
        finally:
            for seat, client in self._borrowed.items():
                self._pool.release(client, healthy=seat not in self._failed and self.arbiter.over)
        return self._kept(self._result(time.monotonic_ns() - first_go))

    # --- before the first move

    async def _for_each_seat(self, seats: Iterable[int], step: Callable[[int], object]) -> None:
        """Run ``step`` for seats at the same time. The seats that fail forfeit together."""
        forfeits: dict[int, Forfeit] = {}

        async def guarded(seat: int) -> None:
            try:
                await step(seat)  # type: ignore[misc]  # every step is an async function of a seat
            except EngineAbsent as error:
                self._on_void(VoidCause.ABSENT, f"seat {seat + 1}: {error}")
            except HubFault as error:
                self._on_void(VoidCause.MACHINE, str(error))
            except OSError as error:
                self._on_void(VoidCause.MACHINE, f"the transcript cannot be written: {error}")
            except EngineError as error:
                forfeits[seat] = failure(error)

        async with trio.open_nursery() as nursery:
            for seat in seats:
                nursery.start_soon(guarded, seat)
        for seat, (termination, detail) in forfeits.items():
            self._remark(seat, f"{termination}: {detail}")
        if forfeits and self.arbiter.verdict is None and not self._void_if_stopped(self._start):
            self.arbiter.on_forfeit(dict(sorted(forfeits.items())))
        self._failed |= set(forfeits)

    async def _acquire(self, seat: int, transcripts: ExitStack) -> None:
        if seat in self._players:
            return
        spec = self.job.seats[seat].engine
        transcript = self._open_transcript(seat, spec)
        if transcript is not None:
            self._transcripts[seat] = transcripts.enter_context(transcript)
            others = ", ".join(other.engine.name for at, other in enumerate(self.job.seats) if at != seat)
            who = f"{self.job.game}, seat {seat + 1}, {spec.name} against {others}"
            transcript.note("#", f"{who}: {shlex.join(map(spec.shown, spec.command))}")
        client = await self._pool.acquire(spec, self.job.game, transcript)
        self._seat(seat, client)
        if transcript is not None and client.games:
            transcript.note("#", "started for an earlier game: see its log for the handshake")
        check_seatable(client.session, self.arbiter.players)

    def _seat(self, seat: int, client: EngineClient) -> None:
        self._borrowed[seat] = client
        disguise = self.job.seats[seat].engine.disguise
        self._players[seat] = client if disguise is None else DisguisedPlayer(client, Disguise(disguise))

    def _open_transcript(self, seat: int, spec: EngineSpec) -> Transcript | None:
        """Create the transcript of ``seat``; None if nothing records its dialogue."""
        watch = None if self._trace is None else partial(self._trace, seat)
        if self.job.log is None:
            return None if watch is None else Transcript(watch=watch, start=self._start)
        file = transcript_file(Path(self.job.log), self.job.id, seat, spec.name)
        return Transcript(file, watch, start=self._start)

    def _remark(self, seat: int, text: str) -> None:
        """Write a remark of the referee to a seat's transcript."""
        if seat in self._transcripts:
            self._transcripts[seat].note("#", text)

    async def _new_game(self, seat: int) -> None:
        player = self._players.get(seat)
        if player is None or self.arbiter.over:
            return
        margin = self.job.seats[seat].engine.margin
        items = gameinfo(self.job.id, self.job.game, self.arbiter.clock, self._controls, margin, seat)
        await player.new_game(items, self._transcripts.get(seat))

    def _void_if_stopped(self, since: int) -> bool:
        """End the game as void if this process was stopped after ``since``. Return whether it was."""
        if self._heartbeat is None or not self._heartbeat.stopped_since(since):
            return False
        seconds = self._heartbeat.stopped / 1e9
        self._on_void(
            VoidCause.STOPPED, f"the referee was stopped for {seconds:.1f} s while the clocks were running"
        )
        return True

    def _on_void(self, cause: VoidCause, detail: str) -> None:
        self._void = cause
        self.arbiter.on_void(detail)
        if cause is not VoidCause.STOPPED:
            # Kill the engines of this game: one of them may have taken what the machine lacks.
            self._failed |= set(range(self.arbiter.players))

    # --- the game

    async def _play_plies(self) -> None:
        arbiter = self.arbiter
        turn = turn_of(arbiter, self._start_text)
        while not arbiter.over:
            fault = None
            with trio.CancelScope() as alarm:
                fault = await self._play_on(turn, alarm)
            if alarm.cancelled_caught:
                fault = arbiter.seat, self._players[arbiter.seat].late()
            if fault is not None:
                await self._settle(*fault)

    async def _play_on(
        self, turn: SearchRequest, alarm: trio.CancelScope
    ) -> tuple[int, EngineError | None] | None:
        """Play until a seat makes a fault, and return it with its error; None if the game is over."""
        arbiter = self.arbiter
        self._turn_started = time.monotonic_ns()
        # The alarm is later than the budget. So an answer that comes with the alarm is late: `on_move` does
        # not play it, and no search starts in the cancelled scope.
        while not arbiter.over:
            seat = arbiter.seat
            try:
                result = await self._players[seat].think_until(alarm, turn, arbiter.go(), arbiter.budget())
            except EngineError as error:
                return seat, error
            # If this process was stopped during the search, the answer took longer than LIMIT_NS.
            if result.ended - result.started > LIMIT_NS and self._void_if_stopped(result.started):
                return None
            self._turn_started = result.ended
            if not arbiter.on_move(result.move, result.started, result.ended, result.info):
                return seat, None
            if result.ponder and self.job.seats[seat].engine.ponder and not arbiter.over:
                await self._ponder(alarm, seat, result.ponder)
            if self._observe is not None:
                self._observe(arbiter)
        return None

    async def _ponder(self, alarm: trio.CancelScope, seat: int, text: str) -> None:
        """Let the engine of ``seat`` think on, in case that its opponent plays the move ``text``."""
        arbiter = self.arbiter
        try:
            move = arbiter.position.parse_move(text)
        except MoveError:
            return
        expected = arbiter.position.play(move)
        if expected.turn != seat or expected.outcome() is not None:
            return
        turn = SearchRequest(
            self._start_text,
            [*arbiter.line, str(move)],
            arbiter.recent,
            lambda: str(expected),
            lambda: [str(legal) for legal in expected.legal_moves()],
        )
        with suppress(EngineError):  # an engine that fails now fails again in its turn
            await self._players[seat].ponder(alarm, turn, arbiter.clock.go(seat))

    async def _settle(self, seat: int, error: EngineError | None) -> None:
        """Handle a seat that failed (``error``), or whose answer the arbiter has not played (None)."""
        if error is not None and self._void_if_stopped(self._turn_started):
            return
        if isinstance(error, HubFault):
            self._on_void(VoidCause.MACHINE, str(error))
            return
        self._turn_started = 0
        if error is None:
            self._remark(seat, ": ".join(self.arbiter.last_fault))
            await self._explain(seat, self._players[seat])
        else:
            await self._on_failure(seat, self._players[seat], error)
        if self._observe is not None:
            self._observe(self.arbiter)

    async def _on_failure(self, seat: int, player: SeatedPlayer, error: EngineError) -> None:
        """Remove or forgive a seat that failed in its turn, and find out whether its engine can play on."""
        arbiter, late = self.arbiter, isinstance(error, EngineTimedOut)
        if late:
            arbiter.on_timeout(failure(error))
        else:
            arbiter.on_forfeit({seat: failure(error)})
        self._remark(seat, ": ".join(arbiter.last_fault))
        stopped = late and await player.drain()
        if not arbiter.over and arbiter.in_play(seat):
            await (self._explain(seat, player) if stopped else self._for_each_seat([seat], self._replace))
        elif not stopped:
            self._failed.add(seat)

    async def _replace(self, seat: int) -> None:
        """Start the engine of a seat again in the middle of the game, because it does not end its search."""
        spec, transcript = self.job.seats[seat].engine, self._transcripts.get(seat)
        self._pool.release(self._borrowed.pop(seat), healthy=False)
        client = await self._pool.acquire(spec, self.job.game, transcript)
        self._seat(seat, client)
        await self._new_game(seat)
        await self._pool.calm()

    async def _explain(self, seat: int, player: SeatedPlayer) -> None:
        """Send the reason to an engine whose answer was not played, if it uses the capability ``errors``."""
        try:
            await player.report_error(*self.arbiter.last_fault)
        except EngineError:
            self._failed.add(seat)

    async def _game_over(self, seat: int) -> None:
        player, verdict = self._players.get(seat), self.arbiter.verdict
        if player is None or seat in self._failed or verdict is None:
            return
        over = result_of(verdict)
        self._remark(seat, f"the game is over: {over.result}, {over.reason}")
        try:
            await player.game_over(over)
        except EngineError:
            self._failed.add(seat)  # it failed after the game: no forfeit, but the pool must replace it

    # --- after the game

    def _result(self, duration: int) -> JobFinished:
        arbiter, verdict = self.arbiter, self.arbiter.verdict
        assert verdict is not None
        seats = []
        for seat in range(arbiter.players):
            identity = self._players[seat].identity if seat in self._players else {}
            seats.append(
                SeatResult(
                    identity.get("name", ""),
                    identity.get("version", ""),
                    verdict.ranks[seat] if verdict.ranks is not None else None,
                    verdict.forfeits[seat],
                    arbiter.used[seat],
                    arbiter.clock.left_ns(seat),
                )
            )
        return JobFinished(
            self.job.id,
            verdict.termination,
            verdict.reason,
            verdict.detail,
            tuple(seats),
            tuple(arbiter.record),
            "" if self._void is VoidCause.RULES else str(arbiter.position),
            self._started_at,
            duration,
            self._void,
        )

    def _kept(self, finished: JobFinished) -> JobFinished:
        """Return the result. If the job asks for it, remove the transcripts of seats that did not lose."""
        if self.job.log_lost:
            for seat, transcript in self._transcripts.items():
                end = finished.seats[seat]
                lost = end.rank != 1 or end.forfeit is not None  # a void game may be the engine's fault
                transcript.keep(self.job.seats[seat].engine.name, self.job.log_lost if lost else 0)
        return finished


def _time_control(seat: JobSeat) -> TimeControl:
    """Return the time control of a seat. TimeControlError: it is wrong, or its engine cannot hear of it."""
    control = TimeControl.parse(seat.time_control)
    movetime = None if control.movetime_ns is None else control.movetime_ns // NS_PER_MS
    problem = limit_problem(movetime, control.nodes)
    if problem and seat.engine.dialect == "xboard":
        raise TimeControlError(f"time control {control}: an engine that speaks xboard {problem}")
    return control
