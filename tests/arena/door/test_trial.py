"""The games that a submission plays before it is admitted."""

import shlex
import sys
from pathlib import Path

import pytest
import trio

from arena.config import load
from arena.config.loader import load_with
from arena.door.register import LOST_GAME
from arena.door.worker import play_games, run_checks
from arena.errors import ArenaError
from arena.single import decisive_turn
from tests.arena.invoking import invoke
from tests.sample_games import autumn, spring

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


PLAYS_ILLEGAL = (sys.executable, "-S", str(HOSTILE), "plays-illegal-at-first")


async def admit(folder: Path, forgive: str, told: dict[str, str]) -> None:
    """Try an engine that plays an illegal move, and put the last line of each kind into ``told``."""
    file = folder / "cup.toml"
    other = FILE.format(forgive=forgive, python=sys.executable, hostile=HOSTILE)
    file.write_text(other + other[other.index("[[") :].replace('"honest"\n', '"other"\n'))
    entry = load_with(file, {"name": "ann", "command": list(PLAYS_ILLEGAL)})

    async def tell(kind: str, text: str) -> None:
        told[kind] = text

    await play_games(load(file), entry, "quoridor", 2, shlex.join(PLAYS_ILLEGAL), tell)


async def test_the_games_of_a_trial_forgive_what_the_tournament_forgives(tmp_path: Path) -> None:
    told: dict[str, str] = {}
    await admit(tmp_path, "forgive = { illegal = 4 }", told)
    assert told.keys() == {"game"}
    assert "game 2 of 2: drawn from seat" in told["game"]
    with pytest.raises(ArenaError, match="it lost by illegal: seat 1 played 'e5'"):
        await admit(tmp_path, "", told)


def test_the_command_for_home_tries_the_lost_turn_and_the_file_tells_no_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, str] = {}
    with pytest.raises(ArenaError, match="it lost by illegal"):
        trio.run(admit, tmp_path, "", told)
    (tmp_path / LOST_GAME).write_text(told["record"])
    assert told["record"].count('"program":"","options":null') == 2
    monkeypatch.chdir(tmp_path)
    for line, code in zip(told["home"].split(";"), (0, 1), strict=True):
        done = invoke(*shlex.split(line)[1:])
        assert done.exit_code == code, done.output
    assert "answer now: e5" in done.output


async def test_a_bot_that_prints_other_lines_gets_a_remark_and_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.door.worker._MUST", frozenset({101}))
    monkeypatch.setattr("arena.door.worker._OUTPUT", frozenset({510}))
    file = tmp_path / "cup.toml"
    other = FILE.format(forgive="", python=sys.executable, hostile=HOSTILE)
    file.write_text(other + other[other.index("[[") :].replace('"honest"\n', '"other"\n'))
    chatty = load_with(
        file, {"name": "ann", "command": [sys.executable, "-S", str(HOSTILE), "prints-garbage"]}
    )
    told: list[tuple[str, str]] = []

    async def tell(kind: str, text: str) -> None:
        told.append((kind, text))

    await run_checks(chatty, "quoridor", "python3 bot.py", tell)
    kinds = dict(told)
    assert kinds["remark"].startswith("remark: 510 prints only lines of the protocol: it ")
    assert "\nadvice: " in kinds["remark"]
    assert kinds["check"] == "quoridor: all 1 checks passed; 1 remark above"


def test_the_turn_that_decides_is_the_turn_of_the_forfeit_or_the_last_move_of_the_engine() -> None:
    lost, four = spring()[0], autumn()[0]
    assert decisive_turn(lost, 0) == len(lost.record) - 1
    assert decisive_turn(spring()[2], 1) == 4
    assert decisive_turn(four, 1) == next(n for n, ply in enumerate(four.record, 1) if ply.is_removal)
