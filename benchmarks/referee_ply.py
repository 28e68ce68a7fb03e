"""Measure the CPU time of the referee for a ply, and compare it with a bare exchange of lines.

All processes share one processor. Two C engines answer at once from a fixed legal game of 200 plies, of
Quoridor or of chess, so the figures contain only rules, clocks, protocol and events.

    .venv/bin/python benchmarks/referee_ply.py [--runs 5] [--games 60] [--cpu 0]
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import chess
import trio

from protocol.spec import EngineSpec
from referee import game
from referee.match.adjudication import Adjudication
from referee.match.job import Job, JobFinished, JobSeat, OrderRefused, QuitOrder, decode_event, encode

PLIES = 200
LIMITS = Adjudication(plies=PLIES)
HERE = Path(__file__).parent
QUESTION = b"position startpos\ngo p1time 1000 p2time 1000 p1inc 0 p2inc 0\n"


def fixed_game() -> list[str]:
    """Return a legal game of `PLIES` plies with all walls placed; it neither ends nor repeats a position."""
    for seed in range(1000):
        rng = random.Random(seed)
        position = game("quoridor").start()
        seen = {position.key()}
        moves: list[str] = []
        while len(moves) < PLIES:
            choices = [(str(move), move) for move in position.legal_moves()]
            walls = [choice for choice in choices if len(choice[0]) == 3]
            steps = [choice for choice in choices if len(choice[0]) == 2]
            pool = walls if walls and rng.random() < 0.3 else steps
            rng.shuffle(pool)
            for _, move in pool:
                after = position.play(move)
                if after.outcome() is None and after.key() not in seen:
                    break
            else:
                break
            position = after
            seen.add(position.key())
            moves.append(str(move))
        if len(moves) == PLIES:
            return moves
    raise AssertionError("no such game among 1000 seeds")


def fixed_chess_game() -> list[str]:
    """Return a legal game of `PLIES` plies of chess in which nobody can claim a draw."""
    for seed in range(1000):
        rng = random.Random(seed)
        board, moves = chess.Board(), list[str]()
        while len(moves) < PLIES:
            quiet = [move for move in board.legal_moves if not board.is_capture(move)]
            pawns = [move for move in quiet if board.piece_type_at(move.from_square) == chess.PAWN]
            if not quiet:
                break
            board.push(rng.choice(pawns if pawns and rng.random() < 0.1 else quiet))
            moves.append(board.peek().uci())
            if board.outcome() is not None or board.is_repetition(3) or board.halfmove_clock >= 99:
                break
        else:
            return moves
    raise AssertionError("no such game among 1000 seeds")


def own_seconds() -> float:
    """Return the CPU seconds of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def process_seconds(pid: int) -> float:
    """Return the CPU seconds of all threads of a process, exact to the nanosecond."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def blocking_ping_pong(engine: list[str], count: int) -> float:
    """Return the microseconds of CPU time for a question and its answer, with blocking reads and writes."""
    with subprocess.Popen(engine, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None and process.stdout is not None
        out, back = process.stdin.fileno(), process.stdout.fileno()
        begin = own_seconds()
        for _ in range(count):
            os.write(out, QUESTION)
            os.read(back, 65536)
        cost = own_seconds() - begin
        process.stdin.close()
    return cost / count * 1e6


def trio_ping_pong(engine: list[str], count: int) -> float:
    """Return the microseconds of CPU time for a question and its answer, with trio's streams."""

    async def run() -> float:
        process = await trio.lowlevel.open_process(engine, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None and process.stdout is not None
        begin = own_seconds()
        for _ in range(count):
            await process.stdin.send_all(QUESTION)
            await process.stdout.receive_some(65536)
        cost = own_seconds() - begin
        await process.stdin.aclose()
        await process.wait()
        return cost / count * 1e6

    return trio.run(run)


def referee_ply(
    engine: list[str], game_id: str, sync: str, games: int, limits: Adjudication = LIMITS
) -> float:
    """Return the microseconds of the referee's CPU time for a ply, over ``games`` games after a first one.

    Each game has as many plies as ``limits`` allow.
    """
    command = [sys.executable, "-m", "referee"]
    dialect = "uci" if game_id == "chess" else "ugi"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        seats = tuple(
            JobSeat(
                EngineSpec(name, tuple(engine), dialect=dialect, sync=sync),  # type: ignore[arg-type]  # Literals
                "60+0.6",
            )
            for name in ("a", "b")
        )
        begin = 0.0
        for number in range(games + 1):
            process.stdin.write(encode(Job(str(number), game_id, seats, adjudication=limits)))
            process.stdin.flush()
            for line in process.stdout:
                event = decode_event(line)
                assert not isinstance(event, OrderRefused), event
                if isinstance(event, JobFinished):
                    assert (event.reason, len(event.record)) == ("length", limits.plies), event
                    break
            if number == 0:
                begin = process_seconds(process.pid)
        cost = process_seconds(process.pid) - begin
        process.stdin.write(encode(QuitOrder()))
        process.stdin.close()
        process.stdout.read()
    assert isinstance(limits.plies, int)
    return cost / games / limits.plies * 1e6


def main() -> None:
    """Run all measurements in turn, several times, and print medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    options = parser.parse_args()
    os.sched_setaffinity(0, {options.cpu})
    figures: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-O2", "-o", f"{folder}/instant", HERE / "instant.c"], check=True)
        Path(folder, "quoridor").write_text(" ".join(fixed_game()))
        Path(folder, "chess").write_text(" ".join(fixed_chess_game()))
        engine, chess_engine = ([f"{folder}/instant", f"{folder}/{name}"] for name in ("quoridor", "chess"))
        for _ in range(options.runs):
            plies = options.games * PLIES
            for name, figure in (
                ("bare blocking ping-pong", blocking_ping_pong(engine, plies)),
                ("bare trio ping-pong", trio_ping_pong(engine, plies)),
                ("quoridor, isready every move", referee_ply(engine, "quoridor", "move", options.games)),
                ("quoridor, sync = game", referee_ply(engine, "quoridor", "game", options.games)),
                ("chess, isready every move", referee_ply(chess_engine, "chess", "move", options.games)),
                ("chess, sync = game", referee_ply(chess_engine, "chess", "game", options.games)),
            ):
                figures.setdefault(name, []).append(figure)
    unit = statistics.median(figures["bare trio ping-pong"])
    print(f"{'CPU time per ply, median of ' + str(options.runs):32} {'µs':>8} {'min':>8} {'max':>8}  × trio")
    for name, values in figures.items():
        median = statistics.median(values)
        print(f"{name:32} {median:8.1f} {min(values):8.1f} {max(values):8.1f}  {median / unit:6.2f}")


if __name__ == "__main__":
    main()
