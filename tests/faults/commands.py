"""The commands whose writes have faults: what each needs, and how far it has come."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from arena.cli.progress import describe
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, token_hash
from arena.door.upload import SourceFile, understand
from arena.errors import MissingDatabase, StoreError
from arena.model import GameRecord
from arena.store import Store
from arena.store.copying import door_rows
from arena.store.damage import check_database
from tests.arena.forked import arena
from tests.arena.store.copies import games

__all__ = ["COMMANDS", "TOKEN", "Command", "damage"]

TOKEN = "token-of-ann"
"""What opens the door to Ann."""

_ENGINE = Path(__file__).parents[1] / "engines" / "hostile_engine.py"
_DATABASES = ("arena.db", "copy.db", "saved.db")
_MADE = re.compile(r"<time[^>]*>[^<]*</time>|\b20\d\d-\d\d-\d\d[ T]\d\d:\d\d\b")


@dataclass(frozen=True, slots=True)
class Command:
    """A command whose writes have faults.

    Attributes:
        name: in the table.
        words: the words after ``arena``.
        prepare: makes what the command needs in an empty folder.
        state: returns what the command has reached in its folder; it is the same after every way to the end.
        printed: returns the sentences of an output about what is stored and isn't.
        settings: new values of constants, as `tests.arena.forked` takes them.
        role: ``pages`` for the server of a door, to which something is handed in; ``worker`` for a command
            that tries what was handed in; both do not end by themselves.
    """

    name: str
    words: tuple[str, ...]
    prepare: Callable[[Path], None]
    state: Callable[[Path], object]
    printed: Callable[[str, Path], list[str]] = lambda _out, _folder: []
    settings: dict[str, float] = field(default_factory=dict)
    role: Literal["", "pages", "worker"] = ""


# What there is.


@contextmanager
def _opened(database: Path) -> Iterator[Store | None]:
    """Open a copy of a database, so that the next command finds it as it is; None if there is none yet."""
    with tempfile.TemporaryDirectory() as name:
        for file in (database, database.with_name(f"{database.name}-wal")):
            if file.exists():
                shutil.copy(file, name)
        try:
            store = Store.open(Path(name, database.name), create=False)
        except MissingDatabase:
            yield None
            return
        with closing(store):
            yield store


def damage(folder: Path) -> list[str]:
    """Return what `arena db check` says about the databases in a folder."""
    problems = []
    for name in _DATABASES:
        try:
            with _opened(folder / name) as store:
                if store is not None:
                    assert isinstance(store.address, Path)
                    health = check_database(store.address)
                    problems += [
                        f"{name}: {problem}" for problem in (*health.problems, *health.damaged.values())
                    ]
        except StoreError as error:
            problems.append(str(error))
    return problems


def _records(folder: Path, name: str = "arena.db") -> list[GameRecord]:
    with _opened(folder / name) as store:
        return [] if store is None else list(store.finder.records(verify=True))


def _everything(name: str) -> Callable[[Path], object]:
    """Return a function that reads a whole database."""

    def state(folder: Path) -> object:
        with _opened(folder / name) as store:
            if store is None:
                return None
            contents = store.contents()
            return contents, list(store.finder.records(verify=True)), list(door_rows(store))

    return state


def _counts(pattern: str, name: str = "arena.db") -> Callable[[str, Path], list[str]]:
    """Return a check that a database has the number of games that the output names."""

    def printed(out: str, folder: Path) -> list[str]:
        stored = len(_records(folder, name))
        lines = re.finditer(pattern, out, re.MULTILINE)
        numbers = [sum(int(number or 0) for number in match.groups()) for match in lines]
        return [
            f"{number} games were printed, and {stored} are stored" for number in numbers if number > stored
        ]

    return printed


def _texts(place: Path) -> dict[str, str]:
    """Return a file, or those in a folder, with their texts, but for the time at which they were made."""
    return {
        str(file.relative_to(place)): _MADE.sub("", file.read_bytes().decode("utf-8", "replace"))
        for file in (place, *sorted(place.rglob("*")))
        if file.is_file()
    }


def _whole(name: str, *, or_missing: bool = False) -> Callable[[str, Path], list[str]]:
    """Return a check that a file or a folder is the earlier one or the new one."""

    def printed(_: str, folder: Path) -> list[str]:
        whole = [_texts(folder.parent / run / name) for run in ("fresh", "undisturbed")]
        if _texts(folder / name) in whole or (or_missing and not (folder / name).exists()):
            return []
        return [f"{name} is neither the earlier one nor the new one"]

    return printed


# What they need.


def _call(folder: Path, *words: str) -> None:
    done = arena(*words, cwd=folder)
    assert done.returncode == 0, done.stderr


def _fill(folder: Path, count: int = 7) -> None:
    """Make a database with games, settings of a rating list, and a door."""
    with closing(Store.open(folder / "arena.db", create=True)) as store:
        some = games(count)
        for name in dict.fromkeys(game.result.tournament for game in some):
            store.begin_tournament(name, {"seed": "1"}, created=5.5)
        store.add_games(some)
        store.rating_lists.set("quoridor", {"anchor": "alpha=1500"})
        door = DoorRegister(store, "spring")
        ann = door.invite({"ann": token_hash(TOKEN)})[0]
        plan = asdict(understand((SourceFile("bot.py", b"print(1)", executable=True),), None))
        door.note("plan", "built with make", door.hand_in(ann.id, "0" * 64, "bot.py", plan, 9).id)


def _tournament(folder: Path) -> None:
    engines = "".join(
        f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}", "-S", "{_ENGINE}", "honest"]\n'
        for name in "ab"
    )
    (folder / "t.toml").write_text(
        'game = "quoridor"\ntime_control = "60+0"\ngames_per_pairing = 4\nconcurrency = 1\nlog = "logs"\n'
        f"adjudication.plies = 2\n{engines}"
    )


def _exported(folder: Path) -> None:
    _fill(folder)
    _call(folder, "export", "--jsonl", "--output", "games.txt")
    (folder / "arena.db").unlink()


def _with_old_export(folder: Path) -> None:
    _fill(folder)
    (folder / "games.txt").write_text("an earlier export\n")


def _with_old_report(folder: Path) -> None:
    _fill(folder, 4)
    _call(folder, "report", "spring", "-o", "report")
    (folder / "arena.db").unlink()
    _fill(folder)


def _door(folder: Path) -> None:
    (folder / "t.toml").write_text(
        'game = "quoridor"\nformat = "ladder"\n[door]\n'
        + "".join(f'[[engines]]\nname = "{name}"\ncommand = "sh"\n' for name in "ab")
    )
    with closing(Store.open(folder / "arena.db", create=True)) as store:
        DoorRegister(store, "t").invite({"ann": token_hash(TOKEN)})


def _with_names(folder: Path) -> None:
    _door(folder)
    (folder / "arena.db").unlink()
    (folder / "names.txt").write_text("ann\nbob\ncat\n")


def _with_hand_in(folder: Path) -> None:
    """Let somebody have handed in an engine that is refused, because it does not speak the protocol."""
    _door(folder)
    folder.chmod(0o755)
    files = (SourceFile("bot.py", b"print('hello')\n", executable=True),)
    with closing(Store.open(folder / "arena.db", create=False)) as store:
        door = DoorRegister(store, "t")
        (ann,) = door.participants()
        digest = DoorFolder(folder / "door").add(files)
        door.hand_in(ann.id, digest, "bot.py", asdict(understand(files, None)), 9, sentence="found bot.py")


# What the end is.


def _played(folder: Path) -> object:
    """Return the games without their times."""
    return sorted(
        (game.result.key, game.result.termination, game.result.plies, [ply.text for ply in game.record])
        for game in _records(folder)
        if game.result.counts
    )


def _printed_games(out: str, folder: Path) -> list[str]:
    stored = {f"game {game.result.id}: {describe(game.result)}" for game in _records(folder)}
    lines = re.findall(r"^\[\d+/\d+\] (.*)\n", out, re.MULTILINE)
    return [f"printed and not stored: {line}" for line in lines if line not in stored]


def _handed_in(folder: Path) -> object:
    with _opened(folder / "arena.db") as store:
        assert store is not None
        door = DoorRegister(store, "t")
        return (
            [
                (
                    each.name,
                    each.version,
                    each.digest,
                    each.state,
                    [line.text for line in door.lines(each.id)],
                )
                for each in door.submissions()
            ],
            sorted(file.name for file in (folder / "door" / "submissions").glob("[!.]*")),
        )


def _tried(folder: Path) -> object:
    with _opened(folder / "arena.db") as store:
        assert store is not None
        door = DoorRegister(store, "t")
        return [
            (
                version.state,
                version.problem.partition("check")[0],  # which check fails depends on time
                [line.kind for line in door.lines(version.id) if line.kind in ("plan", "end")],
            )
            for version in door.submissions()
        ]


def _invited(folder: Path) -> list[tuple[str, str]]:
    with _opened(folder / "arena.db") as store:
        return (
            []
            if store is None
            else [(who.name, who.token) for who in DoorRegister(store, "t").participants()]
        )


def _printed_links(out: str, folder: Path) -> list[str]:
    known = _invited(folder)
    links = re.findall(r"^(\w+)\t.*/door/enter/(.+)$", out, re.MULTILINE)
    return [
        f"the link of {name} does not work" for name, token in links if (name, token_hash(token)) not in known
    ]


COMMANDS = (
    Command("run", ("run", "t.toml"), _tournament, _played, _printed_games, {"arena.store.writer.REST": 0.0}),
    Command(
        "import",
        ("import", "games.txt"),
        _exported,
        _everything("arena.db"),
        _counts(r"(\d+) added, (\d+) there already|^stopped: (\d+) added"),
        {"arena.records.load.GAMES_AT_ONCE": 3},
    ),
    Command(
        "report",
        ("report", "spring", "-o", "report"),
        _with_old_report,
        lambda folder: _texts(folder / "report"),
        _whole("report", or_missing=True),  # when it is killed while it replaces the earlier one
    ),
    Command(
        "db copy",
        ("db", "copy", "arena.db", "copy.db"),
        _fill,
        _everything("copy.db"),
        _counts(r"copied (\d+) games?, (\d+) there already", "copy.db"),
        {"arena.store.copying.GAMES_AT_ONCE": 3},
    ),
    Command(
        "invite",
        ("door", "invite", "t.toml", "--from", "names.txt"),
        _with_names,
        lambda folder: [name for name, _ in _invited(folder)],
        _printed_links,
    ),
    Command("hand-in", ("door", "pages", "t.toml", "--port", "0"), _door, _handed_in, role="pages"),
    Command(
        "worker",
        ("door", "worker", "t.toml"),
        _with_hand_in,
        _tried,
        settings={"arena.door.worker._FAULT_SECONDS": 0.0},
        role="worker",
    ),
    Command(
        "export",
        ("export", "-o", "games.txt"),
        _with_old_export,
        lambda folder: _texts(folder / "games.txt"),
        _whole("games.txt"),
    ),
)
