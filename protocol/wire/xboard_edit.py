"""Sets up a position for an engine of CECP that lacks ``setboard``, with the older command ``edit``.

Source: "Chess Engine Communication Protocol" by Tim Mann and H.G. Muller, version 2, on ``edit``.
"""

from __future__ import annotations

from collections.abc import Iterator

_CASTLING = {"K": ("Ke1", "Rh1"), "Q": ("Ke1", "Ra1"), "k": ("ke8", "rh8"), "q": ("ke8", "ra8")}
"""For each castling right, the pieces that must be in place. ``edit`` then gives this right."""


def edit_lines(fen: str) -> list[str] | None:
    """Return the lines that put the pieces of a position of chess on the board, whichever seat is to move.

    None if ``edit`` cannot express the castling rights or a possible en passant. ``edit`` gives every right
    whose king and rook are at home, and no en passant.
    """
    board, turn, castling, passant, *_ = fen.split()
    pieces = list(_pieces(board))
    implied = {right for right, homes in _CASTLING.items() if set(homes) <= set(pieces)}
    if set(castling) - {"-"} != implied or _may_capture(passant, turn, pieces):
        return None
    white = [piece for piece in pieces if piece[0].isupper()]
    black = [piece[0].upper() + piece[1:] for piece in pieces if piece[0].islower()]
    return ["edit", "#", *white, "c", *black, "."]


def _pieces(board: str) -> Iterator[str]:
    """Yield each piece with its square, such as ``Ke1`` and ``pd5``."""
    for rank, row in zip("87654321", board.split("/"), strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                yield f"{letter}{'abcdefgh'[file]}{rank}"
                file += 1


def _may_capture(passant: str, turn: str, pieces: list[str]) -> bool:
    """Return whether a pawn of the seat to move stands beside the pawn that moved two squares."""
    if passant == "-":
        return False
    pawn, rank = ("P", "5") if turn == "w" else ("p", "4")
    beside = (chr(ord(passant[0]) + step) for step in (-1, 1))
    return any(f"{pawn}{file}{rank}" in pieces for file in beside)
