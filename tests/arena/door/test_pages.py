"""The pages of the door: who comes in, what is taken, and what nobody can do to anybody else."""

from __future__ import annotations

import html
import io
import json
import os
import random
import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine
from starlette.testclient import TestClient, WebSocketDenialResponse

from arena.config import load
from arena.door import desk as desk_module
from arena.door.desk import Desk
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, State, token_hash
from arena.door.routes import served
from arena.door.upload import SourceFile, understand
from arena.errors import ArenaError, StoreUnavailable
from arena.store import Store
from arena.web.server.app import LOOPBACK, application
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from referee import Termination
from tests.arena.invoking import invoke
from tests.sample_games import spring

FORM = {"content-type": "application/x-www-form-urlencoded"}
FILE = """
game = "quoridor"
format = "ladder"
engines = [{ name = "a", command = "sh" }, { name = "b", command = "sh" }]
[door]
upload = 20000
most_a_day = 3
"""
HOSTILE = "<script>alert(1)</script>"


@dataclass
class Door:
    client: TestClient
    register: DoorRegister
    desk: Desk
    store: Store

    def invite(self, name: str, *, organiser: bool = False) -> dict[str, str]:
        """Return the headers with which somebody comes in."""
        token = f"token of {name[:3]}"
        self.register.invite({name: token_hash(token)}, organiser=organiser)
        answer = self.client.post(f"/door/enter/{token}", headers=FORM, follow_redirects=False)
        self.client.cookies.clear()
        return {"cookie": answer.headers["set-cookie"].partition(";")[0]}

    def upload(self, who: dict[str, str], content: bytes = b"print()", name: str = "bot.py"):
        return self.client.post(
            "/door/hand-in", headers=who, files={"file": (name, content)}, follow_redirects=False
        )


@contextmanager
def served_door(file: Path) -> Iterator[tuple[TestClient, DoorRegister, Desk, Store]]:
    """Serve the pages of the door of a tournament file."""
    spec = load(file)
    assert spec.door is not None
    store = Store.open(spec.database, create=True)
    desk = Desk(spec, spec.door, store, DoorFolder(file.parent / "door"))
    databases = Databases([store])
    app = application(databases, Broadcast(databases), LOOPBACK, door=served(desk))
    with TestClient(app, base_url="http://localhost", backend="trio") as client:
        yield client, DoorRegister(store, spec.name), desk, store
    store.close()


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    file = tmp_path / "league.toml"
    file.write_text(FILE)
    with served_door(file) as parts:
        yield Door(*parts)


@pytest.mark.parametrize(
    ("url", "known"),
    [("http://127.0.0.1:8321", ""), ("http://localhost", ""), ("https://a.example", "https://a.example")],
)
def test_an_address_of_this_machine_is_not_told_to_other_programs(door: Door, url: str, known: str) -> None:
    door.desk.door = replace(door.desk.door, url=url)
    assert served(door.desk).url == known


