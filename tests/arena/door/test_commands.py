"""`arena door` and `arena submit`."""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import Result

from arena.config import load
from arena.door import commands, processes
from arena.door.client import Door, packed_path
from arena.door.processes import check_sandbox
from arena.door.register import State
from arena.errors import ArenaError
from protocol.process import bubblewrap
from tests.arena.invoking import invoke

ENGINES = 'engines = [{ name = "a", command = "sh" }, { name = "b", command = "sh" }]'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "league.toml"
    path.write_text(
        f'game = "quoridor"\nformat = "ladder"\n{ENGINES}\n[door]\nurl = "https://arena.example.org/"\n'
    )
    return path


def arena(*words: object) -> Result:
    return invoke(*words, standalone_mode=False)


def error(*words: object) -> str:
    result = arena(*words)
    assert isinstance(result.exception, ArenaError), result.output
    return str(result.exception)


def test_everybody_gets_another_link_and_a_renewed_link_differs(file: Path) -> None:
    lines = arena("door", "invite", file, "ann", "bob").output.splitlines()
    links = [
        re.fullmatch(r"(\w+)\thttps://arena\.example\.org/door/enter/([\w-]{32})", line) for line in lines
    ]
    assert [link and link[1] for link in links] == ["ann", "bob"]
    renewed = arena("door", "change", file, "ann", "--renew").output
    assert len({line.partition("\t")[2] for line in [*lines, renewed.strip()]}) == 3


@pytest.mark.parametrize("name", ["a|b", "x" * 41, " ann"])
def test_a_name_that_no_table_could_show_is_refused(file: Path, name: str) -> None:
    assert "a name has 1 to 40 printable characters" in error("door", "invite", file, name)


def test_a_file_of_names_is_invited_once_however_often_the_command_runs(file: Path) -> None:
    names = file.with_name("names.txt")
    names.write_bytes("\ufeff# section A\r\nann\r\n\r\n  Zoe\u0308 K. \r\n".encode())

    def invited(*words: str) -> list[str]:
        done = invoke("door", "invite", file, *words, "--from", names)
        assert done.exit_code == 0, done.output
        told.append(done.stderr)
        return [
            line.partition("\thttps://arena.example.org/door/enter/")[0] for line in done.stdout.splitlines()
        ]

    told: list[str] = []
    assert invited("boss") == ["boss", "ann", "Zo\xeb K."]
    links = arena("door", "list", file, "--json").output
    assert invited() == []
    assert arena("door", "list", file, "--json").output == links
    names.write_text("ann\nbob\n")
    assert invited() == ["bob"]
    stay = "the links stay as they are, and `arena door change --renew` makes new ones\n"
    assert told == [
        "",
        f"{names}: 2 of 2 names had been invited before; {stay}",
        f"{names}: 1 of 2 names had been invited before; {stay}",
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("ann\n\nBob\n# x\nbob\n", ", line 5: bob is here twice (nobody was invited)"),
        ("ann\nb|b\n", ", line 2: 'b|b': a name has 1 to 40 printable characters"),
        ("ann\n" + "x" * 41, ", line 2: 'xxx"),
        ("b\x1cb", ", line 1: 'b\\x1cb': a name has"),
        ("ann\n\nA\n", ", line 3: A: an engine of the tournament file has this name"),
        ("# nobody\n\n", ": there is no name in this file; write one a line"),
        (b"J\xfcrgen", ", line 1: this is not UTF-8; save the file as UTF-8"),
        (b"PK\3\4\xb8", ": this is a binary file, not a list of names, one a line"),
        (None, ": there is no such file"),
    ],
)
def test_a_mistake_in_a_file_of_names_is_named_with_its_line_and_nobody_is_invited(
    file: Path, content: str | bytes | None, sentence: str
) -> None:
    names = file.with_name("names.txt")
    if content is not None:
        names.write_bytes(content.encode() if isinstance(content, str) else content)
    assert error("door", "invite", file, "--from", names).startswith(f"{names}{sentence}")
    names.unlink(missing_ok=True)
    os.mkfifo(names)
    assert "it is a pipe" in error("door", "invite", file, "--from", names)
    assert json.loads(arena("door", "list", file, "--json").output) == []
    assert "name somebody, or a file" in str(arena("door", "invite", file).exception)


