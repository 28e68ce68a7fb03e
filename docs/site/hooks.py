r"""What the site of the documentation has that MkDocs by itself has not.

- The navigation is what docs/index.md lists, so that a page is entered in one place.
- Pages outside of docs/ (README, CONTRIBUTING, CHANGELOG, SECURITY, those of the sample engines) are pages of
  the site, too, and links lead to them as they do in a checkout.
- A command on the page of the command line has its arguments and options, as `--help` shows them.
- Code is coloured by Pygments, with a style for each colour mode.
- Headings have the anchors that they have on the usual forges, and `\|` in code in a table is shown
  as `|`.
"""

from __future__ import annotations

import posixpath
import re
import runpy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
DOCS = "docs"
HIGHLIGHT = "site/highlight.css"
PROJECT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")

SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
ENTRY = re.compile(r"^- (?:(\w[\w ]*): )?(\[.*(?:\n  .*)*)", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+\.md)\)")
LINKED = re.compile(r"(?<=\]\()[^)\s:]+(?=\))")
CODE_OR_LINK = re.compile(
    r'^```.*?^```$|`[^`\n]*`|(?:(?<=\]\()|(?<=src=")|(?<=srcset="))([^)"\s]+)(?=[)"])',
    re.DOTALL | re.MULTILINE,
)


@cache
def outside() -> dict[str, str]:
    """The pages outside of docs/ and the files that they link to: where in the checkout, and in the site."""
    engines = sorted(str(page.relative_to(ROOT)) for page in ROOT.glob("engines/**/README.md"))
    pages = {name: f"project/{name.lower()}" for name in PROJECT} | {name: name for name in engines}
    linked = {target(page, link) for page in pages for link in LINKED.findall(read(page))}
    files = [name for name in sorted(linked) if not name.endswith(".md") and (ROOT / name).is_file()]
    return pages | {name: name for name in files if not name.startswith(f"{DOCS}/")}


def read(name: str) -> str:
    """The text of a file in the checkout."""
    return (ROOT / name).read_text(encoding="utf-8")


def target(here: str, link: str) -> str:
    """Where in the checkout a link leads, from a page in it."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(here), link.partition("#")[0]))


def navigation(index: str) -> list[Any]:
    """The sections of docs/index.md with the pages that they list, then the pages from outside.

    An entry ``- Word: [one](one.md), [two](two.md)`` is a section of its own.
    """
    nav: list[Any] = [{"Home": "index.md"}]
    parts = SECTION.split(index)
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        pages: list[Any] = []
        for word, entry in ENTRY.findall(text):
            links = [{name.replace("`", ""): path} for name, path in LINK.findall(entry)]
            pages += [{word: links}] if word else links[:1]
        nav.append({title: pages})
    pages = [site for site in outside().values() if site.endswith(".md")]
    return [*nav, {"Project": pages[: len(PROJECT)]}, {"Sample engines": pages[len(PROJECT) :]}]


def anchor(heading: str, separator: str) -> str:
    """The anchor of a heading, with a separator for each space."""
    return re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", separator)


def relink(markdown: str, here: str) -> str:
    """A page's text with links that lead to the same pages from its place in the site.

    Args:
        markdown: the text.
        here: where the page is in the checkout.
    """
    places = outside()
    site = places.get(here, here.removeprefix(f"{DOCS}/"))

    def changed(found: re.Match[str]) -> str:
        path, mark, rest = (found[1] or "").partition("#")
        if not path and not found[0].startswith("```"):
            return found[0].replace("\\|", "|")  # in a table: MkDocs would show the backslash
        if not path or ":" in path:
            return found[0]
        name = target(here, path)
        to = places.get(name, name.removeprefix(f"{DOCS}/"))
        return posixpath.relpath(to, posixpath.dirname(site) or ".") + mark + rest

    return CODE_OR_LINK.sub(changed, markdown)


def with_options(markdown: str) -> str:
    """The page of the command line, in which the section of a command ends with its usage and options."""
    made = runpy.run_path(str(Path(__file__).with_name("man_pages.py")))["option_tables"]()
    parts = re.split(r"^(?=## )", markdown, flags=re.MULTILINE)
    for number, part in enumerate(parts):
        title = part.partition("\n")[0].removeprefix("## ")
        below = [text for path, text in made.items() if path == title or path.startswith(f"{title} ")]
        parts[number] = "\n".join([part.rstrip() + "\n", *below, ""])
    return "".join(parts)


def highlight() -> str:
    """The style sheet for code in both colour modes."""
    from pygments.formatters import HtmlFormatter

    return "\n".join(
        HtmlFormatter(style=style).get_style_defs(f"[data-bs-theme={mode}] .codehilite")
        for mode, style in (("light", "tango"), ("dark", "github-dark"))
    )


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """MkDocs has read mkdocs.yml."""
    config.nav = navigation(read(f"{DOCS}/index.md"))
    config.mdx_configs["toc"]["slugify"] = anchor
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """It has found the files in docs/."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, HIGHLIGHT, content=highlight()))
    for source, site in outside().items():
        files.append(File.generated(config, site, content=read(source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """It has read a page."""
    sources = {site: source for source, site in outside().items()}
    if page.file.src_uri == "reference/cli.md":
        markdown = with_options(markdown)
    return relink(markdown, sources.get(page.file.src_uri, f"{DOCS}/{page.file.src_uri}"))
