"""The example with seven bots, played whole: one of them is behind a slow line that breaks twice."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import combinations
from pathlib import Path
from statistics import median
from urllib.request import urlopen

import pytest

from arena.config import load
from arena.model import GameRecord
from arena.store import Store
from arena.tables.result_text import verdict
from tests.arena.forked import Forked, arena, forked
from tests.missing_tools import needs
from tests.networks import other_machine, set_link
from tests.processes import wait_for

EXAMPLE = Path(__file__).parents[3] / "docs/examples/seven-bots"
SLOW_LINE = Path(__file__).with_name("slow_line.py")
BOTS = ["class", "home", "http", "lines", "native", "qtp", "tcp"]
HERE = "10.78.0.1"
DELAY = 0.1  # seconds, in each direction
THOUGHT = 0.1  # seconds: home.py
GONE = 5.0  # seconds: less than a line that is silent is gone before this is noticed
PATIENCE = 200.0  # seconds


def commands() -> dict[str, list[str]]:
    """Return the commands at the top of the file by their first words after ``arena``."""
    lines = re.findall(r"^# +(arena .*)", (EXAMPLE / "seven.toml").read_text(encoding="utf-8"), re.MULTILINE)
    words = [shlex.split(line, comments=True)[1:] for line in lines]
    return {" ".join(line[: 1 + (line[0] == "door")]): line for line in words}


class Line:
    """A line with a delay from another machine to a port of this one, and a bot there that uses it."""

    def __init__(self, folder: Path, network: str, port: int, stack: ExitStack) -> None:
        inside = ["ip", "netns", "exec", network]
        words = [*inside, sys.executable, str(SLOW_LINE), "8400", HERE, str(port), str(DELAY)]
        self._proxy = stack.enter_context(subprocess.Popen(words))
        stack.callback(self._proxy.kill)
        self._log = folder / "home.log"
        self._inside, self._stack, self._folder, self._network = inside, stack, folder, network

    @property
    def printed(self) -> str:
        return self._log.read_text()

    def connect(self, words: list[str]) -> None:
        """Run ``arena connect``."""
        with self._log.open("w") as file:
            words = [*self._inside, sys.executable, "-m", "arena", *words]
            home = self._stack.enter_context(subprocess.Popen(words, cwd=self._folder, stderr=file))
        self._stack.callback(home.kill)

    def breaks(self, game: int, *, down: bool) -> None:
        """Wait for a game of the bot, break the line in it, and wait until it is there again."""
        breaks = self.printed.count("the line is gone")
        wait_for(lambda: f"game {game} starts" in self.printed, "no game")
        if down:
            set_link(self._network, "down")
        else:
            self._proxy.send_signal(signal.SIGUSR1)
        wait_for(
            lambda: self.printed.count("the line is gone") > breaks, "nobody notices that the line is gone"
        )
        set_link(self._network, "up")


@contextmanager
def door(folder: Path) -> Iterator[tuple[Forked, int, str]]:
    """Invite a bot, and run the tournament: its process, its port and the link."""
    with socket.create_server((HERE, 0)) as free:
        port = free.getsockname()[1]
    file = folder / "seven.toml"
    keys = f'games_per_pairing = 1\n[door]\nurl = "http://{HERE}:{port}"\n'
    file.write_text(file.read_text().replace("[door]", keys))
    link = arena(*commands()["door invite"], cwd=folder).stdout.split()[1]
    log = folder / "run.log"
    words = [*commands()["door run"], "--host", HERE, "--port", port]
    with forked(*words, cwd=folder, stdout=log, stderr=log) as run:
        wait_for(lambda: log.exists() and "the door is open" in log.read_text(), "no door")
        yield run, port, link


@needs("networks")
@pytest.mark.system
def test_seven_bots_of_six_kinds_play_and_a_line_that_is_slow_and_breaks_twice_costs_no_game(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "bots"
    shutil.copytree(EXAMPLE, folder)
    pairs = Counter(combinations(BOTS, 2))

    def stored() -> list[GameRecord]:
        with closing(Store.open(load(folder / "seven.toml").database, create=True)) as store:
            return list(store.finder.records()) if store.tournaments() else []

    def get(address: str) -> str:
        with urlopen(f"http://{HERE}:{port}{address}", timeout=60) as answer:
            return str(answer.read().decode())

    with other_machine(78) as network, ExitStack() as stack:
        run, port, link = stack.enter_context(door(folder))
        line = Line(folder, network, port, stack)
        link = link.replace(f"{HERE}:{port}", "127.0.0.1:8400")
        line.connect([link if word == "LINK" else word for word in commands()["connect"]])
        line.breaks(2, down=False)
        line.breaks(4, down=True)
        wait_for(lambda: len(stored()) == pairs.total(), "not all games are played", PATIENCE)
        games = stored()
        remote = [game for game in games if "home" in {player.name for player in game.result.players}]
        home = json.loads(get("/api/tournaments"))[-1]["url"]
        wait_for(lambda: 'id="game-quoridor-ranking"' in get(home), "the page is not computed")
        page = get(home)
        assert [name for name in BOTS if f">{name}</a>" not in page] == []
        assert get(f"{home}games").count(", remote<") == len(remote)
        assert ", remote)" in get(f"{home}games/{remote[0].result.id}.html")
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 0
    played = [tuple(sorted(player.name for player in game.result.players)) for game in games]
    assert Counter(played) == pairs
    lost = [game.result for game in games if any(player.forfeit for player in game.result.players)]
    assert [f"{result.key}: {result.detail}" for result in lost] == []
    assert [game for game in games if verdict(game.result).endswith("remote)")] == remote
    times = [
        ply.time / 1e9
        for game in remote
        for ply in game.record
        if game.result.players[ply.seat].name == "home"
    ]
    assert THOUGHT / 2 < median(times) < THOUGHT + 2 * DELAY  # with the lag of the line it would be more
    assert max(times) < GONE
    table = arena(*commands()["standings"], cwd=folder).stdout
    assert sorted(re.findall(r"^\d  (\w+)", table, re.MULTILINE)) == sorted([*BOTS, *BOTS])
    ratings = arena(*commands()["ratings"], cwd=folder).stdout
    assert "42 games" not in ratings
    assert "counted: tournaments of remote bots" in ratings
