"""The examples on the pages of the formats, loaded and played by real processes."""

import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from arena.config import load
from arena.formats.format import format_names
from tests.arena.forked import arena, forked
from tests.processes import wait_for

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "docs/reference/formats"


def example(form: str) -> str:
    return re.findall(r"^```toml\n(.*?)^```", (PAGES / f"{form}.md").read_text(), re.DOTALL | re.MULTILINE)[0]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "engines").symlink_to(ROOT / "engines")
    return tmp_path


def quick(form: str) -> str:
    """Return the example of a page with quick engines and one referee: each referee takes time to start."""
    engines = re.sub(r"engines/python-\w+/engine.py", "engines/tiny/tiny.py", example(form))
    return f"concurrency = 1\n{engines}"


def test_every_format_has_a_page():
    assert {page.stem for page in PAGES.glob("*.md")} == set(format_names())


@pytest.mark.parametrize("form", format_names())
def test_the_example_of_a_page_is_a_tournament_of_its_format(folder, form):
    file = folder / "cup.toml"
    file.write_text(
        example(form).replace("c-alphabeta/build/alphabeta", "tiny/tiny.py")
    )  # without a compiler
    assert load(file).format == form


HASHED = """
from tests.arena.formats.playing import by_strength, names, play, tournament
from arena.ratings.sprt import Sprt
print(hash("alpha"))
judge = by_strength({name: len(name) / 3 for name in names(12)})
for form, count, keys in (
    ("gauntlet", 9, {"seeds": ("e3", "e1")}),
    ("swiss", 12, {"rounds": 6}),
    ("knockout", 12, {}),
    ("match", 2, {"sprt": Sprt(0, 60)}),
    ("ladder", 12, {"max_games": 90}),
):
    print(form, [(game.number, game.key) for game in play(tournament(names(count), form, **keys), judge)[0]])
"""


def test_the_same_file_and_results_give_the_same_schedule_in_every_process():
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-c", HASHED]
    other = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    with redirect_stdout(StringIO()) as printed:
        exec(HASHED, {})
    assert hash("alpha") != int(other.stdout.splitlines()[0])
    assert printed.getvalue().splitlines()[1:] == other.stdout.splitlines()[1:]
    assert other.stdout.count("quoridor:") > 200


def test_an_engine_joins_a_ladder_that_runs_and_a_wrong_file_does_not_stop_it(folder):
    file = folder / "cup.toml"
    text = quick("ladder").replace("max_games = 20", "max_games = 4000")
    file.write_text(text)
    with forked("run", "cup.toml", cwd=folder) as process:

        def wait_to_hear(words):
            wait_for(lambda: words in process.stderr, f"it never said {words!r}")

        wait_to_hear("[3/")
        file.write_text("game =")
        wait_to_hear("the changed file is not used, the run goes on as before")
        newcomer = '[[engines]]\nname = "newcomer"\ncommand = ["{python}", "engines/tiny/tiny.py"]\n'
        file.write_text(text + "\n" + newcomer)
        wait_to_hear("read again: new: newcomer")
        wait_to_hear("newcomer - ")
        file.write_text(text.replace("4000", "5"))
        wait_to_hear("played, stored in")
        assert process.wait(30) == 0


@pytest.mark.parametrize(("form", "keys"), [("knockout", ""), ("match", "max_games = 2")])
def test_a_tournament_that_is_paired_again_for_other_engines_is_a_notice(folder, form, keys):
    def run(names, *options):
        engine = '[[engines]]\nname = "{}"\ncommand = ["{{python}}", "engines/tiny/tiny.py"]\n'
        top = f'game = "hops"\nformat = "{form}"\n{keys}\nconcurrency = 1\nadjudication = {{ plies = 2 }}\n'
        (folder / "cup.toml").write_text(top + "".join(map(engine.format, names)))
        return arena("run", "cup.toml", *options, cwd=folder).stderr

    assert "paired again" not in run("ab")
    for options in (["--dry-run"], []):
        assert "the file has other engines than before, so the" in run("ac", *options)
    assert "paired again" not in run("ac")
