"""Tests of the sample engines: each runs as a real process, from a copy of its folder."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import trio

from protocol.hub.client import EngineClient
from protocol.hub.search import SearchRequest
from protocol.process.engine_process import EngineProcess
from protocol.spec import EngineSpec, Timeouts
from protocol.wire.messages import Go
from referee import game
from referee.game import Position
from referee.registry import BUILT_IN
from tests.missing_tools import needs
from tests.seeds import seeds

pytestmark = pytest.mark.system

ENGINES = Path(__file__).parents[2] / "engines"
PATIENCE = 180  # seconds, long enough for a busy machine

# folder: the command, in that folder; the tools that it needs; the games that it plays
SAMPLES = {
    "python-random": ((sys.executable, "engine.py"), (), tuple(BUILT_IN)),
    "python-greedy": ((sys.executable, "engine.py"), (), tuple(BUILT_IN)),
    "python-alphabeta": ((sys.executable, "engine.py"), (), tuple(BUILT_IN)),
    "c-alphabeta": (("build/alphabeta",), ("cc",), ("quoridor",)),
}
NATIVE = ("cpp-alphabeta", "rust-hops")  # tested in test_native.py
ALIKE = ("movers-hoppers-expert", "rampants", "rodeurs-diagonal")
"""Games that an engine plays by the code of another game: `make test-slow` tests them."""
SAME_MOVES = {"python-random": {*BUILT_IN} - {"quoridor", "quoridor4", "hops"}}
"""Games for which an engine has no code of its own: `make test-slow` tests them, too."""
THINKERS = ("python-greedy", "python-alphabeta", "c-alphabeta")

# Positions in which the player to move can win immediately.
WON = {
    "movers-hoppers": "MMM/HH1/2M/3/hhh/mmm/3/3 w",
    "movers-hoppers-expert": "3/3/3/HHH/MMM/m2/1hh/mmm r",
    "rampants": "MMM/HH1/2M/3/hhh/mmm/3/3 w",
    "eclaircissement": "WWWWW/W3W/1W3/r1r1r/rrrrr w",
    "quatre-en-ligne": "WWW__/____W/wwrrr/rrr__ 0,0 0 0 w",
    "rodeurs": "wbwbwbw/bwbwbwb/wbwbwbw/bwbwbwb/-------/wbwbwbw/bwbwbwb/wbwbwbw/bwbwbwb "
    "r5y/1r5/2g2g1/g5y/7/7/1ry4/3g1y1/6g 1",
    "rodeurs-diagonal": "wbwbwbw/bwbwbwb/wbwbwbw/bwbwbwb/-------/wbwbwbw/bwbwbwb/wbwbwbw/bwbwbwb "
    "2g1y1g/7/3r3/6y/5gr/g1y4/6g/gr5/4r2 1",
    "hops": "rrrBrrr/r6/7/7/7/7/bbb1bbb b",
}


def sample(name: str, *others: str):
    """The values of a test's parameters, the first of which is a sample."""
    slow = [pytest.mark.slow] if {*others} & {*ALIKE, *SAME_MOVES.get(name, ())} else []
    return pytest.param(name, *others, marks=[needs(*SAMPLES[name][1]), *slow])


@pytest.fixture(scope="session")
def start_folder(tmp_path_factory: pytest.TempPathFactory):
    """Return a function that copies a sample's folder, builds the engine, and returns its configuration."""
    specs: dict[str, EngineSpec] = {}

    def prepare(name: str) -> EngineSpec:
        command, _, _ = SAMPLES[name]
        if name not in specs:
            folder = tmp_path_factory.mktemp("engines") / name
            shutil.copytree(ENGINES / name, folder, ignore=shutil.ignore_patterns("build", "__pycache__"))
            if (folder / "Makefile").exists():
                subprocess.run(["make", "-s", "CFLAGS=-O1 -Werror"], cwd=folder, check=True)
            specs[name] = EngineSpec(
                name, command, cwd=str(folder), timeouts=Timeouts(handshake=60, ready=60)
            )
        return specs[name]

    return prepare