def test_the_list_shows_who_is_paused_or_removed(file: Path) -> None:
    arena("door", "invite", file, "ann", "bob", "cleo")
    arena("door", "invite", file, "boss", "--organiser")
    paused = "ann is paused: it starts no new game\nbob is paused: it starts no new game\n"
    assert arena("door", "change", file, "ann", "bob", "--pause").output == paused
    assert arena("door", "change", file, "bob", "--resume").output == "bob plays again\n"
    removed = "cleo is removed, and the link works no more; the games stay\n"
    assert arena("door", "change", file, "cleo", "--remove").output == removed
    rows = json.loads(arena("door", "list", file, "--json").output)
    assert [(row["name"], row["role"], row["state"]) for row in rows] == [
        ("ann", "participant", "paused"),
        ("bob", "participant", "open"),
        ("cleo", "participant", "removed"),
        ("boss", "organiser", "open"),
    ]
    assert "cleo" in arena("door", "list", file).output


def test_a_long_remark_is_whole(file: Path) -> None:
    remark = "no move " * 50
    arena("door", "invite", file, "ann", "bob")
    with commands._opened_door(file) as (_, _, register):
        ann, _ = register.participants()
        version = register.hand_in(ann.id, "digest", "bot.py", {}, 9)
        register.move_on(version.id, State.REFUSED, remark)
    assert remark.strip() in arena("door", "list", file).output
    assert remark.strip() in json.loads(arena("door", "list", file, "--json").output)[0]["problem"]


def test_a_tournament_without_a_door_is_refused(file: Path) -> None:
    file.write_text(file.read_text().partition("[door]")[0])
    assert "the tournament has no door; add the table [door]" in error("door", "list", file)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """`arena door run` starts no process."""
    monkeypatch.setattr(bubblewrap, "trouble", lambda: "")
    monkeypatch.setattr(processes, "keep", lambda children: None)


def warnings(*words: object) -> list[str]:
    done = invoke(*words)
    assert done.exit_code == 0, done.output
    return [line for line in done.stderr.splitlines() if line.startswith("warning: ")]


@pytest.mark.usefixtures("opened")
def test_a_deadline_that_has_passed_is_a_warning_when_the_door_opens_and_invites(file: Path) -> None:
    today, before = f"{datetime.now():%Y-%m-%d}", f"{datetime.now() - timedelta(1):%Y-%m-%d}"
    keys = file.read_text()
    for deadline, expected in [(f"{before} 12:00", f"{before} 12:00"), (before, f"{before} 23:59:59")]:
        file.write_text(f'{keys}deadline = "{deadline}"\n')
        line = f"warning: league.toml: the deadline has passed: {expected}; the door takes nothing"
        assert warnings("door", "run", file) == [line]
        assert warnings("door", "invite", file, f"ann {expected}") == [line]
    file.write_text(f'{keys}deadline = "{today}"\n')  # the day is not over
    assert load(file).door.deadline == f"{today} 23:59:59"  # type: ignore[union-attr] - it has a door
    file.write_text(f'{keys}deadline = "2999-01-01 00:00+01:00"\n')
    assert warnings("door", "run", file) == []
    assert warnings("door", "invite", file, "bob") == []


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize(
    ("url", "options", "advice"),
    [
        ("http://127.0.0.1:8471", [], "127.0.0.1, port 8321; use --port 8471"),
        ("http://localhost:8471", ["--host", "0.0.0.0"], "0.0.0.0, port 8321; use --port 8471"),
        ("http://127.0.0.1:8471", ["--port", "8471"], ""),
        ("http://localhost:8321", [], ""),
        ("http://198.51.100.1:8321", [], "127.0.0.1, port 8321; use --host 0.0.0.0"),
        ("http://198.51.100.1:80", [], "127.0.0.1, port 8321; use --host 0.0.0.0 --port 80"),
        ("http://198.51.100.1:8321", ["--host", "0.0.0.0"], ""),
        ("http://198.51.100.1", [], ""),  # a proxy
        ("https://198.51.100.1:8443", [], ""),  # a proxy
        ("http://teacher.example.org:8321", [], "127.0.0.1, port 8321; use --host 0.0.0.0"),
    ],
)
def test_links_that_do_not_lead_to_where_the_door_listens_are_a_warning(
    file: Path, url: str, options: list[str], advice: str
) -> None:
    file.write_text(file.read_text().replace("https://arena.example.org/", url))
    start = f"warning: league.toml: links start with {url}, but the door listens on "
    expected = [f"{start}{advice}, unless there is a proxy between them"] if advice else []
    assert warnings("door", "run", file, *options) == expected


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "http://127.0.0.1:door", "http://[::1", "x"])
def test_an_address_that_no_link_can_start_with_is_refused(file: Path, url: str) -> None:
    file.write_text(file.read_text().replace("https://arena.example.org/", url))
    assert "must be an address without a path" in error("door", "list", file)


