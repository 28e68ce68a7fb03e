"""Files of games in PGN: where games start, and what they contain. All games have the same grammar.

A game starts with its tags, as ``[Event "a match"]``, or with what follows the result of the game before it.
Empty lines mean nothing. Source:
http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm.
"""

from __future__ import annotations

import re
from codecs import iterdecode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from arena.notation import Notation, NotationError, notation
from protocol.words import cut
from referee.errors import BrokenPlugin, UnknownGame

_LONGEST: Final = 16 * 2**20
"""The most characters of a game. A longer one is cut, so that it cannot fill the memory."""

_LOOKBACK: Final = 256  # characters at the end of a block that may be the start of a tag or a result

# --- the words of a file

_DASH: Final = "[-:\u2010-\u2015\u2212]"
_HALF: Final = "(?:1/2|0?[.,]5|\u00bd)"
_LINE_START: Final = r"(?<![^\r\n\ufeff])"
"""The start of a line, or of a file that was joined to another one: it may have a byte order mark."""

_RESULT: Final = rf"\*|1 ?{_DASH} ?0|0 ?{_DASH} ?1|{_HALF} ?{_DASH} ?{_HALF}|1/2|\u00bd"
_ENDED: Final = rf"(?<![^\s\ufeff(){{}}\]])(?P<result>{_RESULT})(?![^\s\ufeff(){{;\[])"
_COMMENT: Final = (
    rf"\{{(?P<comment>[^}}]*+)(?P<end>\}}?)|;(?P<rest>[^\r\n]*+)|{_LINE_START}(?P<escaped>%[^\r\n]*+)"
)
_TAG: Final = (
    r'\[[ \t]{0,9}+(?P<tag>[A-Za-z0-9][\w+#=:-]{0,199}+)[ \t]{0,9}+"(?:'
    r'(?P<value>(?:[^"\\\r\n]++|\\[^\r\n])*+)"[ \t]*\]'
    r'|(?P<bare>[^\r\n]*)"[ \t]*\](?=[ \t]*(?:[\r\n]|\Z))'
    r"|[^\r\n]*+)"
)
"""A tag. In a line of its own, its value may have bare quotation marks, or end with a backslash."""

_STRING: Final = r'"(?:[^"\\\s]++|\\\S)*+(?:"|\\?\Z)'
"""A move that is no word of PGN, in quotation marks."""

_BETWEEN: Final = re.compile(
    rf"[\s\ufeff]++|{_COMMENT}|{_TAG}|(?P<bad>\[[^\r\n]*+)|(?P<aside>\([^(){{}}\[\];\r\n]*+(?:\)|\Z))"
)
"""What comes before the moves of a game. An aside is only possible after a result."""

_IN_MOVES: Final = re.compile(rf"{_COMMENT}|{_TAG}|{_STRING}|(?P<parenthesis>[()])|{_ENDED}")
"""What tells that a game ends, and what hides it."""

_TAG_LINE: Final = re.compile(rf"{_LINE_START}[ \t]*+{_TAG}")

_FIRST_MOVE: Final = re.compile(r"[0-9]{1,3}\s*\.[.\s]*[^\W\d]")

_TOKEN: Final = re.compile(
    rf"{_COMMENT}|{_TAG}|(?P<bad>{_LINE_START}\[[^\r\n]*+)|{_ENDED}"
    r"|(?P<number>[0-9]{1,5})(?:\s*[.\u2026][.\u2026\s]*+|(?![^\s(){};]))"
    r"|(?P<parenthesis>[()])"
    r"|(?P<ignored>\$[0-9]+|[!?]+|[.\u2026]+|e\.\s?p\.?|ep(?![^\s(){};$])"
    r"|(?:[=#\u00b1\u2213\u2a72\u2a71\u221e]|\+\+?|\+/?[-\u2212=]|[-\u2212=]/?\+)(?![^\s(){};$]))"
    rf"|(?P<string>{_STRING})"
    r"|(?P<word>(?:(?!e\.\s?p\b)[^\s{}()\[\];$!?.\u2026\ufeff])+)"
    r"|(?P<other>[^\s\ufeff])"
)
"""What a game consists of. White space is between the matches."""

_NO_MORE: Final = re.compile(rf"(?:[\s\ufeff]|{_COMMENT})*\Z")
_BOTH_LOSE: Final = re.compile(rf"\s*0 ?{_DASH} ?0\s*")
_DOUBLE_FORFEIT: Final = "0-0 is a double forfeit, which cannot be stored: leave the game out, or change it"

