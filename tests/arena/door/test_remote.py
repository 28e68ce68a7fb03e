"""Bots on their authors' machines: real servers, lines, referees and bots."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler, TCPServer
from threading import Thread
from typing import Any

import pytest
import trio
import trio.testing
import trio_websocket as ws

from arena.config import load
from arena.config.door_keys import DOOR, DoorKeys
from arena.door.connect import _carry, _Game, _Notes, open_line
from arena.door.desk import Desk
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, Participant, State, Submission
from arena.door.upload import Plan
from arena.errors import ArenaError
from arena.model import GameRecord
from arena.ratings.lists import rating_list
from arena.store import REMOTE_GAMES, Store
from arena.tables.result_text import verdict
from protocol.remote.line import BACK, DATA, OVER, PING, PONG, REFUSES, Frame, unpacked
from referee.outcome import Termination
from tests.arena.forked import Forked, arena, forked
from tests.arena.invoking import invoke
from tests.missing_tools import needs
from tests.processes import wait_for, with_argument

pytestmark = pytest.mark.system

BOT = Path(__file__).with_name("remote_bot.py")
KEYS = """
game = "quoridor"
format = "ladder"
concurrency = 1
log = "log"
[adjudication]
plies = 12
[[engines]]
name = "one"
command = "sample:random"
[[engines]]
name = "two"
command = "sample:random"
"""


@dataclass
class Hub:
    """A door, whose pages and worker run, and the links of its participants."""

    file: Path
    port: int
    links: dict[str, str]
    pages: Forked

    @property
    def stored(self) -> list[GameRecord]:
        spec = load(self.file)
        with closing(Store.open(spec.database, create=True)) as store:
            return list(store.finder.records()) if store.tournaments() else []

    def states(self) -> dict[str, State]:
        with closing(Store.open(load(self.file).database, create=True)) as store:
            versions = DoorRegister(store, load(self.file).name).submissions()
        return {version.name: version.state for version in reversed(versions)}

    def published(self) -> set[str]:
        listed = self.file.parent / "door" / "engines.json"
        return {engine["name"] for engine in json.loads(listed.read_text())} if listed.exists() else set()

    def against(self, name: str) -> list[GameRecord]:
        return [record for record in self.stored if name in {player.name for player in record.result.players}]


@contextmanager
def hub(
    folder: Path,
    *names: str,
    door: str = 'bots = "remote"',
    control: str = "5+0.1",
    keys: str = "",
    host: str = "127.0.0.1",
    **options: Any,
) -> Iterator[Hub]:
    """Open a door, without its tournament."""
    file = folder / "league.toml"
    with socket.create_server((host, 0)) as free:
        port = free.getsockname()[1]
    table = f'[door]\nurl = "http://{host}:{port}"\n{door}\n'
    file.write_text(f'time_control = "{control}"\n{keys}{KEYS}{table}')
    lines = invoke("door", "invite", file, *names).output.splitlines()
    links = dict(line.split("\t") for line in lines if "\t" in line)
    with forked("door", "pages", file, "--host", host, "--port", port, cwd=folder, **options) as pages:
        wait_for(lambda: "the door is open" in pages.stdout or pages.returncode is not None, "no door")
        with forked("door", "worker", file, cwd=folder):
            yield Hub(file, port, links, pages)


def bot(*words: object) -> list[object]:
    return ["--", sys.executable, BOT, *words]


def connected(door: Hub, stack: ExitStack, name: str, *words: object) -> Forked:
    """Let a bot connect, and wait until the tournament may play it."""
    process = stack.enter_context(forked("connect", door.links[name], *bot(*words), cwd=door.file.parent))
    wait_for(lambda: name in door.published(), f"{name} is not there: {process.stderr}")
    return process


def test_a_remote_bot_plays_games_that_are_marked_and_have_a_list_of_their_own(tmp_path: Path) -> None:
    with hub(tmp_path, "ann", "bob") as door, ExitStack() as stack:
        script = tmp_path / "ann.py"
        script.write_text(BOT.read_text())
        ann = stack.enter_context(
            forked("connect", door.links["ann"], "--", sys.executable, script, 0, cwd=tmp_path)
        )
        connected(door, stack, "bob", 0)
        wait_for(lambda: "ann" in door.published(), ann.stderr)
        with forked("run", door.file, "--quiet", cwd=tmp_path) as run:
            wait_for(lambda: len(door.against("ann")) > 1, run.stderr)
            (tmp_path / "new.py").write_text(f"# another version\n{BOT.read_text()}")
            (tmp_path / "new.py").rename(script)
            wait_for(lambda: "2" in versions(door, "ann"), "the new version does not play")
            run.send_signal(signal.SIGINT)
            run.wait(60)
        played = door.against("ann")
        assert {(game.result.reason, game.result.detail) for game in played} == {("length", "")}
        assert {
            player.program for game in played for player in game.result.players if player.name == "ann"
        } == {"remote"}
        assert all(verdict(game.result).endswith("(length, adjudicated, remote)") for game in played)
        spec = load(door.file)
        with closing(Store.open(spec.database, create=True)) as store:
            assert store.tally() == {}
            remote = store.tally(only=REMOTE_GAMES)["quoridor"]
            assert {"ann", "bob"} <= rating_list(store, "quoridor", remote, REMOTE_GAMES).ratings.keys()
        ratings = arena("ratings", "--db", spec.database, cwd=tmp_path).stdout
        assert "ann" in ratings
        assert ratings.count("counted: ") == ratings.count("counted: tournaments of remote bots") == 1
        assert "connected as ann, version 2, in league" in ann.stderr
        ann.send_signal(signal.SIGINT)
        assert ann.wait(20) == 0
        wait_for(lambda: door.states()["ann"] is State.AWAY, "ann is still there")
        wait_for(lambda: "ann" not in door.published(), "ann is still played")
        assert door.states()["bob"] is State.PLAYS


def versions(door: Hub, name: str) -> set[str]:
    return {
        player.version for game in door.against(name) for player in game.result.players if player.name == name
    }


@pytest.mark.parametrize(
    ("what", "end", "words"),
    [
        ("crash", Termination.CRASH, "exit code 1.*no more ideas"),
        ("flood", Termination.FLOOD, "more than 8 MiB"),
        ("line", Termination.FLOOD, "more than 8 MiB"),
        ("silent", Termination.TIME, "did not answer before its time was up"),
    ],
)
def test_a_remote_bot_that_misbehaves_loses_as_an_engine_does_and_costs_nobody_else_a_game(
    tmp_path: Path, what: str, end: Termination, words: str
) -> None:
    with (
        hub(tmp_path, "ann", control="1+0.5" if what == "silent" else "300+0.5") as door,
        ExitStack() as stack,
    ):
        connected(door, stack, "ann", 0, what)
        with forked("run", door.file, "--quiet", cwd=tmp_path) as run:
            wait_for(lambda: len(door.against("ann")) > 0, run.stderr)
            run.send_signal(signal.SIGINT)
            run.wait(60)
        for game in door.stored:
            faults = {player.name: player.forfeit for player in game.result.players if player.forfeit}
            if "ann" in {player.name for player in game.result.players}:
                assert faults == {"ann": end}
                assert re.search(words, game.result.detail), game.result.detail
            else:
                assert not faults
        assert door.pages.returncode is None


def test_a_bot_whose_machine_is_switched_off_is_gone_after_the_grace(tmp_path: Path) -> None:
    keys = 'bots = "remote"\nremote.grace = 2'
    with hub(tmp_path, "ann", door=keys) as door, ExitStack() as stack:
        ann = connected(door, stack, "ann", 0.3)
        with forked("run", door.file, "--quiet", cwd=tmp_path) as run:
            wait_for(lambda: "game 1 starts" in ann.stderr, run.stderr)
            time.sleep(1)  # until the bot has said something
            ann.kill()
            wait_for(lambda: len(door.against("ann")) > 0, run.stderr)
            run.send_signal(signal.SIGINT)
            run.wait(60)
        result = door.against("ann")[0].result
        assert result.reason == "gone"
        assert "was gone: it was not connected for 2 s in this game" in result.detail
        assert verdict(result).endswith("wins (gone, remote)")


def test_a_game_goes_on_when_the_pages_are_killed_and_started_again(tmp_path: Path) -> None:
    with hub(tmp_path, "ann") as door, ExitStack() as stack:
        ann = connected(door, stack, "ann", 0.4)
        with forked("run", door.file, "--quiet", cwd=tmp_path) as run:
            wait_for(lambda: "game 1 starts" in ann.stderr, run.stderr)
            time.sleep(1)
            door.pages.kill()
            door.pages.wait(20)
            with forked("door", "pages", door.file, "--port", door.port, cwd=tmp_path) as pages:
                wait_for(lambda: len(door.against("ann")) > 0, run.stderr + pages.stderr)
                run.send_signal(signal.SIGINT)
                run.wait(60)
        assert door.against("ann")[0].result.termination is Termination.ADJUDICATED
        assert "the line is gone; the bot plays on meanwhile" in ann.stderr


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("http://127.0.0.1:{port}/door/enter/wrong", "this link does not work, or works no more"),
        ("ftp://127.0.0.1/door/enter/x", "is no link of a door"),
        ("http://127.0.0.1:{port}/elsewhere", "is no link of a door"),
    ],
)
def test_a_wrong_address_or_token_is_one_sentence(served: Hub, link: str, words: str) -> None:
    done = arena("connect", link.format(port=served.port), *bot(0), cwd=served.file.parent)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://127.0.0.1:1", "Connection refused"),
        ("http://nowhere.invalid", "[a-zA-Z' ]+"),
        ("http://127.0.0.1:99999", "Port out of range 0-65535"),
        ("https://127.0.0.1:{port}", r"\[SSL.*"),
    ],
)
def test_a_door_that_cannot_be_reached_yet_is_tried_until_the_author_stops_it(
    served: Hub, address: str, why: str
) -> None:
    address = address.format(port=served.port)
    with forked("connect", f"{address}/door/enter/x", *bot(0), cwd=served.file.parent) as ann:
        wait_for(lambda: ann.stderr.endswith("; trying again\n"), "it does not say that it tries again")
        ann.send_signal(signal.SIGTERM)
        assert ann.wait(20) == 0
        assert re.fullmatch(rf"{address} cannot be reached \(.*{why}\); trying again\n", ann.stderr)
        assert "exception" not in ann.stderr


class Proxy(BaseHTTPRequestHandler):
    """A proxy that answers for a door that is not there yet; at last the door itself refuses the bot."""

    answers: Iterator[tuple[int, dict[str, str], bytes]]

    def do_GET(self) -> None:
        status, headers, body = next(self.answers)
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def test_only_what_the_door_itself_refuses_ends_the_command(tmp_path: Path) -> None:
    Proxy.answers = iter(
        [
            (404, {}, b"<html>"),
            (502, {"location": "https://proxy.example.org/"}, b"no upstream"),
            (308, {"location": "https://arena.example.org/door/connect?session=1"}, b""),
            (429, {}, b"too many lines"),
            (400, {REFUSES: "yes"}, b"the door is closed"),
        ]
    )
    with HTTPServer(("127.0.0.1", 0), Proxy) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        done = arena("connect", f"{address}/door/enter/x", *bot(0), cwd=tmp_path)
        server.shutdown()
        thread.join()
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        *(
            f"{address} cannot be reached ({why}); trying again"
            for why in (
                "HTTP 404",
                "no upstream",
                "HTTP 308; it has moved to https://arena.example.org",
                "too many lines",
            )
        ),
        f"error: the door at {address} answers: the door is closed",
    ]


@pytest.mark.parametrize(
    "answer", [b"garbage\n\n", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nz\r\n"]
)
def test_a_server_that_speaks_another_protocol_is_tried_again(tmp_path: Path, answer: bytes) -> None:
    class Other(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65_536)
            self.request.sendall(answer)

    with TCPServer(("127.0.0.1", 0), Other) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        with forked("connect", f"{address}/door/enter/x", *bot(0), cwd=tmp_path) as ann:
            wait_for(lambda: "again\n" in ann.stderr or ann.returncode is not None, "it says nothing")
            ann.send_signal(signal.SIGTERM)
            assert ann.wait(20) == 0
            why = "what answers speaks another protocol"
            assert ann.stderr == f"{address} cannot be reached ({why}); trying again\n"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("signalled", ["before", "while"])
def test_when_the_door_is_away_a_signal_ends_the_client_and_its_bot(tmp_path: Path, signalled: str) -> None:
    with hub(tmp_path, "ann") as door, ExitStack() as stack:
        ann = connected(door, stack, "ann", 0.4)
        with forked("run", door.file, "--quiet", cwd=tmp_path):
            wait_for(lambda: "game 1 starts" in ann.stderr, "no game starts")
            if signalled == "before":
                ann.send_signal(signal.SIGTERM)
                wait_for(lambda: "it starts no new game" in ann.stderr, "it does not wait for the game")
            door.pages.kill()
            wait_for(lambda: "cannot be reached" in ann.stderr, "it does not see that the door is away")
            if signalled == "while":
                ann.send_signal(signal.SIGTERM)
            ann.wait(20)
        assert not with_argument(BOT.name, tmp_path)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A door that several tests use."""
    with hub(tmp_path_factory.mktemp("served"), "ann", "bob") as door:
        yield door


