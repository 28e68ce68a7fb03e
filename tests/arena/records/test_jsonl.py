"""JSON lines, one by one: what is written, what is read, and what is told of a line that cannot be read."""

import json

import pytest

from arena.model import GameRecord, GameResult, Opening, PlayerRecord, RatingListRecord, TournamentRecord
from arena.records import jsonl
from arena.records.entries import EntryKind, ReadEntry, RefusedEntry
from protocol.wire.messages import Thought
from referee import Termination
from referee.ply import Ply

TOURNAMENT = TournamentRecord("spring", 12.5, {"time_control": "10+0.1"})
RATINGS = RatingListRecord("quoridor", {"beta": "4"})
PLAYER = PlayerRecord("a", "1", 1, 1.0, None, "10", 100, 5)
GAME = GameRecord(
    GameResult(7, "spring", 3, "key", "quoridor", Termination.NORMAL, "goal", "", 2, (PLAYER,)),
    Opening("/ / e1 e9 / 10 10 / 1", ("e2",)),
    (Ply(0, "e2", 5, "cp 3", 4), Ply(1, "e8", 6, thought=Thought(7, pv="e8 e3"))),
    "/ / e2 e8 / 10 10 / 1",
    100.5,
    11,
)


def read(*lines: str | None) -> list[ReadEntry | RefusedEntry]:
    return list(jsonl.read(enumerate(lines, 2)))


def test_plies_are_objects_with_names() -> None:
    plies = [
        {"seat": 0, "text": "e2", "time": 5, "score": "cp 3", "depth": 4},
        {"seat": 1, "text": "e8", "time": 6, "score": "", "depth": None}
        | {"nodes": 7, "nps": None, "seldepth": None, "hashfull": None, "pv": "e8 e3"},
    ]
    assert json.loads(jsonl.write(GAME))["game"]["record"] == plies
    assert jsonl.game_data(GAME)["record"] == plies


ONE_OF = "a line must have exactly one of `tournament`, `rating_list` and `game`"


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("{}", "text", ONE_OF),
        ('{"game":null}', "game", ONE_OF),
        (f"{jsonl.write(TOURNAMENT)[:-2]},{jsonl.write(RATINGS)[1:]}", "tournament", ONE_OF),
        (
            jsonl.write(GAME).replace('"duration":11', '"duration":-1'),
            "game",
            "the duration is not a number from 0 to 9223372036854775807",
        ),
        ('{"game":' * 10_000, "game", "JSON is nested too deeply"),
    ],
)
def test_a_line_that_is_no_entry_is_refused_with_its_number(line: str, kind: EntryKind, reason: str) -> None:
    assert read("\n", line) == [RefusedEntry(3, kind, reason)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"rating_list":3}', "rating list"),
        ('{"tournament":', "tournament"),
        ('{"x":3}', "text"),
        ("x", "text"),
    ],
)
def test_the_kind_of_a_damaged_line_follows_from_its_start(line: str, kind: EntryKind) -> None:
    (found,) = read(line)
    assert isinstance(found, RefusedEntry)
    assert (found.line, found.kind) == (2, kind)
