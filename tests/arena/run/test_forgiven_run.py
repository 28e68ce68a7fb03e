"""A tournament that forgives faults, with real referees and engines, from its file to its tables."""

import json
import random
import sys
from pathlib import Path

from arena.replay import positions
from arena.store import Store
from referee import game
from tests.arena.forked import arena

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"
FILE = """
game = "quoridor"
time_control = "60"
concurrency = 1
seed = 3
[forgive]
illegal = 2
then = "random"
[adjudication]
plies = 8
"""


def test_faults_go_from_the_engines_to_the_tables(tmp_path):
    file = tmp_path / "t.toml"
    engines = "".join(
        f'[[engines]]\nname = "{mode}"\ncommand = ["{sys.executable}", "-S", "{HOSTILE}", "{mode}"]\n'
        for mode in ("honest", "plays-illegal", "plays-illegal-at-first")
    )
    file.write_text(FILE + engines)
    run = arena("run", file.name, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    stats = json.loads(arena("stats", "t", "--json", cwd=tmp_path).stdout)
    (shown,) = stats["games"]
    assert {row["termination"] for row in shown["ends"]} == {"adjudicated"}
    assert shown["forfeits"] == []
    assert shown["forgiven"] == [
        # four games of four turns: in each two faults are forgiven, and then each leads to a drawn move
        {"engine": "plays-illegal", "illegal": 4 * (2 + 4), "time": 0, "random": 4 * 4},
        # in two turns it repents, in the third one the referee plays, in the fourth one its move is legal
        {"engine": "plays-illegal-at-first", "illegal": 4 * 3, "time": 0, "random": 4 * 1},
    ]
    store = Store.open(tmp_path / "arena.db", create=False)
    try:
        (record, *_) = store.finder.records()
    finally:
        store.close()
    boards = [*positions(game("quoridor"), record)]
    moves = 0
    for number, ply in enumerate(record.record):
        if ply.fault == "random":
            drawn = random.Random(f"3 {record.result.key} {moves}")
            legal = sorted(map(str, boards[number].legal_moves()))
            assert drawn.choice(legal) == record.record[number + 1].text
        moves += ply.is_move
    other = file.read_text().replace("illegal = 2", "illegal = 3")
    file.write_text(other)
    refused = arena("run", file.name, cwd=tmp_path)
    assert refused.returncode == 2
    assert "forgive = illegal 2, then random, and now it is illegal 3, then random" in refused.stderr
