"""``arena door``: let people hand in engines while a tournament runs."""

from __future__ import annotations

import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import click

from arena.cli import Group
from arena.cli.common import values
from arena.cli.common.output import print_json, same_command, show, table, tell
from arena.cli.common.parameters import Decorated, examples, host_option, json_option, port_option
from arena.cli.program import FAILED
from arena.errors import ArenaError
from arena.extras import need_extra
from protocol.process.machine import usable_cores

if TYPE_CHECKING:
    from arena.config import TournamentSpec
    from arena.config.door_keys import DoorKeys
    from arena.door.client import Door
    from arena.door.register import DoorRegister


_NAME_LENGTH: Final = 40
_WAIT_SECONDS: Final = 1.0


@click.group(
    "door",
    cls=Group,
    epilog=examples(
        "$ arena door invite league.toml ann bob",
        "$ arena door run league.toml",
        "$ arena door list league.toml",
    ),
)
def command() -> None:
    """Run a submission server (the door): people hand in engines while a tournament runs.

    The tournament file needs the table [door]. Everything that is handed in runs in the sandbox of
    bubblewrap, and without it the door does not open.
    """


_file_argument: Callable[[Decorated], Decorated] = click.argument(
    "file", type=values.TOURNAMENT_FILE, metavar="FILE"
)
_names_argument: Callable[[Decorated], Decorated] = click.argument(
    "names", nargs=-1, required=True, type=values.NAME, metavar="NAME…"
)


@contextmanager
def _opened_door(file: Path) -> Iterator[tuple[TournamentSpec, DoorKeys, DoorRegister]]:
    """Give a tournament, its door, and what is stored of the door, until the end of the block."""
    from arena.config import load
    from arena.door.processes import door_of
    from arena.door.register import DoorRegister
    from arena.store import Store

    spec = load(file)
    door = door_of(spec)
    with closing(Store.open(spec.database, create=True)) as store:
        yield spec, door, DoorRegister(store, spec.name)


def _warn_of_deadline(file: Path, door: DoorKeys) -> None:
    """Warn if the deadline has passed."""
    if passed := door.passed:
        tell(f"warning: {file.name}: {passed}; the door takes nothing")


def _warn_of_links(file: Path, url: str, host: str, port: int) -> None:
    """Warn if links do not lead to where the door listens."""
    from arena.config.tournament_keys import is_loopback

    link = urlsplit(url)
    # With https, and without a port, participants reach a proxy.
    if link.scheme != "http" or not link.hostname or not link.port or not port:
        return
    words = ["--host 0.0.0.0"] if is_loopback(host) and not is_loopback(link.hostname) else []
    if link.port != port:
        words.append(f"--port {link.port}")
    if words:
        tell(
            f"warning: {file.name}: links start with {url}, but the door listens on {host}, port"
            f" {port}; use {' '.join(words)}, unless there is a proxy between them"
        )


def _print_link(door: DoorKeys, name: str, token: str) -> None:
    click.echo(f"{name}\t{door.url}/door/enter/{token}")


@command.command(
    "invite",
    short_help="Print a link for each participant.",
    epilog=examples(
        "$ arena door invite league.toml ann bob",
        "$ arena door invite league.toml --from names.txt",
        "$ arena door invite league.toml teacher --organiser",
    ),
)
@_file_argument
@click.argument("names", nargs=-1, type=values.NAME, metavar="[NAME]…")
@click.option(
    "--from",
    "list_file",
    type=values.FILE,
    metavar="FILE",
    help="Invite the names in this file, one a line, unless they are invited already.",
)
@click.option("--organiser", is_flag=True, help="The link opens the organiser's page.")
def invite(file: Path, names: tuple[str, ...], list_file: Path | None, organiser: bool) -> None:
    """Invite participants to the door of the tournament in FILE: print a link for each NAME.

    The engine of a participant has the participant's name. Everybody who has the link can come in as the
    participant, so give it to nobody else. The database has no copy of it. If one name cannot be invited,
    nobody is.
    """
    from arena.door.register import new_token, token_hash
    from protocol.words import counted

    listed = [] if list_file is None else _listed(list_file)
    entries = [*(("", name) for name in names), *listed]
    if not entries:
        raise click.UsageError("name somebody, or a file with names: --from names.txt")
    with _opened_door(file) as (spec, door, register):
        invited = {who.name.casefold() for who in register.participants()}
        taken = {entry.spec.name.casefold() for entry in spec.engines} - invited
        asked: dict[str, str] = {}  # the names by their folded form, which must differ
        for where, written in entries:
            name = unicodedata.normalize("NFC", written)
            problem = _problem(name, taken)
            if not problem and name.casefold() in asked:
                problem = f"{name} is here twice"
            if not problem and not where and name.casefold() in invited:
                problem = f"{name} is invited already; `arena door change --renew` makes a new link"
            if problem:
                raise ArenaError(f"{where}{problem} (nobody was invited)")
            asked[name.casefold()] = name
        _warn_of_deadline(file, door)
        new = {name: new_token() for key, name in asked.items() if key not in invited}
        register.invite({name: token_hash(token) for name, token in new.items()}, organiser=organiser)
        for name, token in new.items():
            _print_link(door, name, token)
    if before := len(asked) - len(new):
        tell(
            f"{list_file}: {before} of {counted(len(listed), 'name')} had been invited before; the links"
            " stay as they are, and `arena door change --renew` makes new ones"
        )


