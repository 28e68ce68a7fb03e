"""The engine program of an agent's seat: it tells each turn over a socket, and brings the agent's move.

``python -m arena.mcp.seat SOCKET`` speaks the engine protocol, so a referee knows no difference between an
agent and an engine. What it tells are lines of JSON. A move comes as a line with the number of its turn.
"""

from __future__ import annotations

import select
import socket
import sys

import msgspec

from protocol.engine import Engine, run
from protocol.engine import Turn as EngineTurn
from referee import game

_LOOK_SECONDS = 0.1


class Turn(msgspec.Struct, frozen=True, tag="turn"):
    """It is the agent's turn."""

    number: int  # counts all questions to the seat, from 1
    game: str
    seat: int  # from 1
    position: str
    diagram: str
    moves: tuple[str, ...]  # that led here, or the last of them
    legal: tuple[str, ...]
    left_ms: int | None  # on the clock of the seat


class Refusal(msgspec.Struct, frozen=True, tag="refusal"):
    """The referee did not play the last answer."""

    text: str


class Seat(Engine):
    """Asks the agent at the other end of a socket."""

    name = "agent"
    capabilities = ("legal", "resign")

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(path)
        self._answers = self._socket.makefile()
        self._turns = 0

    def choose(self, turn: EngineTurn) -> str:
        """Tell the turn, and wait for its answer; after ``stop`` no answer matters."""
        position = turn.replay(game(turn.game))
        self._turns += 1
        self._tell(
            Turn(
                self._turns,
                turn.game,
                position.turn + 1,
                str(position),
                position.diagram(ascii_only=True),
                turn.moves,
                turn.legal,
                turn.movetime if turn.time is None else turn.time,
            )
        )
        while not turn.stopped():
            if select.select([self._socket], [], [], _LOOK_SECONDS)[0]:
                number, _, move = self._answers.readline().strip().partition(" ")
                if not number:
                    raise SystemExit("the agent has gone")
                if number == str(self._turns):
                    return move
        return "none"

    def error(self, code: str, text: str) -> None:
        """Tell why an answer was not played."""
        self._tell(Refusal(f"{code}: {text}"))

    def _tell(self, message: msgspec.Struct) -> None:
        self._socket.sendall(msgspec.json.encode(message) + b"\n")


if __name__ == "__main__":
    run(Seat(sys.argv[1]))
