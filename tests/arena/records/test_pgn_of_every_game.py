"""PGN of every game: any program reads the tags and the result, and arena reads all of it, or refuses it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import chess.pgn
import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.model import GameRecord, GameResult, Opening, PlayerRecord
from arena.pgn import move_word, parse, split
from arena.records.entries import RefusedEntry
from arena.records.files import read_records
from arena.records.lawful import verify
from arena.records.pgn import write
from arena.scoring import points
from protocol.wire.codec import format_removal
from protocol.wire.messages import Thought
from referee import Termination, game, game_ids
from referee.follower import Follower
from referee.ply import Ply, count_moves

GAMES = game_ids()
MS = 1_000_000
SEATS = ("White", "Black", "Player3", "Player4")
RESULTS = {(1, 2): "1-0", (2, 1): "0-1", (1, 1): "1/2-1/2"}
QUORIDOR = """[Variant "quoridor"]
[White "Ann"]
[Black "Bob"]

1. e2 e8 2. e3 e7 3. e4 e6 4. e5 e4 5. e6 e3 6. e7 e2 7. e8 e1
"""


@cache
def played(game_id: str, seed: int = 1, plies: int = 400, opening: int = 2) -> GameRecord:
    """Return a random game that the rules have ended, or that was adjudicated after some plies."""
    rng, rules = Random(f"{game_id} {seed}"), game(game_id)
    follower = Follower(rules.start(), rules.info.players)
    moves: list[str] = []
    record: list[Ply] = []
    while len(moves) + len(record) < plies and follower.outcome is None:
        position = follower.position
        text = str(rng.choice([*position.legal_moves()]))
        follower.play(text)
        if len(moves) < opening:
            moves.append(text)
        else:
            record.append(
                Ply(position.turn, text, rng.randrange(1, 90) * MS, "cp 12", 4, Thought(7, pv=text))
            )
    outcome = follower.outcome
    ranks = outcome.ranks if outcome else tuple(range(1, rules.info.players + 1))
    end = (Termination.NORMAL, outcome.reason) if outcome else (Termination.ADJUDICATED, "score")
    return finished(game_id, (tuple(moves), tuple(record)), end, ranks, str(follower.position))


def finished(
    game_id: str,
    moves: tuple[tuple[str, ...], tuple[Ply, ...]],
    end: tuple[Termination, str],
    ranks: tuple[int, ...] | None,
    last: str,
    forfeits: tuple[Termination | None, ...] = (None,) * 4,
) -> GameRecord:
    """Return the record of a game between players with the names of their seats."""
    seats = range(game(game_id).info.players)
    forfeits = forfeits[: len(seats)]
    scores = points(ranks, forfeits) if ranks else (0.0,) * len(seats)
    players = tuple(
        PlayerRecord(
            f"{game_id} {seat}", "", ranks[seat] if ranks else None, scores[seat], forfeits[seat], "60+1", 0,
            sum(ply.time for ply in moves[1] if ply.seat == seat),
        )
        for seat in seats
    )  # fmt: skip
    result = GameResult(None, "cup", 4, f"{game_id}:0", game_id, *end, "", count_moves(moves[1]), players)
    return GameRecord(result, Opening(None, moves[0]), moves[1], last, 1_700_000_000, 3 * 10**9)


def without_players() -> Iterator[GameRecord]:
    """Yield games of four from which players were removed: two on their way, and all but one."""
    rules = game("quoridor4")
    for removals, end in (((3, 6), None), ((2, 3, 5), Termination.CRASH)):
        follower, plies = Follower(rules.start(), 4), list[Ply]()
        forfeits: list[Termination | None] = [None] * 4
        for number in range(9):
            seat = follower.position.turn
            if number in removals:
                plies.append(Ply(seat, format_removal(seat), 0))
                forfeits[seat] = Termination.TIME if number == removals[0] else Termination.CRASH
            else:
                plies.append(Ply(seat, str(next(iter(follower.position.legal_moves()))), MS))
            follower.follow(plies[-1].text)
            if len(follower.removed) == 3:
                break
        order = sorted(range(4), key=lambda seat: -follower.removed.get(seat, 9))
        ranks = tuple(order.index(seat) + 1 for seat in range(4))
        reason = (end, "crash") if end else (Termination.ADJUDICATED, "length")
        last = str(follower.position)
        yield finished("quoridor4", ((), tuple(plies)), reason, ranks, last, tuple(forfeits))


REMOVED = tuple(without_players())


def read(text: str | bytes) -> list[GameRecord | str]:
    """Return the games of a file, and the line and the reason of those that are refused."""
    data = text if isinstance(text, bytes) else text.encode()
    parts = read_records("cup.pgn", io.BytesIO(data))
    return [
        f"{part.line}: {part.reason}" if isinstance(part, RefusedEntry) else part.entry
        for part in parts
        if isinstance(part, RefusedEntry) or isinstance(part.entry, GameRecord)
    ]


def only(text: str) -> GameRecord:
    (record,) = read(text)
    assert isinstance(record, GameRecord), record
    return record


@pytest.mark.parametrize("game_id", GAMES)
def test_any_program_reads_the_tags_and_the_result(game_id: str) -> None:
    record = played(game_id)
    text = write(record)
    tags, movetext = text.split("\n\n", 1)
    assert all(re.fullmatch(r'\[[A-Z]\w* "(?:[^"\\]|\\["\\])*"\]', line) for line in tags.splitlines())
    values = dict(re.findall(r'^\[(\w+) "(.*)"\]$', tags, re.MULTILINE))
    ranks = tuple(player.rank for player in record.result.players)
    expected = RESULTS.get(ranks, "*")  # type: ignore[arg-type]  # games that count have ranks
    assert list(values)[:4] == ["Event", "Site", "Date", "Round"]
    assert [values[seat] for seat in SEATS[: len(ranks)]] == [player.name for player in record.result.players]
    assert values["Result"] == expected
    assert movetext.split()[-1] == expected
    if len(ranks) > 2:
        assert values["Ranks"] == " ".join(map(str, ranks))
    other = chess.pgn.read_headers(io.StringIO(text))
    assert other is not None
    assert {name: other[name] for name in values} == values


@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.parametrize(("seed", "plies", "opening"), [(1, 400, 2), (2, 400, 0), (3, 7, 3)])
def test_a_game_that_is_written_is_read_back(game_id: str, seed: int, plies: int, opening: int) -> None:
    record = played(game_id, seed, plies, opening)
    again = only(write(record))
    verify(again)
    assert (again.opening, again.record) == (record.opening, record.record)
    assert (again.final_position, again.started) == (record.final_position, record.started)
    assert again.result.players == record.result.players
    assert (again.result.termination, again.result.reason) == (
        record.result.termination,
        record.result.reason,
    )


@pytest.mark.parametrize("record", REMOVED)
def test_players_that_were_removed_come_back_with_their_reasons(record: GameRecord) -> None:
    verify(record)
    again = only(write(record))
    verify(again)
    assert again.record == record.record
    assert again.result.players == record.result.players
    assert again.final_position == record.final_position
    (refused,) = read(re.sub(r'\[Ranks "[^"]*"\]\n', "", write(record)))
    assert refused == "1: a player was removed, and no tag Ranks says who took which place"


@pytest.mark.parametrize("game_id", GAMES)
def test_a_game_from_a_position_in_which_another_player_moves_is_read_back(game_id: str) -> None:
    whole = played(game_id, 3, 7, 3)
    rules = game(game_id)
    start = rules.start()
    for text in whole.opening.moves:
        start = start.play(start.parse_move(text))
    record = replace(whole, opening=Opening(str(start), ()))
    text = write(record)
    assert f'[SetUp "1"]\n[FEN "{start}"]\n' in text
    assert only(text).record == whole.record
    assert only(text).opening == record.opening


@pytest.mark.parametrize("game_id", GAMES)
def test_a_game_that_was_cut_anywhere_is_refused(game_id: str) -> None:
    """A line end at most may be missing."""
    record = played(game_id, 4, 9, 2)
    text = re.sub(r'\[PlyCount "[0-9]*"\]\n', "", write(record)).rstrip("\n")
    for place in range(len(text)):
        for found in read_cut(text[:place]):
            assert isinstance(found, str), text[:place]
    assert isinstance(only(text), GameRecord)


def read_cut(text: str) -> list[GameRecord | str]:
    return read(text) if any(True for _ in split([text.encode()])) and '"]' in text else []


@pytest.mark.parametrize("game_id", GAMES)
def test_a_game_whose_first_or_middle_moves_are_missing_is_refused(game_id: str) -> None:
    tags, moves = re.sub(r"\{[^}]*\}", "", write(played(game_id, 4, 30, 0))).split("\n\n", 1)
    rounds = re.split(r"\s(?=[0-9]+\.)", moves)
    for begin, end in ((0, 1), (0, 3), (1, 2), (2, 5)):
        (found,) = read(f"{tags}\n\n{' '.join(rounds[:begin] + rounds[end:])}")
        assert "is not the next one" in str(found) or "the move" in str(found), found


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("quoridor", "quoridr", "1: the tag Variant: no game has the id 'quoridr'"),
        ("1. e2 e8", "1. e2 e5", "5: the move 1... 'e5' is illegal: the pawn on e9 cannot reach e5"),
        ("1. e2 e8", "1. e2 z9", "5: 'z9' is no move of quoridor: "),
        ("7. e8 e1", "7. e8", "5: the game ends without a result"),
        ("7. e8 e1", "7. e8 e1 8. e7 0-1", "5: the move 8. 'e7' comes after the end of the game"),
        ("7. e8 e1", "7. e8 e", "5: the game is cut: it ends with 'e'"),
        ("7. e8 e1", "7. e8 e1 1-0", "5: its result is 1-0, but Black wins by 7... e1"),
        ('[Black "Bob"]', '[FEN "/ / x"]\n[Black "Bob"]', "1: the tag FEN is no position: "),
        ('[Black "Bob"]', '[Black "Ann"]', "1: both players have the name 'Ann'"),
        ("2. e3", "2. e3 {[%removed 2]}", None),
        ("quoridor", "quoridor4", "5: the move 1... 'e8' is illegal: the pawn on a5 cannot reach e8"),
    ],
)  # fmt: skip
def test_a_game_that_is_wrong_is_refused_with_its_line_and_reason(
    old: str, new: str, problem: str | None
) -> None:
    (found,) = read(QUORIDOR.replace(old, new))
    if problem is None:
        assert isinstance(found, GameRecord)
    else:
        assert str(found).startswith(problem)


@pytest.mark.parametrize(
    ("tags", "problem"),
    [
        ('[Player4 ""]\n', "it has no tag Player4 that names an engine"),
        ('[Ranks "1 2"]\n', "the tag Ranks does not have the places of 4 players"),
        ('[Ranks "1 2 x 4"]\n', "the tag Ranks does not have the places of 4 players"),
        ('[Ranks "1 2 2 2"]\n[Forfeits "x - - -"]\n', "the tag Forfeits: 'x' is not a valid Termination"),
        ('[Ranks "1 2 2 2"]\n[Forfeits "-"]\n', "the tag Forfeits does not have 4 words"),
    ],
)
def test_places_of_four_players_that_are_unclear_are_refused(tags: str, problem: str) -> None:
    names = "".join(f'[{seat} "{seat}"]\n' for seat in SEATS if seat not in tags)
    (found,) = read(f'[Variant "quoridor4"]\n{names}{tags}\n1. e2 *\n')
    assert found == f"1: {problem}"


@pytest.mark.parametrize(
    "move",
    ["e2", "12", "1-0", "*", "(a)", "a(b", "{x}", ";x", "%x", "[a", '"', "a.b", "x!", "$1", "\\", "=", "½"],
)  # fmt: skip
def test_a_move_that_looks_like_something_else_is_a_word_in_quotation_marks(
    move: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game of a plug-in may have moves of any characters but white space."""

    class AnyMoves(Follower):
        def play(self, text: str) -> str:
            if text != move:
                super().play(text)
            return text

    monkeypatch.setattr("arena.notation.Follower", AnyMoves)
    word = move_word(move)
    assert (word == move) == (move in ("e2", "\\"))
    text = f'[Variant "quoridor"]\n\n1. {word} {word}\n2. {word} 1-0\n\n'
    for size in (1, 2, 1000):
        data = (text * 2).encode()
        texts = [found for _, found in split(data[at : at + size] for at in range(0, len(data), size))]
        assert [parse(found).moves for found in texts] == [(move,) * 3] * 2