def test_a_change_of_a_bot_that_waits_is_a_new_version_before_its_next_game(
    tmp_path: Path, served: Hub
) -> None:
    script = tmp_path / "bob.py"
    script.write_text(BOT.read_text())
    words = ["connect", served.links["bob"], "--", sys.executable, script, 0]
    with forked(*words, cwd=tmp_path) as bob:
        wait_for(lambda: "connected as bob" in bob.stderr, "bob does not connect")
        script.write_text(f"# another version\n{BOT.read_text()}")
        wait_for(lambda: bob.stderr.count("connected as bob") == 2, "the door is not told")
        first, second = map(int, re.findall(r"connected as bob, version (\d+)", bob.stderr))
        assert second == first + 1


def test_ctrl_c_lets_the_games_end_and_the_bot_loses_none_while_it_is_away(tmp_path: Path) -> None:
    keys = 'bots = "remote"\nremote.grace = 2'
    with hub(tmp_path, "ann", door=keys) as door:
        script = tmp_path / "ann.py"
        script.write_text(f"import sys\nprint('started', file=sys.stderr, flush=True)\n{BOT.read_text()}")
        with (
            forked("connect", door.links["ann"], "--", sys.executable, script, 0.1, cwd=tmp_path) as ann,
            forked("run", door.file, "--quiet", cwd=tmp_path) as run,
        ):
            wait_for(lambda: "game 2 starts" in ann.stderr, run.stderr)
            ann.send_signal(signal.SIGINT)
            assert ann.wait(60) == 0
            assert "game 2 is over" in ann.stderr
            assert re.findall(r"^game (\d): started$", ann.stderr, re.MULTILINE) == ["1", "2"]
            assert f"your page, with your place and your games: {door.links['ann']}\n" in ann.stderr
            told = r"stored as game \d+ against (?:one|two), as player [12]: drew \(length\); place \d of 3"
            assert len(re.findall(told, ann.stderr)) == 2
            wait_for(lambda: "ann" not in door.published(), "ann is still played")
            run.send_signal(signal.SIGINT)
            run.wait(60)
        counted = [game.result for game in door.against("ann") if game.result.counts]
        assert [(result.reason, result.detail) for result in counted] == [("length", "")] * 2


