"""Change the pure core one expression at a time, and count the changes that no test notices.

`make mutation` runs this over all modules of `core.toml`, `make mutation MODULE=referee/match/clock.py` over
one. For each module it runs mutmut in a folder below `build/mutation`, with the tests that `core.toml` names
for it. Then it compares the mutants that survived with those in `survivors.toml`.

Of the rooms in `sample.toml` it judges a sample, which a seed chooses, and counts the survivors.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
BUILD = ROOT / "build" / "mutation"

LIMIT = 0.1
"""The largest share of a module's mutants that may survive."""

SAMPLE = 100
"""The mutants of each room that are judged."""

SEED = 1
"""It chooses the sample. Most of a sample stays the same when a room changes."""

SAMPLE_LIMIT = 1 / 6
"""The largest share of a sample that may survive."""

PACKAGES = ("arena", "protocol", "referee")
COPIED = ("docs", "engines", "tests")

SURVIVED = frozenset({0, 5, 33})
"""Exit codes by which mutmut says that the tests passed (0), or that no test reaches the function (5, 33)."""

TIMED_OUT = frozenset({-24, 24, 36, 152, 255})
"""Exit codes of mutants that ran out of time. Most of them would run without end."""

PATIENCE = 3.0
"""A mutant may take this many times as long as its tests take without it (and a second)."""

GREAT_PATIENCE = 40.0
"""The same for mutants that are expected to survive, as the machine may have been busy."""

UNCHECKED = frozenset({None, 2, 34})
"""Exit codes of mutants that mutmut did not judge."""

_SPINNER = re.compile("[⠀-⣿] ")
"""The start of mutmut's progress lines."""


class Room(NamedTuple):
    """A room of `sample.toml`."""

    tests: tuple[str, ...]
    without: tuple[str, ...]  # modules, or patterns of them
    marks: str  # an expression of pytest: the marks of the tests that run


class Mutant(NamedTuple):
    """One change of one function. It has no line number, so it stays the same when lines move."""

    function: str
    change: str  # lines that start with "- " and "+ "


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a module: how many mutants it has, and which of them survived."""

    module: str
    mutants: int
    survivors: Counter[Mutant]

    @property
    def survived(self) -> int:
        return self.survivors.total()

    @property
    def share(self) -> float:
        return self.survived / self.mutants if self.mutants else 0.0


@dataclass(frozen=True, slots=True)
class Listed:
    """The content of `survivors.toml`."""

    mutants: dict[str, Counter[Mutant]]  # by module
    meaningless: tuple[re.Pattern[str], ...]

    def means_something(self, mutant: Mutant) -> bool:
        """Return whether ``mutant`` changes more than a part that a pattern calls meaningless."""
        lines = mutant.change.splitlines()
        was = [line[2:] for line in lines if line.startswith("- ")]
        becomes = [line[2:] for line in lines if line.startswith("+ ")]
        return all(
            [pattern.sub("", line) for line in was] != [pattern.sub("", line) for line in becomes]
            for pattern in self.meaningless
        )


def read_core(text: str) -> dict[str, tuple[str, ...]]:
    """Read `core.toml`: the tests of each module."""
    return {module: tuple(tests) for module, tests in tomllib.loads(text).items()}


def read_rooms(text: str) -> dict[str, Room]:
    """Read `sample.toml`."""
    return {
        name: Room(tuple(values["tests"]), tuple(values.get("without", ())), values["marks"])
        for name, values in tomllib.loads(text).items()
    }


def read_listed(text: str) -> Listed:
    """Read `survivors.toml`.

    Raises:
        ValueError: an entry has no reason, or a change is not a function's name and changed lines.
    """
    tables = tomllib.loads(text)
    meaningless = tuple(re.compile(entry["pattern"]) for entry in tables.pop("meaningless", []))
    mutants: dict[str, Counter[Mutant]] = {}
    for module, entries in tables.items():
        mutants[module] = Counter()
        for entry in entries:
            if not entry.get("reason"):
                raise ValueError(f"{module}: an entry has no reason")
            mutants[module].update(_read_change(module, change) for change in entry["changes"])
    return Listed(mutants, meaningless)


def _read_change(module: str, text: str) -> Mutant:
    function, *lines = textwrap.dedent(text).strip().splitlines()
    if not lines or not all(line.startswith(("- ", "+ ")) for line in lines):
        raise ValueError(
            f"{module}: a change is a function's name and lines that start with - or +, not {text!r}"
        )
    return Mutant(function, "\n".join(lines))


def write_entry(module: str, mutants: Iterable[Mutant]) -> str:
    """Return an entry for `survivors.toml` with an empty reason."""
    lines = [f'[["{module}"]]', 'reason = ""', "changes = ["]
    for mutant in mutants:
        lines.append("    '''")
        lines.extend(f"    {line}" for line in (mutant.function, *mutant.change.splitlines()))
        lines[-1] += "''',"
    return "\n".join([*lines, "]", ""])


def sample(names: Iterable[str], count: int, seed: int) -> list[str]:
    """Return this number of names, as the seed chooses; a name that is added replaces at most one."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())[:count]


