"""The worker of the door: takes submissions from the database, builds, checks and tries them.

It is a separate process with a low priority. If it is killed, the next worker takes the submission that it
had in hand, and starts over. It alone writes the file with the engines that the tournament plays.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import trio

from arena.config import EngineEntry, TournamentSpec, load_with
from arena.config.door_keys import DoorKeys
from arena.door.folder import DoorFolder
from arena.door.register import LOST_GAME, DoorRegister, State, Submission
from arena.door.upload import ArchiveLimits, engine_keys, home_command
from arena.errors import ArenaError, StoreError, leaves
from arena.model import GameRecord, TournamentRecord
from arena.records.jsonl import HEADER, write
from arena.run.engines import end_of
from arena.run.local_referees import stream_of
from arena.scoring import fault_of, game_record, seat_endings
from arena.single import decisive_turn, play_one
from protocol.errors import EngineStartError, HubFault
from protocol.process import bubblewrap, sandbox
from protocol.spec import EngineSpec, ResourceLimits
from protocol.words import counted, printable
from referee import game as find_game
from referee.check import (
    CHECKS,
    CheckResult,
    CheckStatus,
    EngineUnderTest,
    Severity,
    check_engine,
)
from referee.match.job import Job, JobFinished, JobSeat
from referee.match.time_control import TimeControl
from referee.outcome import Termination

_LOOK_SECONDS: Final = 0.3
_FAULT_SECONDS: Final = 10
_MOST_ATTEMPTS: Final = 3
_MOST_FILES: Final = 20_000
_TRIAL_GAMES: Final = 3

Tell = Callable[[str, str], Awaitable[None]]  # stores a line: its kind and its text


@dataclass(frozen=True, slots=True)
class DoorWorker:
    """The worker of a tournament's door."""

    spec: TournamentSpec
    door: DoorKeys
    register: DoorRegister
    folder: DoorFolder

    async def run(self) -> None:
        """Work until this is cancelled, unless another worker of this door is running."""
        with self.folder.locked("worker"):
            while True:
                await trio.to_thread.run_sync(self.publish)
                submission = await trio.to_thread.run_sync(self.register.take, _MOST_ATTEMPTS)
                if submission is not None:
                    await self._handle(submission)
                else:
                    await trio.sleep(_LOOK_SECONDS)

    def publish(self) -> None:
        """Tell the tournament which engines play now."""
        playing = {
            version.participant: version
            for version in self.register.submissions()
            if version.state is State.PLAYS
        }
        # In the order of the participants, and not of their versions, because schedules number engines.
        participants = self.register.participants()
        entered = [who.id for who in participants if who.state == "open" and who.id in playing]
        self.folder.publish([self._keys(playing[number]) for number in entered])

    def _keys(self, submission: Submission) -> dict[str, Any]:
        folder = self.folder.engine(submission.id)
        return engine_keys(submission.name, submission.version, submission.plan["command"], folder, self.door)

    async def _handle(self, submission: Submission) -> None:
        """Build, check and try a submission, and store what came of it."""
        fault = refusal = ""  # stored below, because Ctrl-C must have no other error as its context
        try:
            await self._try(submission)
        except* (StoreError, HubFault, OSError) as group:
            fault = str(next(leaves(group)))
        except* ArenaError as group:
            refusal = str(next(leaves(group)))
        if fault:  # it stays in hand and is taken up again
            await self._tell(submission, "end", f"this machine has a fault: {fault}")
            await trio.sleep(_FAULT_SECONDS)
        elif refusal:
            await self._tell(submission, "end", f"not admitted: {refusal}")
            await self._move_on(submission, State.REFUSED, refusal)
            await trio.to_thread.run_sync(self.folder.discard, submission.id)

    async def _try(self, submission: Submission) -> None:
        tell = partial(self._tell, submission)
        entry = await self._build(submission, tell)
        words = home_command(submission.plan["command"])
        await self._move_on(submission, State.CHECKING)
        for game in self.spec.games:
            await run_checks(entry, game, words, tell)
        await self._move_on(submission, State.PLAYING)
        for game in self.spec.games:
            await play_games(self.spec, entry, game, _TRIAL_GAMES, words, tell)
        await tell("end", f"admitted: version {submission.version} plays in the tournament now")
        await self._move_on(submission, State.PLAYS)

    async def _build(self, submission: Submission, tell: Tell) -> EngineEntry:
        """Build a submission and return its engine."""
        made = await trio.to_thread.run_sync(self.folder.read, submission.digest)
        commands = tuple(submission.plan["build"])
        if commands:
            await tell("build", "\n".join(f"$ {command}" for command in commands))
            made = await build(made, commands, self.door.building.seconds, partial(tell, "build"))
        await trio.to_thread.run_sync(self._make_room, submission, len(made))
        limits = ArchiveLimits(_BUILD_DISK, _MOST_FILES)
        await trio.to_thread.run_sync(self.folder.install, submission.id, made, limits)
        return await trio.to_thread.run_sync(load_with, self.spec.path, self._keys(submission))

    def _make_room(self, submission: Submission, size: int) -> None:
        """Remove what was built of the oldest versions, which play no more, until a new one has room."""
        room = _MOST_BUILT - size
        for version in self.register.submissions(submission.participant):
            room -= self.folder.built(version.id)
            if room < 0 and version.state in (State.REPLACED, State.REFUSED):
                self.folder.discard(version.id)

    async def _tell(self, submission: Submission, kind: str, text: str) -> None:
        shown = text if kind == "record" else self.folder.without_paths(text)
        await trio.to_thread.run_sync(self.register.note, kind, shown, submission.id)

    async def _move_on(self, submission: Submission, state: State, problem: str = "") -> None:
        shown = self.folder.without_paths(problem)
        await trio.to_thread.run_sync(self.register.move_on, submission.id, state, shown)


