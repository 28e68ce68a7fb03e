"""Games of chess in PGN: what is written for other programs, and what is read from them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import chess.pgn
import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.model import GameRecord, GameResult, Opening, PlayerRecord, TournamentRecord
from arena.records import jsonl
from arena.records.entries import ReadEntry, RefusedEntry
from arena.records.files import read_records
from arena.records.load import RecordLoader
from arena.records.pgn import write
from arena.replay import clocks
from arena.store import Store
from protocol.wire.messages import Thought
from referee import Termination
from referee.ply import Ply

MS = 1_000_000
START = Opening()
MATE = (
    Ply(0, "f2f3", 512 * MS, "cp -31", 12, Thought(9512, 18578, 20, 4, "f2f3 e7e5")),
    Ply(1, "e7e5", 20 * MS, "cp 0", 3),
    Ply(0, "g2g4", 1500 * MS),
    Ply(1, "d8h4", 7 * MS, "mate 1", 9),
)
WRITTEN = r"""[Event "cup"]
[Site "?"]
[Date "2023.11.14"]
[Round "5"]
[White "Ann"]
[Black "Bob \"B\""]
[Result "0-1"]
[ArenaKey "key"]
[GameDuration "00:00:03"]
[GameStartTime "2023-11-14T22:13:20 +0000"]
[GameEndTime "2023-11-14T22:13:23 +0000"]
[PlyCount "4"]
[Termination "normal"]
[TimeControl "10+0.1"]

1. f3
{-0.31/12 0.512s, tl=9.588s, n=9512, sd=20, nps=18578, hashfull=4, pv="f2f3 e7e5"}
e5 {0.00/3 0.020s, tl=10.080s} 2. g4 {1.500s, tl=8.188s} Qh4#
{+M1/9 0.007s, tl=10.173s, normal: checkmate} 0-1

