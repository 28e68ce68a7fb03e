"""A week of a course on paper: how much a ladder at a door plays and writes, without an engine.

    .venv/bin/python benchmarks/course_week.py [--bots 40] [--versions 10] [--games 2] [--concurrency 2]

The schedule is the real one. Each game is decided by chance from made-up strengths: those of first versions
differ by 200 Elo (standard deviation), and each new version is 30 Elo stronger on average, and up to 100 Elo
stronger or weaker. The bots hand in by turns, in a random order, and the ladder comes to rest after each
hand-in. It prints the games beside the most that there can be, and what they take: a game of Quoridor takes
2.4 kB in the database, and the transcript of a seat takes 16 kB, as `class_day.py` measures it.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path

from arena.config import EngineEntry, TournamentSpec, load_values
from arena.config.door_keys import DOOR_LOST
from arena.formats.contest import ScheduleState
from arena.model import GameResult, Pairing, PlayerRecord
from referee import Termination

OWN = ("first", "second")  # the engines of the file
GAME_BYTES = 2_400
TRANSCRIPT_BYTES = 16_000


def course(games: int) -> TournamentSpec:
    """Return a ladder with a door and two engines of its own."""
    engines = [{"name": name, "command": "true", "version": "1"} for name in OWN]
    openings = {"kind": "random", "plies": 2}
    values = {"game": "quoridor", "format": "ladder", "openings": openings, "engines": engines}
    return load_values({**values, "games_per_pairing": games, "door": {}}, Path("course.toml"))


class Week:
    """The course: its ladder, the versions that play, and their strengths in Elo."""

    def __init__(self, games: int, seed: int) -> None:
        self.spec = course(games)
        self.state = ScheduleState()
        self.source = random.Random(seed)
        self.strengths = dict.fromkeys(OWN, -200.0)
        self.played: Counter[tuple[str, str]] = Counter()  # games by name and version

    def hand_in(self, name: str) -> int:
        """Let a new version play, and return how many games the ladder plays until it rests again."""
        entries = {entry.spec.name: entry for entry in self.spec.engines}
        old = entries.get(name)
        if old is None:
            model = entries[OWN[0]]
            entries[name] = EngineEntry(replace(model.spec, name=name), model.time_control, model.games, "1")
            self.strengths[name] = self.source.gauss(0, 200)
        else:
            entries[name] = replace(old, version=str(int(old.version) + 1))
            self.strengths[name] += min(max(self.source.gauss(30, 50), -100), 100)
        self.spec = replace(self.spec, engines=tuple(entries.values()))
        return self.play()

    def play(self) -> int:
        """Play until the ladder rests, and return the number of games."""
        self.state.programs = self.spec.programs
        for number, item in enumerate(self.spec.schedule().pending(self.state)):
            if not isinstance(item, Pairing):
                return number
            self._decide(item)
        return 0

    def _decide(self, pairing: Pairing) -> None:
        one, other = (self.strengths[name] for name in pairing.seats)
        first_wins = self.source.random() < 1 / (1 + 10 ** ((other - one) / 400))
        versions = [(name, self.state.programs[name]) for name in pairing.seats]
        self.played.update(versions)
        players = tuple(
            PlayerRecord(name, version, 1 if won else 2, float(won), None, "10+0.1", 100, 0)
            for (name, version), won in zip(versions, (first_wins, not first_wins), strict=True)
        )
        self.state.results[pairing.key] = GameResult(
            None, "", pairing.number, pairing.key, pairing.game, Termination.NORMAL, "goal", "", 60, players
        )


def main() -> None:
    """Play the week."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--versions", type=int, default=10, help="of each bot")
    parser.add_argument("--games", type=int, default=2, help="of each pair")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--game-seconds", type=float, default=15)
    options = parser.parse_args()
    week = Week(options.games, seed=1)
    names = [f"student-{number}" for number in range(options.bots)]
    week.play()
    woken: list[int] = []
    for turn in count():
        if turn == options.versions:
            break
        week.source.shuffle(names)
        woken += map(week.hand_in, names)
    games, programs = len(week.state.results), len(week.played)
    transcripts = (options.bots + len(OWN)) * DOOR_LOST
    seconds = options.game_seconds / options.concurrency
    figures = {
        "programs": programs,
        "games": games,
        "most_games": programs * (options.bots + len(OWN) - 1) * options.games,
        "games_after_a_hand_in": [round(f(woken)) for f in (min, statistics.median, max)],
        "hours": round(games * seconds / 3600),
        "minutes_after_a_hand_in": round(statistics.median(woken) * seconds / 60, 1),
        "transcripts": transcripts,
        "transcript_megabytes": round(transcripts * TRANSCRIPT_BYTES / 1e6, 1),
        "database_megabytes": round(games * GAME_BYTES / 1e6, 1),
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
