"""Tests of the client with scripted engines: the lines sent, the timeouts, and the error messages."""

import os
from pathlib import Path

import pytest
import trio

from protocol.errors import (
    EngineCrashed,
    EngineFlooded,
    EngineOptionError,
    EngineStalled,
    EngineStartError,
    EngineTimedOut,
)
from protocol.hub import transcript
from protocol.hub.client import EngineClient
from protocol.hub.dialogue import Dialogue, Patience
from protocol.hub.search import SearchRequest, SearchWriter
from protocol.hub.transcript import Transcript, newest_transcript, own_folder, transcript_file
from protocol.spec import EngineSpec
from protocol.wire import messages as m
from protocol.wire.session import Role, Session
from protocol.wire.states import State
from tests.protocol.fakes import ScriptedEngine

SECOND = 1_000_000_000
GO = m.Go(times=(60_000, 60_000), incs=(0, 0))
GO_TEXT = "go p1time 60000 p2time 60000 p1inc 0 p2inc 0"
ASKED = f"> isready\n< readyok\n> position startpos\n> {GO_TEXT}"
"""A turn of an engine of level 0 at the start of a game, up to its clock."""

LEVEL_0 = """
> ugi
< id name plain
< ugiok
> isready
< readyok
> uginewgame
> isready
< readyok
"""


def level_1(*capabilities):
    words = " ".join(capabilities)
    return f"""
> ugi
< id name tiny
< protocol 1 {words} frobcap
< ugiok
> protocol 1 {words}
> isready
< readyok
> uginewgame
> isready
< readyok
"""


def make(script, kind=ScriptedEngine, **settings):
    engine = kind(script)
    client = EngineClient(
        EngineSpec("x", ("x",), **settings), engine, now=lambda: round(trio.current_time() * SECOND)
    )
    return client, engine


def turn(moves=(), start=None, legal=("e2", "d1", "f1"), recent=None):
    return SearchRequest(start, moves, lambda: recent, lambda: "/ / e1 e9 / 10 10 / 1", lambda: legal)


async def new_game(script, **settings):
    client, engine = make(script, **settings)
    await client.handshake("quoridor")
    await client.new_game((("seat", "1"),))
    return client, engine


async def test_level_0_gets_isready_position_go(autojump_clock):
    client, engine = await new_game(f"""{LEVEL_0}
        {ASKED}
        ~ 1.5
        < info depth 3 score cp 12
        < bestmove e2
        > isready
        < readyok
        > position startpos moves e2 e8
        > {GO_TEXT}
        < bestmove e3 ponder e7
    """)
    moves = []
    first = await client.think(turn(moves), GO, 60 * SECOND)
    assert (first.move, first.ended - first.started) == ("e2", round(1.5 * SECOND))
    assert first.info == "depth 3 score cp 12"
    moves += ["e2", "e8"]
    assert (await client.think(turn(moves), GO, 60 * SECOND)).move == "e3"
    engine.assert_done()


async def test_level_1_gets_position_legal_isready_go(autojump_clock):
    client, engine = await new_game(f"""{level_1("legal")}
        > position startpos
        > legal e2 d1 f1
        > isready
        < readyok
        > {GO_TEXT}
        < bestmove d1
    """)
    assert (await client.think(turn(), GO, SECOND)).move == "d1"
    engine.assert_done()


async def test_sync_game_sends_no_isready_between_the_moves(autojump_clock):
    client, engine = await new_game(
        f"""{LEVEL_0}
        > position startpos
        > {GO_TEXT}
        < bestmove e2
        < bestmove d1
        > position startpos moves e2 e8
        > {GO_TEXT}
        < bestmove e3
    """,
        sync="game",
    )
    moves = []
    assert (await client.think(turn(moves), GO, SECOND)).move == "e2"
    client.session.receive_data(await engine.read())
    moves += ["e2", "e8"]
    assert (await client.think(turn(moves), GO, SECOND)).move == "e3"
    assert client.session.strays == 1
    engine.assert_done()