"""


def record(
    plies: tuple[Ply, ...] = MATE,
    opening: Opening = START,
    end: Termination = Termination.NORMAL,
    reason: str = "checkmate",
    ranks: tuple[int, int] | None = (2, 1),
    forfeit: int | None = None,
    controls: tuple[str, str] = ("10+0.1", "10+0.1"),
    game_id: str = "chess",
) -> GameRecord:
    """Return a game between ``Ann`` and ``Bob "B"``."""
    points = {None: (0.0, 0.0), (1, 2): (1.0, 0.0), (2, 1): (0.0, 1.0), (1, 1): (0.5, 0.5)}[ranks]
    players = tuple(
        PlayerRecord(
            name,
            "",
            None if ranks is None else ranks[seat],
            points[seat],
            end if seat == forfeit else None,
            controls[seat],
            100,
            0,
        )
        for seat, name in enumerate(("Ann", 'Bob "B"'))
    )
    result = GameResult(None, "cup", 4, "key", game_id, end, reason, "", len(plies), players)
    return GameRecord(result, opening, plies, "", 1_700_000_000.25, 3 * 10**9)


def archive(*entries: TournamentRecord | GameRecord) -> str:
    return jsonl.HEADER + "".join(map(jsonl.write, entries))


def game_in(text: str) -> chess.pgn.Game:
    """Read a game as other programs do."""
    found = chess.pgn.read_game(io.StringIO(text))
    assert found is not None
    assert found.errors == []
    return found


def read_back(text: str) -> GameRecord:
    """Read a game as an import does."""
    entry = list(read_records("cup.pgn", io.BytesIO(text.encode())))[1]
    assert isinstance(entry, ReadEntry)
    assert isinstance(entry.entry, GameRecord)
    return entry.entry


def test_a_game_is_written_as_fastchess_writes_it() -> None:
    assert write(record()) == WRITTEN


@pytest.mark.parametrize(
    ("end", "reason", "ranks", "forfeit", "word", "result"),
    [
        (Termination.ADJUDICATED, "balance", (1, 1), None, "adjudication", "1/2-1/2"),
        (Termination.ADJUDICATED, "no-progress", (1, 1), None, "normal", "1/2-1/2"),
        (Termination.ADJUDICATED, "score", (1, 2), None, "adjudication", "1-0"),
        (Termination.TIME, "time", (1, 2), 1, "time forfeit", "1-0"),
        (Termination.ILLEGAL, "illegal", (2, 1), 0, "illegal move", "0-1"),
        (Termination.STALL, "stall", (2, 1), 0, "abandoned", "0-1"),
        (Termination.CRASH, "crash", (2, 1), 0, "abandoned", "0-1"),
        (Termination.RESIGN, "resign", (2, 1), 0, "normal", "0-1"),
    ],
)
def test_how_a_game_ended_is_written_in_the_words_of_other_managers(
    end: Termination, reason: str, ranks: tuple[int, int], forfeit: int | None, word: str, result: str
) -> None:
    opening = Opening(f"4k3/8/8/8/8/8/4P3/4K2R b K - {98 if reason == 'no-progress' else 5} 70", ("e8e7",))
    played = record((Ply(0, "e1g1", MS),), opening, end, reason, ranks, forfeit)
    text = write(played)
    found = game_in(text)
    assert (found.headers["Termination"], found.headers["Result"]) == (word, result)
    assert [node.uci() for node in found.mainline()] == ["e8e7", "e1g1"]
    assert [node.comment.split(",")[0] for node in found.mainline()] == ["book", "0.001s"]
    assert "70... Ke7 {book} 71. O-O" in text
    read = read_back(text)
    assert (read.opening, read.result.termination, read.result.reason) == (opening, end, reason)
    for before, after in zip(played.result.players, read.result.players, strict=True):
        assert (after.rank, after.points, after.forfeit) == (before.rank, before.points, before.forfeit)


def test_chess960_has_its_variant_and_position() -> None:
    fen = "1r2k2r/8/8/8/8/8/8/1R2K2R w HBhb - 0 1"
    castling = (Ply(0, "e1b1", MS),)
    text = write(record(castling, Opening(fen), Termination.VOID, "void", None, game_id="chess960"))
    found = game_in(text)
    assert (found.board().chess960, [node.uci() for node in found.mainline()]) == (True, ["e1b1"])
    assert (found.headers["Result"], found.headers["Termination"]) == ("*", "unterminated")
    read = read_back(text)
    assert (read.result.game, read.result.termination) == ("chess960", Termination.VOID)
    assert (read.opening, read.record) == (Opening(fen), castling)


def test_controls_that_pgn_lacks_are_written_as_other_managers_do() -> None:
    text = write(record(controls=("movetime=0.5", "depth=6")))
    assert '[WhiteTimeControl "0.5/move"]\n[BlackTimeControl "-"]\n' in text
    assert [player.time_control for player in read_back(text).result.players] == ["movetime=0.5", "none"]


OTHERS = """[Event "?"]
[White "A"]
[Black "B"]
[Result "1-0"]
[GameStartTime "2024-05-01T12:00:00.123 +0200"]
[Termination "time forfeit"]
[TimeControl "40/60+0.5"]

1. e4 {book} e5 {book} 2. Nf3 {+0.25/9 0.12s, n=1200, sd=14}
Nc6 {-M4/30 0.100s, Black loses on time} 1-0

[White "A"]
[Black "B"]
[Result "1/2-1/2"]

1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 {Draw by 3-fold repetition} 1/2-1/2

[White "A"]
[Black "B"]
[Result "1-0"]

1. f3 e5 2. g4 Qh4# 1-0

[White "A"]
[Black "A"]
[Result "*"]

*

[White "A"]
[Black "B"]
[Result "0-1"]

1. e4 e4 0-1

[White "?"]
[Result "0-1"]

*

[White "A"]
[Black "B"]
[Result "1-0"]
[Variant "Crazyhouse"]

