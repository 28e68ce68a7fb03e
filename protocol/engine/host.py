"""The library with which an engine is written in Python: standard library only, quick to import.

An engine is a subclass of `Engine` with a method `choose`; `run` speaks the protocol for it::

    import random
    from protocol.engine import Engine, Turn, run


    class Dice(Engine):
        name = "dice"

        def choose(self, turn: Turn) -> str:
            return random.choice(turn.legal)


    run(Dice())

Theory of operation. The main thread only reads and answers: ``isready`` and ``stop`` are obeyed while the
worker thread searches, and the end of input ends the process whatever the worker does. The author's methods
all run in the worker, one at a time and in the order of the hub's lines, so they need no locks. Output goes
to the descriptor in whole lines under one lock; ``print`` goes to standard error, where it disturbs nothing.
"""

from __future__ import annotations

import os
import sys
import threading
from queue import SimpleQueue

from protocol.engine.option_types import Button, Check, Combo, Option, Spin, String
from protocol.engine.turn import Limits, Turn

TYPE_CHECKING = False  # typing's own would have to be imported, which costs as much as all of this library
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self

__all__ = ["Button", "Check", "Combo", "Engine", "Option", "Spin", "String", "Turn", "run"]

_CHOSEN = ("legal", "fen", "delta", "resign")
_ALWAYS = ("seat", "result", "errors", "stop", "ping")
_LAST_WORDS = 0.2  # seconds that a search gets to end by itself when the hub has gone
_GAME_OPTION = "UGI_Game"
_SEATS = {str(seat + 1): seat for seat in range(9)}  # 1-based on the wire


