"""Compares the documentation with the code: nothing is missing, links work, and examples run."""

from __future__ import annotations

import ast
import doctest
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from click.testing import CliRunner

from arena.cli import COMMANDS as TOP_COMMANDS
from arena.cli import main
from arena.cli.program import BROKEN_PIPE, INTERRUPTED, WRONG_INPUT
from arena.config.tournament_keys import EngineKeys
from arena.config.validation import tables
from arena.formats.format import format_names
from arena.ratings import CONFIDENCE, DEVIATIONS
from arena.ratings.settings import KEYS
from protocol.process import sandbox
from protocol.wire import messages as m
from protocol.wire.codec import _COMMANDS, format_reply
from protocol.wire.session import CAPABILITIES
from referee import Termination, game, game_ids
from referee.match import adjudication, job
from tests.arena.commands import COMMANDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "engines").rglob("*.md")])
MESSAGES = [
    value for value in vars(job).values() if isinstance(value, type) and issubclass(value, msgspec.Struct)
]

PLAYS = {
    "run",
    "demo",
    "worker",
    "match",
    "place",
    "play",
    "tune",
    "mcp",
    "serve",
    "door",
    "submit",
    "verify",
}
"""The commands that start engines or a server. Other tests run them, so their examples are not run here."""

KEY_TABLES = runpy.run_path(str(DOCS / "site/key_tables.py"))
"""The program that writes the tables of keys of a tournament file."""

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
    """The text from a heading of the second level to the next one."""
    parts = re.split(r"^## ", text(page), flags=re.MULTILINE)
    (found,) = [part for part in parts if part.startswith(f"{title}\n")]
    return found


def rows(page: Path, title: str) -> list[str]:
    """The words in the first cells of a section's tables."""
    first = re.findall(r"^\| (.*?) \|", section(page, title), flags=re.MULTILINE)
    return [word for cell in first for word in re.findall(r"`([^`]+)`", cell)]


# --- reference pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_has_an_example_in_its_section(words: str) -> None:
    assert f"$ arena {words}" in section(DOCS / "reference/cli.md", f"arena {words.split()[0]}")


def test_the_cli_page_describes_no_command_that_does_not_exist() -> None:
    sections = re.findall(r"^## arena ([\w-]+)$", text(DOCS / "reference/cli.md"), flags=re.MULTILINE)
    assert sections == list(TOP_COMMANDS)


def test_the_man_pages_say_what_the_help_says() -> None:
    stored = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "man").iterdir()}
    assert stored == runpy.run_path(str(DOCS / "site/man_pages.py"))["pages"](), "run `make man`"


def test_the_tables_of_keys_are_as_the_declarations_make_them() -> None:
    page = text(KEY_TABLES["PAGE"])
    assert page == KEY_TABLES["page"](page), "run `make docs-keys`"


def test_every_table_of_keys_is_on_the_page_of_the_tournament_file() -> None:
    shown = {
        KEY_TABLES["TABLES"][name] for _, name, _ in KEY_TABLES["SPOT"].findall(text(KEY_TABLES["PAGE"]))
    }
    assert {table for _, table in tables()} - shown == {EngineKeys}  # EngineTable has its keys, too


REPLIES = (
    m.Id("name", "x"),
    m.OptionLine("x"),
    m.Announce(1, ()),
    m.HelloOk(),
    m.ReadyOk(),
    m.InfoLine("x"),
    m.BestMove("x"),
    m.Response("x"),
)


def test_there_is_an_example_of_every_reply() -> None:
    assert {type(reply) for reply in REPLIES} == {*get_args(m.Reply)} - {m.Unknown}


@pytest.mark.parametrize(
    "word", sorted({*_COMMANDS, *(format_reply(reply).split()[0] for reply in REPLIES), *CAPABILITIES})
)
def test_every_word_of_the_protocol_is_described(word: str) -> None:
    assert mentions(DOCS / "reference/protocol.md", word)


def test_every_way_in_which_a_game_ends_is_described() -> None:
    described = rows(DOCS / "reference/referee.md", "How a game ends")
    assert described == [*Termination, *(word for word in described if word not in list(Termination))]


def rule_reasons() -> Iterator[str]:
    """The reasons of all outcomes in the source of the rules of games."""
    for module in [*ROOT.glob("referee/games/**/*.py"), *ROOT.glob("referee/plugins/*.py")]:
        for node in ast.walk(ast.parse(text(module))):
            if isinstance(node, ast.Call) and re.fullmatch(r"Outcome(\.\w+)?|_drawn", ast.unparse(node.func)):
                places = node.args
            elif isinstance(node, ast.For) and ast.unparse(node.target).startswith("(reason, "):
                places = [
                    ast.Tuple(row.elts[:1]) for row in ast.iter_child_nodes(node.iter) if hasattr(row, "elts")
                ]
            else:
                continue
            words = [
                leaf.value for place in places for leaf in ast.walk(place) if isinstance(leaf, ast.Constant)
            ]
            yield from (word for word in words if isinstance(word, str))


def test_every_reason_for_which_a_game_ends_is_described() -> None:
    adjudicated = [
        value for name, value in vars(adjudication).items() if name.isupper() and type(value) is str
    ]
    described = rows(DOCS / "reference/referee.md", "How a game ends")
    assert sorted({*rule_reasons(), *adjudicated}) == sorted(set(described) - set(Termination))


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.__name__)
def test_every_key_of_what_a_referee_gets_and_sends_is_described(message: type[msgspec.Struct]) -> None:
    assert [
        key for key in message.__struct_encode_fields__ if not mentions(DOCS / "reference/referee.md", key)
    ] == []


