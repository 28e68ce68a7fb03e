"""The text format: tags as in PGN, then a line for each ply; reading gives exactly what was written.

After a fault, the reader goes on with the next entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import chain, count, takewhile
from string import ascii_letters
from typing import Final, TypeVar

from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, Opening, PlayerRecord, RatingListRecord, TournamentRecord
from arena.records.entries import LONGEST, NO_LINE, VERSION, Entry, EntryKind, ReadEntry, RefusedEntry, check
from arena.records.notation import (
    SECONDS,
    STRING,
    instant,
    nanoseconds,
    number,
    parse_instant,
    parse_number,
    parse_seconds,
    quoted,
    seconds,
    unquoted,
)
from arena.replay import clocks, replay
from arena.scoring import points
from protocol.wire.messages import Thought, thought
from protocol.words import counted
from referee import Game, Position, game
from referee.errors import RefereeError
from referee.outcome import Termination
from referee.ply import Ply, count_moves

HEADER: Final = f"%leapfrog-arena records {VERSION}\n\n"
"""The first line of a file, and an empty line."""

NO_OPTIONS: Final = "none"
"""The only string of the tag ``Options`` of an engine without options."""

PLAIN_MOVE: Final = r"[!#-z|~]+"
"""A regular expression for a move that needs no quotation marks: ASCII without space, ``"`` and braces."""

COUNTS: Final = ("seldepth", "nodes", "nps", "hashfull")
"""The counts of a `Thought`, in the order in which a comment has them."""

_WORD: Final = "[A-Za-z0-9+.-]"
PLAIN_SCORE: Final = rf"{_WORD}+(?: {_WORD}{_WORD}*+)*+"
"""A regular expression for a score without quotation marks: words with one space between them.

The group matches the first character of a word separately, for the reason given at
`STRING`.
"""

_CHAR: Final = r"[!#-z|~]"
PLAIN_PV: Final = rf"{_CHAR}++(?: {_CHAR}{_CHAR}*+)*+"
"""A regular expression for a principal variation without quotation marks."""

_plain_move = re.compile(PLAIN_MOVE).fullmatch
_plain_pv = re.compile(PLAIN_PV).fullmatch
_plain_score = re.compile(PLAIN_SCORE).fullmatch


def write(entry: Entry) -> str:
    """Return the text of an entry, with an empty line after it."""
    if isinstance(entry, GameRecord):
        lines = [*_game_tags(entry), "", *_plies(entry)] if entry.record else [*_game_tags(entry)]
    elif isinstance(entry, TournamentRecord):
        lines = [*_tournament_tags(entry)]
    else:
        lines = [*_rating_list_tags(entry)]
    return "\n".join((*lines, "end\n\n"))


def _tag(name: str, *values: str) -> str:
    return f"[{name} {' '.join(map(quoted, values))}]"


def _tournament_tags(tournament: TournamentRecord) -> Iterator[str]:
    yield _tag("Tournament", tournament.name)
    yield _tag("Begun", instant(tournament.created))
    for key, value in tournament.settings.items():
        yield _tag("Setting", key, value)
    if tournament.outline:
        yield _tag("Outline", tournament.outline)


def _rating_list_tags(ratings: RatingListRecord) -> Iterator[str]:
    yield _tag("RatingList", ratings.game)
    for key, value in ratings.settings.items():
        yield _tag("Setting", key, value)


def _game_tags(game: GameRecord) -> Iterator[str]:
    result = game.result
    yield _tag("Game", result.game)
    yield _tag("Event", result.tournament)
    if result.id is not None:
        yield _tag("Id", str(result.id))
    yield _tag("Number", str(result.number + 1))
    yield _tag("Key", result.key)
    yield _tag("Started", instant(game.started))
    yield _tag("Duration", seconds(game.duration))
    if game.worker:
        yield _tag("Worker", game.worker)
    if game.scale != 1:
        yield _tag("Scale", number(game.scale))
    for seat, player in enumerate(result.players, 1):
        yield from _player_tags(seat, player)
    if game.opening.position is not None:
        yield _tag("Start", game.opening.position)
    if game.opening.moves:
        yield _tag("Opening", *game.opening.moves)
    yield _tag("Termination", result.termination.value)
    yield _tag("Reason", result.reason)
    if result.detail:
        yield _tag("Detail", result.detail)
    if game.final_position:
        yield _tag("Final", game.final_position)


