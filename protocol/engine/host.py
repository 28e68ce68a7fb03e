"""`run`, which speaks the protocol for an engine.

Theory of operation. There are two threads. The main thread only reads lines and answers them, so the engine
obeys ``isready`` and ``stop`` during a search, and the end of input always ends the process. The worker
thread calls the methods of the engine, one at a time and in the order of the hub's lines. So an engine needs
no locks. The library writes whole lines to standard output under one lock. ``print`` in an engine writes to
standard error, so it cannot break the protocol.
"""

from __future__ import annotations

import os
import sys
import threading
from queue import SimpleQueue

from protocol.engine.base import Combo, Engine, Option, warn
from protocol.engine.turn import Limits, Turn

TYPE_CHECKING = False  # importing typing takes as long as importing this whole library
if TYPE_CHECKING:
    from collections.abc import Callable

_OPTIONAL_CAPABILITIES = ("legal", "fen", "delta", "resign")
_FIXED_CAPABILITIES = ("seat", "result", "errors", "stop", "ping")
_SHUTDOWN_SECONDS = 0.2  # how long a search may go on after the hub has gone
_GAME_OPTION = "UGI_Game"
_SEATS = {str(seat + 1): seat for seat in range(9)}  # 1-based on the wire


def run(engine: Engine) -> None:
    """Speak the protocol on standard input and output until ``quit`` or the end of input.

    If a search is still running after that, this does not return: the process exits with status 0.
    An exception in the engine is printed to standard error, and the process exits with status 1.

    Raises:
        TypeError: ``engine`` is a class.
        ValueError: the engine declares an unknown capability, or an option name twice or with a reserved
            prefix.
    """
    if isinstance(engine, type):
        raise TypeError(f"run needs an engine object, not its class: write run({engine.__name__}())")
    host = _Host(engine)
    sys.set_int_max_str_digits(0)  # the hub judges a move or a score of thousands of digits, not Python
    if sys.stdin.isatty():
        warn(f"This is the engine {host.name}. It waits for a hub; `arena play` is one.")
        warn(
            "To try it by hand, type these lines: ugi, position startpos, legal e2 e3, go movetime 100, quit."
        )
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        host.serve()
    except KeyboardInterrupt:
        os._exit(130)
    finally:
        sys.stdout = stdout


class _Host:
    """Runs one engine: reads the hub's lines and keeps the state of the game."""

    def __init__(self, engine: Engine) -> None:
        unknown = set(engine.capabilities) - {*_OPTIONAL_CAPABILITIES, *_FIXED_CAPABILITIES}
        if unknown:
            raise ValueError(
                f"no such capability: {', '.join(sorted(unknown))}"
                f" (choose from {', '.join(_OPTIONAL_CAPABILITIES)})"
            )
        self._engine = engine
        self._options = {option.name.lower(): option for option in engine.options}
        if len(self._options) < len(engine.options) or any(name.startswith("ugi_") for name in self._options):
            raise ValueError("two options must not have the same name, and no name may start with UGI_")
        if engine.games:
            self._options[_GAME_OPTION.lower()] = Combo(_GAME_OPTION, engine.games[0], engine.games)

        self.name = engine.name or type(engine).__name__
        self._out = sys.stdout.fileno()
        self._lock = threading.RLock()
        self._searches: list[Turn] = []  # searches without an answer yet; guarded by the lock
        self._tasks: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._worker = threading.Thread(target=self._work, name="search", daemon=True)

        self._prepared = False
        self._next_info: dict[str, str] | None = None  # gameinfo of a game before `new_game` is called for it
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
        """Read lines and answer them until the hub goes; runs in the main thread."""
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
        self._worker.join(_SHUTDOWN_SECONDS)
        if self._worker.is_alive():
            os._exit(0)

    def _work(self) -> None:
        """Call the engine's methods; runs in the worker thread."""
        try:
            while (task := self._tasks.get()) is not None:
                task()
        except BaseException as error:  # SystemExit too, which would only end this thread
            sys.excepthook(type(error), error, error.__traceback__)
            sys.stderr.flush()
            os._exit(1)

    def _send(self, *lines: str) -> None:
        """Print whole lines, with no other output between them."""
        data = "".join(f"{line}\n" for line in lines).encode()
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._out, data) :]
            except BrokenPipeError:
                os._exit(0)  # the hub has gone, as at the end of input

    # --- outside a game

    def _on_ugi(self, _: str) -> None:
        engine = self._engine
        lines = [f"id name {self.name}"]
        lines += [f"id {key} {text}" for key in ("author", "version") if (text := getattr(engine, key))]
        lines += [option.advertise() for option in self._options.values()]
        self._send(
            *lines,
            " ".join(("protocol 1", *dict.fromkeys((*engine.capabilities, *_FIXED_CAPABILITIES)))),
            "ugiok",
        )

    def _on_setoption(self, rest: str) -> None:
        name, _, text = f"{rest} ".removeprefix("name ").partition(" value ")  # the value may be empty
        option = self._options.get(name.strip().lower())
        try:
            if option is None:
                raise ValueError(f"there is no option {name.strip()!r}")
            value = option.read(text.strip())
        except ValueError as error:
            warn(f"ignored `setoption {rest}`: {error}")
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
        if self._next_info is not None:
            self._begin()
        self._tasks.put(lambda: self._send("readyok"))  # only after all earlier tasks are done

    def _prepare(self) -> None:
        if not self._prepared:
            self._prepared = True
            self._tasks.put(self._engine.prepare)

    # --- a game

    def _on_uginewgame(self, _: str) -> None:
        self._next_info = {}
        self._start, self._moves, self._legal = None, [], []

    def _on_gameinfo(self, rest: str) -> None:
        if self._next_info is not None:
            words = rest.split()
            self._next_info.update(zip(words[::2], words[1::2], strict=False))

    def _begin(self) -> None:
        """Call `Engine.new_game`, once all ``gameinfo`` has come."""
        self._prepare()
        info, self._next_info = self._next_info or {}, None
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
            warn(f"ignored `position {rest[:60]}`: it is neither startpos nor fen")
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
        if self._next_info is not None or self._info is None:
            self._begin()
        only_position = self._start is not None and "fen" in self._engine.capabilities
        turn = Turn(
            self._game,
            self._start,
            None if only_position and not self._moves else self._moves,
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
