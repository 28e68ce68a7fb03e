"""Messages to a web hook: what is sent, and that no server can hold up a run."""

from __future__ import annotations

import itertools
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trio

from arena import notify
from arena.config import TournamentSpec, load, load_values
from arena.errors import leaves
from arena.events import EngineDisabled, GameBegan, GameEnded, LiveGame, Notice, RunEvent, Stopping
from arena.model import GameRecord, Pairing
from arena.run.tournament import Run as TournamentRun
from arena.store import Store
from tests.arena.forked import arena, forked

Answer = Callable[["Handler"], None]
HOSTILE = Path(__file__).parents[1] / "engines" / "hostile_engine.py"
LONG = 60  # seconds that no test waits if the code is right


@dataclass
class Hook:
    """A web hook: the address, the bodies that it has taken, and the headers and the time of each request."""

    url: str
    taken: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    asked: int = 0
    more: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, count: int, what: str = "taken") -> None:
        with self.more:
            found = getattr(self, what)
            assert self.more.wait_for(lambda: len(getattr(self, what)) >= count, LONG), found

    def events(self) -> list[str]:
        return [body["event"] for body in self.taken]


class Handler(BaseHTTPRequestHandler):
    hook: Hook
    answers: list[Answer]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        hook = self.hook
        with hook.more:
            number, hook.asked = hook.asked, hook.asked + 1
            hook.headers.append(dict(self.headers))
            hook.more.notify_all()
        answer = self.answers[min(number, len(self.answers) - 1)]
        if answer is not takes:
            answer(self)
            return
        with hook.more:
            hook.taken.append(body)
            hook.more.notify_all()
        takes(self)

    def do_GET(self) -> None:
        raise AssertionError("a message must not become a GET")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def takes(handler: Handler) -> None:
    handler.send_response(204)
    handler.end_headers()


def answers(status: int, **headers: str) -> Answer:
    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()

    return answer


