"""The text format, read: line by line, and after a fault on with the next entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from string import ascii_letters
from typing import Final, TypeVar

from arena.model import (
    GameRecord,
    GameResult,
    Opening,
    PlayerRecord,
    RatingListRecord,
    TournamentRecord,
)
from arena.records.entries import LONGEST, NO_LINE, Entry, EntryKind, ReadEntry, RefusedEntry, check
from arena.records.handwritten import Tags, complete
from arena.records.text_values import (
    SECONDS,
    STRING,
    nanoseconds,
    parse_instant,
    parse_number,
    parse_seconds,
    unquoted,
)
from arena.records.text_writer import HEADER, PLAIN_MOVE, PLAIN_SCORE
from protocol.plurals import counted
from referee.outcome import Termination
from referee.ply import Ply, count_moves

__all__ = ["read"]

Value = TypeVar("Value")

_TAG: Final = re.compile(rf"\[([A-Za-z]+)([1-9][0-9]?)?((?: +{STRING})++) *\]")
_USUAL_TAG: Final = re.compile(r'\[([A-Za-z]+)([1-9][0-9]?)? "([^"\\\x00-\x1f]*)"\]')
"""A tag of one string without escapes, which is read quicker."""
_STRINGS: Final = re.compile(STRING)
_PLY: Final = re.compile(
    rf"([1-9][0-9]?): +({PLAIN_MOVE}|{STRING})"
    rf"(?: +\{{time ({SECONDS})(?:, clock {SECONDS})?"
    rf"(?:, score ({PLAIN_SCORE}|{STRING}))?(?:, depth (-?[0-9]{{1,20}}))?\}})?(?: +|$)"
)
_START: Final = re.compile(r"\[(Tournament|RatingList|Game) ")
_KINDS: Final[dict[str, EntryKind]] = {
    "Tournament": "tournament",
    "RatingList": "rating list",
    "Game": "game",
}

_HEADER: Final = HEADER.strip()
_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")

_SEVERAL: Final[dict[str, int | None]] = {"Setting": 2, "Opening": None}
"""How many strings a tag has, where that is not one; None for any number."""

_TAGS: Final[dict[EntryKind, frozenset[str]]] = {
    "tournament": frozenset({"Tournament", "Begun", "Setting", "Outline"}),
    "rating list": frozenset({"RatingList", "Setting"}),
    "game": frozenset(
        {"Game", "Event", "Id", "Number", "Key", "Started", "Duration", "Start", "Opening", "Final"}
        | {"Termination", "Reason", "Detail"}
    ),
}
_SEAT_TAGS: Final = frozenset(
    {"Player", "Version", "Program", "TimeControl", "Margin", "TimeUsed", "Rank", "Points", "Forfeit"}
)


class _TagError(ValueError):
    """What a tag says cannot be, as was seen when its entry had ended.

    Attributes:
        line: where the tag is.
    """

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(slots=True)
class _Section:
    """An entry of which some lines have been read."""

    kind: EntryKind
    line: int
    place: int  # among the games of the file, from 1
    tags: Tags = field(default_factory=dict)
    tag_lines: dict[str, int] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    plies: list[Ply] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    size: int = 0  # characters so far

    def grow(self, size: int) -> None:
        """Count characters, as memory must not fill with one entry.

        Raises:
            ValueError: there are too many.
        """
        self.size += size
        if self.size > LONGEST:
            raise ValueError("this entry is longer than 16 MiB")

    def feed(self, number: int, text: str) -> None:
        """Take a tag.

        Raises:
            ValueError: it is none, or cannot stand here.
        """
        if self.plies:
            raise ValueError("a tag behind the first ply: tags stand before the moves")
        found = _USUAL_TAG.fullmatch(text) or _TAG.fullmatch(text)
        if found is None:
            raise ValueError('this is no tag: it is written [Name "text"]')
        name, seat, strings = found.groups()
        if name not in (_SEAT_TAGS if seat and self.kind == "game" else _TAGS[self.kind]):
            raise ValueError(f"a {self.kind} has no tag {name}{seat or ''}")
        values = (strings,) if found.re is _USUAL_TAG else unquoted(_STRINGS.findall(strings))
        self._keep(name, seat or "", values, number)

    def _keep(self, name: str, seat: str, values: tuple[str, ...], line: int) -> None:
        count = _SEVERAL.get(name, 1)
        if count is not None and len(values) != count:
            raise ValueError(f"the tag {name} has {counted(count, 'string')}, not {len(values)}")
        if name == "Setting":
            key, value = values
            if key in self.settings:
                raise ValueError(f"the setting {key!a} comes twice")
            self.settings[key] = value
            return
        if name + seat in self.tags:
            raise ValueError(f"the tag {name}{seat} comes twice")
        self.tags[name + seat] = values
        self.tag_lines[name + seat] = line

    def play(self, number: int, text: str) -> None:
        """Take a line of plies.

        Raises:
            ValueError: it is none, or cannot stand here.
        """
        if self.kind != "game":
            raise ValueError(f"a {self.kind} has tags and `end`, and nothing else")
        at = 0
        while at < len(text):
            found = _PLY.match(text, at)
            if found is None:
                raise ValueError(
                    f"column {at + 1}: this is no ply; one is written `1: MOVE {{time 0.25, score cp 20}}`"
                )
            at = found.end()
            seat, move, time, score, depth = found.groups()
            self.lines.append(number)
            self.plies.append(
                Ply(
                    int(seat) - 1,
                    unquoted([move])[0] if move[0] == '"' else move,
                    nanoseconds(time) if time else 0,
                    (unquoted([score])[0] if score[0] == '"' else score) if score else "",
                    None if depth is None else int(depth),
                )
            )

    def finish(self) -> ReadEntry:
        """The entry, now that its ``end`` has come.

        Raises:
            ValueError: something is missing, or is not what it should be.
        """
        entry: Entry
        if self.kind == "game":
            entry = self._game()
        elif self.kind == "tournament":
            created = self._need("Begun", parse_instant)
            entry = TournamentRecord(
                self._need("Tournament", str), created, self.settings, self._have("Outline")
            )
        else:
            entry = RatingListRecord(self._need("RatingList", str), self.settings)
        return ReadEntry(self.line, check(entry), tuple(self.lines))

    def _game(self) -> GameRecord:
        complete(self.tags, self.plies, self.place)
        players: list[PlayerRecord] = []
        while f"Player{len(players) + 1}" in self.tags:
            players.append(self._player(str(len(players) + 1)))
        spare = {int(tag.lstrip(ascii_letters) or 0) for tag in self.tags} - set(range(len(players) + 1))
        if spare:
            raise ValueError(f"there are tags of player {min(spare)}, but no tag Player{len(players) + 1}")
        result = GameResult(
            id=self._need("Id", _integer) if "Id" in self.tags else None,
            tournament=self._need("Event", str),
            number=self._need("Number", _integer) - 1,
            key=self._need("Key", str),
            game=self._need("Game", str),
            termination=self._need("Termination", _termination),
            reason=self._need("Reason", str),
            detail=self._have("Detail"),
            plies=count_moves(self.plies),
            players=tuple(players),
        )
        return GameRecord(
            result,
            Opening(self._have("Start") if "Start" in self.tags else None, self.tags.get("Opening", ())),
            tuple(self.plies),
            self._have("Final"),
            self._need("Started", parse_instant),
            self._need("Duration", parse_seconds),
        )

    def _player(self, seat: str) -> PlayerRecord:
        return PlayerRecord(
            name=self._need("Player" + seat, str),
            version=self._have("Version" + seat),
            rank=self._need("Rank" + seat, _integer) if "Rank" + seat in self.tags else None,
            points=self._need("Points" + seat, parse_number),
            forfeit=self._need("Forfeit" + seat, _termination) if "Forfeit" + seat in self.tags else None,
            time_control=self._need("TimeControl" + seat, str),
            margin=self._need("Margin" + seat, _integer),
            time_used=self._need("TimeUsed" + seat, parse_seconds),
            program=self._have("Program" + seat),
        )

    def _need(self, tag: str, parse: Callable[[str], Value]) -> Value:
        if tag not in self.tags:
            raise ValueError(f"the tag {tag} is missing")
        try:
            return parse(self.tags[tag][0])
        except ValueError as error:
            raise _TagError(f"the tag {tag}: {error}", self.tag_lines.get(tag, self.line)) from None

    def _have(self, tag: str) -> str:
        return self.tags[tag][0] if tag in self.tags else ""


def _integer(text: str) -> int:
    if _INTEGER.fullmatch(text) is None:
        raise ValueError(f"{text!a} is no whole number")
    return int(text)


def _termination(text: str) -> Termination:
    try:
        return Termination(text)
    except ValueError:
        raise ValueError(f"{text!a} is none of {', '.join(Termination)}") from None


def read(lines: Iterable[tuple[int, str | None]]) -> Iterator[ReadEntry | RefusedEntry]:
    """The entries of a file, in order; memory holds one of them.

    Args:
        lines: numbers and texts of the lines behind the first; None for a line that is no text.
    """
    section: _Section | None = None
    lost = False  # since a fault, up to the next beginning or end of an entry
    number, games = 1, 0
    for number, line in lines:
        text = "" if line is None else line.strip(" \t\r\n")
        if line is not None and (not text or text[0] == ";" or text == _HEADER):
            continue
        tag = text[:1] == "["
        begins = _START.match(text) if tag else None
        if begins:
            if section is not None:
                reason = "the next entry begins before the line `end`: something is missing"
                yield RefusedEntry(number, section.kind, reason)
            games += begins[1] == "Game"
            section, lost = _Section(_KINDS[begins[1]], number, games), False
        if section is None:
            if not lost:
                yield RefusedEntry(
                    number, "text", "an entry begins with a tag Tournament, RatingList or Game"
                )
            lost = text != "end"
            continue
        try:
            if line is None:
                raise ValueError(NO_LINE)
            section.grow(len(text))
            if tag:
                section.feed(number, text)
                continue
            if text != "end":
                section.play(number, text)
                continue
            yield section.finish()
        except ValueError as error:
            at = error.line if isinstance(error, _TagError) else number
            yield RefusedEntry(at, section.kind, str(error))
            lost = text != "end"
        section = None
    if section is not None:
        yield RefusedEntry(number, section.kind, "the file ends before the line `end`: something is missing")