def test_both_clients_of_one_link_hear_of_each_other(served: Hub) -> None:
    words = ("connect", served.links["bob"], *bot(0))
    with forked(*words, cwd=served.file.parent) as first:
        wait_for(lambda: "connected as bob" in first.stderr, first.stderr)
        assert "another `arena connect`" not in first.stderr
        with forked(*words, cwd=served.file.parent) as second:
            for process in (first, second):
                wait_for(
                    lambda process=process: "another `arena connect` with your link" in process.stderr,
                    "no word",
                )


def test_what_a_bot_writes_to_standard_error_has_the_number_of_its_game_and_an_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    notes = _Notes(7)
    notes.add(b"half a ")
    notes.add(b"line\n\x1b[31mred\nunfinished")
    notes.end()
    assert capsys.readouterr().err.splitlines() == [
        "game 7: half a line",
        "game 7: ?[31mred",
        "game 7: unfinished",
    ]
    for _ in range(3):
        notes.add(b"x" * 60_000)
    notes.end()
    last = capsys.readouterr().err.splitlines()
    assert len(last) == 2
    assert len(last[0]) < 1 << 16
    assert last[1].endswith("is not shown)")


def test_a_bot_that_changes_too_often_plays_on_under_its_last_version(tmp_path: Path) -> None:
    with hub(tmp_path, "ann") as door, both(door) as (desk, _, ann):
        desk.door = replace(desk.door, most_a_day=2)
        assert [desk.connect(ann, digest * 16, is_new=False, plays=False) for digest in "abcd"] == [
            1,
            2,
            2,
            2,
        ]


