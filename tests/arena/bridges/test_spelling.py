"""An answer is the move whose spelling it is, or no move: never another one."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bridges import expanded
from arena.bridges.spelling import Spelling
from protocol.process.program import split_command
from referee import game
from referee.errors import MoveError, MoveSyntaxError

QTP = [("..", "{LETTER}{row}"), ("...", "{LETTER}{row+1}")]
WORDS = [("(..)h", r"\1 horizontal"), ("(..)v", r"\1 vertical")]


def meanings(answer: object, squares: object = QTP, moves: object = WORDS, **more: bool) -> set[str]:
    return Spelling(squares, moves, game("quoridor").info, **more).meanings(answer)


def test_an_answer_in_the_notation_of_arena_is_not_read_where_spellings_are_given() -> None:
    assert meanings("E5 H") == meanings("e5h") == set()
    assert meanings("E5 horizontal") == {"e4h"}
    assert meanings("E5") == {"e5"}


def test_every_pattern_that_fits_is_a_spelling_and_the_first_one_is_told() -> None:
    spelling = Spelling(QTP, [*WORDS, ("(..)h", r"\1 h")], game("quoridor").info)
    assert spelling.told("e4h") == "E5 horizontal"
    assert spelling.meanings("e5H") == spelling.meanings(" E5 HORIZONTAL ") == {"e4h"}


def test_case_is_an_option() -> None:
    moves = [("(..)h", r"\1 h"), ("(..)v", r"\1 H")]
    assert meanings("e5 h", [], moves) == {"e5h", "e5v"}, "and what means two moves is no answer"
    assert meanings("e5 H", [], moves, case=True) == {"e5v"}


def test_a_space_between_two_numbers_counts() -> None:
    squares = [(".*", "{row*5} {column}")]
    assert meanings("5 1", squares, []) == {"a1"}
    assert meanings("51", squares, []) == meanings("1 5 1", squares, []) == set()


@pytest.mark.parametrize(
    "answer",
    [("P", 4, 1), ["P", "4", 1], "('P', 4, 1)", '["P", 4, 1]', "p 4 1", {"P": (4, 1)}, "{'P': [4, 1]}"],
)
def test_lists_and_objects_are_written_with_spaces(answer: object) -> None:
    assert meanings(answer, [(".*", "{column-1} {row-1}")], [("(. .)", r"P \1")]) == {"e2"}


def test_punctuation_counts() -> None:
    spelling = Spelling([], [], game("quatre-en-ligne").info)
    spelling.learn(["-1,2", "2,1"])
    assert spelling.meanings("-1,2") == {"-1,2"}
    assert spelling.meanings("1,2") == spelling.meanings("(2, 1)") == spelling.meanings("21") == set()


# --- near misses, through each bridge

SPELLED = r"--square .. {LETTER}{row} --square ... {LETTER}{row+1} --move '(..)h' '\1 horizontal'"
NOISE = """
import json, socket, sys
answers = iter(open(sys.argv[1]).read().split("\\n"))
def gtp():
    for line in sys.stdin:
        answer = next(answers) if line.startswith("genmove") else ""
        print("= " + answer + "\\n", flush=True)
def lines():
    for line in sys.stdin:
        print(next(answers), flush=True)
def tcp():
    with socket.create_server(("127.0.0.1", int(sys.argv[3]))) as server:
        lines = server.accept()[0].makefile("rw")
        for line in lines:
            print(json.dumps({"move": next(answers)}), file=lines, flush=True)
