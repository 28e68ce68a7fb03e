"""What notebooks show is whole, says what was played, and runs nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import arena
from arena.notebook import NotebookGame, NotebookTables
from arena.scoring import Versus
from referee import game, game_ids


@pytest.mark.parametrize("game_id", game_ids())
def test_every_game_has_a_board_with_all_its_shapes_and_colours(game_id: str) -> None:
    board = arena.board(game_id)
    drawing = ET.fromstring(board._repr_svg_())
    assert drawing.findall(".//{*}use") == []
    assert drawing.findall(".//{*}script") == []
    assert all(rule.startswith(".arena ") for rule in drawing[0].text.split("}")[:-1])
    assert str(board) == game(game_id).start().diagram()


def test_a_board_can_be_a_string_or_an_object_of_the_rules_with_a_move() -> None:
    rules = game("quoridor")
    position = rules.start().play(rules.start().parse_move("e2"))
    marked = arena.board("quoridor", position, "e2")._repr_svg_()
    assert marked != arena.board("quoridor", str(position))._repr_svg_()
    with pytest.raises(arena.ArenaError, match="did you mean quoridor"):
        arena.board("quorridor")
    with pytest.raises(arena.ArenaError):
        arena.board("quoridor", "/ / e2 / 10")


def played(**changes: object) -> NotebookGame:
    record = arena.play_game("rodeurs", ["sample:random", "sample:random"], position=None)
    players = tuple(replace(player, name="<script>") for player in record.result.players)
    result = replace(record.result, players=players, detail="<b>", **changes)
    return NotebookGame.of(replace(record, result=result))


def test_names_are_text_and_a_game_without_rules_has_its_moves() -> None:
    known, unknown = played()._repr_html_(), played(game="gone")._repr_html_()
    for shown in (known, unknown):
        assert "<script" not in shown
        assert "&lt;script&gt;" in shown
        assert "1.&nbsp;" in shown
    assert "<img" in known
    assert "<img" not in unknown


def test_tables_have_the_scores_of_pairs_and_empty_cells_for_what_is_not_known() -> None:
    pairs = {("a", "<b>"): Versus(1.5, 2), ("<b>", "a"): Versus(0.5, 2)}
    rated = (arena.RatedEngine("a", 25.123456, None, None, None),)
    html = NotebookTables(quoridor=pairs, gone=rated)._repr_html_()
    assert "<tr><td>a</td><td></td><td>1.5 of 2</td></tr>" in html
    assert "<td>a</td><td>25.12</td><td></td>" in html
    assert "<th>&lt;b&gt;</th>" in html
    assert "<table></table>" not in NotebookTables(quoridor=())._repr_html_()


def test_a_function_without_a_source_or_a_name_is_no_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for engine, problem in ((max, "max> cannot be a bot"), (lambda legal: legal[0], "with def")):
        with pytest.raises(arena.ArenaError, match=problem):
            arena.play_game("quoridor", [engine, engine])
    assert list(tmp_path.iterdir()) == []