def _player_tags(seat: int, player: PlayerRecord) -> Iterator[str]:
    yield _tag(f"Player{seat}", player.name)
    if player.version:
        yield _tag(f"Version{seat}", player.version)
    if player.program:
        yield _tag(f"Program{seat}", player.program)
    if player.options is not None:
        yield _tag(f"Options{seat}", *(chain(*player.options.items()) if player.options else (NO_OPTIONS,)))
    yield _tag(f"TimeControl{seat}", player.time_control)
    yield _tag(f"Margin{seat}", str(player.margin))
    yield _tag(f"TimeUsed{seat}", seconds(player.time_used))
    if player.rank is not None:
        yield _tag(f"Rank{seat}", str(player.rank))
    yield _tag(f"Points{seat}", number(player.points))
    if player.forfeit is not None:
        yield _tag(f"Forfeit{seat}", player.forfeit.value)


def _plies(game: GameRecord) -> Iterator[str]:
    for ply, left in clocks(game):
        clock = "" if left is None else f", clock {seconds(left)}"
        depth = "" if ply.depth is None else f", depth {ply.depth}"
        thought = "" if ply.thought is None else _thought(ply.thought)
        comment = f"time {seconds(ply.time)}{clock}{_score(ply.score)}{depth}{thought}"
        yield f"{ply.seat + 1}: {_move(ply.text)} {{{comment}}}"


def _thought(thought: Thought) -> str:
    counts = ((name, getattr(thought, name)) for name in COUNTS)
    words = [f", {name} {count}" for name, count in counts if count is not None]
    pv = thought.pv
    return "".join(words) + (f", pv {pv if _plain_pv(pv) else quoted(pv)}" if pv else "")


@lru_cache(maxsize=4096)  # a game has few different moves, and scores occur again
def _move(text: str) -> str:
    return text if _plain_move(text) else quoted(text)


@lru_cache(maxsize=4096)
def _score(text: str) -> str:
    return f", score {text if _plain_score(text) else quoted(text)}" if text else ""


# --- reading

_T = TypeVar("_T")

_TAG: Final = re.compile(rf"\[([A-Za-z]+)([1-9][0-9]?)?((?: +{STRING})++) *\]")
_SIMPLE_TAG: Final = re.compile(r'\[([A-Za-z]+)([1-9][0-9]?)? "([^"\\\x00-\x1f]*)"\]')
"""A tag with one string without escapes, which is most tags; this pattern is quicker."""
_STRINGS: Final = re.compile(STRING)
_PLY: Final = re.compile(
    rf"([1-9][0-9]?): +({PLAIN_MOVE}|{STRING})"
    rf"(?: +\{{time ({SECONDS})(?:, clock {SECONDS})?"
    rf"(?:, score ({PLAIN_SCORE}|{STRING}))?(?:, depth (-?[0-9]{{1,20}}))?"
    rf"{''.join(f'(?:, {name} ([0-9]{{1,19}}))?' for name in COUNTS)}"
    rf"(?:, pv ({PLAIN_PV}|{STRING}))?\}})?(?: +|$)"
)
_START: Final = re.compile(r"\[(Tournament|RatingList|Game) ")
_KINDS: Final[dict[str, EntryKind]] = {
    "Tournament": "tournament",
    "RatingList": "rating list",
    "Game": "game",
}

_HEADER: Final = HEADER.strip()
_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")

_STRING_COUNTS: Final[dict[str, int | None]] = {"Setting": 2, "Opening": None, "Options": None}
"""The number of strings of a tag if it is not 1; None for any number."""

_TAGS: Final[dict[EntryKind, frozenset[str]]] = {
    "tournament": frozenset({"Tournament", "Begun", "Setting", "Outline"}),
    "rating list": frozenset({"RatingList", "Setting"}),
    "game": frozenset(
        {"Game", "Event", "Id", "Number", "Key", "Started", "Duration", "Start", "Opening", "Final"}
        | {"Termination", "Reason", "Detail", "Worker", "Scale"}
    ),
}
_SEAT_TAGS: Final = frozenset(
    {"Player", "Version", "Program", "Options"}
    | {"TimeControl", "Margin", "TimeUsed", "Rank", "Points", "Forfeit"}
)