def test_a_missing_program_is_named_before_anything_is_sent(served: Hub) -> None:
    done = arena("connect", served.links["ann"], "--", "./nothing", cwd=served.file.parent)
    assert done.returncode == 2
    assert "there is no file" in done.stderr
    done = arena("connect", served.links["ann"], cwd=served.file.parent)
    assert (done.returncode, "name the engine's command after --" in done.stderr) == (2, True)


def test_each_door_takes_what_its_file_says(tmp_path: Path, served: Hub) -> None:
    bot_file = tmp_path / "bot.py"
    bot_file.write_text("print()")
    done = arena("submit", "--to", served.links["ann"], bot_file, cwd=tmp_path)
    assert (done.returncode, "with `arena connect`" in done.stderr) == (2, True)
    with hub(tmp_path, "ann", door="") as door:
        done = arena("connect", door.links["ann"], *bot(0), cwd=tmp_path)
        assert (done.returncode, "with `arena submit`" in done.stderr) == (2, True)


HOSTILE: dict[str, bytes] = {
    "speaks without a game": Frame(DATA, 1).packed(),
    "sends no frame": b"\xff" * 100,
    "sends a huge message": b"x" * 100_000,
    "answers what nobody asked": b"pong 0 0\n",
    "pretends to be the server": b"back 0 0\n",
}


