"""A tournament with ``at_limit = "count"``, from its file to the import: the rules count who wins at the ply
limit."""

import json
import sys
from pathlib import Path

from tests.arena.forked import arena
from tests.arena.invoking import invoke

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"


def done(*words: str) -> str:
    result = invoke(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_games_are_decided_by_count_shown_as_such_and_taken_by_import_only_with_the_right_winner(
    tmp_path: Path,
) -> None:
    command = json.dumps([sys.executable, "-S", str(HOSTILE), "honest"])
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = {command}\n' for name in "ab")
    (tmp_path / "t.toml").write_text(
        'game = "quoridor"\ntime_control = "60+0"\nconcurrency = 1\ngames_per_pairing = 2\n'
        'setup = "/ / e6 e9 / 10 10 / 1"\n'
        f'[adjudication]\nplies = 2\nat_limit = "count"\n{engines}'
    )
    played = arena("run", "t.toml", cwd=tmp_path)
    assert played.returncode == 0, played.stderr
    database = str(tmp_path / "arena.db")
    assert "result: a wins (count, adjudicated)\ndetail: player 1 counts -3; player 2 counts -8\n" in done(
        "show", "--db", database, "1", "--ascii"
    )
    stats = json.loads(done("stats", "--db", database, "--json"))
    assert '{"reason": "count", "termination": "adjudicated", "games": 2}' in json.dumps(stats)
    records = tmp_path / "records.jsonl"
    records.write_text(done("export", "--db", database, "--jsonl"))
    again = str(tmp_path / "again.db")
    done("import", "--db", again, str(records))
    assert done("export", "--db", again, "--jsonl") == records.read_text()
    pgn = tmp_path / "records.pgn"
    pgn.write_text(done("export", "--db", database))
    assert "2 games: 0 added, 2 there already" in done("import", "--db", again, str(pgn))
    assert pgn.read_text().split().count("1-0") == 2
    (tmp_path / "wrong.pgn").write_text(pgn.read_text().replace("1-0", "0-1"))
    wrong = invoke("import", "--db", tmp_path / "w.db", tmp_path / "wrong.pgn")
    assert wrong.exit_code == 1
    assert "its ranks 2, 1 are not the ranks by the count, (1, 2)" in wrong.stderr