@pytest.mark.parametrize(
    ("sync", "ready", "late", "counts"),
    [
        ("move", "> isready\n< bestmove d1\n< readyok", "", "e3"),
        ("game", "", "< bestmove d1", "d1"),
    ],
)
async def test_a_second_answer_after_the_next_go_counts_with_sync_game_alone(
    autojump_clock, sync, ready, late, counts
):
    first_ready = "" if sync == "game" else "> isready\n< readyok"
    client, _ = await new_game(
        f"""{LEVEL_0}
        {first_ready}
        > position startpos
        > {GO_TEXT}
        < bestmove e2
        {ready}
        > position startpos moves e2 e8
        > {GO_TEXT}
        {late}
        < bestmove e3
    """,
        sync=sync,
    )
    assert (await client.think(turn([]), GO, SECOND)).move == "e2"
    assert (await client.think(turn(["e2", "e8"]), GO, SECOND)).move == counts


class Eager(ScriptedEngine):
    """Reads only part of a question, answers it, and reads the rest a second later."""

    async def wait_writable(self):
        await trio.sleep(1)
        self._room = None


async def test_an_answer_that_came_before_the_whole_question_took_no_time(autojump_clock):
    client, engine = await new_game(
        f"{LEVEL_0}\n> position startpos\n< bestmove e2\n> {GO_TEXT}", kind=Eager, sync="game"
    )
    engine._room = 30
    thought = await client.think(turn(), GO, SECOND)
    assert thought.move == "e2"
    assert thought.ended == thought.started == round(trio.current_time() * SECOND)
    assert client._dialogue.read_at == thought.started - SECOND


async def test_a_game_from_a_position_names_it(autojump_clock):
    client, engine = await new_game(f"""{LEVEL_0}
        > isready
        < readyok
        > position fen / / e2 e8 / 10 10 / 1 moves e3
        > {GO_TEXT}
        < bestmove e2
    """)
    await client.think(turn(["e3"], start="/ / e2 e8 / 10 10 / 1"), GO, SECOND)
    engine.assert_done()


async def test_a_long_list_of_legal_moves_is_continued(autojump_clock):
    legal = tuple(f"{number:07}" for number in range(20_000))
    client, engine = make(level_1("legal"))
    await client.handshake(None)
    await client.new_game(())
    heard = []

    def listen(data):
        heard.append(data)
        return len(data)

    engine.write_now = listen
    with trio.move_on_after(1):
        await client.think(turn(legal=legal), GO, SECOND)
    lines = b"".join(heard).decode().splitlines()
    assert max(map(len, lines)) < 65_536
    assert [line.split()[0] for line in lines] == ["position", "legal", "legal+", "legal+", "isready"]
    assert tuple(word for line in lines[1:4] for word in line.split()[1:]) == legal


async def test_game_and_options_are_set_before_the_first_isready(autojump_clock):
    client, engine = make(
        """
        > ugi
        < option name UGI_Game type combo default quoridor4 var quoridor4 var quoridor
        < option name Hash type spin default 1 min 1 max 64
        < ugiok
        > setoption name UGI_Game value quoridor
        > setoption name Hash value 32
    """,
        options={"hash": "32"},
    )
    await client.handshake("quoridor")
    engine.assert_done()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"Thread": "4"}, "it has no option 'Thread': it offers UGI_Game, Hash"),
        ({"Hash": "two"}, "option Hash takes a whole number from 1 up to 64, not 'two'"),
        ({"Hahs": "2", "Hash": "65"}, "did you mean Hash? it offers UGI_Game, Hash; option Hash takes"),
    ],
)
async def test_an_engine_that_does_not_take_its_options_is_not_used(autojump_clock, options, problem):
    client, engine = make(
        """
        > ugi
        < option name UGI_Game type combo default quoridor var quoridor
        < option name Hash type spin default 1 min 1 max 64
        < ugiok
    """,
        options=options,
    )
    with pytest.raises(EngineOptionError, match=r"^does not take its options: ") as caught:
        await client.handshake("quoridor")
    assert problem in str(caught.value)
    engine.assert_done()