@pytest.mark.parametrize("by", ["the line that comes back", "the switchboard"])
def test_an_old_version_at_home_stays_replaced_when_two_writes_race(
    door: Door, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    door.desk.door = replace(door.desk.door, bots="both")
    door.invite("ann")
    (ann,) = door.register.participants()
    door.desk.connect(ann, "1", is_new=True, plays=False)
    door.register.set_present(())
    files = door.register.hand_in(ann.id, "2", "bot.py", {"command": ["x"], "build": []}, 9)
    move_on = DoorRegister.move_on

    def comes_late(register: DoorRegister, number: int, *values: State, **more: State) -> bool:
        monkeypatch.undo()
        move_on(register, files.id, State.PLAYS)
        return move_on(register, number, *values, **more)

    monkeypatch.setattr(DoorRegister, "move_on", comes_late)
    if by == "the switchboard":
        door.register.set_present({"ann"})
    else:
        with pytest.raises(ArenaError, match="version 2, which you handed in, has taken its place"):
            door.desk.connect(ann, "1", is_new=False, plays=False)
    assert [version.state for version in door.register.submissions()] == [State.PLAYS, State.REPLACED]


def test_a_bot_that_comes_again_does_not_wait_behind_pages(door: Door) -> None:
    portal = door.client.portal
    assert portal is not None
    threads = portal.call(anyio.to_thread.current_default_thread_limiter)

    async def make_pages() -> None:
        for number in range(int(threads.total_tokens)):
            threads.acquire_on_behalf_of_nowait(number)
        await anyio.sleep(20)
        for number in range(int(threads.total_tokens)):
            threads.release_on_behalf_of(number)

    made = portal.start_task_soon(make_pages)
    token = {"authorization": "Bearer unknown"}
    with (
        pytest.raises(WebSocketDenialResponse),
        door.client.websocket_connect("/door/connect", headers=token),
    ):
        pass
    assert not made.done()
    made.cancel()


# --- the games of one's engine


def test_lost_games_are_shown_with_the_words_of_the_participants_engine_and_of_no_other(
    door: Door, tmp_path: Path
) -> None:
    door.desk.spec = replace(door.desk.spec, log=tmp_path / "log")
    records = [record for record in spring() if record.result.termination is Termination.CRASH]
    (record,) = [
        replace(record, result=replace(record.result, tournament=door.desk.spec.name)) for record in records
    ]
    door.store.begin_tournament(door.desk.spec.name, {"time_control": "10+0.1"})
    door.store.add_games([record])
    names = [player.name for player in record.result.players]
    (loser,) = [player.name for player in record.result.players if player.forfeit]
    (winner,) = set(names) - {loser}
    for seat, name in enumerate(names):
        for retry in ("", ".2"):  # the game was void at first
            file = tmp_path / "log" / f"{record.result.number + 1}-{seat + 1}-{name}{retry}.log"
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"words to {name}{retry}")
    loser_in, other, organiser = door.invite(loser), door.invite(winner), door.invite("t", organiser=True)
    page = html.unescape(door.client.get("/door/", headers=loser_in).text)
    assert all(text in page for text in (record.result.detail, "/door/transcripts/1"))
    assert record.final_position not in page  # it means nothing to most readers: the board draws it
    own = page[: page.index("Ask for a game")]  # it starts with where the engine is
    assert all(text in own for text in ("Place <b>", "Rating in", f"against {winner}", "/games/1.html"))
    assert all(text in own for text in ("<b>3</b> versions a day", "20\u202f000</b> bytes", "no deadline"))
    teacher = html.unescape(door.client.get("/door/", headers=organiser).text)
    assert "<h2>2 participants</h2>" in teacher
    assert "arena door invite" in teacher
    lost_part = page[page.index("Lost games") :]
    assert re.search(r'<svg class="board .*</svg>', lost_part, re.DOTALL)
    assert f"/games/1.html#ply={len(record.record)}" in lost_part
    assert re.search(r'Rating in Quoridor, two players, game by game.*class="series s1"', page, re.DOTALL)
    assert "Lost games" not in door.client.get("/door/", headers=other).text
    (league,) = re.findall(r'<a href="(/tournaments/league-[^"/]*/)">league</a>', page)
    assert '<a href="/door/">Take part</a>' in door.client.get(league).text
    answers = {who: door.client.get("/door/transcripts/1", headers=headers) for who, headers in
            {"own": loser_in, "other": other, "organiser": organiser, "nobody": {}}.items()}  # fmt: skip
    assert answers["own"].text == f"words to {loser}.2"
    assert answers["other"].text == f"words to {winner}.2"
    assert (answers["organiser"].status_code, answers["nobody"].status_code) == (404, 401)
    assert door.client.get("/door/transcripts/2", headers=loser_in).status_code == 404
    seat = names.index(loser)
    kept = tmp_path / "log" / loser / f"{record.result.number + 1}-{seat + 1}-{loser}.log"
    kept.parent.mkdir()
    kept.write_text("words of a lost game")
    assert door.client.get("/door/transcripts/1", headers=loser_in).text == "words of a lost game"
    kept.write_text("a line of a long dialogue\n" * 100_000)
    (who,) = [who for who in door.register.participants() if who.name == loser]
    pieces = door.desk.transcript(1, who)
    assert pieces is not None
    assert max(map(len, pieces)) < 100_000  # so the memory never has it whole
    door.desk.spec = replace(door.desk.spec, log=None)
    assert door.client.get("/door/transcripts/1", headers=loser_in).status_code == 404


