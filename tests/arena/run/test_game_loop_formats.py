"""The runner with schedules that depend on results: it waits for results, and it always ends."""

import sys
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest
import trio

from arena import events as ev
from arena.config import load
from arena.formats.contest import ScheduleState
from arena.model import Stage
from arena.run.executor import JobLost
from arena.run.game_loop import GameLoop
from arena.run.tournament import Run, _Rereader
from arena.run.upcoming import stored_state
from arena.store import Store
from referee.outcome import Termination
from tests.arena.run.referees import Referees, crash_of, finished, run


def tournament(tmp_path, form, names="abcd", concurrency=2, disabled="lose", **keys):
    lines = ['game = "quoridor"', f'format = "{form}"', f"concurrency = {concurrency}"]
    lines += [f'disabled = "{disabled}"', *(f"{key} = {value}" for key, value in keys.items())]
    for name in names:
        lines.append(f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]')
    file = tmp_path / "t.toml"
    file.write_text("\n".join(lines))
    return load(file)


def first_in_alphabet(job, names):
    return finished(job, (1, 2) if names[0] < names[1] else (2, 1))


def crashing(bad):
    """Return an answer: ``bad`` crashes; of two other engines the first in the alphabet wins."""
    crash = crash_of(bad)
    return lambda job, names: crash(job, names) if bad in names else first_in_alphabet(job, names)


pytestmark = pytest.mark.usefixtures("schedule_without_thread")

FORMS = [
    ("swiss", {"rounds": 3}, 12),
    ("knockout", {}, 6),
    ("ladder", {"max_games": 14}, 14),
    ("gauntlet", {"seeds": '["c", "a"]'}, 8),
    ("match", {"names": "ab", "max_games": 9}, 9),
    ("match", {"names": "ab", "sprt": "{ elo0 = 0, elo1 = 100 }"}, None),
]