async def test_forced_options_are_sent_as_they_are_even_if_the_engine_does_not_advertise_them(autojump_clock):
    client, engine = make(
        """
        > ugi
        < option name Hash type spin default 1 min 1 max 64
        < option name Style type combo default a options a b
        < ugiok
        > setoption name hash value two
        > setoption name Style value b
        > setoption name Clear
    """,
        options={"hash": "two", "Style": "b", "Clear": ""},
        force_options=True,
    )
    await client.handshake("quoridor")
    engine.assert_done()


async def test_an_engine_for_another_game_is_refused(autojump_clock):
    client, _ = make("""
        > ugi
        < option name UGI_Game type combo default hops var hops
        < ugiok
    """)
    with pytest.raises(EngineStartError, match="does not play quoridor, only hops"):
        await client.handshake("quoridor")


async def test_the_uci_dialect(autojump_clock):
    client, engine = make(
        """
        > uci
        < id name fish
        < uciok
        > isready
        < readyok
        > ucinewgame
        > isready
        < readyok
        > isready
        < readyok
        > position startpos
        > go wtime 60000 btime 60000 winc 0 binc 0
        < bestmove e2 ponder e8
    """,
        dialect="uci",
    )
    await client.handshake("quoridor")
    await client.new_game(())
    assert (await client.think(turn(), GO, SECOND)).move == "e2"
    engine.assert_done()


async def test_no_ugiok_in_time_is_a_stall(autojump_clock):
    client, _ = make("> ugi\n< hello\n~ 60\n< ugiok")
    with pytest.raises(EngineStalled, match="did not answer 'ugi' within 10 s"):
        await client.handshake(None)
    assert trio.current_time() < 11


async def test_the_limit_is_total_and_not_per_line(autojump_clock):
    client, _ = make("> ugi\n" + "~ 4\n< banner\n" * 5 + "< ugiok")
    with pytest.raises(EngineStalled):
        await client.handshake(None)


async def test_a_missing_newline_is_named(autojump_clock):
    client, _ = make("> ugi\n<- ugiok\n~ 99\n< x")
    with pytest.raises(EngineStalled, match="printed 'ugiok' without a newline"):
        await client.handshake(None)


async def test_every_line_of_a_dialogue_can_be_heard_with_its_time(autojump_clock):
    engine = ScriptedEngine("> ugi\n~ 2\n< bestmove e2\n< ugiok\n~ 3\n< hello\n= exit code 3")
    session = Session(Role.HUB)
    dialogue = Dialogue(session, engine, lambda: round(trio.current_time()), None, Patience())
    start = round(trio.current_time())
    await dialogue.send(m.Hello())
    heard = [await dialogue.next_line() for _ in range(4)]
    assert [line and (line.text, line.at - start) for line in heard] == [
        ("bestmove e2", 2), ("ugiok", 2), ("hello", 5), None,
    ]  # fmt: skip
    assert session.state is State.GREETED
    assert str(await dialogue.ended(b"ugi\nisready\n")) == (
        "ended with exit code 3 after 'ugi', 'isready'; what it said is no answer: 'bestmove e2', 'hello'"
    )


async def test_a_crash_tells_what_was_sent_last_and_the_end_of_standard_error(autojump_clock):
    client, _ = await new_game(f"""{level_1("legal")}
        > position startpos
        > legal e2 d1 f1
        > isready
        ! Traceback (most recent call last):
        !   File "mine.py", line 3
        !     boom()
        !     ~~~~^^
        ! ValueError: \x1b[2J boom
        = exit code 1
    """)
    with pytest.raises(EngineCrashed) as crash:
        await client.think(turn(), GO, SECOND)
    assert str(crash.value) == (
        "ended with exit code 1 after 'position startpos', 'legal e2 d1 f1', 'isready'; its standard error"
        ' says: Traceback (most recent call last): | File "mine.py", line 3 | ValueError: ?[2J boom'
    )