def crashes(door: Door, name: str, many: int, first: int = 0) -> None:
    """Store games in which version 1 of an engine crashed."""
    tournament = door.desk.spec.name
    (crash,) = [record for record in spring() if record.result.termination is Termination.CRASH]
    players = tuple(
        replace(player, name=name, version="1") if player.forfeit else player
        for player in crash.result.players
    )
    door.store.begin_tournament(tournament, {"time_control": "10+0.1"})
    results = [
        replace(crash.result, tournament=tournament, players=players, number=number, key=f"quoridor:{number}")
        for number in range(first, first + many)
    ]
    door.store.add_games([replace(crash, result=result) for result in results])


@pytest.mark.parametrize("many", [2, 3])
def test_everybody_who_may_see_a_version_sees_that_it_is_disabled(door: Door, many: int) -> None:
    ann, boss = door.invite("ann"), door.invite("boss", organiser=True)
    door.upload(ann, b"1")
    door.register.move_on(1, State.PLAYS)
    crashes(door, "ann", many)
    remark = "disabled: failed 3 times in a row; hand in a new version"
    pages = [("/door/", ann), ("/door/", boss), ("/door/submissions/1", ann), ("/door/submissions/1", boss)]
    texts = [door.client.get(path, headers=who).text for path, who in pages]
    assert [remark in text for text in texts] == [many == 3] * 4
    assert ["It plays in the tournament." in text for text in texts] == [False, False] + [many < 3] * 2
    assert [text.count(">disabled</span>") for text in texts] == ([2, 2, 1, 1] if many == 3 else [0] * 4)
    listed = invoke("door", "list", door.desk.spec.path, "--json").output
    assert [row["problem"] for row in json.loads(listed)] == [remark if many == 3 else "", ""]
    door.upload(ann, b"2")
    door.register.move_on(2, State.PLAYS)
    assert remark not in door.client.get("/door/", headers=ann).text


def test_the_organisers_page_asks_the_database_as_often_for_many_engines_as_for_one(door: Door) -> None:
    boss = door.invite("boss", organiser=True)
    queries: list[str] = []
    counts = []
    for number in range(6):
        name = f"{number}th"
        door.upload(door.invite(name))
        door.register.move_on(number + 1, State.PLAYS)
        crashes(door, name, 3, first=3 * number)
        door.client.get("/door/", headers=boss)  # the list of tournaments is read again after each game
        event.listen(Engine, "before_cursor_execute", listener := lambda *seen: queries.append(seen[2]))
        page = door.client.get("/door/", headers=boss).text
        event.remove(Engine, "before_cursor_execute", listener)
        counts.append(len(queries))
        queries.clear()
    assert "disabled: failed 3 times in a row" in page
    assert counts == counts[:1] * 6


# --- at home


def test_the_command_that_tries_a_fault_at_home_is_shown_to_its_participant_and_the_organiser(
    door: Door,
) -> None:
    ann, bob, boss = door.invite("ann"), door.invite("bob"), door.invite("boss", organiser=True)
    door.upload(ann)
    door.register.note("record", "a game", 1)
    door.register.note("home", f"arena check --turn 1:4 -- python3 {HOSTILE}", 1)
    page = door.client.get("/door/submissions/1", headers=ann).text
    assert f"arena check --turn 1:4 -- python3 {HOSTILE}" in html.unescape(page)
    assert HOSTILE not in page
    (file,) = re.findall(r"/door/submissions/1/game-\d+\.jsonl", page)
    assert [door.client.get(file, headers=who).text for who in (ann, boss)] == ["a game"] * 2
    assert [door.client.get(file, headers=who).status_code for who in (bob, {})] == [404, 401]
    assert door.client.get("/door/submissions/1/game-1.jsonl", headers=ann).status_code == 404


def test_a_lost_game_has_the_command_that_tries_its_last_turn_at_home(door: Door) -> None:
    record = next(record for record in spring() if record.result.termination is Termination.CRASH)
    (loser,) = [player.name for player in record.result.players if player.forfeit]
    door.store.begin_tournament(door.desk.spec.name, {"time_control": "10+0.1"})
    door.store.add_games([replace(record, result=replace(record.result, tournament=door.desk.spec.name))])
    page = door.client.get("/door/", headers=door.invite(loser)).text
    assert "arena check --turn 1:4 --trace --db lost.db -- CMD" in page


# --- coming in


