"""Add the missing tags of a handwritten game: they follow from the moves, or have default values.

`arena export` writes all tags, so a game that it wrote is read exactly as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import count, takewhile
from typing import Final

from arena.ended_games import points
from arena.errors import ArenaError
from arena.records.text_values import number, seconds
from arena.replay import replay
from referee import Game, Position, game
from referee.errors import RefereeError
from referee.outcome import Termination
from referee.ply import Ply

__all__ = ["EVENT", "Tags", "complete"]

EVENT: Final = "games"
"""The tournament of games without the tag ``Event``; an import creates it at the first of them."""

Tags = dict[str, tuple[str, ...]]
"""The strings of each tag of a game, by the name of the tag."""

_FORFEITS: Final = {str(word): word for word in Termination}


def complete(tags: Tags, plies: Sequence[Ply], place: int) -> None:
    """Add missing tags whose values are known.

    Args:
        tags: the tags of the game; `Game` must be among them.
        plies: the plies of the game.
        place: the place of the game in its file, from 1.

    Raises:
        ValueError: the rules do not end the game, and no tag says how it ended.
    """
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
        _score(tags, seats)


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


def _score(tags: Tags, seats: Sequence[str]) -> None:
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
