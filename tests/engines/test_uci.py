"""Tests of the dialects ``uci`` and ``xboard``, with the installed chess engines and the real referee."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from arena.web.pages.thoughts import checked_line
from protocol.errors import EngineTimedOut
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchRequest
from protocol.spec import EngineSpec, Timeouts
from protocol.wire.messages import Go
from referee import game
from referee.follower import Follower
from tests.arena.forked import arena
from tests.engines.test_samples import started
from tests.missing_tools import needs
from tests.rights import without_root_warning
from tests.tools import PATH, find

pytestmark = pytest.mark.system

PATIENCE = 120  # seconds, long enough for a busy machine
COMMANDS = {
    "stockfish": ("stockfish",),
    "fairy-stockfish": ("fairy-stockfish",),
    "gnuchess": ("gnuchess", "--uci"),
}
EVERY = pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in COMMANDS])
XBOARD = {
    "phalanx": ("phalanx", "-b-"),
    "sjeng": ("sjeng",),
    "fairymax": ("fairymax",),
    "gnuchess xboard": ("gnuchess", "--xboard"),
}


def command(name: str) -> tuple[str, ...]:
    """Return the command of an engine."""
    path = find(name.split()[0])
    assert path is not None
    return (path, *(COMMANDS | XBOARD)[name][1:])


@pytest.fixture
def referee() -> Iterator[subprocess.Popen[str]]:
    """Start a referee process of its own, so that its engines start with the handshake."""
    words = [sys.executable, "-P", "-m", "referee"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def played(referee: subprocess.Popen[str], *seats: dict[str, Any], **order: Any) -> list[dict[str, Any]]:
    """Return the referee's events of a game, from the order to its end."""
    assert referee.stdin is not None
    assert referee.stdout is not None
    referee.stdin.write(json.dumps({"do": "game", "id": "1", "game": "chess", "seats": seats} | order) + "\n")
    referee.stdin.flush()
    events: list[dict[str, Any]] = []
    while not events or events[-1]["event"] not in ("finished", "refused"):
        events.append(json.loads(referee.stdout.readline()))
    return [event for event in events if event["event"] not in ("ready", "started", "snapshot")]


ALGEBRAIC = """
import random, sys, chess
board = chess.Board()
random.seed(int(sys.argv[1]))
for line in sys.stdin:
    word, *rest = line.split() or [""]
    if word == "protover":
        print("feature ping=1 setboard=1 san=1 usermove=1 done=1", flush=True)
    elif word == "ping":
        print("pong", *rest, flush=True)
    elif word == "new":
        board.reset()
    elif word == "usermove":
        board.push_uci(rest[0])
    elif word == "go":
        move = random.choice(list(board.legal_moves))
        print("move", board.san(move))
        board.push(move)
        if board.is_checkmate():
            print(board.result() + " {checkmate}")
        sys.stdout.flush()
"""


def test_engines_of_xboard_that_write_algebraic_notation_play_a_whole_game(
    referee: subprocess.Popen[str],
) -> None:
    seats = [
        {
            "engine": {
                "name": seed,
                "command": [sys.executable, "-c", ALGEBRAIC, seed],
                "dialect": "xboard",
                "margin": 5000,
            },
            "time_control": "60+0",
        }
        for seed in ("1", "2")
    ]
    *_, finished = played(referee, *seats)
    assert finished["termination"] in ("normal", "adjudicated"), finished
    assert len(finished["record"]) > 20


def seat(name: str, time_control: str, **settings: Any) -> dict[str, Any]:
    """Return a seat of the order, with long timeouts for a busy machine."""
    engine = {"name": name, "command": command(name), "dialect": "uci", "margin": 5000}
    engine["timeouts"] = dict.fromkeys(("handshake", "ready"), PATIENCE)
    return {"engine": engine | settings, "time_control": time_control}


def sent(log: Path, number: int) -> list[str]:
    """Return the lines sent to an engine in the game, from its transcript."""
    (transcript,) = log.glob(f"*-{number}-*.log")
    return re.findall(r"^ *[\d.]+ > (.*)$", transcript.read_text(encoding="utf-8"), re.MULTILINE)