def test_a_link_shows_whose_it_is_and_only_its_button_gives_the_cookie(door: Door) -> None:
    door.register.invite({"ann": token_hash("secret")})
    shown = door.client.get("/door/enter/secret")
    assert "Come in as ann" in shown.text
    assert "set-cookie" not in shown.headers
    cookie = door.client.post("/door/enter/secret", headers=FORM, follow_redirects=False).headers[
        "set-cookie"
    ]
    assert {"HttpOnly", "Path=/door", "SameSite=lax"} <= set(cookie.split("; "))
    assert "secret" not in cookie
    assert "<h1>ann</h1>" in door.client.get("/door/").text


def test_behind_a_proxy_with_tls_the_cookie_is_secure(door: Door) -> None:
    door.register.invite({"ann": token_hash("secret")})
    headers = {**FORM, "x-forwarded-proto": "https"}
    answer = door.client.post("/door/enter/secret", headers=headers, follow_redirects=False)
    assert "Secure" in answer.headers["set-cookie"]


@pytest.mark.parametrize("cookie", ["", "x", "WzEsImEiXQ.aaaa.bbbb", "a.b.c.d", "\u00e9"])
def test_without_a_cookie_or_with_a_forged_one_nobody_comes_in(door: Door, cookie: str) -> None:
    door.invite("ann")
    answer = door.client.get("/door/", headers={"cookie": f"arena_door={cookie}".encode()})
    assert (answer.status_code, "ann" in answer.text) == (401, False)


def test_a_guessed_link_opens_nothing(door: Door) -> None:
    door.invite("ann")
    for guess in ("1", token_hash("token of ann"), "..%2F..", "%01", "a" * 5000):
        answer = door.client.get(f"/door/enter/{guess}")
        assert (answer.status_code, "This link does not work" in answer.text) == (404, "%2F" not in guess)
        assert door.client.get("/door/", headers={"authorization": f"Bearer {guess}"}).status_code == 401


def test_a_cookie_ends_with_its_link_and_with_time(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bob = door.invite("ann"), door.invite("bob")
    door.register.change("ann", token=token_hash("another"))
    assert door.client.get("/door/", headers=ann).status_code == 401
    assert door.client.get("/door/", headers=bob).status_code == 200
    monkeypatch.setattr(desk_module, "COOKIE_SECONDS", -1)
    assert door.client.get("/door/", headers=bob).status_code == 401
    monkeypatch.undo()
    door.register.change("bob", state="removed")
    assert door.client.get("/door/", headers=bob).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site", "origin": "http://localhost"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_page_of_another_site_can_do_nothing(door: Door, headers: dict[str, str]) -> None:
    ann, boss = door.invite("ann"), door.invite("boss", organiser=True)
    assert door.upload({**ann, **headers}).status_code == 403
    for address in ("/door/leave", "/door/enter/token of ann", "/door/organiser/note"):
        assert door.client.post(address, headers={**boss, **FORM, **headers}).status_code == 403
    assert door.register.submissions() == []


# --- handing in


def test_what_is_handed_in_is_understood_and_waits(door: Door) -> None:
    ann = door.invite("ann")
    answer = door.upload(ann)
    assert (answer.status_code, answer.headers["location"]) == (303, "/door/submissions/1")
    text = door.client.get("/door/submissions/1", headers=ann).text
    assert "Python (by bot.py): not built, started by `{python} bot.py`" in text
    assert "You are next" in text
    assert door.register.submissions()[0].state is State.WAITING


def test_a_folder_is_handed_in_as_an_archive_by_a_program(door: Door) -> None:
    door.invite("ann")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo("bot/engine.py")
        archive.addfile(member)
    headers = {"authorization": "Bearer token of ann", "accept": "application/json"}
    answer = door.upload(headers, buffer.getvalue(), "bot.tar.gz")
    assert (answer.status_code, answer.json()) == (201, {"submission": 1, "version": 1})
    answer = door.client.get("/door/submissions/1", headers=headers).json()
    assert answer["state"] == "waiting"
    assert "engine.py" in answer["lines"][0]["text"]


def test_a_refused_upload_is_explained_and_nothing_of_it_stays(door: Door) -> None:
    ann = door.invite("ann")
    answer = door.upload(ann, b"", "notes.txt")
    assert answer.status_code == 400
    assert "the upload has no source file" in answer.text
    answer = door.upload({**ann, "accept": "application/json"}, b"", "notes.txt")
    assert "no source file" in answer.json()["error"]
    assert list((door.desk.spec.path.parent / "door" / "submissions").iterdir()) == []


def test_what_the_quota_refuses_takes_no_space_and_the_files_of_others_stay(door: Door) -> None:
    ann, bob = door.invite("ann"), door.invite("bob")
    for number in range(8):
        door.upload(ann, f"{number}".encode())
    assert door.upload(bob, b"0").status_code == 303
    assert door.upload(ann, b"0").status_code == 400
    kept = {path.stem for path in (door.desk.spec.path.parent / "door" / "submissions").iterdir()}
    assert kept == {version.digest for version in door.register.submissions()}
    assert len(kept) == 3


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_locked_database_refuses_no_upload_for_good_and_does_not_tell_where_it_is(
    door: Door, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, accept: str
) -> None:
    ann = door.invite("ann") | {"accept": accept}

    def locked(*_: object) -> None:
        raise StoreUnavailable(f"{door.store.address}: is locked by another program")

    with monkeypatch.context() as patch:
        patch.setattr(Desk, "hand_in", locked)
        answer = door.upload(ann)
    assert answer.status_code == 503
    assert "rena.db: is locked by another program" in answer.text
    assert str(tmp_path) not in answer.text
    assert door.upload(ann).status_code in (201, 303)


def test_the_size_of_an_upload_is_counted_and_not_believed(door: Door) -> None:
    ann = door.invite("ann")
    refused = door.upload({**ann, "accept": "text/html"}, bytes(50_000))
    assert (refused.status_code, 'href="/door/"' in refused.text) == (413, True)

    def body() -> Iterator[bytes]:
        yield b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.py"\r\n\r\n'
        for _ in range(100):
            yield bytes(1000)

    headers = {**ann, "content-type": "multipart/form-data; boundary=x"}
    assert door.client.post("/door/hand-in", headers=headers, content=body()).status_code == 413
    for length in ("-1", "1e9", "9" * 5000):
        lying = {**headers, "content-length": length}
        assert door.client.post("/door/hand-in", headers=lying, content=b"").status_code == 413
    assert door.register.submissions() == []
    assert door.client.post("/door/ask", headers=ann, data={"game": "x" * 10_000}).status_code == 413


@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=x", b"nothing"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\ncontent-disposition: form-data; name="file"\r\n\r\ntext\r\n--x--\r\n',
        ),
        ("multipart/form-data; boundary=x", b"--x\r\n" + b"a: b\r\n" * 2000),
        ("application/x-www-form-urlencoded", b"file=x"),
    ],
)
def test_a_form_that_is_none_is_refused_with_a_sentence(
    door: Door, content_type: str, content: bytes
) -> None:
    headers = {**door.invite("ann"), "content-type": content_type}
    answer = door.client.post("/door/hand-in", headers=headers, content=content)
    assert answer.status_code == 400
    assert answer.text.strip()


