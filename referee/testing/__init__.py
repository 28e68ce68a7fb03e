"""Checks that the rules of a game keep the promises of `referee.game`, by playing random games.

Authors of plug-ins call `check_game` in a test:

>>> from referee import game
>>> from referee.testing import check_game
>>> check_game(game("quoridor"), games=1)

It raises `GameProblem` for the first broken law, with the position and the move.
"""

from __future__ import annotations

import random
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from traceback import walk_tb

from referee.game import Game, GameInfo
from referee.perft import perft as count_lines
from referee.testing.laws import GameProblem, Laws, are_lines, is_line, quote, shortened

__all__ = ["GameProblem", "check_game"]

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*(:\S+)?")
_SEATS = 9  # the protocol has words for the clocks of at most 9 seats


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
    """Play random games, and check that the rules of ``game`` keep the promises of `referee.game`.

    The same arguments always give the same games. The games start in turn at the start position, at each of
    ``setups`` and at each of ``positions``, with at least one game from each.

    Args:
        game: the rules.
        games: how many games to play.
        seed: the seed of the random games.
        examined: how many positions of each game get the expensive checks: every legal move, mutated texts,
            and the diagrams. The last position always gets them.
        longest: the number of plies within which a game without a ply limit must end.
        setups: names of set-ups for ``start``.
        positions: position strings that random games rarely reach.
        perft: by position string, the known perft of depth 1, 2, …

    Raises:
        GameProblem: a law is broken. The error has the position string and the move. If the rules raised an
            exception, it is the cause. A note lists the moves that led to the position.
    """
    laws = Laws(game)
    known_counts = perft or {}
    try:
        _check_description(game, laws)
        first = _check_start(game, laws)
        starts: list[tuple[str | None, str | None]] = [(setup, None) for setup in (None, *setups)]
        starts += [(None, text) for text in (*positions, *known_counts)]
        for number in range(max(games, len(starts))):
            rng = random.Random(f"{seed}/{number}")
            _play_game(game, laws, starts[number % len(starts)], rng, examined, longest)
        again = _check_start(game, laws)
        laws.require(again == first, f"start() has changed: before the games it gave {quote(first)}")
        for text, counts in known_counts.items():
            _check_perft(game, laws, text, counts)
    except GameProblem:
        raise
    except Exception as error:
        raise laws.problem(_raised(error)) from error


def _check_description(game: Game, laws: Laws) -> None:
    require = laws.require
    require(isinstance(game, Game), "a game needs info, start and parse_position")
    info = game.info
    require(isinstance(info, GameInfo), "info must be a GameInfo")
    valid_id = is_line(info.id) and _ID.fullmatch(info.id)
    require(bool(valid_id), f"info.id must be lower-case words with hyphens, not {info.id!a}")
    laws.id = info.id
    for name in ("title", "board", "sheet"):
        line = is_line(getattr(info, name), empty=name != "title")
        require(line, f"info.{name} must be a printable line")
    require(_is_count(info.players, _SEATS), f"info.players must be 1 to {_SEATS}, not {info.players!a}")
    limited = info.ply_limit is None or _is_count(info.ply_limit)
    require(limited, f"info.ply_limit must be None or at least 1, not {info.ply_limit!a}")
    require(_is_share(info.draw_prior), f"info.draw_prior must be from 0 to 1, not {info.draw_prior!a}")
    require(are_lines(info.rulings), "info.rulings must be a tuple of sentences")
    laws.players = info.players


def _check_start(game: Game, laws: Laws) -> str:
    """Check the start position, and that an unknown set-up is rejected. Return its position string."""
    laws.line = []
    laws.set_place(None)
    start = game.start()
    laws.check_position(start)
    laws.require(game.start() == start, "start() does not give an equal position each time")
    laws.require(start.outcome() is None, "the game is over at its start")
    laws.set_place(None)
    if laws.unless_refused(game.start, "no such set-up", "start", "an unknown set-up") is not None:
        raise laws.problem("start accepts an unknown set-up: 'no such set-up'")
    laws.set_place(str(start))
    return str(start)


def _play_game(
    game: Game,
    laws: Laws,
    start: tuple[str | None, str | None],
    rng: random.Random,
    examined: int,
    longest: int,
) -> None:
    """Play a game from a set-up or a position string, and examine some of its positions."""
    setup, text = start
    laws.line = []
    laws.set_place(text)
    position = game.start(setup) if text is None else game.parse_position(text)
    played = [position]
    strings = [str(position)]
    keys, gone = {position.key()}, set[Hashable]()
    limit = game.info.ply_limit
    max_plies = longest if limit is None else limit
    while moves := laws.check_position(position):
        if len(laws.line) >= max_plies:
            endless = f"the game has no ply limit, and did not end within {max_plies} plies"
            laws.require(limit is not None, endless)
            break
        move = rng.choice(moves)
        laws.set_place(strings[-1], str(move))
        if laws.is_irreversible(position, move):
            gone |= keys
            keys.clear()
        position = position.play(move)
        keys.add(position.key())
        forgotten = "a position occurs again after a move for which is_irreversible() returned True"
        laws.require(position.key() not in gone, forgotten)
        laws.require(str(played[-1]) == strings[-1], "play changes the position that it is called on")
        laws.line.append(str(move))
        played.append(position)
        strings.append(str(position))
    line = laws.line
    sample = rng.sample(range(len(played)), min(examined, len(played)))
    for number in sorted({*sample, len(played) - 1}):
        laws.line = line[:number]
        laws.examine(played[number], strings[number], rng)


def _check_perft(game: Game, laws: Laws, text: str, counts: Sequence[int]) -> None:
    laws.line = []
    laws.set_place(text)
    position = game.parse_position(text)
    for depth, count in enumerate(counts, 1):
        result = count_lines(position, depth)
        laws.require(result == count, f"perft of depth {depth} is {result}, not {count}")


def _is_count(value: object, most: int | None = None) -> bool:
    return type(value) is int and value >= 1 and (most is None or value <= most)


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 <= value <= 1


def _raised(error: Exception) -> str:
    """Return a sentence that names the function of the game that raised ``error``."""
    for frame, _ in walk_tb(error.__traceback__):
        if not frame.f_globals.get("__name__", "").startswith(("referee.testing", "referee.perft")):
            return f"{frame.f_code.co_qualname} raised {shortened(ascii(error))}"
    return f"a value from the game caused {shortened(ascii(error))}"
