"""A course: the marks of its participants as CSV, and the file of its final."""

from __future__ import annotations

import csv
import io
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Final

from arena.config import TournamentSpec, load_values
from arena.config.door_keys import REMOTE, with_door_engines
from arena.config.toml_file import TomlFile, toml_text
from arena.door.register import Participant, State, Submission
from arena.errors import ArenaError
from arena.ratings.fit import SEPARATED, Fit
from arena.ratings.lists import rating_list
from arena.scoring import GameScoreCounts
from arena.store import Store
from arena.tables.standings import Standing, standings
from arena.tables.text_table import harmless
from arena.web.pages.section import GameSection
from referee.outcome import Termination
from referee.ply import FAULTS

_FAULTS: Final = tuple(why for why in Termination if why.is_fault)
_PERSON: Final = ("name", "state", "versions", "playing", "checks", "handed_in")
_RESULTS: Final = (
    "game",
    "group",
    "place",
    "tie_group",
    "points",
    "games",
    "wins",
    "draws",
    "losses",
    "unplayed",
)
_RATING: Final = ("rating", "plus_minus")
_LEAST_CHANCE: Final = 0.0001

_Cell = str | int | float


def marks(
    participants: Iterable[Participant],
    submissions: Sequence[Submission],
    sections: Sequence[GameSection],
    references: Sequence[str],
) -> str:
    """Return a row for each participant and game id as CSV; what is not known is an empty cell.

    The newest submissions come first; ``references`` are the engines with which each is compared.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    beats = [word for name in references for word in (f"beats_{name}", f"beats_{name}_probability")]
    faults = ("faults", *(f"fault_{why}" for why in _FAULTS), *(f"forgiven_{word}" for word in FAULTS))
    head = (*_RESULTS, *faults, *_RATING, *beats)
    writer.writerow([*_PERSON, *head])
    games = [_game_cells(section, references) for section in sections]
    for who in participants:
        versions = [submission for submission in submissions if submission.participant == who.id]
        rows = [cells[who.name] for cells in games if who.name in cells]
        for row in rows or [("",) * len(head)]:
            writer.writerow([*_person_cells(who, versions), *row])
    return out.getvalue()


def _person_cells(who: Participant, versions: Sequence[Submission]) -> tuple[_Cell, ...]:
    if not versions:
        return harmless(who.name), who.state, 0, "", "", ""
    playing = next((submission.version for submission in versions if submission.state is State.PLAYS), "")
    newest = versions[0]
    checks = "passed" if playing else "failed" if newest.ended else "waiting"
    handed_in = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(newest.created))
    return harmless(who.name), who.state, len(versions), playing, checks, handed_in


def _game_cells(section: GameSection, references: Sequence[str]) -> dict[str, Sequence[_Cell]]:
    """Return the cells of each engine that has a game of this id that counts."""
    results = section.results
    faults = _faults(results.tally)
    rows: dict[str, Standing] = {row.name: row for row in standings(results.tally, results.format.order)}
    groups = results.ratings.groups().among(rows).index()
    fit = results.strengths
    strengths = {} if fit is None else {strength.name: strength for strength in fit.strengths}
    ties: dict[str, int] = {}
    if fit is not None:
        for number in set(groups.values()):
            ties |= fit.tie_groups([name for name in groups if groups[name] == number])
    cells: dict[str, Sequence[_Cell]] = {}
    for line in section.ranking.lines:
        name = line.name
        row, strength = rows[name], strengths.get(name)
        cells[name] = (
            harmless(section.title),
            groups[name] + 1 if name in groups else "",
            line.place,
            ties.get(name, ""),
            round(row.points, 4),
            *(row.games, row.wins, row.draws, row.losses, row.unplayed),
            faults[name].total(),
            *(faults[name][why] for why in _FAULTS),
            *(section.forgiven[name][word] if name in section.forgiven else 0 for word in FAULTS),
            *(("", "") if strength is None else (_decimal(strength.elo), _decimal(strength.error))),
            *(cell for other in references for cell in _beats(fit, groups, name, other)),
        )
    return cells


def _faults(games: GameScoreCounts) -> Mapping[str, Counter[Termination]]:
    faults: defaultdict[str, Counter[Termination]] = defaultdict(Counter)
    for game_score, count in games.items():
        for seat in game_score:
            if seat.forfeit in _FAULTS:
                faults[seat.name][seat.forfeit] += count
    return faults


def _beats(fit: Fit | None, groups: Mapping[str, int], name: str, reference: str) -> tuple[_Cell, _Cell]:
    """Return whether games separate an engine from a weaker reference, and how likely it is stronger.

    If no chain of games joins the two, nothing separates them, and the probability is not known.
    """
    if fit is None or name not in groups or reference not in groups:
        return "", ""
    (likely, _) = fit.ahead([name, reference])
    if likely is None or groups[name] != groups[reference]:
        return "no", ""
    shown = min(max(round(likely, 4), _LEAST_CHANCE), 1 - _LEAST_CHANCE)  # games do not prove anything
    return "yes" if likely >= SEPARATED else "no", shown


def _decimal(value: float) -> float:
    return round(value, 1) + 0.0  # never -0.0


# --- the final


def final_file(spec: TournamentSpec, store: Store) -> str:
    """Return the tournament file of a final, for the folder of the file of a tournament with a door.

    It has the keys of that file, and the engines of its door that play now, as they play there.
    """
    file = TomlFile.read(spec.path)
    at_door = with_door_engines(file).data["engines"][len(file.data.get("engines", [])) :]
    engines = [engine for engine in at_door if not engine["command"][0].startswith(REMOTE)]
    if len(engines) < 2:
        raise ArenaError(f"{spec.path}: a final needs two engines that were handed in and play now")
    list_, game = store.list_of(spec.name), spec.games[0]
    games = store.tally(game=game, only=list_).get(game, Counter())
    ratings = rating_list(store, game, games, list_).ratings
    strengths = {name: rating.conservative for name, rating in ratings.items()}
    engines.sort(key=lambda engine: strengths.get(engine["name"], -inf), reverse=True)
    finalists = 2 ** max(1, (len(engines) // 2).bit_length() - 1)  # a power of two: at most half of them
    pools = {"name": "pools", "format": "round-robin", "pools": finalists // 2}
    play_offs = {"name": "play-offs", "format": "knockout", "engines": finalists}
    left_out = {"door", "engines", *spec.format_keys.declarations()}
    values = {key: value for key, value in file.data.items() if key not in left_out}
    values |= {"name": f"{spec.name}, final", "format": "stages", "stages": [pools, play_offs]}
    values |= {"database": "final.db"}  # so that the ratings of the course stay
    values |= {key: f"{value}-final" for key, value in values.items() if key == "log"}
    load_values({**values, "engines": engines}, spec.path.with_name("final.toml"))
    lines = [f"{key} = {toml_text(value)}" for key, value in values.items()]
    for engine in engines:
        lines += ["", "[[engines]]", *(f"{key} = {toml_text(value)}" for key, value in engine.items())]
    return "\n".join(lines)
