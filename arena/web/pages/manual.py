"""The documentation on a server, for people who have not installed arena."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from itertools import chain, pairwise
from pathlib import PurePosixPath
from urllib.parse import quote

from markdown_it import MarkdownIt
from markupsafe import Markup

from arena import manual
from arena.manual import pages, prose, sections, title


def manual_sections() -> dict[str, dict[str, str]]:
    """Return the titles of all pages by section and name; ArenaError: there are none."""
    return {
        section: {name: title(file).replace("`", "") for name, file in files.items()}
        for section, files in sections().items()
    }


@cache
def manual_html(name: str) -> Markup:
    """Return a page as HTML; KeyError: there is none.

    Its links lead to the other pages of the server, and its pictures are left out.
    """
    files = pages()
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(prose(files[name]))
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrs["id"] = _anchor(inline.content)
    for token in chain(tokens, *(parent.children or () for parent in tokens)):
        token.attrs.pop("style", None)  # which the content policy forbids
        if token.type == "link_open":
            token.attrs["href"] = _address(str(token.attrs["href"]), files)
        elif token.type == "image":
            token.type = "text"  # of what it shows
    html = str(parser.renderer.render(tokens, parser.options, {}))
    table = '<div class="scroll texts" role="group" tabindex="0" aria-label="Table"><table>'
    for old, new in (("<table>", table), ("</table>", "</table></div>"), ("<pre>", '<pre tabindex="0">')):
        html = html.replace(old, new)
    return Markup(html)  # noqa: S704 - made from pages that came with arena


def manual_places(word: str) -> list[tuple[str, str, str]]:
    """Return the address, the heading and the text of each place that is about a word."""
    files = pages()
    return [
        (
            f"/docs/{quote(place.page)}#{_anchor(place.heading)}",
            ": ".join(dict.fromkeys(filter(None, (title(files[place.page]), place.heading)))).replace(
                "`", ""
            ),
            place.text.replace("`", ""),
        )
        for place in manual.find(word)
    ]


def _anchor(heading: str) -> str:
    """Return the anchor of a heading, as links of the pages write it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _address(link: str, names: Collection[str]) -> str:
    """Return where a link of a page leads on a server: to itself, another page, or the list of all pages."""
    target, mark, anchor = link.partition("#")
    if not target or "://" in target:
        return link
    name = manual.name(PurePosixPath(target))
    return f"/docs/{quote(name)}{mark}{anchor}" if name in names else "/docs/"
