"""Texts and messages: each is the other's inverse, and what engines really print is understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.wire import messages as m
from protocol.wire.codec import (
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

WORD = st.from_regex(r"[a-z0-9!+,*#@>-]{1,12}", fullmatch=True)
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
    st.builds(m.GameInfo, st.lists(st.tuples(WORD, WORD), min_size=1, max_size=5).map(tuple)),
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
    st.sampled_from([m.HelloOk(), m.ReadyOk(), m.BestMove(None), m.BestMove("resign")]),
    st.builds(m.InfoLine, WORD),
    st.builds(m.BestMove, WORD.filter(lambda word: word not in {"0000", "none"})),
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


def test_what_a_plain_referee_sends_is_sent_to_the_letter():
    go = m.Go(times=(59_500, 60_000), incs=(500, 500))
    assert format_command(go) == "go p1time 59500 p2time 60000 p1inc 500 p2inc 500"
    assert format_command(go, "uci") == "go wtime 59500 btime 60000 winc 500 binc 500"
    assert format_command(m.SetPosition(None, "e2 e8")) == "position startpos moves e2 e8"
    assert format_command(m.SetPosition()) == "position startpos"
    assert format_command(m.NewGame(), "uci") == "ucinewgame"


def test_four_seats_come_with_all_times_first():
    go = m.Go(times=(1, 2, 0, 4), incs=(5, 6, 7, 8), moves_to_go=3)
    text = "go p1time 1 p2time 2 p3time 0 p4time 4 p1inc 5 p2inc 6 p3inc 7 p4inc 8 movestogo 3"
    assert format_command(go) == text


@pytest.mark.parametrize("word", ["0000", "(none)", "none", "NULL", ""])
def test_every_spelling_of_no_move(word):
    assert parse_reply(f"bestmove {word}") == m.BestMove(None)


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("bestmove e2 ponder e8", m.BestMove("e2")),
        ("  bestmove   e2  ", m.BestMove("e2")),
        ("bestmove resign", m.BestMove("resign")),
        ("readyok ", m.ReadyOk()),
        ("ugiok  ", m.HelloOk()),
        ("0readyok", m.Unknown("0readyok")),
        ("readyok now", m.Unknown("readyok now")),
        ("protocol one", m.Unknown("protocol one")),
        ("id name", m.Unknown("id name")),
    ],
)
def test_lines_as_engines_print_them(line, reply):
    assert parse_reply(line) == reply


@pytest.mark.parametrize(
    ("text", "info"),
    [
        ("depth 5 score cp -12 nodes 9 pv e2 e3", m.Info(depth=5, score="cp -12", pv=("e2", "e3"))),
        ("score mate 3 time 12 nps 4", m.Info(score="mate 3", time=12)),
        ("score wdl 1 2 3", m.Info(score="wdl 1 2 3")),
        ("score wdl 1 x 3", m.Info()),
        ("time 0.054 depth x score cp", m.Info()),
        ("string depth 9", m.Info()),
        ("depth 99999999999999999999", m.Info()),
        ("depth 999999999999999 time -999999999999999", m.Info(depth=10**15 - 1, time=1 - 10**15)),
        ("depth 1000000000000000 time -1000000000000000", m.Info()),
    ],
)
def test_info_is_read_leniently(text, info):
    assert parse_info(text) == info
    assert parse_report(text) == (info.score, info.depth)


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


@pytest.mark.parametrize("text", ["position fen", "position fen moves e2", "position", "position moves e2"])
def test_a_position_must_not_be_empty(text):
    with pytest.raises((ValueError, IndexError)):
        parse_command(text)


def test_the_shortest_position_is_one_word():
    assert parse_command("position fen x moves e2") == m.SetPosition("x", "e2")
