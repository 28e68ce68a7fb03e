"""The tags that are added to a handwritten game."""

from __future__ import annotations

import pytest

from arena.records import text as handwritten
from arena.records.text import Tags, complete
from referee.ply import Ply

NS = 1_000_000_000
TEXTS = ["e2", "e8", "e3", "e7", "e4", "e6", "e5", "e4", "e6", "e3", "e7", "e2", "e8", "e1"]
RUN = [Ply(turn % 2, text, 0) for turn, text in enumerate(TEXTS)]
"""A game that the rules end: player 2 reaches its goal."""

MOVERS = {"Player1": ("Ann",), "Player2": ("Bob",)}
RANKS = {"Rank1": ("2",), "Rank2": ("1",)}

OWN = {
    "Key": "k",
    "Event": "cup",
    "Number": "7",
    "Started": "5",
    "Duration": "9",
    "Player1": "Ann",
    "Player2": "Bob",
    "Final": "f",
    "Termination": "resign",
    "Reason": "why",
    "Rank1": "1",
    "Rank2": "2",
    "TimeControl1": "1+0",
    "Margin1": "1",
    "TimeUsed1": "3",
    "TimeControl2": "2+0",
    "Margin2": "2",
    "TimeUsed2": "4",
    "Points1": "0.25",
    "Points2": "0.75",
}
"""For each tag that can be missing, another value than would be added."""


def completed(tags: Tags, plies: list[Ply], place: int = 1) -> dict[str, str | tuple[str, ...]]:
    """Return all tags after `complete`, those with one string without their tuple."""
    all_tags = {"Game": ("quoridor",), **tags}
    complete(all_tags, plies, place)
    return {name: strings[0] if len(strings) == 1 else strings for name, strings in all_tags.items()}


def test_a_game_that_the_rules_end_gets_all_its_tags() -> None:
    found = completed({}, RUN, place=3)
    assert found.pop("Key").startswith("game ")
    assert found == {
        "Game": "quoridor",
        "Event": "games",
        "Number": "3",
        "Started": "1970-01-01T00:00:00Z",
        "Duration": "0",
        "Player1": "player 1",
        "Player2": "player 2",
        "Final": "/ / e8 e1 / 10 10 / 1",
        "Termination": "normal",
        "Reason": "goal",
        "Rank1": "2",
        "Rank2": "1",
        "TimeControl1": "none",
        "Margin1": "0",
        "TimeUsed1": "0",
        "TimeControl2": "none",
        "Margin2": "0",
        "TimeUsed2": "0",
        "Points1": "0",
        "Points2": "1",
    }


def test_tags_that_are_there_are_kept() -> None:
    for name, text in OWN.items():
        if name not in {"Player1", "Player2", "Termination"}:
            assert completed({name: (text,)}, RUN)[name] == text


def test_a_game_with_all_tags_is_read_as_it_is_and_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("game", "replay", "points"):
        monkeypatch.delattr(handwritten, name)
    assert completed({name: (text,) for name, text in OWN.items()}, RUN) == {"Game": "quoridor", **OWN}


