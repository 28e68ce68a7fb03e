"""The engine of language models against stand-ins that answer well, badly, slowly, in streams, and not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena import samples
from protocol.disguise import Disguise
from tests.engines.endpoint import Endpoint, Reply, endpoint

ENGINE = samples.folder() / "python-llm/engine.py"
KEY = "sk-abcdef0123456789"


@dataclass
class Said:
    """What the engine said to ``go``: its move, "" without one, its usage, and its standard error."""

    move: str
    usage: dict[str, float]
    errors: str
    output: str


def ask(
    served: Endpoint | str, go: str = "movetime 20000", moves: str = "", env: str = KEY, **options: object
) -> Said:
    """Let the engine choose a move in Quoridor."""
    address = served if isinstance(served, str) else served.address
    set_ = {"Address": address, "Model": "small", "Key": "TEST_KEY"} | options
    lines = [
        "ugi", *(f"setoption name {name} value {value}" for name, value in set_.items()), "isready",
        "uginewgame", "gameinfo game quoridor seat 1", f"position startpos moves {moves}".strip(),
        "legal e2 d1 f1", f"go {go}",
    ]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, ENGINE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TEST_KEY": env},
    ) as engine:
        assert engine.stdin
        assert engine.stdout
        engine.stdin.write("\n".join(lines) + "\n")
        engine.stdin.flush()
        output = []
        for line in engine.stdout:
            output.append(line)
            if line.startswith("bestmove"):
                break
        _, errors = engine.communicate("quit\n" if engine.poll() is None else None, timeout=30)
    move = output[-1].split()[1] if output[-1].startswith("bestmove") else ""
    words = [line.partition(" string usage ")[2].split() for line in output if " string usage " in line]
    usage = dict(zip(words[-1][::2], map(float, words[-1][1::2]), strict=True)) if words else {}
    return Said(move, usage, errors, "".join(output))


def test_the_prompt_has_the_rules_the_board_the_last_moves_and_the_way_to_answer() -> None:
    with endpoint(lambda *_: "I think.\nMOVE: e3") as served:
        said = ask(served, moves="e2 e8", Temperature="0.5", Tokens=500, Price="1 10")
    (asked,) = served.requests
    (message,) = asked.pop("messages")
    assert asked == {"model": "small", "temperature": 0.5, "max_tokens": 500}
    for words in ("You are player 1", "# Quoridor", "| e2 e8", " 9 |", "The last moves: e2 e8", "MOVE"):
        assert words.removeprefix("| ") in message["content"]
    assert "The legal moves" not in message["content"]
    assert said.move == "e3"
    assert said.usage.pop("latency") > 0
    assert said.usage == {"tries": 1, "illegal": 0, "tokens": 120, "cost": 0.0003}
    assert served.headers[0]["authorization"] == f"Bearer {KEY}"


def test_the_prompt_has_the_legal_moves_and_other_words_as_the_options_wish(tmp_path: Path) -> None:
    own = tmp_path / "prompt.txt"
    own.write_text("Play $game from $position. $legal Say MOVE: and a move.")
    with endpoint(lambda *_: "MOVE: e2") as served:
        ask(served, Prompt=own, Legal="true")
    content = served.requests[0]["messages"][0]["content"]
    assert content.startswith(
        "Play Quoridor, two players from / / e1 e9 / 10 10 / 1. The legal moves: e2 d1 f1"
    )


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("e2", "e2"),
        ("**MOVE:** `e2`.", "e2"),
        ("MOVE: d1\nNo, better:\nmove: e2", "e2"),
        ("<think>MOVE: d1</think> MOVE: e2", "e2"),
        ("MOVE : e2", "e2"),
    ],
)
def test_moves_are_found_in_answers_of_many_forms(text: str, move: str) -> None:
    with endpoint(lambda *_: text) as served:
        assert ask(served).move == move


def test_an_illegal_answer_is_asked_again_with_the_reason_and_counted() -> None:
    answers = ["MOVE: z9", "I don't know what to do.", "MOVE: e2"]
    with endpoint(lambda number, _: answers[number]) as served:
        said = ask(served)
    assert said.move == "e2"
    assert (said.usage["tries"], said.usage["illegal"], said.usage["tokens"]) == (3, 2, 360)
    *_, answer, again = served.requests[1]["messages"]
    assert answer == {"role": "assistant", "content": "MOVE: z9"}
    assert "This is no legal move: 'z9' is no move" in again["content"]


@pytest.mark.parametrize(("text", "move"), [("MOVE: z9", "z9"), ("", "none"), ("no idea", "none")])
def test_after_the_last_try_the_referee_judges_the_answer(text: str, move: str) -> None:
    with endpoint(lambda *_: text) as served:
        assert ask(served, Tries=2).move == move
    assert len(served.requests) == 2


def test_a_stream_is_read_to_its_end() -> None:
    pieces: list[dict[str, Any]] = [
        {"choices": [{"delta": {"content": text}}]} for text in ("MO", "VE: ", "e2")
    ]
    pieces.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "cost": 0.25}})
    body = (
        b"".join(b"data: " + json.dumps(piece).encode() + b"\n\n" for piece in pieces) + b"data: [DONE]\n\n"
    )
    reply = Reply(body=body, headers={"content-type": "text/event-stream"}, pause=0.02, piece=40)
    with endpoint(lambda *_: reply) as served:
        said = ask(served)
    assert (said.move, said.usage["tokens"], said.usage["cost"]) == ("e2", 10, 0.25)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again_within_the_clock(status: int) -> None:
    busy = Reply(status=status, body=b'{"error": {"message": "busy"}}', headers={"retry-after": "0.1"})
    with endpoint(lambda number, _: busy if number < 2 else "MOVE: e2") as served:
        said = ask(served)
    assert said.move == "e2"
    assert said.usage["tries"] == 1
    assert len(served.requests) == 3


NO_ANSWERS = {
    "wrong key": (
        Reply(status=401, body=f'{{"error": "wrong {KEY}"}}'.encode()),
        "401 Unauthorized: wrong ***",
    ),
    "no model": (Reply(status=404, body=b'{"error": {"message": "no model small"}}'), "no model small"),
    "busy": (Reply(status=429, body=b"slow", headers={"retry-after": "60"}), "429 Too Many Requests: slow"),
    "away": (Reply(status=503, body=b"<h1>away</h1>"), "503 Service Unavailable: <h1>away"),
    "slow": (Reply("MOVE: e2", pause=0.1, piece=1), "too slow for the clock"),
    "no JSON": (Reply(body=b"hello"), "is no chat completion: hello"),
    "no choice": (Reply(body=b'{"choices": []}'), "is no chat completion"),
    "no message": (Reply(body=b'{"choices": [{"message": null}]}'), "is no chat completion"),
}


@pytest.mark.parametrize("fault", NO_ANSWERS)
def test_an_endpoint_without_an_answer_ends_the_engine_with_its_words(fault: str) -> None:
    reply, words = NO_ANSWERS[fault]
    with endpoint(lambda *_: reply) as served:
        said = ask(served, "movetime 4000")
    assert said.move == ""
    assert words in said.errors
    assert KEY not in said.errors + said.output
    assert "Traceback" not in said.errors


def test_nobody_at_the_address_is_one_sentence() -> None:
    said = ask("http://127.0.0.1:1/v1", "movetime 1500")
    assert "http://127.0.0.1:1/v1 cannot be reached: Connection refused" in said.errors


def test_a_key_that_the_model_repeats_is_shown_nowhere() -> None:
    with endpoint(lambda *_: f"MOVE: {KEY}") as served:
        said = ask(served, Tries=1)
    assert said.move == "***"
    assert KEY not in said.output


@pytest.mark.parametrize(
    ("options", "env", "words"),
    [
        ({"Key": "NO_SUCH_VARIABLE"}, KEY, "no variable NO_SUCH_VARIABLE with a key in it"),
        ({}, "é", "no variable TEST_KEY with a key in it"),
        ({"Model": "<empty>"}, KEY, "option Model: name the model"),
        ({"Address": "localhost:8080"}, KEY, "option Address: this must be an address"),
        ({"Address": "http://localhost:x/v1"}, KEY, "Port could not be cast"),
        ({"Address": f"http://me:{KEY}@localhost/v1"}, KEY, "option Address: this must be an address"),
        ({"Price": "1"}, KEY, "option Address, Price"),
        ({"Temperature": "hot"}, KEY, "could not convert string to float: 'hot'"),
        ({"Prompt": "/no/such/file"}, KEY, "No such file"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(options: dict[str, object], env: str, words: str) -> None:
    said = ask("http://127.0.0.1:1/v1", env=env, **options)
    assert words in said.errors
    assert KEY not in said.errors
    assert "Traceback" not in said.errors


def test_under_a_disguise_the_model_reads_and_writes_other_names_alone() -> None:
    hide = Disguise(7).hide
    answers = iter(["MOVE: e3", f"MOVE: {hide('e3')}"])
    with endpoint(lambda *_: next(answers)) as served:
        said = ask(served, moves=f"{hide('e2')} {hide('e8')}", Disguise=7)
    assert said.move == hide("e3")
    assert said.usage["illegal"] == 1
    (prompt,), again = served.requests[0]["messages"], served.requests[1]["messages"][-1]["content"]
    assert again.startswith("This is no legal move: it breaks the rules.")
    text = prompt["content"]
    assert f"The last moves: {hide('e2')} {hide('e8')}" in text
    assert f"{hide('/ / e2 e8 / 10 10 / 1')}\n" in text
    assert " ".join(hide(letter) for letter in "abcdefghi") in text
    assert "quoridor" not in text.lower()
