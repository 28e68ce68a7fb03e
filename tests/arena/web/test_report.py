"""`arena report`: write a tournament as web pages."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from contextlib import closing
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from click.testing import Result
from msgspec import structs

from arena.model import GameRecord
from arena.ratings.sprt import Sprt
from arena.ratings.trueskill import Rating, RatingSample
from arena.replay import final_clocks
from arena.scoring import GameScoreCounts
from arena.store import Store
from arena.web.figures import cell, days, on_pages, short_name
from arena.web.glossary import GLOSSARY
from arena.web.pages.game import game_view
from arena.web.pages.games import Race, RecentGames, game_line
from arena.web.pages.section import history_plot, read_results
from arena.web.pages.thoughts import Line
from arena.web.pages.tournament import tournament_facts
from arena.web.plots import ticks
from arena.web.server.casual_game import CASUAL, UNRATED
from arena.web.templating import asset
from protocol.wire.messages import Thought
from referee import Termination
from tests.arena.formats.playing import plan as plan_of
from tests.arena.invoking import invoke
from tests.arena.stored import new_store
from tests.arena.web.sites import EVIL, IDS, NAMES, fill, played


def report(database: Path, target: Path, *args: str) -> Result:
    return invoke("report", "--db", database, "-o", target, *args)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "arena.db"
    fill(path, plies=12)
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database for tests that write a whole report of their own."""
    path = tmp_path_factory.mktemp("small") / "arena.db"
    fill(path, plies=4, ids=("quoridor4", "hops"))
    return path


@pytest.fixture(scope="module")
def site(database: Path) -> Path:
    target = database.with_name("site")
    outcome = report(database, target)
    assert (outcome.exit_code, outcome.output) == (0, f"{target / 'index.html'}\n")
    return target


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def parsed(page: Path) -> ET.Element:
    return ET.fromstring(page.read_text(encoding="utf-8"))


def games_of(site: Path, id_: str) -> list[Path]:
    tree = parsed(site / f"{id_}-1.html")
    links = [link.get("href", "") for link in tree.iter("a")]
    return [site / link for link in links if link.startswith("games/")]


def test_every_page_is_well_formed_and_says_what_it_is(site: Path) -> None:
    games = sorted(site.glob("games/*.html"), key=lambda page: int(page.stem))
    for page in (*games[::4], *(page for page in pages(site) if page.parent == site)):
        tree = parsed(page)
        assert tree.get("lang") == "en"
        assert (tree.findtext("head/title") or "").strip()
        headings = [int(one.tag[1]) for one in tree.iter() if re.fullmatch("h[1-6]", one.tag)]
        assert headings[0] == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(headings))
        ids = [one.get("id") for one in tree.iter() if one.get("id")]
        assert len(ids) == len(set(ids))


def test_every_link_leads_somewhere_inside(site: Path) -> None:
    anchors = {page: {one.get("id") for one in parsed(page).iter()} for page in pages(site)}
    for page in anchors:
        for element in parsed(page).iter():
            for link in filter(None, (element.get("href"), element.get("src"))):
                if link == "data:,":
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                assert target.is_relative_to(site)
                assert target.exists(), link
                assert not anchor or anchor in anchors[target], link


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for file in [*pages(site), site / "style.css", site / "replay.js"]:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"https?:|url\(|@import|\bimport\b|fetch\(|XMLHttpRequest|\bsrc=\"//", text), (
            file
        )


def test_names_and_details_are_always_text(site: Path) -> None:
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        assert EVIL not in text
        assert "<img" not in text
        assert "<u>" not in text
        assert "\x1b" not in text
        for script in parsed(page).iter("script"):
            assert script.get("src") or script.get("type") == "application/json"
    assert EVIL in "".join(parsed(site / "index.html").itertext())


