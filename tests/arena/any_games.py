"""Any games, for hypothesis: all that an archive can hold, and a database."""

from dataclasses import replace

from hypothesis import strategies as st

from arena.model import GameRecord, GameResult, Opening, PlayerRecord
from protocol.wire.messages import thought
from referee import Termination
from referee.ply import Ply


def counted(record: GameRecord) -> GameRecord:
    """Return the game with the right number of plies in its result."""
    plies = sum(not ply.text.startswith("!") for ply in record.record)
    return replace(record, result=replace(record.result, plies=plies))


WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
COUNTS = st.integers(0, 2**63 - 1)
POINTS = st.floats(-1e6, 1e6)
INSTANTS = st.floats(-3e10, 2e11) | st.floats(0, 2e9)
SETTINGS = st.dictionaries(WORDS, WORDS, max_size=3)
PLAYERS = st.builds(
    PlayerRecord,
    name=WORDS.filter(bool),
    version=WORDS,
    rank=st.none() | st.integers(1, 9),
    points=POINTS,
    forfeit=st.none() | st.sampled_from(Termination),
    time_control=WORDS | st.sampled_from(["10+0.1", "40/60", "none", "movetime=0.5"]),
    margin=st.integers(0, 30 * 24 * 3600 * 1000),
    time_used=COUNTS,
    program=WORDS,
    options=st.none() | SETTINGS,
)
MOVES = WORDS | st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=8)
LINES = st.lists(MOVES, max_size=5).map(" ".join).filter(str.isprintable)
PLIES = st.builds(
    Ply,
    seat=st.integers(0, 98),
    text=MOVES,
    time=COUNTS,
    score=WORDS | st.sampled_from(["cp -12", "mate 3", "wdl 1 2 3"]),
    depth=st.none() | st.integers(-(2**63) + 1, 2**63 - 1),
    thought=st.builds(thought, *[st.none() | COUNTS] * 4, LINES),
)
RESULTS = st.builds(
    GameResult,
    id=st.none() | COUNTS,
    tournament=WORDS,
    number=st.integers(0, 2**63 - 2),
    key=WORDS,
    game=WORDS,
    termination=st.sampled_from(Termination),
    reason=WORDS,
    detail=WORDS,
    plies=st.just(0),
    players=st.lists(PLAYERS, max_size=4, unique_by=lambda player: player.name).map(tuple),
)
GAMES = st.builds(
    GameRecord,
    result=RESULTS,
    opening=st.builds(Opening, st.none() | WORDS, st.lists(MOVES, max_size=3).map(tuple)),
    record=st.lists(PLIES, max_size=6).map(tuple),
    final_position=WORDS,
    started=INSTANTS,
    duration=COUNTS,
).map(counted)
