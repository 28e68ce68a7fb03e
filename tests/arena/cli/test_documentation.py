"""`arena docs`, and words that people type for a command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena import manual, samples
from arena.cli import _MEANT, COMMANDS, SECTIONS
from tests.arena import commands
from tests.arena.invoking import invoke as arena


def test_every_page_is_listed_with_its_title_and_printed() -> None:
    found = manual.pages()
    listed = arena("docs").stdout
    files = [path for section in manual.SECTIONS for path in Path("docs", section).rglob("*.md")]
    engines = list(Path("engines").glob("**/README.md"))
    assert len(found) == len(files) + len(engines) > 40, "two pages have the same name"
    assert all(f"\n{name} " in listed for name in found)
    assert re.search(r"^protocol +The engine protocol$", listed, re.MULTILINE)
    text = Path("docs/reference/time-controls.md").read_text()
    linked = re.sub(r"\[(\w+)\]\((?:\S+/)?([a-z-]+)\.md#[a-z-]+\)", r"\1 (`arena docs \2`)", text)
    assert arena("docs", "time-controls").stdout == linked != text


def test_an_installed_arena_has_pages_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games/go.md").write_text("# Go\n\nStones.\n")
    monkeypatch.setattr(manual, "_PACKAGED", tmp_path)
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/README.md").write_text("# Tiny\n")
    (tmp_path / "README.md").write_text("# Samples\n")
    monkeypatch.setattr(samples, "PACKAGED", tmp_path)
    assert arena("docs").stdout == "page     about\ngo       Go\nsamples  Samples\ntiny     Tiny\n"
    assert arena("docs", "go").stdout == "# Go\n\nStones.\n"


def test_the_index_of_a_folder_has_the_name_of_the_folder() -> None:
    assert arena("docs", "games").stdout.startswith("# Which game?\n")
    assert "(`arena docs games`)" in arena("docs", "quoridor").stdout
    assert "games" not in manual.games()


@pytest.mark.parametrize("page", manual.pages())
def test_a_printed_page_names_the_command_for_a_page_and_not_its_file(page: str) -> None:
    text = arena("docs", page).stdout
    assert "<!--" not in text  # these are for authors and tests
    files = re.findall(r"\]\((\S+\.md)\b", text)
    assert {Path(file).stem for file in files} <= {"CONTRIBUTING", "CHANGELOG", "README", "SECURITY", "index"}
    assert set(re.findall(r"\(`arena docs (\S+)`\)", text)) <= manual.pages().keys()


def test_the_page_that_readme_calls_the_tutorial_has_this_name_too() -> None:
    assert arena("docs", "class").stdout == arena("docs", "run-a-class-tournament").stdout != ""
    assert arena("docs", "course").stdout == arena("docs", "a-course-of-forty").stdout != ""
    assert arena("docs", "tutorial").stdout == arena("docs", "first-engine").stdout != ""


def test_a_word_that_is_no_page_is_found_in_headings_terms_keys_and_else_in_texts() -> None:
    assert "cli: arena submit\n" in arena("docs", "submit").stdout
    assert "terms: Door: " in arena("docs", "door").stdout
    assert re.search(r"^tournament-file: .*: `sandbox`: ", arena("docs", "sandbox").stdout, re.MULTILINE)
    for word in ("ugi", "uci", "elo", "sprt", "openings", "flush", "bwrap", "notify", "pgn", "run"):
        assert re.match(r"[\w-]+: ", arena("docs", word).stdout), word


def test_a_word_that_no_page_has_is_answered_with_a_near_page_or_with_none() -> None:
    done = arena("docs", "protocoll")
    message = "error: no page has the word 'protocoll'; did you mean protocol?"
    assert (done.exit_code, done.stderr.splitlines()[0]) == (2, message)
    assert "`arena docs` lists the pages" in arena("docs", "zzzz").stderr


def test_help_says_what_the_option_says_for_every_command() -> None:
    assert arena("help").stdout == arena("--help").stdout
    for words in (*commands.COMMANDS, *filter(None, commands.GROUPS)):
        assert arena("help", *words.split()).stdout == arena(*words.split(), "--help").stdout, words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rnu",), "there is no command 'rnu'; did you mean run?"),
        (("db", "chek"), "there is no command 'chek'; did you mean check?"),
        (("sprt",), "there is no command 'sprt'; the commands are demo, "),
    ],
)
def test_a_wrong_command_is_answered_with_a_near_one(words: tuple[str, ...], message: str) -> None:
    for before in ((), ("help",)):
        done = arena(*before, *words)
        assert (done.exit_code, message in done.stderr) == (2, True)


def test_each_command_stands_in_one_section() -> None:
    assert sum(map(len, SECTIONS.values())) == len(COMMANDS)


@pytest.mark.parametrize("word", sorted(_MEANT))
def test_a_word_that_people_type_for_a_command_is_answered_with_it(word: str) -> None:
    assert word not in COMMANDS
    assert f"there is no command {word!r}; did you mean {_MEANT[word]}?" in arena(word).stderr
