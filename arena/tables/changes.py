"""Engines that changed between their games of a tournament: their marks in tables, and what changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.model import PlayerRecord
from arena.store import EngineUse
from protocol.words import counted, printable

_MOST: Final = 8  # the most engines, and the most changes of an engine, in notes


@dataclass(frozen=True, slots=True)
class EngineState:
    """How an engine was in some of its games: as ``words`` say in what differs from its other games."""

    words: str
    games: int
    first: int  # the number of the first of these games


Changes = Mapping[str, Sequence[EngineState]]
"""The states of each engine that changed, in the order of their first games, by its name."""


def changed_engines(uses: Iterable[EngineUse]) -> Changes:
    """Find the engines whose options, time control, version, or program of one version did not stay the same.

    What is not known of a game is no change.
    """
    changes = {}
    for name, same in _by_name(uses).items():
        words = _differences(same)
        if not any(words):
            continue
        states: dict[str, EngineState] = {}
        for use, text in zip(same, words, strict=True):
            before = states.get(text, EngineState(text, 0, use.first))
            states[text] = EngineState(text, before.games + use.games, before.first)
        changes[name] = tuple(states.values())
    return changes


def changes_note(changes: Changes) -> str:
    """Return what changed, for below a table, a line for each engine; "" if nothing did."""
    lines = []
    for name, states in [*changes.items()][:_MOST]:
        shown = [
            f"from game {state.first}: {state.words or 'not known'} ({counted(state.games, 'game')})"
            for state in states[:_MOST]
        ]
        more = len(states) - _MOST
        left = f"; and {counted(more, 'other change')}" if more > 0 else ""
        lines.append(f"* {printable(name)} was not the same in all games: {'; '.join(shown)}{left}")
    more = len(changes) - _MOST
    return "\n".join([*lines, *([f"* and {counted(more, 'other engine')}"] if more > 0 else [])])


def earlier_states(uses: Iterable[EngineUse]) -> frozenset[Hashable]:
    """Return the keys, as from `state_key`, of the states that differ from the newest one of their engine."""
    earlier = set()
    for same in _by_name(uses).values():
        words = _differences(same)
        _, newest = max(zip((use.last for use in same), words, strict=True))
        earlier |= {state_key(use) for use, text in zip(same, words, strict=True) if text not in ("", newest)}
    return frozenset(earlier)


def state_key(one: EngineUse | PlayerRecord) -> Hashable:
    """Return all that identifies the state of an engine in a game."""
    options = None if one.options is None else tuple(sorted(one.options.items()))
    return one.name, one.version, one.program, options, one.time_control


def _by_name(uses: Iterable[EngineUse]) -> Mapping[str, Sequence[EngineUse]]:
    by_name: defaultdict[str, list[EngineUse]] = defaultdict(list)
    for use in uses:
        by_name[use.name].append(use)
    return by_name


def _differences(uses: Sequence[EngineUse]) -> list[str]:
    """Return for each use of one engine what is not the same in all of them, in words; "" for nothing."""
    known = [use.options for use in uses if use.options is not None]
    names = sorted({name for options in known for name in options})
    differing = [name for name in names if len({options.get(name) for options in known}) > 1]
    controls = len({use.time_control for use in uses}) > 1
    versions = len({use.version for use in uses} - {""}) > 1
    of_version: defaultdict[str, set[str]] = defaultdict(set)
    for use in uses:
        of_version[use.version] |= {use.program} - {""}

    def words(use: EngineUse) -> str:
        parts = [
            f"{name} = {use.options.get(name, 'not set')}" for name in differing if use.options is not None
        ]
        if controls:
            parts.append(f"time control {use.time_control}")
        if versions and use.version:
            parts.append(f"version {use.version}")
        if use.program and len(of_version[use.version]) > 1:
            parts.append(f"program {use.program}")
        return ", ".join(map(printable, parts))

    return [words(use) for use in uses]
