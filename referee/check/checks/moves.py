"""Checks of moves and positions (2xx), and of many games and several processes (7xx)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

import trio

from protocol.wire.codec import RESIGN
from protocol.wire.messages import Go
from protocol.words import counted
from referee.check.catalogue import INFO, MUST, SHOULD, EngineBody, check, in_game
from referee.check.conversation import CheckContext, Conversation, Failure, NoAnswer, Skip
from referee.check.positions import PositionBook, ReachedPosition
from referee.check.processor import memory

_MANY = 30  # positions
_ORDINARY = 20  # of them that are only random
_FEW = 6  # positions that even a slow engine gets
_LONG = 8.0  # seconds after which a slow engine gets no more of them
_QUIET = 0.3  # seconds in which no line may come


async def _legal_at(engine: Conversation, spots: Sequence[ReachedPosition]) -> str:
    """Ask for a move in each position; in a few of them if the engine takes long."""
    end = trio.current_time() + _LONG
    for count, spot in enumerate(spots):
        if count >= _FEW and trio.current_time() > end:
            return f"{count} of {len(spots)} positions, because the engine takes long"
        await engine.move(spot)
    return counted(len(spots), "position")


@in_game(
    201,
    "a legal move from the start",
    MUST,
    "answer `go` with `bestmove` and a move in the notation of the game's page in the documentation",
    else_set="if the engine knows no clocks, check it with --time-control movetime=0.2 or depth=1, and write"
    " the same time_control for it in a tournament file",
    explained_by=(109,),
    plain=True,
)
async def from_the_start(engine: Conversation) -> str | None:
    """Ask for the first move of a game."""
    answer = await engine.move(engine.book.start)
    return answer.move


_BRIDGE = " string bridge: "
"""The start of an `info` line in which a bridge reports what its bot got, and how it read the answer."""


@in_game(
    218,
    "says how it read its bot",
    INFO,
    "compare each answer with its move; docs/reference/bridges.md explains --square and --move",
    needs=(201,),
)
async def reads_its_bot(engine: Conversation) -> str:
    """Ask a bridge for three moves, and return what it says about them."""
    lines: list[str] = []
    for spot in await engine.spots("told", 2):
        answer = await engine.search(spot)
        lines += [line.text.partition(_BRIDGE)[2] for line in answer.before if _BRIDGE in line.text]
        if not lines:
            raise Skip("the engine is no bridge")
    return "\n".join(lines)


@in_game(
    202,
    "legal moves in random positions",
    MUST,
    "play all moves of `position … moves …`, for both sides; with `fen`, read the position string; keep to"
    " the rule that the message names",
    else_set="if the engine reads positions only as strings, check it with --set position=fen, and write"
    ' position = "fen" for it in a tournament file',
    needs=(201,),
    plain=True,
)
async def in_random_positions(engine: Conversation) -> str | None:
    """Send positions as in a game: by the moves from the start, or with ``fen`` as a string."""
    return await _legal_at(engine, await engine.draw(_of_all_kinds))


def _of_all_kinds(book: PositionBook) -> list[ReachedPosition]:
    """Return random positions, and among them some near the ends of games and some with few moves.

    There an engine meets what random play seldom shows: nothing is left to place, or only one way to defend.
    """
    ordinary, seldom = book.random("moves", _ORDINARY, 0), (book.near_ends(0)[:6], book.narrow[:4])
    rows = zip_longest(ordinary, *seldom)
    return [spot for row in rows for spot in row if spot is not None]


@in_game(
    203,
    "legal moves from position strings",
    MUST,
    "read `position fen …` as the game's page describes it: the hub sends it after an irreversible move; if"
    ' the engine cannot read it, check it with --set position=moves, and write position = "moves" for it in'
    " a tournament file",
    without="fen",
    forms=("short",),
    needs=(202,),
)
async def from_strings(engine: Conversation) -> str | None:
    """Send random positions as strings to an engine that usually gets moves."""
    spots = await engine.draw(lambda book: book.random("fen", _MANY, 0))
    return await _legal_at(engine, [replace(spot, as_string=True) for spot in spots])


@in_game(
    204,
    "legal moves from a position string and moves",
    MUST,
    "play the moves after `moves` from the position of `fen`, not from the start",
    without="fen",
    forms=("short",),
    needs=(203,),
)
async def from_both(engine: Conversation) -> str | None:
    """Send positions as in a game after an irreversible move: by a position string and moves."""
    spots = await engine.draw(_with_earlier_start)
    if not spots:
        raise Skip(f"random games of {engine.info.id} are too short")
    return await _legal_at(engine, spots)


def _with_earlier_start(book: PositionBook) -> list[ReachedPosition]:
    """Return positions with an earlier position of the same game as their start."""
    spots = []
    for number in range(10):
        walk = list(book.walk(f"both:{number}", 16))
        early = [spot for spot in walk[4:10] if spot.position.turn == 0]
        late = [spot for spot in walk[10:] if spot.position.turn == 0]
        if early and late:
            moves = late[-1].moves[len(early[0].moves) :]
            spots.append(ReachedPosition(moves, late[-1].position, str(early[0].position)))
    return spots


@in_game(
    205,
    "no stale board",
    MUST,
    "set up the board again for every `position`, even if you have searched another one; if the move is wrong"
    " in a new process, too, compare the engine's rules with the game's page",
    needs=(202,),
)
async def no_stale_board(engine: Conversation) -> str | None:
    """Ask for moves in two positions alternately. They have few moves in common."""
    pairs = await _dissimilar(engine)
    return await _legal_at(engine, [spot for pair in pairs for spot in (*pair, *pair)])


async def _dissimilar(engine: Conversation) -> tuple[tuple[ReachedPosition, ReachedPosition], ...]:
    """Return pairs of positions with few moves in common."""
    pairs = await engine.draw(lambda book: book.dissimilar)
    if not pairs:
        raise Skip(f"random positions of {engine.info.id} have the same moves")
    return pairs


@in_game(
    206,
    "two games in one process",
    MUST,
    "forget the old game at `uginewgame`; the process goes on",
    needs=(202,),
)
async def two_games(engine: Conversation) -> None:
    """Start a second game after some moves of a first one."""
    await _legal_at(engine, await engine.draw(lambda book: book.random("first game", 3, 0)))
    await engine.new_game()
    await _legal_at(engine, await engine.spots("second game", 3))


@check(
    207,
    "plays every seat",
    MUST,
    "move for the side whose turn it is in the position; an engine with the capability `seat` finds its own"
    " seat in `gameinfo`",
    needs=(202,),
)
async def every_seat(context: CheckContext) -> str | None:
    """Ask for moves in all seats but the first, each in a process of its own."""
    for seat in range(1, context.info.players):
        spots = await context.draw(partial(_of_seat, seat=seat))
        async with context.playing(seat) as engine:
            await _legal_at(engine, spots)
    return f"seats 2 to {context.info.players}"


def _of_seat(book: PositionBook, seat: int) -> tuple[ReachedPosition, ...]:
    return *book.random(f"seat {seat}", 6, seat), *book.near_ends(seat)[:4]


@check(
    208,
    "forced moves and passes",
    MUST,
    "play the only legal move if there is just one; a forced pass is also a move, in the game's own word",
    needs=(205, 207),
)
async def forced_moves(context: CheckContext) -> str | None:
    """Ask for moves in positions with exactly one legal move."""
    spots = await context.draw(lambda book: book.forced)
    if not spots:
        raise Skip(f"no position with a single move was found in random games of {context.info.id}")
    texts = []
    for spot in spots:
        async with context.playing(spot.position.turn) as engine:
            texts.append((await engine.move(spot)).move)
    return f"{counted(len(texts), 'position')}: {', '.join(sorted(set(texts)))[:60]}"


@check(
    209,
    "a list of a thousand moves",
    MUST,
    "read lines of any length, and replay long games in time proportional to their length",
    without="fen",
    forms=("moves", "short"),
    needs=(202, 207),
)
async def long_list(context: CheckContext) -> str | None:
    """Send the longest of some random games, with at most 1,000 plies."""
    spot = await context.draw(lambda book: book.long)
    if len(spot.moves) < 100:
        raise Skip(f"random games of {context.info.id} end before a hundred moves")
    async with context.playing(spot.position.turn) as engine:
        await engine.move(spot)
        return counted(len(spot.moves), "move")


@in_game(
    210,
    "the same position again",
    MUST,
    "do not play your own `bestmove` on the board: the hub sends every position itself",
    needs=(202,),
)
async def same_again(engine: Conversation) -> None:
    """Ask for moves in the same position four times. The position has few legal moves."""
    await _legal_at(engine, [(await engine.draw(lambda book: book.narrow))[0]] * 4)


@in_game(
    211,
    "a position that is not searched",
    MUST,
    "accept a `position` without a `go`, and forget it when the next one comes",
    without="delta",
    needs=(205,),
)
async def unsearched(engine: Conversation) -> None:
    """Send two positions in a row, and then ``go``."""
    for ignored, searched in (await _dissimilar(engine))[:3]:
        await engine.send_position(ignored)
        await engine.move(searched)


@in_game(
    212,
    "exactly one bestmove, and nothing after it",
    MUST,
    "print one `bestmove` for each `go`; join the search thread first, so that no `info` comes later",
    needs=(202,),
)
async def one_answer(engine: Conversation) -> None:
    """Look for lines after the move."""
    for spot in await engine.spots("one answer", 2):
        await engine.move(spot)
        await engine.expect_silence("printed more lines after its move:")


@in_game(
    213,
    "no output between moves",
    SHOULD,
    "print nothing but `readyok` while no search runs",
    needs=(212,),
    explained_by=(117,),
)
async def quiet_between(engine: Conversation) -> None:
    """Look for lines after a position."""
    engine.unasked.clear()
    await engine.send_position(engine.book.start)
    lines = [*engine.unasked, *await engine.listen(_QUIET)]
    if lines:
        raise Failure(f"printed {lines[0].text[:80]!r} without a `go`")


@in_game(
    214,
    "new moves only",
    MUST,
    "with `delta`, play every word of `moves …` on the board, including your own moves",
    capability="delta",
    needs=(201,),
)
async def deltas(engine: Conversation) -> str | None:
    """Play a game, and send only the new moves after the first position. The other seats move at random."""
    book = engine.book
    spot: ReachedPosition | None = book.start
    sent = 0
    await engine.send_position(book.start)
    for _ in range(10):
        assert spot is not None, "the loop ends with the game"
        answer = await engine.think(engine.clocks(1000))
        engine.judge(answer, spot)
        spot = None if answer.move == RESIGN else book.play(spot, answer.move)
        spot = book.until_turn(spot, 0)
        if spot is None:
            break
        new_moves = spot.moves[sent:]
        sent = len(spot.moves)
        await engine.send_moves(spot, new_moves)
    return counted(sent, "move")


def _chooses_from(size: int) -> EngineBody:
    """Return the body of a check: a move, with legal moves that are repeated up to ``size`` bytes."""

    async def body(engine: Conversation) -> str:
        start = engine.book.start
        legal = start.legal()
        length = sum(len(text) + 1 for text in legal)
        legal = (legal * (size // length + 1))[: size * len(legal) // length]
        await engine.send_position(start, legal=legal)
        count = counted(len(legal), "move")
        try:
            answer = await engine.think(engine.clocks(1000))
        except NoAnswer:
            raise Skip(f"it read the list, but needs longer to choose one of {count}") from None
        engine.judge(answer, start)
        return count

    return body


long_legal = in_game(
    215,
    "a list of legal moves of 65536 bytes",
    MUST,
    "read a line of up to 65536 bytes: do not use a fixed buffer for `legal`",
    capability="legal",
    needs=(201,),
)(_chooses_from(65_400))

continued_legal = in_game(
    216,
    "a list of legal moves on several lines",
    MUST,
    "read `legal+ …` as more moves of the same list, or ignore it: the moves of `legal` are enough",
    capability="legal",
    needs=(215,),
)(_chooses_from(150_000))


@in_game(
    217,
    "plays on after a seat is removed",
    MUST,
    "`!K` in a list of moves is not a turn: skip seat K from then on; its clock shows 0",
    announces=True,
    players=3,
    needs=(207,),
)
async def removed_seat(engine: Conversation) -> str | None:
    """Ask for moves in a game in which the last seat is removed at the start."""
    removed = engine.info.players - 1
    spots = await engine.draw(lambda book: book.without_seat(removed, 6))
    players = engine.info.players
    clocks = tuple(0 if seat == removed else 1000 for seat in range(players))
    for spot in spots:
        await engine.move(spot, engine.limit or Go(times=clocks, incs=(0,) * players))
    return f"{counted(len(spots), 'position')} without seat {removed + 1}"


# --- endurance --------------------------------------------------------------------------------------------

_GAMES = 100
_SETTLED = 20  # games after which memory should not grow any further
_GAMES_SECONDS = 30.0  # seconds after which a slow engine plays no more of them
_GROWTH = 0.2
_SLACK = 24 * 1024 * 1024  # bytes of growth to ignore: garbage of so few games need not be collected yet


@in_game(
    701,
    "a hundred games in one process",
    SHOULD,
    "at `uginewgame`, free or reuse the memory of the last game: tables, histories, lists of moves",
    needs=(205, 206),
    proc=True,
)
async def many_games(engine: Conversation) -> str | None:
    """Play short games: after the twentieth, memory may grow by a fifth and 24 MiB."""
    spots = await engine.spots("games", 2)
    settled = games = 0
    end = trio.current_time() + _GAMES_SECONDS
    while games < _GAMES and trio.current_time() < end:
        for spot in spots:
            await engine.move(spot, engine.clocks(200))
        await engine.new_game()
        games += 1
        if games == _SETTLED:
            settled = memory(engine.process.pid)
    if games <= _SETTLED:
        raise Skip(f"the engine takes long: {counted(games, 'game')} in {_GAMES_SECONDS:g} s")
    used = memory(engine.process.pid)
    if used > settled * (1 + _GROWTH) + _SLACK:
        raise Failure(
            f"used {settled >> 20} MiB of memory after {_SETTLED} games, but {used >> 20} MiB after {games}"
        )
    return f"{used / 1024 / 1024:.1f} MiB after {counted(games, 'game')}"


@check(
    702,
    "two instances together",
    SHOULD,
    "share no file, port or lock between instances: a tournament plays many games at the same time",
    needs=(202,),
)
async def two_instances(context: CheckContext) -> None:
    """Start two processes, and ask them for moves in turn."""
    async with context.playing() as first, context.playing() as second:
        for spot in await first.spots("two", 2):
            await first.move(spot)
            await second.move(spot)


@check(
    703,
    "plays the same again",
    INFO,
    "an engine that always plays the same moves is easier to debug; one that varies them plays more openings",
    needs=(202, 306),
    alone=True,
)
async def deterministic(context: CheckContext) -> None:
    """Ask two processes for moves in the same positions, with one node each."""
    played = []
    for _ in range(2):
        async with context.playing() as engine:
            spots = await engine.spots("same", 4)
            played.append([(await engine.move(spot, engine.limit or Go(nodes=1))).move for spot in spots])
    if played[0] != played[1]:
        raise Failure("played the same positions differently in two processes, with one node each")