def cut_off(
    results: Mapping[str, int | None], mutants: Mapping[str, Mutant], known: Counter[Mutant]
) -> list[str]:
    """Return the names of the mutants that ran out of time, although they are listed as survivors."""
    return [name for name, code in results.items() if code in TIMED_OUT and mutants[name] in known]


def change_of(diff: str) -> str:
    """Return the changed lines of a unified diff, without their common indentation."""
    lines = [line for line in diff.splitlines()[2:] if line.startswith(("-", "+"))]
    indent = min(len(line[1:]) - len(line[1:].lstrip()) for line in lines)
    return "\n".join(f"{line[0]} {line[1 + indent :].rstrip()}" for line in lines)


def complaints(scores: Sequence[Score], listed: Mapping[str, Counter[Mutant]]) -> list[str]:
    """Return the differences from the list, and the modules above the limit, as text."""
    found = []
    for score in scores:
        known = listed.get(score.module, Counter())
        new, gone = score.survivors - known, known - score.survivors
        if new:
            found.append(
                f"{score.module}: {new.total()} survived that are not listed. Write a test for each,"
                f" or list it with a reason:\n\n{write_entry(score.module, new.elements())}"
            )
        if gone:
            found.append(
                f"{score.module}: {gone.total()} are listed, but they do not survive."
                f" Remove them from the list:\n\n{write_entry(score.module, gone.elements())}"
            )
        if score.share > LIMIT:
            found.append(
                f"{score.module}: {score.survived} of {score.mutants} mutants survived, and at most"
                f" {LIMIT:.0%} may.\n"
            )
    return found


def sample_complaint(score: Score) -> str:
    """Return the survivors of a room's sample as text, if they are too many; else ""."""
    if score.share <= SAMPLE_LIMIT:
        return ""
    return (
        f"{score.module}: {score.survived} of {score.mutants} mutants of the sample survived, and at most"
        f" {SAMPLE_LIMIT:.0%} may. Write tests for those that matter, or delete code that nobody needs.\n"
    )


def row(module: str, mutants: object, survived: object, share: object) -> str:
    return f"{module:<40}{mutants:>8}{survived:>10}{share:>8}"


def _prepare(place: str) -> Path:
    """Make a folder with the sources and the tests, and return it."""
    folder = BUILD / place.removesuffix(".py").replace("/", ".")
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name in (*PACKAGES, *COPIED):
        (folder / name).symlink_to(ROOT / name)
    return folder


def _configure(folder: Path, place: str, room: Room, patience: float) -> None:
    """Write the settings of mutmut into its folder; a module of the core is a room of its own."""
    left_out = [f"--deselect={test[1:]}" for test in room.tests if test.startswith("!")]
    chosen = ["-m", room.marks]
    settings = {
        "source_paths": list(PACKAGES),
        "only_mutate": [place if place.endswith(".py") else f"{place}/*.py"],
        "do_not_mutate": list(room.without),
        "also_copy": list(COPIED),
        "pytest_add_cli_args": ["-p", "no:xdist", "-p", "no:cacheprovider", *chosen, *left_out],
        "pytest_add_cli_args_test_selection": [test for test in room.tests if not test.startswith("!")],
        "timeout_multiplier": patience,
        # Processes that tests leave behind are children of mutmut, and only its fork server ignores them.
        "process_isolation": "fork" if place.endswith(".py") else "forkserver",
        "use_git_change_detection": False,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    project = (ROOT / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]))


_GENERATE = """
from mutmut.__main__ import copy_also_copy_files, copy_src_dir, create_mutants, setup_source_paths
from mutmut.mutation.trampoline import set_mutant_under_test
import pathlib
set_mutant_under_test("mutant_generation")
pathlib.Path("mutants").mkdir()
copy_src_dir(); copy_also_copy_files(); setup_source_paths(); create_mutants(1)
"""
"""The first step of `mutmut run`, which has no command of its own."""


def _run_mutmut(folder: Path, place: str, words: Sequence[str]) -> dict[str, dict[str, int | None]]:
    """Run a command of mutmut for a module or a room, and return the exit codes by module and name.

    Raises:
        RuntimeError: mutmut failed; its output ends the message.
    """
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        said = [line for line in done.stdout.splitlines() if not _SPINNER.match(line)]
        raise RuntimeError("\n".join([f"mutmut failed for {place}:", *said]))
    made = folder / "mutants"
    files = [made / f"{place}.meta"] if place.endswith(".py") else sorted((made / place).rglob("*.meta"))
    return {
        file.relative_to(made).as_posix().removesuffix(".meta"): json.loads(file.read_text())[
            "exit_code_by_key"
        ]
        for file in files
    }


