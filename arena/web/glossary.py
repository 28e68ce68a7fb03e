"""The words of a report's tables, explained for somebody who sees them for the first time."""

from __future__ import annotations

from dataclasses import dataclass

from arena.confidence import DEVIATIONS

__all__ = ["WORDS", "GlossaryTerm"]


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A column's header, or a word that stands in a column.

    Attributes:
        anchor: where its explanation is on the page.
        text: the explanation.
    """

    anchor: str
    text: str


_TEXTS = {
    "mu": "TrueSkill's estimate of the strength; everybody begins at 25.",
    "sigma": "How uncertain mu is, as a standard deviation; it begins at 8.33 and shrinks with every game.",
    "mu-3sigma": "The strength that an engine has almost surely: mu less three sigma. The ranking is sorted"
    " by it, so who has played little stands low.",
    "Elo": "The strength that explains all games at once best, whatever their order. 400 more are ten wins"
    " for a loss; only differences mean something. Of a seat: what it is worth to sit there.",
    "+-95%": "How far the true Elo may lie from the estimate, to either side, in 95 of 100 cases. Engines"
    " whose intervals overlap widely may be equally strong.",
    "interval": "Elo and its 95 % interval as a picture: the dot is the estimate, the line the interval, the"
    f" dashed line Elo 0. Where no Elo can be fitted it is mu with {DEVIATIONS:.2f} sigma.",
    "games": "Games that count. What came to nothing through nobody's fault is played again.",
    "W-D-L": "Games won alone, with a shared first place (between two: drawn), and lost.",
    "points": "1 for a win, 1/2 for a draw, 0 for a loss; among four the share of opponents left behind, a"
    " tie counting half. A forfeit gives 0.",
    "score": "Points a game.",
    "95%": "Where the score of a seat lies in 95 of 100 cases, whoever sits there.",
    "forfeits": "Games lost by misbehaving, whatever stood on the board: see the table of forfeits.",
    "total": "The sum of the row: points against all opponents.",
    "likelihood of superiority": "How likely it is that the engine of the row is stronger than that of the"
    " column, by all their games. 50 % is a toss-up, from about 95 % on one may believe it.",
    "LOS": "Likelihood of superiority, in a match: of the first engine over the second.",
    "SPRT": "A test that ends a match by itself, as soon as it is sure enough whether the first engine is"
    " better by elo1 or only by elo0. Alpha and beta say how often it may be wrong.",
    "LLR": "How much the games speak for elo1 and against elo0; the test ends when it leaves the bounds"
    " in brackets.",
    "opening": "The moves that were given to both sides, or the first ones that were played.",
    "draws": "The share of games whose first place was shared.",
    "plies": "Moves of one player each.",
    "reason": "Why the game ended, in the words of its rules; repetition is the same position for the third"
    " time, length the limit of plies.",
    "by": "Who ended the game: the rules; adjudication, which makes repetition and length a draw;"
    " resignation; a forfeit; nobody, where a game came to nothing.",
    "share": "Of all games in the table.",
    "a move": "Seconds on the clock, on average.",
    "longest": "Seconds of the slowest move.",
    "a game": "Seconds on the clock, on average.",
    "lost on time": "Games in which the clock ran out.",
    "time": "Forfeits because the clock ran out.",
    "illegal": "Forfeits by a move that the rules do not know.",
    "crash": "Forfeits because the engine ended in the middle of a game.",
    "stall": "Forfeits because the engine did not answer, or did not read.",
    "flood": "Forfeits by more output than anybody can read.",
    "disabled": "Games that were not played, because the engine had broken down in three games in a row.",
    "Buchholz": "The sum of the opponents' points: who met the stronger ones stands first.",
    "Sonneborn-Berger": "Points scored against each opponent times the points of that opponent.",
    "direct": "Points against those who are level.",
    "byes": "Rounds without an opponent, which count as if all games had been won.",
}

WORDS = {
    word: GlossaryTerm("word-" + "".join(letter if letter.isalnum() else "-" for letter in word), text)
    for word, text in _TEXTS.items()
}
"""By the word, in the order in which they are explained."""