def test_quota_deadline_and_pause_are_explained(door: Door) -> None:
    ann = door.invite("ann")
    for number in range(3):
        assert door.upload(ann, f"{number}".encode()).status_code == 303
    assert "3 times within 24 hours" in door.upload(ann, b"4").text
    door.register.change("ann", state="paused")
    assert "the organiser has paused your engine" in door.upload(ann).text
    door.desk.door = replace(door.desk.door, deadline="2020-01-01 00:00")
    assert "the deadline has passed: 2020-01-01 00:00" in door.upload(door.invite("bob")).text


# --- others


def test_the_allowed_languages_are_a_rule_that_the_page_shows(door: Door) -> None:
    ann = door.invite("ann")
    assert (
        "Any language is allowed. Programs in Python, C, C++, " in door.client.get("/door/", headers=ann).text
    )
    assert door.upload(ann, b"int main;", "bot.c").status_code == 303
    door.desk.door = replace(door.desk.door, languages=("python", "rust"))
    assert "Only these languages are allowed: Python, Rust." in door.client.get("/door/", headers=ann).text
    for name, content in (("bot.c", b"int x;"), ("engine.toml", b'command = "./x"')):
        answer = door.upload(ann, content, name)
        assert answer.status_code == 400
        assert "Python, Rust" in answer.text.partition('role="alert"')[2].partition("</p>")[0]
    assert len(door.register.submissions()) == 1


