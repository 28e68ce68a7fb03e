"""The page for users of other managers has all options of both, and its tournament file can be loaded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.config import load

PAGE = (Path(__file__).parents[2] / "docs/howto/coming-from.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`.*?) \| ([\w, ]+) \| .+ \|$", PAGE, re.MULTILINE)

# From the manual and the parser of fastchess 1.8, and from the help of cutechess-cli 1.5.
FASTCHESS = """
    -engine -each -quick -variant -tournament -seeds -rounds -games -repeat -noswap -reverse -srand
    -sprt -draw -resign -maxmoves -tb -tbpieces -tbignore50 -tbadjudicate -wait -concurrency
    -force-concurrency -use-affinity -recover -startup-ms -ucinewgame-ms -ping-ms -event -site -pgnout
    -epdout -crc32 -config -autosaveinterval -ratinginterval -scoreinterval -report -output -log
    -show-latency -testEnv --compliance -version -help file format order plies start policy cmd name
    args dir proto option.NAME tc st depth plies nodes timemargin restart
"""
CUTECHESS = """
    -engine -each -variant -tournament -seeds -rounds -games -repeat -noswap -reverse -srand -sprt -draw
    -resign -maxmoves -tb -tbpieces -tbignore50 -wait -concurrency -recover -event -site -pgnout -epdout
    -ratinginterval -debug -engines -bookmode -version -help file format order plies start policy cmd
    name arg dir proto option.NAME tc st depth nodes timemargin restart conf initstr stderr trust book
    bookdepth whitepov ponder
"""


@pytest.mark.parametrize(("program", "options"), [("fastchess", FASTCHESS), ("cutechess", CUTECHESS)])
def test_every_option_of_another_manager_has_a_row(program: str, options: str) -> None:
    cells = [cell for cell, programs in ROWS if program in programs or "both" in programs]
    named = {word.removeprefix("-openings ") for cell in cells for word in re.findall(r"`([^`]+)`", cell)}
    assert named == set(options.split())


def test_the_tournament_on_the_page_can_be_loaded(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "match.toml").write_text(block, encoding="utf-8")
    (tmp_path / "book.epd").write_text("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n")
    for name in ("new", "old"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    spec = load(tmp_path / "match.toml")
    assert (spec.format_keys.max_games, spec.concurrency, spec.seed) == (10_000, 4, 7)