class Engine:
    """What an author subclasses; everything but `choose` may be left as it is.

    Attributes:
        name: what the engine calls itself; the class's name if left empty.
        author, version: printed when not empty.
        games: the ids that it plays; () for any, which is for engines that need no rules.
        capabilities: what it wants of ``legal`` (lists of legal moves), ``fen`` (positions as strings, not as
            moves from the start), ``delta`` (only new moves on the wire; `Turn.moves` has them all the same)
            and ``resign`` (to be allowed to answer ``resign``).
        options: what users can set; ``UGI_Game`` is added by the library where ``games`` names any.
        settings: the options' values by name, kept up to date by the library; not for authors to declare.
    """

    name = ""
    author = ""
    version = ""
    games: Sequence[str] = ()
    capabilities: Sequence[str] = ("legal", "fen")
    options: Sequence[Option] = ()
    settings: dict[str, Any]

    def __new__(cls, *_args: object, **_kwargs: object) -> Self:
        """Fill `settings`, so that an author's ``__init__`` needs to call nobody's."""
        engine = super().__new__(cls)
        engine.settings = {option.name: option.default for option in cls.options}
        return engine

    def choose(self, turn: Turn) -> object:
        """The move: its text, or anything whose ``str`` is its text.

        Look at ``turn.out_of_time()`` now and then, and always have a move at hand.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method choose")

    def prepare(self) -> None:
        """Called once, when the options are set and before the first game: the place for what takes long."""

    def new_game(self, info: Mapping[str, str]) -> None:
        """A game begins; ``info`` has ``id game players seat base inc margin``, as far as the hub tells."""

    def game_over(self, result: str, ranks: tuple[int, ...], reason: str) -> None:
        """A game has ended: ``p2win``, ``draw`` or ``none``; the ranks in seat order (or ()); one word."""

    def set_option(self, name: str, value: bool | int | str | None) -> None:
        """An option was set (None: a button was pressed); `settings` has the value already."""

    def error(self, code: str, text: str) -> None:
        """The hub rejected or repaired something: printed to standard error unless overridden."""
        _warn(f"the hub reports {code}: {text}")


def run(engine: Engine) -> None:
    """Speak the protocol on standard input and output until ``quit`` or the end of input.

    Returns then, or ends the process (status 0) if a search goes on. An exception in the engine is printed
    to standard error and ends the process with status 1.

    Raises:
        TypeError: ``engine`` is a class.
        ValueError: the engine declares what the protocol does not have.
    """
    if isinstance(engine, type):
        raise TypeError(f"run needs an engine, not its class: write run({engine.__name__}())")
    host = _Host(engine)
    if sys.stdin.isatty():
        _warn(f"This is the engine {host.name}, and it waits for a hub: `arena play` can be one.")
        _warn("By hand, a line each: ugi, position startpos, legal e2 e3, go movetime 100, quit.")
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        host.serve()
    except KeyboardInterrupt:
        os._exit(130)
    finally:
        sys.stdout = stdout


class _Host:
    """One engine at one hub."""

    def __init__(self, engine: Engine) -> None:
        unknown = set(engine.capabilities) - {*_CHOSEN, *_ALWAYS}
        if unknown:
            raise ValueError(
                f"no such capability: {', '.join(sorted(unknown))} (there are {', '.join(_CHOSEN)})"
            )
        self._engine = engine
        self._options = {option.name.lower(): option for option in engine.options}
        if len(self._options) < len(engine.options) or any(name.startswith("ugi_") for name in self._options):
            raise ValueError("options need different names, and UGI_ is reserved for the protocol")
        if engine.games:
            self._options[_GAME_OPTION.lower()] = Combo(_GAME_OPTION, engine.games[0], engine.games)

        self.name = engine.name or type(engine).__name__
        self._out = sys.stdout.fileno()
        self._lock = threading.RLock()
        self._searches: list[Turn] = []  # asked and not answered yet; guarded by the lock
        self._tasks: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._worker = threading.Thread(target=self._work, name="search", daemon=True)

        self._prepared = False
        self._announced: dict[str, str] | None = (
            None  # gameinfo of a game that `new_game` has not been told of
        )
        self._info: dict[str, str] | None = None  # gameinfo of the running game
        self._game = engine.games[0] if engine.games else ""
        self._start: str | None = None
        self._moves: list[str] = []
        self._legal: list[str] = []
        self._handlers: dict[str, Callable[[str], None]] = {
            "ugi": self._on_ugi,
            "setoption": self._on_setoption,
            "isready": self._on_isready,
            "uginewgame": self._on_uginewgame,
            "gameinfo": self._on_gameinfo,
            "position": self._on_position,
            "moves": self._on_moves,
            "legal": self._on_legal,
            "legal+": self._on_legal_more,
            "go": self._on_go,
            "stop": self._on_stop,
            "gameover": self._on_gameover,
            "error": self._on_error,
        }

    # --- the two threads

    def serve(self) -> None:
        """The main thread: read and answer until the hub goes."""
        self._worker.start()
        for raw in iter(sys.stdin.buffer.readline, b""):
            word, _, rest = raw.decode(errors="replace").strip().replace("\t", " ").partition(" ")
            if word == "quit":
                break
            handler = self._handlers.get(word)
            if handler is not None:
                handler(rest.strip())
        self._on_stop("")
        self._tasks.put(None)
        self._worker.join(_LAST_WORDS)
        if self._worker.is_alive():
            os._exit(0)

    def _work(self) -> None:
        """The worker: whatever calls the author's methods."""
        try:
            while (task := self._tasks.get()) is not None:
                task()
        except BaseException:  # also SystemExit: a thread's own would go unnoticed
            import traceback  # here because it takes 10 ms to import

            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    def _send(self, *lines: str) -> None:
        """Print whole lines at once."""
        data = "".join(f"{line}\n" for line in lines).encode()
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._out, data) :]
            except BrokenPipeError:
                os._exit(0)  # as at the end of input: the hub has gone

    # --- outside a game

    def _on_ugi(self, _: str) -> None:
        engine = self._engine
        lines = [f"id name {self.name}"]
        lines += [f"id {key} {text}" for key in ("author", "version") if (text := getattr(engine, key))]
        lines += [option.advertise() for option in self._options.values()]
        self._send(
            *lines, " ".join(("protocol 1", *dict.fromkeys((*engine.capabilities, *_ALWAYS)))), "ugiok"
        )

    def _on_setoption(self, rest: str) -> None:
        name, _, text = f"{rest} ".removeprefix("name ").partition(" value ")  # the value may be empty
        option = self._options.get(name.strip().lower())
        try:
            if option is None:
                raise ValueError(f"no option {name.strip()!r}")
            value = option.read(text.strip())
        except ValueError as error:
            _warn(f"ignored `setoption {rest}`: {error}")
            return
        if option.name == _GAME_OPTION:
            self._game = str(value)
        else:
            self._tasks.put(lambda: self._set(option, value))

    def _set(self, option: Option, value: bool | int | str | None) -> None:
        self._engine.settings[option.name] = value
        self._engine.set_option(option.name, value)

    def _on_isready(self, _: str) -> None:
        with self._lock:
            if self._searches:
                self._send("readyok")
                return
        self._prepare()
        if self._announced is not None:
            self._begin()
        self._tasks.put(lambda: self._send("readyok"))  # true only after what was asked before

    def _prepare(self) -> None:
        if not self._prepared:
            self._prepared = True
            self._tasks.put(self._engine.prepare)

    # --- a game

    def _on_uginewgame(self, _: str) -> None:
        self._announced = {}
        self._start, self._moves, self._legal = None, [], []

    def _on_gameinfo(self, rest: str) -> None:
        if self._announced is not None:
            words = rest.split()
            self._announced.update(zip(words[::2], words[1::2], strict=False))

    def _begin(self) -> None:
        """Tell the engine of the game, now that all ``gameinfo`` has come."""
        self._prepare()
        info, self._announced = self._announced or {}, None
        self._info = info
        self._game = info.get("game", self._game)
        self._tasks.put(lambda: self._engine.new_game(info))

    def _on_position(self, rest: str) -> None:
        words = rest.split()
        cut = words.index("moves") if "moves" in words else len(words)
        if words[:1] == ["fen"]:
            self._start = " ".join(words[1:cut])
        elif words[:1] == ["startpos"]:
            self._start = None
        else:
            _warn(f"ignored `position {rest[:60]}`: it is neither startpos nor fen")
            return
        self._moves, self._legal = words[cut + 1 :], []

    def _on_moves(self, rest: str) -> None:
        self._moves += rest.split()
        self._legal = []

    def _on_legal(self, rest: str) -> None:
        self._legal = rest.split()

    def _on_legal_more(self, rest: str) -> None:
        self._legal += rest.split()

    def _on_go(self, rest: str) -> None:
        if self._announced is not None or self._info is None:
            self._begin()
        turn = Turn(
            self._game,
            self._start,
            self._moves,
            Limits(rest),
            seat=_SEATS.get((self._info or {}).get("seat", "")),
            legal=self._legal,
            send=self._send,
        )
        with self._lock:
            self._searches.append(turn)
        self._tasks.put(lambda: self._search(turn))

    def _search(self, turn: Turn) -> None:
        move = self._engine.choose(turn)
        text = str(move)
        if move is None or len(text.split()) != 1:
            raise TypeError(f"choose must return the text of one move, not {move!r}")
        with self._lock:
            turn.finish()
            self._searches.remove(turn)
            self._send(f"bestmove {text}")

    def _on_stop(self, _: str) -> None:
        with self._lock:
            for turn in self._searches:
                turn.stop()

    def _on_gameover(self, rest: str) -> None:
        result, _, words = rest.partition(" ")
        ranks, _, reason = words.removeprefix("ranks ").rpartition("reason ")
        places = tuple(int(word) for word in ranks.split() if word.isdecimal())
        self._tasks.put(lambda: self._engine.game_over(result, places, reason.strip()))

    def _on_error(self, rest: str) -> None:
        code, _, text = rest.partition(" ")
        self._tasks.put(lambda: self._engine.error(code, text))


def _warn(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