def _listed(file: Path) -> list[tuple[str, str]]:
    """Return the names in a file, each after the words that say where it is."""
    from arena.config.toml_file import read_text

    lines = read_text(file, "a list of names, one a line").split("\n")
    names = [(f"{file}, line {number}: ", line.strip()) for number, line in enumerate(lines, 1)]
    listed = [(where, name) for where, name in names if name and not name.startswith("#")]
    if not listed:
        raise ArenaError(f"{file}: there is no name in this file; write one a line")
    return listed


def _problem(name: str, taken: set[str]) -> str:
    """Return why neither a participant nor an engine may have a name; "" if they may."""
    fits = 0 < len(name) <= _NAME_LENGTH and name.isprintable() and name == name.strip() and "|" not in name
    if not fits:
        shown = name[:_NAME_LENGTH]
        return f"{shown!a}: a name has 1 to {_NAME_LENGTH} printable characters, no | and no spaces around"
    if name.casefold() in taken:
        return f"{name}: an engine of the tournament file has this name; choose another"
    return ""


@command.command(
    "list",
    short_help="Show the participants and their versions.",
    epilog=examples("$ arena door list league.toml", "$ arena door list league.toml --json"),
)
@_file_argument
@json_option
def list_versions(file: Path, as_json: bool) -> None:
    """Show who is invited, and which version of each engine plays."""
    from arena.door.register import State
    from protocol.words import printable

    with _opened_door(file) as (_spec, _door, register):
        submissions = register.submissions()
        remarks = register.remarks(submissions)
        rows = []
        for who in register.participants():
            versions = [version for version in submissions if version.participant == who.id]
            playing = next((version for version in versions if version.state is State.PLAYS), None)
            shown = [remarks[version.id] for version in (playing, *versions[:1]) if version is not None]
            rows.append(
                {
                    "name": who.name,
                    "role": "organiser" if who.organiser else "participant",
                    "state": who.state,
                    "versions": len(versions),
                    "plays": None if playing is None else playing.version,
                    "newest": versions[0].state.value if versions else None,
                    "problem": next(filter(None, shown), ""),
                }
            )
    if as_json:
        print_json(rows)
        return
    overview = table("name", "role", "state", ">versions", ">plays", "newest", "remark")
    for row in rows:
        cells = (printable("" if value is None else str(value)) for value in row.values())
        overview.add_row(*cells)
    show(overview)


_STATES: Final = {
    "pause": ("paused", "{} is paused: it starts no new game"),
    "resume": ("open", "{} plays again"),
    "remove": ("removed", "{} is removed, and the link works no more; the games stay"),
}
"""What `arena door change` makes of a participant, and what it prints."""


@command.command(
    "change",
    short_help="Renew links, pause engines, or take them out.",
    epilog=examples(
        "$ arena door change league.toml ann --renew",
        "$ arena door change league.toml ann bob --pause",
        "$ arena door change league.toml ann bob --resume",
        "$ arena door change league.toml ann --remove",
    ),
)
@_file_argument
@_names_argument
@click.option(
    "--renew",
    "change",
    flag_value="renew",
    type=values.NAME,
    help="Print a new link; the old one and its cookies work no more. Somebody who was removed may come in.",
)
@click.option(
    "--pause",
    "change",
    flag_value="pause",
    type=values.NAME,
    help="Let the engine rest: its games count, and it starts no new game.",
)
@click.option("--resume", "change", flag_value="resume", type=values.NAME, help="End the pause.")
@click.option(
    "--remove",
    "change",
    flag_value="remove",
    type=values.NAME,
    help="Take the engine out, and end the link; its games stay.",
)
def change(file: Path, names: tuple[str, ...], change: str | None) -> None:
    """Change one thing for each participant NAME: the link, or whether the engine plays."""
    from arena.door.register import new_token, token_hash

    if change is None:
        raise click.UsageError("say what to change: --renew, --pause, --resume or --remove")
    with _opened_door(file) as (_spec, door, register):
        removed = {who.name for who in register.participants() if who.state == "removed"}
        for name in names:
            if change == "renew":
                token = new_token()
                register.change(name, token=token_hash(token), state="open" if name in removed else None)
                _print_link(door, name, token)
            else:
                state, sentence = _STATES[change]
                register.change(name, state=state)
                click.echo(sentence.format(name))


