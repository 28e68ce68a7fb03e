"""The glossary of a report: explanations of the columns and words in its tables."""

from __future__ import annotations

from arena.ratings import DEVIATIONS

GLOSSARY = {
    "mu": "TrueSkill's estimate of the strength, game after game, on a scale of its own and not in Elo."
    " Unless the rating list has other settings, each engine starts at 25, and who leads by 4.17 wins 76 of"
    " 100 games, as with a lead of 200 Elo: 1 is worth about 48 Elo.",
    "sigma": "The standard deviation of mu. It starts at 8.33, unless the rating list has another setting,"
    " and becomes smaller with every game.",
    "mu-3sigma": "mu minus three sigma, a strength that the engine almost surely exceeds. The ranking is"
    " sorted by it, so an engine with few games has a low place.",
    "Elo": "The strength that fits all games best; their order does not matter. A difference of 400 means ten"
    " wins for each loss; only differences have a meaning. 0 is the mean of the engines, unless"
    " there is an anchor. TrueSkill's mu has another scale. For a seat: its advantage.",
    "+-95%": "In 95 of 100 cases the true Elo differs from the estimate by no more than this. Engines whose"
    " intervals overlap much may be equally strong.",
    "interval": "A picture of Elo and its 95 % interval: the dot is the estimate, the solid line is the"
    f" interval, and the dashed line is Elo 0. Without Elo, it shows mu and {DEVIATIONS:.2f} sigma.",
    "last six": "The last six games, the newest on the right: filled is won, half filled drawn, empty lost,"
    " and struck through forfeited.",
    "better": "How likely it is that the engine is stronger than the next one in the table. Near 50 % their"
    " order may be luck.",
    "games": "Games that count: those that were played, and in standings and rankings also those that an"
    " engine lost because it was disabled. A void game, for which no engine is at fault, is played again.",
    "W-D-L": "Games won, drawn and lost. With more than two players, a shared first place is a draw.",
    "points": "1 for a win, 1/2 for a draw, 0 for a loss. With four players: the share of opponents with a"
    " worse place, where an equal place counts half. A forfeit gives 0.",
    "score": "Points per game.",
    "95 %": "The 95 % interval of the score of a seat, if its players are chosen at random: the mean and 1.96"
    " standard errors, after two wins and two losses are added.",
    "forfeits": "Games that the engine lost by a fault such as a crash, while they were played. The table of"
    " forfeits has the kinds.",
    "total": "The sum of the row: the points against all opponents.",
    "likelihood of superiority": "The probability that the engine of the row is stronger than the engine"
    " of the column, from all games of the ratings. At 50 % the two are equal; 95 % or more is convincing.",
    "LOS": "Likelihood of superiority of the first engine over the second, at the end of a match.",
    "SPRT": "A test that ends a match when it has decided whether the first engine is better by elo1 or only"
    " by elo0. Alpha and beta are the rates of wrong decisions.",
    "LLR": "The log-likelihood ratio: the evidence of the games for elo1 and against elo0. The test ends when"
    " LLR is outside the bounds in brackets.",
    "opening": "The moves that the tournament gives to the players, or else the first moves of the game.",
    "depth": "The mean of the depths, in plies, that the engine reported of its moves.",
    "nodes/s": "The positions a second that the engine reported, by the time on its clock.",
    "<0.01 s": "The mean depth of the moves that took less than 0.01 seconds.",
    "<0.1 s": "The mean depth of the moves that took from 0.01 to 0.1 seconds.",
    "<1 s": "The mean depth of the moves that took from 0.1 to 1 second.",
    "<10 s": "The mean depth of the moves that took from 1 to 10 seconds.",
    "longer": "The mean depth of the moves that took 10 seconds or more.",
    "draws": "The share of games with a shared first place.",
    "plies": "Moves; a ply is one move of one player.",
    "reason": "The reason for the end of the game, in the words of its rules. Repetition: the same position"
    " again, for the third time unless the tournament sets another number. Length: the limit of plies. Count:"
    " the limit of plies, where the tournament lets the game's count decide.",
    "by": "The cause of the end: the rules, adjudication (for example by repetition or length),"
    " resignation, a forfeit, or nobody for a void game.",
    "share": "The share of the games that were played.",
    "a move": "Seconds per move on the clock, on average. A turn that a forfeit ended has no move.",
    "longest": "Seconds of the longest move.",
    "a game": "Seconds per game on the clock, on average.",
    "lost on time": "Games in which the engine's clock ran out.",
    "time": "Forfeits because the clock ran out.",
    "illegal": "Forfeits because of an illegal move.",
    "crash": "Forfeits because the engine's process ended during a game.",
    "stall": "Forfeits because the engine did not answer or did not read its input.",
    "flood": "Forfeits because the engine printed too much.",
    "gone": "Forfeits because the line to the engine's machine was broken for too long.",
    "disabled": "Games that were not played, because the engine had failed in three games in a row. They are"
    " no forfeits: they count as losses, and no rating uses them.",
    "forgiven illegal": "Illegal moves that did not lose, because the tournament forgives some.",
    "forgiven time": "Moves that came too late and did not lose, because the tournament forgives some.",
    "random moves": "Moves that the referee drew for the engine after such a fault.",
    "Buchholz": "The sum of the opponents' points. An engine with stronger opponents has a better place.",
    "Sonneborn-Berger": "The sum of the points against each opponent times that opponent's points.",
    "direct": "Points against engines with the same points and tie-breaks.",
    "byes": "Rounds without an opponent. A bye counts as if all its games had been won.",
}
"""The explanation of each word, in the order of the glossary."""
