"""Tests of the session: which messages each state allows, at both levels and in both dialects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import LocalProtocolError, ProtocolError, RemoteProtocolError
from protocol.wire import messages as m
from protocol.wire.codec import parse_report
from protocol.wire.session import CAPABILITIES, MAX_LINE, VERSION, Role, Session
from protocol.wire.states import TRANSITIONS, State
from protocol.wire.xboard import XboardSession
from tests.protocol.fakes import SessionPair

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
    pair.hub_says(m.NewGame(), m.GameInfoLine((("seat", "1"),)), m.IsReady())
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
    ("message", "capability"),
    [
        (m.GameInfoLine((("a", "b"),)), "seat"),
        (m.Moves("e2"), "delta"),
        (m.Legal(("e2",)), "legal"),
        (m.GameOver("draw", (), "x"), "result"),
        (m.ErrorReport("a", "b"), "errors"),
    ],
)
def test_what_needs_a_capability_is_sent_only_to_those_who_announced_it(message, capability):
    needs = f"^{type(message).__name__} needs the capability {capability}$"
    with pytest.raises(LocalProtocolError, match=needs):
        ready().hub.send(message)
    with pytest.raises(LocalProtocolError, match=needs):
        ready(*(word for word in ALL if word != capability)).hub.send(message)
    ready(capability).hub_says(message)


def test_level_0_may_be_asked_what_plain_ugi_asks_and_level_1_if_it_announced_it():
    ready().hub_says(m.Query("gameover"))
    ready("query").hub_says(m.Query("turn"))
    with pytest.raises(LocalProtocolError, match=r"^query needs the capability query$"):
        ready("legal").hub.send(m.Query("turn"))


def test_level_0_gets_nothing_between_position_and_go():
    pair = ready()
    pair.hub_says(m.SetPosition())
    for message in (m.IsReady(), m.SetOption("Hash", "2"), m.Query("turn")):
        with pytest.raises(LocalProtocolError, match=r"^\w+ may not be sent while positioned$"):
            pair.hub.send(message)
    pair.hub_says(GO)


def test_level_0_needs_its_position_again_before_every_go():
    with pytest.raises(LocalProtocolError, match=r"^a level-0 engine needs its position directly before go$"):
        ready().hub.send(GO)


def test_what_the_hub_can_use_is_what_the_protocol_names_in_its_order():
    assert (VERSION, " ".join(CAPABILITIES)) == (
        1,
        "legal fen delta seat result errors stop ping resign query ponder",
    )


def test_only_what_was_announced_is_acknowledged():
    pair = SessionPair()
    pair.hub_says(m.Hello())
    pair.engine_says(m.Announce(7, ("legal", "frobcap")), m.HelloOk())
    assert (pair.hub.level, pair.hub.announced) == (1, ("legal", "frobcap"))
    with pytest.raises(
        LocalProtocolError, match=r"^the hub may acknowledge only capabilities that the engine announced$"
    ):
        pair.hub.send(m.Acknowledge(1, ("fen",)))
    assert pair.hub.capabilities == frozenset()
    pair.hub_says(m.Acknowledge(1, ("legal",)))
    assert (pair.hub.level, pair.hub.capabilities) == (1, {"legal"})


def test_a_silent_engine_is_never_acknowledged():
    silent = greeted().hub
    assert (silent.level, silent.announced) == (0, ())
    with pytest.raises(LocalProtocolError, match="announced"):
        silent.send(m.Acknowledge(1, ()))


@pytest.mark.parametrize(("version", "dialect"), [(0, "ugi"), (1, "uci")])
def test_a_version_0_and_an_announcement_in_uci_are_none(version, dialect):
    pair = SessionPair(dialect)
    pair.hub_says(m.Hello())
    pair.engine_says(m.Announce(version, ("legal",)), m.HelloOk())
    assert (pair.hub.level, pair.hub.announced) == (0, ())


def test_an_engine_may_get_its_position_twice_and_then_the_next_game_starts():
    pair = ready()
    pair.hub_says(m.SetPosition(), m.SetPosition(None, "e2"), m.NewGame(), m.IsReady())
    assert pair.hub.state is State.SYNC


def test_info_may_come_at_any_time_and_changes_nothing():
    assert all(table[m.InfoLine] is state for state, table in TRANSITIONS.items())


def test_options_are_set_and_questions_asked_only_while_an_engine_has_nothing_else_to_do():
    for kind, states in ((m.SetOption, {State.GREETED, State.IDLE}), (m.Query, {State.IDLE})):
        assert {state for state, table in TRANSITIONS.items() if kind in table} == states


def test_after_quit_answers_that_were_under_way_may_still_come_and_nothing_else():
    pair = ready()
    pair.hub_says(m.Quit())
    pair.engine_says(m.InfoLine("x"), m.BestMove("e2"), m.ReadyOk(), m.Response("e2"))
    assert len(TRANSITIONS[State.CLOSED]) == 4
    with pytest.raises(LocalProtocolError, match=r"^Quit may not be sent while closed$"):
        pair.hub.send(m.Quit())


def test_the_search_is_not_pinged_without_the_capability():
    pair = ready("legal")
    pair.hub_says(m.SetPosition(), GO)
    with pytest.raises(LocalProtocolError, match=r"^isready during a search needs the capability ping$"):
        pair.hub.send(m.IsReady())


def test_a_pong_may_still_come_between_stop_and_bestmove():
    pair = ready(*ALL)
    pair.hub_says(m.SetPosition(), GO, m.IsReady(), m.Stop())
    pair.engine_says(m.ReadyOk(), m.InfoLine("depth 1"))
    assert pair.hub.state is State.DRAIN
    pair.engine_says(m.BestMove("e2"))
    assert pair.hub.state is State.IDLE


def test_only_advertised_options_are_set():
    hub = greeted().hub
    assert hub.send(m.SetOption("HASH", "2")) == b"setoption name HASH value 2\n"
    with pytest.raises(LocalProtocolError, match=r"^the engine has no option Hsah$"):
        hub.send(m.SetOption("Hsah", "2"))


def test_options_that_were_not_advertised_are_set_if_any_option_may_be():
    hub = Session(Role.HUB, any_option=True)
    hub.send(m.Hello())
    hub.receive_data(b"ugiok\n")
    assert hub.next_event() == m.HelloOk()
    assert hub.send(m.SetOption("Hsah", "2")) == b"setoption name Hsah value 2\n"


def test_a_message_for_which_the_dialect_has_no_words_is_no_line():
    hub = XboardSession()
    hub.send(m.Hello())
    hub.receive_data(b"feature ping=0 done=1\n")
    assert hub.next_event() == m.HelloOk()
    hub.send(m.IsReady())
    assert hub.next_event() == m.ReadyOk()
    assert hub.send(m.IsReady()) == b""


def test_a_line_of_exactly_the_limit_is_sent_and_a_longer_one_is_not():
    hub = ready().hub
    room = MAX_LINE - len("position startpos moves \n")
    assert len(hub.send(m.SetPosition(None, "e" * room))) == MAX_LINE == 65_536
    assert hub.state is State.POSITIONED
    hub = ready().hub
    with pytest.raises(LocalProtocolError, match=r"^a line of 65537 bytes is longer than 65536$"):
        hub.send(m.SetPosition(None, "e" * (room + 1)))
    assert hub.state is State.IDLE


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"bestmove e2", "BestMove"),
        (b"readyok", "ReadyOk"),
        (b"ugiok", "HelloOk"),
        (b"protocol 1 legal", "Announce"),
        (b"id name y", "Id"),
    ],
)
def test_what_nobody_asked_for_is_the_peers_fault_and_changes_nothing(line, kind):
    hub = ready("legal").hub
    hub.receive_data(line + b"\nbestmove e3\n")
    for kind_now, strays in ((kind, 1), ("BestMove", 2)):
        with pytest.raises(RemoteProtocolError, match=f"^{kind_now} came while idle$"):
            hub.next_event()
        assert hub.state is State.IDLE
        assert hub.strays == strays
    assert hub.next_event() is None
    assert hub.identity == {"name": "x"}


@pytest.mark.parametrize("keep_info", [True, False])
def test_unknown_lines_are_counted_and_empty_ones_not(keep_info):
    hub = Session(Role.HUB, keep_info=keep_info)
    hub.send(m.Hello())
    hub.receive_data(b"hello\n\n  \nworld\nugiok\n")
    seen = [hub.next_event() for _ in range(5 if keep_info else 1)]
    assert seen[:-1] == ([m.Unknown(text) for text in ("hello", "", "  ", "world")] if keep_info else [])
    assert seen[-1] == m.HelloOk()
    assert hub.strays == 2


def test_line_by_line_nothing_is_skipped_and_only_what_is_allowed_changes_the_state():
    pair = ready("ping")
    pair.hub.send(m.IsReady())
    pair.hub.receive_data(b"bestmove e2\nwelcome\r\n\ninfo depth 1\nreadyok\nready")
    lines = list(iter(pair.hub.next_line, None))
    assert [raw for raw, _ in lines] == [b"bestmove e2", b"welcome", b"", b"info depth 1", b"readyok"]
    assert [type(reply) for _, reply in lines] == [m.BestMove, m.Unknown, m.Unknown, m.InfoLine, m.ReadyOk]
    assert pair.hub.state is State.IDLE
    assert pair.hub.unfinished == "ready"
    assert list(pair.hub.odd_lines) == ["bestmove e2", "welcome", ""]


def test_the_last_ten_odd_lines_are_kept_and_200_bytes_of_each():
    hub = Session(Role.HUB, keep_info=False)
    hub.state = State.IDLE
    hub.receive_data(
        b"".join(b"frob %d\n" % number for number in range(10)) + b"x" * 201 + b"\nbestmove e2\n"
    )
    with pytest.raises(RemoteProtocolError, match=r"^BestMove came while idle$"):
        hub.next_event()
    assert list(hub.odd_lines) == [*(f"frob {number}" for number in range(2, 10)), "x" * 200, "bestmove e2"]


def test_a_line_of_the_hub_that_cannot_be_read_is_quoted_by_80_characters():
    engine = Session(Role.ENGINE)
    engine.receive_data(b"go " + b"x" * 78 + b"\ngo depth\n")
    quoted = f"go {'x' * 77}"
    with pytest.raises(RemoteProtocolError, match=rf"^'{quoted}' cannot be read: zip"):
        engine.next_event()
    with pytest.raises(RemoteProtocolError, match=r"^'go depth' cannot be read: "):
        engine.next_event()
    assert (engine.state, engine.strays) == (State.START, 2)


def test_lines_can_be_forgotten_and_an_unfinished_one_up_to_its_end():
    hub = ready().hub
    hub.receive_data(b"bestmove e2\nhello\nbest\xff")
    hub.forget_lines()
    assert (hub.next_event(), hub.strays, hub.unfinished) == (None, 3, "")
    assert list(hub.odd_lines) == ["bestmove e2", "hello", "best\ufffd"]
    hub.receive_data(b"move e3\nhello\n")
    assert (hub.next_event(), hub.unfinished) == (m.Unknown("hello"), "")


def test_a_prompt_before_an_answer_is_not_forgotten():
    hub = ready().hub
    hub.receive_data(b"readyok\n  > ")
    hub.forget_lines()
    assert hub.unfinished == "  > "


@pytest.mark.parametrize("early", [b"bestmove a2\n", b"\tbestmove\ta2 ponder b2\r\n", b"bestmove a2"])
@pytest.mark.parametrize("place", range(6))
def test_a_move_that_is_printed_without_go_never_answers_the_next_one(early, place):
    hub = Session(Role.HUB, "uci", keep_info=False)
    steps = [
        (m.Hello(), b"uciok\n"),
        (m.IsReady(), b"readyok\n"),
        (m.NewGame(), b""),
        (m.SetPosition(), b""),
        (GO, b"bestmove b2\n"),
        (m.IsReady(), b"readyok\n"),
    ]
    for number, (message, answer) in enumerate(steps):
        hub.send(message)
        hub.receive_data(answer + early + b"\n" * (number < 5) if number == place else answer)
        while hub._lines and number < 5:
            try:
                hub.next_event()
            except RemoteProtocolError:
                assert number == place
    assert hub.next_event() == m.ReadyOk()
    hub.forget_lines()
    hub.send_search(None, "", GO)
    hub.receive_data(b"\n" if place == 5 else b"")
    assert hub.next_event() is None
    hub.receive_data(b"bestmove e4\n")
    assert hub.next_event() == m.BestMove("e4")
    assert hub.hasty


@pytest.mark.parametrize(
    "output",
    [
        b"info\tdepth\t7\tscore\tcp\t33\nbestmove\te2\n",
        b"\tinfo depth 7  score   cp 33\r\n \t bestmove  \t e2 \t anything e3\t\r\n",
        (
            b"  info\x0bdepth 7\tmultipv  1 score cp 33 pv e2\ninfo\tdepth\t8\tscore cp 4 lowerbound\n"
            b"info depth 8 multipv\t\t2 score\tcp\t5\ninfo\tdepth 9 score cp 7\tupperbound\nbestmove e2\x0c\n"
        ),
        b"info depth 7 score cp 33 string\tscore cp 9 depth 3\nbestmove e2\t\n",
    ],
)
@pytest.mark.parametrize("short", [True, False])
def test_any_white_space_is_between_the_words_of_an_engine(output, short):
    hub = Session(Role.HUB, "uci", keep_info=False)
    hub._short_path = short
    hub.send(m.Hello())
    hub.receive_data(b"\tid\tname\t\tTab  Engine\n option\tname\tClear\tHash\ttype\tbutton\t\r\n\tuciok \r\n")
    while hub.next_event() != m.HelloOk():
        pass
    assert hub.identity == {"name": "Tab Engine"}
    assert hub.options["clear hash"].kind == "button"
    hub.send(m.IsReady())
    hub.receive_data(b"\t readyok\t\r\n")
    assert hub.next_event() == m.ReadyOk()
    hub.send_search(None, "", GO)
    assert (hub.receive_answer(output) or hub.next_event()) == m.BestMove("e2")
    assert parse_report(hub.take_info())[:2] == ("cp 33", 7)
    assert hub.strays == 0


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
    assert hub.take_info() == ""
    assert hub.next_event() == m.HelloOk()
    assert hub.take_info() == "depth 2 score cp 2"
    assert hub.take_info() == ""
    hub.receive_data(b"info score cp 3 pv \xff\ninfo nodes 7\n")
    assert hub.next_event() is None
    assert hub.take_info() == "score cp 3 pv \ufffd"


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
    hub.receive_data(b"id name \xff\xfe\0\r\nx\xff\n")
    with pytest.raises(RemoteProtocolError):
        hub.next_event()
    assert hub.strays == 2
    assert hub.next_event() == m.Unknown("x\ufffd")
    assert hub.strays == 4


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


OPTIONS = [f"option name Option{number} type spin default 1 min 1 max 9" for number in range(1001)]


def greeting(*lines):
    """Return the hub's session after some lines of the engine's handshake."""
    hub = Session(Role.HUB)
    hub.send(m.Hello())
    hub.receive_data("".join(f"{line}\n" for line in lines).encode())
    while hub.next_event() is not None:
        pass
    return hub


def test_a_thousand_options_are_looked_at_and_no_more():
    hub = greeting(*OPTIONS[:1000])
    assert (len(hub.options), hub.strays) == (1000, 0)
    hub.receive_data(OPTIONS[1000].encode() + b"\n")
    hub.next_event()
    assert (len(hub.options), hub.strays) == (1000, 1)


def test_of_two_options_with_one_name_the_first_holds():
    hub = greeting(OPTIONS[1], "option name OPTION1 type string")
    assert [(name, option.kind) for name, option in hub.options.items()] == [("option1", "spin")]
    assert hub.strays == 0


@pytest.mark.parametrize("text", ["name x", "name x type string default \x1b[2J", "type spin", ""])
def test_an_option_that_could_not_be_set_or_shown_is_counted_and_left_out(text):
    hub = greeting(OPTIONS[1], f"option {text}", f"option {text}")
    assert (list(hub.options), hub.strays) == (["option1"], 2)


def test_an_engine_is_known_by_name_author_and_version_and_nothing_else():
    hub = greeting("id name a", "id author b", "id version c", "id colour d", "id name e")
    assert hub.identity == {"name": "e", "author": "b", "version": "c"}


def test_of_a_name_200_characters_are_kept_and_what_cannot_be_shown_is_replaced():
    hub = greeting(f"id name \x1b{'x' * 200}", f"id version {'y' * 200}")
    assert hub.identity == {"name": "?" + "x" * 199, "version": "y" * 200}