def test_the_parts_of_a_game_id_each_have_their_tables_and_a_link(site: Path) -> None:
    tree = parsed(site / "index.html")
    (section,) = [one for one in tree.iter("section") if one.get("aria-labelledby") == "game-hops"]
    divisions = [one for one in section.iter("div") if (one.get("class") or "").startswith("part ")]
    parts = {one.get("id"): one for one in divisions}
    captions = {
        name: [(one.text or "").partition(" of ")[0].partition(" in ")[0] for one in part.iter("caption")]
        for name, part in parts.items()
    }
    assert captions == {
        "game-hops-overview": ["Ranking", "Standings"],
        "game-hops-cross": ["Crosstable"],
        "game-hops-ratings": ["Ranking", "Likelihood"],
        "game-hops-ends": ["Seats", "Openings", "Reasons for the end", "Forfeits", "Use", "Depth and speed"],
    }
    links = [one.get("href") for nav in section.iter("nav") for one in nav.iter("a")]
    assert links == [*(f"#{name}" for name in parts), "hops-1.html"]
    heads = [one.text for table in section.iter("table") for one in table.iter("th") if one.text == "W-D-L"]
    assert len(heads) <= 1


def test_the_ratings_of_a_tournament_count_its_games_alone(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        for name, games in (("spring", 2), ("autumn", 5)):
            store.begin_tournament(name, {})
            some = (played("hops", ("a", "b"), number, plies=4) for number in range(games))
            store.add_games([with_tournament(one, name) for one in some])
        tallies = {name: store.tally(tournament=name) for name in ("spring", "autumn")}
        found = {
            name: [read_results(store, name, None, *item) for item in tally.items()]
            for name, tally in tallies.items()
        }
    assert {name: one[0].ratings.tally.total() for name, one in found.items()} == {"spring": 2, "autumn": 5}
    assert [one[0].samples[-1].games for one in found.values()] == [2, 5]


def test_names_that_differ_at_their_end_stay_different_when_they_are_cut() -> None:
    names = [f"stockfish with a rather long name depth {depth}" for depth in (1, 2)]
    assert [short_name(name)[-7:] for name in names] == ["depth 1", "depth 2"]
    assert short_name("stockfish 17.1 with 2 threads") == "stockfish 17.1 with 2 threads"


def test_thousands_are_grouped_in_tables_too() -> None:
    assert [cell(text) for text in ("1234567", "-1234", "999", "0", "007", "1.25", "12-3-4")] == [
        *("1\u202f234\u202f567", "−1\u202f234", "999", "0", "007", "1.25", "12-3-4"),
    ]


def test_a_negative_number_has_a_real_minus_and_an_error_its_sign() -> None:
    assert [cell(text) for text in ("-57", "-0.5", "3-0-1", "-", "a-1", "−")] == [
        "−57", "−0.5", "3-0-1", "-", "a-1", "−"
    ]  # fmt: skip
    assert on_pages("player 1 -12 +-34, lea-2 -3sigma") == "player 1 −12 ±34, lea-2 -3sigma"


def test_the_curve_of_a_rating_has_its_95_percent_band() -> None:
    samples = [RatingSample(games, {"a": Rating(25.0 + games, 10.0 / games, games)}) for games in (1, 2, 5)]
    drawn = ET.fromstring(str(history_plot("hops", samples, ["a"])))
    band, line = (one for one in drawn.iter("path") if "series" in one.get("class", ""))
    heights = [[*accumulate(map(float, re.split("[Ml ]", one.get("d", ""))[2::2]))] for one in (line, band)]
    units = (heights[0][0] - heights[0][2]) / 4  # of the plot for a difference of 1
    assert (max(heights[1]) - heights[0][0]) / units == pytest.approx(19.6, abs=0.3)


@pytest.mark.parametrize("id_", IDS)
def test_a_game_has_all_its_positions_and_without_a_script_its_last_board(id_: str, site: Path) -> None:
    for page in games_of(site, id_):
        tree = parsed(page)
        (script,) = [one for one in tree.iter("script") if one.get("id") == "replay"]
        data = json.loads(script.text or "")
        rows = [one for one in tree.iter("a") if (one.get("id") or "").startswith("ply=")]
        lengths = {len(data[key]) for key in ("frames", "says", "captions", "positions")}
        assert lengths == {len(rows) + 1}
        (drawn,) = [one for one in tree.iter("g") if one.get("id") == "items"]
        last = [ET.fromstring(f"<g>{data['items'][item]}</g>") for item in data["frames"][-1]]
        assert [one.attrib for one in drawn] == [one.attrib for item in last for one in item]
        assert tree.find(".//svg[@id='board']").get("aria-labelledby") == "says caption"  # type: ignore[union-attr]


def test_the_bar_of_chances_follows_the_last_score_and_ends_with_the_result(site: Path) -> None:
    record = played("quoridor", ("a", "b"), 2, plies=4)
    scores = ("", "cp 100", "", "mate 3")
    plies = tuple(structs.replace(ply, score=score) for ply, score in zip(record.record, scores, strict=True))
    boards = game_view(replace(record, record=plies)).boards
    assert boards is not None
    assert boards.frames["chances"][:4] == [None, None, 41, 41]
    assert boards.frames["chances"][4] == round(100 * record.result.players[0].points)
    tree = parsed(games_of(site, "quoridor")[0])
    (bar,) = [one for one in tree.iter("svg") if (one.get("class") or "").startswith("chance")]
    data = json.loads(next(one.text or "" for one in tree.iter("script") if one.get("id") == "replay"))
    assert [one.get("height") for one in bar if one.get("class") == "first"] == [f"{data['chances'][-1]}%"]
    silent = tuple(structs.replace(ply, score="") for ply in record.record)
    quiet = game_view(replace(record, record=silent)).boards
    assert quiet is not None
    assert quiet.frames["chances"] == [None] * 5


def test_what_no_player_said_is_no_row(site: Path) -> None:
    record = played("quoridor", ("a", "b"), 2, plies=4)
    bare = tuple(structs.replace(ply, score="", depth=None, thought=None) for ply in record.record)
    deep = (*bare[:3], structs.replace(bare[3], depth=7))
    assert [list(game_view(replace(record, record=one)).said) for one in (bare, deep)] == [[], ["depth"]]
    (card,) = [one for one in parsed(games_of(site, "quoridor")[0]).iter() if one.get("id") == "thoughts"]
    shown = [one.text for one in card.iter("dt") if one.get("hidden") is None]
    assert shown[-5:] == ["depth", "nodes", "speed", "hash", "line"]


def test_moves_of_chess_have_the_notation_and_the_numbers_of_people() -> None:
    record = played("chess", ("a", "b"), 2, plies=4)
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 7"
    moves, line = ("e7e5", "g1f3", "b8c6", "b1c3"), Thought(pv="b1c3 a7a6 c3d5 e1e8")
    plies = [
        structs.replace(ply, seat=1 - ply.seat, text=move, thought=None)
        for ply, move in zip(record.record, moves, strict=True)
    ]
    fault = structs.replace(plies[1], text="?illegal played 'e9'")
    opening = replace(record.opening, position=start, moves=moves[:1])
    view = game_view(
        replace(record, opening=opening, record=(fault, *plies[1:3], structs.replace(plies[3], thought=line)))
    )
    assert view.missing == ""
    assert view.opening == "from a given position, opening e5"
    shown = [(row.number, [cell.text if cell else "" for cell in row.cells]) for row in view.rows]
    assert shown == [
        ("7.", ["", "e5"]),
        ("8.", ["forgiven: illegal played 'e9'", ""]),
        ("8.", ["Nf3", "Nc6"]),
        ("9.", ["Nc3", ""]),
    ]
    assert view.boards is not None
    frames = view.boards.frames
    assert [says.split(" in ")[0].split(": ")[-1] for says in frames["says"]] == [
        "Start",
        "e5",
        "illegal played 'e9'",
        "Nf3",
        "Nc6",
        "Nc3",
    ]
    last = frames["plies"][-1]
    assert last.thought.line == Line(("b1c3", "a7a6", "c3d5"), "e1e8", ("Nc3", "a6", "Nd5"))
    assert [ply.move for ply in frames["plies"]][1:] == [*moves[1:]]
    assert view.moves == " ".join(moves)


def test_plies_are_counted_from_the_end_of_the_opening(site: Path) -> None:
    opened = [page for page in games_of(site, "hops") if ">opening<" in page.read_text(encoding="utf-8")]
    for page in opened:
        ids = [one.get("id") or "" for one in parsed(page).iter("a")]
        assert [one for one in ids if one.startswith("ply=")][:4] == ["ply=-1", "ply=0", "ply=1", "ply=2"]
    assert len(opened) == 3


def test_a_long_list_is_cut_into_pages(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.server.finding.PER_FILE", 4)
    assert report(small, tmp_path / "one", "--game", "hops").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "one").glob("hops-?.html")) == [
        "hops-1.html",
        "hops-2.html",
    ]
    assert len(games_of(tmp_path / "one", "hops")) == 4