def _judged(folder: Path, place: str, processes: int, names: Sequence[str] = ()) -> dict[str, int | None]:
    """Judge the mutants with these names, or all, and return the exit codes by name."""
    mutmut = str(Path(sys.executable).with_name("mutmut"))
    modules = _run_mutmut(folder, place, [mutmut, "run", "--max-children", str(processes), *names])
    codes = {name: code for module in modules.values() for name, code in module.items()}
    unchecked = [name for name in names or codes if codes[name] in UNCHECKED]
    if unchecked:
        raise RuntimeError(f"mutmut did not judge {unchecked[0]} and {len(unchecked) - 1} others")
    return codes


def judge(module: str, tests: Sequence[str], processes: int, listed: Listed) -> Score:
    """Run mutmut over one module.

    Raises:
        RuntimeError: mutmut failed; its output ends the message.
    """
    folder, room = _prepare(module), Room(tuple(tests), (), "not slow")
    _configure(folder, module, room, PATIENCE)
    results = _judged(folder, module, processes)
    with contextlib.chdir(folder):
        mutants = {name: _mutant(module, name) for name in results}
    again = cut_off(results, mutants, listed.mutants.get(module, Counter()))
    if again:
        _configure(folder, module, room, GREAT_PATIENCE)
        second = _judged(folder, module, processes, again)
        results.update({name: second[name] for name in again})
    meaningful = {name: mutant for name, mutant in mutants.items() if listed.means_something(mutant)}
    survivors = Counter(mutant for name, mutant in meaningful.items() if results[name] in SURVIVED)
    return Score(module, len(meaningful), survivors)


def judge_sample(name: str, room: Room, processes: int, listed: Listed, count: int) -> Score:
    """Run mutmut over a sample of a room. A mutant that hangs is noticed.

    Raises:
        RuntimeError: mutmut failed; its output ends the message.
    """
    folder = _prepare(name)
    _configure(folder, name, room, PATIENCE)
    modules = _run_mutmut(folder, name, [sys.executable, "-c", _GENERATE])
    module_of = {key: module for module, keys in modules.items() for key in keys}
    mutants: dict[str, Mutant] = {}
    with contextlib.chdir(folder):
        for key in sample(module_of, len(module_of), SEED):
            mutant = _mutant(module_of[key], key)
            if listed.means_something(mutant):
                mutants[key] = Mutant(f"{module_of[key]} {mutant.function}", mutant.change)
            if len(mutants) == count:
                break
    results = _judged(folder, name, processes, list(mutants))
    again = [key for key in mutants if results[key] in TIMED_OUT]
    if again:  # the machine may have been busy
        _configure(folder, name, room, GREAT_PATIENCE)
        second = _judged(folder, name, processes, again)
        results.update({key: second[key] for key in again})
    survivors = Counter(mutant for key, mutant in mutants.items() if results[key] in SURVIVED)
    return Score(name, len(mutants), survivors)


def _mutant(module: str, name: str) -> Mutant:
    from mutmut.mutation.diff_apply import get_diff_for_mutant
    from mutmut.utils.format_utils import orig_function_and_class_names_from_key

    function, of_class = orig_function_and_class_names_from_key(name)
    return Mutant(
        f"{of_class}.{function}" if of_class else function, change_of(get_diff_for_mutant(name, path=module))
    )


def main(arguments: Sequence[str] | None = None) -> int:
    core = read_core((HERE / "core.toml").read_text())
    rooms = read_rooms((HERE / "sample.toml").read_text())
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument(
        "places",
        nargs="*",
        metavar="MODULE",
        help="one of core.toml, or a room of sample.toml; all of them if there is none",
    )
    parser.add_argument(
        "--processes", default="logical", help="how many tests run in parallel (default: one a processor)"
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=SAMPLE,
        help=f"how many mutants of a room are judged (default: {SAMPLE})",
    )
    options = parser.parse_args(arguments)
    for place in options.places:
        if place not in core and place not in rooms:
            parser.error(f"{place} is not in tests/mutation/core.toml or sample.toml")
    processes = (os.cpu_count() or 1) if options.processes == "logical" else max(1, int(options.processes))
    listed = read_listed((HERE / "survivors.toml").read_text())

    scores, samples = [], []
    print(row("module", "mutants", "survived", "share"))
    for place in options.places or [*core, *rooms]:
        if place in core:
            score = judge(place, core[place], processes, listed)
            scores.append(score)
        else:
            score = judge_sample(place, rooms[place], processes, listed, options.sample)
            samples.append(score)
        print(row(place, score.mutants, score.survived, f"{score.share:.1%}"), flush=True)
    for title, some in (("all of the core", scores), ("all samples", samples)):
        total, survived = sum(score.mutants for score in some), sum(score.survived for score in some)
        if some:
            print(row(title, total, survived, f"{survived / total if total else 0:.1%}"))
    for score in samples:
        print(f"\nsurvivors of the sample of {score.module}:")
        for mutant in sorted(score.survivors.elements()):
            print(textwrap.indent(f"\n{mutant.function}\n{mutant.change}", "    "))

    found = complaints(scores, listed.mutants)
    found += filter(None, map(sample_complaint, samples))
    found += [
        f"{module} is in survivors.toml, but not in core.toml\n"
        for module in listed.mutants
        if module not in core
    ]
    for text in found:
        print(f"\n{text}", end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
