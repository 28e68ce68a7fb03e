"""`import arena`: what is public, errors, cancellation, and calls that block."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
import trio

import arena
from arena.store import Store
from protocol.process.lifetime import VARIABLE
from tests.arena.formats.playing import plan as plan_of
from tests.processes import running

ENGINES = Path(__file__).parents[3] / "engines"
TINY = [sys.executable, "-S", str(ENGINES / "tiny/tiny.py")]
SILENT = """
import os, sys
open(sys.argv[1], "w").write(str(os.getpid()))
for line in sys.stdin:
    print({"ugi": "ugiok", "isready": "readyok"}.get(line.split()[0], ""), flush=True)
"""
"""An engine that never moves. It writes the number of its process into a file."""


def tournament(folder: Path, **keys: object) -> Mapping[str, object]:
    engines = [{"name": name, "command": TINY} for name in ("a", "b")]
    return {
        "game": "rodeurs",
        "database": str(folder / "games.db"),
        "time_control": "10+1",
        "engines": engines,
        "adjudication": {"plies": 6},
        "concurrency": 1,
        **keys,
    }


def test_the_public_names_are_there_and_the_import_is_cheap() -> None:
    assert [name for name in arena.__all__ if not callable(getattr(arena, name))] == []
    assert dir(arena) == sorted(arena.__all__)
    with pytest.raises(AttributeError, match="module 'arena' has no attribute 'play_games'"):
        arena.play_games  # noqa: B018
    code = "import arena, sys; print({'trio', 'click', 'pydantic', 'sqlmodel', 'msgspec'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "set()\n"


def test_a_game_is_a_frozen_record_with_names_moves_and_its_opening() -> None:
    plies: list[arena.Ply] = []
    record = arena.play_game(
        "rodeurs",
        [{"name": "first", "command": TINY, "time_control": "depth=1"}, TINY],
        moves=(),
        on_move=plies.append,
    )
    assert tuple(plies) == record.record
    assert [player.name for player in record.result.players] == ["first", "seat 2"]
    assert [player.time_control for player in record.result.players] == ["depth=1", "10+0.1"]
    assert sum(player.points for player in record.result.players) == 1
    with pytest.raises(FrozenInstanceError):
        record.duration = 0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda _: arena.play_game("quoridr", [TINY, TINY]), arena.ArenaError, "did you mean"),
        (lambda _: arena.play_game("hops", [TINY]), arena.ArenaError, "hops has 2 seats, but there are 1"),
        (lambda _: arena.play_game("hops", [TINY, "./gone"]), arena.ArenaError, "gone"),
        (lambda _: arena.play_game("hops", [TINY, ""]), arena.ConfigError, "engine seat 2: command: "),
        (
            lambda _: arena.play_game("hops", [TINY, {"command": TINY, "sandbx": "none"}]),
            arena.ConfigError,
            "engine seat 2: sandbx: there is no such key; did you mean sandbox",
        ),
        (lambda _: arena.play_game("hops", [TINY, TINY], moves=["z9"]), arena.ArenaError, "z9"),
        (lambda _: arena.play_game("hops", [TINY, TINY], time_control="1x"), arena.ArenaError, "1x"),
        (
            lambda _: arena.board("hops", arena.GameRecord),  # type: ignore[arg-type]
            arena.ArenaError,
            "position: this must be a position",
        ),
        (lambda _: arena.check_engine(TINY, only=[7]), arena.ArenaError, "there is no check 7"),
        (lambda _: arena.check_engine("./gone"), arena.ArenaError, "gone"),
        (lambda folder: arena.run_tournament(folder / "no.toml"), arena.ConfigError, "there is no such file"),
        (
            lambda folder: arena.run_tournament(tournament(folder, concurrency=0)),
            arena.ConfigError,
            "tournament: concurrency: this must be from 1",
        ),
        (
            lambda folder: arena.run_tournament(tournament(folder, engines=["sample:random"] * 2)),
            arena.ConfigError,
            '"sample:random": name: another engine has this name already; names',
        ),
        (lambda folder: arena.open_database(folder / "no.db"), arena.StoreError, "no.db"),
    ],
)
def test_what_a_caller_can_correct_is_one_plain_error(
    call: Callable[[Path], object], error: type[Exception], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words) as caught:
        call(tmp_path)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None  # a notebook shows one error
    assert not isinstance(caught.value.__context__, BaseExceptionGroup)


async def test_a_blocking_function_refuses_to_run_in_a_trio_loop() -> None:
    message = "arena.play_game would block the trio loop .* write `await arena.play_game_async"
    with pytest.raises(RuntimeError, match=message):
        arena.play_game("rodeurs", [TINY, TINY])


def test_an_error_of_a_callback_ends_the_call_as_it_is() -> None:
    def fail(_ply: arena.Ply) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        arena.play_game("rodeurs", [TINY, TINY], on_move=fail)


async def test_a_cancelled_game_leaves_no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "none")  # in a process namespace the engine has another id
    silent = [sys.executable, "-S", "-c", SILENT, str(tmp_path / "pid")]
    with trio.CancelScope() as scope:
        await arena.play_game_async("rodeurs", [TINY, silent], on_move=lambda _ply: scope.cancel())
    assert scope.cancelled_caught
    assert not running(int((tmp_path / "pid").read_text()))


async def test_a_cancelled_tournament_keeps_its_games_and_goes_on(tmp_path: Path) -> None:
    spec = tournament(tmp_path, games_per_pairing=4)
    before: list[arena.GameResult] = []
    with trio.CancelScope() as scope:

        def stop(result: arena.GameResult) -> None:
            before.append(result)
            scope.cancel()

        await arena.run_tournament_async(spec, on_game=stop)
    assert scope.cancelled_caught
    after: list[arena.GameResult] = []
    summary = await arena.run_tournament_async(spec, on_game=after.append)
    assert summary.played == len(after)
    assert {result.key for result in before} & {result.key for result in after} == set()
    with arena.open_database(tmp_path / "games.db") as database:
        assert len(database.results("tournament")) == 4


def test_a_tournament_runs_in_any_thread_and_its_tables_are_plain_values(tmp_path: Path) -> None:
    done: list[arena.RunSummary] = []
    thread = threading.Thread(
        target=lambda: done.append(
            arena.run_tournament(tournament(tmp_path, name="x"), database=tmp_path / "y.db")
        )
    )
    thread.start()
    thread.join()
    assert done == [arena.RunSummary(played=2, disabled=(), skipped=0, stopped=False)]
    with arena.open_database(tmp_path / "y.db") as database:
        (info,) = database.tournaments()
        assert (info.name, info.games) == ("x", 2)
        first, _ = database.results()
        assert database.game(first.id or 0).result == first
        assert [row.name for row in database.standings("x")["rodeurs"]] in (["a", "b"], ["b", "a"])
        cells = database.crosstable()["rodeurs"]
        assert cells["a", "b"].points + cells["b", "a"].points == cells["a", "b"].games == 2
        ratings = database.ratings()["rodeurs"]
        assert {engine.name for engine in ratings} == {"a", "b"}
        assert sum(engine.elo or 0 for engine in ratings) == pytest.approx(0)
        with pytest.raises(arena.ArenaError, match="there is no tournament 'z'; there are 'x'"):
            database.standings("z")
        with pytest.raises(arena.ArenaError, match="there is no game 99"):
            database.game(99)


def test_a_command_is_an_engine_of_a_tournament_and_its_own_name(tmp_path: Path) -> None:
    summary = arena.run_tournament(tournament(tmp_path, engines=["sample:random", TINY]))
    assert summary.played == 2
    with arena.open_database(tmp_path / "games.db") as database:
        names = {row.name for row in database.standings()["rodeurs"]}
    assert names == {"sample:random", " ".join(TINY)}


def test_a_report_has_the_game_that_is_given_without_a_handshake() -> None:
    assert arena.check_engine(TINY, game="rodeurs", only=[101]).game == "rodeurs"
    assert arena.check_engine(TINY, only=[101]).game == ""


def test_the_standings_of_a_gauntlet_are_sorted_by_the_score_as_everywhere(
    tmp_path: Path, record: Callable[..., arena.GameRecord]
) -> None:
    names = ("seed", "x", "y")
    plan = plan_of("gauntlet", {"quoridor": names}, seeds=("seed",))
    placed = [(("seed", 2), ("x", 1)), (("seed", 1), ("y", 2)), (("y", 2), ("seed", 1))]
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament("cup", {}, plan.encode())
        store.add_games([record(*pair, number=number) for number, pair in enumerate(placed)])
    with arena.open_database(tmp_path / "arena.db") as database:
        assert [row.name for row in database.standings("cup")["quoridor"]] == ["x", "seed", "y"]
        assert [row.name for row in database.standings()["quoridor"]] == ["seed", "x", "y"]
