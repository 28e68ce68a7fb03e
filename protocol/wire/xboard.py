"""The hub's side of CECP, the protocol of xboard, as a `Session`: for chess engines that speak no UCI.

Theory of operation. CECP gives an engine moves and not positions, so this session remembers which moves are
on the engine's board. A new position is sent as the moves that are missing, while the engine is in force
mode; only a position that does not continue the one on the board is set up again. ``go`` ends force mode, and
after the engine's move the next lines put it into force mode again. ``isready`` becomes ``ping``. The engine
is level 0. An engine of version 1 announces no features, and the hub goes on without them. Source: "Chess
Engine Communication Protocol" by Tim Mann and H.G. Muller, version 2.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Final

from protocol.errors import EngineStartError, RemoteProtocolError
from protocol.wire import messages as m
from protocol.wire.codec import CLAIM, RESIGN
from protocol.wire.options import AdvertisedOption
from protocol.wire.session import Role, Session
from protocol.wire.states import State
from protocol.wire.xboard_edit import edit_lines

FEATURE_WAIT: Final = 2.0
"""Seconds after which CECP lets a hub go on without the end of an engine's features."""

CLAIM_WAIT: Final = 1.0
"""Seconds after a claimed result in which the move that ends the game may still follow."""

_FEATURE: Final = re.compile(r'(\w+)=("[^"]*"|[^\s"]+)')
_MOVE: Final = re.compile(
    r"(?:move(?:\s+|$)|My move is ?:\s*)(?:\d+\s*\.[.\s]*)?"
    r"(\S*[a-h][1-8]\S*|[O0o]-[O0o]\S*|\S*(?=\s*(?:$|[({])))"
)
"""A move, perhaps after its number. Only one with a square or a castling may have other words behind it."""

_LOSER: Final = {"1-0": 1, "0-1": 0, "white": 0, "black": 1}
_OWN: Final = ""
"""Stands for the engine's own last move, which the referee may write in another way than the engine."""

_REFUSED: Final = "?"
"""Stands for a move that the referee has not played: no position continues the one on the engine's board."""

_COMPLAINT: Final = re.compile(r"(?:Illegal move|Invalid move|Error)\b")
_THINKING: Final = re.compile(r"\s*(\d{1,3})[.&+*-]?\s+([+-]?\d{1,7})\s+(\d{1,9})\s+(\d{1,15})(?:\s+(.*))?")
"""Depth, score in centipawns, time in hundredths of a second, nodes, and the variation."""

_MOVE_NUMBER: Final = re.compile(r"\d+\.+\s*")

_OPTION: Final = re.compile(r"(\S.*?) -(\w+)(?: (.*))?")
_MATE, _LONGEST_MATE = 100_000, 1000

_LONG: Final = 3_600_000  # milliseconds on the clock of an engine whose only limit is a depth


def limit_problem(movetime: int | None, nodes: int | None) -> str:
    """Return why CECP cannot express a time for the move (ms) or a number of nodes; "" if it can."""
    if nodes is not None:
        return "cannot be told a number of nodes; use a clock, a depth or whole seconds for a move"
    if movetime is not None and movetime % 1000:
        return f"cannot be told {movetime} ms for a move; use a clock, a depth or whole seconds for a move"
    return ""


def _score(number: int) -> str:
    """Return a score as UCI writes it. CECP writes a mate in 3 moves as 100003, and -3 as -100003."""
    moves = abs(number) - _MATE
    if 0 < moves < _LONGEST_MATE:
        return f"mate {moves if number > 0 else -moves}"
    return f"cp {number}"