def test_every_format_is_described_and_has_a_page() -> None:
    for kind in format_names():
        assert f'[`"{kind}"`](formats/{kind}.md)' in section(DOCS / "reference/tournament-file.md", "Formats")


def test_the_intervals_of_a_report_are_described_as_they_are_computed() -> None:
    described = text(DOCS / "howto/report.md")
    assert f"{CONFIDENCE * 100:.0f} % interval" in described
    assert f"{DEVIATIONS:.2f} sigma" in described


def test_every_setting_of_a_rating_list_is_described() -> None:
    described = section(DOCS / "reference/cli.md", "arena ratings")
    assert [key for key in KEYS if f"`{key}`" not in described] == []


def environment_variables() -> Iterator[str]:
    """The variables that the packages look up, and the variables that click looks up for them."""
    for package in ("arena", "protocol", "referee"):
        for module in (ROOT / package).rglob("*.py"):
            yield from re.findall(
                r"""(?:environ(?:\.get)?[\[(]|getenv\(|envvar=)\s*["'](\w+)""", text(module)
            )


def test_every_environment_variable_is_described() -> None:
    known = sorted(set(environment_variables()))
    assert "ARENA_DB" in known
    assert [word for word in known if not mentions(DOCS / "reference/cli.md", word)] == []
    kept = section(DOCS / "reference/tournament-file.md", "Sandbox")
    assert [word for word in sandbox._KEPT_VARIABLES if f"`{word}`" not in kept] == []


@pytest.mark.parametrize("code", [0, 1, WRONG_INPUT, INTERRUPTED, BROKEN_PIPE])
def test_every_exit_code_is_described(code: int) -> None:
    assert f"| {code} | " in section(DOCS / "reference/cli.md", "Exit codes")


@pytest.mark.parametrize("game_id", game_ids())
def test_every_game_has_a_page_that_the_index_lists_and_that_has_its_rulings(game_id: str) -> None:
    page = DOCS / "games" / f"{game_id}.md"
    assert page.exists()
    assert f"(games/{game_id}.md)" in text(DOCS / "index.md")
    flat = " ".join(text(page).split())
    assert [ruling for ruling in game(game_id).info.rulings if " ".join(ruling.split()) not in flat] == []


# --- explanation -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["arena", "referee", "protocol"])
def test_the_layers_on_the_page_of_the_architecture_are_those_that_are_held(package: str) -> None:
    contracts = tomllib.loads(text(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    (inside,) = [contract for contract in contracts if contract["name"] == f"inside {package}"]
    assert inside["exhaustive"]
    shown = "".join(f"{layer}\n" for layer in inside["layers"])
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
    """The page, the command and the output of each ``$ arena`` line in a console block."""
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
    and not re.search(r"\w+://|--turn", line)  # it would wait for another machine, or needs an engine
    and not page.startswith(("docs/tutorial/", "docs/howto/bring-"))  # test_tutorial runs these in order
]


def timeless(output: str) -> str:
    """The output without dates and times, which differ from run to run."""
    output = re.sub(r"started [\d-]+ [\d:]+", "started DATE", output)
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
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)  # as if activated
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    done = CliRunner().invoke(main, words[1:])
    assert done.exit_code == (2 if "error: " in shown else 0), done.output
    if shown:
        same = doctest.OutputChecker().check_output  # `...` on the page stands for any text
        assert same(timeless(shown) + "\n", timeless(done.output), doctest.ELLIPSIS), done.output


def test_until_there_is_a_release_no_page_needs_one() -> None:
    assert "0.1.0 will be the first version" in text(ROOT / "CHANGELOG.md"), (
        "this test is for the time before"
    )
    needing = [page for page in PAGES if re.search(r"\b(pipx?|uvx?|tool) .*leapfrog-arena|@v0\.", text(page))]
    assert needing == [DOCS / "howto/install.md"]  # which says that a release is needed


def test_examples_of_commands_that_start_engines_name_real_ones() -> None:
    assert {line.split()[1] for _, line, _ in EXAMPLES if line.split()[1:]} <= {
        *TOP_COMMANDS,
        "--help",
        "--version",
    }
    assert len(RUNNABLE) >= 10


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "toml")], ids=name)
def test_toml_examples_can_be_read(page: Path) -> None:
    for block in blocks(page, "toml"):
        tomllib.loads(block)


def test_the_engine_of_the_readme_plays_and_passes_lint_where_it_is_saved() -> None:
    (engine,) = blocks(ROOT / "README.md", "python")
    for check in (["check"], ["format", "--check"]):
        ruff = [sys.executable, "-m", "ruff", *check, "--stdin-filename", "mine.py", "-"]
        done = subprocess.run(ruff, cwd=ROOT, input=engine, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    played = subprocess.run(
        [sys.executable, "-c", engine],
        input="ugi\nisready\nlegal e2\ngo\nquit\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert played.stdout.splitlines() == [
        "id name mine",
        "protocol 1 legal",
        "ugiok",
        "readyok",
        "bestmove e2",
    ]
