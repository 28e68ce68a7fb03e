"""Engines that changed while a tournament was played are marked, and a note says what changed."""

from dataclasses import replace

from arena.store import EngineUse
from arena.tables.changes import changed_engines, changes_note, earlier_states, state_key
from arena.tables.text_table import TextTable, TitledTable, as_csv, as_markdown, as_text


def use(first: int, *, games: int = 2, name: str = "a", **others: object) -> EngineUse:
    values = {"version": "1", "program": "p", "options": {}, "time_control": "10+0.1", **others}
    return EngineUse(name=name, games=games, first=first, last=first + games - 1, **values)  # type: ignore[arg-type]  # see `values`


def note(*uses: EngineUse) -> str:
    return changes_note(changed_engines(uses))


def test_what_stays_the_same_or_is_not_known_is_no_change() -> None:
    assert note(use(1), use(3, version=""), use(5, program=""), use(7, options=None), use(9, name="b")) == ""
    assert earlier_states([use(1), use(3, version="")]) == frozenset()


def test_a_note_names_only_what_differs_and_the_games() -> None:
    old, new = {"Hash": "16", "Threads": "1"}, {"Hash": "32", "Threads": "1"}
    assert note(use(1, options=old), use(3, options=new), use(5, options=old)) == (
        "* a was not the same in all games:"
        " from game 1: Hash = 16 (4 games); from game 3: Hash = 32 (2 games)"
    )
    assert "from game 1: Hash = not set" in note(use(1), use(3, options=new))
    assert "time control 5+0 (2 games)" in note(use(1), use(3, time_control="5+0"))
    assert "from game 3: program q (1 game)" in note(use(1), use(3, program="q", games=1))
    assert "from game 3: version 2 (2 games)" in note(use(1), use(3, program="q", version="2"))
    mixed = use(1), use(3, program="q"), use(5, program="r", version="2")
    assert note(*mixed).partition(": ")[2] == (
        "from game 1: version 1, program p (2 games); from game 3: version 1, program q (2 games);"
        " from game 5: version 2 (2 games)"
    )
    assert "from game 5: not known" in note(use(1), use(3, program="q"), use(5, program=""))


def test_a_note_stays_short() -> None:
    many = [use(first, name=f"e{first % 20:02}", program=f"p{first}") for first in range(400)]
    lines = note(*many).splitlines()
    assert len(lines) == 9
    assert lines[-1] == "* and 12 other engines"
    assert all(line.endswith("; and 12 other changes") for line in lines[:-1])


def test_the_states_before_the_newest_one_are_earlier() -> None:
    old, new = use(1, options={"Hash": "16"}), use(3, options={"Hash": "32"})
    assert earlier_states([old, new]) == {state_key(old)}
    again = replace(old, last=9)
    assert earlier_states([again, new]) == {state_key(new)}


def test_people_see_a_mark_at_a_name_and_programs_do_not() -> None:
    table = TitledTable("", "ranking", TextTable(("#", "engine"), (("1", "a"), ("2", "b")))).with_marks(["a"])
    assert as_text(table).split() == ["#", "engine", "1", "*a", "2", "b"]
    assert "| 1 | \\*a |" in as_markdown([table])
    assert as_csv([table]).splitlines()[1:] == [",ranking,1,a", ",ranking,2,b"]