@pytest.mark.parametrize(
    ("script", "explanation"),
    [
        (
            f"{ASKED}\n< bestmove {'e' * 70_000}\n~ 9",
            "it printed a line longer than 65,536 bytes, which does not count",
        ),
        (f"{ASKED}\n<- bestmove e2\n~ 9", "it printed 'bestmove e2' without a newline"),
        (
            ASKED.replace("< readyok", "< bestmove e2\n< readyok") + "\n~ 9",
            "what it said is no answer: 'bestmove e2'",
        ),
    ],
    ids=["too long", "without a newline", "before go"],
)
async def test_an_answer_that_does_not_count_is_named_when_the_time_is_up(
    autojump_clock, script, explanation
):
    client, _ = await new_game(f"{LEVEL_0}\n{script}")
    with pytest.raises(EngineTimedOut, match=f"its time was up; {explanation}"):
        await client.think(turn(), GO, SECOND)


async def test_only_lines_of_the_same_turn_are_quoted(autojump_clock):
    client, _ = await new_game(f"""{LEVEL_0}
        {ASKED}
        < hello
        < bestmove e2
        {ASKED}
        ~ 9
    """)
    await client.think(turn(), GO, SECOND)
    with pytest.raises(EngineTimedOut) as late:
        await client.think(turn(), GO, SECOND)
    assert str(late.value) == "did not answer before its time was up"


async def test_the_limit_of_what_is_printed_holds_for_each_turn_alone(autojump_clock, monkeypatch):
    monkeypatch.setattr("protocol.hub.dialogue.MAX_TURN_OUTPUT", 100)
    few, many = f"< {'x' * 79}\n< bestmove e2", f"< {'x' * 80}\n< bestmove e2"
    client, _ = await new_game(f"{LEVEL_0}\n{ASKED}\n{few}\n{ASKED}\n{few}\n{ASKED}\n{many}")
    for _ in range(2):
        assert (await client.think(turn(), GO, SECOND)).move == "e2"
    with pytest.raises(EngineFlooded):
        await client.think(turn(), GO, SECOND)


async def test_a_good_answer_before_the_end_counts_and_the_next_turn_is_the_crash(autojump_clock):
    client, _ = await new_game(f"""{LEVEL_0}
        {ASKED}
        < bestmove e2
        = signal SIGSEGV
    """)
    assert (await client.think(turn(), GO, SECOND)).move == "e2"
    with pytest.raises(EngineCrashed):
        await client._dialogue.answer(m.ReadyOk)
    with pytest.raises(EngineCrashed, match="signal SIGSEGV"):
        await client.think(turn(), GO, SECOND)


SLOW = f"{LEVEL_0}\n{ASKED}\n~ 3"


async def test_too_late_is_timed_out_and_a_stopped_engine_plays_on(autojump_clock):
    client, engine = await new_game(f"""{SLOW}
        > stop
        ~ 1
        < bestmove e2
    """)
    with pytest.raises(EngineTimedOut):
        await client.think(turn(), GO, SECOND)
    assert await client.drain()
    assert client.session.state is State.IDLE
    engine.assert_done()


async def test_an_engine_that_does_not_stop_is_to_be_replaced(autojump_clock):
    client, _ = await new_game(f"{SLOW}\n> stop\n~ 60\n< bestmove e2")
    with pytest.raises(EngineTimedOut):
        await client.think(turn(), GO, SECOND)
    start = trio.current_time()
    assert not await client.drain()
    assert trio.current_time() - start == pytest.approx(2, abs=0.1)


async def test_talk_does_not_extend_the_time(autojump_clock):
    talk = "~ 0.4\n< info string still here\n" * 20
    client, _ = await new_game(f"""{LEVEL_0}
        {ASKED}
        {talk}
    """)
    with pytest.raises(EngineTimedOut):
        await client.think(turn(), GO, SECOND)


async def test_an_engine_that_does_not_read_stalls(autojump_clock):
    engine = ScriptedEngine("> ugi\n< ugiok", deaf_after=6)
    client = EngineClient(EngineSpec("x", ("x",)), engine)
    await client.handshake(None)
    with pytest.raises(EngineStalled, match="did not read its input for 5 s"):
        await client.new_game(())


