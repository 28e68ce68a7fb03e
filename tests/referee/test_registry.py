"""Tests of the registry: built-in games, plug-ins by their entry points, and messages about broken ones."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from referee import UnknownGame, game
from referee.errors import BrokenPlugin
from referee.games.quoridor.position import QUORIDOR, QUORIDOR4
from referee.registry import BUILT_IN, ENTRY_POINTS, Registry

PLUGIN = """
from dataclasses import replace
from referee.games.quoridor.position import QUORIDOR


class Renamed:
    def __init__(self, game_id):
        self.info = replace(QUORIDOR.info, id=game_id)

    def start(self, setup=None):
        return QUORIDOR.start(setup)

    def parse_position(self, text):
        return QUORIDOR.parse_position(text)


TINY = Renamed("tiny")
MISNAMED = Renamed("other")
NUMBER = 7
"""


class Environment(Registry):
    """The games of an environment in which only the distributions of one folder are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(self._here)

    def _here(self) -> list[EntryPoint]:
        entries = entry_points(group=ENTRY_POINTS)
        return [entry for entry in entries if entry.dist and entry.dist.locate_file("") == self.folder]

    def install(self, distribution: str, source: str = PLUGIN, **entries: str) -> None:
        """Install a distribution, before a game is requested: ``install("tiny-game", tiny="TINY")``."""
        module = distribution.replace("-", "_")
        (self.folder / f"{module}.py").write_text(source, "utf-8")
        folder = self.folder / f"{module}-1.5.dist-info"
        folder.mkdir()
        folder.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.5\n", "utf-8"
        )
        lines = "".join(f"{name} = {module}:{attribute}\n" for name, attribute in entries.items())
        folder.joinpath("entry_points.txt").write_text(f"[{ENTRY_POINTS}]\n{lines}", "utf-8")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Environment]:
    monkeypatch.syspath_prepend(tmp_path)
    modules = set(sys.modules)
    yield Environment(tmp_path)
    for module in set(sys.modules) - modules:
        del sys.modules[module]


def test_our_games_are_found_by_id() -> None:
    assert game("quoridor") is QUORIDOR
    assert game("quoridor4") is QUORIDOR4


def test_every_built_in_game_has_the_id_under_which_it_is_found() -> None:
    assert [game(game_id).info.id for game_id in BUILT_IN] == list(BUILT_IN)


def test_the_built_in_table_agrees_with_the_projects_entry_points() -> None:
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))
    declared = project["project"]["entry-points"][ENTRY_POINTS]
    ours = [(game_id, value) for game_id, value in declared.items() if "[" not in value]
    assert ours == list(BUILT_IN.items())
    extras = {value.partition("[")[2].rstrip("]") for value in declared.values()} - {""}
    assert extras <= project["project"]["optional-dependencies"].keys()


def test_finding_a_built_in_game_searches_no_metadata_and_loads_no_event_loop() -> None:
    code = "import sys; from referee import game; game('quoridor'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"importlib.metadata", "difflib", "trio", "asyncio", "email"} & set(done.stdout.split())


def test_an_entry_point_with_a_colon_gives_many_games(environment: Environment) -> None:
    source = (
        PLUGIN
        + """
from referee import UnknownGame


def family(game_id):
    if game_id == "many:none":
        raise UnknownGame("there are no more")
    return Renamed("other" if game_id == "many:other" else game_id)
"""
    )
    environment.install("many-games", source, **{"many:": "family"})
    assert environment.game("many:9x9(a=1)").info.id == "many:9x9(a=1)"
    assert environment.game_ids() == tuple(BUILT_IN)
    assert environment.plugin_problems() == ()
    with pytest.raises(UnknownGame, match="there are no more"):
        environment.game("many:none")
    with pytest.raises(BrokenPlugin, match="has the id 'other'"):
        environment.game("many:other")


def test_listing_games_imports_none_of_them() -> None:
    code = "import sys; from referee import game_ids; game_ids(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "referee.games.quoridor.position" not in done.stdout.split()


