"""`arena serve` as a process, beside `arena run` as another."""

import json
import re
import signal
import socket
from contextlib import closing, contextmanager
from http.client import HTTPConnection

import pytest
from msgspec.structs import astuple

from arena.store import GameSearch, Store
from tests.arena.forked import arena, forked
from tests.arena.run.test_run_process import running, write
from tests.arena.stored import new_store
from tests.processes import wait_for

pytestmark = pytest.mark.system


@contextmanager
def served(folder, port=0, host="127.0.0.1", *options):
    """Serve arena.db; yields the process and the port."""
    with forked("serve", "--port", port, "--host", host, *options, cwd=folder) as process:
        wait_for(lambda: process.stdout.endswith("\n"), "it does not serve")
        yield process, int(re.search(r"serving on http://.+:([0-9]+)\n", process.stdout)[1])


def get(port, address):
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", address)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        return json.loads(answer.read())


def page_of(port):
    """Return the whole address of the page of the only tournament."""
    return f"http://127.0.0.1:{port}{get(port, '/api/tournaments')[0]['url']}"


class Stream:
    """The events of the only tournament."""

    def __init__(self, port, last=""):
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"Last-Event-ID": last} if last else {}
        self._connection.request("GET", get(port, "/api/tournaments")[0]["events"], headers=headers)
        self._answer = self._connection.getresponse()
        assert self._answer.getheader("content-type").startswith("text/event-stream")
        self.last = ""

    def next(self):
        """Return the kind and the data of the next event."""
        while True:
            values = {}
            while line := self._answer.readline().decode().rstrip("\n"):
                name, _, value = line.partition(": ")
                values[name] = value
            if "id" in values:  # else it only says that the server is there
                self.last = values["id"]
                return values["event"], json.loads(values["data"])

    def until(self, condition):
        """Return the events up to the first one that meets a condition."""
        events = [self.next()]
        while not condition(*events[-1]):
            events.append(self.next())
        return events

    def rest(self):
        """Return what comes until the server ends the stream."""
        return self._answer.read()

    def close(self):
        self._connection.close()


def begin(folder):
    """Make a database with a tournament without games."""
    new_store(folder / "arena.db", "t").close()


@pytest.mark.parametrize("concurrency", [1, 3])
def test_who_saw_a_game_start_gets_all_its_plies_and_no_more_games_are_live_than_are_played(
    tmp_path, concurrency
):
    begin(tmp_path)
    file = write(
        tmp_path,
        ("a", "honest"),
        ("b", "honest"),
        ("c", "thinks-a-little"),
        games_per_pairing=8,
        concurrency=concurrency,
    )
    with served(tmp_path) as (_, port):
        stream = Stream(port)
        with running(file) as process:
            plies, slots, ended = {}, {}, {}
            kind, data = stream.next()
            while kind != "state" or data["running"] or not ended:
                games = [data["game"]] if kind == "began" else data.get("games", [])
                for game in games if kind in ("state", "began", "moved") else ():
                    if kind != "moved":
                        plies[game["key"]], slots[game["key"]] = [], game["slot"]
                    if game["key"] in plies:
                        plies[game["key"]][game["first"] :] = game["plies"]
                if kind == "over" and data["key"] in plies:
                    plies[data["key"]][data["first"] :] = data["plies"]
                    ended[data["key"]] = data["url"]
                    slots.pop(data["key"])
                assert sorted(slots.values()) == sorted({*slots.values()} & {*range(concurrency)})
                kind, data = stream.next()
            assert process.wait(60) == 0
        stream.close()
        with closing(Store.open(tmp_path / "arena.db", create=False)) as store:
            records = {record.result.key: record for record in store.finder.records(GameSearch("t"))}
        assert ended.keys() == plies.keys() <= records.keys()
        for key, told in plies.items():
            assert told == [list(astuple(ply)[:5]) for ply in records[key].record]
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            key, address = next(iter(ended.items()))
            connection.request("GET", address)
            assert (
                connection.getresponse()
                .getheader("location")
                .endswith(f"/games/{records[key].result.id}.html")
            )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_although_a_stream_is_open(tmp_path, number):
    begin(tmp_path)
    with served(tmp_path) as (process, port):
        stream = Stream(port)
        stream.next()
        process.send_signal(number)
        assert process.wait(60) == 0
        stream.rest()
        stream.close()
        assert process.stderr == ""


def test_a_server_answers_under_the_address_that_its_user_names(tmp_path):
    begin(tmp_path)

    def answer(port, host):
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("GET", "/", headers={"Host": host})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    with served(tmp_path, 0, "127.0.0.1", "--url", "https://Arena.example.org/") as (_, port):
        for host in ("arena.example.org", f"127.0.0.1:{port}"):
            status, page = answer(port, host)
            assert (status, 'content="https://arena.example.org/picture.png"' in page) == (200, True)
        assert answer(port, "evil.example")[0] == 421
    with served(tmp_path) as (_, port):
        assert answer(port, "arena.example.org")[0] == 421


GET_LIVE = b"GET /api/live HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        GET_LIVE + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
        GET_LIVE + b"Connection: upgrade\r\nUpgrade: H2C\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
    ],
    ids=["an upgrade", "an upgrade without settings", "prior knowledge"],
)
def test_no_request_starts_http_2(tmp_path, request_):
    Store.open(tmp_path / "arena.db", create=True).close()
    with served(tmp_path) as (process, port):
        with socket.create_connection(("127.0.0.1", port), 60) as connection:
            connection.sendall(request_)
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
        expected = b"HTTP/1.1 4" if request_.startswith(b"PRI") else b"HTTP/1.1 200 "
        assert answer.startswith(expected)
        assert b"HTTP/1.1 101" not in answer
        assert get(port, "/api/live") == {"games": 0, "url": "/"}
        assert process.stderr == ""


def test_a_port_that_is_taken_and_a_missing_database_are_named(tmp_path):
    def refused(*words):
        done = arena("serve", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        return line

    assert refused("no.db").startswith("error: no.db: ")
    Store.open(tmp_path / "arena.db", create=True).close()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        why = f"error: cannot listen on 127.0.0.1 port {port}: Address already in use; "
        assert refused("--port", port) == f"{why}--port 0 takes any free port"
    unknown = refused("--host", "no.such.host.example", "--port", "0")
    assert unknown.startswith("error: cannot listen on")
    assert unknown.endswith("; --host must name an address of this machine")


def test_a_server_for_all_addresses_names_one_that_others_can_open(tmp_path):
    Store.open(tmp_path / "arena.db", create=True).close()
    with served(tmp_path, host="0.0.0.0") as (process, port):
        (address,) = re.findall(r"serving on http://(.+):[0-9]+\n", process.stdout)
        assert address != "0.0.0.0"
        with closing(HTTPConnection(address, port, timeout=60)) as connection:
            connection.request("GET", "/api/tournaments")
            assert connection.getresponse().status == 200
