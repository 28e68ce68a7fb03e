"""Tests of a plan: what it says of the games of one id, whether or not the id is known here."""

from __future__ import annotations

import pytest

from arena.formats.format import FormatView, Played
from arena.formats.plan import Plan
from tests.arena.formats.playing import plan

FIVE = ("a", "b", "c", "d", "e")
NOTHING = Played(0, lambda: ())
ROUND_ROBIN = plan("round-robin", {"quoridor": FIVE, "no-such-game": FIVE}, games_per_pairing=2)


@pytest.mark.parametrize("game_id", ["no-such-game", "hops"])
def test_nothing_is_known_of_an_id_that_is_not_played_or_not_installed(game_id: str):
    assert ROUND_ROBIN.entrants(game_id) is None
    assert ROUND_ROBIN.most_games(game_id) is None
    assert ROUND_ROBIN.is_over(game_id, NOTHING) is None
    view = ROUND_ROBIN.view(game_id, NOTHING)
    assert view == FormatView(order=ROUND_ROBIN.format.order, decided_by=ROUND_ROBIN.format.decided_by)


def test_an_id_is_over_when_as_many_games_count_as_there_are():
    assert [ROUND_ROBIN.is_over("quoridor", Played(number, lambda: ())) for number in (19, 20)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("answers", "finished"),
    [
        ((True, True), True),
        ((True, False), False),
        ((None, False), False),
        ((True, None), None),
        ((None, None), None),
    ],
)
def test_a_tournament_is_over_when_each_id_is(answers: tuple[bool | None, ...], finished: bool | None):
    made = plan("round-robin", {"quoridor": FIVE, "hops": FIVE})
    assert made.finished(dict(zip(made.names, answers, strict=True)).__getitem__) is finished


def test_only_ids_that_are_installed_have_counters_and_only_formats_that_count():
    made = plan("match", {"quoridor": FIVE[:2], "no-such-game": FIVE[:2]}, max_games=4)
    assert len(made.progress()) == 1
    assert ROUND_ROBIN.progress() == []


def test_a_stored_plan_is_read_back_and_other_text_is_none():
    assert Plan.stored(ROUND_ROBIN.encode()) == ROUND_ROBIN
    for text in ("", "{}", ROUND_ROBIN.encode().replace("round-robin", "no-such-format")):
        assert Plan.stored(text) is None