def test_plug_ins_follow_our_games_in_alphabetical_order(environment: Environment) -> None:
    environment.install("two-games", zebra="TINY", ant="TINY")
    assert environment.game_ids() == (*BUILT_IN, "ant", "zebra")
    assert "two_games" not in sys.modules


def test_what_is_installed_is_looked_through_once_and_only_for_other_games_than_ours() -> None:
    looked: list[int] = []
    games = Registry(lambda: looked.append(1) or ())
    assert games.game("hops") is game("hops")
    assert looked == []
    assert games.game_ids() == tuple(BUILT_IN)
    with pytest.raises(UnknownGame):
        games.game("tiny")
    assert looked == [1]


def test_a_plug_in_is_played_like_our_games(environment: Environment) -> None:
    environment.install("tiny-game", tiny="TINY")
    assert environment.game("tiny").info.id == "tiny"
    assert str(environment.game("tiny").start()) == "/ / e1 e9 / 10 10 / 1"
    assert environment.plugin_problems() == ()


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("quoridor5", "no game has the id 'quoridor5'; did you mean quoridor?"),
        ("go", "no game has the id 'go'; the games are quoridor, quoridor4"),
        ("", "no game has the id ''; the games are quoridor, quoridor4"),
        ("\x1b[2J", "no game has the id '\\x1b[2J'; the games are quoridor, quoridor4"),
    ],
)
def test_an_unknown_id_is_answered_with_those_near_it(
    environment: Environment, wanted: str, sentence: str
) -> None:
    with pytest.raises(UnknownGame) as caught:
        environment.game(wanted)
    assert str(caught.value).startswith(sentence)


BROKEN = [
    ("raise RuntimeError('no licence')", "TINY", "cannot be loaded: RuntimeError: no licence"),
    ("raise SystemExit(3)", "TINY", "cannot be loaded: SystemExit: 3"),
    ("syntax error", "TINY", "cannot be loaded: SyntaxError: "),
    (PLUGIN, "GONE", "cannot be loaded: AttributeError: "),
    (PLUGIN, "NUMBER", "is not a game: it needs info, start and parse_position"),
    (PLUGIN, "Renamed", "is not a game: it needs info, start and parse_position"),
    (PLUGIN, "MISNAMED", "has the id 'other': its entry point must have the same name as the id"),
]


@pytest.mark.parametrize(("source", "attribute", "problem"), BROKEN)
def test_a_broken_plug_in_is_named_with_its_distribution_and_stops_no_other(
    environment: Environment, source: str, attribute: str, problem: str
) -> None:
    environment.install("bad-game", source, bad=attribute)
    environment.install("tiny-game", tiny="TINY")
    assert environment.game_ids() == (*BUILT_IN, "bad", "tiny")
    with pytest.raises(BrokenPlugin) as caught:
        environment.game("bad")
    message = str(caught.value)
    assert message.startswith(f"the game 'bad' (bad_game:{attribute}, of bad-game 1.5) {problem}")
    assert environment.plugin_problems() == (message,)
    assert environment.game("tiny").info.id == "tiny"


def test_an_id_that_two_plug_ins_claim_is_an_error_that_names_both(environment: Environment) -> None:
    environment.install("first-game", tiny="TINY")
    environment.install("second-game", tiny="TINY")
    with pytest.raises(BrokenPlugin) as caught:
        environment.game("tiny")
    message = str(caught.value)
    assert message.startswith("the id 'tiny' is used by ")
    assert "first-game 1.5 (first_game:TINY)" in message
    assert "second-game 1.5 (second_game:TINY)" in message
    assert environment.game_ids() == (*BUILT_IN, "tiny")
    assert environment.plugin_problems() == (message,)


def test_a_plug_in_cannot_take_the_place_of_a_built_in_game(environment: Environment) -> None:
    environment.install("usurper", quoridor="TINY")
    assert environment.game("quoridor") is QUORIDOR
    assert environment.game_ids() == tuple(BUILT_IN)
    (problem,) = environment.plugin_problems()
    assert problem == (
        "the id 'quoridor' is used by the built-in game (referee.games.quoridor.position:QUORIDOR), which "
        "stays in use, and by usurper 1.5 (usurper:TINY)"
    )
