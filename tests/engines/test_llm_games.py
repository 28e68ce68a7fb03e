"""Whole games of language models, by stand-ins for their endpoint: stored, summed, and without the key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from referee import game
from tests.arena.forked import arena
from tests.engines.endpoint import Endpoint, Reply, endpoint

PAGE = Path(__file__).parents[2] / "docs/howto/evaluate-a-language-model.md"
KEY = "sk-abcdef0123456789"


def model() -> Callable[[int, str], str]:
    """A model that plays at random, and answers each seventh time with an illegal move."""
    random = Random(1)

    def answer(number: int, prompt: str) -> str:
        position = prompt.partition("\n\nThe last moves:")[0].splitlines()[-1]
        if number % 7 == 6:
            return "MOVE: z9"
        moves = sorted(map(str, game("rampants").parse_position(position).legal_moves()))
        return f"MOVE: {random.choice(moves)}"

    return answer


def tournament(folder: Path, served: Endpoint) -> Path:
    """Write the tournament of the page, with two games instead of twenty and every model at this endpoint."""
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    text = re.sub(r'Address = "[^"]*"', f'Address = "{served.address}"', text)
    file = folder / "models.toml"
    text = re.sub(r'(Model = "\w+-\w+")', r'\1, Key = "EXAMPLE_KEY"', text)
    text = text.replace("games_per_pairing = 20", 'log = "logs"\ngames_per_pairing = 2')
    file.write_text(f"{text}\n[adjudication]\nplies = 16\n")
    return file


@pytest.mark.system
def test_the_tournament_of_the_page_has_one_table_with_intervals_and_the_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXAMPLE_KEY", KEY)
    with endpoint(model()) as served:
        file = tournament(tmp_path, served)
        run = arena("run", file, "--quiet", cwd=tmp_path, timeout=300)
        assert run.returncode == 0, run.stderr
    assert {asked["model"] for asked in served.requests} == {"small-4b", "large-30b", "best"}
    table = arena("ratings", "--db", tmp_path / "arena.db", cwd=tmp_path).stdout
    assert "+-95%" in table
    assert all(name in table for name in ("small", "large", "remote", "level-1", "level-2", "level-3"))
    (statistics,) = json.loads(arena("stats", file, "--json", cwd=tmp_path).stdout)["games"]
    rows = {(row["engine"], row["what"]): row for row in statistics["usage"]}
    remote = {what: row for (engine, what), row in rows.items() if engine == "remote"}
    assert remote["tries"]["games"] == 6
    assert remote["tries"]["total"] == remote["tries"]["moves"] + remote["illegal"]["total"]
    assert remote["tokens"]["total"] == 120 * remote["tries"]["total"]
    price = (100 * 0.15 + 20 * 0.6) / 1e6  # of a try
    assert remote["cost"]["total"] == pytest.approx(price * remote["tries"]["total"], 0.1)
    assert remote["illegal"]["a_game"] > 0
    assert ("level-1", "tries") not in rows
    assert "a move" in arena("stats", file, cwd=tmp_path).stdout
    for form, words in {"pgn": (), "jsonl": ("--jsonl",)}.items():
        exported = arena("export", "--db", tmp_path / "arena.db", *words, cwd=tmp_path).stdout
        assert "tokens 120" in exported
        (tmp_path / f"games.{form}").write_text(exported)
        other = tmp_path / f"{form}.db"
        back = arena("import", tmp_path / f"games.{form}", "--db", other, cwd=tmp_path)
        assert back.returncode == 0, back.stderr
        again = arena("export", "--db", other, *words, cwd=tmp_path).stdout
        assert again.count("tokens") == exported.count("tokens")


@pytest.mark.system
def test_a_wrong_key_loses_with_the_words_of_the_endpoint_and_is_stored_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXAMPLE_KEY", KEY)
    refusal = json.dumps({"error": {"message": f"invalid key {KEY}"}}).encode()
    with endpoint(lambda *_: Reply(status=401, body=refusal)) as served:
        file = tournament(tmp_path, served)
        run = arena("run", file, "--quiet", cwd=tmp_path, timeout=300)
    assert run.returncode == 1
    games = arena("export", "--db", tmp_path / "arena.db", "--jsonl", cwd=tmp_path).stdout
    assert "401 Unauthorized: invalid key ***" in games
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".log" for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in run.stderr + run.stdout
