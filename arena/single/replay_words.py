"""A replayed turn in words, for people."""

from __future__ import annotations

from arena.model import GameRecord
from arena.single.replay_turn import ReplayedAnswer, StoredTurn
from protocol.printable import printable
from protocol.wire.codec import format_command

__all__ = ["answer_text", "turn_text"]


def turn_text(number: int, ply: int, record: GameRecord, turn: StoredTurn, *, ascii_only: bool) -> str:
    """Return what the engine is asked: the turn, the answer in the stored game, the position and the clocks.

    Args:
        number: the number of the game.
        ply: the number of the turn.
        record: the game.
        turn: the turn.
        ascii_only: whether the diagram has only ASCII characters.
    """
    result, arbiter = record.result, turn.arbiter
    player = f"player {turn.seat + 1} ({printable(result.players[turn.seat].name)})"
    if turn.played is not None:
        then = f"{turn.played.text} in {turn.played.time / 1e9:.3f} s"
    else:
        then = "no legal move in time" + (f": {printable(result.detail)}" if result.detail else "")
    return "\n".join(
        (
            f"game {number} of {printable(result.tournament)}: {turn.game}, ply {ply}, {player}",
            f"answer then: {then}",
            "",
            arbiter.position.diagram(ascii_only=ascii_only),
            "",
            f"position: {arbiter.position}",
            format_command(arbiter.go(), "ugi"),
        )
    )


def answer_text(answer: ReplayedAnswer) -> str:
    """Return the ``info`` lines of an engine, its move, and the fault if it made one."""
    time = "" if answer.time is None else f" in {answer.time / 1e9:.3f} s"
    if answer.fault is None:
        now = f"answer now: {printable(str(answer.move))}, legal,{time}"
    else:
        move = "none" if answer.move is None else printable(answer.move)
        now = f"answer now: {move}{time}: {answer.fault}, the engine {printable(answer.reason)}"
    return "\n".join((*map(printable, answer.infos), now))