async def until_closed(
    door: Hub, headers: list[tuple[bytes, bytes]], number: int = 0, message: bytes = b""
) -> int:
    """Open a line, say something, and answer no ping; return the status of a refusal, or 0."""
    target = f"/door/connect?session={number:032}&files={'0' * 16}"
    try:
        async with open_line(f"http://127.0.0.1:{door.port}", target, headers) as line:
            try:
                if message:
                    await line.send_message(message)
                while True:
                    await line.get_message()
            except ws.ConnectionClosed:
                return 0
    except ws.ConnectionRejected as error:
        return error.status_code
    raise AssertionError("a line has no end")


def bearer(link: str) -> list[tuple[bytes, bytes]]:
    return [(b"authorization", f"Bearer {link.rpartition('/')[2]}".encode())]


@pytest.mark.parametrize("what", HOSTILE)
def test_a_line_that_does_not_keep_to_the_rules_is_closed_and_the_door_stays_open(
    served: Hub, what: str
) -> None:
    async def break_rules() -> None:
        with trio.fail_after(5):  # a silent line would be closed later
            assert await until_closed(served, bearer(served.links["bob"]), 0, HOSTILE[what]) == 0

    trio.run(break_rules)
    assert served.pages.returncode is None


def test_silent_lines_are_closed_and_only_some_are_open_at_the_same_time(served: Hub) -> None:
    ends: list[int] = []

    async def hold(number: int) -> None:
        ends.append(await until_closed(served, bearer(served.links["ann"]), number))

    async def open_many() -> None:
        with trio.fail_after(40):
            async with trio.open_nursery() as nursery:
                for number in range(6):
                    nursery.start_soon(hold, number)

    trio.run(open_many)
    assert ends == [429, 429, 0, 0, 0, 0]


def test_a_line_that_its_bot_has_replaced_is_closed_though_it_talks(served: Hub) -> None:
    async def talk(line: ws.WebSocketConnection) -> None:
        while True:
            await trio.sleep(1)
            await line.send_message(Frame(DATA, 1).packed())

    async def replace() -> None:
        headers, target = bearer(served.links["ann"]), f"/door/connect?session={7:032}&files={'0' * 16}"
        address = f"http://127.0.0.1:{served.port}"
        with trio.fail_after(20):
            async with open_line(address, target, headers) as old, open_line(address, target, headers):
                with pytest.raises(ws.ConnectionClosed) as closed:
                    await talk(old)
        assert closed.value.reason is not None
        assert closed.value.reason.code == OVER

    trio.run(replace)


