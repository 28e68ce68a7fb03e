"""The games that a submission plays before it is admitted."""

import sys
from pathlib import Path

import pytest

from arena.config import load
from arena.config.loader import load_with
from arena.door.trial import play
from arena.errors import ArenaError

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"
FILE = """
game = "quoridor"
{forgive}
[adjudication]
plies = 8
[[engines]]
name = "honest"
command = ["{python}", "-S", "{hostile}", "honest"]
"""


async def admit(folder: Path, forgive: str) -> list[str]:
    file = folder / "cup.toml"
    other = FILE.format(forgive=forgive, python=sys.executable, hostile=HOSTILE)
    file.write_text(other + other[other.index("[[") :].replace('"honest"\n', '"other"\n'))
    command = [sys.executable, "-S", str(HOSTILE), "plays-illegal-at-first"]
    entry = load_with(file, {"name": "ann", "command": command})
    told: list[str] = []

    async def tell(kind: str, text: str) -> None:
        if kind == "game":
            told.append(text)

    await play(load(file), entry, "quoridor", 2, "bot.py", tell)
    return told


async def test_the_games_of_a_trial_forgive_what_the_tournament_forgives(tmp_path: Path) -> None:
    told = await admit(tmp_path, "forgive = { illegal = 4 }")
    assert ["drawn from seat" in text for text in told] == [True, True]
    with pytest.raises(ArenaError, match="it lost by illegal: seat 1 played 'e5'"):
        await admit(tmp_path, "")
