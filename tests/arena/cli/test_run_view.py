"""The output of `arena run` on a terminal and in a log, while a tournament runs."""

import re
from collections import Counter
from dataclasses import replace
from io import StringIO
from threading import Event

import pytest

from arena.cli import progress as live
from arena.cli.common.output import arena_command, tell
from arena.cli.progress import open_view
from arena.cli.run import _print_summary
from arena.config.door_keys import DoorKeys
from arena.events import (
    EngineDisabled,
    GameBegan,
    GameEnded,
    GameVoid,
    LiveGame,
    Moved,
    Notice,
    RunSummary,
    Stopping,
)
from arena.formats.contest import ScheduleState
from arena.model import Pairing, Stage
from arena.ratings.sprt import Sprt
from referee import Termination
from referee.match.job import RunningGame
from tests.arena.formats.playing import ended, names, next_game, tournament


class Terminal(StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


SWISS = tournament(names(4), "swiss", rounds=3)
LADDER = tournament(names(4), "ladder")


def game(number):
    return Pairing(number, f"quoridor:e0|e1:{number}", "quoridor", ("e0", "e1"))


HOSTILE = "HTTP/1.1 \x1b]0;owned\x07\x1b[2J\x9b31m\r200"


@pytest.mark.parametrize("screen", [True, False])
def test_foreign_bytes_reach_no_terminal(terminal, monkeypatch, screen):
    if not screen:
        monkeypatch.setenv("TERM", "dumb")
    with open_view(SWISS, terminal) as page:
        page.begin(SWISS.schedule(), Counter(), {})
        page.observe(Notice("t", HOSTILE))
        page.observe(Notice("u", HOSTILE, warning=False))
        page.observe(EngineDisabled("e0", HOSTILE))
        page.observe(GameVoid(game(0), HOSTILE, False))
    shown = terminal.getvalue()
    assert shown.count("]0;owned") == 4
    assert [word for word in ("\x1b]", "\x07", "\x1b[2J", "\x9b", "\r2") if word in shown] == []


def test_what_a_command_tells_has_no_foreign_bytes(capsys):
    tell(f"answers: {HOSTILE}\nagain")
    assert capsys.readouterr().err == "answers: HTTP/1.1 ?]0;owned??[2J?31m?200\nagain\n"


def test_the_page_says_in_which_round_a_game_is(terminal, monkeypatch):
    monkeypatch.setattr(live.time, "monotonic", lambda: 100.0)
    with open_view(SWISS, terminal) as page:
        page.begin(SWISS.schedule(), Counter(), {})
        page.observe(Stage("quoridor", "round 1 of 3"))
        page.live.refresh()
        page.observe(Stage("quoridor", "round 2 of 3"))
    last = terminal.getvalue().rpartition("t: ")[2]
    assert "0 of 12 games" in last
    assert "quoridor: round 2 of 3" in last
    assert "round 1 of 3" not in last


def test_a_table_that_takes_long_is_not_made_for_every_game(terminal, monkeypatch):
    made = []

    def slow(games, order):
        made.append(games.total())
        clock[0] += 0.5
        return ()

    clock = [100.0]
    monkeypatch.setattr(live, "standings", slow)
    monkeypatch.setattr(live.time, "monotonic", lambda: clock[0])
    page = live.LivePage(SWISS, terminal)
    for number in range(100):
        page.observe(GameEnded(ended(game(number), (1, 2))))
        clock[0] += 0.25
        page.live.refresh()
    assert made == [1, 42, 83]


def test_an_event_does_not_wait_while_the_page_is_drawn(terminal, monkeypatch):
    drawing, told = Event(), Event()

    def wait(games, order):
        drawing.set()
        assert told.wait(10)
        return ()

    monkeypatch.setattr(live, "standings", wait)
    with open_view(SWISS, terminal) as page:
        page.begin(SWISS.schedule(), Counter(), {})
        assert drawing.wait(10)
        page.observe(GameEnded(ended(game(0), (1, 2))))
        told.set()
    assert "1 of 12 games" in page._headline()


def test_the_reason_why_an_engine_was_disabled_is_shown_by_a_command_that_works(capsys):
    from_file = tournament(names(2), "ladder")
    summary = RunSummary(3, ("e0",), 0, stopped=False)
    _print_summary(from_file, summary, "…")
    _print_summary(replace(from_file, door=DoorKeys()), summary, "…")
    said = "e0 was disabled: it failed three times in a row; "
    assert [line for line in capsys.readouterr().err.splitlines() if "disabled" in line] == [
        f"{said}`{arena_command('check')}` shows why",
        f"{said}`{arena_command('show', 'e0', '--last-loss', '--db', '/arena.db')}` shows why",
    ]


MATCH = tournament(names(2), "match", sprt=Sprt(elo0=0.0, elo1=10.0), max_games=None)


def play_match(view, games):
    """The first engine wins all games of the match but the first one, which is a draw."""
    results = {}
    state = ScheduleState(results)
    view.begin(MATCH.schedule(), Counter(), {})
    pending = MATCH.schedule().pending(state)
    for number in range(games):
        pairing = next_game(pending)
        ranks = (1, 1) if number == 0 else (1, 2) if pairing.seats[0] == "e0" else (2, 1)
        results[pairing.key] = result = ended(pairing, ranks)
        view.observe(GameEnded(result))


def test_a_log_of_a_match_has_its_score_elo_and_test_after_every_ten_games():
    out = StringIO()
    with open_view(MATCH, out) as log:
        play_match(log, 12)
    lines = out.getvalue().splitlines()
    assert [line.partition(" ")[0] for line in lines[8:10]] == ["[9]", "[10]"]
    assert lines[10:13] == [
        "--- t: 10 games",
        "Match: e0 against e1, 10 games",
        "Score  9-1-0 (won, drawn, lost), 9.5 of 10 points (95 %), draws 10 %",
    ]
    assert [line.split()[0] for line in lines[13:15]] == ["Elo", "nElo"]
    assert lines[15] == "Pairs  0, 0, 0, 1, 4 with 0, 1/2, 1, 3/2, 2 points"
    test = r"SPRT   LLR \d\.\d\d in \[-2.94, 2.94\] after 5 pairs: not decided, .*\(elo0 0, elo1 10, .*\)"
    assert re.fullmatch(test, lines[16])
    assert lines[17] == "---"
    assert len(lines) == 12 + 8


def test_a_quiet_view_says_nothing_of_games_and_of_the_state():
    out = StringIO()
    with open_view(MATCH, out, quiet=True) as quiet:
        play_match(quiet, 12)
        quiet.observe(Notice("e0", "odd"))
    assert out.getvalue() == "warning: e0: odd\n"


def test_after_ctrl_c_the_page_says_for_how_many_games_it_waits(terminal, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: clock[0])
    spec = tournament(names(2), "round-robin", 8)
    page = live.LivePage(spec, terminal)
    page.begin(spec.schedule(), Counter(), {})
    page.observe(GameEnded(ended(game(0), (1, 2))))
    page.observe(GameBegan(LiveGame(game(1))))
    clock[0] += 120
    assert page._headline() == "t: 1 of 8 games, 2 min, about 14 min to go"
    page.observe(Stopping(1))
    assert page._headline() == "t: 1 of 8 games, 2 min, waiting for 1 running game"
    page.observe(GameBegan(LiveGame(game(2))))  # the other one has ended, and waits to be stored
    assert page._headline() == "t: 1 of 8 games, 2 min, waiting for 1 running game"
    page.observe(GameEnded(ended(game(2), (1, 2))))
    assert "waiting for 0 running games" in page._headline()


def test_the_page_shows_the_clocks_of_the_seats_that_have_one(terminal):
    page = live.LivePage(LADDER, terminal)
    page.observe(GameBegan(LiveGame(game(1))))
    page.observe(Moved({game(1).key: RunningGame("1", 3, 1, (None, 900))}, 0.0))
    assert [list(column.cells) for column in live._games([*page._running.values()]).columns][2:] == [
        ["3"],
        ["- 0.9"],
    ]


@pytest.mark.parametrize(("winner", "bound"), [("e0", 1), ("e1", 0)])
def test_a_test_takes_as_long_as_the_growth_of_its_llr_says(winner, bound):
    sprt = Sprt(elo0=0.0, elo1=5.0)
    spec = tournament(names(2), "match", sprt=sprt, max_games=None)
    (progress,) = spec.plan.progress()
    pending = spec.schedule().pending(ScheduleState(results := {}))
    for number in range(24):
        pairing = next_game(pending)
        ranks = (1, 1) if number % 4 else (1, 2) if pairing.seats[0] == winner else (2, 1)
        results[pairing.key] = ended(pairing, ranks)
        progress.count(results)
        if number in (17, 19):
            assert (progress.games_left() is None) == (number == 17)
    status = progress.status
    assert 0 < abs(status.llr) < 1
    rate = status.llr / status.units
    assert progress.games_left() == pytest.approx(2 * (sprt.bounds[bound] / rate - 12))
    progress.status = replace(status, accepted="elo0")
    assert progress.games_left() == 0


def test_the_same_failure_of_an_engine_is_printed_in_full_once():
    out = StringIO()
    trace = "ended with exit code 1: " + "a long story " * 20
    crash = Termination.CRASH
    with open_view(SWISS, out) as log:
        log.begin(SWISS.schedule(), Counter(), {})
        for number in range(2):
            result = ended(game(number), (1, 2))
            players = (result.players[0], replace(result.players[1], forfeit=crash))
            result = replace(result, termination=crash, reason="crash", detail=trace, players=players)
            log.observe(GameEnded(result))
    first, second = out.getvalue().splitlines()
    assert trace in first
    assert len(second) < 120
    assert "(ended with exit code 1: a long story" in second
    assert second.endswith("...)")


def test_the_line_of_a_lost_game_names_the_transcript_of_the_engine_at_fault(tmp_path):
    out, crash = StringIO(), Termination.CRASH
    spec = replace(SWISS, log=tmp_path, log_lost=2)
    dialogue = tmp_path / "e1" / "1-2-e1.log"
    dialogue.parent.mkdir()
    dialogue.touch()
    with open_view(spec, out) as log:
        for number in range(2):  # nothing is kept of the second one
            result = ended(game(number), (1, 2))
            players = (result.players[0], replace(result.players[1], forfeit=crash))
            log.observe(GameEnded(replace(result, players=players, detail="seat 2 ended")))
    first, second = out.getvalue().splitlines()
    assert first.endswith(f"(e1 ended); {dialogue}")
    assert second.endswith("(e1 ended)")