_SPELLED: Final = re.compile(rf"\s*({_RESULT})\s*(?:\(.*\)\s*)?")
_UNESCAPED: Final = re.compile(r'\\(["\\])')
_LATIN_1: Final = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
"""The characters of bytes that are not UTF-8, as `decode` keeps them."""

_REMOVED: Final = re.compile(r"\[%removed ([1-9][0-9]?)\]")
"""What a comment says of a player who leaves a game of more than two."""


class PgnError(ValueError):
    """A game that cannot be read. The message says why; ``line`` is the line of its text, from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class PgnGame:
    """A game as a PGN file has it."""

    line: int  # of its text with which it starts, from 1
    game: str
    tags: dict[str, str]  # by their names in lower case
    position: str | None  # its first one as the rules print it; None for the usual start
    moves: tuple[str, ...]  # as the rules write them, and the removals of players
    end: int  # the line of the last move; without moves the first line
    comments: tuple[str, ...]  # after each move, or ""
    remark: str  # the comment before the first move, or ""
    last: str  # the last move with its number, as it is written; "" without moves
    result: str  # after the moves: 1-0, 0-1, 1/2-1/2 or *; "" if it is missing but all moves are there


def decode(data: bytes) -> str:
    """Return the text of a game for `parse`; bytes that are not UTF-8 are kept."""
    return data.decode(errors="surrogateescape")


def has_games(text: str) -> bool:
    """Whether a text contains a tag, or starts with moves after comments."""
    at = 0
    while match := _BETWEEN.match(text, at):
        if match["tag"]:
            return True
        at = match.end()
    return bool(_TAG_LINE.search(text, at) or _FIRST_MOVE.match(text, at))


def split(blocks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the text of each game, and how many characters are before its first tag or move.

    Joined and encoded, the texts are the file. Only one game is kept in memory.
    """
    more = iterdecode(blocks, "utf-8", "surrogateescape")
    text, place, final = "", _Place(), False
    start = 0  # of the text that is not yielded
    first: int | None = None  # where the game in it starts
    while True:
        match = place.next(text)
        if place.needs_more(text, match) and not final and len(text) - start <= _LONGEST:
            place.wait(text, match)
            block = next(more, None)
            final = block is None
            text = text[start:] + (block or "")
            place.at -= start
            first = None if first is None else first - start
            start = 0
        elif match is None and place.needs_more(text, match):
            if first is not None:
                yield first - start, text[start:]
            if final:
                return
            text, start, place.at, first = "", 0, 0, 0
        elif (game := place.follow(text, match)) is not None:
            if first is not None:
                yield first - start, text[start:game]
                start = game
            first = game


class _Place:
    """How far `split` has read: ``at``, and what is there."""

    __slots__ = ("at", "depth", "ended", "first", "moving")

    def __init__(self) -> None:
        self.at = 0
        self.moving = False  # after the first move, until the game ends or a tag comes
        self.ended = True
        self.depth = 0  # of variations
        self.first = ""  # the first tag of the game: where it comes again, another game starts

    def next(self, text: str) -> re.Match[str] | None:
        return _IN_MOVES.search(text, self.at) if self.moving else _BETWEEN.match(text, self.at)

    def needs_more(self, text: str, match: re.Match[str] | None) -> bool:
        """Whether more text could change the match."""
        return match.end() == len(text) if match else self.moving or self.at == len(text)

    def wait(self, text: str, match: re.Match[str] | None) -> None:
        if match:
            self.at = match.start()
        elif self.moving:
            self.at = max(self.at, len(text) - _LOOKBACK)

    def follow(self, text: str, match: re.Match[str] | None) -> int | None:
        """Go on, and return where a game starts, if one starts here; without a match, moves start here."""
        aside = match["aside"] if match and not self.moving else None
        if match is None or (aside and not (self.ended and aside.endswith(")"))):
            game = self.at if self.ended else None
            self._enter(moving=True)
            if game is not None:
                self.first = ""
            return game
        self.at = match.end()
        if match["comment"]:
            tag = _tag_in_comment(text, match)
            if tag is not None:
                self.at, self.moving, self.ended = tag, False, True
        elif match["tag"] or (not self.moving and match["bad"]):
            return self._tag(text, match)
        elif self.moving and match["parenthesis"]:
            self.depth = max(self.depth + (1 if match["parenthesis"] == "(" else -1), 0)
        elif self.moving and match["result"] and not self.depth:
            self.moving, self.ended = False, True
        return None

    def _tag(self, text: str, match: re.Match[str]) -> int | None:
        if self.depth and text[match.start() - 1] not in "\r\n":
            return None  # it belongs to a variation
        name = (match["tag"] or "").lower()
        starts = self.moving or self.ended or name == self.first != ""
        self._enter(moving=False)
        if starts:
            self.first = name
        return match.start() if starts else None

    def _enter(self, *, moving: bool) -> None:
        self.moving, self.ended, self.depth = moving, False, 0


