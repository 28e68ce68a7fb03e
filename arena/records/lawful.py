"""The check of a recorded game by the rules: it must be a game that can have been played, and ended so.

A loss on time, a crash or most adjudications cannot be checked, because the moves do not show them.
"""

from __future__ import annotations

from arena.model import GameRecord, GameResult, Opening
from protocol.wire.codec import parse_removal
from protocol.words import counted
from referee import CountingGame, MoveError
from referee import game as find_game
from referee.errors import RefereeError
from referee.follower import Follower
from referee.match.adjudication import COUNT
from referee.outcome import Outcome, Termination
from referee.ply import FAULTS, Ply, is_fault


class Unlawful(ValueError):
    """A game that contradicts the rules or itself."""


def verify(record: GameRecord) -> None:
    """Play a recorded game again; raise `Unlawful` if it cannot have been played or ended so."""
    result = record.result
    game = LawfulGame(result.game, len(result.players), record.opening)
    for ply in record.record:
        game.follow(ply)
    if result.plies != game.moves:
        raise Unlawful(f"it has {counted(game.moves, 'move')}, but says that it has {result.plies}")
    if record.final_position not in map(str, game.ends) and (record.final_position or record.record):
        raise Unlawful(f"the moves lead to {str(game.ends[-1])!a}, not to {record.final_position!a}")
    game.check_end(result)


class LawfulGame:
    """Plays a game by the rules, from its opening on. What cannot have been is `Unlawful`.

    Attributes:
        follower: the position after the last ply, and the result by the rules.
        positions: each position so far.
        moves: how many moves were played after the opening.
        ends: the last position. Removals at the end leave several: the turn may have passed on between them.
    """

    def __init__(self, game_id: str, players: int, opening: Opening) -> None:
        try:
            self.rules = rules = find_game(game_id)
        except RefereeError as error:
            raise Unlawful(str(error)) from None
        if players != rules.info.players:
            raise Unlawful(f"{game_id} has {rules.info.players} players, not {players}")
        try:
            start = rules.start() if opening.position is None else rules.parse_position(opening.position)
        except RefereeError as error:
            raise Unlawful(f"the start position: {error}") from None
        self.follower = game = Follower(start, players)
        self.positions = [start]
        for text in opening.moves:
            try:
                game.play(text)
            except MoveError as error:
                raise Unlawful(f"the move {text[:60]!a} of the opening: {error}") from None
            self.positions.append(game.position)
        self._plies = self.moves = 0
        self.ends = [game.position]

    def follow(self, ply: Ply) -> None:
        """Play a ply."""
        self._plies += 1
        try:
            self._follow(ply)
        except ValueError as error:
            raise Unlawful(f"ply {self._plies}, {ply.text[:60]!a}: {error}") from None

    def _follow(self, ply: Ply) -> None:
        game, seat, text = self.follower, ply.seat, ply.text
        if game.outcome is not None:
            raise ValueError("the game was already over")
        removed = parse_removal(text) if game.players > 2 else None
        if removed is not None:
            if seat != removed or not seat < game.players or seat in game.removed:
                raise ValueError(f"player {removed + 1} cannot be removed here")
            game.follow(text)
            self.ends.append(game.position)
            self.positions.append(game.position)
            return
        if len(game.removed) >= game.players - 1:
            raise ValueError("the game was already over: at most one player was left")
        turn = game.position.turn
        if seat != turn:
            raise ValueError(f"it is player {turn + 1}'s turn, not player {seat + 1}'s")
        if is_fault(text):
            if ply.fault not in FAULTS:
                raise ValueError(f"a forgiven fault is one of {', '.join(FAULTS)}")
            return
        game.play(text)
        self.moves += 1
        self.ends = [game.position]
        self.positions.append(game.position)

    def check_end(self, result: GameResult) -> None:
        """Check that a result agrees with the position after the last ply."""
        outcome = self.follower.outcome
        if outcome is not None and not self._plies:
            raise Unlawful("the opening ends the game before the players have moved")
        if result.termination is Termination.VOID:
            if any(player.rank is not None for player in result.players):
                raise Unlawful("it is void, but its players have ranks")
            return
        ranks = [player.rank for player in result.players]
        known_ranks = [rank for rank in ranks if rank is not None]
        valid = all(rank == 1 + sum(better < rank for better in known_ranks) for rank in known_ranks)
        if len(known_ranks) < len(ranks) or not valid:
            raise Unlawful(f"its ranks {', '.join(map(str, ranks))} are not a valid ranking")
        if (outcome is not None) != (result.termination is Termination.NORMAL):
            verb = "end" if outcome is not None else "do not end"
            raise Unlawful(
                f"the rules {verb} the game after its last move, but its termination is {result.termination}"
            )
        if outcome is not None:
            if result.reason != outcome.reason:
                raise Unlawful(f"by the rules its reason is {outcome.reason}, not {result.reason[:60]!a}")
            self._check_ranks(known_ranks, outcome, "rules")
        elif result.termination is Termination.ADJUDICATED and result.reason == COUNT:
            if not isinstance(self.rules, CountingGame):
                raise Unlawful(f"its reason is {COUNT}, but {result.game} has no count")
            self._check_ranks(
                known_ranks, Outcome.by_count(self.rules.count(self.follower.position), COUNT), "count"
            )

    def _check_ranks(self, ranks: list[int], outcome: Outcome, judge: str) -> None:
        """Check the ranks of the seats that were not removed, among themselves."""
        left = [seat for seat in range(len(ranks)) if seat not in self.follower.removed]
        expected = outcome.ranks
        if any(ranks[seat] != 1 + sum(expected[other] < expected[seat] for other in left) for seat in left):
            raise Unlawful(
                f"its ranks {', '.join(map(str, ranks))} are not the ranks by the {judge}, {expected}"
            )