PAIRS = [
    ("stockfish", "gnuchess", "0.3+0.01", "0.3+0.01"),
    ("gnuchess", "fairy-stockfish", "depth=2", "depth=1"),
    ("fairy-stockfish", "stockfish", "nodes=200", "movetime=0.005"),
    ("stockfish", "stockfish", "20/0.5", "nodes=100"),
]
QUICK = PAIRS[1::2]
"""Pairs with each engine, with a clock and without. Each start of an engine takes long: one has a network."""


@pytest.mark.parametrize(
    ("first", "second", "own", "others"),
    [
        pytest.param(
            *pair, marks=[needs(*dict.fromkeys(pair[:2])), *([] if pair in QUICK else [pytest.mark.slow])]
        )
        for pair in PAIRS
    ],
)
def test_two_engines_play_a_game_to_its_end_in_the_words_of_uci(
    referee: subprocess.Popen[str], tmp_path: Path, first: str, second: str, own: str, others: str
) -> None:
    (finished,) = played(referee, seat(first, own), seat(second, others), log=str(tmp_path))
    assert finished["event"] == "finished", finished
    assert finished["termination"] in ("normal", "adjudicated"), finished
    clock = r"wtime \d+ btime \d+ winc \d+ binc \d+( movestogo \d+)?"
    position = (
        r"position (startpos|fen [^ ]+ [wb] [^ ]+ [^ ]+ \d+ \d+)( moves( [a-h][1-8][a-h][1-8][nbrq]?)+)?"
    )
    turn = rf"isready\n{position}\ngo ({clock}|(nodes|depth|movetime) \d+)\n"
    for number in (1, 2):
        conversation = "".join(f"{line}\n" for line in sent(tmp_path, number))
        assert re.fullmatch(rf"uci\nisready\nucinewgame\nisready\n({turn})+(quit\n)?", conversation)


@needs("stockfish", "gnuchess")
def test_a_fen_castling_promotion_and_mate_are_understood(
    referee: subprocess.Popen[str], tmp_path: Path
) -> None:
    """Black to move is the second seat. Engines write two moves of the opening in different ways."""
    chairs = [seat("stockfish", "depth=4", sync="game"), seat("gnuchess", "depth=1", position="moves")]
    fen = "4k3/P5pp/8/8/8/8/6PP/4K2R b K - 0 1"
    (finished,) = played(
        referee, *chairs, position=fen, moves=["h7h6", "e1h1", "h6h5", "a7a8q"], log=str(tmp_path)
    )
    assert (finished["termination"], finished["reason"]) == ("normal", "checkmate"), finished
    assert [chair["rank"] for chair in finished["seats"]] == [1, 2]
    questions = [line for line in sent(tmp_path, 2) if line.startswith("position")]
    assert questions[0] == f"position fen {fen} moves h7h6 e1g1 h6h5 a7a8q"
    assert sent(tmp_path, 1).count("isready") == 2, "with sync = game there is none before a move"


@needs("stockfish")
def test_options_are_set_before_the_first_isready_and_no_others(
    referee: subprocess.Popen[str], tmp_path: Path
) -> None:
    options = {"hash": "8", "Threads": "1", "Use NNUE": "FALSE", "Clear Hash": "true"}
    chairs = [seat("stockfish", "depth=1", options=options), seat("stockfish", "depth=1")]
    fen = "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"
    (finished,) = played(referee, *chairs, position=fen, log=str(tmp_path))
    assert finished["reason"] == "checkmate"
    assert sent(tmp_path, 1)[:6] == [
        "uci",
        "setoption name Hash value 8",
        "setoption name Threads value 1",
        "setoption name Use NNUE value false",
        "setoption name Clear Hash",
        "isready",
    ]
    assert sent(tmp_path, 2)[:3] == ["uci", "isready", "ucinewgame"]


