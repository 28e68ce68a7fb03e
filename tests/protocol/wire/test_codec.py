"""Tests of the codec: messages survive a round trip, and lines of real engines are understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.wire import messages as m
from protocol.wire.codec import (
    NO_MOVE,
    format_command,
    format_removal,
    format_reply,
    is_removal,
    parse_command,
    parse_info,
    parse_removal,
    parse_reply,
    parse_report,
    result_word,
)

WORD = st.text("abcdefghijklmnopqrstuvwxyz0123456789!+,*#@>-", min_size=1, max_size=12)
MOVES = st.lists(WORD.filter(lambda word: word != "moves"), max_size=20).map(" ".join)
MS = st.integers(1, 10**9)


@st.composite
def clocks(draw, most=9):
    count = draw(st.integers(1, most))
    numbers = st.lists(MS, min_size=count, max_size=count).map(tuple)
    return m.Go(times=draw(numbers), incs=draw(numbers), moves_to_go=draw(st.none() | MS))


COMMANDS = st.one_of(
    st.sampled_from([m.Hello(), m.IsReady(), m.NewGame(), m.Stop(), m.Quit()]),
    st.builds(m.Acknowledge, st.just(1), st.lists(WORD, max_size=5).map(tuple)),
    st.builds(m.SetOption, WORD, st.none() | WORD),
    st.builds(m.GameInfoLine, st.lists(st.tuples(WORD, WORD), min_size=1, max_size=5).map(tuple)),
    st.builds(m.SetPosition, st.none() | st.just("/ / e1 e9 / 10 10 / 1"), MOVES),
    st.builds(m.Moves, MOVES.filter(bool)),
    st.builds(m.Legal, st.lists(WORD, min_size=1).map(tuple), st.booleans()),
    clocks(),
    st.builds(m.Go, movetime=MS),
    st.builds(m.Go, depth=MS),
    st.builds(m.Go, nodes=MS),
    st.builds(m.Query, WORD),
    st.builds(m.GameOver, WORD, st.lists(st.integers(1, 4)).map(tuple), WORD),
    st.builds(m.ErrorReport, WORD, WORD),
)
REPLIES = st.one_of(
    st.builds(m.Id, st.sampled_from(["name", "author", "version"]), WORD),
    st.builds(m.OptionLine, st.just("name Hash type spin default 1 min 1 max 9")),
    st.builds(m.Announce, st.integers(0, 9), st.lists(WORD, max_size=5).map(tuple)),
    st.sampled_from([m.HelloOk(), m.ReadyOk(), m.BestMove(""), m.BestMove("resign")]),
    st.builds(m.InfoLine, WORD),
    st.builds(m.BestMove, WORD),
    st.builds(m.Response, WORD),
)


@given(COMMANDS)
def test_commands_survive_the_wire(command):
    line = format_command(command)
    assert parse_command(line) == command


@given(REPLIES)
def test_replies_survive_the_wire(reply):
    line = format_reply(reply)
    assert parse_reply(line) == reply


@given(st.text())
def test_no_line_of_an_engine_is_an_error(line):
    reply = parse_reply(line)
    if isinstance(reply, m.InfoLine):
        parse_info(reply.text)


@given(clocks(2))
def test_clocks_survive_the_uci_dialect(go):
    assert parse_command(format_command(go, "uci"), "uci") == go


CLOCKS = m.Go(times=(59_500, 60_000), incs=(500, 400))
FOUR = m.Go(times=(1, 2, 0, 4), incs=(5, 6, 7, 8), moves_to_go=3)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (m.Hello(), "ugi"),
        (m.Acknowledge(1, ()), "protocol 1"),
        (m.Acknowledge(1, ("legal", "fen")), "protocol 1 legal fen"),
        (m.SetOption("Clear Hash", None), "setoption name Clear Hash"),
        (m.SetOption("Book File", "my book.bin"), "setoption name Book File value my book.bin"),
        (m.IsReady(), "isready"),
        (m.NewGame(), "uginewgame"),
        (m.GameInfoLine((("id", "7"), ("seat", "2"))), "gameinfo id 7 seat 2"),
        (m.SetPosition(), "position startpos"),
        (m.SetPosition(None, "e2 e8"), "position startpos moves e2 e8"),
        (m.SetPosition("/ / e1 e9 / 10 10 / 1"), "position fen / / e1 e9 / 10 10 / 1"),
        (m.SetPosition("x y", "e2 !2"), "position fen x y moves e2 !2"),
        (m.Moves("e2 e8"), "moves e2 e8"),
        (m.Legal(("e2", "d1")), "legal e2 d1"),
        (m.Legal(("f1",), more=True), "legal+ f1"),
        (CLOCKS, "go p1time 59500 p2time 60000 p1inc 500 p2inc 400"),
        (FOUR, "go p1time 1 p2time 2 p3time 0 p4time 4 p1inc 5 p2inc 6 p3inc 7 p4inc 8 movestogo 3"),
        (m.Go(movetime=5), "go movetime 5"),
        (m.Go(depth=6), "go depth 6"),
        (m.Go(nodes=7), "go nodes 7"),
        (m.Stop(), "stop"),
        (m.Query("islegal e2"), "query islegal e2"),
        (m.GameOver("p1win", (), "goal"), "gameover p1win reason goal"),
        (m.GameOver("p3win", (2, 4, 1, 3), "goal"), "gameover p3win ranks 2 4 1 3 reason goal"),
        (m.ErrorReport("illegal", "e9 is too far"), "error illegal e9 is too far"),
        (m.Quit(), "quit"),
    ],
)
def test_what_the_hub_says_is_said_to_the_letter_and_understood(command, text):
    assert format_command(command) == text
    assert parse_command(text) == parse_command(f" {text}\r") == command


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (m.Hello(), "uci"),
        (m.NewGame(), "ucinewgame"),
        (CLOCKS, "go wtime 59500 btime 60000 winc 500 binc 400"),
        (m.Go(times=(1, 2), incs=(3, 4), moves_to_go=5), "go wtime 1 btime 2 winc 3 binc 4 movestogo 5"),
        (m.Go(movetime=5), "go movetime 5"),
    ],
)
def test_uci_has_words_of_its_own(command, text):
    assert format_command(command, "uci") == text
    assert parse_command(text, "uci") == command


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (m.Id("name", "My Engine 2"), "id name My Engine 2"),
        (m.OptionLine("name Hash type button"), "option name Hash type button"),
        (m.Announce(1, ()), "protocol 1"),
        (m.Announce(1, ("legal", "fen")), "protocol 1 legal fen"),
        (m.HelloOk(), "ugiok"),
        (m.ReadyOk(), "readyok"),
        (m.InfoLine("depth 3 pv e2"), "info depth 3 pv e2"),
        (m.BestMove("e2"), "bestmove e2"),
        (m.BestMove(""), "bestmove"),
        (m.BestMove("resign"), "bestmove resign"),
        (m.Response("legal e2 e8"), "response legal e2 e8"),
        (m.Unknown("hello there"), "hello there"),
    ],
)
def test_what_an_engine_says_is_said_to_the_letter_and_understood(reply, text):
    assert format_reply(reply) == text
    assert parse_reply(text) == reply


def test_a_byte_order_mark_before_the_first_word_means_nothing():
    assert parse_reply("\ufeffprotocol 1 legal") == m.Announce(1, ("legal",))


def test_each_dialect_has_a_greeting_of_its_own_and_does_not_take_the_others():
    assert format_reply(m.HelloOk(), "uci") == "uciok"
    assert parse_reply("uciok", "uci") == parse_reply("ugiok") == parse_reply("uaiok", "uai") == m.HelloOk()
    assert parse_reply("uciok") == m.Unknown("uciok")
    assert parse_reply("ugiok", "uci") == m.Unknown("ugiok")


def test_a_word_of_no_message_is_unknown():
    assert parse_command("hello ") == m.Unknown("hello ")


@pytest.mark.parametrize(
    "text",
    [
        "position",
        "position moves e2",
        "position fen",
        "position fen moves e2",
        "position startpos e2",
        "position startpos e2 moves e8",
        "position here moves e2",
        "go",
        "go p1time",
        "go p1time x p2time 2 p1inc 0 p2inc 0",
        "go depth 3 nodes",
        "go depth 3 nodes 7",
        "gameinfo id",
        "gameover p1win",
        "gameover p1win ranks one reason goal",
        "protocol",
        "protocol one",
        "legal",
        "moves",
        "error",
    ],
)
def test_what_cannot_follow_a_known_word_is_an_error(text):
    with pytest.raises((ValueError, IndexError)):
        parse_command(text)


def test_a_position_may_be_a_single_word():
    assert parse_command("position fen x moves e2") == m.SetPosition("x", "e2")
    with pytest.raises(ValueError, match=r"^position wants startpos or fen$"):
        parse_command("position here moves e2")


@pytest.mark.parametrize("word", ["0000", "(none)", "none", "NULL", ""])
def test_a_word_that_can_mean_no_move_is_kept_because_it_can_be_a_move_too(word):
    assert parse_reply(f"bestmove {word}") == m.BestMove(word)
    assert word in NO_MOVE


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("bestmove e2 ponder e8", m.BestMove("e2", "e8")),
        ("  bestmove   e2  ", m.BestMove("e2")),
        ("\tbestmove\te2\tponder\te8\t\r", m.BestMove("e2", "e8")),
        ("bestmove\t", m.BestMove("")),
        ("\treadyok\t", m.ReadyOk()),
        ("readyok\tnow", m.Unknown("readyok\tnow")),
        ("\tugiok\t", m.HelloOk()),
        ("id\tname\tMy\tEngine", m.Id("name", "My Engine")),
        ("option\tname\tX Y\ttype\tbutton", m.OptionLine("name X Y type button")),
        ("protocol\t1\tfen", m.Announce(1, ("fen",))),
        ("info\tdepth\t3", m.InfoLine("depth\t3")),
        ("bestmove resign", m.BestMove("resign")),
        ("readyok ", m.ReadyOk()),
        ("ugiok  ", m.HelloOk()),
        ("0readyok", m.Unknown("0readyok")),
        ("readyok now", m.Unknown("readyok now")),
        ("ugiok now", m.Unknown("ugiok now")),
        ("protocol", m.Unknown("protocol")),
        ("protocol one", m.Unknown("protocol one")),
        ("protocol 1.5", m.Unknown("protocol 1.5")),
        ("protocol -1", m.Unknown("protocol -1")),
        ("protocol \u0661", m.Unknown("protocol \u0661")),
        ("protocol \u00b9", m.Unknown("protocol \u00b9")),
        ("protocol 999999999  fen", m.Announce(999_999_999, ("fen",))),
        ("protocol 1000000000 fen", m.Unknown("protocol 1000000000 fen")),
        ("id name", m.Unknown("id name")),
        ("id name ", m.Unknown("id name ")),
        ("id", m.Unknown("id")),
        ("id   name   My  Engine ", m.Id("name", "My Engine")),
        ("option   name X type button ", m.OptionLine("name X type button")),
        ("response   e2  e8 ", m.Response("e2  e8")),
        ("info", m.InfoLine("")),
        ("info  depth 3", m.InfoLine("depth 3")),
        ("", m.Unknown("")),
    ],
)
def test_lines_as_engines_print_them(line, reply):
    assert parse_reply(line) == reply


@pytest.mark.parametrize(
    ("text", "info"),
    [
        ("depth 5 score cp -12 nodes 9 pv e2 e3", m.Info(depth=5, score="cp -12", pv=("e2", "e3"))),
        ("score mate 3 time 12 nps 4", m.Info(score="mate 3", time=12)),
        ("score mate -3 upperbound", m.Info(score="mate -3")),
        ("score cp 1 score cp 2", m.Info(score="cp 1")),
        ("score upperbound cp 2", m.Info()),
        ("score wdl 1 2 3", m.Info(score="wdl 1 2 3")),
        ("score wdl 1 x 3", m.Info()),
        ("score wdl 1 2 x", m.Info()),
        ("score wdl 1 2", m.Info()),
        ("score cp x", m.Info()),
        ("score cp --1", m.Info()),
        ("score cp", m.Info()),
        ("score", m.Info()),
        ("time 0.054 depth x score cp", m.Info()),
        ("depth", m.Info()),
        ("depth -3", m.Info(depth=-3)),
        ("depth \u0663", m.Info()),
        ("depth \u00b3", m.Info()),
        ("string depth 9", m.Info()),
        ("depth 3 string  depth 9 pv e2 ", m.Info(depth=3)),
        ("depth\t3\tscore\tcp\t-5\tstring\tdepth 9", m.Info(depth=3, score="cp -5")),
        ("depth 7 seldepth 9 multipv 1 score cp -12 nodes 3", m.Info(depth=7, score="cp -12")),
        ("depth 7 score mate 2", m.Info(depth=7, score="mate 2")),
        ("depth 7 score cp 12x", m.Info(depth=7)),
        ("depth 7 score cp 1000000000000000", m.Info(depth=7)),
        ("pv e2 string e3", m.Info(pv=("e2",))),
        ("pv", m.Info()),
        ("strings depth 9", m.Info(depth=9)),
        ("", m.Info()),
        ("depth 99999999999999999999", m.Info()),
        ("depth 999999999999999 time -999999999999999", m.Info(depth=10**15 - 1, time=1 - 10**15)),
        ("depth 1000000000000000 time -1000000000000000", m.Info()),
    ],
)
def test_info_is_read_leniently(text, info):
    assert parse_info(text) == info
    score, depth, thought = parse_report(text)
    assert (score, depth) == (info.score, info.depth)
    assert (thought.pv if thought else "") == " ".join(info.pv)


LINE = "e2e4 e7e5 g1f3"


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        (
            "depth 20 seldepth 31 multipv 1 score cp 9 nodes 123 nps 456 hashfull 7 tbhits 0 time 8 pv "
            + LINE,
            m.Thought(123, 456, 31, 7, LINE),
        ),
        ("depth 5 score cp 33 nodes 12 nps 34 time 120 pv " + LINE, m.Thought(12, 34, pv=LINE)),
        ("depth 5 score cp 33 time 120 nodes 12 nps 34 pv " + LINE, m.Thought(12, 34, pv=LINE)),
        ("depth 5 score mate -3 time 120 nodes 12", m.Thought(12)),
        ("score cp 33 depth 5 pv " + LINE + " string e2e4 is best", m.Thought(pv=LINE)),
        ("depth 5 score cp 33 pv  " + LINE.replace(" ", "\t"), m.Thought(pv=LINE)),
        ("depth 5 score cp 33 pv e2e4 string nodes 7", m.Thought(pv="e2e4")),
        ("depth 5 score cp 33 pv e2e4 caf\u00e9 e7e5", m.Thought(pv="e2e4")),
        ("depth 5 score cp 33 pv e2e4 \x1b[31m e7e5", m.Thought(pv="e2e4")),
        ("depth 5 score cp 33 pv e2e4 e7\ufffd e7e5", m.Thought(pv="e2e4")),
        ("depth 5 score cp 33 nodes -1 nps 1000000000000000 hashfull x", None),
        ("depth 5 score cp 33 nodes 0", m.Thought(0)),
        ("depth 5 score cp 33", None),
        ("", None),
        ("depth 5 score cp 33 pv " + "e2e4 " * 999, m.Thought(pv=" ".join(["e2e4"] * 40))),
        ("score cp 33 pv " + "e2e4 " * 999, m.Thought(pv=" ".join(["e2e4"] * 40))),
        ("depth 5 score cp 33 pv " + "x" * 201, None),
    ],
)
def test_what_an_engine_thought_is_read_and_bounded(text: str, thought: m.Thought | None) -> None:
    assert parse_report(text)[2] == thought


@pytest.mark.parametrize(
    "make",
    [
        m.Go,
        lambda: m.Go(movetime=5, depth=3),
        lambda: m.Go(times=(1, 2), incs=(1,)),
        lambda: m.Go(times=(-1, 2), incs=(1, 1)),
        lambda: m.Go(depth=0),
        lambda: m.SetPosition("one\ntwo"),
        lambda: m.SetPosition(None, "e2  e8"),
        lambda: m.SetPosition(None, "e2\ne8"),
        lambda: m.Legal(()),
        lambda: m.Legal(("e2 e3",)),
        lambda: m.SetOption("a\nquit", "1"),
        lambda: m.ErrorReport("illegal", "a\nquit"),
        lambda: m.Moves(""),
    ],
)
def test_no_invalid_message_can_be_made(make):
    with pytest.raises(ValueError, match=r"."):
        make()


@pytest.mark.parametrize("seat", [0, 3, 98])
def test_a_removal_is_read_as_it_is_written(seat):
    text = format_removal(seat)
    assert text == f"!{seat + 1}"
    assert parse_removal(text) == seat
    assert is_removal(text)


@pytest.mark.parametrize("text", ["!", "!0", "!01", "!100", "!x", "! 1", "!1 ", "!\u0661", "1", "", "e2"])
def test_what_names_no_seat_removes_none(text):
    assert parse_removal(text) is None


@pytest.mark.parametrize(
    ("ranks", "word"),
    [((1, 2), "p1win"), ((2, 1), "p2win"), ((1, 1), "draw"), ((2, 2, 1, 2), "p3win"), ((1, 3, 1, 3), "draw")],
)
def test_a_result_in_one_word(ranks, word):
    assert result_word(ranks) == word


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (m.Hello(), "uai"),
        (m.NewGame(), "uainewgame"),
        (CLOCKS, "go btime 59500 wtime 60000 binc 500 winc 400"),
    ],
)
def test_the_dialect_uai_calls_the_first_player_black(command, text):
    assert format_command(command, "uai") == text
    assert parse_command(text, "uai") == command