1. e4 1-0
"""


def arena(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_games_of_another_manager_are_added_to_a_tournament(tmp_path: Path) -> None:
    file, database = tmp_path / "match.pgn", tmp_path / "arena.db"
    file.write_text(OTHERS)
    done = arena("import", file, "--db", database)
    assert (done.exit_code, done.stdout) == (1, "7 games: 2 added, 0 there already, 5 refused\n")
    assert [line.removeprefix(f"{file}:")[:50] for line in done.stderr.splitlines()] == [
        "22: game 3: its result is 1-0, but Black mates Whi",
        "24: game 4: both players have the name 'A'",
        "34: game 5: the move 1... 'e4' is illegal",
        "36: game 6: it has no tag White that names an engi",
        "41: game 7: the tag Variant: no game has the id 'c",
    ]
    with closing(Store.open(database, create=False)) as store:
        first, second = store.finder.records()
    assert (first.result.tournament, first.started) == ("match", 1_714_557_600)
    assert first.opening == Opening(moves=("e2e4", "e7e5"))
    assert first.record == (
        Ply(0, "g1f3", 120 * MS, "cp 25", 9, Thought(1200, seldepth=14)),
        Ply(1, "b8c6", 100 * MS, "mate -2", 30),
    )
    assert (first.result.termination, first.result.detail) == (Termination.TIME, "Black loses on time")
    assert [player.time_control for player in first.result.players] == ["40/60+0.5"] * 2
    assert (second.result.termination, second.result.reason) == (Termination.ADJUDICATED, "repetition")
    again = arena("import", file, "--db", database)
    assert again.stdout == "7 games: 0 added, 2 there already, 5 refused\n"


def test_the_tournament_of_pgn_may_be_named_and_others_name_it_themselves(tmp_path: Path) -> None:
    file, text, database = tmp_path / "match.pgn", tmp_path / "cup.jsonl", tmp_path / "arena.db"
    file.write_text(write(record()) + write(record()).replace("22:13", "22:14"))
    done = arena("import", file, "--db", database, "--tournament", "a cup")
    assert done.stdout == "2 games: 2 added, 0 there already, 0 refused\n"
    assert arena("export", "a cup", "--db", database, "--jsonl", "-o", text).exit_code == 0
    done = arena("import", text, "--db", database, "--tournament", "a cup")
    assert done.exit_code == 2
    assert (
        done.stderr
        == f"error: {text}: --tournament is only for PGN; this file has the names of its tournaments\n"
    )
    pgn = arena("export", "--db", database).stdout
    assert pgn.count('[Event "a cup"]') == 2
    assert game_in(pgn).headers["White"] == "Ann"


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("a\nb", r"a\nb"),
        ('a"]\r\n[White "b', r'a"]\r\n[White "b'),
        ("\x1b[2J\ttab\x9b\u2028", r"\x1b[2J\ttab\x9b\u2028"),
        ("\x7f", r"\x7f"),
        ("half a character \udcff", r"half a character \udcff"),
        *(
            (name, name)
            for name in ("\\", '"', '\\"', 'a "b"', "a\\", '"]', "{a} ; %b (c) [d] 1-0 *", r"a\nb", "棋 é")
        ),
    ],
)
def test_a_name_that_is_written_is_read_again(name: str, read: str) -> None:
    game = record()
    other = replace(game.result.players[1], name=f"{name}!")
    players = (replace(game.result.players[0], name=name), other)
    result = replace(game.result, tournament=name, key=f"chess:{name}|{name}!:0", players=players)
    text = write(replace(game, result=result))
    assert [char for char in text if not (char.isprintable() or char == "\n")] == []
    parts = [*read_records("f", io.BytesIO(text.encode()), read)]
    (game,) = [
        part.entry for part in parts if isinstance(part, ReadEntry) and isinstance(part.entry, GameRecord)
    ]
    assert len(parts) == 2
    assert [player.name for player in game.result.players] == [read, f"{read}!"]


def test_without_its_package_games_of_chess_are_refused_and_other_games_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, database = tmp_path / "match.pgn", tmp_path / "arena.db"
    other = WRITTEN.replace("[Date", '[Variant "quoridor"]\n[Date').split("1. f3")[0]
    file.write_text(WRITTEN + other + "1. e2 e8 {resign: resign} 0-1\n")
    monkeypatch.setattr("arena.extras.find_spec", lambda name: None)
    done = arena("import", file, "--db", database)
    message = "1: game 1: games of chess in PGN need more packages: pip install 'leapfrog-arena[chess]'\n"
    assert (done.exit_code, done.stderr) == (1, f"{file}:{message}")
    assert done.stdout == "2 games: 1 added, 0 there already, 1 refused\n"


def test_a_byte_that_is_not_utf_8_is_latin_1_and_other_games_keep_their_letters() -> None:
    content = WRITTEN.replace("Ann", "\xc9va").encode("latin-1") + WRITTEN.replace("Ann", "\xc9lo").encode()
    names = [
        part.entry.result.players[0].name
        for part in read_records("cup.pgn", io.BytesIO(content))
        if isinstance(part, ReadEntry) and isinstance(part.entry, GameRecord)
    ]
    assert names == ["\xc9va", "\xc9lo"]


@pytest.mark.parametrize(
    ("result", "text", "refused"),
    [
        ("1-0", "1. f3 e5\n2. g4 Qh4#", "5: its result is 1-0, but Black mates White by 2... Qh4#"),
        ("1/2-1/2", "1. f3 e5 2. g4 Qh4", "4: its result is 1/2-1/2, but Black mates White by 2... Qh4"),
        (
            "0-1",
            '[FEN "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 40"]\n40. Ra8',
            "5: its result is 0-1, but White mates Black by 40. Ra8",
        ),
        (
            "1-0",
            '[FEN "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"]\n1. Qg6',
            "5: its result is 1-0, but it is stalemate by 1. Qg6",
        ),
        (
            "1-0",
            '[FEN "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"]\n',
            "1: its result is 1-0, but Black mates White in the tag FEN",
        ),
    ],
)
@pytest.mark.parametrize("tag", ["the same", "*"])
def test_a_result_against_the_rules_is_refused_with_who_mates_whom(
    result: str, text: str, refused: str, tag: str
) -> None:
    tags = f'[White "Ann"]\n[Black "Bob"]\n[Result "{result if tag == "the same" else tag}"]\n'
    (part,) = read_records("f", io.BytesIO(f"{tags}{text} {result}\n".encode()))
    assert isinstance(part, RefusedEntry)
    assert f"{part.line}: {part.reason}" == refused


# --- what counts once, and what is said of it


GAME = """[Event "t"]
[Date "2026.01.02"]
[Round "{round}"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]
{tags}
1. e4 {{+0.10/5 0.1s}} e5 2. Nf3 {end}