@needs("stockfish")
def test_an_engine_ponders_on_the_move_that_it_expects(
    referee: subprocess.Popen[str], tmp_path: Path
) -> None:
    chairs = [seat("stockfish", "nodes=2000", ponder=True), seat("stockfish", "nodes=2000")]
    fen = "7k/8/8/8/8/8/R7/1R5K w - - 0 1"
    (finished,) = played(referee, *chairs, position=fen, log=str(tmp_path))
    assert finished["reason"] == "checkmate", finished
    lines = sent(tmp_path, 1)
    assert lines[1] == "setoption name Ponder value true"
    starts = [number for number, line in enumerate(lines) if line == "go ponder nodes 2000"]
    assert starts
    assert {lines[start + 1] for start in starts} <= {"ponderhit", "stop"}
    assert "go ponder nodes 2000" not in sent(tmp_path, 2)


@needs("stockfish")
def test_what_an_engine_thought_is_in_the_record_with_a_legal_line(referee: subprocess.Popen[str]) -> None:
    chairs = [seat("stockfish", "nodes=3000"), seat("stockfish", "depth=6")]
    fen = "7k/8/8/8/8/8/R7/1R5K w - - 0 1"
    (finished,) = played(referee, *chairs, position=fen)
    position = game("chess").parse_position(fen)
    for _, move, _, score, depth, thought in finished["record"]:
        nodes, speed, seldepth, _, pv, _ = thought
        assert score
        assert depth > 0
        assert nodes > 0 < speed
        assert seldepth > 0
        line = checked_line(pv, Follower(position, 2))
        assert line.moves[0] == move
        assert line.illegal == ""
        position = position.play(position.parse_move(move))
    assert finished["reason"] == "checkmate"


ROOK = "1k6/8/8/8/8/8/PPP5/1K5R w H - 0 1"


@needs("stockfish")
def test_chess960_is_chosen_by_its_option(referee: subprocess.Popen[str], tmp_path: Path) -> None:
    chairs = [seat("stockfish", "depth=1"), seat("stockfish", "depth=4")]
    (finished,) = played(referee, *chairs, game="chess960", position=ROOK, moves=["b1h1"], log=str(tmp_path))
    assert (finished["termination"], finished["reason"]) == ("normal", "checkmate"), finished
    assert sent(tmp_path, 1)[:3] == ["uci", "setoption name UCI_Chess960 value true", "isready"]
    assert f"position fen {ROOK} moves b1h1" in sent(tmp_path, 2)


def test_an_engine_without_the_option_cannot_play_chess960(referee: subprocess.Popen[str]) -> None:
    reply = (
        "import sys\nfor line in sys.stdin: print({'uci': 'uciok'}.get(line.strip(), 'readyok'), flush=True)"
    )
    engine = {"name": "plain", "command": (sys.executable, "-c", reply), "dialect": "uci"}
    chair = {"engine": engine, "time_control": "depth=1"}
    finished = played(referee, chair, chair, game="chess960", position=ROOK)[-1]
    assert finished["event"] == "finished", finished
    assert "seat 1 does not take its options: it has no option 'UCI_Chess960'" in finished["detail"]


def engine(name: str) -> AbstractAsyncContextManager[EngineClient]:
    """Start an engine and do the handshake; end the engine at the end."""
    limits = Timeouts(handshake=PATIENCE, ready=PATIENCE)
    return started(EngineSpec(name, command(name), dialect="uci", timeouts=limits), "chess")


@EVERY
async def test_every_option_is_read_and_nothing_announced(name: str) -> None:
    async with engine(name) as client:
        session = client.session
        assert {"hash", "ponder"} <= session.options.keys()
        assert session.options["hash"].kind == "spin"
        assert session.identity["name"].lower().startswith(name.removesuffix("chess"))
        assert (session.level, session.strays) == (
            0,
            name != "gnuchess",
        )  # the Stockfish engines print a greeting


