"""Writes the tables of keys in docs/reference/tournament-file.md from the declarations in `arena.config`.

`make docs-keys` runs this. In the page a table stands between two comments. The first names the class that
declares the keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, replace
from pathlib import Path

from arena.config.door_keys import BuildKeys, DoorKeys, RemoteKeys
from arena.config.tournament_keys import EngineTable, ExecutorKeys, NotifyKeys, OpeningKeys, TournamentFile
from arena.formats.format import built_in_formats
from arena.formats.stages import StageKeys
from arena.formats.tune import Parameter, TuneTable
from arena.ratings.sprt import Sprt
from protocol.keys import NO_LIMIT, Between, DeclaredKey, DocumentedValue, Key, KeyTable, OrUnlimited
from protocol.spec import ResourceLimits, Timeouts
from referee.match.adjudication import Adjudication, DrawRule, ResignRule
from referee.match.forgiveness import Forgiveness

PAGE = Path(__file__).parents[1] / "reference/tournament-file.md"

TABLES: dict[str, type[KeyTable]] = {
    table.__name__: table
    for table in (
        TournamentFile,
        EngineTable,
        Timeouts,
        ResourceLimits,
        OpeningKeys,
        Adjudication,
        ResignRule,
        DrawRule,
        Forgiveness,
        ExecutorKeys,
        Sprt,
        TuneTable,
        Parameter,
        StageKeys,
        DoorKeys,
        BuildKeys,
        RemoteKeys,
        NotifyKeys,
    )
}
"""The tables that the page describes; `EngineTable` has the keys of ``[defaults]``, too."""

SPOT = re.compile(r"(<!-- keys: (\w+) -->\n).*?(<!-- end of keys -->)", re.DOTALL)


def page(text: str) -> str:
    """The page with all its tables as the declarations have them now."""
    return SPOT.sub(lambda spot: f"{spot[1]}\n{table(TABLES[spot[2]])}\n{spot[3]}", text)


def _format_keys() -> list[DeclaredKey]:
    """The keys that only some formats have, with these formats."""
    formats: dict[str, list[str]] = {}
    found: dict[str, DeclaredKey] = {}
    for form in built_in_formats():
        for name, declared in form.keys.declarations().items():
            formats.setdefault(name, []).append(form.name)
            found.setdefault(name, declared)
    return [
        replace(
            declared,
            details=(
                *(detail for detail in declared.details if not isinstance(detail, Key)),
                replace(declared.key, only=("format", tuple(formats[name]))),
            ),
        )
        for name, declared in found.items()
    ]


def table(declaring: type[KeyTable]) -> str:
    """The keys of one table as Markdown: its own before inherited ones, tables in it last."""
    keys = list(declaring.declarations().values())
    keys.sort(key=lambda declared: (declared.table is not None, _depth(declaring, declared.name)))
    if declaring is TournamentFile:
        place = 1 + next(place for place, declared in enumerate(keys) if declared.name == "format")
        keys[place:place] = _format_keys()
    changing = any(declared.key.change for declared in keys)
    heads = ["key", "value", "default", *(["may change"] if changing else []), "meaning"]
    rows = [_row(heads), _row(["---"] * len(heads)).replace(" ", "")]
    for declared in keys:
        change = [str(declared.key.change)] if changing else []
        rows.append(
            _row([f"`{declared.name}`", values(declared), default(declared), *change, meaning(declared)])
        )
    return "".join(f"{row}\n" for row in rows)


def _depth(declaring: type[KeyTable], name: str) -> int:
    """How many classes above that of the table the key is declared."""
    return next(
        depth for depth, kind in enumerate(declaring.__mro__) if name in vars(kind)["__annotations__"]
    )


def values(declared: DeclaredKey) -> str:
    """What a key takes."""
    for detail in declared.details:
        if isinstance(detail, DocumentedValue):
            return detail
    if isinstance(declared.bounds, OrUnlimited):
        return f'{numbers(Between.__str__(declared.bounds))}, or `"{NO_LIMIT}"`'
    if declared.bounds is not None:
        return numbers(str(declared.bounds))
    if declared.choices:
        return ", ".join(f'`"{word}"`' for word in declared.choices)
    if declared.table is not None:
        return "table" if declared.table in declared.types else "tables"
    return {bool: "`true` or `false`", str: "text"}[declared.types[0]]


def numbers(bounds: str) -> str:
    """Bounds as people read them in a table."""
    return bounds.removeprefix("from ").replace(f"{2**63 - 1}", "2^63 - 1").replace(f"{2**63}", "2^63")


def default(declared: DeclaredKey) -> str:
    """What holds without the key."""
    value = declared.default
    if declared.key.default:
        return declared.key.default
    if value is MISSING:
        return "needed"
    if isinstance(value, KeyTable):
        return "see there"
    if value is None or value == () or value == {}:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, int):
        return f"`{value}`"
    return f"`{value:g}`" if isinstance(value, float) else f'`"{value}"`'


def meaning(declared: DeclaredKey) -> str:
    """The sentences about a key."""
    only = declared.key.only
    if only is None:
        return declared.key.sentence
    values = ", ".join(f'`"{value}"`' for value in only[1])
    return f"{declared.key.sentence} Only with `{only[0]}` {values}."


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