def test_what_engines_say_is_no_command_for_the_reader() -> None:
    record = REMOVED[0]
    spoken = replace(record.result, detail="said [%removed 1] } [%clk 0:00:01]")
    again = only(write(replace(record, result=spoken)))
    assert again.record == record.record
    assert again.result.detail == "said [ %removed 1] ) [ %clk 0:00:01]"


def test_a_database_of_all_games_is_exported_and_known_again(tmp_path: Path) -> None:
    file, database = tmp_path / "all.pgn", tmp_path / "a.db"
    records = [*(played(name, 3, 7, 3) for name in GAMES), *REMOVED]
    records = [replace(one, started=one.started + number) for number, one in enumerate(records)]
    file.write_text("".join(map(write, records)))
    for added, there in ((len(records), 0), (0, len(records))):
        done = CliRunner().invoke(main, ["import", str(file), "--db", str(database)])
        assert done.stdout == f"{len(records)} games: {added} added, {there} there already, 0 refused\n", (
            done.stderr
        )
        done = CliRunner().invoke(main, ["export", "--db", str(database), "-o", str(file)])
        assert done.exit_code == 0


def test_the_games_of_the_page_are_read_and_written_again() -> None:
    page = Path(__file__).parents[3] / "docs/reference/records.md"
    blocks = re.findall(r"^```text\n(\[.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    for block in blocks:
        record = only(block)
        verify(record)
        key = re.search(r'\[ArenaKey "(.*)"\]', block)
        if key is not None:
            (number,) = re.findall(r'\[Round "(.*)"\]', block)
            names = re.findall(r'\[Event "(.*)"\]', block)
            result = replace(record.result, key=key[1], number=int(number) - 1, tournament=names[0])
            again = write(replace(record, result=result))
            assert again == block + "\n"
