"""A second implementation of Quatre en ligne, with sets of coordinates and strings. It shares no code.

The tests compare the fast rules with it. It is slow, but short enough to compare with the text of the rules.
"""

from __future__ import annotations

Place = tuple[int, int]

SIDES = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIRECTIONS = [*SIDES, (1, 1), (1, -1), (-1, -1), (-1, 1)]
LIMIT = 999_999


def name(place: Place) -> str:
    return f"{place[0]},{place[1]}"


def go(place: Place, direction: Place, count: int = 1) -> Place:
    return (place[0] + count * direction[0], place[1] + count * direction[1])


def sides_of(place: Place) -> set[Place]:
    return {go(place, side) for side in SIDES}


def connected(tiles: set[Place]) -> bool:
    first = min(tiles)
    seen, waiting = {first}, [first]
    for here in waiting:
        for there in sides_of(here) & tiles - seen:
            seen.add(there)
            waiting.append(there)
    return seen == tiles


class Slow:
    """An immutable position."""

    def __init__(self, tiles: set[Place], pieces: dict[Place, str], turn: str) -> None:
        self.tiles, self.pieces, self.turn = tiles, pieces, turn

    @classmethod
    def read(cls, game_id: str, text: str) -> Slow:
        board, corner, _, _, turn = text.split(" ")
        left, bottom = (int(number) for number in corner.split(","))
        shown = {
            (left + x, bottom + y): letter
            for y, row in enumerate(reversed(board.split("/")))
            for x, letter in enumerate(row)
            if letter != "."
        }
        return cls(set(shown), {place: letter for place, letter in shown.items() if letter != "_"}, turn)

    def __str__(self) -> str:
        xs, ys = {x for x, _ in self.tiles}, {y for _, y in self.tiles}
        rows = [
            "".join(
                self.pieces.get((x, y), "_") if (x, y) in self.tiles else "."
                for x in range(min(xs), max(xs) + 1)
            )
            for y in range(max(ys), min(ys) - 1, -1)
        ]
        hands = " ".join(str(6 - len(self.places_of(colour))) for colour in "wr")
        return f"{'/'.join(rows)} {min(xs)},{min(ys)} {hands} {self.turn}"

    def places_of(self, colour: str) -> list[Place]:
        return sorted(place for place, letter in self.pieces.items() if letter.lower() == colour)

    def winner(self) -> str | None:
        """The winner: only the player who has just moved can have won."""
        mover = "wr"[self.turn == "w"]
        for place in self.places_of(mover):
            for direction in DIRECTIONS:
                line = [go(place, direction, count) for count in range(4)]
                if all(self.pieces.get(other) == mover.upper() for other in line):
                    return mover
        return None

    def result(self) -> tuple[tuple[int, int], str] | None:
        winner = self.winner()
        return None if winner is None else (((1, 2) if winner == "w" else (2, 1)), "line")

    def takeable(self) -> list[Place]:
        """The tiles that may be taken."""
        return [
            tile
            for tile in sorted(self.tiles)
            if tile not in self.pieces
            and len(sides_of(tile) - self.tiles) >= 2
            and connected(self.tiles - {tile})
        ]

    def places_for(self, tile: Place) -> list[Place]:
        """The places where a taken tile may be laid."""
        touched = set().union(*(sides_of(other) for other in self.tiles - {tile}))
        return [place for place in sorted(touched - self.tiles) if max(map(abs, place)) <= LIMIT]

    def piece_moves(self, tiles: set[Place]) -> list[tuple[Place, Place, str]]:
        """The moves of pieces on these tiles: the old place, the target, and the piece after the move."""
        moves = []
        for place in self.places_of(self.turn):
            for direction in DIRECTIONS:
                near, far = go(place, direction), go(place, direction, 2)
                if near in self.pieces:
                    if far in tiles and far not in self.pieces:
                        moves.append((place, far, self.pieces[place].swapcase()))
                elif near in tiles:
                    moves.append((place, near, self.pieces[place]))
        return moves

    def successors(self) -> dict[str, Slow]:
        if self.winner() is not None:
            return {}
        after = "wr"[self.turn == "w"]
        if len(self.pieces) < 12:
            return {
                name(place): Slow(self.tiles, {**self.pieces, place: self.turn}, after)
                for place in self.tiles - set(self.pieces)
            }
        positions = {}
        for tile in [None, *self.takeable()]:
            for laid in [None] if tile is None else self.places_for(tile):
                tiles = self.tiles if tile is None or laid is None else self.tiles - {tile} | {laid}
                for place, target, piece in self.piece_moves(tiles):
                    if laid in (None, target):
                        others = {where: letter for where, letter in self.pieces.items() if where != place}
                        ending = "" if tile is None else f"@{name(tile)}"
                        text = f"{name(place)}>{name(target)}{ending}"
                        positions[text] = Slow(tiles, {**others, target: piece}, after)
        return positions or {"pass": Slow(self.tiles, self.pieces, after)}