def http():
    from http.server import BaseHTTPRequestHandler, HTTPServer
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps({"move": next(answers)}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def log_message(self, *words):
            pass
    HTTPServer(("127.0.0.1", int(sys.argv[3])), Handler).serve_forever()
class Bot:
    def move(self):
        return next(answers)
if __name__ == "__main__":
    globals()[sys.argv[2]]()
"""
COMMANDS = {
    "gtp": "bridge:gtp OPTIONS -- {python} noise.py answers gtp",
    "lines": "bridge:lines OPTIONS -- {python} noise.py answers lines",
    "class": "bridge:class noise.py:Bot --method move OPTIONS",
    "tcp": "bridge:tcp 127.0.0.1:{port} OPTIONS -- {python} noise.py answers tcp {port}",
    "http": "bridge:http http://127.0.0.1:{port}/ OPTIONS -- {python} noise.py answers http {port}",
}


def near_misses(spellings: list[str], count: int, seed: int) -> list[str]:
    """Return moves as the bot writes them, each with up to three small mistakes."""
    rng = random.Random(seed)
    letters = "abehzEHV0123456789 ,.-+()'\"[]{}:;=#@>*_xé５"
    texts = []
    while len(texts) < count:
        text = rng.choice(spellings)
        for _ in range(rng.randrange(4)):
            place = rng.randrange(len(text) + 1)
            text = rng.choice(
                [
                    text[:place] + rng.choice(letters) + text[place:],
                    text[:place] + text[place + 1 :],
                    text[:place] + rng.choice(letters) + text[place + 1 :],
                    text[place:] + text[:place],
                    text.upper(),
                ]
            )
        if re.search(r"\w", text) and not text.startswith(("=", "?")):
            texts.append(text)
    return texts


def same(first: str, second: str) -> bool:
    """Whether two texts differ only in case and in spaces that stand beside no two digits."""
    texts = (re.sub(r"(?<![0-9])\s+|\s+(?![0-9])", "", text.strip().casefold()) for text in (first, second))
    return len({re.sub(r"\s+", " ", text) for text in texts}) == 1


@pytest.mark.parametrize("options", [SPELLED, ""], ids=["spelled", "plain"])
@pytest.mark.parametrize("kind", COMMANDS)
def test_no_move_is_played_that_the_text_does_not_mean(kind: str, options: str, tmp_path: Path) -> None:
    position = game("quoridor").start()
    legal = [str(move) for move in position.legal_moves()]
    words = [word for word in split_command(options) if not word.startswith("--")]
    pairs = list(zip(words[::2], words[1::2], strict=True))
    spelling = Spelling(pairs[:2], pairs[2:], game("quoridor").info)
    answers = near_misses([spelling.told(move) for move in legal], 2000, seed=7)
    tmp_path.joinpath("noise.py").write_text(NOISE)
    tmp_path.joinpath("answers").write_text("\n".join(answers))
    command = expanded(tuple(split_command(COMMANDS[kind].replace("OPTIONS", options))))
    if kind == "class":  # it has no arguments
        tmp_path.joinpath("noise.py").write_text(NOISE.replace("sys.argv[1]", '"answers"'))
    turn = f"position startpos\nlegal {' '.join(legal)}\ngo movetime 60000\n"
    hub = "ugi\nprotocol 1 legal seat\nuginewgame\ngameinfo id 1 game quoridor players 2 seat 1\nisready\n"
    bridge = subprocess.Popen(
        [sys.executable, *command[1:]], cwd=tmp_path, stdin=-1, stdout=-1, stderr=-3, text=True
    )
    assert bridge.stdin is not None
    assert bridge.stdout is not None
    bridge.stdin.write(hub)
    played = 0
    for answer in answers:
        print(turn, file=bridge.stdin, end="", flush=True)
        move = next(line.split()[1] for line in bridge.stdout if line.startswith("bestmove"))
        if move in legal:
            assert same(spelling.told(move), answer) or same(spelling.told(move), strip(answer)), answer
            played += 1
        else:
            with pytest.raises(MoveError) as caught:
                position.parse_move(move)
            known = not isinstance(caught.value, MoveSyntaxError)
            assert not known or same(spelling.told(move), answer) or same(spelling.told(move), strip(answer))
    bridge.stdin.close()
    bridge.wait(10)
    bridge.stdout.close()
    assert 300 < played < 1500


def strip(answer: str) -> str:
    """Return the only item of an answer that is a list in brackets, without the brackets."""
    return re.sub(r"""^[\[({]['"]?|['"]?,?[\])}]$""", "", answer.strip())