# --- the build

_SCRIPT: Final = """set -e
mkdir build
tar -xf - -C build
cd build
(
{commands}
) >&2 </dev/null
exec tar -chf - --hard-dereference --exclude='./target/*/deps' --exclude='./target/*/build' \
 --exclude='./target/*/incremental' --exclude=.git .
"""
"""Links become files, because only files leave the sandbox. The large folders of cargo are not needed."""

_BUILD_MEMORY: Final = 2 << 30
"""The most bytes of private writable memory of each process of a build."""

_BUILD_DISK: Final = 512 << 20
"""The most bytes that a build may write into its folder in memory, its result included."""

_MOST_BUILT: Final = 2 << 30
"""The most bytes of the disk that the built versions of a participant take."""

_PROCESSES: Final = 200
_MOST_OUTPUT: Final = 100_000
_PIECE_SECONDS: Final = 0.5


async def build(
    source: bytes, commands: tuple[str, ...], seconds: int, tell: Callable[[str], Awaitable[None]]
) -> bytes:
    """Run the commands that build a submission, and return its files and the results as a tar.

    The build never touches the disk. Its files go into the sandbox through a pipe, into a folder in memory
    with a limit; its result comes out through another pipe. No process of the build outlives it, because
    bubblewrap ends them all with the first process.
    """
    spec = EngineSpec(
        name="build",
        command=("/bin/sh", "-c", _SCRIPT.format(commands="\n".join(("set -e", *commands)))),
        limits=ResourceLimits(memory=_BUILD_MEMORY, processes=_PROCESSES),
        sandbox="bwrap",
    )
    command = sandbox.command_line(spec, size=_BUILD_DISK)
    environment = {
        **sandbox.environment(spec, bubblewrap.OWN_FOLDER),
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
    }
    process = subprocess.Popen[bytes](  # not by trio, with whose thread the kernel would soon kill it
        command,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env=environment,
        start_new_session=True,
    )
    made = bytearray()
    stdin, stdout, stderr = map(stream_of, (process.stdin, process.stdout, process.stderr))
    try:
        with trio.move_on_after(seconds) as limit:
            async with stdin, stdout, stderr, trio.open_nursery() as nursery:
                nursery.start_soon(_feed, stdin, source)
                nursery.start_soon(_listen, stderr, tell)
                async for data in stdout:
                    made += data
                    if len(made) > _BUILD_DISK:
                        nursery.cancel_scope.cancel()
                        break
                await trio.to_thread.run_sync(process.wait, abandon_on_cancel=True)
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):  # it has just ended
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if len(made) > _BUILD_DISK:
        raise ArenaError(f"the build made more than {_BUILD_DISK >> 20} MiB")
    if limit.cancelled_caught:
        raise ArenaError(f"the build did not end within {seconds} seconds")
    if process.returncode:
        raise ArenaError(f"the build failed with {end_of(process.returncode)}; its output says why")
    return bytes(made)


async def _feed(pipe: trio.abc.SendStream, source: bytes) -> None:
    async with pipe:
        with suppress(trio.BrokenResourceError):  # it has ended, or reads no more
            await pipe.send_all(source)


async def _listen(pipe: trio.abc.ReceiveStream, tell: Callable[[str], Awaitable[None]]) -> None:
    """Tell what a build prints, in pieces of half a second, up to a largest number of bytes."""
    left, ended = _MOST_OUTPUT, False
    while not ended:
        piece = bytearray()
        with trio.move_on_after(_PIECE_SECONDS):
            async for data in pipe:
                piece += data[:left]
                if 0 < left <= len(data):
                    piece += b"\n(the rest of the output is not kept)"
                left = max(0, left - len(data))
            ended = True
        if piece:
            await tell(piece.decode("utf-8", "replace"))


# --- checks, and games against the first engine of the file