@pytest.mark.parametrize(
    # The client treats all engines alike.
    "name",
    [
        pytest.param(name, marks=[needs(name), *([] if name == "stockfish" else [pytest.mark.slow])])
        for name in COMMANDS
    ],
)
async def test_one_that_lost_on_time_is_stopped_and_plays_the_next_game(name: str) -> None:
    turn = SearchRequest(None, [], lambda: None, lambda: "", list)
    async with engine(name) as client:
        await client.new_game([])
        with pytest.raises(EngineTimedOut):
            await client.think(turn, Go(depth=60), 200_000_000)
        assert await client.drain()
        await client.new_game([])
        thought = await client.think(turn, Go(depth=1), PATIENCE * 10**9)
        assert re.fullmatch("[a-h][12][a-h][34]", thought.move or "")
        assert "score cp" in thought.info or name == "gnuchess"  # moves from its book have no score


# --- the how-to

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "chess"


def test_the_page_shows_the_tournament_file() -> None:
    page = ROOT.joinpath("docs/howto/chess-engines.md").read_text(encoding="utf-8")
    assert f"```toml\n{EXAMPLE.joinpath('chess.toml').read_text(encoding='utf-8')}```" in page


@needs("stockfish", "gnuchess")
def test_the_tournament_of_the_page_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run it with less time and fewer games."""
    monkeypatch.setenv("PATH", PATH)
    text = EXAMPLE.joinpath("chess.toml").read_text(encoding="utf-8")
    shortened = text.replace('"10+0.1"', '"depth=1"').replace(
        "games_per_pairing = 20", "games_per_pairing = 2"
    )
    tmp_path.joinpath("chess.toml").write_text(shortened, encoding="utf-8")
    shutil.copy(EXAMPLE / "openings.epd", tmp_path)
    done = arena("run", "chess.toml", cwd=tmp_path, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "warning" not in without_root_warning(done.stderr)
    assert "tournament chess, chess: 2 games" in done.stdout


@needs("phalanx", "sjeng")
def test_two_engines_that_speak_xboard_play_a_game_that_starts_with_moves_after_a_position(
    referee: subprocess.Popen[str], tmp_path: Path
) -> None:
    chairs = [seat(name, "0.5+0", dialect="xboard") for name in ("phalanx", "sjeng")]
    fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
    adjudication = {"plies": 12}
    (finished,) = played(
        referee, *chairs, position=fen, moves=["f1b5", "a7a6"], adjudication=adjudication, log=str(tmp_path)
    )
    assert (finished["termination"], finished["reason"]) == ("adjudicated", "length"), finished
    assert [chair["reported_name"] for chair in finished["seats"]] == ["Phalanx XXV", "Sjeng 11.2"]
    lines = sent(tmp_path, 2)
    assert lines[:2] == ["xboard", "protover 2"]
    start = lines.index(f"setboard {fen}")
    assert lines[start : start + 3] == [f"setboard {fen}", "f1b5", "a7a6"]
    assert (lines.count("go"), lines[start:].count("force")) == (5, 4)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("fairymax", marks=needs("fairymax", "sjeng")),
        # Slow: it overlooks the handshake for four seconds. The quick tests have a script of such an engine.
        pytest.param("gnuchess xboard", marks=[needs("gnuchess", "sjeng"), pytest.mark.slow]),
    ],
)
def test_engines_without_setboard_or_with_late_features_play_from_a_position(
    referee: subprocess.Popen[str], tmp_path: Path, name: str
) -> None:
    """In the position Black is to move, and everybody may castle."""
    chairs = [seat(engine, "2+0", dialect="xboard") for engine in ("sjeng", name)]
    fen = "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPP2PPP/R2QK2R b KQkq - 4 8"
    moves = ["e8c8", "d4e5"]
    (finished,) = played(
        referee, *chairs, position=fen, moves=moves, adjudication={"plies": 10}, log=str(tmp_path)
    )
    assert (finished["termination"], finished["reason"]) == ("adjudicated", "length"), finished
    lines = sent(tmp_path, 2)
    assert ("edit" in lines, f"setboard {fen}" in lines) == (name == "fairymax", name != "fairymax")
    assert lines.count("go") == 4
