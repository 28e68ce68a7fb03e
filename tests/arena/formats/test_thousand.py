"""A thousand engines, in every format that does not need two."""

from typing import Any

import pytest

from tests.arena.formats.playing import by_strength, keys, names, play, tournament

ENGINES = names(1000)


@pytest.mark.slow  # a Swiss takes seconds, and the ladder as long
@pytest.mark.parametrize(
    ("form", "own", "games"),
    [
        ("round-robin", {}, 999_000),
        ("gauntlet", {"seeds": ("e0",)}, 1998),
        ("swiss", {"rounds": 11}, 11_000),
        ("knockout", {}, None),
        ("ladder", {"max_games": 500}, 500),
    ],
)
def test_a_thousand_engines_play_each_game_once(form: str, own: dict[str, Any], games: int | None) -> None:
    spec = tournament(ENGINES, form, **own)
    judge = by_strength({name: -number / 100 for number, name in enumerate(ENGINES)})
    most = 5000 if form == "round-robin" else None
    handed, results = play(spec, judge, at_once=8, until=most)
    assert len(keys(results)) == len(results) <= len(keys(handed)) == len(handed)
    assert len({game.number for game in handed}) == len(handed)
    if games is None:
        assert 1998 <= len(results) <= 3996  # two games a pairing, and up to two more if they end level
    else:
        assert len(results) == (most or games)
        assert spec.schedule().total in (games, None)
