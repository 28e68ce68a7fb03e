"""A match in one block: under which conditions it was played, its results, and what they say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from arena.formats.match_progress import MatchProgress, Row
from arena.store import Store
from arena.store.mapping import SEPARATOR
from arena.tables.text_table import escaped
from protocol.words import counted, printable

_MACHINES_NAMED: Final = 3  # the most machines, or workers, that are named


@dataclass(frozen=True, slots=True)
class MatchBlock:
    """The progress of a match, and the rows with its conditions."""

    game: str
    duel: MatchProgress
    conditions: Sequence[Row]

    def rows(self) -> list[Row]:
        """Return all rows."""
        return [*self.duel.rows(), *self.conditions]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.duel.title())
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        for name, text in self.rows():
            table.add_row(Text(name), Text(text))
        yield table

    def markdown(self) -> str:
        """Return a paragraph for a pull request or a forum, without a line break at the end."""
        first, second = (f"**{escaped(name)}**" for name in self.duel.engines)
        rows = [f"| {name} | {escaped(text).replace('+-', '±')} |" for name, text in self.rows()]
        title = f"{first} against {second} in {escaped(self.game)}, {self.duel.length()}"
        return "\n".join([title, "", "| | |", "|---|---|", *rows])


def conditions(store: Store, tournament: str, engines: Collection[str]) -> list[Row]:
    """Return under which conditions a match of two engines was played; what is not known is left out."""
    settings = store.settings(tournament)
    latest = {name: use for name, use in store.last_uses(tournament).items() if name in engines}
    controls = {name: use.time_control for name, use in latest.items()}
    options = {name: _options(use.options) for name, use in latest.items() if use.options is not None}
    book = f"{settings['book']}, " if "book" in settings else ""
    rows = [
        ("Time", _each(controls)),
        ("Options", _each(options)),
        ("Openings", f"{book}{settings['openings']}" if "openings" in settings else ""),
        ("Machine", _machines(store.workers(tournament), settings.get("machines", ""))),
    ]
    return [(name, printable(text)) for name, text in rows if text]


def _each(texts: Mapping[str, str]) -> str:
    """Return what each engine has, once if both have the same."""
    if len(texts) > 1 and len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{name}: {text}" for name, text in texts.items())


def _options(options: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in options.items()) or "none set"


def _machines(workers: Sequence[str], machines: str) -> str:
    here = machines.split(SEPARATOR) if machines and "" in workers else []
    names = [*here, *(f"worker {name}" for name in workers if name)]
    more = len(names) - _MACHINES_NAMED
    return "; ".join(names[:_MACHINES_NAMED]) + (f"; and {counted(more, 'other')}" if more > 0 else "")
