"""Tests of the compiled engines with their own rules: they agree with the referee, and play games."""

from __future__ import annotations

import json
import random
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee import MoveError, Position, game
from tests.arena.forked import arena
from tests.engines.test_samples import WON
from tests.missing_tools import needs
from tests.rights import without_root_warning
from tests.seeds import seeds

pytestmark = pytest.mark.system

ENGINES = Path(__file__).parents[2] / "engines"
PATIENCE = 120  # seconds, long enough for a busy machine

# folder: the program; the compiler; flags for a quick build without warnings; games
NATIVE = {
    "cpp-alphabeta": (
        "build/alphabeta",
        "c++",
        "CXXFLAGS=-O0 -Werror",
        ("movers-hoppers", "movers-hoppers-expert", "rampants", "eclaircissement"),
    ),
    "rust-hops": ("build/hops", "rustc", "RUSTFLAGS=-C opt-level=0 -D warnings", ("hops",)),
}
SLOW = ("cpp-alphabeta",)
"""Engines whose build takes seconds of processor time: `make test-slow` tests them."""


def marks(name: str) -> list[pytest.MarkDecorator]:
    return [needs(NATIVE[name][1]), *([pytest.mark.slow] if name in SLOW else [])]


GAMES = [
    pytest.param(name, game_id, marks=marks(name)) for name, (*_, ids) in NATIVE.items() for game_id in ids
]
EVERY = pytest.mark.parametrize(("name", "game_id"), GAMES)