@pytest.mark.parametrize(("form", "keys", "games"), FORMS)
@pytest.mark.parametrize("concurrency", [1, 3])
async def test_every_format_is_played_to_its_end_and_then_there_is_nothing_to_play(
    tmp_path, autojump_clock, form, keys, games, concurrency
):
    spec = tournament(tmp_path, form, concurrency=concurrency, **keys)
    summary, records, _, referees = await run(spec, first_in_alphabet)
    assert summary.played == len(records) == (games or summary.played)
    assert referees.most <= concurrency
    stored = [record.result for record in records]
    assert (await run(spec, first_in_alphabet, stored))[0].played == 0
    part = stored[: len(stored) // 2]
    _, rest, _, _ = await run(spec, first_in_alphabet, part)
    missing = {result.key for result in stored} - {result.key for result in part}
    if concurrency == 1 or form not in (
        "ladder",
        "match",
    ):  # their next pairing depends on the running games, too
        assert {record.result.key for record in rest} == missing


GROWN = [  # format; engines, keys and number of games before; engines, keys and number of new games after
    ("round-robin", "abcd", {}, 12, "abcde", {}, 8),
    ("round-robin", "abcd", {}, 12, "abcd", {"games_per_pairing": 6}, 24),
    ("gauntlet", "abcd", {}, 6, "abcde", {}, 2),
    ("gauntlet", "abcd", {}, 6, "abcd", {"games_per_pairing": 3}, 3),
    ("swiss", "abcdef", {"rounds": 2}, 12, "abcdef", {"rounds": 4}, 12),
    ("swiss", "abcdef", {"rounds": 2}, 12, "abcdef", {"rounds": 2, "games_per_pairing": 4}, 12),
    ("knockout", "abcd", {}, 6, "abcd", {"games_per_pairing": 4}, 6),
    ("knockout", "abc", {}, 4, "abcd", {}, 2),
    ("match", "ab", {"max_games": 6}, 6, "ab", {"max_games": 11}, 5),
    ("ladder", "abc", {"max_games": 10}, 10, "abc", {"max_games": 17}, 7),
    ("ladder", "abc", {"max_games": 10}, 10, "abcd", {"max_games": 20}, 10),
]


@pytest.mark.parametrize(("form", "few", "keys", "games", "many", "more", "missing"), GROWN)
async def test_a_finished_tournament_that_grows_plays_only_what_is_missing(
    tmp_path, autojump_clock, form, few, keys, games, many, more, missing
):
    _, records, _, _ = await run(tournament(tmp_path, form, few, **keys), first_in_alphabet)
    assert len(records) == games
    grown = tournament(tmp_path, form, many, **more)
    _, rest, _, _ = await run(grown, first_in_alphabet, [record.result for record in records])
    assert len(rest) == missing
    both = [record.result for record in (*records, *rest)]
    assert len({result.key for result in both}) == len(both)
    again, _, _, _ = await run(grown, first_in_alphabet, both)
    assert again.played == 0


async def test_a_lost_game_is_played_again_and_the_round_waits_for_it(tmp_path, autojump_clock):
    lost = iter([True, True, False])

    def answer(job, names):
        return JobLost(job.id, "it died") if next(lost, False) else first_in_alphabet(job, names)

    summary, records, _, _ = await run(tournament(tmp_path, "knockout", concurrency=4), answer)
    assert (summary.played, len(records)) == (6, 6)


@pytest.mark.parametrize(("form", "keys"), [("swiss", {"rounds": 3}), ("knockout", {})])
async def test_an_opponent_of_a_disabled_engine_goes_on_without_playing(tmp_path, autojump_clock, form, keys):
    spec = tournament(tmp_path, form, concurrency=1, games_per_pairing=4, **keys)
    summary, records, _, _ = await run(spec, crashing("a"))
    assert summary.disabled == ("a",)
    terminations = [record.result.termination for record in records]
    assert terminations.count(Termination.CRASH) == 3
    assert terminations.count(Termination.DISABLED) == {"swiss": 9, "knockout": 1}[form]
    again, _, _, _ = await run(spec, crashing("a"), [record.result for record in records])
    assert again.played == 0


@pytest.mark.parametrize(("form", "keys"), [("swiss", {"rounds": 3}), ("knockout", {})])
async def test_with_skip_a_disabled_engines_games_stay_open_until_it_is_mended(
    tmp_path, autojump_clock, form, keys
):
    spec = tournament(tmp_path, form, concurrency=1, games_per_pairing=4, disabled="skip", **keys)
    summary, records, _, _ = await run(spec, crashing("a"))
    assert summary.skipped == 1
    assert len(records) == 7
    stored = [record.result for record in records]
    mended, rest, _, _ = await run(spec, first_in_alphabet, stored)
    assert mended.skipped == 0
    assert len(stored) + len(rest) == {"swiss": 24, "knockout": 12}[form]


async def test_a_ladder_goes_on_without_a_disabled_engine_under_either_policy(tmp_path, autojump_clock):
    for disabled in ("lose", "skip"):
        spec = tournament(tmp_path, "ladder", disabled=disabled, max_games=30)
        summary, records, _, _ = await run(spec, crash_of("b"))
        assert summary.disabled == ("b",)
        assert summary.played == 30
        assert sum(record.result.termination is Termination.CRASH for record in records) <= 4


async def test_a_test_ends_when_an_engine_is_disabled(tmp_path, autojump_clock):
    spec = tournament(tmp_path, "match", "ab", concurrency=1, sprt="{ elo0 = 0, elo1 = 5 }")
    summary, records, _, _ = await run(spec, crash_of("b"))
    assert (summary.played, len(records)) == (3, 3)


# -- a file that changes while a ladder runs -----------------------------------------------------------------


def changing(*versions):
    """Return a `reread` for the runner: each call returns the next version, and None after the last one."""
    waiting = list(versions)

    async def reread():
        await trio.lowlevel.checkpoint()
        return waiting.pop(0) if waiting else None

    return reread


async def test_an_engine_that_is_added_to_a_running_ladder_joins_it(tmp_path, autojump_clock):
    few = tournament(tmp_path, "ladder", "abc", max_games=30)
    many = tournament(tmp_path, "ladder", "abcd", max_games=30)
    summary, records, _, _ = await run(few, first_in_alphabet, reread=changing(None, None, many))
    assert summary.played == 30
    names = [{player.name for player in record.result.players} for record in records]
    assert not any("d" in pair for pair in names[:3])
    assert sum("d" in pair for pair in names[3:]) >= 8
    assert len({record.result.key for record in records}) == 30
    assert len({record.result.number for record in records}) == 30


async def test_engines_that_come_and_go_in_a_running_round_robin_get_no_number_of_another_game(
    tmp_path, autojump_clock
):
    few, more, others = (
        tournament(tmp_path, "round-robin", names, 3) for names in ("abcd", "abcdef", "acefg")
    )
    versions = changing(None, None, None, more, None, None, others)
    lost = iter([False, False, True])

    def answer(job, names):
        return JobLost(job.id, "it died") if next(lost, False) else first_in_alphabet(job, names)

    _, records, events, _ = await run(few, answer, reread=versions)
    keys = {}
    for event in events:
        if isinstance(event, ev.GameBegan):
            pairing = event.game.pairing
            assert keys.setdefault(pairing.number, pairing.key) == pairing.key
    assert len({record.result.number for record in records}) == len(records)
    assert {record.result.key for record in records} <= set(keys.values())
    assert len(records) >= 20


def test_a_run_that_goes_on_knows_the_numbers_of_void_games(tmp_path, record):
    spec = tournament(tmp_path, "ladder", "ab")
    void = record(("a", None), ("b", None), number=4, key="quoridor:a|b:0", termination=Termination.VOID)
    with closing(Store.open(spec.database, create=True)) as store:
        store.begin_tournament(spec.name, {})
        store.add_games([replace(void, result=replace(void.result, tournament=spec.name))])
        state, _ = stored_state(store, spec)
    assert state.numbers == {4: "quoridor:a|b:0"}


async def test_a_disabled_engine_whose_table_is_changed_plays_again(tmp_path, autojump_clock):
    broken = tournament(tmp_path, "ladder", "abc", concurrency=1, max_games=40)
    better = replace(broken.engines[1], spec=replace(broken.engines[1].spec, command=("mended",)))
    mended = replace(broken, engines=(broken.engines[0], better, broken.engines[2]))

    def answer(job, names):
        crashes = "b" in names and job.seats[names.index("b")].engine.command != ("mended",)
        return (crash_of("b") if crashes else first_in_alphabet)(job, names)

    summary, records, seen, _ = await run(broken, answer, reread=changing(*[None] * 20, mended))
    assert [event.engine for event in seen if isinstance(event, ev.EngineDisabled)] == ["b"]
    assert summary.disabled == ()
    played = ["b" in {player.name for player in record.result.players} for record in records]
    assert sum(played[:21]) == 3
    assert sum(played[21:]) >= 5


async def test_a_game_is_recorded_with_the_settings_that_it_was_played_with(tmp_path, autojump_clock):
    before = tournament(tmp_path, "ladder", "ab", concurrency=1, max_games=6, time_control='"10+0.1"')
    after = tournament(tmp_path, "ladder", "ab", concurrency=1, max_games=6)
    before = replace(before, engines=(replace(before.engines[0], version="old"), before.engines[1]))
    slow = replace(after.engines[0], time_control=type(after.engines[0].time_control).parse("99"))
    after = replace(after, engines=(replace(slow, version="new"), after.engines[1]))
    played = []

    def answer(job, names):
        played.append(job.seats[names.index("a")].time_control)
        return first_in_alphabet(job, names)

    _, records, _, _ = await run(before, answer, reread=changing(after))
    of_a = [next(player for player in record.result.players if player.name == "a") for record in records]
    controls = [player.time_control for player in of_a]
    assert controls == played
    assert [player.version for player in of_a] == ["new" if control == "99" else "old" for control in played]
    assert (controls[0], *controls[2:]) == ("10+0.1", *["99"] * 4)


async def test_games_go_on_while_the_change_of_a_tournament_takes_long(tmp_path, autojump_clock):
    """An engine may be built, or its options may be checked."""
    few = tournament(tmp_path, "ladder", "abc", max_games=400)
    many = tournament(tmp_path, "ladder", "abcd", max_games=400)
    calls = []

    async def reread():
        calls.append(trio.current_time())
        if len(calls) > 1:
            return None
        await trio.sleep(160)
        return many

    ended = []

    def answer(job, names):
        ended.append((trio.current_time(), "d" in names))
        return first_in_alphabet(job, names)

    summary, _, _, _ = await run(few, answer, reread=reread)
    assert summary.played == 400
    assert calls[:2] == [1, 161]
    assert sum(time <= 161 for time, _ in ended) == 2 * 161
    assert not any(new for time, new in ended if time <= 161)
    assert sum(new for _, new in ended) > 30


async def test_a_run_without_a_game_to_play_waits_for_a_change_that_takes_long(tmp_path, autojump_clock):
    few = tournament(tmp_path, "ladder", "ab", max_games=4)
    more = tournament(tmp_path, "ladder", "ab", max_games=6)
    changes = [more]

    async def reread():
        if not changes:
            return None
        await trio.sleep(160)
        return changes.pop()

    summary, _, _, _ = await run(few, first_in_alphabet, reread=reread)
    assert (summary.played, trio.current_time()) == (6, 162)


async def test_a_change_applies_immediately_and_not_at_the_next_event_of_a_game(tmp_path, autojump_clock):
    few = tournament(tmp_path, "ladder", "ab", max_games=3)
    changes = [tournament(tmp_path, "ladder", "ab", max_games=4)]

    async def reread():
        await trio.sleep(0.2)
        return changes.pop() if changes else None

    await run(few, first_in_alphabet, reread=reread)
    # Games end after 1 s, and two run at a time. Then the third starts, and 0.2 s later the fourth.
    assert trio.current_time() == pytest.approx(1 + 0.2 + 1 + 0.4, abs=0.21)


async def test_ctrl_c_does_not_wait_for_a_change_that_takes_long(tmp_path, autojump_clock):
    spec = tournament(tmp_path, "ladder", "ab", max_games=2)
    send, _receive = trio.open_memory_channel(1000)
    async with trio.open_nursery() as nursery:
        referees = Referees(nursery, first_in_alphabet)
        runner = GameLoop(spec, ScheduleState(), referees, send, lambda _: None, partial(trio.sleep, 160))
        nursery.start_soon(runner.run)
        await trio.sleep(10)
        await runner.stop()
    assert trio.current_time() == 10


async def test_an_engine_that_is_removed_while_its_game_waits_to_be_played_again_plays_no_more(
    tmp_path, autojump_clock
):
    """The first game of an engine is lost. It waits until no other game runs."""
    many = tournament(tmp_path, "ladder", "abcd", concurrency=3, max_games=12)
    few = replace(many, engines=many.engines[1:])
    ended = []

    def answer(job, names):
        ended.append((trio.current_time(), names))
        return JobLost(job.id, "it died") if len(ended) == 1 else first_in_alphabet(job, names)

    def seconds(job):
        return {"1": 0.5, "3": 2}.get(job.id, 1)

    summary, _, _, _ = await run(many, answer, reread=changing(few), seconds=seconds)
    assert summary.played == 12
    assert [("a" in names, time) for time, names in ended[:3]] == [(True, 0.5), (True, 1), (False, 2)]
    assert not any("a" in names for _, names in ended[3:])


@pytest.mark.parametrize(
    ("form", "keys", "stages"),
    [
        ("swiss", {"rounds": 3}, [f"round {turn} of 3" for turn in (1, 2, 3)]),
        ("knockout", {}, ["round 1 of 2", "round 2 of 2"]),
    ],
)
async def test_each_round_is_reported_when_it_starts(tmp_path, autojump_clock, form, keys, stages):
    _, _, seen, _ = await run(tournament(tmp_path, form, **keys), first_in_alphabet)
    reported = [event for event in seen if isinstance(event, Stage)]
    assert reported == [Stage("quoridor", text) for text in stages]


async def test_options_that_were_refused_are_tried_again_when_the_file_is_read_again(tmp_path):
    spec = tournament(tmp_path, "ladder", "ab")
    text = spec.path.read_text()
    tried, told = [], []

    class Refusing:
        count = 1

        async def change(self, spec):
            await trio.lowlevel.checkpoint()

        async def try_engine(self, engine, game):
            await trio.lowlevel.checkpoint()
            tried.append((engine.name, engine.options))
            return "" if engine.options["Hash"] == "3" else "has no option Hash"

    started = Run(spec, told.append, accept_changed_options=True)
    reread = _Rereader(started, Refusing()).changed
    changed = []
    for margin, value in ((100, 2), (150, 2), (150, 3)):
        spec.path.write_text(f"{text}\noptions = {{ Hash = {value} }}\nmargin = {margin}\n")
        changed.append(await reread() is not None)
    assert changed == [False, False, True]
    assert tried == [("b", {"Hash": "2"}), ("b", {"Hash": "2"}), ("b", {"Hash": "3"})]
