"""The output of `arena run` on a terminal and in a log, while a tournament runs."""

from collections import Counter
from dataclasses import replace
from io import StringIO

import pytest

from arena.cli.common import live_view as live
from arena.cli.common.live_view import open_view
from arena.cli.run import _print_summary
from arena.ended_games import tally
from arena.model import Pairing, Stage
from arena.run.events import GameEnded, StopRequested
from arena.run.runner import RunSummary
from arena.schedule import schedule
from tests.arena.schedule.playing import ended, names, tournament


class Terminal(StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def swiss():
    return schedule(tournament(names(4), "swiss", rounds=3))


def game(number):
    return Pairing(number, f"quoridor:e0|e1:{number}", "quoridor", ("e0", "e1"))


def test_the_page_says_in_which_round_a_game_is(terminal):
    with open_view("cup", terminal) as page:
        page.begin(swiss(), Counter())
        page.observe(Stage("quoridor", "round 1 of 3"))
        page.observe(Stage("quoridor", "round 2 of 3"))
    last = terminal.getvalue().rpartition("cup: ")[2]
    assert "0 of 12 games" in last
    assert "quoridor: round 2 of 3" in last
    assert "round 1 of 3" not in last


def test_a_table_that_takes_long_is_not_made_for_every_game(terminal, monkeypatch):
    made = []

    def slow(games):
        made.append(games.total())
        clock[0] += 0.5
        return ()

    clock = [100.0]
    monkeypatch.setattr(live, "standings", slow)
    monkeypatch.setattr(live.time, "monotonic", lambda: clock[0])
    page = live.LivePage("cup", terminal)
    page.begin(swiss(), Counter())
    for number in range(100):
        page.observe(GameEnded(game(number), ended(game(number), (1, 2))))
        clock[0] += 0.25
        page._draw()
    assert made == [1, 39, 77]


def test_one_game_is_told_in_the_singular(capsys):
    out = StringIO()
    ladder = schedule(tournament(names(4), "ladder"))
    with open_view("cup", out) as log:
        log.begin(ladder, tally([ended(game(0), (1, 2))]))
        log.observe(StopRequested(1))
        log.observe(StopRequested(2))
        log.observe(GameEnded(game(1), replace(ended(game(1), (1, 1)), plies=1)))
    assert out.getvalue().splitlines() == [
        "cup: continuing, already stored: 1 game",
        "stopping: waiting for 1 running game to end; press Ctrl-C again to stop at once",
        "stopping: waiting for 2 running games to end; press Ctrl-C again to stop at once",
        "[2] e0 - e1: a draw: goal, 1 ply",
    ]
    _print_summary(tournament(names(2), "round-robin"), RunSummary(1, (), 1, stopped=False))
    assert capsys.readouterr().err.splitlines() == [
        "not played because an engine is disabled: 1 game; repair the engine and run the same command again",
        "1 game played, stored in /arena.db",
    ]
