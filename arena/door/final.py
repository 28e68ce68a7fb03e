"""The final of a course: pools and a knock-out of the engines that were handed in, the strongest first."""

from __future__ import annotations

from collections import Counter
from math import inf

from arena.config import TournamentSpec, load_values
from arena.config.door_keys import REMOTE, with_door_engines
from arena.config.toml_file import TomlFile, toml_text
from arena.errors import ArenaError
from arena.ratings.lists import rating_list
from arena.store import Store


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