def test_tables_and_pictures_are_named_for_those_who_hear_them(site: Path) -> None:
    for page in pages(site):
        tree = parsed(page)
        assert len(list(tree.iter("h1"))) == 1
        assert [len(list(tree.iter(one))) for one in ("header", "main", "footer")] == [1, 1, 1]
        assert all(one.get("aria-label") for one in tree.iter("nav"))
        for table in tree.iter("table"):
            assert (table.findtext("caption") or "").strip()
            assert {one.get("scope") for one in table.iter("th")} <= {"col", "row", "rowgroup"}
        for drawing in tree.iter("svg"):
            if drawing.get("aria-hidden") != "true":
                assert drawing.get("role") == "img"
                assert (
                    drawing.get("aria-label") or drawing.get("aria-labelledby") or drawing.findtext("title")
                )


def test_every_number_is_explained_and_its_header_leads_there(site: Path) -> None:
    tree = parsed(site / "index.html")
    explained = {one.text for one in parsed(site / "words.html").iter("dt")}
    opened = {one.get("popovertarget") for one in tree.iter("button") if one.get("class") == "word"}
    assert opened <= {one.get("id") for one in tree.iter("div") if one.get("popover")}
    headers = {one.text or "".join(one.itertext()) for one in tree.iter("th") if one.get("scope") == "col"}
    assert headers - explained == {"#", "engine", "seat", "moves", "1", "2", "3", "4"}
    assert explained == set(map(on_pages, GLOSSARY))


