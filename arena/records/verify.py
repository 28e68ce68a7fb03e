"""Check a recorded game: every move must be legal, and its end must agree with the rules."""

from __future__ import annotations

from arena.model import GameRecord, GameResult
from protocol.wire.codec import parse_removal
from protocol.words import counted
from referee import CountingGame, Game, MoveError
from referee import game as find_game
from referee.errors import RefereeError
from referee.follower import Follower
from referee.match.adjudication import COUNT
from referee.outcome import Outcome, Termination


class Unlawful(Exception):
    """A game that contradicts the rules or itself; with the number of the wrong ply, from 0, or None."""

    def __init__(self, reason: str, ply: int | None = None) -> None:
        super().__init__(reason)
        self.ply = ply


def verify(record: GameRecord) -> None:
    """Play a recorded game again by the rules; raise `Unlawful` if it cannot have been played or ended so.

    A loss on time, a crash or most adjudications cannot be checked, because the moves do not show them.
    """
    result = record.result
    try:
        rules = find_game(result.game)
    except RefereeError as error:
        raise Unlawful(str(error)) from None
    if len(result.players) != rules.info.players:
        raise Unlawful(f"{result.game} has {rules.info.players} players, not {len(result.players)}")
    checker = _PlyChecker(_game_after_opening(rules, record))
    for number, ply in enumerate(record.record):
        try:
            checker.follow(ply.seat, ply.text)
        except ValueError as error:
            raise Unlawful(f"ply {number + 1}, {ply.text[:60]!a}: {error}", number) from None
    if result.plies != checker.moves:
        raise Unlawful(f"it has {counted(checker.moves, 'move')}, but says that it has {result.plies}")
    if record.final_position not in checker.ends and (record.final_position or record.record):
        raise Unlawful(f"the moves lead to {checker.ends[-1]!a}, not to {record.final_position!a}")
    _check_end(result, rules, checker.game)


def _game_after_opening(rules: Game, record: GameRecord) -> Follower:
    """Return the game after its opening."""
    start = record.opening.position
    try:
        game = Follower(rules.start() if start is None else rules.parse_position(start), rules.info.players)
    except RefereeError as error:
        raise Unlawful(f"the start position: {error}") from None
    for text in record.opening.moves:
        try:
            game.play(text)
        except MoveError as error:
            raise Unlawful(f"the move {text[:60]!a} of the opening: {error}") from None
    if game.outcome is not None:
        raise Unlawful("the opening ends the game before the players have moved")
    return game


class _PlyChecker:
    """Plays the plies of a game one by one, and checks each.

    Removals at the end leave several possible last positions: the turn may have passed on between them.
    """

    def __init__(self, game: Follower) -> None:
        self.game = game
        self.moves = 0
        self._before: list[str] = []

    @property
    def ends(self) -> list[str]:
        return [*self._before, str(self.game.position)]

    def follow(self, seat: int, text: str) -> None:
        """Play a ply."""
        if self.game.outcome is not None:
            raise ValueError("the game was already over")
        removed = parse_removal(text) if self.game.players > 2 else None
        if removed is not None:
            self._remove(seat, removed)
            return
        if len(self.game.removed) >= self.game.players - 1:
            raise ValueError("the game was already over: at most one player was left")
        turn = self.game.position.turn
        if seat != turn:
            raise ValueError(f"it is player {turn + 1}'s turn, not player {seat + 1}'s")
        self.game.play(text)
        self._before.clear()
        self.moves += 1

    def _remove(self, seat: int, named: int) -> None:
        if seat != named or not seat < self.game.players or seat in self.game.removed:
            raise ValueError(f"player {named + 1} cannot be removed here")
        self._before.append(str(self.game.position))
        self.game.remove(seat)
        self.game.skip_removed()


def _check_end(result: GameResult, rules: Game, game: Follower) -> None:
    """Check that the result agrees with the position after the last move."""
    if result.termination is Termination.VOID:
        if any(player.rank is not None for player in result.players):
            raise Unlawful("it is void, but its players have ranks")
        return
    ranks = [player.rank for player in result.players]
    known_ranks = [rank for rank in ranks if rank is not None]
    if len(known_ranks) < len(ranks) or not _is_ranking(known_ranks):
        raise Unlawful(f"its ranks {', '.join(map(str, ranks))} are not a valid ranking")
    if (game.outcome is not None) != (result.termination is Termination.NORMAL):
        verb = "end" if game.outcome is not None else "do not end"
        raise Unlawful(
            f"the rules {verb} the game after its last move, but its termination is {result.termination}"
        )
    if game.outcome is not None:
        if result.reason != game.outcome.reason:
            raise Unlawful(f"by the rules its reason is {game.outcome.reason}, not {result.reason[:60]!a}")
        _check_ranks(known_ranks, game.outcome, game, "rules")
    elif result.termination is Termination.ADJUDICATED and result.reason == COUNT:
        if not isinstance(rules, CountingGame):
            raise Unlawful(f"its reason is {COUNT}, but {result.game} has no count")
        _check_ranks(known_ranks, Outcome.by_count(rules.count(game.position), COUNT), game, "count")


def _check_ranks(ranks: list[int], outcome: Outcome, game: Follower, judge: str) -> None:
    """Check the ranks of the seats that were not removed, among themselves."""
    left = [seat for seat in range(len(ranks)) if seat not in game.removed]
    expected = outcome.ranks
    if any(ranks[seat] != 1 + sum(expected[other] < expected[seat] for other in left) for seat in left):
        raise Unlawful(f"its ranks {', '.join(map(str, ranks))} are not the ranks by the {judge}, {expected}")


def _is_ranking(ranks: list[int]) -> bool:
    """Return whether each rank is 1 plus the number of better ranks."""
    return all(rank == 1 + sum(better < rank for better in ranks) for rank in ranks)
