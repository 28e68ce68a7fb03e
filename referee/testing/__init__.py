"""The proof of a game: the laws that rules must keep, tried in seeded random games.

For authors of plug-ins, in a test of any kind:

>>> from referee import game
>>> from referee.testing import check_game
>>> check_game(game("quoridor"), games=1)

It raises `GameProblem` at the first law that is broken, and says where.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from traceback import walk_tb

from referee.game import Game, GameInfo
from referee.perft import perft as count_lines
from referee.testing.laws import GameProblem, Laws
from referee.testing.texts import are_lines, is_line, shorter, shown

__all__ = ["GameProblem", "check_game"]

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SEATS = 9  # the protocol has words for the clocks of so many


def check_game(
    game: Game,
    *,
    games: int = 20,
    seed: int = 0,
    examined: int = 10,
    longest: int = 1000,
    setups: Iterable[str] = (),
    positions: Iterable[str] = (),
    perft: Mapping[str, Sequence[int]] | None = None,
) -> None:
    """Play random games by the rules of ``game`` and look whether these keep what `referee.game` promises.

    The same arguments give the same games. Games begin at the start, at each of ``setups`` and at each of
    ``positions`` in turn, at least one at each.

    Args:
        game: the rules.
        games: how many games to play.
        seed: which.
        examined: how many positions of each game, beside the last one, get the expensive checks: every
            legal move, mutated texts, the drawing.
        longest: the plies within which a game must end by itself when it has no ply limit.
        setups: names that ``start`` knows.
        positions: position strings that random play hardly meets.
        perft: position string -> the number of lines of 1, 2, … plies.

    Raises:
        GameProblem: the first law that is broken, with the position string and the move. The exception that
            the rules raised, if they did, is its cause; a note tells the moves that led there.
    """
    laws = Laws(game)
    known = perft or {}
    try:
        _check_description(game, laws)
        first = _check_start(game, laws)
        starts: list[tuple[str | None, str | None]] = [(setup, None) for setup in (None, *setups)]
        starts += [(None, text) for text in (*positions, *known)]
        for number in range(max(games, len(starts))):
            rng = random.Random(f"{seed}/{number}")
            _check_one(game, laws, starts[number % len(starts)], rng, examined, longest)
        again = _check_start(game, laws)
        laws.law(again == first, f"start() has changed: before the games it gave {shown(first)}")
        for text, counts in known.items():
            _check_perft(game, laws, text, counts)
    except GameProblem:
        raise
    except Exception as error:
        raise laws.problem(_raised(error)) from error


def _check_description(game: Game, laws: Laws) -> None:
    law = laws.law
    law(isinstance(game, Game), "a game needs info, start and parse_position")
    info = game.info
    law(isinstance(info, GameInfo), "info must be a GameInfo")
    words = is_line(info.id) and _ID.fullmatch(info.id)
    law(bool(words), f"info.id must be lower-case words with hyphens, not {info.id!a}")
    laws.id = info.id
    for name in ("title", "board", "sheet"):
        line = is_line(getattr(info, name), empty=name != "title")
        law(line, f"info.{name} must be a printable line")
    law(_is_count(info.players, _SEATS), f"info.players must be 1 to {_SEATS}, not {info.players!a}")
    limited = info.ply_limit is None or _is_count(info.ply_limit)
    law(limited, f"info.ply_limit must be None or at least 1, not {info.ply_limit!a}")
    law(_is_share(info.draw_prior), f"info.draw_prior must be from 0 to 1, not {info.draw_prior!a}")
    law(are_lines(info.rulings), "info.rulings must be a tuple of sentences")
    laws.players = info.players


def _check_start(game: Game, laws: Laws) -> str:
    """Try the start, and a set-up that there is not; returns the start's position string."""
    laws.line = []
    laws.at(None)
    start = game.start()
    laws.look(start)
    laws.law(game.start() == start, "start() does not give an equal position each time")
    laws.law(start.outcome() is None, "the game is over at its start")
    laws.at(None)
    if laws.unless_refused(game.start, "no such set-up", "start", "an unknown set-up") is not None:
        raise laws.problem("start takes a set-up that there is not: 'no such set-up'")
    laws.at(str(start))
    return str(start)


def _check_one(
    game: Game,
    laws: Laws,
    begin: tuple[str | None, str | None],
    rng: random.Random,
    examined: int,
    longest: int,
) -> None:
    """Play a game from a set-up or a position string, and then examine some of its positions."""
    setup, text = begin
    laws.line = []
    laws.at(text)
    position = game.start(setup) if text is None else game.parse_position(text)
    played = [position]
    strings = [str(position)]
    limit = game.info.ply_limit
    most = longest if limit is None else limit
    while moves := laws.look(position):
        if len(laws.line) >= most:
            endless = f"the game has no ply limit, and did not end within {most} plies"
            laws.law(limit is not None, endless)
            break
        move = rng.choice(moves)
        laws.at(strings[-1], str(move))
        position = position.play(move)
        laws.law(str(played[-1]) == strings[-1], "play changes the position that it is called on")
        laws.line.append(str(move))
        played.append(position)
        strings.append(str(position))
    line = laws.line
    some = rng.sample(range(len(played)), min(examined, len(played)))
    for number in sorted({*some, len(played) - 1}):
        laws.line = line[:number]
        laws.examine(played[number], strings[number], rng)


def _check_perft(game: Game, laws: Laws, text: str, counts: Sequence[int]) -> None:
    laws.line = []
    laws.at(text)
    position = game.parse_position(text)
    for depth, count in enumerate(counts, 1):
        found = count_lines(position, depth)
        laws.law(found == count, f"perft of depth {depth} is {found}, not {count}")


def _is_count(value: object, most: int | None = None) -> bool:
    return type(value) is int and value >= 1 and (most is None or value <= most)


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 <= value <= 1


def _raised(error: Exception) -> str:
    """Which part of the game raised what it should not have."""
    for frame, _ in walk_tb(error.__traceback__):
        if not frame.f_globals.get("__name__", "").startswith(("referee.testing", "referee.perft")):
            return f"{frame.f_code.co_qualname} raised {shorter(ascii(error))}"
    return f"the game made {shorter(ascii(error))}"
