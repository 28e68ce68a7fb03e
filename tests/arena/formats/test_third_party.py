"""A format of a third party, which is one file and an entry point, from its tournament file to its page."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.config import load
from arena.errors import ConfigError
from arena.formats import format as registry
from arena.formats.format import ENTRY_POINTS, find_format, format_names
from arena.formats.plan import Plan
from arena.store import Store

TINY = Path(__file__).parents[3] / "engines/tiny/tiny.py"
NAME = "king-of-the-hill"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs a distribution with formats; the packages of the project stay as they are."""

    def forget() -> None:
        registry._plugins.cache_clear()
        registry.find_format.cache_clear()

    def install_one(value: str, name: str = NAME, distribution: str = "hills") -> None:
        folder = tmp_path / "site" / f"{distribution}-1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\n{name} = {value}\n")
        forget()

    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    yield install_one
    monkeypatch.undo()
    forget()


@pytest.fixture
def hill(install: Callable[..., None]) -> None:
    install("tests.arena.formats.king_of_the_hill:KING_OF_THE_HILL")


def tournament(folder: Path, *keys: str) -> Path:
    file = folder / "hill.toml"
    lines = [f'format = "{NAME}"', 'game = "quatre-en-ligne"', "concurrency = 1", *keys]
    for name in ("a", "b", "c"):
        lines += ["[[engines]]", f'name = "{name}"', f'command = ["{sys.executable}", "-S", "{TINY}"]']
    file.write_text("\n".join(lines))
    return file


def run(*words: str) -> str:
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.usefixtures("hill")
def test_it_is_read_played_shown_in_standings_and_on_its_page(tmp_path: Path) -> None:
    file, database = tournament(tmp_path, "climbs = 5"), str(tmp_path / "arena.db")
    spec = load(file)
    assert spec.plan.keys == find_format(NAME).keys(climbs=5)
    assert Plan.stored(spec.plan.encode()) == spec.plan
    shown = run("run", str(file))
    assert " holds the hill" in shown
    assert json.loads(run("run", str(file), "--json", "--quiet"))["games"][0]["played"] == 5
    (game,) = json.loads(run("standings", "--db", database, "--json"))["games"]
    assert sum(game["hill"]["held"].values()) == 6
    (row,) = json.loads(run("list", "--db", database, "--json"))
    assert (row["format"], row["total"], row["finished"]) == (NAME, 5, True)
    run("report", "-o", str(tmp_path / "site-of-hill"), "--db", database)
    page = (tmp_path / "site-of-hill/index.html").read_text()
    assert "king of the hill" in page
    assert f"{game['hill']['king']} holds the hill" in page
    assert "Order: how long they held the hill." in page
    assert ">finished<" in page


@pytest.mark.usefixtures("hill")
@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("climbs = 1", "line 4: climbs: not all 3 engines of quatre-en-ligne reach the hill"),
        ("climbs = 0", "line 4: climbs: this must be from 1 to 1000000, not 0"),
        ("climb = 3", "line 4: climb: there is no such key; did you mean climbs?"),
        ("rounds = 3", 'rounds: this key is only for format = "swiss", but here format = "king-of-the-hill"'),
        ("[door]", 'door: this key is only for format = "round-robin" or "gauntlet" or "ladder", but here'),
    ],
)
def test_its_keys_have_the_messages_of_all_keys(tmp_path: Path, key: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tournament(tmp_path, key))
    assert message in str(caught.value)


def test_what_is_no_format_is_refused_by_its_name(install: Callable[..., None], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"format: this must be .*\"stages\", not 'king-of-the-hill'"):
        load(tournament(tmp_path))
    install("tests.arena.formats.king_of_the_hill:HillKeys")
    assert format_names()[-1] == NAME
    with pytest.raises(ConfigError, match=r"format: the format '.*' .* is not a `Format` object"):
        load(tournament(tmp_path))
    install("tests.arena.formats.gone:HILL", distribution="others")
    with pytest.raises(ConfigError, match="format: two plug-ins have a format 'king-of-the-hill'"):
        load(tournament(tmp_path))


def test_a_tournament_whose_format_is_not_installed_any_more_is_shown_without_it(
    tmp_path: Path, install: Callable[..., None]
) -> None:
    database = tmp_path / "arena.db"
    store = Store.open(database, create=True)
    store.begin_tournament("cup", {}, '{"format": "gone", "entrants": {"hops": ["a"]}, "keys": {}}')
    store.close()
    (row,) = json.loads(run("list", "--db", str(database), "--json"))
    assert (row["format"], row["total"], row["finished"]) == (None, None, None)
    install("tests.arena.formats.gone:HILL", name="gone")
    assert json.loads(run("list", "--db", str(database), "--json")) == [row]