"""


def one(game_round: str = "1", tags: str = "", end: str = "1-0") -> str:
    return GAME.format(round=game_round, tags=tags, end=end)


class Imports:
    """A database, into which files are imported one after the other."""

    def __init__(self, path: Path) -> None:
        self.store = Store.open(path, create=True)
        self.said: list[str] = []

    def take(self, text: str | bytes, tournament: str | None = "cup") -> tuple[int, int, int]:
        """Import a file; return how many games were added, there already, and refused."""
        data = text if isinstance(text, bytes) else text.encode()
        loader = RecordLoader(self.store, lambda line, reason: self.said.append(f"{line}: {reason}"))
        loader.load(read_records("file.pgn", io.BytesIO(data), tournament))
        return loader.summary.added, loader.summary.existing, loader.summary.refused

    def games(self) -> list[GameRecord]:
        return list(self.store.finder.records())


@pytest.fixture
def imports(tmp_path: Path) -> Iterator[Imports]:
    done = Imports(tmp_path / "arena.db")
    yield done
    done.store.close()


MIDNIGHT_ELSEWHERE = '[GameStartTime "2026-01-02T00:30:00 +0200"]\n'


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (one(), one().replace("\n", "\r\n")),
        (one(), one().replace(" ", "\n").replace("[Date\n", "[Date ").encode().replace(b'\n"', b' "')),
        (one(), one().replace('[Event "t"]', '[Site "x"]\n[Event "other"]')),
        (one(), one().replace(" {+0.10/5 0.1s}", "").replace("1. ", "").replace("2. ", "")),
        (one(), one().replace("1. e4 ", "1. e2-e4 (1. d4) {x} ")),
        (one(tags='[GameStartTime "2026-01-02T10:00:00 +0000"]'), one()),
        (one(), one(tags='[GameStartTime "2026-01-02T10:00:00 +0000"]')),
        (one(tags=MIDNIGHT_ELSEWHERE), one()),
        (one(tags='[UTCDate "2026.01.02"]\n[UTCTime "10:00:00"]'), one(tags='[Time "10:00:00"]')),
    ],
)
@pytest.mark.parametrize("tournament", ["cup", "another cup"])
def test_the_same_game_counts_once_in_every_form_of_its_file(
    imports: Imports, first: str, again: str | bytes, tournament: str
) -> None:
    assert imports.take(first) == (1, 0, 0)
    assert imports.take(first) == (0, 1, 0)
    assert imports.said == []
    assert imports.take(again, tournament) == (0, 1, 0)
    assert imports.take(again + again[:0] + (b"" if isinstance(again, bytes) else "")) == (0, 1, 0)
    assert all(
        "'cup' has a game with the same players, date, round and moves" in said for said in imports.said
    )
    assert len(imports.games()) == 1


@pytest.mark.parametrize(
    "games",
    [
        one("1") + one("2"),
        one("1.1") + one("1.2"),
        one(tags='[GameStartTime "2026-01-02T10:00:00 +0000"]')
        + one(tags='[GameStartTime "2026-01-02T10:00:07 +0000"]'),
        one() + one().replace("2026.01.02", "2026.01.03"),
        one() + one(end="Nc6 1-0"),
        one() + one(end="0-1").replace("1-0", "0-1"),
        one() + one().replace('"Ann"', '"x"').replace('"Bob"', '"Ann"'),
    ],
)
def test_games_that_differ_in_round_time_players_moves_or_result_all_count(
    imports: Imports, games: str
) -> None:
    assert imports.take(games) == (2, 0, 0)
    assert imports.take(games) == (0, 2, 0)
    assert imports.take(games.replace("\n", "\r\n"), "again") == (0, 2, 0)
    exported = b"".join(write(game).encode() for game in imports.games())
    assert imports.take(exported) == (0, 2, 0)


def test_a_game_that_was_played_here_and_exported_is_known_when_it_comes_back(imports: Imports) -> None:
    played, other = record(), record((Ply(0, "f2f3", MS),), end=Termination.RESIGN, forfeit=0)
    later = replace(played, started=played.started + 9, result=replace(played.result, tournament="cup 2"))
    for game in (played, later):
        imports.store.begin_tournament(game.result.tournament, {"seed": "1"})
        imports.store.add_games([game])
    exported = write(played)
    assert imports.take(exported + write(later), "back") == (0, 2, 0)
    assert imports.take(write(other), "other") == (1, 0, 0)  # it has the same key
    assert imports.take(exported.replace("2023.11.14", "2023.11.20"), "back") == (0, 1, 0)
    assert imports.take(exported.replace("2023-11-14", "2023-11-20"), "back") == (1, 0, 0)


def test_a_game_that_came_in_pgn_is_known_when_it_comes_in_json_lines(imports: Imports) -> None:
    read = read_back(write(record()))
    cup, played = TournamentRecord("cup", 1.0, {}), replace(read, result=replace(read.result, key="key"))
    assert imports.take(write(played), "from PGN") == (1, 0, 0)
    assert imports.take(archive(cup, played), None) == (0, 1, 0)
    later = replace(played, started=played.started + 9)
    assert imports.take(archive(cup, later), None) == (1, 0, 0)  # it has the same key
    assert imports.take(archive(cup, later), None) == (0, 1, 0)


def test_a_game_that_comes_twice_in_a_file_counts_once_with_a_message(imports: Imports) -> None:
    assert imports.take(one() * 3) == (1, 2, 0)
    expected = "10: game 2: 'cup' has a game with the same players, date, round and moves; such games"
    assert imports.said == [f"{expected} count once"]


def test_equal_games_without_round_and_time_count_as_often_as_a_file_has_them(imports: Imports) -> None:
    games = one("?").replace('[Date "2026.01.02"]\n', "") * 2
    assert imports.take(games) == (2, 0, 0)
    looks = "looks like another one of this file: without a tag Round or a time, both count"
    assert imports.said == [f"9: game 2 is added, but it {looks}"]
    assert imports.take(games, "again") == (0, 2, 0)


def test_a_void_game_is_added_once_with_a_message(imports: Imports) -> None:
    game = one(end="*").replace("1-0", "*")
    assert imports.take(game) == (1, 0, 0)
    assert imports.said == ["1: game 1 is added, but it is void, because its result is *"]
    assert imports.take(game) == (0, 1, 0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (one().replace('"1-0"', '"0-1"'), "1: game 1: the tag Result says 0-1, but the moves end with 1-0"),
        (one().replace('"1-0"', '"draw"'), "1: game 1: the tag Result, 'draw', is none of 1-0, 0-1,"),
        (one(tags='[PlyCount "3"]', end="").replace('"1-0"', '"?"'), "1: game 1: it ends without a result"),
        (one() + "\n<pre>\n", "11: '<pre>' is no part of a game"),
        (one().replace("e5", "e4"), "8: game 1: the move 1... 'e4' is illegal"),
    ],
)  # fmt: skip
def test_what_is_unclear_is_refused_in_words(imports: Imports, text: str, problem: str) -> None:
    imports.take(text)
    (said,) = imports.said
    assert said.startswith(problem)


BISHOPS = '[FEN "8/8/4k3/8/8/3BKp2/8/5B2 w - - 0 1"]\n'
LONG = '[FEN "8/8/4k3/8/8/3RK3/8/8 w - - 148 100"]\n'


@pytest.mark.parametrize(
    ("tags", "moves", "end", "plies", "reason"),
    [
        (BISHOPS, "1. Kxf3 Kd6 2. Bh3 Kd5 3. Bb1", "1/2-1/2", 1, "insufficient-material"),
        (BISHOPS, "1. Kxf3 Kd6", "1-0", 1, "insufficient-material"),
        (BISHOPS, "1. Kxf3", "0-1", 1, "insufficient-material"),
        (LONG, "100. Rd1 Ke5 101. Rd2 Ke6 102. Rd3", "1-0", 2, "seventyfive-moves"),
        (LONG, "100. Rd1 Ke5 101. Rd2", "1/2-1/2", 2, "seventyfive-moves"),
    ],
)  # fmt: skip
def test_a_game_that_went_on_after_a_draw_by_the_laws_ends_there_with_a_message(
    imports: Imports, tags: str, moves: str, end: str, plies: int, reason: str
) -> None:
    game = one(tags=tags).replace("1-0", end).replace("1. e4 {+0.10/5 0.1s} e5 2. Nf3", moves)
    assert imports.take(game) == (1, 0, 0)
    (said,) = imports.said
    assert f"is drawn by the laws after {plies} pl" in said
    assert f" after that and the result {end} are left out" in said
    (record,) = imports.games()
    assert (record.result.termination, record.result.reason) == (Termination.NORMAL, reason)
    assert [player.points for player in record.result.players] == [0.5, 0.5]
    assert len(record.record) == plies
    assert f"the result {end} are left out" in record.result.detail


HEAD = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n[TimeControl "%s"]\n\n'
COMMENTS = {
    "fastchess and cutechess-cli": (
        "60+0.6",
        [
            ('e4 {+0.31/12 0.512s, tl=60.088s, n=1, pv="e7e5 g1f3"}', 512, "cp 31", 12, 60.088),
            ("e5 {-M4/30 0.25}", 250, "mate -2", 30, 60.35),
            ("Nf3 {0.00/3 1.5s}", 1500, "cp 0", 3, 59.188),
        ],
    ),
    "TCEC": (
        "7200+5",
        [
            (
                "e4 {d=3, sd=58, mt=123456, tl=7081544, pv=Nf3 d5, wv=0.22, R50=50,}",
                123456,
                "cp 22",
                3,
                7081.544,
            ),
            ("e5 {d=9, mt=00:01:10, wv=0.22,}", 70_000, "cp -22", 9, 7135),
            ("Nf3 {ev=-0.50, d=20, mt=7, pv=e5, mb=+0+0,}", 7, "cp -50", 20, 7086.537),
        ],
    ),
    "Arena GUI": (
        "40/240",
        [
            ("e4 {(e2e4 e7e5) +0.50/12 3}", 3000, "cp 50", 12, 237),
            ("e5 {(e7e5) -0.26/9 12s}", 12_000, "cp -26", 9, 228),
            ("Nf3 {+0.31/13 1:05}", 65_000, "cp 31", 13, 172),
            ("Nc6 {u}", 0, "", None, None),
            ("d4 {1.2}", 0, "", None, None),
            ("d5 {2s}", 2000, "", None, None),
        ],
    ),
    "OpenBench": (
        "8+0.08",
        [
            ("e4 {+0.31 12/18 512 123456}", 512, "cp 31", 12, 7.568),
            ("e5 {-0.31 11/18 812 9}", 812, "cp -31", 11, 7.268),
            ("Nf3 {+M9 3/3 1 5}", 1, "mate 5", 3, 7.647),
            ("Nc6 {-0.20}", 0, "cp -20", None, None),
        ],
    ),
    "Lichess": (
        "300+3",
        [
            ("e4 { [%eval 0.17] [%clk 0:05:00] }", 3000, "cp 17", None, 300),
            ("e5 {[%eval 0.19,22] [%clk 0:05:00]}", 3000, "cp -19", 22, 300),
            ("Qh5?! {[%eval #-3] [%clk 0:04:58]}", 5000, "mate -3", None, 298),
            ("Nc6 {[%clk 0:04:55.5]} {[%eval #-3]}", 7500, "mate 3", None, 295.5),
            ("d4 {[%emt 0:00:02][%clk 0:04:59]}", 2000, "", None, 299),
        ],
    ),
    "clocks without their time control": (
        "?",
        [
            ("e4 {[%clk 0:05:00]}", 0, "", None, None),
            ("e5 {[%emt 1.5]}", 1500, "", None, None),
            ("Nf3 {5}", 0, "", None, None),
            ("Nc6 {12 moves}", 0, "", None, None),
            ("d4 {1/2}", 0, "", None, None),
        ],
    ),
    "a time control without times": ("60", [("e4", 0, "", None, None), ("e5 {good}", 0, "", None, None)]),
    "a time of zero": ("60", [("e4 {0.000s}", 1e-6, "", None, 60), ("e5", 0, "", None, None)]),
}


@pytest.mark.parametrize("program", COMMENTS)
def test_comments_of_other_programs_become_times_scores_and_depths_and_no_clock_is_invented(
    program: str,
) -> None:
    control, plies = COMMENTS[program]
    record = read_back(HEAD % control + " ".join(ply[0] for ply in plies) + " 1-0")
    found = [
        (ply.time / MS, ply.score, ply.depth, left if left is None else round(left / 1e9, 3))
        for ply, left in clocks(record)
    ]
    assert found == [ply[1:] for ply in plies]


@pytest.mark.parametrize(
    ("comment", "thought"),
    [
        (
            '+0.31/12 0.512s, tl=6s, n=1, sd=20, nps=3, hashfull=4, tbhits=0, pv="e7e5 g1f3"',
            Thought(1, 3, 20, 4, "e7e5 g1f3"),
        ),
        (
            "d=3, sd=58, mt=1, s=39568, n=1234, pv=1. e4 e5 2.Nf3, h=23.4, wv=0.2",
            Thought(1234, 39568, 58, 234, "e4 e5 Nf3"),
        ),
        ("(e4 e5) +0.50/12/18 3", Thought(seldepth=18, pv="e4 e5")),
        ("+0.31 12/18 512 123456", Thought(123456, seldepth=18)),
        ("d=3, n=-1, nps=1234567890123456, sd=x, h=x, pv=\u00e9", None),
        ("d=3, pv=" + "e4 " * 200, Thought(pv=" ".join(["e4"] * 67))),
    ],
)
def test_what_engines_thought_is_read_from_comments_of_other_programs(
    comment: str, thought: Thought | None
) -> None:
    assert read_back(f"{HEAD % '60'}e4 {{{comment}}} 1-0").record[0].thought == thought


def test_a_variation_cannot_end_its_comment() -> None:
    hostile = Ply(0, "f2f3", MS, "cp 1", 1, Thought(pv='f2f3} "x, n=5 {1-0'))
    text = write(record((hostile, *MATE[1:])))
    assert len(list(game_in(text).mainline())) == 4
    assert read_back(text).record[0].thought == Thought(pv="f2f3 x, n=5 1-0")


@pytest.mark.parametrize(
    ("end", "reason", "ranks", "forfeit", "detail"),
    [
        (Termination.VOID, "void", None, None, "the run was stopped"),
        (Termination.VOID, "void", None, None, ""),
        (Termination.ADJUDICATED, "length", (1, 1), None, ""),
        (Termination.ADJUDICATED, "score", (1, 2), None, ""),
        (Termination.FLOOD, "flood", (1, 2), 1, "seat 2 printed a line of 1 MB"),
        (Termination.DISABLED, "disabled", (2, 1), 0, ""),
        (Termination.TIME, "time", (2, 1), 0, "illegal words, and a crash: none of them counts"),
    ],
)
def test_the_end_that_is_written_is_read_back(
    end: Termination, reason: str, ranks: tuple[int, int] | None, forfeit: int | None, detail: str
) -> None:
    played = record((Ply(0, "f2f3", MS), Ply(1, "e7e5", MS)), START, end, reason, ranks, forfeit)
    played = replace(played, result=replace(played.result, detail=detail))
    read = read_back(write(played))
    assert (read.result.termination, read.result.reason, read.result.detail) == (end, reason, detail)
    assert [(player.rank, player.forfeit) for player in read.result.players] == [
        (player.rank, player.forfeit) for player in played.result.players
    ]
