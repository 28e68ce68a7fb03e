"""A whole class of hostile engines comes in by HTTP while honest engines play: what it costs the others."""

from __future__ import annotations

import os
import re
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.door.client import Door
from arena.door.register import DoorRegister, Submission
from arena.door.upload import SourceFile, packed
from arena.model import GameResult
from arena.store import Store
from tests.arena.forked import forked
from tests.arena.invoking import invoke
from tests.engines.hostile import MODES
from tests.missing_tools import needs
from tests.processes import wait_for, with_argument

ROOT = Path(__file__).parents[3]
HOSTILE = (ROOT / "tests" / "engines" / "hostile.py").read_bytes()
HONEST = ROOT / "engines" / "python-random" / "engine.py"
BROKEN = {
    "exits-at-start",
    "never-says-ok",
    "never-ready",
    "hangs-in-search",
    "floods",
    "plays-illegal",
    "fork-bomb",
}
"""The modes that no check lets pass."""

WELL_BEHAVED = {"ann", "own-1", "own-2"}
GAMES = 5
"""How many rated games the honest engine plays among those that were admitted."""


def uploads() -> dict[str, bytes]:
    """Return what each participant hands in; the honest one is the last, so the others play first."""
    files = {}
    for mode in sorted(MODES):
        keys = f'command = ["{{python}}", "hostile.py", "{mode}"]'
        files[f"eve-{mode}"] = packed(
            (SourceFile("hostile.py", HOSTILE), SourceFile("engine.toml", keys.encode()))
        )
    return files | {"ann": packed((SourceFile("bot.py", HONEST.read_bytes()),))}


def page(door: Door, number: int) -> str:
    request = urllib.request.Request(
        f"{door.address}/door/submissions/{number}", headers={"authorization": f"Bearer {door.token}"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read().decode())


def faults_of_an_answer(mode: str, answer: dict[str, Any], shown: str, stored: Submission) -> Iterator[str]:
    """Yield what is wrong with what somebody was told."""
    state, problem, lines = answer["state"], answer["problem"], answer["lines"]
    if (stored.attempts, stored.state) != (1, state):
        yield f"{stored.attempts} attempts, {stored.state} is stored and {state} is shown"
    if bool(problem) is not (state == "refused") or not problem.isprintable():
        yield f"{state}, and the problem is {problem!a}"
    end = f"not admitted: {problem}" if problem else "admitted: version 1 plays in the tournament now"
    if [line["text"] for line in lines if line["kind"] == "end"] != [end]:
        yield "the last line does not say what came of it"
    if mode in BROKEN:
        if not any("\nadvice: " in line["text"] for line in lines if line["kind"] == "failed"):
            yield f"no check says what to do: {lines}"
        if not problem or "Try it at home" not in shown:
            yield "it was admitted, or has no command for home"
    if "<script>alert" in shown or re.search(r"[\x00-\x08\x0b-\x1f\x7f]", shown):
        yield "there is markup or a control character of the engine in the page"
    if others := set(re.findall(r"eve-[a-z-]+", shown)) - {f"eve-{mode}"}:
        yield f"it sees something of {others}"


def what_is_left(folder: Path, submissions: list[Submission]) -> Iterator[str]:
    """Yield the processes and files that are there and should not be."""
    wait_for(lambda: not with_argument(str(folder)), f"there are processes: {with_argument(str(folder))}")
    for path in (*folder.iterdir(), *(folder / "tmp").rglob("*")):
        if path.name not in {
            "league.toml",
            "arena.db",
            "door",
            "output",
            "tmp",
        }:
            yield str(path)
    yield from {path.name for path in (folder / "door" / "submissions").iterdir()} ^ {
        f"{submission.digest}.tar" for submission in submissions
    }
    for path in (folder / "door" / "engines").rglob("*"):
        if path.is_file() and path.name not in {"bot.py", "hostile.py", "engine.toml"}:
            yield str(path)


def rated(store: Store, name: str) -> list[GameResult]:
    results = store.results(tournament="league")
    return [result for result in results if name in (player.name for player in result.players)]


@pytest.mark.slow  # fifty engines with all their checks; the quick tests try the sandbox, and single uploads
@needs("bwrap")
def test_a_hostile_class_gets_clear_answers_costs_the_others_nothing_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    file, output = tmp_path / "league.toml", tmp_path / "output"
    table = '[[engines]]\nname = "own-{}"\ncommand = ["{{python}}", "{}"]\ncwd = "{}"\n'
    file.write_text(
        'game = "quoridor"\nformat = "ladder"\ngames_per_pairing = 1000000\ntime_control = "2+0.02"\n'
        'concurrency = 1\nadjudication.plies = 20\n[defaults]\nsandbox = "bwrap"\n[door]\n'
        + "".join(table.format(number, HONEST, HONEST.parent) for number in (1, 2))
    )
    invited = invoke("door", "invite", file, *uploads()).output
    tokens = dict(re.findall(r"^(\S+)\t.*/(\S+)$", invited, re.MULTILINE))
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    faults = {}
    with forked(
        "door", "run", file, "--port", 0, cwd=tmp_path, env=environment, stdout=output, stderr=output
    ) as run:
        try:
            address = re.compile(r"http://127\.0\.0\.1:\d+")
            wait_for(lambda: output.exists() and address.search(output.read_text()), "it does not serve")
            (server,) = set(address.findall(output.read_text()))
            doors = {name: Door(server, token) for name, token in tokens.items()}
            numbers = {name: doors[name].hand_in("bot.tar", data)[0] for name, data in uploads().items()}
            answers = {}

            def ended(name: str) -> bool:
                time.sleep(0.5)  # asking takes processor time, too
                answers[name] = doors[name].look(numbers[name])
                return answers[name]["state"] in ("plays", "refused")

            with closing(Store.open(tmp_path / "arena.db", create=False)) as store:
                for name in numbers:
                    wait_for(lambda name=name: ended(name), f"{name} gets no answer", 200)
                wait_for(lambda: len(rated(store, "ann")) >= GAMES, "the honest engine does not play", 300)
                submissions = DoorRegister(store, "league").submissions()
                stored = {submission.name: submission for submission in submissions}
            for mode in sorted(MODES):
                name = f"eve-{mode}"
                shown = page(doors[name], numbers[name])
                if problems := list(faults_of_an_answer(mode, answers[name], shown, stored[name])):
                    faults[mode] = problems
        finally:
            run.send_signal(signal.SIGINT)
            run.wait(120)
    assert not faults
    assert answers["ann"]["state"] == "plays"
    with closing(Store.open(tmp_path / "arena.db", create=False)) as store:
        results = store.results(tournament="league")
    assert not [result.detail for result in results if not result.counts]
    assert not [
        (player.name, player.forfeit, result.detail)
        for result in results
        for player in result.players
        if player.name in WELL_BEHAVED and player.forfeit
    ]
    assert not list(what_is_left(tmp_path, list(stored.values())))
