"""The documentation against the code: nothing is missing, nothing is dead, and the examples are real."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from arena.cli import COMMANDS, main
from arena.config import schema
from protocol.codec import COMMAND_WORDS, REPLY_WORDS
from protocol.session import CAPABILITIES
from referee import Termination, game, game_ids

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "engines").rglob("*.md")])
TABLES = [getattr(schema, name) for name in schema.__all__ if name.endswith("Table")]

PLAYS = {"run", "demo", "play", "replay-turn"}
"""Commands that start engines: tests of their own run them, examples only name them."""

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@cache
def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(text(page)) if found == language]


def mentions(page: Path, word: str) -> bool:
    """Whether the page has the word as code, in backticks or in a block, alone or among others."""
    code = [*re.findall(r"`([^`\n]+)`", text(page)), *(body for _, body in BLOCK.findall(text(page)))]
    whole = re.compile(rf"(?<![\w+-]){re.escape(word)}(?![\w+-])")
    return any(whole.search(piece) for piece in code)


def section(page: Path, title: str) -> str:
    """From a heading of the second level to the next."""
    parts = re.split(r"^## ", text(page), flags=re.MULTILINE)
    (found,) = [part for part in parts if part.startswith(f"{title}\n")]
    return found


# --- reference pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command_name", COMMANDS)
def test_every_command_has_a_section_with_its_options_arguments_and_an_example(command_name: str) -> None:
    described = section(DOCS / "reference/cli.md", f"arena {command_name}")
    command = main.get_command(click.Context(main), command_name)
    assert command is not None
    for parameter in command.params:
        metavar = parameter.make_metavar(click.Context(command)).strip("[] …")
        spellings = parameter.opts if isinstance(parameter, click.Option) else [metavar]
        missing = [word for word in spellings if not re.search(rf"`{re.escape(word)}\b", described)]
        assert missing == []
    assert f"$ arena {command_name}" in described


def test_the_cli_page_describes_no_command_that_does_not_exist() -> None:
    sections = re.findall(r"^## arena ([\w-]+)$", text(DOCS / "reference/cli.md"), flags=re.MULTILINE)
    assert sections == list(COMMANDS)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_key_of_a_tournament_file_is_described(table: type) -> None:
    page = DOCS / "reference/tournament-file.md"
    missing = [key for key in table.__struct_encode_fields__ if not mentions(page, key)]  # type: ignore[attr-defined]
    assert missing == []


@pytest.mark.parametrize("word", sorted({*COMMAND_WORDS, *REPLY_WORDS, *CAPABILITIES}))
def test_every_word_of_the_protocol_is_described(word: str) -> None:
    assert mentions(DOCS / "reference/protocol.md", word)


@pytest.mark.parametrize("termination", Termination)
def test_every_way_in_which_a_game_ends_is_described(termination: Termination) -> None:
    assert any(mentions(page, termination.value) for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("game_id", game_ids())
def test_every_game_has_a_page_that_the_index_lists_and_that_has_its_rulings(game_id: str) -> None:
    page = DOCS / "games" / f"{game_id}.md"
    assert page.exists()
    assert f"(games/{game_id}.md)" in text(DOCS / "index.md")
    flat = " ".join(text(page).split())
    assert [ruling for ruling in game(game_id).info.rulings if " ".join(ruling.split()) not in flat] == []


# --- explanation -------------------------------------------------------------------------------------------


def test_the_layers_on_the_page_of_the_architecture_are_those_that_are_held() -> None:
    contracts = tomllib.loads(text(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    (inside,) = [contract["layers"] for contract in contracts if contract["name"] == "inside arena"]
    shown = "".join(f"{layer.replace('arena.', '')}\n" for layer in inside)
    assert shown in blocks(DOCS / "explanation/architecture.md", "text")


# --- links -------------------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    prose = BLOCK.sub("", text(page))
    headings = re.findall(r"^#+ (.+)$", prose, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_inside_the_project_lead_somewhere(page: Path) -> None:
    dead = []
    for link in LINK.findall(BLOCK.sub("", text(page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    assert dead == []


def test_every_page_can_be_reached_from_the_index() -> None:
    reached: set[Path] = set()
    waiting = [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        links = [page.parent / link.partition("#")[0] for link in LINK.findall(text(page))]
        found = {link.resolve() for link in links if link.suffix == ".md" and link.exists()}
        waiting += found - reached
    assert sorted(name(page) for page in set(DOCS.rglob("*.md")) - reached) == []


# --- examples ----------------------------------------------------------------------------------------------


def examples() -> Iterator[tuple[str, str, str]]:
    """Page, command line and the output shown below it, of every ``$ arena`` line in a console block."""
    for page in PAGES:
        for block in blocks(page, "console"):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                line, _, output = part.partition("\n")
                if line.startswith("arena"):
                    yield name(page), line, output.rstrip("\n")


EXAMPLES = list(examples())
RUNNABLE = [
    (page, line, shown)
    for page, line, shown in EXAMPLES
    if line.split()[1] not in PLAYS
    and not page.startswith("docs/tutorial/")  # test_tutorial runs those in order
]


def timeless(output: str) -> str:
    """The output without what differs from run to run."""
    output = re.sub(r"began [\d-]+ [\d:]+", "began DATE", output)
    output = re.sub(r"in [\d.]+ s \([\d,]+ a second\)", "in TIME", output)
    return re.sub(r'"seconds": [\d.e-]+', '"seconds": TIME', output)


@pytest.mark.parametrize(
    ("page", "line", "shown"), RUNNABLE, ids=[f"{page}: {line}" for page, line, _ in RUNNABLE]
)
def test_an_example_prints_what_the_page_shows(
    page: str, line: str, shown: str, sample_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = shlex.split(line)
    assert not {"|", ">", "<", "&&", ";"} & set(words), "a console example is one command; use a sh block"
    shutil.copy(sample_database, tmp_path / "arena.db")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(main, words[1:])
    assert done.exit_code == (2 if "error: " in shown else 0), done.output
    if shown:
        same = doctest.OutputChecker().check_output  # where the page has `...` there may be anything
        assert same(timeless(shown) + "\n", timeless(done.output), doctest.ELLIPSIS), done.output


def test_examples_of_commands_that_start_engines_name_real_ones() -> None:
    assert {line.split()[1] for _, line, _ in EXAMPLES if line.split()[1:]} <= {
        *COMMANDS,
        "--help",
        "--version",
    }
    assert len(RUNNABLE) >= 10


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "toml")], ids=name)
def test_toml_examples_can_be_read(page: Path) -> None:
    for block in blocks(page, "toml"):
        tomllib.loads(block)
