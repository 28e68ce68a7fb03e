"""Runs the programs that use arena from Python, and tests their output."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import linecache
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import ClassVar

import pytest
import trio
from click.testing import CliRunner

import arena
from arena.cli import main
from tests.arena.web.server.test_serve import served
from tests.sample_games import SPRING

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = DOCS / "examples" / "python"
PAGES = "".join(
    DOCS.joinpath(page).read_text(encoding="utf-8")
    for page in ("howto/use-from-python.md", "reference/api.md")
)


def load(name: str) -> ModuleType:
    spec = spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The folders of two engines, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("alice", "bob"):
        done = CliRunner().invoke(main, ["new-engine", name, "--lang", "python", "--game", "quoridor"])
        assert done.exit_code == 0
    return "alice", "bob"


def test_one_game_is_played_and_told_move_by_move(
    engines: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    record = load("play_one_game").main(*engines)
    *moves, last = capsys.readouterr().out.splitlines()
    assert moves == [f"player {ply.seat + 1} plays {ply.text}" for ply in record.record]
    assert len(moves) == record.result.plies > 10
    assert last.startswith(f"{record.result.reason} after {len(moves)} plies; first: ")
    assert last.rpartition(" ")[2] in engines


def run_cells(sources: Iterable[str]) -> list[object]:
    """Run the cells of a notebook as it runs them: in a loop of asyncio. Returns the values that it shows."""
    names: dict[str, object] = {}
    shown = []

    async def run() -> None:
        for number, source in enumerate(sources):
            file = f"<cell {number} of a test>"
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            *statements, last = ast.parse(source).body
            if not isinstance(last, ast.Expr):
                statements.append(last)
            exec(compile(ast.Module(statements, []), file, "exec"), names)
            if isinstance(last, ast.Expr):
                shown.append(eval(compile(ast.Expression(last.value), file, "eval"), names))

    asyncio.run(run())
    return shown


def test_two_functions_of_the_page_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = DOCS.joinpath("howto/use-from-python.md").read_text(encoding="utf-8")
    (cell,) = re.findall(r"```python\n(import arena\n\n\ndef first.*?)```", page, re.DOTALL)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (game,) = run_cells([cell])
    assert [player.name for player in game.result.players] == ["first", "walker"]
    assert game.result.reason == "goal"
    assert f"\rplayer 2: {game.record[-1].text} " in capsys.readouterr().out


def test_the_notebook_shows_a_board_a_table_and_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (EXAMPLES / "two_functions.ipynb").read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert "<svg" in text, "a code host shows the stored outputs"
    assert len(text) < 50_000
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    start, summary, table, game, end = run_cells(
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"
    )
    assert summary.played == 6
    assert "\rgame 6: " in capsys.readouterr().out
    assert table._repr_html_().count("<tr>") == 3
    assert game._repr_html_().count("<img ") == 8
    assert start._repr_svg_() != end._repr_svg_()


def test_an_engine_is_checked(engines: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    report = load("check_an_engine").main([sys.executable, "alice/engine.py"], [201])
    assert report.conforms
    assert capsys.readouterr().out == "alice: ready to play\n"
    assert 201 in {result.number for result in report.results}


def test_a_tournament_is_run_and_its_tables_read(
    engines: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    standings = load("run_a_tournament").main(*engines)
    *games, played, first, second, elo, _ = capsys.readouterr().out.splitlines()
    assert sorted(line.partition(":")[0] for line in games) == ["game 1", "game 2"]
    assert played == "2 games played"
    table = standings["quoridor"]
    assert [first, second] == [
        f"{place}. {row.name}: {row.points:g} points in 2 games" for place, row in enumerate(table, 1)
    ]
    assert sum(row.points for row in table) == 2
    assert re.fullmatch(r"(alice|bob): Elo -?\d+ ± \d+", elo)


def test_games_are_played_at_the_same_time(engines: tuple[str, str]) -> None:
    reasons = trio.run(load("play_many_games").main, [sys.executable, "alice/engine.py"])
    assert len(reasons) == 2


def test_a_tournament_is_followed_and_its_table_printed(
    tmp_path: Path, sample_database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(sample_database, tmp_path / "arena.db")
    with served(tmp_path) as (_, port):
        example = load("follow_tournament")
        server = f"http://127.0.0.1:{port}"
        kind, state = next(example.events(server, SPRING))
        assert (kind, state["running"]) == ("state", False)
        example.main(server, SPRING)
        with pytest.raises(SystemExit, match="there is no such tournament"):
            example.main(server, "no-such-one")
    first, *printed = capsys.readouterr().out.splitlines()
    assert first == "spring: unknown, 6 games played"
    assert all(re.fullmatch(r"[a-z0-9-]+: \S+ [0-9.]+", line) for line in printed)
    assert len(printed) >= 2


class Breaking(BaseHTTPRequestHandler):
    """A server whose line breaks after each stream."""

    streams: ClassVar[list[bytes]]  # what is still to be sent
    asked: ClassVar[list[str]]  # the addresses, with the last event that the client has

    def do_GET(self) -> None:
        self.asked.append(f"{self.path} {self.headers['Last-Event-ID']}")
        self.send_response(200)
        self.end_headers()
        if self.path.endswith("/events"):
            self.wfile.write(self.streams.pop(0) if self.streams else b"")
        else:
            self.wfile.write(b'{"name": "t", "status": "finished", "played": 2, "standings": {"games": []}}')

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def breaking() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Breaking) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


OVER = '{"stored": true, "says": "%s"}'


def sent(number: int, kind: str, data: str) -> bytes:
    return f"id: x-{number}\nevent: {kind}\ndata: {data}\n\n".encode()


def test_a_tournament_is_followed_over_a_broken_line_with_one_request_for_its_table(
    breaking: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    example = load("follow_tournament")
    monkeypatch.setattr(example, "PAUSE", 0)
    first = sent(1, "state", '{"running": true}') + sent(2, "over", OVER % "a beats b")
    alive = b"event: alive\ndata: null\n\n"
    second = alive + sent(3, "over", OVER % "b beats a") + sent(4, "state", '{"running": false}')
    Breaking.streams, Breaking.asked = [first, first[:20], alive, second], []
    example.main(breaking, "t")
    assert capsys.readouterr().out == "a beats b\nb beats a\nt: finished, 2 games played\n"
    stream = "/api/tournaments/t/events"
    assert Breaking.asked == [f"{stream} ", *[f"{stream} x-2"] * 3, "/api/tournaments/t None"]


def test_a_server_that_dies_is_no_end_of_a_tournament(
    breaking: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    example = load("follow_tournament")
    monkeypatch.setattr(example, "PAUSE", 0.01)
    monkeypatch.setattr(example, "PATIENCE", 0.2)
    Breaking.streams, Breaking.asked = [sent(1, "state", '{"running": true}')], []
    with pytest.raises(SystemExit, match="does not answer any more"):
        example.main(breaking, "t")
    assert capsys.readouterr().out == ""
    assert all("/events " in one for one in Breaking.asked)


def test_every_example_has_a_test_and_stands_in_the_documentation() -> None:
    names = {page.name for page in EXAMPLES.glob("*.py")}
    tests = Path(__file__).read_text(encoding="utf-8")
    assert all(f'load("{name.removesuffix(".py")}")' in tests for name in names)
    assert all(f"../examples/python/{name}" in PAGES for name in names)


def test_the_examples_use_only_what_is_public() -> None:
    for page in EXAMPLES.glob("*.py"):
        for node in ast.walk(ast.parse(page.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "arena"
            ):
                assert node.attr in arena.__all__


def test_the_page_has_every_public_name_method_and_argument() -> None:
    words = set(re.findall(r"[A-Za-z_]+", PAGES))
    assert set(arena.__all__) - words == set()
    assert {name for name in vars(arena.Database) if not name.startswith("_")} - words <= {"close"}
    for name in ("play_game", "run_tournament", "check_engine"):
        for function in (getattr(arena, name), getattr(arena, f"{name}_async")):
            assert function.__name__.removesuffix("_async") == name
            arguments = inspect.signature(function).parameters.values()
            taken = [one.name for one in arguments if one.kind is not one.KEYWORD_ONLY]
            keywords = [one.name for one in arguments if one.kind is one.KEYWORD_ONLY]
            assert taken
            assert keywords
            assert f"`{name}({', '.join((*taken, '*', *keywords))})`" in PAGES