@pytest.mark.parametrize("languages", [None, ("js", "c"), ("python",), ("java",)])
def test_a_participant_without_arena_finds_what_an_engine_must_do(
    door: Door, languages: tuple[str, ...] | None
) -> None:
    door.desk.door = replace(door.desk.door, languages=languages)
    page = html.unescape(door.client.get("/door/", headers=door.invite("ann")).text)
    names = re.findall(r'href="/docs/([^"#]+)"', page.partition("</main>")[0])
    assert names == ["protocol", "quoridor", "tiny", "tiny.py"]
    texts = [door.client.get(f"/docs/{name}") for name in names]
    for text, words in zip(
        texts, ("bestmove", "Id <code>quoridor</code>", "isready", "import random"), strict=True
    ):
        assert words in text.text
    ((manifest),) = re.findall(r"<pre class=\"lines\">(language[^<]+)</pre>", page)
    plan = understand((SourceFile("engine.toml", manifest.encode(), False),), languages)
    assert plan.language == (languages or ("c",))[0]


def test_nobody_sees_what_another_has_handed_in(door: Door) -> None:
    ann, bob, boss = door.invite("ann"), door.invite("bob"), door.invite("boss", organiser=True)
    door.upload(ann, name="secret_idea.py")
    assert door.client.get("/door/submissions/1", headers=ann).status_code == 200
    assert door.client.get("/door/submissions/1", headers=boss).status_code == 200
    answer = door.client.get("/door/submissions/1", headers=bob)
    assert (answer.status_code, "secret" in answer.text) == (404, False)
    assert "secret" not in door.client.get("/door/", headers=bob).text
    assert answer.text == door.client.get("/door/submissions/99", headers=bob).text


def test_only_the_organiser_organises(door: Door) -> None:
    ann = door.invite("ann")
    for action in ("pause", "open", "remove", "roll-back", "note"):
        answer = door.client.post(f"/door/organiser/{action}", headers={**ann, **FORM}, content=b"name=ann")
        assert answer.status_code == 403
    assert door.client.get("/door/marks.csv", headers=ann).status_code == 403
    assert door.register.participants()[0].state == "open"


def test_the_organiser_pauses_removes_rolls_back_and_writes_to_all(door: Door, tmp_path: Path) -> None:
    ann, boss = door.invite("ann"), door.invite("boss", organiser=True)

    def act(action: str, **values: str):
        return door.client.post(
            f"/door/organiser/{action}", headers=boss, data=values, follow_redirects=False
        )

    for content in (b"1", b"2"):
        door.upload(ann, content)
        door.register.move_on(door.register.submissions()[0].id, State.PLAYS)
    assert act("roll-back", submission="1").status_code == 400  # it was removed to make room
    DoorFolder(tmp_path / "door").engine(1).mkdir(parents=True)
    assert act("roll-back", submission="1").status_code == 303
    assert [version.state for version in door.register.submissions()] == [State.REPLACED, State.PLAYS]
    assert act("roll-back", submission="1").status_code == 400
    assert act("note", text=f"Tonight {HOSTILE}").status_code == 303
    text = door.client.get("/door/", headers=ann).text
    assert "Tonight &lt;script&gt;" in text
    assert act("note", text=" ").status_code == 400
    assert act("pause", name="ann").status_code == 303
    assert "paused by the organiser" in door.client.get("/door/", headers=ann).text
    act("open", name="ann")
    assert act("pause", name="boss").status_code == 400
    act("remove", name="ann")
    assert door.client.get("/door/", headers=ann).status_code == 401


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", [1, 2, 3]),
        ("who=ann", [1, 3]),
        ("state=waiting", [2, 3]),
        ("who=ann&state=plays", []),
        ("who=ann&state=disabled", [1]),
        ("who=bob&state=disabled", []),
        (f"who={HOSTILE}&state={HOSTILE}&x=1", []),
    ],
)
def test_the_organiser_filters_what_came_in_by_participant_and_state(
    door: Door, query: str, shown: list[int]
) -> None:
    ann, bob, boss = door.invite("ann"), door.invite("bob"), door.invite("boss", organiser=True)
    for who, content in ((ann, b"1"), (bob, b"2"), (ann, b"3")):
        door.upload(who, content)
        if who is ann and content == b"1":
            door.register.move_on(1, State.PLAYS)
    crashes(door, "ann", 3)
    page = door.client.get(f"/door/?{query}", headers=boss).text
    assert sorted(map(int, re.findall(r'<tr id="v(\d+)"', page))) == shown
    assert f"{len(shown)} of 3" in page
    assert HOSTILE not in page
    assert len(re.findall(r'<tr id="v', door.client.get(f"/door/?{query}", headers=ann).text)) == 2