def test_the_time_used_is_the_sum_of_a_players_moves_and_the_duration_that_of_all() -> None:
    plies = [Ply(0, "e2", 3 * NS // 2), Ply(1, "e8", NS // 4), Ply(0, "e3", 2 * NS)]
    found = completed({**MOVERS, **RANKS, "Termination": ("resign",)}, plies)
    assert (found["TimeUsed1"], found["TimeUsed2"], found["Duration"]) == ("3.5", "0.25", "3.75")


def test_a_game_that_was_stopped_has_its_last_position_and_its_termination_as_reason() -> None:
    found = completed({**MOVERS, **RANKS, "Termination": ("resign",)}, [Ply(0, "e2", 0)])
    assert (found["Final"], found["Reason"]) == ("/ / e2 e9 / 10 10 / 2", "resign")


def test_a_game_with_a_termination_and_no_moves_has_no_last_position() -> None:
    assert "Final" not in completed({**MOVERS, **RANKS, "Termination": ("resign",)}, [])


def test_the_last_position_follows_from_the_start_and_the_opening() -> None:
    start = {"Start": ("/ / e4 e7 / 10 10 / 1",), "Opening": ("e5", "d7")}
    found = completed({**MOVERS, **RANKS, **start, "Termination": ("resign",)}, [Ply(0, "e6", 0)])
    assert found["Final"] == "/ / e6 d7 / 10 10 / 2"


def test_a_game_for_four_gets_four_players() -> None:
    found = completed({"Game": ("quoridor4",), "Termination": ("void",)}, [])
    assert [found[f"Player{seat}"] for seat in range(1, 5)] == [f"player {seat}" for seat in range(1, 5)]
    assert "Player5" not in found
    assert found["Points4"] == "0"


def test_a_game_that_the_rules_do_not_end_needs_a_termination() -> None:
    with pytest.raises(ValueError, match="the rules do not end the game after its last move;") as refused:
        completed({}, RUN[:-1])
    assert str(refused.value).endswith("; add the tags Termination, Rank1 and Rank2 to say how it ended")


@pytest.mark.parametrize(
    ("tags", "plies"),
    [
        ({"Game": ("crazyhouse",), **MOVERS}, RUN),  # no such game
        (dict(MOVERS), [Ply(0, "e5", 0)]),  # an illegal move
        ({"Start": ("x",), **MOVERS}, RUN),
    ],
)
def test_a_game_that_cannot_be_played_is_left_to_the_checks_that_follow(tags: Tags, plies: list[Ply]) -> None:
    found = completed(tags, plies)
    assert (found["Termination"], found["Reason"]) == ("normal", "normal")
    assert not {"Final", "Rank1", "Rank2"} & set(found)
    assert (found["Points1"], found["Points2"]) == ("0", "0")


def test_a_game_that_does_not_exist_gets_no_players() -> None:
    assert not [name for name in completed({"Game": ("crazyhouse",)}, RUN) if name.startswith("Player")]


def test_equal_games_have_equal_keys_and_other_games_others() -> None:
    resigned = {**MOVERS, **RANKS, "Termination": ("resign",)}
    keys = [
        completed(resigned, RUN[:2])["Key"],
        completed(resigned, [Ply(ply.seat, ply.text, NS, "cp 3") for ply in RUN[:2]], place=2)["Key"],
        completed(dict(reversed(resigned.items())), RUN[:2])["Key"],
        completed(resigned, RUN[:1])["Key"],
        completed(resigned, [RUN[0], Ply(1, "d9", 0)])["Key"],
        completed(resigned, [RUN[0], Ply(0, "e8", 0)])["Key"],
        completed({**resigned, "Player2": ("Cid",)}, RUN[:2])["Key"],
    ]
    assert keys[0] == keys[1] == keys[2] == "game e9e374641e9bc17a"
    assert len(set(keys)) == 5


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"Rank1": "1", "Rank2": "2"}, ("1", "0")),
        ({"Rank1": "1", "Rank2": "1"}, ("0.5", "0.5")),
        ({"Rank1": "1", "Rank2": "1", "Forfeit2": "crash"}, ("0.5", "0")),
        ({"Rank1": "1", "Rank2": "1", "Forfeit2": "resign"}, ("0.5", "0.5")),
        ({"Rank1": "1", "Rank2": "1", "Forfeit2": "nonsense"}, ("0.5", "0.5")),
        ({"Rank1": "1"}, ("0", "0")),
        ({"Rank1": "1", "Rank2": "x"}, ("0", "0")),
        ({"Rank1": "1", "Rank2": "2", "Points2": "0.25"}, ("1", "0.25")),
        ({"Rank1": "1", "Rank2": "2", "Points1": "0.25"}, ("0.25", "0")),
    ],
)
def test_points_follow_from_the_ranks(tags: dict[str, str], expected: tuple[str, str]) -> None:
    found = completed(
        {**MOVERS, "Termination": ("adjudicated",), **{name: (text,) for name, text in tags.items()}}, []
    )
    assert (found["Points1"], found["Points2"]) == expected


@pytest.mark.parametrize(("rank", "points"), [("10", "-8"), ("99", "-97"), ("100", "0"), ("9" * 400, "0")])
def test_a_rank_of_three_digits_has_no_points(rank: str, points: str) -> None:
    tags = {**MOVERS, "Termination": ("adjudicated",), "Rank1": ("1",), "Rank2": (rank,)}
    assert completed(tags, [])["Points2"] == points


def test_a_player_alone_has_no_points() -> None:
    tags = {"Player1": ("Ann",), "Termination": ("adjudicated",), "Rank1": ("1",)}
    found = completed(tags, [])
    assert found["Points1"] == "0"
    assert "Points2" not in found


def test_players_are_counted_up_to_the_first_that_is_missing() -> None:
    found = completed({"Player1": ("Ann",), "Player3": ("Cid",), "Termination": ("void",)}, [])
    assert "Margin1" in found
    assert "Margin2" not in found
    assert "Margin3" not in found