class LineOfFrames:
    """A line on which these frames come, one after another, and then nothing more."""

    closed = None

    def __init__(self, *frames: Frame) -> None:
        self.frames = list(frames)
        self.answers: list[Frame] = []

    async def get_message(self) -> bytes | str:
        await trio.testing.wait_all_tasks_blocked()
        return self.frames.pop(0).packed() if self.frames else "no frame"

    async def send_message(self, data: bytes) -> None:
        self.answers.append(unpacked(data))


async def test_the_machine_at_home_answers_each_message_immediately_and_takes_each_once() -> None:
    game = _Game()
    started: list[int] = []

    async def carried(*frames: Frame) -> list[Frame]:
        line: Any = LineOfFrames(*frames)
        await _carry(line, game, lambda: started.append(1), lambda: False)
        return line.answers

    go, ping = Frame(DATA, 1, payload=b"go\n"), Frame(PING)
    assert await carried(ping, Frame(BACK), go, ping) == [
        Frame(PONG),
        Frame(PONG),
        Frame(PONG, got=1),
        Frame(PONG, got=1),
    ]
    game.number = 1
    game.line.say(DATA, b"bestmove e2\n")
    move = Frame(DATA, 1, 1, b"bestmove e2\n")
    assert await carried(Frame(BACK), go) == [Frame(PONG, got=1), move]  # both lack the other's last frame
    assert await carried(Frame(BACK, got=1), ping) == [Frame(PONG, got=1), Frame(PONG, got=1)]
    assert (game.line.read(), started) == (b"go\n", [1])


@contextmanager
def both(door: Hub) -> Iterator[tuple[Desk, DoorRegister, Participant]]:
    """The desk of a door that takes files and bots at home, and a participant who has handed in nothing."""
    spec = load(door.file)
    with closing(Store.open(spec.database, create=True)) as store:
        folder = DoorFolder(spec.path.parent / DOOR)
        register = DoorRegister(store, spec.name)
        yield Desk(spec, DoorKeys(bots="both"), store, folder), register, register.participants()[0]


def upload(register: DoorRegister, who: Participant, digest: str) -> Submission:
    plan = asdict(Plan("", (), ("{python}", "{cwd}/bot.py", "0"), "bot.py"))
    return register.hand_in(who.id, digest, "bot.py", plan, 20)


def test_of_files_and_a_bot_at_home_the_last_that_came_plays(tmp_path: Path) -> None:
    with hub(tmp_path, "ann") as door, both(door) as (desk, register, ann):

        def states() -> list[State]:
            return [version.state for version in reversed(register.submissions())]

        def comes(digest: str, *, is_new: bool = False, plays: bool = False) -> int:
            return desk.connect(ann, digest * 16, is_new=is_new, plays=plays)

        assert comes("a", is_new=True) == 1
        files = upload(register, ann, "c")
        assert comes("a") == 1
        assert states() == [State.PLAYS, State.WAITING]  # the line has come back while the files wait
        register.move_on(files.id, State.PLAYS)
        assert comes("a", plays=True) == 1
        with pytest.raises(ArenaError, match="version 2, which you handed in, has taken its place; start"):
            comes("b")
        assert states() == [State.REPLACED, State.PLAYS]
        assert comes("a", is_new=True) == 1
        assert states() == [State.PLAYS, State.REPLACED]
        assert comes("b") == 3
        assert states() == [State.REPLACED, State.REPLACED, State.PLAYS]