SPECIAL = {
    "quatre-en-ligne": [
        "_____/_____/_____/_____ 0,0 6 6 w",
        "_____/_____/__w__/_____ 0,0 5 6 r",
        "wrwrw/rwrwr/_____/__w__ 0,0 0 1 r",  # the last piece
        "wrwrw/rwrwr/_____/__w_r 0,0 0 0 w",  # the first move of a piece
        "_rww_/__rrr/rwwrw/____w 0,0 0 0 w",
        "wwwwwwrr________rrrr 0,0 0 0 w",  # no legal move: every empty tile connects others
        "wwwwwwrr________rrrr 0,0 0 0 r",
        "RRRR/r.../r.../_.../_.../_.../_.../_.../_.../_.../_.../w.../w.../w.../w.../w.../w... -5,7 0 0 w",
        "wwwwrr________rrrrww -19,-1 0 0 w",  # twenty tiles in a row
        "_wwwwrr______rrrrww_ -19,-1 0 0 w",
        "_/w/w/r/r/_/_/w/w/r/r/_/_/w/w/r/r/_/_/_ 3,-10 0 0 r",
        "wrwrwr/_...._/w....r/_...._/r....w/_wr___ -3,-3 0 0 w",  # a ring: all of its tiles can be taken
        "wrwrwr/_...._/w....r/_...._/r....W/_WR___ 0,0 0 0 r",
        "__w___/_....r/w....r/r....w/W...._/_wrrrw -3,-3 0 0 w",
        "wr__wr/_....w/wr__wr/r...._/w_..r_ -1,-1 0 0 w",  # a hole, which a tile may fill
        "_wrw............/...r__w........./......w_r_....../........._r_w.../............wr_r -4,2 0 0 r",
        "WWW_w/rrrrr/rw___/w____ 2,2 0 0 w",  # four in a line by a jump
        "WWW__/rrrrW/rrw__/w____ 2,2 0 0 w",  # by a step
        "_WWW_/rrrrr/rw_ww/_____ 2,2 0 0 w",
        "WWWW_/rrrrr/r____/ww___ 0,0 0 0 r",
        "WWWWW/rrrrr/r____/w____ 0,0 0 0 r",
        "WWWwW/rrrrr/r____/w____ 0,0 0 0 r",  # one of the four is face down
        "WWW../rrrrW/rrw__/w____/__... 2,2 0 0 w",  # by a step onto a tile laid for it
        "Rwww_/wR_w_/r_R_r/w__R_ 0,0 0 0 w",
        "_wwwR/w_wR_/r_R_r/wR___ 0,0 0 0 w",
        "R_ww_/R_ww_/R_ww_/Rrr__ 0,0 0 0 w",
        "RRRRRR../wwWWWw../________ -8,-8 0 0 w",
        "___r_/__wwr/rwwrR/_wwr_ 999995,-999999 0 0 w",  # at the greatest coordinates
        "_wwwwrr______rrrrww_ -999999,999999 0 0 w",
        "_wwwwrr______rrrrww/_.................. 999981,0 0 0 w",
        "_w_w_/.www./_rWr_/.rrr./_r__. 0,0 0 0 w",
        "._w............./w._............./___wrwrwrwrrr___ 0,0 0 0 w",
        "wrw____wrw/rwr....rwr/__......__ 0,0 0 0 w",
        "wrwrwrwrwr_......../.........._____wr__ 0,0 0 0 w",
        "WW_WW/rrrWr/rr_w_/_____ 0,0 0 0 w",
        "W____/Wrrrr/Wrr__/_Www_ 0,0 0 0 w",
        "___W_/rrWr_/rWrr_/_Www_ 0,0 0 0 w",
        "_R___/_wRww/_wwRw/_rrR_ 0,0 0 0 r",
        "WWW__/rrrrw/rrw__/w____ 2,2 0 0 w",
        "WWW__/rrrrr/rW___/ww___ 0,0 0 0 w",
        "WWW__/rrrrw/rrW__/w____ 2,2 0 0 r",
    ]
}