@command.command(
    "final",
    short_help="Print the file of a final: pools, then a knock-out.",
    epilog=examples("$ arena door final league.toml > final.toml"),
)
@_file_argument
def final(file: Path) -> None:
    """Print the tournament file of a final of the engines that were handed in and play now.

    Save it beside FILE, whose other keys it keeps: `arena run` plays it in the same sandbox. It has pools,
    then a knock-out. The engines are seeded by their ratings in FILE's tournament. Bots at home are left out.
    """
    from arena.door.course import final_file
    from arena.door.register import State

    with _opened_door(file) as (spec, _door, register):
        click.echo(final_file(spec, register.store))
        states = (State.PLAYS, State.AWAY)
        remote = [version for version in register.submissions() if version.remote]
        names = {version.name for version in remote if version.state in states}
    if names:
        tell(f"not in the final, because they play from home: {', '.join(sorted(names))}")


@command.command(
    "run",
    short_help="Play the tournament, serve its pages, and open the door.",
    epilog=examples(
        "$ arena door run league.toml", "$ arena door run league.toml --host 0.0.0.0 --port 8000"
    ),
)
@_file_argument
@host_option
@port_option
def run(file: Path, host: str, port: int) -> None:
    """Play the tournament in FILE, serve its pages, and take what is handed in.

    These are four processes. If one of them ends, it is started again, and nothing that was stored is lost.
    After Ctrl-C the running games end first; a second Ctrl-C stops them immediately.
    """
    need_extra("door", "doors")
    from arena.config.door_keys import DOOR
    from arena.door.folder import DoorFolder
    from arena.door.processes import Child, build_cores, check_sandbox, keep
    from protocol.process.lifetime import death_signal

    with _opened_door(file) as (spec, door, register):
        check_sandbox(spec)
        lock = DoorFolder(spec.path.parent / DOOR).locked("run")
        if not any(who.organiser for who in register.participants()):
            tell("nobody has the organiser's page: `arena door invite FILE NAME --organiser` prints its link")
        _warn_of_deadline(file, door)
        _warn_of_links(file, door.url, host, port)
        tell(f"after a change of {spec.path.name}, stop the door and start it again")
        path = str(spec.path)
        build = build_cores(spec)
    start = [*death_signal("TERM"), sys.executable, "-m", "arena"]
    children = [
        Child("pages", [*start, "door", "pages", path, "--host", host, "--port", str(port)]),
        Child("worker", [*start, "door", "worker", path]),
        Child("games", [*start, "door", "games", path]),
        Child(
            "tournament",
            [*start, "run", path, "--quiet", "--again", same_command()],
            frozenset(usable_cores()) - build,
        ),
    ]
    with lock:
        keep(children)


@command.command("pages", hidden=True)
@_file_argument
@host_option
@port_option
def pages(file: Path, host: str, port: int) -> None:
    """Serve the tournament and its door until Ctrl-C. `arena door run` starts this command.

    It takes what is handed in, and starts no engine and no build.
    """
    import trio

    from arena.config.door_keys import DOOR
    from arena.door.desk import Desk
    from arena.door.folder import DoorFolder
    from arena.door.routes import served
    from arena.web.server.app import serve_databases

    with _opened_door(file) as (spec, door, register):
        store = register.store
        desk = Desk(spec, door, store, DoorFolder(spec.path.parent / DOOR))

        def ready(address: str) -> None:
            click.echo(f"the door is open at {address}/door/")

        trio.run(partial(serve_databases, [store], host, port, ready, door=served(desk)))