def test_marks_are_a_table_without_formulas(door: Door) -> None:
    boss, *_ = door.invite("boss", organiser=True), *map(door.invite, ("=cmd()", "1-2", "Zo\xeb"))
    content = door.client.get("/door/marks.csv", headers=boss).content
    assert content.startswith(b"\xef\xbb\xbfname,")  # without this, spreadsheets do not read it as UTF-8
    lines = content.decode("utf-8-sig").splitlines()
    assert lines[0].startswith("name,state,versions,playing,checks,handed_in")
    assert lines[1].startswith("'=cmd(),open,0,,,")
    assert lines[2].startswith("'1-2,open,0,,,")
    assert lines[3].startswith("Zo\xeb,open,0,,,")
    assert len(lines) == 4


def test_no_name_and_no_output_is_markup(door: Door) -> None:
    ann, boss = door.invite(f"ann {HOSTILE}"), door.invite("boss", organiser=True)
    door.upload(ann, name=f"{HOSTILE}.py")
    answer = door.upload(ann, name="a\u202etxt.py")
    assert answer.status_code == 400
    door.upload(ann, b'command = "./x"\nbuild = "<script>"', "engine.toml")
    for kind in ("build", "failed", "game", "end"):
        door.register.note(kind, f"\x1b[2J{HOSTILE}\u202e", door.register.submissions()[0].id)
    door.register.move_on(door.register.submissions()[0].id, State.REFUSED, HOSTILE)
    for address in (
        "/door/",
        *(f"/door/submissions/{version.id}" for version in door.register.submissions()),
    ):
        for who in (ann, boss):
            text = door.client.get(address, headers=who).text
            assert "<script>alert" not in text
            assert "\x1b" not in text


def test_no_name_or_address_adds_a_header_to_an_answer(door: Door) -> None:
    ann = door.invite("ann")
    evil = "a\r\nset-cookie: arena_door=x\r\n\r\n<b>.py"
    body = f'--x\r\ncontent-disposition: form-data; name="file"; filename="{evil}"\r\n\r\n1\r\n--x--\r\n'
    form = {**ann, "content-type": "multipart/form-data; boundary=x"}
    handed_in = door.client.post("/door/hand-in", headers=form, content=body, follow_redirects=False)
    answers = [handed_in, door.upload(ann, name="%0d%0aset-cookie: x=1%0d%0a.py")]
    for address in (
        "enter/%0d%0aset-cookie:%20x=1",
        "submissions/1%0d%0aset-cookie:%20x=1",
        "%0d%0a/marks.csv",
    ):
        answers += [
            door.client.request(method, f"/door/{address}", headers={**FORM, **ann}, follow_redirects=False)
            for method in ("GET", "POST")
        ]
    assert not [answer.headers for answer in answers if "set-cookie" in answer.headers]
    assert all("\n" not in value for answer in answers for value in answer.headers.values())
    assert all(version.filename.isprintable() for version in door.register.submissions())


def test_requests_of_any_kind_get_an_answer_and_change_nothing(door: Door) -> None:
    source = random.Random(7)
    everybody = [{}, door.invite("ann"), door.invite("boss", organiser=True)]
    door.upload(everybody[1])
    parts = [
        "door", "..", "%2e%2e", "enter", "submissions", "1", "-1", "9" * 30, "organiser", "ask", "asked",
        "clear", "note", "%00", "a b", "\u00e9", "marks.csv", "games", "game-1.jsonl", "transcripts",
        "roll-back", "hand-in",
    ]  # fmt: skip
    for _ in range(int(os.environ.get("DOOR_REQUESTS", "150"))):
        address = "/door/" + "/".join(source.choices(parts, k=source.randrange(4)))
        method = source.choice(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
        headers = {"content-type": source.choice([*FORM.values(), "multipart/form-data", "text/plain"])}
        headers |= source.choice(everybody)
        answer = door.client.request(
            method, address, headers=headers, content=source.randbytes(20), follow_redirects=False
        )
        assert answer.status_code in {200, 303, 307, 308, 400, 401, 403, 404, 405, 415}, address
    assert [version.state for version in door.register.submissions()] == [State.WAITING]
    assert [who.state for who in door.register.participants()] == ["open", "open"]
    assert [line.kind for line in door.register.lines(1)] == ["plan"]
    assert door.register.lines() == []
