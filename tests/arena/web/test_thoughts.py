"""What engines thought, as pages show it: lines checked by the rules, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena.web.figures import speed_text
from arena.web.pages.thoughts import (
    Line,
    ShownThought,
    agreements,
    checked_line,
    line_table,
    shown_thoughts,
)
from protocol.wire.messages import Thought
from referee import game
from referee.follower import Follower
from referee.ply import Ply


def line(id_: str, pv: str, *moves: str) -> Line:
    rules = game(id_)
    follower = Follower(rules.start(), rules.info.players)
    for move in moves:
        follower.follow(move)
    return checked_line(pv, follower)


@pytest.mark.parametrize(
    ("id_", "pv", "moves", "illegal"),
    [
        ("quoridor", "e2 e8 e3", ["e2", "e8", "e3"], ""),
        ("quoridor", "e2 z9 e3", ["e2"], "z9"),
        ("quoridor", "e2 e2", ["e2"], "e2"),
        ("quoridor", "<script>alert('x')</script> e2", [], "<script>alert('x')</"),
        ("quoridor", "!1 e2", [], "!1"),
        ("quoridor", " ".join(["e2", "e8", "e1", "e9"] * 9), ["e2", "e8", "e1", "e9"] * 5, ""),
        ("chess", "e4 e5 Nf3", ["e2e4", "e7e5", "g1f3"], ""),
        ("chess", "f2f3 e7e5 g2g4 d8h4 a2a3", ["f2f3", "e7e5", "g2g4", "d8h4"], "a2a3"),
        ("chess", "e2e4 0000", ["e2e4"], "0000"),
    ],
)
def test_a_line_goes_as_far_as_its_moves_are_legal(
    id_: str, pv: str, moves: Sequence[str], illegal: str
) -> None:
    found = line(id_, pv)
    assert (list(found.moves), found.illegal) == (moves, illegal)


def test_a_line_of_chess_is_written_in_algebraic_notation() -> None:
    found = line("chess", "e2e4 e7e5 g1f3 a1a2")
    assert found == Line(("e2e4", "e7e5", "g1f3"), "a1a2", ("e4", "e5", "Nf3"))
    assert line("quoridor", "e2 e8").written == ()


def test_a_removed_seat_has_no_turn_in_a_line() -> None:
    plies = [Ply(0, "e2", 1), Ply(1, "!2", 0), Ply(2, "e8", 1, thought=Thought(pv="e8 f5 e3"))]
    rules = game("quoridor4")
    follower = Follower(rules.start(), 4)
    positions = [follower.position]
    for ply in plies:
        follower.follow(ply.text)
        positions.append(follower.position)
    last = shown_thoughts(4, plies, positions)[-1].line
    assert last == line("quoridor4", "e8 f5 e3", "e2", "!2")
    assert last.moves


RUN = "e2 e8 e3 e7 e4 e6"


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("e2 e8 e3 e7", "e8 e3 e7 d4", "They agree until ply 4."),
        ("e2 e8 e3", "e8 e3 e7", "They agree until ply 3."),
        ("e2 e8 e3", "e8 d2", "They agree until ply 2."),
        ("e2 d9 e3", "e8 e3", "They do not agree on ply 2."),
        ("e2", "e8 e3", ""),
        ("", "e8 e3", ""),
        ("e2 e8", "z9", ""),
    ],
)
def test_two_lines_agree_as_far_as_they_have_the_same_moves(first: str, second: str, told: str) -> None:
    plies = [Ply(0, "e2", 1, thought=Thought(pv=first)), Ply(1, "e8", 1, thought=Thought(pv=second))]
    rules = game("quoridor")
    positions = [rules.start(), rules.start().play(rules.start().parse_move("e2"))]
    thoughts = shown_thoughts(2, plies, positions)
    assert [*agreements(2, plies, thoughts)] == ["", told]


def test_a_forgiven_fault_is_no_move_of_a_line() -> None:
    plies = [
        Ply(0, "e2", 1, thought=Thought(pv="e2 e8 e3")),
        Ply(1, "?illegal played 'z9'", 1),
        Ply(1, "e8", 1, thought=Thought(pv="e8 e3")),
    ]
    start = game("quoridor").start()
    after = start.play(start.parse_move("e2"))
    thoughts = shown_thoughts(2, plies, [start, after, after])
    assert [*agreements(2, plies, thoughts)] == ["", "", "They agree until ply 4."]


@pytest.mark.parametrize(
    ("per_second", "text"),
    [
        (0, "0 /s"),
        (850, "850 /s"),
        (7900, "7.9 k/s"),
        (19_400, "19 k/s"),
        (1_149_000, "1.1 M/s"),
        (320_000_000, "320 M/s"),
        (10**15 - 1, "1000000 G/s"),
    ],
)
def test_a_speed_has_two_or_three_digits(per_second: int, text: str) -> None:
    assert speed_text(per_second).replace("\u202f", " ") == text


def test_lines_stand_under_the_same_plies_and_the_first_different_move_is_marked() -> None:
    plies = [Ply(0, "e2", 1, thought=None), Ply(1, "e8", 1, thought=None)]
    thoughts = [
        ShownThought(line=Line(("e2", "e8", "e3", "d8", "e4"))),
        ShownThought(line=Line(("e8", "e3", "e7"))),
    ]
    table = line_table(2, plies, thoughts)
    assert table is not None
    assert table.plies == range(1, 9)
    assert table.rows[0][:6] == ("e2", "e8", "e3", "d8", "e4", "")
    assert table.rows[1][:6] == ("", "e8", "e3", "e7", "", "")
    assert table.looks[:5] == ("", "same", "same", "differs", "")
    assert table.same == 2
    assert line_table(2, plies, [ShownThought(), ShownThought()]) is None