@command.command("worker", hidden=True)
@_file_argument
def worker(file: Path) -> None:
    """Build, check and try what is handed in, until Ctrl-C. `arena door run` starts this command.

    Only one worker of a door runs. It has a low priority. If it is killed, the next worker starts over with
    the submission that it had in hand.
    """
    from arena.config.door_keys import DOOR
    from arena.door.folder import DoorFolder
    from arena.door.processes import work
    from arena.door.worker import DoorWorker
    from protocol.process.bubblewrap import hide_keys

    hide_keys()  # threads of this thread start the builds
    with _opened_door(file) as (spec, door, register):
        folder = DoorFolder(spec.path.parent / DOOR)
        work(spec, "the worker", DoorWorker(spec, door, register, folder).run)


@command.command("games", hidden=True)
@_file_argument
def games(file: Path) -> None:
    """Play the games that participants ask for, until Ctrl-C. `arena door run` starts this command.

    They belong to a separate tournament, which is never rated. One game is played at a time, with a low
    priority. If this command is killed, the next one goes on with the games that were not stored.
    """
    from arena.door.asking import play_asked
    from arena.door.processes import work

    with _opened_door(file) as (spec, door, register):
        work(spec, "games on request", partial(play_asked, file, door, register))


@click.command(
    "submit",
    epilog=examples(
        "$ arena submit --to https://arena.example.org/door/enter/TOKEN .",
        "$ arena submit --to https://arena.example.org/door/enter/TOKEN bot.py",
    ),
)
@click.argument("path", type=values.EXISTING_PATH, metavar="PATH")
@click.option(
    "--to",
    "link",
    required=True,
    type=values.LINE,
    envvar="ARENA_DOOR",
    show_envvar=True,
    metavar="LINK",
    help="The link that the organiser has given you.",
)
def submit(path: Path, link: str) -> None:
    """Hand in PATH at a submission server (the door): a source file, an archive, or a folder.

    Then the command shows how it is built, checked and tried, and ends with exit code 0 if the engine is
    admitted, or 1 if it is not. Ctrl-C ends only the command.
    """
    from arena.door.client import Door, packed_path

    door = Door.of_link(link)
    name, data = packed_path(path)
    number, version = door.hand_in(name, data)
    click.echo(f"handed in as version {version}: {door.address}/door/submissions/{number}")
    if not _follow(door, number):
        raise click.exceptions.Exit(FAILED)


def _follow(door: Door, number: int) -> bool:
    """Print what happens to a submission; return whether it is admitted."""
    from protocol.words import printable

    shown = 0
    while True:
        submission = door.look(number)
        lines, state = submission["lines"], submission["state"]
        if len(lines) < shown:
            shown = 0  # a worker was killed, and another starts over
        for line in lines[shown:]:
            click.echo(printable(line["text"], keep="\n").rstrip("\n"))
        shown = len(lines)
        if state == "refused":
            return False
        if state in ("plays", "replaced"):
            return True
        time.sleep(_WAIT_SECONDS)


@click.command(
    "connect",
    epilog=examples(
        "$ arena connect https://arena.example.org/door/enter/TOKEN -- python3 bot.py",
        "$ arena connect https://arena.example.org/door/enter/TOKEN --mcp",
    ),
)
@click.argument("link", type=values.LINE, metavar="ADDRESS")
@click.argument("command_line", metavar="-- CMD", nargs=-1, type=values.COMMAND)
@click.option(
    "--mcp", is_flag=True, help="Let an agent play, whose program starts this command: see arena mcp."
)
def connect(link: str, command_line: tuple[str, ...], mcp: bool) -> None:
    """Let a bot play at a submission server (the door) from this machine, day and night.

    ADDRESS is the link that the organiser has given you. CMD starts the bot. It runs here, once for each
    game, so a change of its files counts from the next game on. If the connection breaks, the bot plays on,
    and the command connects again. Ctrl-C lets the running games end; a second Ctrl-C ends them immediately.
    """
    need_extra("door", "bots that play at a door")
    import trio

    from arena.cli.common.engines import CommandLineSettings, read_words
    from arena.door.client import Door
    from arena.door.connect import HomeBot
    from protocol.process.lifetime import adopt_orphans

    door = Door.of_link(link, "ADDRESS")
    if mcp:
        from arena.door.agent import play_as_agent

        if command_line:
            raise click.UsageError("with --mcp the agent plays, so leave out -- CMD")
        adopt_orphans()
        trio.run(play_as_agent, door, tell)
        return
    spec = CommandLineSettings().spec("the bot", read_words(command_line))
    adopt_orphans()
    trio.run(HomeBot(door, spec, tell).run)