class XboardSession(Session):
    """The conversation with an engine that speaks CECP."""

    __slots__ = (
        "_before",
        "_claim",
        "_due",
        "_features",
        "_moves",
        "_pings",
        "_seat",
        "_spoke",
        "_start",
        "_timed",
    )

    def __init__(self, *, any_option: bool = False) -> None:
        super().__init__(Role.HUB, keep_info=False, any_option=any_option)
        self._short_path = False
        self._features: dict[str, str] = {}
        self._before: list[str] = []  # lines to send before the next ones
        self._due: deque[m.Reply] = deque()  # replies that the engine does not print
        self._pings = 0
        self._spoke = False  # whether the engine has printed anything
        self._start: str | None = None  # the position string from which the moves on the board start
        self._moves: list[str] | None = None  # the moves on the engine's board; None before the first game
        self._seat = 0
        self._timed = False  # whether the engine knows the time control of this game
        self._claim: str | None = None  # what it claimed after its last move; None before its first move

    @property
    def reusable(self) -> bool:
        """Whether the engine can play another game in the same process."""
        return self._features.get("reuse") != "0"

    # --- hub to engine

    def urge(self) -> bytes:
        """Return a line for an engine that has not ended its features; called after every `FEATURE_WAIT`.

        The line is a ``ping``, which wakes GNU Chess: it may overlook its first lines until another one
        comes. If the engine has printed something, but does not answer the ``ping`` either, it sends no more
        features: the handshake is over, and the result is b"". An engine that said ``done=0`` wants more
        time.
        """
        if self._pings and self._spoke and self._features.get("done") != "0":
            self._enter(State.GREETED, m.HelloOk())
            return b""
        return f"{self._ping()}\n".encode()

    def _ping(self) -> str:
        self._pings += 1
        return f"ping {self._pings}"

    def _text(self, message: m.Command | m.Reply) -> str:
        if isinstance(message, m.Quit):
            return "quit"
        lines, self._before = self._before, []
        return "\n".join([*lines, *self._lines_for(message)])

    def _lines_for(self, message: m.Command | m.Reply) -> Iterator[str]:
        match message:
            case m.Hello():
                yield from ("xboard", "protover 2")
            case m.SetOption(name, value):
                yield self._option_line(name, value)
            case m.IsReady() if self._features.get("ping") == "1":
                yield self._ping()
            case m.IsReady():
                self._due.append(m.ReadyOk())
            case m.NewGame():
                self._start, self._moves, self._claim = None, [], None
                yield from self._begin()
            case m.SetPosition(fen, moves):
                yield from self._set_up(fen, moves.split())
            case m.Go() if self._claim == RESIGN:
                self._due.append(m.BestMove(RESIGN))
            case m.Go():
                yield from self._limits(message)
                yield "go"
                if self._claim and self._features.get("ping") == "1":
                    yield self._ping()  # answered before the move only if the engine does not search
            case m.Stop():
                yield "?"

    def _option_line(self, name: str, value: str | None) -> str:
        if name in ("memory", "cores"):
            return f"{name} {value}"
        option = self.options.get(name.lower())
        if option is not None and option.kind == "check":
            value = "1" if value == "true" else "0"
        return f"option {name}" if value is None else f"option {name}={value}"

    def _begin(self) -> tuple[str, ...]:
        self._timed = False  # `new` resets the time control
        return ("new", "force", "easy", "post")

    def _set_up(self, fen: str | None, moves: list[str]) -> Iterator[str]:
        known = list(self._moves or ())
        if known[-1:] == [_OWN] and len(known) <= len(moves):
            known[-1] = moves[len(known) - 1]
        if fen != self._start or moves[: len(known)] != known:
            known = []
            yield from self._begin() if fen is None else self._setboard(fen)
        yield from map(self._user_move, moves[len(known) :])
        self._start, self._moves = fen, moves
        black_begins = fen is not None and fen.split()[1:2] == ["b"]
        self._seat = (len(moves) + black_begins) % 2

    def _user_move(self, move: str) -> str:
        return f"usermove {move}" if self._features.get("usermove") == "1" else move

    def _setboard(self, fen: str) -> Iterator[str]:
        """Yield the lines that set up a position. EngineStartError: the engine has no such lines."""
        if self._features.get("setboard") == "1":
            yield from ("force", f"setboard {fen}")
            return
        lines = edit_lines(fen)
        if lines is None:
            raise EngineStartError(
                "does not have the feature setboard, so it cannot be told this castling or en passant;"
                " use openings that are moves"
            )
        yield from self._begin()
        if fen.split()[1] == "b":
            yield self._user_move("a2a3")  # `edit` leaves the seat to move as it is
        yield from lines

    def _limits(self, go: m.Go) -> Iterator[str]:
        """Yield the lines for the limits of a search; EngineStartError if CECP has no words for them."""
        if problem := limit_problem(go.movetime, go.nodes):
            raise EngineStartError(problem)
        if go.movetime is not None:
            yield f"st {go.movetime // 1000}"
            return
        own = go.times[self._seat] if go.times else _LONG
        other = go.times[1 - self._seat] if go.times else _LONG
        if not self._timed:
            minutes, seconds = divmod(max(1, own // 1000), 60)
            increment = go.incs[self._seat] // 1000 if go.incs else 0
            yield f"level {go.moves_to_go or 0} {minutes}:{seconds:02} {increment}"
            self._timed = True
        if go.depth is not None:
            yield f"sd {go.depth}"
        if self._features.get("time") != "0":
            yield from (f"time {own // 10}", f"otim {other // 10}")

    def forget_board(self) -> None:
        """Set the next position up again, as if no move were on the engine's board."""
        self._moves = [_REFUSED]

    # --- engine to hub

    def next_event(self) -> m.Command | m.Reply | None:
        """Return the next message, as `Session.next_event` does."""
        if self._due and self.state in (State.SYNC, State.SEARCH):
            return self._accept(self._due.popleft(), b"")
        return super().next_event()

    def _parse(self, line: bytes) -> m.Command | m.Reply:
        text = line.decode(errors="replace").strip()
        self._spoke = self._spoke or bool(text)
        word, *more = text.split(None, 1) or ("",)
        rest = more[0] if more else ""
        move = _MOVE.match(text)
        if claim := CLAIM.match(text if move is None else move[1]):
            return self._claimed(claim.string, (claim[1] or claim[2] or "i").lower())
        if move is not None:
            return self._moved(move[1])
        if word == "feature":
            return self._learn(rest)
        if word == "pong":
            return self._ponged(rest)
        if _COMPLAINT.match(text):
            self.strays += 1
            self._keep_odd(line)
            raise RemoteProtocolError(f"it said {text[:80]!r}")
        thought = _THINKING.fullmatch(text)
        return m.Unknown(text) if thought is None else self._thought(*thought.groups())

    def _ponged(self, number: str) -> m.Reply:
        self._features.setdefault("ping", "1")
        # GNU Chess prints each pong twice, and the second one belongs to no question.
        if number != str(self._pings):
            return m.InfoLine("")
        if self.state is State.SEARCH and self._claim:
            return m.BestMove(self._claim)
        return m.ReadyOk() if self.state is State.SYNC else m.InfoLine("")

    def _moved(self, move: str) -> m.BestMove:
        if self.state in (State.SEARCH, State.DRAIN):
            self._before.append("force")
            self._claim = ""
            if self._moves is not None:
                self._moves = [*self._moves, _OWN]
        return m.BestMove(move)

    def _claimed(self, text: str, who: str) -> m.Reply:
        """Take the claim of a result: a loss is a resignation, in a search or at its next one."""
        claim = RESIGN if _LOSER.get(who) == self._seat or who == "i" else text
        if self.state is State.SEARCH:
            return m.BestMove(claim)
        if self._claim is not None:
            self._claim = self._claim if self._claim == RESIGN else claim
        return m.Unknown(text)

    def _enter(self, following: State, message: m.Command | m.Reply) -> None:
        """Change the state, but stay in a search after a claim: the move may still follow."""
        claims = isinstance(message, m.BestMove) and CLAIM.match(message.move) and message.move != RESIGN
        super()._enter(self.state if claims else following, message)

    def end_search(self) -> None:
        """End a search in which the engine has claimed a result, and no move has followed."""
        self.state = State.IDLE

    def _thought(self, depth: str, score: str, time: str, nodes: str, line: str | None) -> m.InfoLine:
        text = f"depth {depth} score {_score(int(score))} time {10 * int(time)} nodes {nodes}"
        if self.state is State.SEARCH:
            pv = _MOVE_NUMBER.sub("", line or "")
            self._info = f"info {text} pv {pv}".encode()
        return m.InfoLine(f"{text} string {line}" if line else text)

    def _learn(self, text: str) -> m.Reply:
        """Note the features of a line, and the answers to them."""
        for name, quoted in _FEATURE.findall(text):
            value = quoted.strip('"')
            self._features[name] = value
            if name == "myname":
                self._note(m.Id("name", value))
            elif name == "option":
                self._advertise(value)
            elif name in ("memory", "smp") and value == "1":
                limit = "memory" if name == "memory" else "cores"
                self.options[limit] = AdvertisedOption(limit, "spin", minimum=1)
            if name != "done":
                wrong = name == "san" and value == "1"  # the hub writes the squares of a move
                self._before.append(f"{'rejected' if wrong else 'accepted'} {name}")
        done = self.state is State.HANDSHAKE and self._features.get("done") == "1"
        return m.HelloOk() if done else m.InfoLine("")

    def _advertise(self, text: str) -> None:
        """Note an option, such as ``Hash -spin 16 1 1024``."""
        match = _OPTION.fullmatch(text)
        if match is None:
            self.strays += 1
            return
        name, kind, rest = match[1], match[2], match[3] or ""
        words = rest.split()
        if (
            kind in ("spin", "slider")
            and len(words) == 3
            and all(re.fullmatch(r"-?\d{1,99}", word) for word in words)
        ):
            option = AdvertisedOption(name, "spin", words[0], int(words[1]), int(words[2]))
        elif kind == "check":
            option = AdvertisedOption(name, "check", "true" if rest == "1" else "false")
        elif kind == "combo":
            option = AdvertisedOption(
                name, "combo", choices=tuple(part.strip().lstrip("*") for part in rest.split("///"))
            )
        else:
            option = AdvertisedOption(
                name, "button" if kind in ("button", "save", "reset") else "string", rest
            )
        self.options.setdefault(name.lower(), option)
