"""Loading of tournament files, and the messages about files that cannot be used."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.config import TournamentSpec, load
from arena.errors import ConfigError
from arena.openings.book import OpeningSpec
from protocol.spec import Timeouts
from referee import game
from referee.match.adjudication import Adjudication
from referee.match.forgiveness import Forgiveness
from referee.match.time_control import TimeControl
from tests.arena.openings.listed import listed
from tests.rights import unprivileged

Load = Callable[[str], TournamentSpec]
Complain = Callable[[str], str]

ENGINES = """
[[engines]]
name = "alpha"
command = "./alpha"

[[engines]]
name = "beta"
command = "./beta"
"""
DOCS = Path(__file__).parents[3] / "docs/reference/tournament-file.md"
PLAIN = 'game = "quoridor"\n' + ENGINES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "engines").mkdir()
    for name in ("alpha", "beta", "gamma", "engines/alphabeta", "engines/greedy"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    return tmp_path


@pytest.fixture
def read(folder: Path) -> Load:
    def read_text(text: str) -> TournamentSpec:
        file = folder / "cup.toml"
        file.write_text(text, encoding="utf-8")
        return load(file)

    return read_text


@pytest.fixture
def complaint(read: Load, folder: Path) -> Complain:
    """Returns the message about a file, without the name of the folder."""

    def message(text: str) -> str:
        with pytest.raises(ConfigError) as caught:
            read(text)
        assert "\n" not in str(caught.value)
        return str(caught.value).replace(f"{folder}/", "")

    return message


def examples() -> list[str]:
    """The complete tournament files in the documentation. Other examples are a few lines of a file."""
    blocks = re.findall(r"^```toml\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [block for block in blocks if "[[engines]]" in block]


def with_key(line: str) -> str:
    """A correct file with one more key at its top, in line 1."""
    return f"{line}\n{PLAIN}"


COUNT = '[adjudication]\nat_limit = "count"\n'


# -- correct files -------------------------------------------------------------------------------------------


def test_a_short_file_gets_the_documented_defaults(read: Load, folder: Path) -> None:
    spec = read(PLAIN)
    assert spec.name == "cup"
    assert spec.path == folder / "cup.toml"
    assert spec.database == folder / "arena.db"
    assert spec.games == ("quoridor",)
    assert (spec.format, spec.format_keys.games_per_pairing) == ("round-robin", 2)
    assert spec.time_control == TimeControl.parse("10+0.1")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert spec.concurrency == cores
    assert (spec.affinity, spec.seed, spec.disabled) == ("auto", 1, "lose")
    assert (spec.openings, spec.adjudication) == (OpeningSpec(), Adjudication())
    assert (spec.setup, spec.log, spec.forgive) == ({}, None, None)
    alpha, beta = spec.engines
    assert (alpha.spec.name, beta.spec.name) == ("alpha", "beta")
    assert alpha.spec.command == (str(folder / "alpha"),)
    assert alpha.spec.cwd == str(folder)
    assert (alpha.spec.env, alpha.spec.options, alpha.version) == ({}, {}, "")
    assert (alpha.spec.dialect, alpha.spec.sync, alpha.spec.margin) == ("ugi", "move", 100)
    assert alpha.spec.timeouts == Timeouts()
    assert alpha.time_control == TimeControl.parse("10+0.1")
    assert alpha.games == ("quoridor",)


def test_every_key_has_its_effect(read: Load, folder: Path) -> None:
    (folder / "work").mkdir()
    spec = read(
        """
        name = "Spring cup"
        database = "results/spring.db"
        games = ["quoridor4", "quoridor"]
        format = "round-robin"
        games_per_pairing = 6
        concurrency = 3
        affinity = true
        seed = 9
        disabled = "skip"
        setup = "default"
        log = "logs"
        openings = { kind = "random", plies = 4 }
        adjudication = { repetition = 0, plies = 120, at_limit = "count" }
        forgive = { illegal = 2, then = "random" }

        [defaults]
        margin = 50
        time_control = "1+0.010"
        sync = "game"
        env = { THREADS = 1, LEVEL = "low" }
        options = { Hash = 16, Ponder = false }
        timeouts = { ready = 3, handshake = 2.5 }

        [[engines]]
        name = "alpha"
        command = "./alpha --depth '4 5'"
        cwd = "work"
        env = { LEVEL = "high" }
        options = { Ponder = true, Style = "wild" }
        dialect = "uci"
        margin = 0
        time_control = "depth=6"
        games = ["quoridor", "quoridor4"]
        version = "2.0"
        [engines.timeouts]
        ready = 0.5

        [[engines]]
        name = "beta"
        command = ["./beta", "a b"]
        [[engines]]
        name = "gamma"
        command = "sh -c 'exec ./gamma'"
        [[engines]]
        name = "delta"
        command = "./beta"
        [[engines]]
        name = "epsilon"
        command = "./beta"
        games = ["quoridor"]
        """
    )
    assert (spec.name, spec.database) == ("Spring cup", folder / "results/spring.db")
    assert (spec.games, spec.format_keys.games_per_pairing, spec.concurrency) == (
        ("quoridor4", "quoridor"),
        6,
        3,
    )
    assert (spec.affinity, spec.seed, spec.disabled, spec.log) == (True, 9, "skip", folder / "logs")
    assert spec.setup == {}
    assert spec.openings == OpeningSpec("random", plies=4, seed=9)
    assert spec.adjudication == Adjudication(repetition=None, plies=120, at_limit="count")
    assert spec.forgive == Forgiveness(illegal=2, then="random")
    assert spec.time_control == TimeControl.parse("1+0.01")
    alpha, beta, gamma, _, epsilon = spec.engines
    assert alpha.spec.command == (str(folder / "alpha"), "--depth", "4 5")
    assert alpha.spec.cwd == str(folder / "work")
    assert alpha.spec.env == {"THREADS": "1", "LEVEL": "high"}
    assert alpha.spec.options == {"Hash": "16", "Ponder": "true", "Style": "wild"}
    assert (alpha.spec.dialect, alpha.spec.sync, alpha.spec.margin) == ("uci", "game", 0)
    assert alpha.spec.timeouts == Timeouts(handshake=2.5, ready=0.5)
    assert (alpha.time_control, alpha.version) == (TimeControl(depth=6), "2.0")
    assert alpha.games == ("quoridor4", "quoridor")
    assert beta.spec.command == (str(folder / "beta"), "a b")
    assert beta.spec.timeouts == Timeouts(handshake=2.5, ready=3)
    assert beta.time_control == TimeControl.parse("1+0.01")
    assert gamma.spec.command == ("sh", "-c", "exec ./gamma")
    assert epsilon.games == ("quoridor",)
    assert [entry.spec.name for entry in spec.entrants("quoridor4")] == ["alpha", "beta", "gamma", "delta"]


def test_each_game_has_its_own_ply_limit_unless_the_file_sets_one(read: Load) -> None:
    spec = read(PLAIN)
    assert spec.adjudication.ply_limit(game("quoridor").info) == 400
    assert spec.adjudication.ply_limit(game("quoridor4").info) == 800
    off = read(PLAIN + "[adjudication]\nplies = 0\n")
    assert off.adjudication.ply_limit(game("quoridor").info) is None


def test_a_file_named_from_its_own_folder_has_absolute_paths(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "cup.toml").write_text(PLAIN)
    monkeypatch.chdir(folder)
    spec = load(Path("cup.toml"))
    assert spec.database == folder / "arena.db"
    assert spec.engines[0].spec.command == (str(folder / "alpha"),)


def test_a_program_is_found_on_the_path_that_the_engine_will_have(read: Load, folder: Path) -> None:
    text = PLAIN.replace("./beta", "beta") + f'env = {{ PATH = "{folder}" }}\n'
    assert read(text).engines[1].spec.command == ("beta",)


def test_a_path_may_start_at_home(read: Load, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert read(PLAIN.replace("./beta", "~/beta")).engines[1].spec.command == (str(folder / "beta"),)


def test_a_byte_order_mark_is_no_error(folder: Path) -> None:
    file = folder / "cup.toml"
    file.write_bytes(b"\xef\xbb\xbf" + PLAIN.encode())
    assert load(file).games == ("quoridor",)


def test_openings_may_stand_in_a_file_of_their_own(read: Load, folder: Path) -> None:
    (folder / "openings.txt").write_text("# two\n\ne2 e8   # one\n/ / e5 e6 / 10 10 / 1\n")
    spec = read(PLAIN + '[openings]\nkind = "list"\nfile = "openings.txt"\norder = "random"\n')
    same = listed("e2 e8", "/ / e5 e6 / 10 10 / 1")
    assert list(spec.openings.list) == list(same)
    assert spec.settings()["openings"] == str(OpeningSpec("list", same, order="random"))


def test_settings_are_what_two_runs_must_share(read: Load) -> None:
    plain = read(PLAIN).settings()
    more = ENGINES.replace('name = "alpha"', 'name = "gamma"').replace('name = "beta"', 'name = "delta"')
    grown = read('games_per_pairing = 9\nconcurrency = 7\nname = "x"\n' + PLAIN + more)
    assert len(grown.engines) == 4
    assert grown.settings() == plain


# -- files with errors ---------------------------------------------------------------------------------------

AT_THE_TOP = {
    "concurency = 2": "line 1: concurency: there is no such key; did you mean concurrency?",
    'command = "./x"': "line 1: command: this key is in the wrong place; move it to [[engines]]",
    'concurrency = "2"': "line 1: concurrency: this must be a whole number, not a text in quotes",
    "affinity = 1": 'affinity: this must be "auto", true or false, not 1',
    'games = "quoridor"': "games: this must be a list, not a text in quotes",
    'format = "knockout"\ngames_per_pairing = 1000000': "line 2: games_per_pairing: with 2 engines",
    'format = "swss"': 'line 1: format: this must be "round-robin" or "gauntlet" or "swiss" or',
    'disabled = "loose"': 'disabled: this must be "lose" or "skip", not \'loose\'; did you mean lose?',
    'name = ""': "line 1: name: a tournament's name must be printable",
    f'name = "{"x" * 201}"': "line 1: name: a tournament's name must have at most 200 characters, not 201",
    'database = "sqlite:///x.db"': "line 1: database: this must be the name of a file, or the address of a",
    'database = "postgresql://a:secret@h/x"': "the address postgresql://a:***@h/x has a password, which",
    'log = "a\\u0000b"': "line 1: log: this must be the name of a file or folder",
    'setup = "halves"': "line 1: setup: quoridor cannot start like this: ",
    'setup = { quoridor4 = "default" }': "'quoridor4' is not played in this tournament; did you mean",
    'games = ["quoridor"]': "line 1: games: the file has the key game, too",
}
"""The first lines of files, which are correct without them, and words of the message."""

OF_AN_ENGINE = {
    'tc = "10"': "tc: there is no such key; did you mean time_control?",
    "timeouts = { handshake = 1, redy = 2 }": "timeouts.redy: there is no such key; did you mean ready?",
    "options = { A = 2024-05-01 }": "options.A: this must be a text, a number",
    'dialect = "uic"': 'dialect: this must be "ugi" or "uci" or "uai" or "xboard", not \'uic\'',
    'cwd = "nowhere"': "cwd: there is no folder nowhere",
    'env = { "A=B" = "1" }': "env.A=B: an environment variable",
    'options = { Hash = "1\\nquit" }': "options.Hash: an option's value must be one printable line",
    'games = ["quoridor4"]': "games, item 1: 'quoridor4' is not one of the tournament's games; did you mean",
    "games = []": "games: an engine must enter at least one game",
}
"""Lines of the second engine, from line 10, and how the message goes on after its name."""

OF_OPENINGS = {
    'kind = "setups"': "line 11: [openings] kind: quoridor has no random set-ups",
    'kind = "random"': 'line 11: [openings] kind: kind = "random" needs plies',
    'kind = "random"\nplies = 4\norder = "random"': "line 13: [openings] order: this key is only for",
    'file = "bad.txt"': 'file: this key is only for kind = "list", but here kind = "start"',
    'kind = "list"': 'line 11: [openings] kind: kind = "list" needs either file',
    'kind = "list"\nbook = "hops"\nfile = "x"': 'kind = "list" needs either file',
    'kind = "list"\nbook = "hops"': "line 12: [openings] book: this book has openings of hops, not of",
    'kind = "list"\nfile = "none.txt"': "line 12: [openings] file: none.txt: there is no such file",
    'kind = "list"\nfile = "empty.txt"': "line 12: [openings] file: empty.txt: this has no openings; add one",
    'kind = "list"\nfile = "bad.txt"': "bad.txt, line 3: quoridor refuses it: opening 'e2 e4': move 2",
}
"""Lines of the table of openings, from line 11."""

ALONE = PLAIN.partition('[[engines]]\nname = "beta"')[0]
"""A file with one engine."""

TIMED = with_key('time_control = "10"')

WHOLE = {
    PLAIN + "[adjudication]\nxyzzy = 1\n": "line 11: [adjudication] xyzzy: there is no such key; the",
    PLAIN + "[forgive]\n": "forgive: this needs illegal, timeouts or both, e.g. illegal = 2",
    PLAIN.replace("quoridor", "chess") + COUNT: "line 11: [adjudication] at_limit: chess has no count",
    PLAIN + COUNT + "plies = 0\n": '"count" needs a limit of moves, but plies = 0 turns it off',
    TIMED + '[defaults]\ntime_control = "10"': "time_control is at the top of the file, too; keep one",
    PLAIN
    + 'dialect = "xboard"\ntime_control = "nodes=9"': "xboard cannot be told a number of nodes; use a clock",
    PLAIN
    + 'dialect = "xboard"\ntime_control = "movetime=1.5"': "xboard cannot be told 1500 ms for a move; use",
    'games = ["quoridor", "no-such-game"]' + ENGINES: "line 1: games, item 2: no game has the id",
    'games = ["quoridor", "quoridor"]' + ENGINES: "line 1: games, item 2: 'quoridor' is in the list twice",
    ENGINES: 'game: this key is missing; write e.g. game = "quoridor"; the games are quoridor, quoridor4, ',
    ALONE: "but 1 enters it",
    'game = "quoridor4"' + ENGINES: "line 2: engines: quoridor4 needs at least 4 engines, but 2",
    ALONE + '[[engines]]\ncommand = "./beta"': "line 7: [[engines]] number 2: the name is missing",
    'game = "quoridor"\n[engines]\nname = "a"': "line 2: engines: write [[engines]], in double brackets",
    PLAIN.replace('"beta"', '"alpha"'): 'line 8: [[engines]] "alpha": name: another engine has this name',
    PLAIN.replace('"beta"', f'"{"y" * 201}"'): f'"{"y" * 80}…": name: a name must have at most 200',
    **{
        PLAIN.replace('"beta"', f'"{name}"'): "a name must be printable and not empty"
        for name in ("", " beta", "beta ", "a|b", "a\\tb")
    },
    # a program that cannot be started is found before anything is played
    PLAIN.replace("./beta", "./missing"): 'line 9: [[engines]] "beta": command: there is no file missing;',
    PLAIN.replace("./beta", ""): "command: this must name a program",
    PLAIN.replace("./beta", "./beta 'x"): "command: this can't be split into words: no closing quotation",
    PLAIN.replace('"./beta"', '["./beta", "a\\u0000"]'): "command: a command can't contain a null character",
    PLAIN.replace('"./beta"', "3"): '"beta": command: this must be a text in quotes or a list, not 3',
    PLAIN.replace('"./beta"', '["./beta", 3]'): "command, item 2: this must be a text in quotes, not 3",
    # no TOML
    'game = "quoridor"\nseed 1\n': "this is not TOML: Expected '=' after a key in a key/value pair (at line",
    "game = quoridor": "this is not TOML: Invalid value (at line 1, column 8); a text needs quotes",
    '[engines]\nname = "a"\n[engines]\nname = "b"\n': "(at line 3, column 9); if this is one of several",
    "a = " + "[" * 5000: "cup.toml",
}

MISTAKES = [
    *((with_key(line), words) for line, words in AT_THE_TOP.items()),
    *((PLAIN + line, f'line 10: [[engines]] "beta": {words}') for line, words in OF_AN_ENGINE.items()),
    *((f"{PLAIN}[openings]\n{lines}\n", words) for lines, words in OF_OPENINGS.items()),
    *WHOLE.items(),
]


@pytest.mark.parametrize(("text", "words"), MISTAKES, ids=[words for _, words in MISTAKES])
def test_a_mistake_is_named_with_its_place_and_with_what_would_be_right(
    complaint: Complain, folder: Path, text: str, words: str
) -> None:
    (folder / "bad.txt").write_text("# comment\ne2 e8\ne2 e4 # too far\n")
    (folder / "empty.txt").write_text("# nothing\n")
    assert words in complaint(text)


def test_names_may_have_200_characters(read: Load) -> None:
    assert read(f'name = "{"x" * 200}"\n' + PLAIN.replace('"beta"', f'"{"y" * 200}"')).name == "x" * 200


def test_a_long_value_is_cut_in_the_middle_of_the_message(complaint: Complain) -> None:
    message = complaint(PLAIN.replace("quoridor", "x" * 5000))
    assert message.startswith(f"cup.toml, line 1: game: no game has the id '{'x' * 200}")
    assert message.endswith("chess, chess960")
    assert len(message) < 700


def test_an_engine_without_a_program_can_be_left_out(folder: Path) -> None:
    file = folder / "cup.toml"
    file.write_text(PLAIN + '[[engines]]\nname = "delta"\ncommand = "./delta"\n')
    skipped: list[tuple[str, str]] = []
    spec = load(file, skip_missing=lambda name, problem: skipped.append((name, problem)))
    assert [entry.spec.name for entry in spec.engines] == ["alpha", "beta"]
    assert skipped == [("delta", f"there is no file {folder}/delta; build the engine, or correct the path")]
    file.write_text(PLAIN.replace("./beta", "./delta"))
    with pytest.raises(ConfigError, match="needs at least 2 engines, but 1 enters it"):
        load(file, skip_missing=lambda _name, _problem: None)


# -- files that cannot be read -------------------------------------------------------------------------------


def test_a_name_that_no_file_can_have(folder: Path) -> None:
    for name in ("x" * 300, "a\0b"):
        with pytest.raises(ConfigError, match="this cannot be read: "):
            load(folder / name)


def test_a_file_that_may_not_be_read(public_folder: Path) -> None:
    file = public_folder / "cup.toml"
    file.write_text(PLAIN)
    file.chmod(0)
    with unprivileged(), pytest.raises(ConfigError, match=r"this cannot be read: Permission denied$"):
        load(file)


def test_bytes_that_are_not_utf_8_are_named_with_their_line(folder: Path) -> None:
    file = folder / "cup.toml"
    file.write_bytes(b'game = "quoridor"\nname = "\xe9t\xe9"\n')
    with pytest.raises(ConfigError, match=r"cup\.toml, line 2: this is not UTF-8"):
        load(file)


NUMBERS = ("1", "-1", "nan", "inf", "1e400", "9" * 30)
TEXTS = ('""', '"x"', '"/"', '"|"', r'"\u0000"', r'"a\nb"')
OTHERS = ("[]", "{}", "[1]", "[[]]", '[""]', "{ a = 1 }", "2024-01-01", "12:00:00", "true")


@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # each example overwrites the file
)
@given(
    line=st.integers(0, 40),
    value=st.sampled_from(NUMBERS + TEXTS + OTHERS),
    cut=st.integers(0, 30),
    how=st.sampled_from(["value", "cut", "delete", "twice"]),
)
def test_no_damage_to_a_file_is_answered_by_anything_but_a_sentence(
    read: Load, line: int, value: str, cut: int, how: str
) -> None:
    lines = examples()[1].splitlines()
    line %= len(lines)
    damaged = lines[line]
    match how:
        case "value":
            lines[line] = f"{damaged.partition('=')[0]}= {value}"
        case "cut":
            lines[line] = damaged[:cut] + damaged[cut + 1 :]
        case "delete":
            del lines[line]
        case "twice":
            lines.insert(line, damaged)
    try:
        read("\n".join(lines))
    except ConfigError as error:
        assert "\n" not in str(error)  # noqa: PT017 - some damage is no error


# -- the documentation ---------------------------------------------------------------------------------------


def test_the_examples_of_the_documentation_can_be_loaded(read: Load, folder: Path) -> None:
    small, large = (read(text) for text in examples())
    assert [entry.spec.name for entry in small.engines] == ["alphabeta", "greedy"]
    assert len(large.entrants("hops")) == 2


def test_a_pipe_or_a_device_in_place_of_a_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.toml")
    for path in (tmp_path / "t.toml", Path("/dev/zero")):
        with pytest.raises(ConfigError, match="this cannot be read: it is a pipe or a device, and no file"):
            load(path)
