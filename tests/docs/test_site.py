"""Tests the site of the documentation: it can be built, has every page, and needs no network."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from tests.arena.commands import COMMANDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}


def load_hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_hooks", DOCS / "site/hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOKS = load_hooks()


def build(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Builds the site of a checkout, as `make docs` does it."""
    words = ["build", "--strict", "--config-file", "docs/site/mkdocs.yml", "--site-dir", folder]
    command = [sys.executable, "-m", "mkdocs", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    return folder


def leaves(nav: object) -> Iterator[str]:
    """The pages of a navigation, in order."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for part in nav.values():
            yield from leaves(part)
    elif isinstance(nav, list):
        for part in nav:
            yield from leaves(part)


def test_the_navigation_has_every_page_once() -> None:
    pages = list(leaves(HOOKS.navigation((DOCS / "index.md").read_text())))
    assert [page for page in pages if pages.count(page) > 1] == []
    assert PAGES - set(pages) == set(), "docs/index.md lists them in one of its sections"
    assert set(pages) - PAGES <= set(HOOKS.outside().values())


def test_the_sections_are_as_in_the_index() -> None:
    nav = HOOKS.navigation((DOCS / "index.md").read_text())
    assert [next(iter(part)) for part in nav] == [
        "Home",
        "Start here",
        "You write engines",
        "You teach",
        "You run it for others",
        "You write programs",
        "You do research",
        "Look it up",
        "Games",
        "Why it is so",
        "Project",
        "Sample engines",
    ]


def test_an_entry_with_a_word_before_its_links_is_a_section() -> None:
    index = "# Home\n\n## One\n\n- [`a`](a.md): see [b](b.md).\n- Two: [c](c.md),\n  [d](d.md): both.\n"
    _, one, *_ = HOOKS.navigation(index)
    assert one == {"One": [{"a": "a.md"}, {"Two": [{"c": "c.md"}, {"d": "d.md"}]}]}


@pytest.mark.parametrize(
    ("here", "link", "there"),
    [
        ("docs/index.md", "../README.md#more", "project/readme.md#more"),
        ("docs/howto/add-a-game.md", "../../engines/README.md", "../engines/README.md"),
        ("docs/howto/add-a-game.md", "../reference/cli.md#arena-run", "../reference/cli.md#arena-run"),
        ("README.md", "docs/reference/cli.md", "../reference/cli.md"),
        ("CONTRIBUTING.md", "CHANGELOG.md", "changelog.md"),
        ("engines/tiny/README.md", "../../docs/reference/protocol.md", "../../reference/protocol.md"),
        ("README.md", "https://example.org/x.md", "https://example.org/x.md"),
        ("README.md", "#more", "#more"),
    ],
)
def test_links_lead_to_the_same_pages_as_in_a_checkout(here: str, link: str, there: str) -> None:
    assert HOOKS.relink(f"see [it]({link})", here) == f"see [it]({there})"
    code = f"`[it]({link})`\n\n```text\n[it]({link})\n```\n"
    assert HOOKS.relink(code, here) == code


def test_pictures_are_found_too() -> None:
    picture = '<source srcset="docs/a.gif">\n<img alt="it" src="docs/b.gif">'
    assert HOOKS.relink(picture, "README.md") == '<source srcset="../a.gif">\n<img alt="it" src="../b.gif">'


def test_the_page_of_the_command_line_has_every_option(site: Path) -> None:
    page = (site / "reference/cli.html").read_text(encoding="utf-8")
    for command in COMMANDS.values():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                shown = f"<td><code>{', '.join(option.opts)}"
                assert shown in page or f"<td><code>{', '.join(reversed(option.opts))}" in page, shown


def test_a_bar_in_the_code_of_a_table_is_shown_without_its_backslash(site: Path) -> None:
    assert HOOKS.relink(r"| `a \| b` | c |", "docs/index.md") == "| `a | b` | c |"
    page = (site / "reference/cli.html").read_text(encoding="utf-8")
    assert "<code>arena games | head -1</code>" in page


def test_the_site_has_every_page(site: Path) -> None:
    built = {str(page.relative_to(site)) for page in site.rglob("*.html")}
    assert {page.replace(".md", ".html") for page in PAGES} <= built
    assert {"project/readme.html", "project/contributing.html", "engines/index.html"} <= built


def test_nothing_is_fetched_from_the_network_when_a_page_is_read(site: Path) -> None:
    for page in site.rglob("*.html"):
        tags = re.findall(r"<(?:link|script|img|iframe|source)\b[^>]*>", page.read_text(encoding="utf-8"))
        assert [tag for tag in tags if re.search(r"""(?:src|href)=["']?(?:https?:)?//""", tag)] == []
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8"))


def test_the_site_has_nothing_that_only_builds_it(site: Path) -> None:
    assert sorted(page.name for page in (site / "site").iterdir()) == ["highlight.css", "site.css"]


def test_code_is_coloured_in_both_modes_and_the_search_box_is_outside_of_the_menu(site: Path) -> None:
    page = (site / "howto/use-from-python.html").read_text(encoding="utf-8")
    assert '<span class="kn">import</span>' in page
    sheet = (site / "site/highlight.css").read_text(encoding="utf-8")
    assert all(f"[data-bs-theme={mode}] .codehilite .kn " in sheet for mode in ("light", "dark"))
    assert page.index('data-bs-target="#mkdocs_search_modal"') < page.index('id="navbar-collapse"')
    assert 'data-bs-theme-value="dark"' in page


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    shutil.copytree(DOCS / "site", tmp_path / "docs/site", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "docs/index.md").write_text("# Home\n\n## One\n\n- [it](gone.md)\n")
    for name in HOOKS.PROJECT:
        (tmp_path / name).write_text(f"# {name}\n")
    done = build(tmp_path, tmp_path / "built")
    assert done.returncode == 1
    assert "gone.md" in done.stderr
