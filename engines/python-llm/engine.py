"""A language model as an engine: each move is asked of an endpoint in the form of OpenAI's chat completions.

If the endpoint gives no answer, the program ends with its words, so the game is lost as a crash. An answer
without a legal move is asked again, and the last one is played as it is: the referee judges it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from string import Template
from typing import Any, NoReturn
from urllib.parse import urlsplit

from arena.manual import rules
from protocol.disguise import OPTION as DISGUISE
from protocol.disguise import Disguise
from protocol.engine import Check, Engine, Spin, String, Turn, run
from referee import MoveError, Position, game
from referee.game import foreign_parser

PROMPT = """You play a board game, and you want to win. You are player $seat. The rules:

$rules

The position, as a diagram and as text:

$diagram
$position

The last moves: $moves
$legal
A move is $notation. Think as long as you need. Then end your answer with a line that has only the word
MOVE, a colon and your move."""

NOTHING = {"tries": 0.0, "illegal": 0.0, "tokens": 0.0, "cost": 0.0, "latency": 0.0}
LAST_MOVES = 20
NO_CLOCK_SECONDS = 600.0  # for a move, if the time control sets no time
RESERVE_SECONDS = 0.5  # at the end of the clock, for the message that says why there is no move
LONGEST_BODY = 1 << 22
MOST_REQUESTS = 8  # for an answer
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds before an endpoint is asked again
MOVE = re.compile(r"\bMOVE\b\W*?:[\s*`\"']*([^\s*`\"']+)", re.IGNORECASE)


BOARD = re.compile(r"\A(?:.*\n)*.*-\+\n.*")  # a diagram down to the letters below its frame


class NoAnswer(Exception):
    """The endpoint has given no answer, and may give one after some seconds, unless this is ``final``."""

    def __init__(self, text: str, *, pause: float = 0, final: bool = False) -> None:
        super().__init__(text)
        self.pause, self.final = pause, final


class LanguageModel(Engine):
    name = "llm"
    author = "Leapfrog Arena"
    capabilities = ("legal",)
    options = (
        String("Address", "http://localhost:8080/v1"),  # before /chat/completions
        String("Model"),
        String("Key"),  # the name of an environment variable
        String("Temperature"),  # empty: as the endpoint likes
        String("Prompt"),  # a file; empty: PROMPT
        Check("Legal", False),  # whether the prompt lists the legal moves
        Spin("Tries", 3, 1, 100),  # answers for each move
        Spin("Tokens", 0, 0, 1_000_000),  # at most in an answer; 0: as the endpoint likes
        String(DISGUISE),  # the seed of the names in this game, which the hub sets; empty: the plain ones
        String("Price"),  # of a million tokens in the prompt, and in the answer: 0.15 0.60
    )

    def prepare(self) -> None:
        """Read the options. The process ends if one of them cannot be used."""
        settings = self.settings
        self._key = os.environ.get(settings["Key"], "").strip() if settings["Key"] else ""
        self._url = urlsplit(f"{settings['Address'].rstrip('/')}/chat/completions")
        if settings["Key"] and not (self._key.isascii() and self._key.isprintable() and self._key):
            self._fail(f"option Key: the environment has no variable {settings['Key']} with a key in it")
        if not settings["Model"]:
            self._fail("option Model: name the model that the endpoint should use")
        plain = self._url.scheme in ("http", "https") and self._url.hostname
        if not plain or self._url.username or self._url.query:  # options are shown, so a key is none of them
            self._fail("option Address: this must be an address such as http://localhost:8080/v1")
        try:
            prices = [float(word) / 1e6 for word in (settings["Price"] or "0 0").split()]
            self._input_price, self._output_price = prices
            self._port = self._url.port
            self._temperature = float(settings["Temperature"]) if settings["Temperature"] else None
            file = settings["Prompt"]
            self._template = Template(Path(file).read_text(encoding="utf-8") if file else PROMPT)
            self._template.substitute(dict.fromkeys(_VALUES, ""))
            self._disguise = Disguise(int(settings[DISGUISE])) if settings[DISGUISE] else None
        except (OSError, ValueError, KeyError) as error:
            self._fail(f"option Address, Price, Temperature, Prompt or {DISGUISE}: {error!r}")

    def new_game(self, info: Mapping[str, str]) -> None:
        self._counts = dict(NOTHING)  # since the last legal move

    def choose(self, turn: Turn) -> str:
        """Ask until an answer has a legal move, at most as often as the option Tries says."""
        disguise = self._disguise
        position = self._plain(turn).replay(game(turn.game))
        messages = [{"role": "user", "content": self._prompt(turn, position)}]
        counts = self._counts
        while True:
            answer = self._answer(messages, turn, counts)
            counts["tries"] += 1
            turn.info(string=f"answer {self._safe(answer)[-500:]}")
            text = self._safe(move_in(answer))
            try:
                plain = disguise.show(text) if disguise else text
                move, problem = str(foreign_parser(position)(position, plain)), ""
                move = disguise.hide(move) if disguise else move
            except MoveError as error:
                move, problem = text or "none", "it breaks the rules" if disguise else str(error)
                counts["illegal"] += 1
            if not problem:
                amounts = (
                    f"{name} {f'{count:.6f}'.rstrip('0').rstrip('.')}" for name, count in counts.items()
                )
                turn.info(string=f"usage {' '.join(amounts)}")
                self._counts = dict(NOTHING)
                return move
            if len(messages) >= 2 * self.settings["Tries"] - 1:
                return move if move.isprintable() else "none"
            again = (
                f"This is no legal move: {problem}. Answer again, and end with a line MOVE: and a legal move."
            )
            messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": again}]

    def _plain(self, turn: Turn) -> Turn:
        """Return a turn with the plain names."""
        if self._disguise is None:
            return turn
        start, show = turn.start, self._disguise.show
        return Turn(turn.game, start and show(start), list(map(show, turn.moves)))

    def _prompt(self, turn: Turn, position: Position) -> str:
        info = game(turn.game).info
        values: dict[str, object] = {
            "game": info.title,
            "rules": rules(turn.game),
            "seat": position.turn + 1,
            "diagram": position.diagram(ascii_only=True),
            "position": position,
            "moves": " ".join(turn.moves[-LAST_MOVES:]) or "none",
            "legal": f"The legal moves: {' '.join(turn.legal)}\n" if self.settings["Legal"] else "",
            "notation": info.notation,
        }
        if self._disguise is not None:
            hide = self._disguise.hide
            values["game"], values["notation"] = "the game", "written as in the rules"
            values["rules"] = self._disguise.rules(rules(turn.game), turn.game, info.title.partition(",")[0])
            values["diagram"] = hide(BOARD.findall(position.diagram(ascii_only=True))[0])
            values["position"] = hide(str(position))
        return self._template.substitute(values)

    # --- the endpoint

    def _answer(self, messages: list[dict[str, str]], turn: Turn, counts: dict[str, float]) -> str:
        """Return the text of an answer, and count what it took. Ask again while the endpoint may answer."""
        total = turn.time if turn.movetime is None else turn.movetime
        body = {"model": self.settings["Model"], "messages": messages}
        if self._temperature is not None:
            body["temperature"] = self._temperature
        if self.settings["Tokens"]:
            body["max_tokens"] = self.settings["Tokens"]
        seconds = NO_CLOCK_SECONDS if total is None else (total - turn.elapsed_ms()) / 1000 - RESERVE_SECONDS
        deadline, pause = time.monotonic() + seconds, FIRST_PAUSE
        problem = "the clock leaves no time for an answer"
        for request in range(1, MOST_REQUESTS + 1):
            started = time.monotonic()
            if started >= deadline:
                self._fail(problem)
            try:
                text, usage = self._post(json.dumps(body).encode(), deadline)
                break
            except NoAnswer as error:
                problem, wait = str(error), max(error.pause, pause)
                if error.final or request == MOST_REQUESTS or time.monotonic() + wait >= deadline:
                    self._fail(problem)
                time.sleep(wait)
                pause = min(2 * pause, LONGEST_PAUSE)
        prompt, completion = (_number(usage.get(f"{name}_tokens")) for name in ("prompt", "completion"))
        price = prompt * self._input_price + completion * self._output_price
        counts["tokens"] += prompt + completion
        counts["cost"] += _number(usage.get("cost")) or price
        counts["latency"] += time.monotonic() - started
        return text

    def _post(self, body: bytes, deadline: float) -> tuple[str, dict[str, Any]]:
        """Send a request, and return the text of the answer and its usage. NoAnswer: there is none."""
        url, headers = self._url, {"content-type": "application/json", "accept": "application/json"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        connect = HTTPSConnection if url.scheme == "https" else HTTPConnection
        connection = connect(url.hostname or "", self._port, timeout=max(0.001, deadline - time.monotonic()))
        try:
            connection.request("POST", url.path, body, headers)
            response = connection.getresponse()
            data = _read(connection, response, deadline)
        except (OSError, HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise NoAnswer(f"{self.settings['Address']} cannot be reached: {reason}") from None
        finally:
            connection.close()
        if response.status != 200:
            again = response.status in (408, 429) or response.status >= 500
            pause = _number(response.headers.get("retry-after"))
            words = f"HTTP {response.status} {response.reason}: {self._safe(_words(data))[:300]}"
            raise NoAnswer(f"{self.settings['Address']} answers {words}", pause=pause, final=not again)
        try:
            if response.headers.get_content_type() == "text/event-stream":
                return _streamed(data)
            values = json.loads(data)
            return values["choices"][0]["message"].get("content") or "", values.get("usage") or {}
        except (ValueError, LookupError, TypeError, AttributeError):
            words = self._safe(_words(data))[:300]
            raise NoAnswer(f"{self.settings['Address']} sends what is no chat completion: {words}") from None

    def _safe(self, text: str) -> str:
        """Return a text without the key, which an endpoint may repeat."""
        return text.replace(self._key, "***") if self._key else text

    def _fail(self, text: str) -> NoReturn:
        """End the process with a sentence, which becomes the reason of the lost game."""
        sys.stderr.write(f"{self._safe(' '.join(text.split()))}\n")
        sys.stderr.flush()
        os._exit(1)


_VALUES = ("game", "rules", "seat", "diagram", "position", "moves", "legal", "notation")


def move_in(answer: str) -> str:
    """Return the move in an answer: after the last MOVE, or the only word; "" if there is none."""
    said = answer.rpartition("</think>")[2]
    moves = MOVE.findall(said) or (said.split() if len(said.split()) == 1 else [""])
    return str(moves[-1]).strip("`*'\"").removesuffix(".")[:200]


def _read(connection: HTTPConnection, response: HTTPResponse, deadline: float) -> bytes:
    """Read a body, however slowly it comes; TimeoutError: not before the deadline."""
    data = b""
    while len(data) < LONGEST_BODY and (part := response.read1(1 << 16)):
        data += part
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("it is too slow for the clock")
        if connection.sock is not None:
            connection.sock.settimeout(left)
    return data


def _streamed(data: bytes) -> tuple[str, dict[str, Any]]:
    """Join the pieces of an answer that came as a stream of events."""
    text, usage = "", {}
    for line in data.decode().splitlines():
        if line.startswith("data:") and line[5:].strip() != "[DONE]":
            values = json.loads(line[5:])
            usage = values.get("usage") or usage
            for choice in values.get("choices", [])[:1]:
                text += choice["delta"].get("content") or ""
    return text, usage


def _words(data: bytes) -> str:
    """Return what an endpoint says in the body of an error."""
    text = data.decode(errors="replace")
    try:
        error = json.loads(text)["error"]
        text = error if isinstance(error, str) else error["message"]
    except (ValueError, LookupError, TypeError):
        pass
    return str(text)


def _number(value: object) -> float:
    """Return a number that is not negative; 0 for anything else."""
    try:
        return max(0.0, float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0.0


if __name__ == "__main__":
    run(LanguageModel())
