"""One game between real engines: the only place where the arbiter and the clients meet."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import trio

from protocol.errors import (
    EngineError,
    EngineTimedOut,
    HubFault,
)
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchRequest
from protocol.hub.transcript import Transcript
from protocol.spec import EngineSpec
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.heartbeat import LIMIT_NS, Heartbeat
from referee.match.job import Job, JobFinished, RunningGame, SeatResult
from referee.match.pool import EnginePool
from referee.match.seats import SeatedPlayer, check_seatable, fault_of, gameinfo, result_of, turn_of
from referee.match.time_control import NS_PER_MS, TimeControl
from referee.outcome import Termination
from referee.registry import game as find_game

__all__ = ["RefereedGame", "SeatLineObserver"]

SeatLineObserver = Callable[[int, float, str, str], None]
"""Called with each line of a dialogue: the seat, then what `protocol.hub.transcript.LineObserver` gets."""


class RefereedGame:
    """One job being played.

    Args:
        job: what to play.
        pool: where the engines come from and go back to.
        started: is called when all engines are ready, before the first ``go``.
        people: players of seats that need no engine from the pool, by seat.
        observe: is called after every move and every removal, for whoever follows the game.
        trace: is told every line between the referee and the engines, as it comes.
        heartbeat: knows whether this process was stopped, which makes the game void.

    Raises:
        RefereeError, ValueError: the job cannot be played as it stands (an unknown game, a damaged position,
            an illegal opening, a bad time control, the wrong number of seats).
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
        self._begin = self._turn_began = time.monotonic_ns()
        self._pool = pool
        self._started = started
        rules = find_game(job.game)
        if len(job.seats) != rules.info.players:
            raise ValueError(f"{job.game} has {rules.info.players} seats, not {len(job.seats)}")
        start = rules.start(job.setup) if job.position is None else rules.parse_position(job.position)
        self._controls = [TimeControl.parse(seat.time_control) for seat in job.seats]
        clock = Clock(
            self._controls,
            [seat.engine.margin * NS_PER_MS for seat in job.seats],
        )
        self.arbiter = Arbiter(rules, start, job.moves, clock, job.adjudication)
        self._start_text = None if job.position is None and job.setup is None else str(start)
        self._borrowed: dict[int, EngineClient] = {}
        self._players: dict[int, SeatedPlayer] = dict(people or {})
        self._failed: set[int] = set()

    def running(self) -> RunningGame:
        """The state of the game now, for people who watch."""
        arbiter = self.arbiter
        clocks = tuple(arbiter.clock.left_ns(seat) // NS_PER_MS for seat in range(arbiter.players))
        return RunningGame(self.job.id, arbiter.plies, arbiter.seat, clocks)

    async def play(self) -> JobFinished:
        """Play the game to its end; engine failures end up in the result, never in an exception."""
        begun = time.time()
        first_go = time.monotonic_ns()
        try:
            with ExitStack() as transcripts:
                await self._for_each_seat(lambda seat: self._acquire(seat, transcripts))
                await self._for_each_seat(self._new_game)
                first_go = time.monotonic_ns()
                self._started()
                await self._play_plies()
                for seat in range(self.arbiter.players):
                    await self._game_over(seat)
        finally:
            for seat, client in self._borrowed.items():
                self._pool.release(client, healthy=seat not in self._failed and self.arbiter.over)
        return self._result(begun, time.monotonic_ns() - first_go)

    # --- before the first move

    async def _for_each_seat(self, step: Callable[[int], object]) -> None:
        """Do ``step`` for all seats at once; the seats that fail forfeit together."""
        faults: dict[int, tuple[Termination, str]] = {}

        async def guarded(seat: int) -> None:
            try:
                await step(seat)  # type: ignore[misc]  # every step is an async function of a seat
            except HubFault as error:
                self.arbiter.on_void(str(error))
            except OSError as error:
                self.arbiter.on_void(f"the transcript cannot be written: {error}")
            except EngineError as error:
                faults[seat] = (fault_of(error), str(error))

        async with trio.open_nursery() as nursery:
            for seat in range(self.arbiter.players):
                nursery.start_soon(guarded, seat)
        for seat, (termination, detail) in faults.items():
            self._remark(seat, f"{termination}: {detail}")
        if faults and self.arbiter.verdict is None and not self._void_if_stopped(self._begin):
            self.arbiter.on_forfeit(dict(sorted(faults.items())))
        self._failed |= set(faults)

    async def _acquire(self, seat: int, transcripts: ExitStack) -> None:
        if seat in self._players:
            return
        spec = self.job.seats[seat].engine
        transcript = self._open_transcript(seat, spec)
        if transcript is not None:
            self._transcripts[seat] = transcripts.enter_context(transcript)
            where = f"game {self.job.id}, {self.job.game}, seat {seat + 1}"
            transcript.note("#", f"{where}, {spec.name}: {shlex.join(spec.command)}")
        client = await self._pool.acquire(spec, self.job.game, transcript)
        self._players[seat] = self._borrowed[seat] = client
        if transcript is not None and client.games:
            transcript.note("#", "runs since an earlier game: its handshake is written down there")
        check_seatable(client, self.arbiter.players)

    def _open_transcript(self, seat: int, spec: EngineSpec) -> Transcript | None:
        """Where the dialogue of ``seat`` is written down, if anywhere."""
        watch = None if self._trace is None else partial(self._trace, seat)
        if self.job.log is None:
            return None if watch is None else Transcript(watch=watch, begin=self._begin)
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in spec.name)
        file = Path(self.job.log) / f"{self.job.id}-{seat + 1}-{name}.log"
        return Transcript(file, watch, begin=self._begin)

    def _remark(self, seat: int, text: str) -> None:
        """Write down in a seat's transcript what the referee made of it."""
        if seat in self._transcripts:
            self._transcripts[seat].note("#", text)

    async def _new_game(self, seat: int) -> None:
        player = self._players.get(seat)
        if player is None or self.arbiter.over:
            return
        margin = self.job.seats[seat].engine.margin
        items = gameinfo(self.job.id, self.job.game, self.arbiter.clock, self._controls, margin, seat)
        await player.new_game(items, self._transcripts.get(seat))

    def _void_if_stopped(self, began: int) -> bool:
        """End the game as void if this process was stopped since then, and say whether it was."""
        if self._heartbeat is None or not self._heartbeat.stopped_since(began):
            return False
        seconds = self._heartbeat.stopped / 1e9
        self.arbiter.on_void(f"the referee was stopped for {seconds:.1f} s, and the clocks ran on")
        return True

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
        """Play until a seat fails or is removed, and say which; None at the end of the game."""
        arbiter = self.arbiter
        self._turn_began = time.monotonic_ns()
        # An answer that comes together with the alarm is past its budget, so its seat is removed below.
        while not arbiter.over:
            seat = arbiter.seat
            try:
                thought = await self._players[seat].think_until(alarm, turn, arbiter.go(), arbiter.budget())
            except EngineError as error:
                return seat, error
            # A stop that was as long as it takes to count made this answer late by as much.
            if thought.ended - thought.started > LIMIT_NS and self._void_if_stopped(thought.started):
                return None
            self._turn_began = thought.ended
            arbiter.on_move(thought.move, thought.started, thought.ended, thought.info)
            if not arbiter.in_play(seat):
                return seat, None
            if self._observe is not None:
                self._observe(arbiter)
        return None

    async def _settle(self, seat: int, error: EngineError | None) -> None:
        """See to a seat that failed, or that the arbiter removed."""
        if error is not None and self._void_if_stopped(self._turn_began):
            return
        if error is None:
            self._remark(seat, ": ".join(self.arbiter.last_fault))
            await self._explain(seat, self._players[seat])
        else:
            self._remark(seat, f"{fault_of(error)}: {error}")
            await self._remove(seat, self._players[seat], error)
        if self._observe is not None:
            self._observe(self.arbiter)

    async def _remove(self, seat: int, player: SeatedPlayer, error: EngineError) -> None:
        """A seat failed in its turn: judge it, and see whether its process can play other games."""
        if isinstance(error, EngineTimedOut):
            self.arbiter.used[seat] += self.arbiter.budget()
        self.arbiter.on_forfeit({seat: (fault_of(error), str(error))})
        if not isinstance(error, EngineTimedOut) or not await player.drain():
            self._failed.add(seat)

    async def _explain(self, seat: int, player: SeatedPlayer) -> None:
        """Tell a removed engine why, if it asked for that."""
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
            self._failed.add(seat)  # it ended after the game had: no forfeit, but no more games with it

    # --- after it

    def _result(self, begun: float, duration: int) -> JobFinished:
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
            str(arbiter.position),
            begun,
            duration,
        )
