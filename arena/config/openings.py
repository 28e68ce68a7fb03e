"""``[openings]`` of a tournament file, judged by the rules of every game of the tournament."""

from __future__ import annotations

from collections.abc import Mapping

from arena.config.schema import OpeningsTable
from arena.config.source import Source, read_text
from arena.config.spec import AdjudicationSpec
from arena.config.values import at_least, chosen, resolve
from arena.errors import ConfigError, OpeningError
from arena.openings import KINDS, ORDERS, OpeningBook, OpeningSpec
from referee import Game

__all__ = ["read_openings"]

_LIST, _FILE, _KIND, _PLIES = (("openings", name) for name in ("list", "file", "kind", "plies"))
_KIND_OF = {"list": "list", "file": "list", "order": "list", "plies": "random"}


def read_openings(
    source: Source,
    table: OpeningsTable,
    games: tuple[Game, ...],
    setups: Mapping[str, str],
    seed: int,
    adjudication: AdjudicationSpec,
) -> OpeningSpec:
    """Read the table; the other arguments are what the rest of the file says.

    Raises:
        ConfigError: keys that do not go together; an opening that a game of the tournament refuses.
    """
    kind = chosen(source, _KIND, table.kind, KINDS)
    given = {"list": table.entries, "file": table.file, "order": table.order, "plies": table.plies}
    for name, needed in _KIND_OF.items():
        if given[name] is not None and kind != needed:
            problem = f'this goes with kind = "{needed}", not with kind = "{kind}"'
            raise source.error(("openings", name), problem)
    if kind == "random" and table.plies is None:
        raise source.error(_KIND, 'kind = "random" needs plies, e.g. plies = 4')
    entries = _entries(source, table) if kind == "list" else []
    spec = OpeningSpec(
        kind=kind,
        entries=tuple(text for text, _ in entries),
        plies=at_least(source, _PLIES, table.plies, 1, 0),
        seed=seed if table.seed is None else table.seed,
        order=chosen(source, ("openings", "order"), table.order, ORDERS),
    )
    for rules in games:
        try:
            OpeningBook(spec, rules, setups.get(rules.info.id), adjudication.for_game(rules.info)).check()
        except OpeningError as error:
            if error.entry is None:
                key = _PLIES if kind == "random" else _KIND
                raise source.error(key, str(error)) from None
            problem = f"{rules.info.id} refuses it: {error}"
            raise _refused(source, table, entries[error.entry][1], problem) from None
    return spec


def _entries(source: Source, table: OpeningsTable) -> list[tuple[str, int]]:
    """The openings of a list, each with its place in it or with its line, from 1, in the file of openings."""
    if (table.entries is None) == (table.file is None):
        raise source.error(_KIND, 'kind = "list" needs one of list = [...] and file = "..."')
    if table.file is None:
        entries = [(text.strip(), item) for item, text in enumerate(table.entries or ())]
        for text, item in entries:
            if not text:
                raise source.error(
                    _LIST, 'an opening is empty; kind = "start" is the start position', item=item
                )
    else:
        try:
            lines = read_text(resolve(source, _FILE, table.file)).splitlines()
        except ConfigError as error:
            raise source.error(_FILE, str(error)) from None
        stripped = [(line.partition("#")[0].strip(), number) for number, line in enumerate(lines, 1)]
        entries = [(text, number) for text, number in stripped if text]
    if not entries:
        raise source.error(_LIST if table.file is None else _FILE, "there is no opening in it")
    return entries


def _refused(source: Source, table: OpeningsTable, place: int, problem: str) -> ConfigError:
    if table.file is None:
        return source.error(_LIST, problem, item=place)
    return ConfigError(f"{resolve(source, _FILE, table.file)}, line {place}: {problem}")