@asynccontextmanager
async def started(spec: EngineSpec, game_id: str) -> AsyncIterator[EngineClient]:
    """Start an engine and do the handshake; end the engine at the end."""
    client = EngineClient(spec, await EngineProcess.start(spec))
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.supervise)
            try:
                await client.handshake(game_id)
                yield client
            finally:
                await client.close()
                nursery.cancel_scope.cancel()


async def ask(client: EngineClient, position: Position, start: str | None, moves: list[str], go: Go) -> str:
    legal = [str(move) for move in position.legal_moves()]
    thought = await client.think(
        SearchRequest(start, moves, lambda: None, lambda: str(position), lambda: legal),
        go,
        PATIENCE * 10**9,
    )
    assert thought.move in legal
    return thought.move


async def play(
    client: EngineClient, game_id: str, seat: int, plies: int, rng: random.Random, out: int | None = None
) -> None:
    """Play the engine on one seat against random moves. The seat ``out`` is removed at the start."""
    rules = game(game_id)
    position: Position = rules.start()
    players = rules.info.players
    moves = [] if out is None else [f"!{out + 1}"]
    info = [("id", "t"), ("game", game_id), ("players", str(players)), ("seat", str(seat + 1))]
    await client.new_game(info)
    for _ in range(plies):
        if position.turn == out:
            position = position.skip_turn()
        if position.outcome() is not None:
            break
        if position.turn == seat:
            clocks = tuple(0 if other == out else 2000 for other in range(players))
            go = Go(nodes=100) if out is None else Go(times=clocks, incs=(0,) * players)
            text = await ask(client, position, None, moves, go)
        else:
            text = str(rng.choice(list(position.legal_moves())))
        position = position.play(position.parse_move(text))
        moves.append(text)


@pytest.mark.parametrize(
    ("name", "game_id"), [sample(name, id_) for name in SAMPLES for id_ in SAMPLES[name][2]]
)
async def test_it_plays_legal_moves_from_every_seat_and_wins_immediately_when_it_can(
    start_folder, name, game_id
):
    rng = random.Random(seeds(1)[0])
    players = game(game_id).info.players
    async with started(start_folder(name), game_id) as client:
        assert client.session.identity["name"]
        assert client.session.level == (name != "c-alphabeta")
        for seat in range(players):
            await play(client, game_id, seat, 3 * players, rng)
        if name in {"python-greedy", "python-alphabeta"} and game_id in WON:
            await win(client, game_id)
        assert client.session.strays == 0


async def win(client: EngineClient, game_id: str) -> None:
    position = game(game_id).parse_position(WON[game_id])
    await client.new_game([("game", game_id), ("players", "2"), ("seat", str(position.turn + 1))])
    text = await ask(client, position, WON[game_id], [], Go(times=(500, 500), incs=(0, 0)))
    outcome = position.play(position.parse_move(text)).outcome()
    assert outcome is not None
    assert outcome.winner == position.turn


@pytest.mark.parametrize("name", [sample(name) for name in SAMPLES if "quoridor4" in SAMPLES[name][2]])
async def test_it_plays_on_when_another_seat_was_removed(start_folder, name):
    async with started(start_folder(name), "quoridor4") as client:
        await play(client, "quoridor4", 2, 16, random.Random(seeds(1)[0]), out=1)


@pytest.mark.parametrize("name", [sample(name) for name in THINKERS])
async def test_it_obeys_every_limit_and_steps_home_when_it_can(start_folder, name):
    start = "/ / d8 d2 / 10 10 / 1"
    position = game("quoridor").parse_position(start)
    async with started(start_folder(name), "quoridor") as client:
        for go in (Go(depth=1), Go(movetime=50), Go(nodes=500), Go(times=(1, 1), incs=(0, 0))):
            await client.new_game([("game", "quoridor"), ("players", "2"), ("seat", "1")])
            assert (go, await ask(client, position, start, [], go)) == (go, "d9")


async def test_the_alpha_beta_does_not_let_the_ball_be_carried_out_when_it_can_help_it(start_folder):
    start = "r1rrr1r/7/2r4/5r1/5b1/3bB2/1b2bbb r"
    position = game("hops").parse_position(start)
    async with started(start_folder("python-alphabeta"), "hops") as client:
        await client.new_game([("game", "hops"), ("players", "2"), ("seat", "2")])
        text = await ask(client, position, start, [], Go(depth=1))
    after = position.play(position.parse_move(text))
    assert not any(str(move).endswith("#") for move in after.legal_moves())