class _TagError(ValueError):
    """A tag has a wrong value, which was found at the end of its entry."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(slots=True)
class _PartialEntry:
    """An entry whose lines are being read."""

    kind: EntryKind
    line: int
    place: int  # the number of the game in the file, from 1
    tags: Tags = field(default_factory=dict)
    tag_lines: dict[str, int] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    plies: list[Ply] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # the line number of each ply
    size: int = 0  # characters so far

    def count_characters(self, size: int) -> None:
        """Count the characters of the entry, so that it cannot fill the memory."""
        self.size += size
        if self.size > LONGEST:
            raise ValueError("this entry is longer than 16 MiB")

    def add_tag(self, number: int, text: str) -> None:
        """Read a line with a tag."""
        if self.plies:
            raise ValueError("a tag after the first ply; tags must be before the moves")
        match = _SIMPLE_TAG.fullmatch(text) or _TAG.fullmatch(text)
        if match is None:
            raise ValueError('this is not a tag; write it as [Name "text"]')
        name, seat, strings = match.groups()
        if name not in (_SEAT_TAGS if seat and self.kind == "game" else _TAGS[self.kind]):
            raise ValueError(f"a {self.kind} has no tag {name}{seat or ''}")
        values = (strings,) if match.re is _SIMPLE_TAG else unquoted(_STRINGS.findall(strings))
        self._keep(name, seat or "", values, number)

    def _keep(self, name: str, seat: str, values: tuple[str, ...], line: int) -> None:
        count = _STRING_COUNTS.get(name, 1)
        if count is not None and len(values) != count:
            raise ValueError(f"the tag {name} takes {counted(count, 'string')}, not {len(values)}")
        if name == "Setting":
            key, value = values
            if key in self.settings:
                raise ValueError(f"the setting {key!a} occurs twice")
            self.settings[key] = value
            return
        if name + seat in self.tags:
            raise ValueError(f"the tag {name}{seat} occurs twice")
        self.tags[name + seat] = values
        self.tag_lines[name + seat] = line

    def add_plies(self, number: int, text: str) -> None:
        """Read a line of plies."""
        if self.kind != "game":
            raise ValueError(f"a {self.kind} has only tags and `end`")
        at = 0
        while at < len(text):
            match = _PLY.match(text, at)
            if match is None:
                raise ValueError(
                    f"column {at + 1}: this is not a ply; write it as `1: MOVE {{time 0.25, score cp 20}}`"
                )
            at = match.end()
            seat, move, time, score, depth, *counts, pv = match.groups()
            self.lines.append(number)
            self.plies.append(
                Ply(
                    int(seat) - 1,
                    unquoted([move])[0] if move[0] == '"' else move,
                    nanoseconds(time) if time else 0,
                    (unquoted([score])[0] if score[0] == '"' else score) if score else "",
                    None if depth is None else int(depth),
                    _read_thought(counts, pv or ""),
                )
            )

    def finish(self) -> ReadEntry:
        """Return the entry after its line ``end``."""
        entry: Entry
        if self.kind == "game":
            entry = self._game()
        elif self.kind == "tournament":
            created = self._required("Begun", parse_instant)
            entry = TournamentRecord(
                self._required("Tournament", str), created, self.settings, self._optional("Outline")
            )
        else:
            entry = RatingListRecord(self._required("RatingList", str), self.settings)
        return ReadEntry(self.line, check(entry), tuple(self.lines))

    def _game(self) -> GameRecord:
        complete(self.tags, self.plies, self.place)
        players: list[PlayerRecord] = []
        while f"Player{len(players) + 1}" in self.tags:
            players.append(self._player(str(len(players) + 1)))
        unnamed = {int(tag.lstrip(ascii_letters) or 0) for tag in self.tags} - set(range(len(players) + 1))
        if unnamed:
            raise ValueError(f"there are tags of player {min(unnamed)}, but no tag Player{len(players) + 1}")
        result = GameResult(
            id=self._required("Id", _integer) if "Id" in self.tags else None,
            tournament=self._required("Event", str),
            number=self._required("Number", _integer) - 1,
            key=self._required("Key", str),
            game=self._required("Game", str),
            termination=self._required("Termination", _termination),
            reason=self._required("Reason", str),
            detail=self._optional("Detail"),
            plies=count_moves(self.plies),
            players=tuple(players),
        )
        return GameRecord(
            result,
            Opening(self._optional("Start") if "Start" in self.tags else None, self.tags.get("Opening", ())),
            tuple(self.plies),
            self._optional("Final"),
            self._required("Started", parse_instant),
            self._required("Duration", parse_seconds),
            self._optional("Worker"),
            self._required("Scale", parse_number) if "Scale" in self.tags else 1.0,
        )

    def _player(self, seat: str) -> PlayerRecord:
        return PlayerRecord(
            name=self._required("Player" + seat, str),
            version=self._optional("Version" + seat),
            rank=self._required("Rank" + seat, _integer) if "Rank" + seat in self.tags else None,
            points=self._required("Points" + seat, parse_number),
            forfeit=self._required("Forfeit" + seat, _termination) if "Forfeit" + seat in self.tags else None,
            time_control=self._required("TimeControl" + seat, str),
            margin=self._required("Margin" + seat, _integer),
            time_used=self._required("TimeUsed" + seat, parse_seconds),
            program=self._optional("Program" + seat),
            options=self._options("Options" + seat),
        )

    def _options(self, tag: str) -> dict[str, str] | None:
        """Return the options of a player; None if they are not known."""
        strings = self.tags.get(tag)
        if strings is None or strings == (NO_OPTIONS,):
            return None if strings is None else {}
        names, values = strings[::2], strings[1::2]
        if len(names) != len(values) or len(set(names)) != len(names):
            problem = "it needs a name and a value of each option, and each name once"
            raise _TagError(f"the tag {tag}: {problem}", self.tag_lines[tag])
        return dict(zip(names, values, strict=True))

    def _required(self, tag: str, parse: Callable[[str], _T]) -> _T:
        if tag not in self.tags:
            raise ValueError(f"the tag {tag} is missing")
        try:
            return parse(self.tags[tag][0])
        except ValueError as error:
            raise _TagError(f"the tag {tag}: {error}", self.tag_lines.get(tag, self.line)) from None

    def _optional(self, tag: str) -> str:
        return self.tags[tag][0] if tag in self.tags else ""


def _read_thought(counts: Sequence[str | None], pv: str) -> Thought | None:
    numbers = [None if count is None else int(count) for count in counts]
    values = dict(zip(COUNTS, numbers, strict=True))
    return thought(**values, pv=unquoted([pv])[0] if pv[:1] == '"' else pv)


def _integer(text: str) -> int:
    if _INTEGER.fullmatch(text) is None:
        raise ValueError(f"{text!a} is not a whole number")
    return int(text)


def _termination(text: str) -> Termination:
    try:
        return Termination(text)
    except ValueError:
        raise ValueError(f"{text!a} is not one of {', '.join(Termination)}") from None


def read(lines: Iterable[tuple[int, str | None]]) -> Iterator[ReadEntry | RefusedEntry]:
    """Yield the entries of a file in order; a line after the first is None if it cannot be decoded."""
    partial: _PartialEntry | None = None
    skipping = False  # after a fault, until the next entry begins or this one ends
    number, games = 1, 0
    for number, line in lines:
        text = "" if line is None else line.strip(" \t\r\n\ufeff")
        if line is not None and (not text or text[0] == ";" or text == _HEADER):
            continue
        tag = text[:1] == "["
        begins = _START.match(text) if tag else None
        if begins:
            if partial is not None:
                reason = "the next entry begins before the line `end`: the entry before it is incomplete"
                yield RefusedEntry(number, partial.kind, reason)
            games += begins[1] == "Game"
            partial, skipping = _PartialEntry(_KINDS[begins[1]], number, games), False
        if partial is None:
            if not skipping:
                yield RefusedEntry(
                    number, "text", "an entry must begin with a tag Tournament, RatingList or Game"
                )
            skipping = text != "end"
            continue
        try:
            if line is None:
                raise ValueError(NO_LINE)
            partial.count_characters(len(text))
            if tag:
                partial.add_tag(number, text)
                continue
            if text != "end":
                partial.add_plies(number, text)
                continue
            yield partial.finish()
        except ValueError as error:
            at = error.line if isinstance(error, _TagError) else number
            yield RefusedEntry(at, partial.kind, str(error))
            skipping = text != "end"
        partial = None
    if partial is not None:
        yield RefusedEntry(
            number, partial.kind, "the file ends before the line `end`: the last entry is incomplete"
        )


EVENT: Final = "games"
"""The tournament of games without the tag ``Event``; an import creates it at the first of them."""

Tags = dict[str, tuple[str, ...]]
"""The strings of each tag of a game, by the name of the tag."""

_FORFEITS: Final = {str(word): word for word in Termination}


def complete(tags: Tags, plies: Sequence[Ply], place: int) -> None:
    """Add missing tags whose values are known; a ValueError says that nothing tells how the game ended."""
    set_default = tags.setdefault
    if "Key" not in tags:
        tags["Key"] = (_key(tags, plies),)
    set_default("Event", (EVENT,))
    set_default("Number", (str(place),))
    set_default("Started", ("1970-01-01T00:00:00Z",))
    if "Duration" not in tags:
        tags["Duration"] = (seconds(sum(ply.time for ply in plies)),)
    if "Player1" not in tags:
        _name_players(tags)
    if "Termination" not in tags or (plies and "Final" not in tags):
        _play(tags, plies)
    set_default("Reason", tags["Termination"])
    seats = [str(seat) for seat in takewhile(lambda seat: f"Player{seat}" in tags, count(1))]
    for seat in seats:
        set_default("TimeControl" + seat, ("none",))
        set_default("Margin" + seat, ("0",))
        if "TimeUsed" + seat not in tags:
            used = sum(ply.time for ply in plies if ply.seat == int(seat) - 1)
            tags["TimeUsed" + seat] = (seconds(used),)
    if any("Points" + seat not in tags for seat in seats):
        _add_points(tags, seats)


def _key(tags: Tags, plies: Sequence[Ply]) -> str:
    """Return a key for the schedule: the same for the same game, another one for another game."""
    content = repr((sorted(tags.items()), [(ply.seat, ply.text) for ply in plies]))
    return f"game {sha256(content.encode()).hexdigest()[:16]}"


def _name_players(tags: Tags) -> None:
    rules = _rules(tags)
    for seat in range(1, 1 + (rules.info.players if rules else 0)):
        tags[f"Player{seat}"] = (f"player {seat}",)


def _play(tags: Tags, plies: Sequence[Ply]) -> None:
    """Add the last position and the result by the rules; leave an illegal move to `verify`."""
    position = _last_position(tags, plies)
    if position is not None:
        tags.setdefault("Final", (str(position),))
    if "Termination" in tags:
        return
    tags["Termination"] = (Termination.NORMAL.value,)
    outcome = None if position is None else position.outcome()
    if outcome is not None:
        tags.setdefault("Reason", (outcome.reason,))
        for seat, rank in enumerate(outcome.ranks, 1):
            tags.setdefault(f"Rank{seat}", (str(rank),))
    elif position is not None:
        raise ValueError(
            "the rules do not end the game after its last move; add the tags Termination, Rank1 and Rank2"
            " to say how it ended"
        )


def _last_position(tags: Tags, plies: Sequence[Ply]) -> Position | None:
    rules = _rules(tags)
    if rules is None:
        return None
    try:
        position = rules.parse_position(tags["Start"][0]) if "Start" in tags else rules.start()
        for after in replay(rules, position, (*tags.get("Opening", ()), *(ply.text for ply in plies))):
            position = after
    except (ArenaError, RefereeError):
        return None
    return position


def _add_points(tags: Tags, seats: Sequence[str]) -> None:
    """Add the points that follow from the ranks; 0 if a player has no rank."""
    ranks = [tags.get("Rank" + seat, ("",))[0] for seat in seats]
    scores = (0.0,) * len(seats)
    if len(seats) > 1 and all(rank.isdecimal() and len(rank) < 3 for rank in ranks):
        forfeits = tuple(_FORFEITS.get(tags.get("Forfeit" + seat, ("",))[0]) for seat in seats)
        scores = points(tuple(map(int, ranks)), forfeits)
    for seat, score in zip(seats, scores, strict=True):
        tags.setdefault("Points" + seat, (number(score),))


def _rules(tags: Tags) -> Game | None:
    try:
        return game(tags["Game"][0])
    except RefereeError:
        return None