PERFT = {
    "movers-hoppers": (20, 400, 2420, 14641),
    "movers-hoppers-expert": (64, 4096, 24640),
    "rampants": (20, 400, 2420, 14641),
    "eclaircissement": (16, 280, 6384),
    "hops": (100, 21600),
}
FEW = {"hops": 1}
"""The number of random games, for games in which one has tens of thousands of moves to compare."""
SELDOM = {"hops": 0.92}
"""The share of positions that are left out, for games whose texts are slow to read and write."""
Build = Callable[[str], Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that gives the program of an engine, and builds it at the first call."""
    built: dict[str, Path] = {}

    def program(name: str) -> Path:
        path, _, flags, _ = NATIVE[name]
        if name not in built:
            folder = tmp_path_factory.mktemp("native") / name
            shutil.copytree(ENGINES / name, folder, ignore=shutil.ignore_patterns("build"))
            subprocess.run(["make", "-s", flags], cwd=folder, check=True)
            built[name] = folder / path
        return built[name]

    return program


class Asked:
    """A running engine that answers queries."""

    def __init__(self, process: subprocess.Popen[str], game_id: str) -> None:
        self._process = process
        self.send(f"setoption name UGI_Game value {game_id}")

    def send(self, line: str) -> None:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def until(self, word: str) -> str:
        """Return the rest of the next line that starts with the word."""
        while not (line := self._process.stdout.readline()).startswith(word):
            assert line, f"the engine ended before it said {word}"
        return line.removeprefix(word).strip()

    def ask(self, question: str) -> str:
        self.send(f"query {question}")
        return self.until("response")

    def choose(self, limit: str) -> str:
        self.send(f"go {limit}")
        return self.until("bestmove")


@contextmanager
def asked(program: Path, game_id: str) -> Iterator[Asked]:
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Asked(process, game_id)
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


def positions(game_id: str, games: int) -> Iterator[Position]:
    """Yield the positions of random games, with their last ones."""
    for seed in seeds(games):
        rng = random.Random(seed)
        position: Position = game(game_id).start()
        for _ in range(80):
            yield position
            if position.outcome() is not None:
                break
            position = position.play(rng.choice(list(position.legal_moves())))


def counted(program: Path, game_id: str, depth: int) -> str:
    command = [program, "perft", game_id, str(depth)]
    return subprocess.run(command, capture_output=True, text=True).stdout


@EVERY
def test_it_counts_what_the_referee_counts(build, name, game_id):
    for depth, lines in enumerate(PERFT[game_id], 1):
        assert counted(build(name), game_id, depth) == f"{lines}\n"


@EVERY
def test_it_agrees_with_the_referee_on_moves_positions_and_ends(build, name, game_id):
    rng = random.Random(seeds(1)[0])
    with asked(build(name), game_id) as engine:
        for position in positions(game_id, FEW.get(game_id, 8)):
            if position.outcome() is None and rng.random() < SELDOM.get(game_id, 0.0):
                continue
            engine.send(f"position fen {position}")
            legal = [str(move) for move in position.legal_moves()]
            assert (str(position), sorted(engine.ask("legal").split())) == (str(position), sorted(legal))
            assert engine.ask("fen") == str(position)
            assert engine.ask("turn") == str(position.turn + 1)
            outcome = position.outcome()
            assert engine.ask("gameover") == str(outcome is not None).lower()
            expected = "none" if outcome is None else f"p{outcome.winner + 1}win"
            assert engine.ask("result") == expected


def is_legal(position: Position, text: str) -> bool:
    try:
        position.parse_move(text)
    except MoveError:
        return False
    return True


@pytest.mark.parametrize(
    ("start", "texts"),
    [
        ("7/3brrr/3Rbrr/5br/3bbbb/7/7 b", "e5*c5e7e5,d3d2 d3d2,e5*c5e7e5 e5*c5e7e5c5,d3d2 e5c5e7e5,d3d2"),
        ("7/7/7/3rbbb/3R2r/3bbbr/3rrrb r", "d3f5f3d5d3f5,d1c1 d3f5f3d5d3,d1c1 g3g5e3g5g3e3*c3,d1c1"),
        ("1r1rrrr/1rr4/7/7/1b5/7/b1bBbbb r", "e7c7a7c5c7a5,b6a6 e7c7a7c5c7,g7g6 e7c7a7c5c7e7,g7g6"),
    ],
)
@pytest.mark.parametrize("name", [pytest.param("rust-hops", marks=marks("rust-hops"))])
def test_a_path_of_hops_comes_back_to_a_square_as_the_referee_allows(build, name, start, texts):
    position = game("hops").parse_position(start)
    with asked(build(name), "hops") as engine:
        engine.send(f"position fen {position}")
        answers = {text: engine.ask(f"islegal {text}") == "true" for text in texts.split()}
        assert answers == {text: is_legal(position, text) for text in texts.split()}
        assert set(answers.values()) == {True, False}
        assert sorted(engine.ask("legal").split()) == sorted(str(move) for move in position.legal_moves())


@EVERY
def test_it_does_not_lose_a_real_game_against_chance_by_the_clock(build, name, game_id, tmp_path):
    program, chance = build(name), ENGINES / "python-random" / "engine.py"
    seats = ["--seat", str(program), "--seat", shlex.join([sys.executable, str(chance)])]
    control = ("--time-control", "0.5+0.005")
    done = arena("play", game_id, *seats, *control, "--json", "--quiet", cwd=tmp_path, timeout=PATIENCE)
    assert (done.returncode, without_root_warning(done.stderr)) == (0, "")
    mine, other = json.loads(done.stdout)["seats"]
    assert (mine["forfeit"], other["forfeit"]) == (None, None)
    assert mine["rank"] == 1  # the random engine draws very rarely, by shutting itself in


@EVERY
@pytest.mark.parametrize("limit", ["movetime 30", "depth 2", "nodes 1", "p1time 1 p2time 1 p1inc 0 p2inc 0"])
def test_it_wins_immediately_when_it_can_with_any_limit(build, name, game_id, limit):
    position = game(game_id).parse_position(WON[game_id])
    with asked(build(name), game_id) as engine:
        engine.send(f"position fen {position}")
        text = engine.choose(limit)
    outcome = position.play(position.parse_move(text)).outcome()
    assert outcome is not None
    assert outcome.winner == position.turn