def dies(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def serving(*in_turn: Answer) -> Iterator[Hook]:
    """Serve a web hook; the last answer is that to all later requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hook = Hook(f"http://127.0.0.1:{server.server_port}/hooks/SECRET?wait=1")
    server.RequestHandlerClass = type("Own", (Handler,), {"hook": hook, "answers": [*(in_turn or (takes,))]})
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hook
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "_PAUSES", (0.01, 0.01))
    monkeypatch.setattr(notify, "_END_SECONDS", float(LONG))


BEGAN = GameBegan(LiveGame(Pairing(0, "k", "quoridor", ("ann", "<b> & co"))))


class Run:
    """A run of two engines whose events are sent by hand; ``seen`` has what the user sees."""

    def __init__(self, url: str, folder: Path, form: str = "json", **keys: object) -> None:
        engines = [{"name": name, "command": "sample:random"} for name in ("ann", "<b> & co")]
        values = {"game": "quoridor", "engines": engines, "notify": {"url": url, "form": form}, **keys}
        self.spec = load_values(values, folder / "cup").override(database=folder / "cup.db")
        self.seen: list[RunEvent] = []
        self.store()

    def store(self, *records: GameRecord) -> None:
        with closing(Store.open(self.spec.database, create=True)) as opened:
            opened.begin_tournament(self.spec.name, self.spec.settings(), self.spec.plan.encode())
            opened.add_games(records)

    def tell(self, *steps: RunEvent | Callable[[], object], error: BaseException | None = None) -> None:
        """Tell events, and make the calls between them, in a thread as the games are elsewhere."""

        async def play(run: TournamentRun) -> None:
            for step in steps:
                if callable(step):
                    await trio.to_thread.run_sync(step)
                else:
                    for observe in run.observers:
                        observe(step)
            if error is not None:
                raise error

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TournamentRun, "play", play)
            try:
                trio.run(notify.play_and_notify, TournamentRun(self.spec, self.seen.append))
            except BaseException as raised:
                if error is None or list(leaves(raised)) != list(leaves(error)):
                    raise

    def problems(self) -> list[str]:
        return [event.text for event in self.seen if isinstance(event, Notice)]


def test_a_run_tells_its_start_its_disabled_engines_and_its_end(tmp_path: Path) -> None:
    with serving() as hook:
        run = Run(hook.url, tmp_path)
        run.tell(BEGAN, BEGAN, EngineDisabled("ann", "ended with exit code 1; it said @everyone"))
    assert hook.events() == ["start", "disabled", "end"]
    start, disabled, end = hook.taken
    assert start["text"] == "cup: a run of 2 engines starts; 0 games played"
    assert start["engines"] == ["ann", "<b> & co"]
    assert disabled["text"].startswith("cup: ann is disabled, because it failed three times in a row; ")
    assert (disabled["engines"], disabled["detail"]) == (["ann"], "ended with exit code 1; it said @everyone")
    assert (end["state"], end["tournament"], end["leaders"]) == ("ended", "cup", {})
    assert {one["User-Agent"].partition("/")[0] for one in hook.headers} == {"leapfrog-arena"}
    assert {one["Content-Type"] for one in hook.headers} == {"application/json"}
    assert run.problems() == []
    assert [type(event) for event in run.seen] == [GameBegan, GameBegan, EngineDisabled]


@pytest.mark.parametrize(
    ("form", "body"),
    [
        ("discord", {"content": "cup: <b> & co is", "allowed_mentions": {"parse": []}}),
        ("slack", {"text": "cup: &lt;b&gt; &amp; co is"}),
        ("matrix", {"text": "cup: <b> & co is"}),
    ],
)
def test_each_service_gets_its_own_form_without_the_words_of_an_engine(
    form: str, body: dict[str, Any], tmp_path: Path
) -> None:
    with serving() as hook:
        run = Run(hook.url, tmp_path, form=form)
        run.tell(EngineDisabled("<b> & co", "it said <!channel> @everyone"))
    (taken,) = hook.taken
    assert taken.keys() == body.keys()
    key = "content" if form == "discord" else "text"
    assert taken[key].startswith(body[key])
    assert "everyone" not in json.dumps(taken)
    assert taken.get("allowed_mentions") == body.get("allowed_mentions")


@pytest.mark.parametrize(
    ("error", "stopping", "state"),
    [
        (None, False, "ended"),
        (None, True, "stopped"),
        (ValueError("x"), False, "failed"),
        (ExceptionGroup("x", [ValueError("x")]), True, "stopped"),
        (KeyboardInterrupt(), False, "stopped"),
        (BaseExceptionGroup("x", [KeyboardInterrupt()]), False, "stopped"),
    ],
)
def test_the_end_says_whether_the_run_was_stopped_or_failed(
    error: BaseException | None, stopping: bool, state: str, tmp_path: Path
) -> None:
    with serving() as hook:
        run = Run(hook.url, tmp_path)
        run.tell(BEGAN, *([Stopping(1)] if stopping else []), error=error)
    assert hook.taken[-1]["state"] == state
    assert f"the run has {state}" in hook.taken[-1]["text"]


def test_a_new_leader_is_reported_once_and_the_end_names_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: Callable[..., GameRecord]
) -> None:
    monkeypatch.setattr(notify, "_LEADERS_SECONDS", 0.01)
    leaders, looked = notify._leaders, threading.Event()

    def look(spec: TournamentSpec) -> dict[str, tuple[str, ...]]:
        leading = leaders(spec)
        looked.set()
        return leading

    monkeypatch.setattr(notify, "_leaders", look)
    with serving() as hook:
        run = Run(hook.url, tmp_path)
        count = itertools.count(1)
        steps: list[RunEvent | Callable[[], object]] = [
            BEGAN,
            partial(hook.wait_for, next(count)),
            partial(looked.wait, LONG),  # who leads before the first game
        ]
        for number, winner in enumerate(("ann", "ann", "<b> & co", "<b> & co", "<b> & co")):
            places = [(name, 1 if name == winner else 2) for name in ("ann", "<b> & co")]
            game = record(*places, number=number, tournament="cup")
            steps += [partial(run.store, game), GameEnded(game.result)]
            if number in (0, 3, 4):  # ann leads, both are equal, the other one leads
                steps.append(partial(hook.wait_for, next(count)))
        run.tell(*steps)
    told = [(body["game"], body["engines"]) for body in hook.taken if body["event"] == "leader"]
    assert told[0] == ("quoridor", ["ann"])
    assert told[-1] == ("quoridor", ["<b> & co"])
    assert len(told) == len(set(map(str, told)))
    assert hook.taken[-1]["leaders"] == {"quoridor": ["<b> & co"]}
    assert hook.taken[-1]["text"].endswith("5 games played; first in quoridor: <b> & co")


def test_remote_bots_lead_by_the_ratings_of_their_own_list(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    with serving() as hook:
        run = Run(hook.url, tmp_path, format="ladder", door={"bots": "remote"})
        game = record(("ann", 1), ("<b> & co", 2), tournament="cup")
        run.tell(BEGAN, partial(run.store, game), GameEnded(game.result))
    assert hook.taken[-1]["leaders"] == {"quoridor": ["ann"]}
    assert run.problems() == []


def test_games_go_on_if_the_leaders_are_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise KeyError("no such stage")

    monkeypatch.setattr(notify, "_leaders", fail)
    with serving() as hook:
        run = Run(hook.url, tmp_path)
        run.tell(BEGAN)
    assert hook.events() == ["start", "end"]
    assert run.problems() == ["the leaders are not known: 'no such stage'"]


@pytest.mark.parametrize("refusal", [dies, answers(500), answers(503), answers(408), answers(429)])
def test_a_message_is_sent_again_after_a_fault_that_can_pass(refusal: Answer, tmp_path: Path) -> None:
    with serving(refusal, refusal, takes) as hook:
        run = Run(hook.url, tmp_path)
        run.tell(BEGAN)
    assert hook.events() == ["start", "end"]
    assert run.problems() == []


def test_a_server_that_answers_429_gets_the_time_that_it_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        if seconds == notify._LEADERS_SECONDS:
            await trio.sleep_forever()
        waited.append(seconds)

    monkeypatch.setattr(notify, "_LEADERS_SECONDS", 100.0)
    monkeypatch.setattr(trio, "sleep", sleep)
    dated = answers(429, Retry_After="Wed, 21 Oct 2026 07:28:00 GMT")
    late = [answers(429, Retry_After=text) for text in ("7", "2.5", "9999999")]
    with serving(*late[:2], takes, late[2], dated, takes) as hook:
        run = Run(hook.url, tmp_path)
        run.tell(BEGAN)
    assert waited == [7.0, 2.5, 60.0, 0.01]  # months are cut to a minute, and a date is no number of seconds
    assert hook.events() == ["start", "end"]


@pytest.mark.parametrize(
    "refusal", [answers(404), answers(400), answers(401), answers(302, Location="/elsewhere"), answers(307)]
)
def test_a_refusal_that_stays_is_reported_once_and_not_repeated(refusal: Answer, tmp_path: Path) -> None:
    with serving(refusal) as hook:
        run = Run(hook.url, tmp_path)
        run.tell(BEGAN, partial(hook.wait_for, 1, "headers"), EngineDisabled("ann", "x"))
    assert hook.asked == 3  # three messages, one attempt each
    (problem,) = run.problems()
    assert problem.startswith("a message was not sent: 127.0.0.1 answers ")
    assert "SECRET" not in problem


def test_a_server_that_is_not_there_is_named_by_its_host_alone(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        run = Run(f"http://127.0.0.1:{unused.getsockname()[1]}/SECRET", tmp_path)
        run.tell(BEGAN)
    (problem,) = run.problems()
    assert problem == "a message was not sent: 127.0.0.1 cannot be reached: [Errno 111] Connection refused"


@pytest.mark.parametrize("hasty", [False, True])
def test_a_server_that_never_answers_holds_up_neither_the_run_nor_its_end(
    hasty: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "_END_SECONDS", 0.2)
    released = threading.Event()
    with serving(lambda _: released.wait(LONG) and None) as hook:
        run = Run(hook.url, tmp_path)
        disabled = [EngineDisabled(f"engine {number}", "x") for number in range(1000)]
        interrupt = KeyboardInterrupt() if hasty else None
        run.tell(BEGAN, partial(hook.wait_for, 1, "headers"), *disabled, error=interrupt)
        assert not released.is_set()
        assert hook.asked == 1
        released.set()
    assert run.problems() == [
        "messages are left out, because 127.0.0.1 is too slow",
        "not all messages were sent: 127.0.0.1 takes too long",
    ]


FILE = """
game = "quoridor"
time_control = "60"
concurrency = 1
notify = {{ url = "{url}" }}
[adjudication]
plies = 12
"""


def tournament(folder: Path, url: str, *modes: str) -> Path:
    engines = "".join(
        f'[[engines]]\nname = "{mode}"\ncommand = ["{sys.executable}", "-S", "{HOSTILE}", "{mode}"]\n'
        for mode in modes
    )
    file = folder / "t.toml"
    file.write_text(FILE.format(url=url) + engines)
    return file


def test_a_real_run_tells_a_real_server(tmp_path: Path) -> None:
    with serving() as hook:
        tournament(tmp_path, hook.url, "honest", "announces-nothing", "exits-at-start")
        run = arena("run", "t.toml", cwd=tmp_path)
        assert hook.events() == ["start", "disabled", "end"]
        again = arena("run", "t.toml", cwd=tmp_path)
        assert again.returncode == 0
        assert hook.events() == ["start", "disabled", "end"]  # nothing was left to play
    assert run.returncode == 1, run.stderr  # an engine is disabled
    assert hook.taken[0]["text"] == "t: a run of 3 engines starts; 0 of 6 games played"
    assert hook.taken[1]["engines"] == ["exits-at-start"]
    assert hook.taken[2]["text"].startswith("t: the run has ended; 6 of 6 games played; first in quoridor: ")
    assert "SECRET" not in run.stderr
    assert hook.url not in (tmp_path / "arena.db").read_bytes().decode("latin-1")


def test_the_end_of_a_knock_out_that_fewer_games_decide_says_how_many_there_were(tmp_path: Path) -> None:
    with serving() as hook:
        file = tournament(tmp_path, hook.url, "honest", "exits-at-start")
        file.write_text(f'format = "knockout"\n{file.read_text()}')
        run = arena("run", "t.toml", cwd=tmp_path)
    assert hook.taken[0]["text"].endswith("; 0 of at most 8 games played"), run.stderr
    assert hook.taken[-1]["text"] == "t: the run has ended; 2 games played; first in quoridor: honest"


def speaks_no_http(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 \x1b]0;owned\x07\x1b[2J\xc2\x9b31m no number\r\n\r\n")


def test_the_bytes_of_a_server_that_speaks_no_http_do_not_reach_the_terminal(tmp_path: Path) -> None:
    with serving(speaks_no_http) as hook:
        tournament(tmp_path, hook.url, "honest", "announces-nothing")
        with forked("run", "t.toml", cwd=tmp_path, settings={"arena.notify._END_SECONDS": 0.5}) as process:
            _, said = process.communicate(timeout=LONG)
    assert "127.0.0.1 cannot be reached: HTTP/1.1 ?]0;owned" in said
    assert [char for char in said if not (char.isprintable() or char == "\n")] == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('url = "chat.example.org"', "[notify] url: must be the address of a web hook, e.g. "),
        ('url = "ftp://x/y"', "[notify] url: must be the address of a web hook, e.g. "),
        ('url = "https://me:pw@x/y"', "[notify] url: must be the address of a web hook, e.g. "),
        ('url = "https://x/a b"', "[notify] url: must be the address of a web hook, e.g. "),
        ('url = "https://x:99999/y"', "[notify] url: must be the address of a web hook, e.g. "),
        ('url = "https://é/y"', "[notify] url: must be the address of a web hook, e.g. "),
        ('form = "slack"', "notify: the url is missing"),
        ('url = "https://x/y"\nform = "irc"', '[notify] form: this must be "json" or "discord" or "slack"'),
    ],
)
def test_a_wrong_address_or_form_is_one_sentence(line: str, message: str, tmp_path: Path) -> None:
    file = tournament(tmp_path, "https://x", "honest", "announces-nothing")
    file.write_text(file.read_text().replace('notify = { url = "https://x" }', f"[notify]\n{line}\n"))
    run = arena("run", "t.toml", "--dry-run", cwd=tmp_path)
    assert run.returncode == 2
    assert message in run.stderr
    assert run.stderr.count("\n") == 1
    file.write_text(file.read_text().replace(line, 'url = "https://x/a?b=c#d"\nform = "matrix"'))
    assert load(file).notify is not None