async def test_result_and_errors_go_to_those_who_asked(autojump_clock):
    client, engine = await new_game(f"""{level_1("result", "errors")}
        > error illegal e9 is too far
        > gameover p2win reason illegal
    """)
    await client.report_error("illegal", "e9 is too far")
    await client.game_over(m.GameOver("p2win", (), "illegal"))
    engine.assert_done()
    plain, _ = await new_game(LEVEL_0)
    await plain.report_error("illegal", "e9 is too far")
    await plain.game_over(m.GameOver("p2win", (), "illegal"))


async def test_the_seat_capability_brings_gameinfo(autojump_clock):
    client, engine = make("""
        > ugi
        < protocol 1 seat
        < ugiok
        > protocol 1 seat
        > isready
        < readyok
        > uginewgame
        > gameinfo id 7 seat 1
        > isready
        < readyok
    """)
    await client.handshake(None)
    await client.new_game((("id", "7"), ("seat", "1")))
    engine.assert_done()


async def test_quit_is_followed_by_sigterm_and_the_end_of_the_group(autojump_clock):
    client, engine = make("> ugi\n< ugiok\n> quit\n~ 60")
    await client.handshake(None)
    start = trio.current_time()
    await client.close()
    assert [signal.name for signal in engine.signals] == ["SIGTERM", "SIGKILL"]
    assert trio.current_time() - start == pytest.approx(2, abs=0.1)
    assert engine.disposed


async def test_closing_is_not_cut_short_by_cancellation(autojump_clock):
    client, engine = make("> ugi\n< ugiok\n> quit\n~ 0.5\n= exit code 0")
    await client.handshake(None)
    with trio.CancelScope() as scope:
        scope.cancel()
        await client.close()
    assert engine.disposed
    assert [signal.name for signal in engine.signals] == ["SIGKILL"], "the group is swept, and nothing else"


def test_a_transcript_is_never_written_over(tmp_path: Path):
    for text in ("first", "second", "third"):
        with Transcript(tmp_path / "3-2-mine.1.log") as transcript:
            transcript.note(">", text)
    texts = {file.name: file.read_text().split()[-1] for file in tmp_path.iterdir()}
    assert texts == {
        "3-2-mine.1.log": "first",
        "3-2-mine.1.2.log": "second",
        "3-2-mine.1.3.log": "third",
    }


def test_the_last_lost_games_of_each_engine_are_kept_in_its_own_folder_and_no_other_file_goes(tmp_path: Path):
    logs = tmp_path / "logs"
    (logs / "ann").mkdir(parents=True)
    (logs / "ann" / "thesis.log").write_text("mine")
    for number, lost in enumerate((True, False, True, True, True), 1):
        with Transcript(transcript_file(logs, str(number), 0, "ann")) as written:
            written.note(">", f"game {number}")
        os.utime(logs / f"{number}-1-ann.log", ns=(number, number))  # a quick machine gives equal times
        written.keep("ann", 2 if lost else 0)
    assert {file.name for file in logs.iterdir()} == {"ann"}
    assert {file.name for file in (logs / "ann").iterdir()} == {"4-1-ann.log", "5-1-ann.log", "thesis.log"}
    with Transcript(transcript_file(logs, "5", 0, "ann")) as again:
        again.note(">", "once more")
    again.keep("ann", 2)
    newest = newest_transcript(transcript_file(logs / "ann", "5", 0, "ann"))
    assert newest is not None
    assert newest.name == "5-1-ann.2.log"


@pytest.mark.parametrize("name", ["..", ".", "a/../b", ".hidden"])
def test_no_name_leads_out_of_the_folder_for_transcripts(tmp_path: Path, name: str):
    logs = tmp_path / "logs"
    with Transcript(transcript_file(logs, "1", 0, name)) as written:
        written.note(">", "ugi")
    written.keep(name, 2)
    assert own_folder(logs, name).parent == logs
    assert [len(list(folder.iterdir())) for folder in logs.iterdir()] == [1]
    assert list(tmp_path.iterdir()) == [logs]