_MUST: Final = frozenset(check.number for check in CHECKS if check.severity is Severity.MUST)
_OUTPUT: Final = frozenset(check.number for check in CHECKS if 501 <= check.number <= 511)
"""The checks of what an engine prints: what fails here and not in `_MUST` is a remark, and refuses nobody."""

_GAME_CONTROL: Final = TimeControl.parse("10+0.1")
"""The time control of games at the door, unless the engine has a time per move or a number of nodes."""


async def run_checks(entry: EngineEntry, game: str, words: str, tell: Tell) -> None:
    """Run the checks; ``words`` are the command line that starts the engine at home.

    ArenaError: one of severity ``must`` has failed. Another one that fails is told as a remark.
    """
    send, receive = trio.open_memory_channel[CheckResult](len(CHECKS))

    async def tell_results() -> None:
        async for result in receive:
            if result.status is not CheckStatus.SKIPPED:
                await tell(*_check_line(result))

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(tell_results)
            with send:
                report = await check_engine(
                    EngineUnderTest(entry.spec, game=game), _MUST | _OUTPUT, tell=send.send_nowait
                )
    except* EngineStartError as group:
        raise ArenaError(str(next(leaves(group)))) from None
    failed = [result for result in report.results if result.status is CheckStatus.FAILED]
    failures = [result for result in failed if result.number in _MUST]
    if failures:
        numbers = ",".join(str(result.number) for result in failures)
        await tell("home", f"arena check --game {game} --only {numbers} -- {words}")
        raise ArenaError(remark(game, *failures))
    remarks = f"; {counted(len(failed), 'remark')} above" if failed else ""
    await tell("check", f"{game}: all {len(_MUST)} checks passed{remarks}")


def remark(game: str, first: CheckResult, *others: CheckResult) -> str:
    """Say in one line which check failed first and what to do, and name those that failed too."""
    failed = f"{game}: check {first.number} failed, {first.name}: it {first.text}; advice: {first.advice}"
    if others:
        failed += "; also failed: " + ", ".join(f"{result.number} {result.name}" for result in others)
    return printable(failed)


def _check_line(result: CheckResult) -> tuple[str, str]:
    if result.status is not CheckStatus.FAILED:
        return "check", f"{result.number} {result.name}: {result.status}"
    evidence = "".join(f"\n    {line}" for line in result.evidence)
    if result.number not in _MUST:
        return "remark", f"remark: {result.number} {result.name}: it {result.text}\nadvice: {result.advice}"
    return "failed", f"{result.number} {result.name}: it {result.text}\nadvice: {result.advice}{evidence}"


async def play_games(
    spec: TournamentSpec, entry: EngineEntry, game: str, games: int, words: str, tell: Tell
) -> None:
    """Play games against the first engine of the file; an ArenaError says that it lost a game by a fault."""
    info = find_game(game).info
    sample = next(other for other in spec.engines if game in other.games)
    control = entry.time_control
    if control.movetime_ns is None and control.nodes is None:
        control = _GAME_CONTROL
    for done in range(games):
        seat = done % info.players
        seats = tuple(
            JobSeat((entry if place == seat else sample).spec, str(control)) for place in range(info.players)
        )
        job = Job(
            id=f"door-{done + 1}", game=game, seats=seats, setup=spec.setup.get(game),
            adjudication=spec.adjudication, forgive=spec.forgive, seed=f"{spec.seed} {done}",
        )  # fmt: skip
        finished = await play_one(job, {}, lambda _: None, lambda _name, _text: None)
        if finished.termination is Termination.VOID:
            raise HubFault(finished.detail)
        number = f"{game}, game {done + 1}"
        await tell("game", f"{number} of {games}: {_result(finished, seat)}")
        forfeit = finished.seats[seat].forfeit
        if forfeit is not None and forfeit.is_forfeit:
            record = game_record(job, finished, tournament=f"the door of {spec.name}")
            if turn := decisive_turn(record, seat):
                await tell("record", _for_home(record))
                stored = f"arena import {LOST_GAME} --db lost.db"
                again = f"arena check --turn 1:{turn} --trace --db lost.db -- {words}"
                await tell("home", f"{stored}; {again}")
            raise ArenaError(f"{number}: it lost by {forfeit}: {fault_of(finished.detail, seat)}")


def _for_home(record: GameRecord) -> str:
    """Return a game as JSON lines, without the programs and options of the others, which stay secret."""
    tournament = TournamentRecord(record.result.tournament, record.started, {})
    players = tuple(replace(player, program="", options=None) for player in record.result.players)
    shown = replace(record, result=replace(record.result, id=None, players=players))
    return HEADER + write(tournament) + write(shown)


def _result(finished: JobFinished, seat: int) -> str:
    word = {"won": "won", "drew": "drawn"}.get(seat_endings(finished.seats)[seat], "lost")
    why = finished.reason or finished.termination
    return f"{word} from seat {seat + 1} after {len(finished.record)} plies ({why})"
