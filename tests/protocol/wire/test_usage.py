"""What a move took, by the words of an engine: ``info string usage tokens 852``."""

from __future__ import annotations

import pytest

from protocol.wire import messages as m
from protocol.wire.codec import parse_report
from protocol.wire.session import Role, Session


def searching() -> Session:
    hub = Session(Role.HUB, keep_info=False)
    hub.send(m.Hello())
    hub.receive_data(b"ugiok\n")
    hub.next_event()
    hub.send(m.IsReady())
    hub.receive_data(b"readyok\n")
    hub.next_event()
    hub.send_search(None, "", m.Go(movetime=1))
    return hub


USAGE = b"info time 3 string usage tries 2 tokens 852 cost 0.0031\n"
SCORE = b"info depth 7 score cp 33 nodes 5 pv a b\n"
KEPT = "tries 2 tokens 852 cost 0.0031"


@pytest.mark.parametrize(
    ("lines", "score", "depth", "usage"),
    [
        (USAGE, "", None, KEPT),
        (SCORE + USAGE, "cp 33", 7, KEPT),
        (USAGE + SCORE, "cp 33", 7, KEPT),
        (USAGE + b"info string usage tokens 9\n", "", None, "tokens 9"),
        (b"info depth 7 score cp 33 string usage tokens 9\n", "cp 33", 7, "tokens 9"),
        (SCORE, "cp 33", 7, ""),
    ],
)
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_the_last_usage_of_a_search_is_kept_beside_its_last_score(
    lines: bytes, score: str, depth: int | None, usage: str, ends: bytes
) -> None:
    hub = searching()
    answer = hub.receive_answer((lines + b"bestmove e2\n").replace(b"\n", ends)) or hub.next_event()
    assert answer == m.BestMove("e2")
    kept_score, kept_depth, thought = parse_report(hub.take_info())
    assert (kept_score, kept_depth) == (score, depth)
    assert ("" if thought is None else thought.usage) == usage
    assert hub.take_info() == ""


def test_a_usage_before_the_search_is_not_of_its_move() -> None:
    hub = searching()
    hub.receive_answer(USAGE)
    hub.forget_lines()
    assert hub.take_info() == ""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("tokens 1", "tokens 1"),
        ("tokens 1.123456 and more", "tokens 1.123456"),
        ("a 1 b 2 c 3 d 4 e 5 f 6 g 7", "a 1 b 2 c 3 d 4 e 5 f 6"),
        ("tokens -1", ""),
        ("tokens many", ""),
        ("tokens 1e9", ""),
        ("Tokens 1", ""),
        ("", ""),
    ],
)
def test_only_words_with_plain_numbers_are_kept(text: str, kept: str) -> None:
    thought = parse_report(f"string usage {text}")[2]
    assert ("" if thought is None else thought.usage) == kept
