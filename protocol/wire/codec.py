"""Converts messages to text and back, without state or I/O.

The hub's functions (`format_command`, `parse_reply`) run on every ply and are written for speed. The engine's
functions (`parse_command`, `format_reply`) serve fakes, checkers and replays. One table holds the words that
differ between the dialects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any, Literal

from protocol.wire import messages as m

Dialect = Literal["ugi", "uci", "uai", "xboard"]

NO_MOVE = frozenset({"0000", "(none)", "none", "NULL", ""})
"""The spellings of "I have no move" that engines use. Where such a text is a legal move, it is that move."""

RESIGN = "resign"
"""The answer of an engine that resigns."""

CLAIM = re.compile(
    r"(?:(?:result|tellics)\s+)?(?:(1-0|0-1|1/2(?:-1/2)?)(?=[\s{(]|$)|(?:(white|black|i)\s+)?resigns?\b)",
    re.IGNORECASE,
)
"""Matches a claimed result (group 1), or the words of an engine that says who resigns (group 2)."""

RESERVED_MOVES = frozenset({"moves", "none", RESIGN})
"""Texts that are moves in no game: a word that comes before a list of moves, and answers without a move."""


@dataclass(frozen=True, slots=True)
class _Words:
    hello: str
    ok: str
    new_game: str
    time: tuple[str, ...]
    inc: tuple[str, ...]


# Without xboard, which has other messages: see `protocol.wire.xboard`.
_WORDS: dict[Dialect, _Words] = {
    "ugi": _Words(
        "ugi",
        "ugiok",
        "uginewgame",
        tuple(f"p{seat}time" for seat in range(1, 10)),
        tuple(f"p{seat}inc" for seat in range(1, 10)),
    ),
    "uci": _Words("uci", "uciok", "ucinewgame", ("wtime", "btime"), ("winc", "binc")),
    # In Ataxx the first player is called black in ``go``, although its pieces are written x.
    "uai": _Words("uai", "uaiok", "uainewgame", ("btime", "wtime"), ("binc", "winc")),
}

LINE_DIALECTS = tuple(_WORDS)
"""The dialects of the functions in this module."""

# --- among the moves of a game ---------------------------------------------------------------------------

REMOVAL_MARK = "!"
_REMOVAL = re.compile(r"!([1-9][0-9]?)")


def format_removal(seat: int) -> str:
    """Return the text for the removal of ``seat`` (0-based) in a list of moves: ``!3`` for seat 2."""
    return f"{REMOVAL_MARK}{seat + 1}"


def parse_removal(text: str) -> int | None:
    """Return the removed seat (0-based) if ``text`` is a removal such as ``!3``; None otherwise."""
    match = _REMOVAL.fullmatch(text)
    return None if match is None else int(match[1]) - 1


def is_removal(text: str) -> bool:
    """Return whether ``text`` starts with ``!``. In every game such texts are removals and never moves."""
    return text.startswith(REMOVAL_MARK)


# --- hub to engine ---------------------------------------------------------------------------------------


@cache
def _clock_template(dialect: Dialect, seats: int) -> str:
    """Return a template of ``go`` with a place for each seat's time, then for each seat's increment."""
    words = _WORDS[dialect]
    return " ".join(("go", *(f"{word} %d" for word in (*words.time[:seats], *words.inc[:seats]))))


def _format_go(go: m.Go, dialect: Dialect) -> str:
    if go.times:
        text = _clock_template(dialect, len(go.times)) % (*go.times, *go.incs)
        return text if go.moves_to_go is None else f"{text} movestogo {go.moves_to_go}"
    if go.movetime is not None:
        return f"go movetime {go.movetime}"
    if go.depth is not None:
        return f"go depth {go.depth}"
    return f"go nodes {go.nodes}"


def format_position(fen: str | None, moves: str) -> str:
    """Return the line of `m.SetPosition`, without its LF."""
    base = "position startpos" if fen is None else f"position fen {fen}"
    return f"{base} moves {moves}" if moves else base


def _format_option(option: m.SetOption, _dialect: Dialect) -> str:
    value = "" if option.value is None else f" value {option.value}"
    return f"setoption name {option.name}{value}"


def _format_gameover(over: m.GameOver, _dialect: Dialect) -> str:
    ranks = " ranks " + " ".join(map(str, over.ranks)) if over.ranks else ""
    return f"gameover {over.result}{ranks} reason {over.reason}"


_FORMATS: dict[type, Callable[[Any, Dialect], str]] = {
    m.Hello: lambda _, dialect: _WORDS[dialect].hello,
    m.Acknowledge: lambda ack, _: " ".join(("protocol", str(ack.version), *ack.capabilities)),
    m.SetOption: _format_option,
    m.IsReady: lambda *_: "isready",
    m.NewGame: lambda _, dialect: _WORDS[dialect].new_game,
    m.GameInfoLine: lambda info, _: "gameinfo " + " ".join(f"{key} {value}" for key, value in info.items),
    m.SetPosition: lambda position, _: format_position(position.fen, position.moves),
    m.Moves: lambda moves, _: "moves " + moves.moves,
    m.Legal: lambda legal, _: ("legal+ " if legal.more else "legal ") + " ".join(legal.moves),
    m.Go: _format_go,
    m.Ponder: lambda ponder, dialect: _format_go(ponder.go, dialect).replace("go", "go ponder", 1),
    m.PonderHit: lambda *_: "ponderhit",
    m.Stop: lambda *_: "stop",
    m.Query: lambda query, _: f"query {query.text}",
    m.GameOver: _format_gameover,
    m.ErrorReport: lambda error, _: f"error {error.code} {error.text}",
    m.Quit: lambda *_: "quit",
}


def result_word(ranks: Sequence[int]) -> str:
    """Return the result in ``gameover``: ``p2win`` if seat 2 (1-based) alone has rank 1, else ``draw``."""
    return f"p{ranks.index(1) + 1}win" if ranks.count(1) == 1 else "draw"


def format_command(command: m.Command, dialect: Dialect = "ugi") -> str:
    """Return the line for ``command``, without its LF."""
    return _FORMATS[type(command)](command, dialect)


def _parse_go(words: list[str], dialect: Dialect) -> m.Go:
    pairs = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    names = _WORDS[dialect]
    return m.Go(
        times=tuple(pairs[word] for word in names.time if word in pairs),
        incs=tuple(pairs[word] for word in names.inc if word in pairs),
        moves_to_go=pairs.get("movestogo"),
        movetime=pairs.get("movetime"),
        depth=pairs.get("depth"),
        nodes=pairs.get("nodes"),
    )


def _parse_position(words: list[str]) -> m.SetPosition:
    cut = words.index("moves") if "moves" in words else len(words)
    moves = " ".join(words[cut + 1 :])
    if words[0] == "startpos" and cut == 1:
        return m.SetPosition(None, moves)
    if words[0] != "fen" or cut < 2:
        raise ValueError("position wants startpos or fen")
    return m.SetPosition(" ".join(words[1:cut]), moves)


def _parse_setoption(text: str) -> m.SetOption:
    name, keyword, value = text.removeprefix("name ").partition(" value ")
    return m.SetOption(name, value if keyword else None)


def _parse_gameover(words: list[str]) -> m.GameOver:
    reason = words[words.index("reason") + 1]
    ranks = words[words.index("ranks") + 1 : words.index("reason")] if "ranks" in words else []
    return m.GameOver(words[0], tuple(map(int, ranks)), reason)


_COMMANDS: dict[str, Callable[[str, list[str], Dialect], m.Command]] = {
    "protocol": lambda _, words, __: m.Acknowledge(int(words[0]), tuple(words[1:])),
    "setoption": lambda rest, *_: _parse_setoption(rest),
    "isready": lambda *_: m.IsReady(),
    "gameinfo": lambda _, words, __: m.GameInfoLine(tuple(zip(words[::2], words[1::2], strict=True))),
    "position": lambda _, words, __: _parse_position(words),
    "moves": lambda _, words, __: m.Moves(" ".join(words)),
    "legal": lambda _, words, __: m.Legal(tuple(words)),
    "legal+": lambda _, words, __: m.Legal(tuple(words), more=True),
    "go": lambda _, words, dialect: (
        m.Ponder(_parse_go(words[1:], dialect)) if words[:1] == ["ponder"] else _parse_go(words, dialect)
    ),
    "ponderhit": lambda *_: m.PonderHit(),
    "stop": lambda *_: m.Stop(),
    "query": lambda rest, *_: m.Query(rest),
    "gameover": lambda _, words, __: _parse_gameover(words),
    "error": lambda _, words, __: m.ErrorReport(words[0], " ".join(words[1:])),
    "quit": lambda *_: m.Quit(),
}
for _names in _WORDS.values():
    _COMMANDS[_names.hello] = lambda *_: m.Hello()
    _COMMANDS[_names.new_game] = lambda *_: m.NewGame()


def parse_command(line: str, dialect: Dialect = "ugi") -> m.Command | m.Unknown:
    """Parse one line of the hub, as an engine does.

    ValueError, IndexError: the first word is known, but the rest of the line is invalid.
    """
    word, _, rest = line.strip().partition(" ")
    parse = _COMMANDS.get(word)
    return m.Unknown(line) if parse is None else parse(rest, rest.split(), dialect)


# --- engine to hub ---------------------------------------------------------------------------------------


def parse_reply(line: str, dialect: Dialect = "ugi") -> m.Reply:
    """Parse one line of an engine. A line that is not understood becomes `Unknown`.

    Any white space may surround the words, and a byte order mark may come first, as from programs in .NET.
    The texts of `Id` and `OptionLine` have one space between words.
    """
    word, *more = line.removeprefix("\ufeff").split(None, 1) or ("",)
    rest = more[0].rstrip() if more else ""
    match word:
        case "bestmove":
            move, word, ponder = [*rest.split(None, 3), "", "", ""][:3]
            return m.BestMove(move, ponder if word == "ponder" else "")
        case "readyok" if not rest:
            return m.ReadyOk()
        case "info":
            return m.InfoLine(rest)
        case "id":
            key, *words = rest.split() or ("",)
            return m.Id(key, " ".join(words)) if words else m.Unknown(line)
        case "option":
            return m.OptionLine(" ".join(rest.split()))
        case "protocol":
            words = rest.split()
            has_version = bool(words) and words[0].isascii() and words[0].isdigit() and len(words[0]) < 10
            return m.Announce(int(words[0]), tuple(words[1:])) if has_version else m.Unknown(line)
        case "response":
            return m.Response(rest)
    if word == _WORDS[dialect].ok and not rest:
        return m.HelloOk()
    return m.Unknown(line)


_REPLY_FORMATS: dict[type, Callable[[Any, Dialect], str]] = {
    m.Id: lambda ident, _: f"id {ident.key} {ident.text}",
    m.OptionLine: lambda option, _: f"option {option.text}",
    m.Announce: lambda announce, _: " ".join(("protocol", str(announce.version), *announce.capabilities)),
    m.HelloOk: lambda _, dialect: _WORDS[dialect].ok,
    m.ReadyOk: lambda *_: "readyok",
    m.InfoLine: lambda info, _: f"info {info.text}",
    m.BestMove: lambda best, _: f"bestmove {best.move}".rstrip() + (best.ponder and f" ponder {best.ponder}"),
    m.Response: lambda response, _: f"response {response.text}",
    m.Unknown: lambda unknown, _: unknown.text,
}


def format_reply(reply: m.Reply, dialect: Dialect = "ugi") -> str:
    """Return the line for ``reply``, without its LF."""
    return _REPLY_FORMATS[type(reply)](reply, dialect)


# --- info ------------------------------------------------------------------------------------------------


def _number(words: list[str], name: str) -> int | None:
    """Return the integer after ``name``; None if there is none, or it has a fraction or too many digits."""
    try:
        text = words[words.index(name) + 1]
    except (ValueError, IndexError):
        return None
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 15 else None


def score_text(words: list[str]) -> str:
    """Return ``cp N``, ``mate N`` or ``wdl W D L`` from the words of an info line; "" if there is none."""
    if "score" not in words:
        return ""
    rest = words[words.index("score") + 1 :]
    for kind, count in (("cp", 1), ("mate", 1), ("wdl", 3)):
        values = rest[1 : 1 + count]
        numbers = all(_number([kind, value], kind) is not None for value in values)
        if rest[:1] == [kind] and len(values) == count and numbers:
            return " ".join((kind, *values))
    return ""


def _facts(text: str) -> list[str]:
    """Return the words of an ``info`` before ``string``, after which any text may follow."""
    words = text.split()
    return words[: words.index("string")] if "string" in words else words


_COUNT = "([0-9]{1,15})"
_USUAL_REPORT = re.compile(
    rf"depth {_COUNT} (?:seldepth {_COUNT} )?(?:multipv 1 )?score ((?:cp|mate) -?[0-9]{{1,15}})"
    rf"(?: time [0-9]+)?(?: nodes {_COUNT})?(?: nps {_COUNT})?(?: hashfull {_COUNT})?(?: tbhits [0-9]+)?"
    r"(?: time [0-9]+)?(?: pv (\S.*))?"
)
"""Matches the reports of most engines."""

_LONG_REPORT = re.compile(
    rf"depth {_COUNT} seldepth {_COUNT} multipv 1 score ((?:cp|mate) -?[0-9]{{1,15}}) nodes {_COUNT}"
    rf" nps {_COUNT}(?: hashfull {_COUNT})? tbhits [0-9]+ time [0-9]+ pv (\S.*)"
)
"""Matches the reports of Stockfish and its relatives in half the time."""


def parse_report(text: str) -> tuple[str, int | None, m.Thought | None]:
    """Return score, depth and the rest of an ``info``; None if there is no more.

    This is faster than `parse_info`, as it runs on every ply.
    """
    if not text:
        return "", None, None  # in very fast games most engines print no info
    usual = _LONG_REPORT.fullmatch(text) or _USUAL_REPORT.fullmatch(text)
    if usual is None:
        return _parse_unusual(text)
    depth, seldepth, score, nodes, nps, hashfull, pv = usual.groups()
    if pv is None:
        pv = ""
    else:
        if len(pv) > m.MAX_PV:
            pv = _shortened(pv)
        if not (pv.isascii() and pv.isprintable()) or "  " in pv or "string" in pv:
            return _parse_unusual(text)
    thought = m.thought(
        int(nodes) if nodes else None,
        int(nps) if nps else None,
        int(seldepth) if seldepth else None,
        int(hashfull) if hashfull else None,
        pv,
    )
    return score, int(depth), thought


def _parse_unusual(text: str) -> tuple[str, int | None, m.Thought | None]:
    words = _facts(text)
    thought = m.thought(
        _count(words, "nodes"),
        _count(words, "nps"),
        _count(words, "seldepth"),
        _count(words, "hashfull"),
        pv_text(words[words.index("pv") + 1 :]) if "pv" in words else "",
        usage_text(text),
    )
    return score_text(words), _number(words, "depth"), thought


def _count(words: list[str], name: str) -> int | None:
    number = _number(words, name)
    return None if number is None or number < 0 else number


def usage_text(text: str) -> str:
    """Return what a move took, which an ``info`` says after ``string usage``; "" if it says nothing."""
    match = m.USAGE.match(text.partition("string usage ")[2])
    return match[0] if match else ""


def pv_text(words: Sequence[str]) -> str:
    """Return the start of a principal variation: the words that can be moves, up to `m.MAX_PV`."""
    return _shortened(" ".join(takewhile(lambda word: word.isascii() and word.isprintable(), words)))


def _shortened(pv: str) -> str:
    return pv if len(pv) <= m.MAX_PV else pv[: m.MAX_PV + 1].rpartition(" ")[0]


_NO_INFO = m.Info()


def parse_info(text: str) -> m.Info:
    """Parse the text after ``info``. It raises no errors, because info lines have no effect on the game."""
    if not text:
        return _NO_INFO  # in very fast games most engines print no info
    words = _facts(text)
    return m.Info(
        depth=_number(words, "depth"),
        time=_number(words, "time"),
        score=score_text(words),
        pv=tuple(words[words.index("pv") + 1 :]) if "pv" in words else (),
    )