def test_a_transcript_ends_at_its_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A byte that is no text becomes a character of three bytes, so bytes and characters are told apart."""
    assert transcript._MAX_FILE == 64 << 20
    monkeypatch.setattr(transcript, "_MAX_FILE", 2 << 20)
    line = b"\xff" * 6_000 + b"x" * 6_000
    file = tmp_path / "x.log"
    with Transcript(file) as written:
        for _ in range((3 << 20) // len(line)):
            written.note("<", line + b"\n")
    assert (2 << 20) - 30_000 < file.stat().st_size <= (2 << 20) + 1000
    assert file.read_bytes().endswith(b"# the rest is left out: this file has reached 2 MiB\n")


async def test_a_transcript_has_both_directions(autojump_clock, tmp_path: Path):
    client, _ = make(level_1("legal"))
    await client.handshake(None)
    with Transcript(tmp_path / "logs" / "x.log") as transcript:
        await client.new_game((), transcript)
    lines = [line[11:] for line in (tmp_path / "logs" / "x.log").read_text().splitlines()]
    assert lines == ["> isready", "< readyok", "> uginewgame", "> isready", "< readyok"]


async def test_a_new_engines_handshake_is_written_down_too(autojump_clock, tmp_path: Path):
    file = tmp_path / "x.log"
    engine = ScriptedEngine("> ugi\n< id name x\n< ugiok")
    with Transcript(file) as transcript:
        client = EngineClient(EngineSpec("x", ("x",)), engine, transcript=transcript)
        await client.handshake(None)
    assert [line[11:] for line in file.read_text().splitlines()] == ["> ugi", "< id name x", "< ugiok"]


def test_a_line_is_written_down_when_it_is_whole_and_an_unfinished_one_at_the_end(tmp_path: Path):
    noted = []
    file = tmp_path / "x.log"
    with Transcript(file, lambda seconds, direction, text: noted.append((direction, text))) as transcript:
        transcript.note("<", "info string caf\u00e9".encode()[:-1])
        transcript.note("!", b"between\n")
        transcript.note("<", "\u00e9\r\nbestmo".encode()[1:])
    assert noted == [("!", "between"), ("<", "info string caf\u00e9"), ("<", "bestmo (no end of line)")]
    assert [line[11:] for line in file.read_text().splitlines()] == [" ".join(line) for line in noted]
    transcript.note("!", b"last words, when the game is over\n")
    assert len(noted) == 3


FEN = "/ / e1 e9 / 10 10 / 1"
BASE = ("A / B", 1, ())


@pytest.mark.parametrize(
    ("form", "capabilities", "recent", "lines"),
    [
        ("moves", "", BASE, ["position startpos moves e2", "position startpos moves e2 e8 e3"]),
        ("short", "", BASE, ["position fen A / B", "position fen A / B moves e8 e3"]),
        (
            "short",
            "",
            (*BASE[:2], ("!2", "!3")),
            ["position fen A / B moves !2 !3", "position fen A / B moves !2 !3 e8 e3"],
        ),
        ("short", "", None, ["position startpos moves e2", "position startpos moves e2 e8 e3"]),
        ("short", "", ("A" * 65_500, 1, ()), [f"position fen {FEN}"] * 2),
        ("fen", "", BASE, [f"position fen {FEN}"] * 2),
        ("fen", "delta", BASE, ["position startpos moves e2", "moves e8 e3"]),
        ("short", "delta", BASE, ["position startpos moves e2", "moves e8 e3"]),
        ("short", "fen", BASE, [f"position fen {FEN}"] * 2),
    ],
)
def test_a_position_is_sent_in_the_form_that_the_engine_announced_or_that_was_chosen_for_it(
    form, capabilities, recent, lines
):
    session = Session(Role.HUB)
    session.state, session.level, session.capabilities = State.IDLE, 1, frozenset(capabilities.split())
    writer = SearchWriter(session, form)
    moves = ["e2"]
    request = turn(moves, recent=recent)
    first = writer.position(request)
    moves += ["e8", "e3"]
    assert [first.decode(), writer.position(request).decode()] == [f"{line}\n" for line in lines]


def test_a_list_of_moves_that_is_too_long_for_a_line_becomes_a_position_string():
    session = Session(Role.HUB)
    session.state = State.IDLE
    data = SearchWriter(session, "moves").position(turn(["e2h"] * 20_000))
    assert data.decode() == f"position fen {FEN}\n"
