"""`arena init` and `arena match`: what they write is a tournament that runs as it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from arena.cli.common.engines import CommandLineSettings
from arena.cli.new_tournament import FORMAT_KEYS, read_engines
from arena.config import load, load_values
from arena.formats.format import built_in_formats
from protocol.process.machine import machine_name
from referee import game_ids
from referee.match.adjudication import DrawRule, ResignRule
from tests.arena.forked import arena
from tests.arena.invoking import invoke, refusal

NO_SETTINGS = CommandLineSettings()
SAMPLES = ("sample:greedy", "sample:random")
FOUR = (*SAMPLES, "sample:random", "two=sample:random")


def init(*words: str) -> tuple[int, str, str]:
    done = invoke("init", *words)
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("game_id", game_ids())
def test_init_writes_a_file_for_every_game(game_id: str) -> None:
    assert init("a.toml", "--game", game_id, *FOUR)[0] == 0
    assert [entry.spec.name for entry in load(Path("a.toml")).engines] == [
        "greedy",
        "random",
        "random-2",
        "two",
    ]


@pytest.mark.parametrize("form", FORMAT_KEYS)
def test_init_writes_a_file_for_every_format_between_engines_of_unknown_strength(form: str) -> None:
    assert {form.name for form in built_in_formats()} - FORMAT_KEYS.keys() == {"place", "tune"}
    assert init("tournament.toml", "--game", "quoridor", *SAMPLES, "--tournament-format", form)[0] == 0
    assert load(Path("tournament.toml")).format == form


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "name the game with --game ID; the games are quoridor, "),
        (("--game", "quoridor"), "name the engines after the file"),
        (("--game", "quorido", *SAMPLES), "did you mean quoridor"),
        (("--game", "quoridor", "./none", *SAMPLES), "there is no file "),
        (("--game", "quoridor", "sample:gredy", *SAMPLES), "there is no sample engine 'gredy'"),
        (("--game", "quoridor", "a=sample:greedy", "a=sample:random"), "name 'a'"),
        (("--game", "quoridor", *FOUR, "--tournament-format", "match"), "a match has two engines, but 4"),
    ],
)
def test_init_writes_nothing_that_would_not_run(words: tuple[str, ...], problem: str) -> None:
    code, _, error = init("a.toml", *words)
    assert code == 2
    assert problem in error
    assert not Path("a.toml").exists()


@pytest.mark.parametrize(
    ("game_id", "command", "names"),
    [
        ("quoridor", "mine=sample:random", ["mine", "greedy"]),
        ("quoridor", "sample:greedy", ["greedy", "random"]),
        ("quoridor", "greedy=sample:random", ["greedy", "greedy-2"]),
        ("quoridor4", "mine=sample:random", ["mine", "greedy", "alphabeta", "random"]),
    ],
)
def test_init_gives_a_lonely_engine_opponents_and_names_them(
    game_id: str, command: str, names: list[str]
) -> None:
    code, _, error = init("tournament.toml", "--game", game_id, command)
    assert code == 0
    spec = load(Path("tournament.toml"))
    assert [entry.spec.name for entry in spec.engines] == names
    assert error.splitlines() == [
        f"{game_id} needs another engine, so sample:{name.removesuffix('-2')} plays, too"
        for name in names[1:]
    ]


def test_init_replaces_no_file_unless_it_may() -> None:
    Path("a.toml").write_text("mine")
    code, _, error = init("a.toml", "--game", "quoridor", *SAMPLES)
    assert (code, error) == (2, "error: a.toml exists; choose another name, or replace it with --force\n")
    assert Path("a.toml").read_text() == "mine"
    assert init("a.toml", "--game", "quoridor", *SAMPLES, "--force")[0] == 0
    assert "must end with .toml; the engines come after it" in init(*SAMPLES, "--game", "quoridor")[2]
    assert load(Path("a.toml")).name == "a"


def test_init_checks_each_answer_immediately_and_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.common.output.is_terminal", lambda: True)
    answers = ("quoridr", "hops", "./none", '"open', "sample:greedy", "sample:gredy", "", "cup", "swiss")
    done = invoke("init", input="\n".join((*answers, "")))
    assert done.exit_code == 0, done.stderr
    asked = [line.partition(" [")[0].partition(" (")[0] for line in done.stderr.splitlines()]
    assert [line for line in asked if not line.startswith("Error: ")] == [
        *(["Game"] * 2),
        *(["Command of engine 1"] * 3),
        *(["Command of engine 2"] * 2),
        *(["Format"] * 2),
    ]
    problems = ("did you mean quoridor", "there is no file", "can't be split", "'gredy'", "format")
    errors = [line for line in done.stderr.splitlines() if "Error: " in line]
    for problem, error in zip(problems, errors, strict=True):
        assert problem in error
    spec = load(Path("tournament.toml"))
    assert (spec.games, spec.format, len(spec.engines)) == (("hops",), "swiss", 2)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("python3 mine.py", "mine"),
        ("{python} new/engine.py", "new"),
        ("java -cp . Best", "Best"),
        ("sample:greedy", "greedy"),
        ("bridge:gtp --answer x -- python3 bots/ann.py --fast", "ann"),
        ("bridge:class bots/ann/bot.py:Bot --method act", "ann"),
        ("old=./mine --depth=3", "old"),
    ],
)
def test_an_engine_is_named_after_its_program(command: str, name: str) -> None:
    assert [engine.name for engine in read_engines([command], "ENGINE", NO_SETTINGS)] == [name]


def test_a_match_prints_the_file_that_repeats_it(tmp_path: Path) -> None:
    words = ("match", "hops", "sample:random", "b=sample:random", "-n", "2", "--tc", "9+0.1", "--quiet")
    done = arena(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = done.stderr.split("\n\nwarning:")[0].split("2 games played")[0]
    keys = tomllib.loads(text)
    assert (keys["name"], keys["max_games"], keys["openings"]["book"]) == ("random-b", 2, "hops")
    Path("again.toml").write_text(text)
    again = arena("run", "again.toml", cwd=tmp_path)
    assert "already stored: 2 of 2 games" in again.stderr


def test_a_match_takes_rules_of_adjudication_a_seed_and_a_folder_for_transcripts() -> None:
    words = ("match", "hops", *SAMPLES, "-n", "2", "--dry-run")
    rules = ("--resign", "score=600,moves=3,sides=one", "--draw", "score=10,after=40")
    done = invoke(*words, *rules, "--seed", "7", "--log", "logs")
    assert done.exit_code == 0, done.stderr
    spec = load_values(tomllib.loads(done.stderr), Path("match.toml"))
    assert spec.adjudication.resign == ResignRule(600, 3, "one")
    assert spec.adjudication.draw == DrawRule(10, after=40)
    assert (spec.seed, spec.log) == (7, Path("logs").absolute())


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("600", "this must be keys with values, as in score=600,moves=4, not '600'"),
        ("scor=600", "resign.scor: there is no such key; did you mean score?"),
        ("score=-1", "resign.score: this must be from 1 to 1000000 centipawns, not -1"),
    ],
)
def test_a_wrong_rule_of_a_match_is_named(rule: str, problem: str) -> None:
    assert problem in refusal(invoke("match", "hops", *SAMPLES, "--resign", rule))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("sample:greedy",), "the argument ENGINE is missing"),
        (("sample:greedy", "sample:random", "--sprt", "5"), "two differences in Elo, as in 0,5, not '5'"),
        (("sample:greedy", "sample:random", "--sprt", "0,5", "-n", "7"), "max_games: "),
        (("sample:greedy", "sample:random", "--tc", "10x"), "time_control: "),
        (("sample:greedy", ""), "must name an engine's command"),
    ],
)
def test_a_wrong_match_is_explained_before_anything_is_stored(words: tuple[str, ...], problem: str) -> None:
    assert problem in refusal(invoke("match", "quoridor", *words))
    assert not Path("arena.db").exists()


def test_a_match_prints_a_paragraph_for_a_pull_request() -> None:
    Path("ten.txt").write_text("e2\ne2 e8\n")
    words = ("match", "quoridor", "sample:random", "b=sample:random", "-n", "2", "--openings", "ten.txt")
    done = arena(*words, "--summary", "--concurrency", "1", cwd=Path.cwd())
    assert done.returncode == 0, done.stderr
    text = done.stdout.splitlines()
    assert text[0] == "**random** against **b** in quoridor, 2 of 2 games"
    rows = dict(line.strip("| ").split(" | ") for line in text[4:])
    assert list(rows) == ["Score", "Elo", "Pairs", "Time", "Options", "Openings", "Machine"]
    assert rows["Openings"].startswith("ten.txt, list of 2 (")
    assert rows["Machine"].replace("\\", "") == f"{machine_name()}, 1 game at the same time"
    assert text == arena("standings", "--format", "md", cwd=Path.cwd()).stdout.splitlines()
    assert arena(*words, "--summary", "--json", cwd=Path.cwd()).returncode == 2


@pytest.mark.parametrize(
    ("keys", "total", "left"),
    [
        ('"match"\nmax_games = 42', "42 games", "42"),
        ('"match"\nmax_games = 42\nsprt = { elo0 = 0, elo1 = 5 }', "at most 42 games", "at most 42"),
        ('"match"\nsprt = { elo0 = 0, elo1 = 5 }', "no limit of games", "no limit"),
        ('"ladder"\nmax_games = 9', "9 games", "9"),
        ('"knockout"\ngames_per_pairing = 2', "at most 8 games", "at most 8"),
    ],
)
def test_a_dry_run_says_whether_the_number_of_games_is_exact(keys: str, total: str, left: str) -> None:
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "sample:random"\n' for name in "ab")
    Path("t.toml").write_text(f'game = "quoridor"\nformat = {keys}\n{engines}')
    lines = invoke("run", "t.toml", "--dry-run").stdout.splitlines()
    assert lines[0].endswith(f", 2 engines, {total}")
    assert lines[1] == f"stored: 0; to play: {left}"


@pytest.mark.parametrize(
    ("keys", "warning"),
    [
        ("max_games = 4", "4 games with each other, but with 1 opening and two seats at most 2 of them"),
        ("sprt = { elo0 = 0, elo1 = 5 }", "without a limit of games, but with 1 opening and two seats"),
        ('max_games = 9999\nopenings = { kind = "random", plies = 1 }', "openings and two seats at most"),
        ('max_games = 4\nopenings = { kind = "list", file = "two.txt" }', ""),
        ('max_games = 9999\nopenings = { kind = "random", plies = 4 }', ""),
    ],
)
def test_games_that_must_repeat_if_engines_are_deterministic_are_warned_of(keys: str, warning: str) -> None:
    Path("two.txt").write_text("e2\nd1\n")
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "sample:random"\n' for name in "ab")
    text = load_values(tomllib.loads(f'game = "quoridor"\nformat = "match"\n{keys}\n{engines}')).repeats()
    assert (warning in text) if warning else not text


def test_repeated_games_are_warned_of_before_the_first_one_and_in_a_dry_run() -> None:
    Path("one.txt").write_text("e2\n")
    words = ("match", "quoridor", "sample:random", "b=sample:random", "-n", "4", "--openings", "one.txt")
    said = arena(*words, cwd=Path.cwd()).stderr
    warning = "two engines play 4 games with each other, but with 1 opening and two seats at most 2 of them"
    assert 0 < said.index(f"warning: random-b: {warning}") < said.index("[1/4]")
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "sample:random"\n' for name in "ab")
    Path("t.toml").write_text(f'game = "quoridor"\nformat = "match"\nmax_games = 4\n{engines}')
    dry = invoke("run", "t.toml", "--dry-run")
    assert dry.stderr.startswith(f"warning: t: {warning}")


BOTH = ("match", "quoridor", "sample:random", "b=sample:random", "--tc", "depth=1", "--quiet")


def test_each_engine_of_a_match_may_have_a_time_control_of_its_own() -> None:
    words = BOTH[:4]
    dry = invoke(*words, "--tc", "2+0.1", "--tc", "1:30+1", "--dry-run")
    assert dry.exit_code == 0, dry.stderr
    keys = tomllib.loads(dry.stderr)
    assert (keys["time_control"], keys["engines"][1]["time_control"]) == ("2+0.1", "1:30+1")
    assert "time_control" not in keys["engines"][0]
    assert not Path("arena.db").exists()


def test_options_of_other_managers_lead_to_the_options_of_a_match() -> None:
    done = invoke(*BOTH, "-rounds", "5")
    assert "there is no option -r; did you mean --max-games?" in done.stderr
