"""Compare the wall time of whole tournaments with fastchess and c-chess-cli, in one run.

    .venv/bin/python benchmarks/managers.py --fastchess PATH --c-chess-cli PATH [--runs 5]

A manager without a path is left out. There are two measurements:

- Stockfish against itself with 100 nodes a move, two games at once, each opening twice: the figure depends
  mostly on how much the engines must read.
- Engines in C that answer at once from a fixed legal game, on one processor, one game at a time: only the
  managers count. Arena plays chess and Quoridor twice each: with `isready` once a game, and with `isready`
  before every move.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import chess
from referee_ply import PLIES, fixed_chess_game, fixed_game

HERE = Path(__file__).parent
OPENING_PLIES = 8
NODES = 100


def openings(count: int) -> str:
    """Return positions after random moves, one a line."""
    rng, lines = random.Random(1), list[str]()
    while len(lines) < count:
        board = chess.Board()
        for _ in range(OPENING_PLIES):
            board.push(rng.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        else:
            lines.append(board.fen())
    return "\n".join(lines) + "\n"


class Contest:
    """The commands of the managers for one tournament.

    Args:
        folder: for the files.
        engine: the engine's command.
        games: how many games to play.
        limits: the limits of fastchess and of c-chess-cli, and the time control of arena.
        concurrency: how many games run at once.
        book: whether the games begin from the file ``book.epd``.
    """

    def __init__(
        self,
        folder: Path,
        engine: list[str],
        games: int,
        limits: tuple[str, str, str],
        concurrency: int,
        book: bool,
    ) -> None:
        self._folder = folder
        self._engine = engine
        self._games = games
        self._limits = limits
        self._concurrency = concurrency
        self._book = book

    def fastchess(self, path: str) -> list[str]:
        """Return the command of fastchess."""
        program, *arguments = self._engine
        engine = [f"cmd={program}", *([f"args={' '.join(arguments)}"] if arguments else [])]
        book = ["-openings", "file=book.epd", "format=epd", "order=sequential"] if self._book else []
        return [
            *(path, "-engine", "name=a", *engine, "-engine", "name=b", *engine),
            *("-each", *self._limits[0].split(), "proto=uci"),
            *(*book, "-rounds", str(self._games // 2), "-games", "2", "-repeat"),
            *("-maxmoves", str(PLIES // 2), "-concurrency", str(self._concurrency), "-recover"),
        ]

    def c_chess_cli(self, path: str) -> list[str]:
        """Return the command of c-chess-cli. It has no limit of moves, so it plays only from a book."""
        book = ["-openings", "file=book.epd", "-repeat"] if self._book else []
        return [
            *(path, "-each", f"cmd={' '.join(self._engine)}", *self._limits[1].split()),
            *("-engine", "name=a", "-engine", "name=b", *book),
            *("-games", str(self._games), "-concurrency", str(self._concurrency)),
        ]

    def arena(
        self, game: str, sync: str = "game", position: str = "short", *, pinned: bool = False
    ) -> list[str]:
        """Return the command of arena, and write its tournament file."""
        book = '[openings]\nkind = "list"\nfile = "book.epd"\n' if self._book else ""
        engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = {self._engine}\n' for name in "ab")
        dialect = "uci" if game == "chess" else "ugi"
        name = f"{game}-{sync}-{position}"
        self._folder.joinpath("arena.db").unlink(missing_ok=True)
        self._folder.joinpath(f"{name}.toml").write_text(
            f'game = "{game}"\ngames_per_pairing = {self._games}\ntime_control = "{self._limits[2]}"\n'
            f"concurrency = {self._concurrency}\naffinity = {str(pinned).lower()}\n"
            f'[adjudication]\nplies = {PLIES}\n{book}[defaults]\ndialect = "{dialect}"\nsync = "{sync}"\n'
            f'position = "{position}"\n{engines}'
        )
        return [sys.executable, "-m", "arena", "run", f"{name}.toml", "--quiet"]

    def seconds(self, command: list[str]) -> float:
        """Return the wall time of a command."""
        begin = time.perf_counter()
        subprocess.run(command, cwd=self._folder, check=True, capture_output=True)
        return time.perf_counter() - begin


def search(options: argparse.Namespace, folder: Path) -> None:
    """Measure games of Stockfish."""
    Path(folder, "book.epd").write_text(openings(options.games // 2))
    limits = (f"tc=inf nodes={NODES}", f"nodes={NODES}", f"nodes={NODES}")
    contest = Contest(folder, [options.stockfish], options.games, limits, 2, book=True)
    managers: dict[str, Callable[[], list[str]]] = {
        "arena": lambda: contest.arena("chess"),
        'arena, sync = "move"': lambda: contest.arena("chess", "move"),
        'arena, position = "moves"': lambda: contest.arena("chess", position="moves"),
    }
    if options.fastchess:
        managers["fastchess"] = lambda: contest.fastchess(options.fastchess)
    if options.c_chess_cli:
        managers["c-chess-cli"] = lambda: contest.c_chess_cli(options.c_chess_cli)
    figures: dict[str, list[float]] = {}
    for _ in range(options.runs):
        for name, command in managers.items():
            figures.setdefault(name, []).append(contest.seconds(command()))
    show(f"Stockfish, {NODES} nodes, {options.games} games, two at once: seconds", figures, 1)


def instant(options: argparse.Namespace, folder: Path) -> None:
    """Measure games between engines that answer at once, on one processor."""
    os.sched_setaffinity(0, {options.cpu})
    subprocess.run(["cc", "-O2", "-o", f"{folder}/instant", HERE / "instant.c"], check=True)
    contests = {}
    for name, moves in (("chess", fixed_chess_game()), ("quoridor", fixed_game())):
        Path(folder, name).write_text(" ".join(moves))
        engine = [f"{folder}/instant", f"{folder}/{name}"]
        contests[name] = Contest(
            folder, engine, options.instant_games, ("tc=60+0.6", "tc=60+0.6", "60+0.6"), 1, book=False
        )
    figures: dict[str, list[float]] = {}
    for _ in range(options.runs):
        for game, contest in contests.items():
            for sync in ("game", "move"):
                figures.setdefault(f'arena, {game}, sync = "{sync}"', []).append(
                    contest.seconds(contest.arena(game, sync))
                )
        if options.fastchess:
            chess_games = contests["chess"]
            figures.setdefault("fastchess, chess", []).append(
                chess_games.seconds(chess_games.fastchess(options.fastchess))
            )
    plies = options.instant_games * PLIES
    show(f"{options.instant_games} games of {PLIES} plies on one processor: µs a ply", figures, 1e6 / plies)


def show(title: str, figures: dict[str, list[float]], scale: float) -> None:
    """Print medians, and their ratios to the median of fastchess."""
    unit = next((statistics.median(values) for name, values in figures.items() if "fastchess" in name), None)
    print(f"\n{title:62} {'median':>8} {'min':>8} {'max':>8}  × fastchess")
    for name, values in figures.items():
        median = statistics.median(values)
        ratio = "" if unit is None else f"{median / unit:6.2f}"
        print(
            f"{name:62} {median * scale:8.2f} {min(values) * scale:8.2f} {max(values) * scale:8.2f}  {ratio}"
        )


def main() -> None:
    """Run both measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fastchess", metavar="PATH")
    parser.add_argument("--c-chess-cli", metavar="PATH")
    parser.add_argument("--stockfish", metavar="PATH", default="/usr/games/stockfish")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--games", type=int, default=600, help="games of Stockfish")
    parser.add_argument("--instant-games", type=int, default=400)
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        search(options, Path(folder))
        instant(options, Path(folder))


if __name__ == "__main__":
    main()
