"""Whether a game can have been played so: every move by the rules, and the end as the rules have it."""

from __future__ import annotations

from arena.model import GameRecord, GameResult
from protocol.plurals import counted
from protocol.wire.codec import parse_removal
from referee import Game, MoveError
from referee import game as find_game
from referee.errors import RefereeError
from referee.follower import Follower
from referee.outcome import Termination

__all__ = ["Unlawful", "verify"]


class Unlawful(Exception):
    """A game that the rules, or its own entries, contradict; the message is for people.

    Attributes:
        ply: at which of its plies, from 0; None where that cannot be said.
    """

    def __init__(self, reason: str, ply: int | None = None) -> None:
        super().__init__(reason)
        self.ply = ply


def verify(record: GameRecord) -> None:
    """Play a game again, by the rules alone.

    What ended it otherwise (a clock, a crash, an adjudication) is believed: it cannot be seen in the moves.

    Raises:
        Unlawful: there is no such game, or it cannot have gone or ended like this.
    """
    result = record.result
    try:
        rules = find_game(result.game)
    except RefereeError as error:
        raise Unlawful(str(error)) from None
    if len(result.players) != rules.info.players:
        raise Unlawful(f"{result.game} has {rules.info.players} players, not {len(result.players)}")
    line = _Line(_begin(rules, record))
    for number, ply in enumerate(record.record):
        try:
            line.follow(ply.seat, ply.text)
        except ValueError as error:
            raise Unlawful(f"ply {number + 1}, {ply.text[:60]!a}: {error}", number) from None
    if result.plies != line.moves:
        raise Unlawful(f"it has {counted(line.moves, 'move')}, and tells of {result.plies}")
    if record.final_position not in line.ends and (record.final_position or record.record):
        raise Unlawful(f"the moves lead to {line.ends[-1]!a}, and not to {record.final_position!a}")
    _check_end(result, line.game)


def _begin(rules: Game, record: GameRecord) -> Follower:
    """The game after the opening."""
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
        raise Unlawful("it is over before the players have moved")
    return game


class _Line:
    """The plies of a game, judged one by one.

    Attributes:
        game: the game after the last ply.
        moves: how many there were.
        ends: the positions at which it may have stopped, as text: where several seats were removed at the
            end, the record does not tell whether the turn went on between them.
    """

    def __init__(self, game: Follower) -> None:
        self.game = game
        self.moves = 0
        self._before: list[str] = []

    @property
    def ends(self) -> list[str]:
        return [*self._before, str(self.game.position)]

    def follow(self, seat: int, text: str) -> None:
        """Take a ply.

        Raises:
            ValueError: it cannot be; `MoveError`, where the rules say so.
        """
        if self.game.outcome is not None:
            raise ValueError("the game was over before")
        removed = parse_removal(text) if self.game.players > 2 else None
        if removed is not None:
            self._remove(seat, removed)
            return
        if len(self.game.removed) >= self.game.players - 1:
            raise ValueError("the game was over before: at most one player was left")
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


def _check_end(result: GameResult, game: Follower) -> None:
    """See that the result agrees with where the moves ended."""
    if result.termination is Termination.VOID:
        if any(player.rank is not None for player in result.players):
            raise Unlawful("it does not count, but its players have ranks")
        return
    ranks = [player.rank for player in result.players]
    told = [rank for rank in ranks if rank is not None]
    if len(told) < len(ranks) or any(rank != 1 + sum(other < rank for other in told) for rank in told):
        raise Unlawful(f"its ranks {', '.join(map(str, ranks))} are not a sharing of places")
    if (game.outcome is not None) != (result.termination is Termination.NORMAL):
        rules = "end" if game.outcome is not None else "do not end"
        raise Unlawful(
            f"the rules {rules} it after the last move, and its termination is {result.termination}"
        )
    if game.outcome is None:
        return
    if result.reason != game.outcome.reason:
        raise Unlawful(f"by the rules it ended by {game.outcome.reason}, not by {result.reason[:60]!a}")
    left = [seat for seat in range(len(told)) if seat not in game.removed]
    best = game.outcome.ranks
    if any(told[seat] != 1 + sum(best[other] < best[seat] for other in left) for seat in left):
        raise Unlawful(f"its ranks {', '.join(map(str, told))} are not those of the rules, {best}")
