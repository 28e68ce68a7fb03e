"""What is seen on a terminal while a tournament runs."""

from collections import Counter
from io import StringIO

import pytest

from arena.cli.common import live_view as live
from arena.cli.common.live_view import open_view
from arena.model import Pairing
from arena.run.events import GameEnded, Stage
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
