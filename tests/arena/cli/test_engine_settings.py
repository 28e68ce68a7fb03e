"""The options that set for an engine what a tournament file can set, in all commands that have them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import Result

from arena.cli.common.output import arena_command
from arena.config import load
from tests.arena.invoking import invoke
from tests.missing_tools import needs
from tests.tools import find

pytestmark = pytest.mark.usefixtures("no_warning_for_root")

ENGINES = Path(__file__).parents[2] / "engines"
GOOD = "{python} -S -c 'import faulty; faulty.main()' Good"
"""An engine that gets moves unless a setting says otherwise, with the options Hash and Style."""

STRICT = """
import faulty, sys
class Engine(faulty.Good):
    values, asked = {}, 0
    def on_setoption(self, words):
        self.values[words[1]] = words[3]
    def on_isready(self, words):
        self.asked += self.position != "startpos"
        super().on_isready(words)
    def on_go(self, words):
        if self.position.split()[0] != "fen" or "moves" in self.position:
            sys.exit("not the position alone")
        if self.asked or self.values["Hash"] != "32":
            sys.exit("other settings")
        self.say("info depth 1 score cp 0")
        super().on_go(words)
    def on_uginewgame(self, words):
        self.position, self.asked = "startpos", 0
Engine().run()
"""
CHESS = "the game is chess, because engines that speak uci play it"
MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"


def play(*options: object, seats: tuple[str, ...] = (GOOD, GOOD)) -> Result:
    chosen = [word for seat in seats for word in ("--seat", seat)]
    return invoke("play", "quoridor", "--cwd", ENGINES, *chosen, *options)


def test_each_seat_gets_what_its_options_say() -> None:
    done = play(
        *("--option", "2:Hash=32", "--option", "Hash=64", "--option", "2:Style=wild child"),
        *("--set", "1:sync=game", "--set", "position=fen", "--set", "2:position=moves"),
        *("--tc", "1:00", "--tc", "movetime=0.2", "--set", "margin=5000", "--trace", "--quiet"),
    )
    assert (done.exit_code, "wins: goal" in done.stdout) == (0, True), done.output
    lines = [line.split(maxsplit=3) for line in done.stderr.splitlines()]
    first, second = ([line[3] for line in lines if line[1:3] == [seat, ">"]] for seat in "12")
    assert [line for line in first if "setoption" in line][1:] == ["setoption name Hash value 64"]
    assert sorted(line for line in second if "setoption" in line)[1:] == [
        "setoption name Style value wild child",
        "setoption name UGI_Game value quoridor",
    ]
    assert "setoption name Hash value 32" in second
    assert (first.count("isready"), second.count("isready") > 5) == (2, True)
    positions = [line for line in first if line.startswith("position")]
    assert all(line.startswith("position fen ") and " moves " not in line for line in positions)
    assert any(line.startswith("position startpos moves ") for line in second)
    assert "go p1time 60000 p2time 60000 p1inc 0 p2inc 0" in first
    assert "go movetime 200" in second
    assert any(line.startswith("gameinfo ") and line.endswith("margin 5000") for line in first)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--option", "Hsh=1"), "the engine of seat 1 does not take its options: it has no option 'Hsh'"),
        (("--option", "3:Hash=9"), "--option 3:Hash: quoridor has 2 seats"),
        (("--set", "margin"), "--set 'margin' is not of the form KEY=VALUE or N:KEY=VALUE, as in margin=200"),
        (("--set", "margin=-1"), "--set margin: this must be from 0 to 2592000000 milliseconds, not -1"),
        (("--set", "force_options=yes"), "--set force_options: this must be true or false, not 'yes'"),
        (("--set", "memory=1G"), "--set memory: there is no such key; did you mean limits.memory?"),
        (("--set", "name=a"), "--set name: there is no such key; the keys are force_options, dialect, "),
        (("--tc", "1", "--tc", "2", "--tc", "3"), "quoridor has 2 seats: give --time-control once or 2"),
        (("--dialect", "ugi", "--dialect", "ugi", "--dialect", "ugi"), "give --dialect once or 2 times"),
        (("--dialect", "xboard", "--tc", "nodes=9"), "an engine that speaks xboard cannot be told a number"),
        (("--set", "2:sync=never"), '--set 2:sync: this must be "move" or "game", not'),
    ],
)
def test_wrong_settings_are_explained_before_the_game(options: tuple[str, ...], problem: str) -> None:
    done = play(*options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert problem in done.stderr.splitlines()[0]


def test_settings_for_the_seat_of_a_person_are_refused() -> None:
    done = play("--set", "1:margin=9", seats=("human", GOOD))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --set 1:margin: a person has no settings")


def test_options_that_are_not_offered_can_be_forced() -> None:
    done = play("--option", "1:Own=a b", "--set", "force_options=true", "--trace", "--quiet", "--tc", "5")
    assert "1 > setoption name Own value a b" in done.stderr
    assert done.exit_code == 0


def test_the_checks_use_the_settings() -> None:
    command = ("--", "{python}", "-S", "-c", STRICT)
    words = ("check", "--game", "quoridor", "--cwd", ENGINES, "--only", "202-204,206,209", "--json")
    settings = ("--option", "Hash=32", "--set", "position=fen", "--set", "sync=game")
    done = invoke(*words, *settings, *command)
    results = {result["number"]: result["status"] for result in json.loads(done.stdout)["results"]}
    assert done.exit_code == 0, done.output
    assert [results[number] for number in (202, 206)] == ["passed", "passed"]
    assert [results[number] for number in (203, 204, 209)] == ["skipped"] * 3
    for left_out in (0, 2, 4):
        others = settings[:left_out] + settings[left_out + 2 :]
        assert invoke(*words, *others, *command).exit_code == 1, left_out


@pytest.mark.parametrize(
    ("words", "good"),
    [
        (("check", "--turn", "1:4"), "answer now: "),
        (("openings", "quoridor", "--count", "1"), "within 50 centipawns: 1 of 1 opening"),
    ],
)
def test_a_turn_and_a_filter_use_the_settings(
    words: tuple[str, ...], good: str, sample_database: Path
) -> None:
    command = ("{python}", "-S", "-c", STRICT)
    engine = (
        ("--db", sample_database, "--", *command) if good[0] == "a" else ("--filter", shlex.join(command))
    )
    keys = (f"cwd={ENGINES}", "options.Hash=32", "position=fen", "sync=game")
    settings = [word for key in keys for word in ("--set", key)]
    done = invoke(*words, *settings, *engine)
    assert (done.exit_code, good in done.output) == (0, True), done.output
    for other in ("options.Hash=31", "position=moves", "sync=move"):
        assert invoke(*words, *settings, "--set", other, *engine).exit_code, other


def test_the_advice_after_a_failure_repeats_the_settings() -> None:
    options = (
        "--option",
        "Book=true",
        "--option",
        "2:Style=wild child",
        "--set",
        "margin=70",
        "--set",
        "limits.memory=1G",
    )
    faulty = GOOD.replace("Good", "ExitsAtStart")
    done = play(*options, "--quiet", "--set", "force_options=true", seats=(GOOD, faulty))
    settings = f"--set options.Book=true --set 'options.Style=wild child' --set cwd={ENGINES}"
    settings += " --set margin=70 --set limits.memory=1G --set force_options=true"
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (
        1,
        f"Find the cause: {arena_command('check')} --game quoridor {settings} -- {faulty}",
    )


# --- chess


@pytest.mark.system
@needs("stockfish")
def test_uci_means_chess_without_a_game() -> None:
    stockfish = find("stockfish")
    checked = invoke("check", "--dialect", "uci", "--option", "Hash=1", "--only", "201", "--", stockfish)
    assert checked.exit_code == 0, checked.output
    assert checked.stderr.splitlines()[0] == f"{CHESS}; --game ID chooses another"
    assert "level 0, chess, positions of seed 1" in checked.stdout
    seats = ("--seat", stockfish, "--seat", "sample:random")
    words = ("play", *seats, "--dialect", "uci", "--tc", "depth=3", "--start", MATE_IN_1)
    played = invoke(*words, "--option", "1:Skill Level=20", "--quiet")
    assert (played.exit_code, played.stdout) == (0, "\nplayer 1 wins: checkmate\n"), played.output
    assert played.stderr.splitlines()[0] == f"{CHESS}; arena play ID chooses another"


def test_another_game_is_chosen_over_chess_and_nothing_is_said() -> None:
    command = ("--", "{python}", "-S", "-c", "import faulty; faulty.main()", "Uci")
    done = invoke(
        "check", "--dialect", "uci", "--game", "quoridor", "--cwd", ENGINES, "--only", "201", *command
    )
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    assert "level 0, quoridor, positions" in done.stdout


# --- tournaments


def test_init_writes_the_settings_of_each_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke(
        *("init", "a.toml", "--dialect", "uci", "a={python}", "sample:random"),
        *("--set", "options.Hash=16", "--set", "1:options.Skill Level=3", "--set", "1:margin=5"),
        *("--set", "2:margin=7", "--set", "force_options=true", "--set", "limits.memory=1G"),
        *("--set", "limits.processes=9", "--set", f"readable={tmp_path}"),
    )
    assert done.exit_code == 0, done.output
    spec = load(Path("a.toml"))
    first, second = (entry.spec for entry in spec.engines)
    assert (spec.games, first.dialect, second.dialect) == (("chess",), "uci", "ugi")
    assert (first.margin, second.margin, first.force_options) == (5, 7, True)
    assert (first.options, second.options) == ({"Hash": "16", "Skill Level": "3"}, {"Hash": "16"})
    assert (first.limits.memory, first.limits.processes, first.readable[0]) == (
        1 << 30,
        9,
        str(tmp_path),
    )


def test_a_match_is_played_with_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engines = (f"a={GOOD}", f"b={GOOD}")
    settings = ("--cwd", ENGINES, "--option", "2:Hash=5", "--set", "position=moves", "--tc", "3")
    done = invoke("match", "quoridor", *engines, *settings, "-n", "1", "--quiet")
    assert done.exit_code == 0, done.output
    text = done.stderr.split("\n\nwarning:")[0].split("1 game played")[0]
    Path("again.toml").write_text(text)
    assert [entry.spec.options for entry in load(Path("again.toml")).engines] == [{}, {"Hash": "5"}]
    wrong = invoke("match", "quoridor", *engines, *settings, "--option", "1:Hsh=5", "-n", "1", "--quiet")
    assert (wrong.exit_code, "a does not take its options: it has no option 'Hsh'" in wrong.stderr) == (
        2,
        True,
    )