def crosstable_cells(tree: ET.Element) -> dict[tuple[str, str], str]:
    """Return the links of a crosstable by the names in the heads of row and column."""
    (table,) = [
        one for one in tree.iter("table") if (one.findtext("caption") or "").startswith("Crosstable of ")
    ]
    rows = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    return {
        (rows[down][1], rows[0][across].split(" ", 1)[1]): link.get("href", "")
        for down, row in enumerate(table.iter("tr"))
        for across, cell in enumerate(row)
        for link in cell.iter("a")
        if cell.tag == "td"
    }


def test_a_cell_of_the_crosstable_leads_to_the_games_of_that_pair(site: Path) -> None:
    (section,) = [
        one
        for one in parsed(site / "index.html").iter("section")
        if one.get("aria-labelledby") == "game-hops"
    ]
    cells = crosstable_cells(section)
    assert len(cells) == 12
    for (one, other), link in cells.items():
        rows = [
            "".join(row.itertext())
            for table in parsed(site / link).iter("table")
            if (table.findtext("caption") or "").startswith("Games of ")
            for row in table.iter("th")
            if row.get("scope") == "row"
        ]
        assert rows == [f"{one} – {other}"] or rows == [f"{other} – {one}"]


def test_each_engine_of_a_list_and_of_a_game_is_a_link_to_its_page(site: Path) -> None:
    def linked(page: Path) -> list[str | None]:
        return [link.text for link in parsed(page).iter("a") if "engines/" in link.get("href", "")]

    game = games_of(site, "hops")[0]
    heads = [head.findtext("a") for head in parsed(game).iter("th") if head.get("class") != "number"]
    assert len(heads) == 2
    assert linked(game) == [*heads[::-1], *heads, *heads]  # around the board, in the verdict, over the moves
    assert set(linked(site / "hops-1.html")) == set(NAMES)