def test_the_author_at_home_and_the_organiser_see_that_max_games_are_played(tmp_path: Path) -> None:
    reached = "all games of max_games are played; it goes on when max_games is raised in the file"
    with hub(tmp_path, "ann", "bob", keys="max_games = 4\n") as door, ExitStack() as stack:
        ann = connected(door, stack, "ann", 0)
        run = stack.enter_context(forked("run", door.file, "--quiet", cwd=tmp_path))
        wait_for(
            lambda: f"connected as ann, version 1, in league, without a game: {reached}" in ann.stderr,
            "ann is not told",
        )
        bob = connected(door, stack, "bob", 0)
        wait_for(
            lambda: f"connected as bob, version 1, in league, without a game: {reached}" in bob.stderr,
            "bob is not told",
        )
        headers = {"authorization": f"Bearer {door.links['ann'].rpartition('/')[2]}"}
        request = urllib.request.Request(f"http://127.0.0.1:{door.port}/door/", headers=headers)
        with urllib.request.urlopen(request, timeout=20) as page:
            assert f"No game is played: {reached}." in page.read().decode()
        door.file.write_text(door.file.read_text().replace("max_games = 4", "max_games = 4000"))
        wait_for(
            lambda: ann.stderr.rpartition("connected as")[2].startswith(" ann, version 1, in league\n"),
            "ann is not told that games go on",
        )
        run.send_signal(signal.SIGINT)
        run.wait(60)


@needs("bwrap")
def test_files_that_are_handed_in_end_the_command_at_home_after_its_game(tmp_path: Path) -> None:
    with hub(tmp_path, "ann", door='bots = "both"\nremote.grace = 5') as door, ExitStack() as stack:
        script = tmp_path / "ann.py"
        script.write_text(BOT.read_text())
        words = ["connect", door.links["ann"], "--", sys.executable, script, 0.2]
        ann = stack.enter_context(forked(*words, cwd=tmp_path))
        wait_for(lambda: "ann" in door.published(), ann.stderr)
        with forked("run", door.file, "--quiet", cwd=tmp_path) as run:
            wait_for(lambda: "game 1 starts" in ann.stderr, run.stderr)
            with both(door) as (_, register, who):
                files = upload(register, who, "c")
                built = tmp_path / f"door/engines/{files.id}"
                built.mkdir(parents=True)
                (built / "bot.py").write_text(BOT.read_text())
                register.move_on(files.id, State.PLAYS)
            script.write_text(f"# another version\n{BOT.read_text()}")  # a line that waits comes again
            wait_for(lambda: ann.returncode is not None, ann.stderr)
            run.send_signal(signal.SIGINT)
            run.wait(60)
        assert ann.returncode == 2
        assert "error: the door at " in ann.stderr
        assert "version 2, which you handed in, has taken its place" in ann.stderr
        at_home = [
            game
            for game in door.against("ann")
            if game.result.counts and "remote" in {player.program for player in game.result.players}
        ]
        assert {(game.result.reason, game.result.detail) for game in at_home} == {("length", "")}


def test_no_page_in_a_browser_can_open_a_line(served: Hub) -> None:
    """A browser sends cookies with a WebSocket, and cannot send the header with the token."""

    with closing(Store.open(load(served.file).database, create=True)) as store:
        spec = load(served.file)
        desk = Desk(spec, DoorKeys(bots="remote"), store, DoorFolder(spec.path.parent / DOOR))
        who = desk.enter(served.links["ann"].rpartition("/")[2])
        assert who is not None
        cookie = f"arena_door={desk.cookie(who)}".encode()
    sent = (b"cookie", cookie)
    assert trio.run(until_closed, served, [sent]) == 400
    assert trio.run(until_closed, served, [sent, (b"authorization", b"Basic x")]) == 400
    assert trio.run(until_closed, served, bearer("wrong")) == 401


def test_a_tournament_does_not_become_remote_after_its_first_game(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_text(f'max_games = 1\ntime_control = "5+0.1"\n{KEYS}')
    assert arena("run", file, "--quiet", cwd=tmp_path).returncode == 0
    file.write_text(f'{file.read_text()}[door]\nbots = "remote"\n')
    done = arena("run", file, "--quiet", cwd=tmp_path)
    assert done.returncode == 2
    assert 'the bots of the [door] cannot become "remote", or cease to be' in done.stderr


def test_only_a_file_with_such_a_door_names_a_remote_bot(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    for door in ("", "[door]\n"):
        file.write_text(f'{KEYS}[[engines]]\nname = "ann"\ncommand = "remote:ann"\n{door}')
        with pytest.raises(ArenaError, match=r"an engine remote:NAME comes through a \[door\]"):
            load(file)
    file.write_text(f'{KEYS}[door]\nbots = "both"\n[executor]\nscheduler = "tls://hub:1"\n')
    with pytest.raises(ArenaError, match="only this machine reaches the remote bots"):
        load(file)
