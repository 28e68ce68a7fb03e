"""Lines of engines: after any of them the conversation goes on, and the referee finishes the game."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import pytest

from protocol.errors import RemoteProtocolError
from protocol.wire.codec import parse_command, parse_info, parse_report
from protocol.wire.messages import MAX_PV
from protocol.wire.session import Role, Session
from protocol.wire.states import State
from referee.match.adjudication import DrawRule, ResignRule, ScoreTracker, centipawns
from tests.fuzz import nasty
from tests.fuzz.explore import Findings, random_of, shares
from tests.fuzz.test_orders import referee

PRINTER = Path(__file__).with_name("printing_engine.py")

LINES = (
    "ugiok", "uciok", "readyok", "id name Tiny", "id author A. N. Other", "id version 1.0",
    "protocol 1 legal result", "protocol 1",
    "option name Hash type spin default 16 min 1 max 1024",
    "option name Style type combo default wild var wild var calm",
    "option name Ponder type check default false",
    "option name UGI_Game type combo default quoridor var quoridor var hops",
    "option name Clear type button", "option name Book type string default <empty>", "bestmove e2",
    "bestmove e2 ponder e8", "bestmove 0000",
    "bestmove (none)", "bestmove resign",
    "info depth 7 seldepth 12 score cp 30 nodes 1000 nps 100000 time 10 pv e2 e8", "info score mate -3",
    "info score wdl 300 500 200", "info string hello", "info multipv 2 score cp 5",
    "info depth 9 score cp 5 lowerbound", "response fen / / e4 e5 / 10 10 / 1",
    "response legal e2 e3", "", "copyprotection ok", "hello world",
)  # fmt: skip
"""Lines that engines print."""

WORDS = ("info", "depth", "score", "cp", "mate", "wdl", "nodes", "time", "pv", "multipv", "lowerbound",
    "string", "bestmove", "option", "name", "type", "default",
    "min", "max", "var", "spin", "combo", "check", "id", "protocol", "1", "legal", "fen", "delta", "seat",
    "result", "response", "readyok", "ugiok", "!1", "!3", "e2")  # fmt: skip

STATES = tuple(State)


def engine_line(rng: Random) -> bytes:
    """Return a line of an engine, with its end."""
    choice = rng.random()
    if choice < 0.1:
        line = rng.randbytes(rng.choice((1, 5, 40, 300)))
    elif choice < 0.4:
        words = [
            rng.choice(WORDS) if rng.random() < 0.7 else nasty.text(rng) for _ in range(rng.randrange(14))
        ]
        line = " ".join(words).encode("utf-8", "surrogatepass")
    else:
        line = nasty.changed_bytes(rng, rng.choice(LINES).encode())
    return line.replace(b"\n", b" ") + rng.choice((b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b"\r\r\n"))


@pytest.mark.parametrize("numbers", shares(2000, 45_000, size=4500))
def test_a_session_takes_every_line(numbers: range) -> None:
    findings = Findings()
    sessions: list[Session] = []
    tracker = ScoreTracker(ResignRule(10), DrawRule(5))
    for number in numbers:
        rng = random_of("engine line", number)
        if number % 50 == 0 or not sessions:
            sessions = [
                Session(Role.HUB, dialect, keep_info=keep)
                for dialect in ("ugi", "uci")
                for keep in (True, False)
            ]
        line = engine_line(rng)
        with findings.trying(number, line):
            for session in sessions:
                session.state = rng.choice(STATES)
                _receive(session, line)
            text = line.decode(errors="replace").strip()
            parse_info(text.removeprefix("info "))
            score, _, thought = parse_report(text.removeprefix("info "))
            assert len(score) < 100
            assert thought is None or (len(thought.pv) <= MAX_PV and (thought.pv.isprintable()))
            tracker.update(rng.randrange(2), text)
            centipawns(text)
            tracker.loser()
            tracker.drawn(10)
            try:
                parse_command(text)
            except (ValueError, IndexError):
                pass  # as documented
    findings.check()


def _receive(session: Session, line: bytes) -> None:
    session.receive_data(line)
    while True:
        try:
            event = session.next_event()
        except RemoteProtocolError:
            continue
        if event is None:
            break
    session.take_info()
    assert all(text.isprintable() and len(text) <= 200 for text in session.identity.values())
    assert len(session.options) <= 1000
    for option in list(session.options.values())[:3]:
        for value in ("1", "true", "x", "9" * 5000):
            try:
                option.check(value)
            except ValueError:
                pass  # the option does not accept the value


LINES_OF_ENGINE = 50


@pytest.mark.parametrize("numbers", shares(4, 100, size=100))
def test_a_real_referee_finishes_every_game(numbers: range, tmp_path: Path) -> None:
    orders = []
    for number in numbers[::2]:
        seats = []
        for engine in (number, number + 1):
            rng = random_of("printing engine", engine)
            file = tmp_path / f"{engine}.txt"
            file.write_bytes(b"".join(engine_line(rng) for _ in range(LINES_OF_ENGINE)))
            spec = {"name": str(engine), "command": [sys.executable, "-S", str(PRINTER), str(file)]}
            seats.append({"engine": spec, "time_control": "10+0.1"})
        limits = {"plies": 4, "resign": {"score": 10}, "draw": {"score": 5}}
        order = {
            "do": "game",
            "id": str(number),
            "game": "quoridor",
            "seats": seats,
            "adjudication": limits,
            "log": "logs",
        }
        orders.append(json.dumps(order).encode())
    with referee(tmp_path) as process:
        for order in orders:
            (event,) = process.ask([order])
            assert event["event"] == "finished"
            wrong_game = "does not play quoridor" in event["detail"]
            assert wrong_game or event["termination"] in {"adjudicated", "illegal", "resign"}, event
        process.quit()
    assert (tmp_path / "stderr").read_text() == ""