def _tag_in_comment(text: str, comment: re.Match[str]) -> int | None:
    """Where a game starts in a comment that never ends: it has no brace, or the brace of a later one."""
    start, end = comment.span("comment")
    tag = _TAG_LINE.search(text, start, end) if "[" in comment["comment"] else None
    if tag is None or (comment["end"] and "{" not in text[tag.end() : end]):
        return None
    return tag.start()


def move_word(move: str) -> str:
    """Return a move as a word of PGN: in quotation marks if it looks like anything else."""
    match = _TOKEN.fullmatch(move)
    if match is not None and match.lastgroup == "word":
        return move
    return f'"{escaped(move)}"'


def escaped(value: str) -> str:
    """Return the text between the quotation marks of a tag or a move."""
    return value.replace("\\", "\\\\").replace('"', '\\"')


def parse(text: str) -> PgnGame:
    """Read the text of a game without its variations; a PgnError says what is wrong, and in which line."""
    return _Reader(text).game()


class _Reader:
    """Reads one game."""

    def __init__(self, text: str) -> None:
        self._text = text if text.isascii() else text.translate(_LATIN_1)
        self._newline = "\n" if "\n" in text else "\r"
        self._line = 1
        self._first_line = 0  # the line with the first tag or move
        self._tags: dict[str, str] = {}
        self._notation: Notation | None = None
        self._played = 0
        self._moves: list[str] = []  # and removals
        self._end = 0  # the line of the last move
        self._comments = [""]  # before the first move, and after each move
        self._numbering: set[tuple[int, int]] | None = None  # first number, and the moves before the first
        self._last = self._result = ""

    def game(self) -> PgnGame:
        """Read all words."""
        depth = at = 0
        variation = self._line
        for match in _TOKEN.finditer(self._text):
            kind = match.lastgroup
            self._line += self._text.count(self._newline, at, match.start())
            at = match.start()
            if kind == "end":
                if not match["end"]:
                    raise self._error("the comment that starts here has no } at its end, or the game is cut")
                if not depth:
                    self._comment(match["comment"])
            elif kind == "parenthesis":
                if match[0] == "(":
                    variation = variation if depth else self._line
                    depth += 1
                elif not depth:
                    raise self._error("a variation ends here, but none has started")
                else:
                    depth -= 1
            elif not depth:
                self._read(kind, match)
        self._first_line = self._first_line or self._line
        if depth:
            raise PgnError(
                "the variation that starts here has no ) at its end, or the game is cut", variation
            )
        return self._finished()

    def _error(self, message: str, last: re.Match[str] | None = None) -> PgnError:
        """Return an error in this line; if the text ends with the ``last`` word, the game is cut there."""
        if last is not None and not self._text[last.end() :].strip():
            message = f"the game is cut: it ends with {_quoted(last[0])}"
        return PgnError(message, self._line)

    def _comment(self, comment: str) -> None:
        if self._result:
            return
        for seat in _REMOVED.findall(comment):
            self._add(self._game_notation().remove(int(seat) - 1))
        self._comments[-1] = " ".join((self._comments[-1], *comment.split())).strip()

    def _read(self, kind: str | None, match: re.Match[str]) -> None:
        """Read a word that belongs neither to a comment in braces nor to a variation."""
        if kind in ("escaped", "ignored"):
            return
        if kind == "rest":
            self._comment(match["rest"])
            return
        self._first_line = self._first_line or self._line
        if kind in ("value", "bare", "tag", "bad"):
            self._tag(kind, match)
            return
        game = self._game_notation()
        if self._result:
            raise self._error(f"{_quoted(match[0])} comes after the result")
        if kind in ("word", "string"):
            self._move(game, match)
        elif kind == "number":
            self._number(game, match)
        elif kind == "result":
            self._result = _result(match[0])
        else:
            raise self._error(f"{_quoted(match[0])} is no part of a game")

    def _tag(self, kind: str, match: re.Match[str]) -> None:
        if kind not in ("value", "bare"):
            raise self._error(f'{_quoted(match[0])} is no tag; write it as [Name "text"]', match)
        name, value = match["tag"], _UNESCAPED.sub(r"\1", match[kind])
        if self._tags.setdefault(name.lower(), value) != value:
            raise self._error(f"the tag {name} occurs twice, with two values")

    def _game_notation(self) -> Notation:
        if self._notation is None:
            self._first_line = self._first_line or self._line
            self._notation = self._first_position()
        return self._notation

    def _first_position(self) -> Notation:
        tags = self._tags
        fen = tags.get("fen", "").strip(" ;")
        if _BOTH_LOSE.fullmatch(tags.get("result", "")):
            raise PgnError(_DOUBLE_FORFEIT, self._first_line)
        if fen and tags.get("setup") == "0":
            raise PgnError("the tag SetUp is 0, which contradicts the tag FEN", self._first_line)
        try:
            return notation(tags.get("variant", ""), fen)
        except (UnknownGame, BrokenPlugin) as error:
            raise PgnError(f"the tag Variant: {error}", self._first_line) from None
        except ValueError as error:
            raise PgnError(f"the tag FEN is no position: {error}", self._first_line) from None

    def _number(self, game: Notation, match: re.Match[str]) -> None:
        """Check a number: it counts rounds of moves, from the first player or from the first move."""
        number, played = int(match["number"]), self._played
        inside = match[0].count(".") > 1 or "\u2026" in match[0]
        fitting = {
            (number - (played + before) // game.players, before)
            for before in (0, game.turn)
            if (played + before) % game.players or not inside
        }
        if self._numbering is None and game.numbers:
            fitting = {(first, before) for first, before in fitting if first in game.numbers}
        self._numbering = fitting if self._numbering is None else fitting & self._numbering
        if not self._numbering:
            reason = "moves are missing before it, a number is wrong, or a result ends the game before it"
            if not played:
                reason = "the first moves are missing; add them, or the tag FEN with the position before it"
            raise self._error(f"the number {number}{'...' * inside} is not the next one: {reason}", match)

    def _move(self, game: Notation, match: re.Match[str]) -> None:
        text, number = match[0], self._place(game)
        string = match["string"] and text.endswith('"')
        try:
            move = game.read(_UNESCAPED.sub(r"\1", text[1:-1]) if string else text)
        except NotationError as error:
            if _BOTH_LOSE.fullmatch(text) and _NO_MORE.match(self._text, match.end()):
                raise self._error(_DOUBLE_FORFEIT) from None
            word = f"the move {number} {_quoted(text)}" if error.is_move else _quoted(text)
            raise self._error(f"{word} {error}", match if error.may_be_cut else None) from None
        self._last = f"{number} {text}"
        self._played += 1
        self._add(move)

    def _place(self, game: Notation) -> str:
        """The number of the next move, as it is in a file."""
        rounds, inside = divmod(self._played + game.turn, game.players)
        return f"{max(game.numbers, default=1) + rounds}.{'..' if inside else ''}"

    def _add(self, ply: str) -> None:
        if ply:
            self._moves.append(ply)
            self._end = self._line
            self._comments.append("")

    def _finished(self) -> PgnGame:
        game = self._game_notation()
        whole = self._tags.get("plycount") == str(self._played) or game.over
        if not self._result and not (self._played and whole):
            raise self._error(
                "the game ends without a result: it is cut, or 1-0, 0-1, 1/2-1/2 or * is missing at its end"
            )
        return PgnGame(
            self._first_line,
            game.game,
            self._tags,
            game.position,
            tuple(self._moves),
            self._end or self._first_line,
            tuple(self._comments[1:]),
            self._comments[0],
            self._last,
            self._result,
        )


def result(text: str) -> str | None:
    """Return a result in the spelling of the standard; "" for an unknown one, None for what is unclear."""
    if text.strip() in ("", "?", "*"):
        return ""
    match = _SPELLED.fullmatch(text)
    return _result(match[1]) if match else None


def _result(spelled: str) -> str:
    """Return a result that `_RESULT` matches in the spelling of the standard."""
    if spelled == "*":
        return spelled
    decisive = re.fullmatch(r"([01])[^\d/.,]+[01]", spelled)
    return {"1": "1-0", "0": "0-1"}[decisive[1]] if decisive else "1/2-1/2"


def _quoted(word: str) -> str:
    return repr(cut(word, 40))