def test_without_the_sandbox_the_door_does_not_open_and_says_why(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "trouble", lambda: "bwrap: No permissions to create new namespace")
    for command in ("run", "worker"):
        text = error("door", command, file)
        assert "the door does not open" in text
        assert "No permissions to create new namespace" in text


def test_a_door_for_bots_at_home_needs_no_sandbox(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "trouble", lambda: "bwrap: No permissions to create new namespace")
    spec = load(file)
    assert spec.door is not None
    check_sandbox(replace(spec, door=replace(spec.door, bots="remote")))


def test_a_second_door_of_one_file_does_not_open_while_the_first_one_is_open(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "trouble", lambda: "")
    texts: list[str] = []
    monkeypatch.setattr(processes, "keep", lambda _children: texts.append(error("door", "run", file)))
    for _ in range(2):
        assert arena("door", "run", file).exit_code == 0
    sentence = f"{file.parent}/door: another `arena door run` uses this folder; end it first"
    assert texts == [sentence] * 2


def test_a_folder_is_packed_without_links_and_what_tools_make(tmp_path: Path) -> None:
    (tmp_path / "bot" / "__pycache__").mkdir(parents=True)
    (tmp_path / "bot" / "__pycache__" / "x").touch()
    (tmp_path / "bot" / "engine.py").write_text("print()")
    (tmp_path / "bot" / "link").symlink_to("/etc/passwd")
    name, data = packed_path(tmp_path / "bot")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert (name, archive.getnames()) == ("bot.tar.gz", ["engine.py"])
    assert packed_path(tmp_path / "bot" / "engine.py") == ("engine.py", b"print()")


@pytest.mark.parametrize(
    "link",
    [
        "",
        "https://x/door/",
        "ftp://x/door/enter/a",
        "file:///door/enter/a",
        "https://x/door/enter/",
        "https:///door/enter/a",
        "https://x:port/door/enter/a",
        "https://[x/door/enter/a",
    ],
)
def test_what_is_no_link_is_refused(link: str) -> None:
    with pytest.raises(ArenaError, match="is no link of a door"):
        Door.of_link(link)


@pytest.mark.parametrize("end", ["", "?x=1", ".", "#x", " ", ">", "/", "/?x=1", " (your link)"])
@pytest.mark.parametrize("start", ["", " ", "<"])
def test_a_link_is_read_with_the_text_that_was_copied_with_it(start: str, end: str) -> None:
    for address in ("https://x:8321/course", "http://[::1]:80", "https://bücher.example"):
        assert Door.of_link(f"{start}{address}/door/enter/a-b_C{end}") == Door(address, "a-b_C")


def test_a_missing_door_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "bot.py").touch()
    text = error("submit", "--to", "http://127.0.0.1:1/door/enter/a", tmp_path / "bot.py")
    assert "http://127.0.0.1:1: cannot be reached" in text
