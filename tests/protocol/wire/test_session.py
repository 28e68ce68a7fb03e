"""The state machine: what may be said when, at both levels and in both dialects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import LocalProtocolError, ProtocolError, RemoteProtocolError
from protocol.testing import SessionPair
from protocol.wire import messages as m
from protocol.wire.lines import MAX_LINE
from protocol.wire.session import CAPABILITIES, TRANSITIONS, Role, Session, State

ALL = CAPABILITIES
GO = m.Go(movetime=100)


def greeted(*capabilities, dialect="ugi"):
    pair = SessionPair(dialect)
    pair.hub_says(m.Hello())
    pair.engine_says(m.Id("name", "x"), m.OptionLine("name Hash type spin default 1 min 1 max 9"))
    if capabilities:
        pair.engine_says(m.Announce(1, capabilities))
    pair.engine_says(m.HelloOk())
    if capabilities:
        pair.hub_says(m.Acknowledge(1, capabilities))
    return pair


def ready(*capabilities, dialect="ugi"):
    pair = greeted(*capabilities, dialect=dialect)
    pair.hub_says(m.IsReady())
    pair.engine_says(m.ReadyOk())
    return pair


@pytest.mark.parametrize("dialect", ["ugi", "uci"])
def test_a_level_0_game(dialect):
    pair = ready(dialect=dialect)
    pair.hub_says(m.NewGame(), m.IsReady())
    pair.engine_says(m.ReadyOk())
    for moves in ("", "e2 e8"):
        pair.hub_says(m.IsReady())
        pair.engine_says(m.ReadyOk())
        pair.hub_says(m.SetPosition(None, moves), m.Go(times=(1000, 1000), incs=(0, 0)))
        pair.engine_says(m.InfoLine("depth 1 score cp 3"), m.BestMove("e2"))
    pair.hub_says(m.Quit())
    assert pair.hub.level == 0
    assert pair.hub.identity == {"name": "x"}
    assert set(pair.hub.options) == {"hash"}


def test_a_level_1_game_with_every_capability():
    pair = ready(*ALL)
    pair.hub_says(m.NewGame(), m.GameInfo((("seat", "1"),)), m.IsReady())
    pair.engine_says(m.ReadyOk())
    pair.hub_says(m.SetPosition(), m.Legal(("e2", "d1")), m.Legal(("f1",), more=True), m.IsReady())
    pair.engine_says(m.ReadyOk())
    pair.hub_says(GO, m.IsReady())
    pair.engine_says(m.ReadyOk())
    pair.hub_says(m.Stop())
    pair.engine_says(m.BestMove("e2"))
    pair.hub_says(m.Moves("e2 e8"), m.ErrorReport("illegal", "why not"), m.GameOver("p1win", (), "goal"))
    assert pair.hub.capabilities == frozenset(ALL)


@pytest.mark.parametrize(
    "message",
    [
        m.GameInfo((("a", "b"),)),
        m.Moves("e2"),
        m.Legal(("e2",)),
        m.GameOver("draw", (), "x"),
        m.ErrorReport("a", "b"),
    ],
)
def test_level_0_is_never_sent_what_needs_a_capability(message):
    with pytest.raises(LocalProtocolError, match="capability"):
        ready().hub.send(message)


def test_level_0_gets_nothing_between_position_and_go():
    pair = ready()
    pair.hub_says(m.SetPosition())
    for message in (m.IsReady(), m.SetOption("Hash", "2"), m.Query("turn")):
        with pytest.raises(LocalProtocolError, match="positioned"):
            pair.hub.send(message)
    pair.hub_says(GO)


def test_level_0_needs_its_position_again_before_every_go():
    with pytest.raises(LocalProtocolError, match="position"):
        ready().hub.send(GO)


def test_only_what_was_announced_is_acknowledged():
    pair = SessionPair()
    pair.hub_says(m.Hello())
    pair.engine_says(m.Announce(7, ("legal", "frobcap")), m.HelloOk())
    with pytest.raises(LocalProtocolError, match="announced"):
        pair.hub.send(m.Acknowledge(1, ("fen",)))
    pair.hub_says(m.Acknowledge(1, ("legal",)))
    assert pair.hub.level == 1


def test_a_silent_engine_is_never_acknowledged():
    with pytest.raises(LocalProtocolError, match="announced"):
        greeted().hub.send(m.Acknowledge(1, ()))


def test_the_search_is_not_pinged_without_the_capability():
    pair = ready("legal")
    pair.hub_says(m.SetPosition(), GO)
    with pytest.raises(LocalProtocolError, match="ping"):
        pair.hub.send(m.IsReady())


def test_a_pong_may_still_come_between_stop_and_bestmove():
    pair = ready(*ALL)
    pair.hub_says(m.SetPosition(), GO, m.IsReady(), m.Stop())
    pair.engine_says(m.ReadyOk(), m.InfoLine("depth 1"))
    assert pair.hub.state is State.DRAIN
    pair.engine_says(m.BestMove("e2"))
    assert pair.hub.state is State.IDLE


def test_only_advertised_options_are_set():
    with pytest.raises(LocalProtocolError, match="no option"):
        greeted().hub.send(m.SetOption("Hsah", "2"))


def test_a_line_of_exactly_the_limit_is_sent_and_a_longer_one_is_not():
    hub = ready().hub
    room = MAX_LINE - len("position startpos moves \n")
    assert len(hub.send(m.SetPosition(None, "e" * room))) == MAX_LINE == 65_536
    assert hub.state is State.POSITIONED
    hub = ready().hub
    with pytest.raises(LocalProtocolError, match=r"^a line of 65537 bytes is longer than 65536$"):
        hub.send(m.SetPosition(None, "e" * (room + 1)))
    assert hub.state is State.IDLE


@pytest.mark.parametrize("line", [b"bestmove e2", b"readyok", b"ugiok", b"protocol 1 legal", b"id name y"])
def test_what_nobody_asked_for_is_the_peers_fault_and_changes_nothing(line):
    hub = ready("legal").hub
    hub.receive_data(line + b"\nbestmove e3\n")
    with pytest.raises(RemoteProtocolError):
        hub.next_event()
    assert hub.state is State.IDLE
    assert hub.strays == 1


def test_a_second_bestmove_is_not_the_answer_to_the_next_go():
    pair = ready()
    pair.hub_says(m.SetPosition(), GO)
    pair.hub.receive_data(b"bestmove e2\nbestmove e3\n")
    assert pair.hub.next_event() == m.BestMove("e2")
    with pytest.raises(RemoteProtocolError):
        pair.hub.next_event()
    pair.hub.send(m.IsReady())
    pair.hub.receive_data(b"readyok\n")
    assert pair.hub.next_event() == m.ReadyOk()


def test_an_engine_that_is_not_kept_informed_hands_out_its_last_scored_info():
    hub = Session(Role.HUB, keep_info=False)
    hub.send(m.Hello())
    hub.receive_data(b"info depth 1 score cp 1\ninfo depth 2 score cp 2\ninfo string hello\nugiok\n")
    assert hub.next_event() == m.HelloOk()
    assert hub.take_info() == "depth 2 score cp 2"
    assert hub.take_info() == ""


@pytest.mark.parametrize(
    "partial",
    ["score cp 900 lowerbound", "score cp -9 upperbound", "multipv 2 score cp 7", "multipv 10 score cp 7"],
)
def test_a_score_that_is_a_bound_or_another_lines_is_passed_over(partial):
    hub = Session(Role.HUB, keep_info=False)
    hub.send(m.Hello())
    hub.receive_data(f"info depth 3 multipv 1 score cp 5\ninfo depth 4 {partial} pv e3\nugiok\n".encode())
    assert hub.next_event() == m.HelloOk()
    assert hub.take_info() == "depth 3 multipv 1 score cp 5"


def test_undecodable_bytes_are_replaced_and_counted():
    hub = ready().hub
    hub.receive_data(b"id name \xff\xfe\0\r\n")
    with pytest.raises(RemoteProtocolError):
        hub.next_event()
    assert hub.strays == 2


@given(st.lists(st.binary(max_size=40), max_size=10), st.sampled_from(list(Role)))
def test_bytes_of_any_kind_raise_nothing_but_protocol_errors(chunks, role):
    session = Session(role)
    for chunk in chunks:
        session.receive_data(chunk + b"\n")
        while True:
            try:
                if session.next_event() is None:
                    break
            except ProtocolError:
                pass


def test_from_every_state_but_the_last_one_can_quit():
    for state, table in TRANSITIONS.items():
        assert (m.Quit in table) == (state is not State.CLOSED)


def option(number, rest="type spin default 1 min 1 max 9"):
    return m.OptionLine(f"name Option{number} {rest}")


def test_a_thousand_options_are_looked_at_and_no_more():
    pair = SessionPair()
    pair.hub_says(m.Hello())
    pair.engine_says(*(option(number) for number in range(1000)))
    assert (len(pair.hub.options), pair.hub.strays) == (1000, 0)
    pair.engine_says(option(1000))
    assert (len(pair.hub.options), pair.hub.strays) == (1000, 1)


def test_of_two_options_with_one_name_the_first_holds():
    pair = SessionPair()
    pair.hub_says(m.Hello())
    pair.engine_says(option(1), m.OptionLine("name OPTION1 type string"))
    assert [(name, found.kind) for name, found in pair.hub.options.items()] == [("option1", "spin")]
    assert pair.hub.strays == 0
