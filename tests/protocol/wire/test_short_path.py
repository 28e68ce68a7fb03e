"""The short path of a search does what the general path does, in the same states."""

from random import Random

import pytest

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.wire import messages as m
from protocol.wire import session as session_module
from protocol.wire.session import MAX_LINE, Role, Session
from protocol.wire.states import State
from tests.seeds import seeds


def session_of_a_hub(dialect, *, short):
    session = Session(Role.HUB, dialect, keep_info=False)
    session._short_path = short
    return session


STARTS = (None, "/ / e1 e9 / 10 10 / 1", "8/8/8/8/8/8/8/K1k5 w - - 0 1", "a\nb", "")
MOVES = ("", "e2", "e2 e8", "!2 e2", "d1c2,f1g2", "caf\u00e9", "a\u2028b", "e2\nquit", "e2  e8", " e2", "e2 ")
GOES = (m.Go((1, 0), (0, 0)), m.Go((60_000, 59_000), (5, 5), 40), m.Go(depth=3), m.Go(movetime=1))
OUTPUT = (
    b"bestmove e2\n",
    b"bestmove d1c2,f1g2\n",
    b"bestmove e2 ponder e8\n",
    b"bestmove e2\r\n",
    b"bestmove\n",
    b"bestmove  e2\n",
    b" bestmove e2\n",
    b"bestmove e2 \n",
    b"bestmove (none)\n",
    b"bestmove caf\xc3\xa9\n",
    b"bestmove \xff\n",
    b"bestmove \x01\n",
    b"bestmove e2\nbestmove e3\n",
    b"readyok\n",
    b"readyok\nreadyok\n",
    b"readyok \n",
    b"readyok",
    b"\n",
    b"info depth 3 score cp 5\nbestmove e2\n",
    b"info depth 3 score cp 5\ninfo depth 4 score cp 6 lowerbound\nbestmove e2 ponder e8\n",
    b"info depth 3 score cp 5\ninfo depth 4 score cp 6\ninfo nodes 3\n",
    b"info score cp 7\n",
    b"info score cp 8\r\n",
    b"info score cp 9\r\nbestmove e2\n",
    b"info string a\x0b score cp 1\n",
    b"information score cp 9\n",
    b"info score cp 9",
    b"info score cp 3 " + b"x" * 70_000 + b"\nbestmove e2\n",
    b"bestmove e2 ponder\n",
    b"bestmove e2 ponder e8 e9\n",
    b"frob\n",
    b"bestm",
    b"ove e3\n",
    b"x" * 70_000,
)


def step(session, kind, value):
    """Do one thing with a session; return what came of it."""
    if kind == "output":
        answer = session.receive_answer(value)
        seen = [] if answer is None else [answer]
        while True:
            try:
                event = session.next_event()
            except RemoteProtocolError as error:
                event = str(error)
            if event is None:
                return seen
            seen.append(event)
    try:
        return session.send_search(*value) if kind == "search" else session.send(value)
    except (LocalProtocolError, ValueError) as error:
        return str(error)


def random_step(random):
    kind = random.choice(("output", "output", "output", "search", "search", "message"))
    if kind == "output":
        return kind, random.choice(OUTPUT)
    if kind == "search":
        return kind, (random.choice(STARTS), random.choice(MOVES), random.choice(GOES))
    return kind, random.choice((m.IsReady(), m.IsReady(), m.NewGame(), m.Stop(), GOES[0]))


def test_a_usual_search_takes_the_short_path(monkeypatch):
    def fail(*_):
        raise AssertionError("the general path is taken")

    hub = Session(Role.HUB, keep_info=False)
    hub.state = State.IDLE
    monkeypatch.setattr(Session, "send", fail)
    monkeypatch.setattr(session_module, "parse_reply", fail)
    assert hub.send_search(None, "e2 e8", GOES[2]) == b"position startpos moves e2 e8\ngo depth 3\n"
    assert hub.receive_answer(b"info score cp 1\nbestmove e2\n") == m.BestMove("e2")
    hub.state = State.SYNC
    assert hub.receive_answer(b"readyok\n") == m.ReadyOk()
    assert hub.state is State.IDLE


def test_a_search_of_exactly_the_limit_is_sent_and_a_longer_one_is_not():
    hub = Session(Role.HUB)
    hub.level, hub.state = 1, State.IDLE
    room = MAX_LINE - len("position startpos moves \n")
    with pytest.raises(LocalProtocolError, match=r"^a line of 65537 bytes is longer than 65536$"):
        hub.send_search(None, "e" * (room + 1), GOES[2])
    assert hub.send_search(None, "e" * room, GOES[2])[MAX_LINE - 2 :] == b"e\ngo depth 3\n"


def seen_by(session):
    return (
        session.state,
        session.strays,
        list(session.odd_lines),
        session.unfinished,
        bool(session._lines),
        session.take_info(),
    )


def assert_same(seed, dialogues):
    random = Random(seed)
    for _ in range(dialogues):
        dialect = random.choice(("ugi", "uci", "uai"))
        pair = [session_of_a_hub(dialect, short=short) for short in (True, False)]
        level, state = (
            random.choice((0, 1)),
            random.choice((State.IDLE, State.SYNC, State.SEARCH, State.DRAIN)),
        )
        for session in pair:
            session.level, session.state = level, state
        for _ in range(8):
            kind, value = random_step(random)
            short, general = (step(session, kind, value) for session in pair)
            assert short == general, (dialect, level, kind, value)
            assert seen_by(pair[0]) == seen_by(pair[1]), (dialect, level, kind, value)


@pytest.mark.parametrize("seed", seeds(2))
def test_the_short_path_and_the_table_agree_on_every_dialogue(seed):
    assert_same(seed, 500)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(4))
def test_they_agree_on_two_hundred_thousand_dialogues(seed):
    assert_same(seed, 50_000)