def test_too_many_engines_have_no_crosstable_and_no_page_for_each_pair(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.pages.section.WIDEST", 3)
    monkeypatch.setattr("arena.web.pages.tournament.WIDEST", 3)
    assert report(small, tmp_path / "one").exit_code == 0
    text = (tmp_path / "one/index.html").read_text(encoding="utf-8")
    assert text.count("too many engines for a crosstable") == 2
    assert "Crosstable of" not in text
    assert not list((tmp_path / "one").glob("*-[0-9]v[0-9]-*"))


def test_only_the_last_games_have_a_page_when_that_is_asked_for(small: Path, tmp_path: Path) -> None:
    whole, some, none = (tmp_path / name for name in ("whole", "some", "none"))
    assert report(small, whole, "--game", "hops").exit_code == 0
    assert report(small, some, "--game", "hops", "--replay", "2").exit_code == 0
    assert report(small, none, "--game", "hops", "--replay", "0").exit_code == 0
    last = sorted(int(path.stem) for path in (whole / "games").iterdir())[-2:]
    assert sorted(int(path.stem) for path in (some / "games").iterdir()) == last
    assert [path.name for path in games_of(some, "hops")] == [f"{number}.html" for number in last]
    assert 'rel="prev"' not in (some / f"games/{last[0]}.html").read_text(encoding="utf-8")
    assert not (none / "games").exists()
    lists = [parsed(folder / "hops-1.html") for folder in (whole, none)]
    assert len({len(list(tree.iter("tr"))) for tree in lists}) == 1


def test_pages_that_stay_as_they_are_stay_the_files_that_they_were(small: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    assert report(small, target, "--game", "hops").exit_code == 0
    before = {path: path.stat().st_ino for path in target.rglob("*") if path.is_file()}
    other = target / "games" / min(path.name for path in (target / "games").iterdir())
    other.write_bytes(other.read_bytes()[::-1])  # the same length, but another content than the report writes
    assert report(small, target, "--game", "hops").exit_code == 0
    after = {path: path.stat().st_ino for path in target.rglob("*") if path.is_file()}
    assert before.keys() == after.keys()
    changed = {path.name for path in before if before[path] != after[path]}
    assert other.name in changed <= {other.name, "index.html", "arena-report.txt"}


def test_a_report_is_replaced_and_nothing_else_is(small: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    target.mkdir()
    assert report(small, target, "--game", "hops").exit_code == 0
    (target / "games/999.html").write_text("old", encoding="utf-8")
    assert report(small, target, "--game", "hops").exit_code == 0
    assert not (target / "games/999.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    (target / "arena-report.txt").unlink()
    refused = report(small, target)
    assert refused.exit_code == 2
    assert "is not a report" in refused.output
    assert (target / "index.html").exists()


def test_a_report_about_something_else_is_replaced_only_by_force(small: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    assert report(small, target, "cup", "--game", "hops").exit_code == 0
    before = (target / "index.html").read_bytes()
    refused = report(small, target, "--all", "--game", "hops")
    remedy = "choose another name, or replace it with --force"
    assert refused.stderr == f"error: {target}: it is the report of tournament cup; {remedy}\n"
    assert refused.exit_code == 2
    assert (target / "index.html").read_bytes() == before
    assert report(small, target, "--all", "--game", "hops", "--force").exit_code == 0
    assert report(small, target, "--all", "--game", "hops").exit_code == 0
    assert "report of all tournaments" in report(small, target, "cup").stderr


def test_without_a_folder_a_report_is_in_one_that_is_named_after_the_tournament(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(small, tmp_path / "arena.db")
    monkeypatch.chdir(tmp_path)
    store = Store.open(Path("arena.db"), create=False)
    store.begin_tournament("../my cup", {})
    store.add_games([with_tournament(played("hops", ("a", "b"), 1, plies=4), "../my cup")])
    store.close()
    words = ("report", "--db", "arena.db")
    for more, folder in (((), "report-___my_cup"), (("cup",), "report-cup"), (("--all",), "report-all")):
        assert invoke(*words, *more).output == f"{folder}/index.html\n"
    assert invoke(*words).exit_code == 0  # the second report replaces the first one


def test_games_that_people_played_have_a_report_although_they_are_not_rated(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament(CASUAL, UNRATED)
        store.add_games([with_tournament(played("hops", ("a", "b"), 1, plies=4), CASUAL)])
    outcome = report(tmp_path / "arena.db", tmp_path / "out", CASUAL)
    assert outcome.output == f"{tmp_path / 'out' / 'index.html'}\n"
    assert f"<h1>{CASUAL}</h1>" in (tmp_path / "out/index.html").read_text(encoding="utf-8")


def test_all_tournaments_are_one_site_with_an_index(small: Path, tmp_path: Path) -> None:
    two = tmp_path / "two.db"
    two.write_bytes(small.read_bytes())
    store = Store.open(two, create=False)
    store.begin_tournament("empty", {})
    store.begin_tournament("../1-cup", {})
    store.add_games([with_tournament(played("hops", ("a", "b"), 1, plies=4), "../1-cup")])
    store.close()
    target = tmp_path / "site"
    assert report(two, target, "--all", "--replay", "1").output == f"{target / 'index.html'}\n"
    assert {path.name for path in target.iterdir() if path.is_dir()} == {"1-cup", "3-___1-cup"}
    table, *_ = parsed(target / "index.html").iter("tbody")
    links = [link.get("href", "") for link in table.iter("a")]
    assert links == ["3-___1-cup/index.html", "1-cup/index.html"]
    for page in pages(target):
        for link in parsed(page).iter("a"):
            file, _, _ = link.get("href", "").partition("#")
            assert (page.parent / file).exists()
    assert 'href="../index.html"' in (target / "1-cup/index.html").read_text(encoding="utf-8")


def test_a_knockout_has_its_rounds_and_a_winner_and_a_test_its_gauge(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "arena.db", create=True)
    names = ("a", "b", "c", "d")
    store.begin_tournament("cup", {}, plan_of("knockout", {"hops": names}, games_per_pairing=2).encode())
    sprt = Sprt(0, 10, 0.05, 0.05)
    keys = {"sprt": sprt, "max_games": 42}
    store.begin_tournament("duel", {}, plan_of("match", {"hops": ("a", "b")}, **keys).encode())
    game = played("hops", ("a", "b"), 0, plies=4)
    store.add_games([game, with_tournament(game, "duel")])
    store.close()
    for tournament in ("cup", "duel"):
        outcome = report(tmp_path / "arena.db", tmp_path / tournament, tournament)
        assert outcome.exit_code == 0, outcome.output
    cup = parsed(tmp_path / "cup/index.html")
    (bracket,) = [one for one in cup.iter("ol") if (one.get("class") or "").startswith("bracket")]
    assert [one.text for one in bracket.iter("h4")] == ["Semi-finals", "Final"]
    assert list(cup.iter("pre")) == []  # it is not there in letters a second time
    duel = parsed(tmp_path / "duel/index.html")
    (drawn,) = [one for one in duel.iter("svg") if one.get("class") == "gauge"]
    assert drawn.get("aria-label") == "LLR 0.00 between −2.94 and +2.94"
    said = ["".join(one.itertext()) for one in duel.iter("p")]
    assert "a against b, 1 of at most 42 games" in said
    assert "1 of at most 42 games" in ["".join(one.itertext()) for one in duel.iter("span")]
    said = ["".join(one.itertext()) for one in duel.iter("dd")]
    assert "0 pairs so far, too few for an estimate" in said
    assert "Ranking by TrueSkill" not in (tmp_path / "duel/index.html").read_text(encoding="utf-8")
    for tree in (cup, duel):
        assert "unfinished" in [one.text for one in tree.iter("span")]


def test_forgiven_faults_are_on_the_pages_of_game_engine_and_tournament(database: Path, site: Path) -> None:
    with closing(Store.open(database, create=False)) as store:
        (faulty, *_) = (one for one in store.finder.records() if one.record[1].fault)
    number, culprit = faulty.result.id, faulty.result.players[faulty.record[1].seat].name
    page = (site / f"games/{number}.html").read_text(encoding="utf-8")
    tree = ET.fromstring(page)
    cells = ["".join(one.itertext()) for one in tree.iter("td")]
    assert sum("forgiven: illegal played" in cell for cell in cells) == 1
    assert sum("forgiven: random" in cell for cell in cells) == 1
    moves = next(
        "".join(one.itertext())
        for one in tree.iter()
        if faulty.record[0].text in (one.text or "") and one.tag == "code"
    )
    assert "?" not in moves
    (frames,) = (json.loads(one.text or "") for one in tree.iter("script") if one.get("id") == "replay")
    before = frames["opening"] + 1
    assert len(frames["frames"]) == before + len(faulty.record)
    assert frames["positions"][before] == frames["positions"][before + 3] != frames["positions"][before + 4]
    assert "trail" not in "".join(frames["items"][item] for item in frames["frames"][before + 1])  # of `e3`
    main_page = parsed(site / "index.html")
    engine = next(link.get("href", "") for link in main_page.iter("a") if "".join(link.itertext()) == culprit)
    tree = parsed(site / engine)
    assert "forgiven faults" in "".join("".join(one.itertext()) for one in tree.iter("p"))
    faults = [one for one in tree.iter("li") if "e3 is no move" in "".join(one.itertext())]
    links = [link.get("href", "") for one in faults for link in one.iter("a")]
    assert f"../games/{number}.html#ply=2" in links
    assert "random moves" in ["".join(one.itertext()) for one in main_page.iter("th")]


def with_tournament(record: GameRecord, name: str) -> GameRecord:
    return replace(record, result=replace(record.result, tournament=name))


def test_what_goes_wrong_is_said_in_a_line_and_leaves_nothing(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    for target, args in (
        (file, ()),
        (file / "below", ()),
        (tmp_path / "x", ("autumn",)),
        (tmp_path / "x", ("--game", "no-such")),
    ):
        outcome = report(database, target, *args)
        assert outcome.exit_code == 2
        assert outcome.output.startswith("error: ")
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("why", "forfeits", "form"), [(Termination.RESIGN, 0, "lost"), (Termination.CRASH, 1, "forfeited")]
)
def test_resigning_is_losing_and_no_forfeit(why: Termination, forfeits: int, form: str) -> None:
    game = played("hops", ("a", "b"), 0, plies=6)
    players = tuple(replace(one, forfeit=one.forfeit and why) for one in game.result.players)
    game = replace(game, result=replace(game.result, players=players))
    recent, line = RecentGames(), game_line(game)
    recent.add(game, line)
    assert (recent.forfeits, bool(line.fault)) == (forfeits, forfeits == 1)
    assert sorted([*recent.form("a"), *recent.form("b")]) == sorted(["won", form])


@pytest.mark.parametrize(("termination", "turn"), [(Termination.NORMAL, -1), (Termination.TIME, 0)])
def test_nobody_is_to_move_after_the_rules_ended_the_game(termination: Termination, turn: int) -> None:
    game = played("hops", ("a", "b"), 0, plies=6)
    view = game_view(replace(game, result=replace(game.result, termination=termination)))
    assert view.boards is not None
    assert view.boards.frames["turns"] == [0, 1, 0, 1, 0, 1, turn]


def test_a_game_whose_rules_are_gone_is_shown_without_boards(tmp_path: Path) -> None:
    game = played("hops", ("a", "b"), 0, plies=6)
    unknown = replace(game, result=replace(game.result, game="gone", key="gone"))
    broken = replace(game, record=(structs.replace(game.record[0], text="zz"), *game.record[1:]))
    new_store(tmp_path / "arena.db", "cup", games=[unknown, broken]).close()
    assert report(tmp_path / "arena.db", tmp_path / "site").exit_code == 0
    for number, why in ((1, "gone"), (2, "move 1")):
        text = (tmp_path / f"site/games/{number}.html").read_text(encoding="utf-8")
        assert "The boards cannot be drawn: " in text
        assert why in text
        assert 'id="replay"' not in text


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 10), (-1000, 1000), (12.3, 12.9), (0, 98765), (3, 3)])
def test_ticks_are_few_and_in_range(low: float, high: float) -> None:
    marks = ticks(low, high)
    assert 1 <= len(marks) <= 7
    assert all(low - 1e-9 <= mark <= high + 1e-9 for mark in marks)


# --- colours -----------------------------------------------------------------------------------------------


def colours(*, dark: bool) -> dict[str, str]:
    """Return the colours of the style sheet by day or by night."""
    pairs = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", asset("style.css"))
    return {name: night if dark else day for name, day, night in pairs}


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2.2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_by_day_and_by_night(dark: bool) -> None:
    values = colours(dark=dark)
    grounds = ("page", "surface", "sunk")
    texts = [(name, ground) for name in ("ink", "muted") for ground in grounds]
    texts += [("accent", "page"), ("accent", "surface"), ("accent", "soft"), ("on-accent", "accent")]
    texts += [("bad", "bad-soft"), ("warn", "warn-soft"), ("ink", "soft"), ("ink", "bad-soft")]
    texts += [(f"s{number}", "surface") for number in range(1, 9)]
    texts += [("ink", f"h{step}") for step in range(7)]
    weak = {pair: contrast(*(values[name] for name in pair)) for pair in texts}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}
    for pair in (("edge", "page"), ("edge", "surface"), ("accent", "sunk")):
        assert contrast(*(values[name] for name in pair)) >= 3, pair


def test_pieces_and_marks_stand_out_on_every_board() -> None:
    style = asset("style.css")
    rules = dict(re.findall(r"^\.(on-[a-z]+) \{([^}]*)\}", style, re.MULTILINE))
    dark_line, light_line = "#1a1408", "#ffe27a"
    assert f".over {{ fill: none; stroke: {light_line}" in style
    for name, rule in rules.items():
        tints = dict(re.findall(r"--([\w]+): (#[0-9a-f]{6});", rule))
        assert contrast(tints["co"], tints["rim"]) >= 4.5, name
        for tint in (tints[key] for key in tints if key.startswith("c") and key != "co"):
            assert max(contrast(line, tint) for line in (dark_line, light_line)) >= 3, name


def test_games_of_ids_that_have_not_started_are_among_the_planned_ones() -> None:
    plan = plan_of("round-robin", dict.fromkeys(("quoridor", "hops"), ("a", "b")), games_per_pairing=2)
    facts = tournament_facts(plan, {"quoridor": GameScoreCounts()}, RecentGames(), over=False)
    assert (facts.planned, facts.exact) == (4, True)


def test_a_finished_tournament_does_not_say_how_many_games_it_might_have_had() -> None:
    plan = plan_of("knockout", {"quoridor": ("a", "b", "c", "d")})
    for over, planned in ((False, plan.most), (None, plan.most), (True, None)):
        assert tournament_facts(plan, {}, RecentGames(), over=over).planned == planned


def test_two_times_of_one_day_are_one_day() -> None:
    assert days([]) == ""
    assert days([0.0, 3600.0]).striptags() == "1 Jan 1970"
    assert days([0.0, 90_000.0]).striptags() == "1 Jan 1970 – 2 Jan 1970"


def test_an_engine_that_has_not_played_a_game_id_has_no_page_in_its_report(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        ids = {"hops": ("a", "b", "c"), "quoridor": ("a", "c")}
        store.begin_tournament("cup", {}, plan_of("round-robin", ids).encode())
        store.add_games([played("hops", ("a", "b"), 0, plies=4), played("quoridor", ("a", "c"), 1, plies=4)])
    outcome = report(tmp_path / "arena.db", tmp_path / "site", "--game", "hops")
    assert outcome.exit_code == 0, outcome.output
    assert len(list((tmp_path / "site/engines").iterdir())) == 2


def test_a_league_of_at_most_twenty_engines_has_a_race_and_its_last_stop_is_the_ranking() -> None:
    names = [f"engine {number}" for number in range(21)]
    race = Race()
    for number in range(300):
        race.add(played("quoridor", (names[number % 3], names[3]), number, plies=2).result)
    lines = race.lines()
    assert set(lines) == set(names[:4])
    assert sum(points[-1][1] for points in lines.values()) == 300
    assert all(points[0] == (0.0, 0.0) and points[-1][0] == 300.0 for points in lines.values())
    assert all(len(points) < 110 for points in lines.values())
    assert [points[-1][1] for points in lines.values()] == sorted(
        (points[-1][1] for points in lines.values()), reverse=True
    )
    for name in names[4:]:
        race.add(played("quoridor", (name, names[0]), 1, plies=2).result)
    assert race.lines() == {}


@pytest.mark.parametrize(("forfeit", "clock"), [(Termination.ILLEGAL, 10_000_000_000), (Termination.TIME, 0)])
def test_the_last_clock_of_a_loser_is_the_stored_one_and_empty_only_on_time(
    forfeit: Termination, clock: int
) -> None:
    record = played("quoridor", ("a", "b"), 0, plies=1)
    first, second = (replace(player, forfeit=None) for player in record.result.players)
    lost = replace(record.result, players=(first, replace(second, forfeit=forfeit)))
    left = final_clocks(replace(record, result=lost))
    assert left[0] == 10_000_000_000 - record.record[0].time + 100_000_000
    assert left[1] == clock