async def test_the_alpha_beta_searches_on_beyond_a_game_that_ends_in_a_draw(start_folder):
    squares, *_ = WON["rodeurs"].split()
    start = f"{squares} g1r3g/2r3y/7/3y3/5y1/7/g3r2/3y3/6g 2"
    position = game("rodeurs").parse_position(start)
    ends = [position.play(move).outcome() for move in position.legal_moves()]
    assert [end.reason for end in ends if end is not None] == ["equal"]
    async with started(start_folder("python-alphabeta"), "rodeurs") as client:
        await client.new_game([("game", "rodeurs"), ("players", "2"), ("seat", "2")])
        await ask(client, position, start, [], Go(depth=5))


@pytest.mark.parametrize("name", [sample("python-alphabeta"), sample("c-alphabeta")])
async def test_it_shuts_a_way_that_would_lose_immediately(start_folder, name):
    start = "/ / a5 e2 / 10 10 / 1"
    position = game("quoridor").parse_position(start)
    async with started(start_folder(name), "quoridor") as client:
        await client.new_game([("game", "quoridor"), ("players", "2"), ("seat", "1")])
        assert await ask(client, position, start, [], Go(depth=3)) in {"d1h", "e1h"}


# --- the alpha-beta's own rules for Quoridor against the referee's


def load_board():
    spec = spec_from_file_location("alphabeta_board", ENGINES / "python-alphabeta" / "quoridor_board.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("game_id", ["quoridor", "quoridor4"])
def test_the_alpha_beta_knows_the_rules(game_id):
    board = load_board()
    rng = random.Random(seeds(1)[0])
    rules = game(game_id)
    for _ in range(2):
        position: Position = rules.start()
        mine = board.Board.parse(str(position), {})
        while position.outcome() is None:
            legal = [str(move) for move in position.legal_moves()]
            steps = [text for text in legal if len(text) == 2]
            assert sorted(board.move_text(square) for square in board.squares(mine.targets())) == sorted(
                steps
            )
            rivals = [seat for seat in range(len(mine.pawns)) if seat != mine.turn]
            moves = [move for move in mine.moves(rivals, wide=True) if mine.play(move).connected()]
            assert {board.move_text(move) for move in moves} <= set(legal)
            # Steps are rare, so that the walls are used up while the pawns are still on their way.
            text = rng.choice(steps if steps and rng.random() < 0.2 else legal)
            position = position.play(position.parse_move(text))
            mine = mine.play(board.read_move(text))
            assert mine.key == board.Board.parse(str(position), {}).key


# --- the folders


def test_every_folder_has_a_page_and_a_line_in_the_table():
    table = (ENGINES / "README.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in ENGINES.glob("*/README.md")}
    assert folders == {*SAMPLES, *NATIVE, "python-llm", "tiny"}  # test_llm.py has the tests of one
    assert all(f"]({name}/README.md)" in table for name in folders)


def test_without_tool_chains_the_build_says_what_is_left_out_and_succeeds(tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("make", "sh", "mkdir"):
        (tools / tool).symlink_to(shutil.which(tool))
    copy = tmp_path / "engines"
    shutil.copytree(ENGINES, copy, ignore=shutil.ignore_patterns("build", "__pycache__"))
    done = subprocess.run(
        [str(tools / "make"), "-C", str(copy)], env={"PATH": str(tools)}, capture_output=True, text=True
    )
    assert done.returncode == 0
    skipped = [line for line in done.stdout.splitlines() if line.endswith("is left out")]
    assert skipped[:3] == [
        "no C compiler: c-alphabeta is left out",
        "no C++ compiler: cpp-alphabeta is left out",
        "no rustc: rust-hops is left out",
    ]
    tiny = {path.name for path in (ENGINES / "tiny").glob("[Tt]iny.*")}
    assert {line.split(": ")[1].split()[0] for line in skipped[3:]} == tiny
    assert len(skipped) == 3 + len(tiny)
