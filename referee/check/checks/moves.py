"""Moves and positions (2xx)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from protocol.plurals import counted
from protocol.wire.messages import Go
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.failures import Failure, Skip
from referee.check.game_dialogue import GameDialogue, PositionForm
from referee.check.positions import PositionBook, ReachedPosition
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD = Severity.MUST, Severity.SHOULD
_MANY = 30  # positions
_QUIET = 0.3  # seconds after a move in which nothing more may come


async def _legal_at(
    player: GameDialogue, spots: Iterable[ReachedPosition], form: PositionForm = "usual"
) -> str:
    count = 0
    for spot in spots:
        await player.move(spot, form=form)
        count += 1
    return counted(count, "position")


@check(
    201,
    "a legal move from the start",
    MUST,
    "answer `go` with `bestmove` and a move as the game's page in the documentation writes it",
)
async def from_the_start(bench: CheckContext) -> str | None:
    """The first move of a game."""
    async with bench.playing() as player:
        answer = await player.move(bench.book.start)
        return answer.move


@check(
    202,
    "legal moves in random positions",
    MUST,
    "replay `position … moves …` from its beginning, every move whoever made it; with `fen` read the string",
    needs=(201,),
)
async def in_random_positions(bench: CheckContext) -> str | None:
    """Told as in a game: by the moves that lead there, or with `fen` as a string."""
    async with bench.playing() as player:
        return await _legal_at(player, await bench.draw(lambda book: book.random("moves", _MANY, 0)))


@check(
    203,
    "legal moves from position strings",
    MUST,
    "read `position fen …` as the game's page describes it: tournaments start from such positions, too",
    without="fen",
    needs=(202,),
)
async def from_strings(bench: CheckContext) -> str | None:
    """Random positions, told to an engine that usually gets moves."""
    async with bench.playing() as player:
        return await _legal_at(player, await bench.draw(lambda book: book.random("fen", _MANY, 0)), "fen")


@check(
    204,
    "legal moves from a position string and moves",
    MUST,
    "play the moves after `moves` from the position of `fen`, not from the start",
    without="fen",
    needs=(203,),
)
async def from_both(bench: CheckContext) -> str | None:
    """Positions as a game tells them that began from an opening."""
    spots = await bench.draw(_begun_later)
    if not spots:
        raise Skip(f"random games of {bench.book.game.info.id} are too short")
    async with bench.playing() as player:
        return await _legal_at(player, spots, "fen and moves")


def _begun_later(book: PositionBook) -> list[ReachedPosition]:
    """Positions of games that began some moves behind the start."""
    spots = []
    for number in range(10):
        walk = list(book.walk(f"both:{number}", 16))
        begun = [spot for spot in walk[4:10] if spot.position.turn == 0]
        ended = [spot for spot in walk[10:] if spot.position.turn == 0]
        if begun and ended:
            fresh = ended[-1].moves[len(begun[0].moves) :]
            spots.append(ReachedPosition(fresh, ended[-1].position, str(begun[0].position)))
    return spots


@check(
    205,
    "no stale board",
    MUST,
    "set up the board anew for every `position`, whatever was searched before",
    needs=(202,),
)
async def no_stale_board(bench: CheckContext) -> str | None:
    """Two positions with few moves in common, asked in turn."""
    async with bench.playing() as player:
        pairs = await _strangers(bench)
        return await _legal_at(player, [spot for pair in pairs for spot in (*pair, *pair)])


async def _strangers(bench: CheckContext) -> tuple[tuple[ReachedPosition, ReachedPosition], ...]:
    """Pairs of positions with few moves in common."""
    pairs = await bench.draw(lambda book: book.strangers)
    if not pairs:
        raise Skip(f"random positions of {bench.book.game.info.id} have the same moves")
    return pairs


@check(
    206,
    "two games in one process",
    MUST,
    "forget the old game at `uginewgame`; the process goes on",
    needs=(202,),
)
async def two_games(bench: CheckContext) -> str | None:
    """A second game begins after some moves of a first one."""
    async with bench.playing() as player:
        await _legal_at(player, await bench.draw(lambda book: book.random("first game", 3, 0)))
        await player.new_game()
        await _legal_at(player, await bench.spots("second game", 3))
        return None


@check(
    207,
    "plays every seat",
    MUST,
    "move for the side whose turn it is in the position; with `seat` that is the seat of `gameinfo`",
    needs=(202,),
)
async def every_seat(bench: CheckContext) -> str | None:
    """All seats but the first, each in a process of its own."""
    for seat in range(1, bench.book.game.info.players):
        spots = await bench.draw(partial(PositionBook.random, name=f"seat {seat}", count=8, seat=seat))
        async with bench.playing(seat) as player:
            await _legal_at(player, spots)
    return f"seats 2 to {bench.book.game.info.players}"


@check(
    208,
    "forced moves and passes",
    MUST,
    "play the only legal move where there is just one; where a game has a forced pass, `pass` is a move",
    needs=(205, 207),
)
async def forced_moves(bench: CheckContext) -> str | None:
    """Positions with exactly one legal move."""
    spots = await bench.draw(lambda book: book.forced)
    if not spots:
        raise Skip(f"no position with a single move was found in random games of {bench.book.game.info.id}")
    texts = []
    for spot in spots:
        async with bench.playing(spot.position.turn) as player:
            answer = await player.move(spot)
            texts.append(answer.move or "")
    return f"{counted(len(texts), 'position')}: {', '.join(sorted(set(texts)))[:60]}"


@check(
    209,
    "a list of a thousand moves",
    MUST,
    "read lines of any length, and replay long games in time proportional to their length",
    without="fen",
    needs=(202, 207),
)
async def long_list(bench: CheckContext) -> str | None:
    """The longest game that was found, up to 1,000 plies."""
    spot = await bench.draw(lambda book: book.long)
    if len(spot.moves) < 100:
        raise Skip(f"random games of {bench.book.game.info.id} end before a hundred moves")
    async with bench.playing(spot.position.turn) as player:
        await player.move(spot)
        return counted(len(spot.moves), "move")


@check(
    210,
    "the same position again",
    MUST,
    "do not play the own `bestmove` on the board: the hub sends every position itself",
    needs=(202,),
)
async def same_again(bench: CheckContext) -> str | None:
    """One position asked three times, in a position with few moves."""
    async with bench.playing() as player:
        await _legal_at(player, [await bench.draw(_narrow)] * 4)
        return None


def _narrow(book: PositionBook) -> ReachedPosition:
    """A position with few moves."""
    return min(book.random("again", 12, 0, 120), key=lambda spot: len(spot.legal()))


@check(
    211,
    "a position that is not searched",
    MUST,
    "take a `position` without a `go` and forget it when the next one comes",
    without="delta",
    needs=(205,),
)
async def unsearched(bench: CheckContext) -> str | None:
    """Two positions in a row, and only then ``go``."""
    async with bench.playing() as player:
        for one, other in (await _strangers(bench))[:3]:
            await player.show(one)
            await player.move(other)
        return None


@check(
    212,
    "exactly one bestmove, and nothing after it",
    MUST,
    "print one `bestmove` for each `go`; join the search's thread before it, so that no `info` comes later",
    needs=(202,),
)
async def one_answer(bench: CheckContext) -> str | None:
    """Watches what comes after the move."""
    async with bench.playing() as player:
        for spot in await bench.spots("one answer", 2):
            await player.move(spot)
            after = await player.talk.listen(_QUIET)
            if after:
                raise Failure(f"went on after its move: {after[0].text[:80]!r}")
        return None


@check(
    213,
    "nothing unasked between moves",
    SHOULD,
    "say nothing while no search runs but `readyok`",
    needs=(212,),
)
async def quiet_between(bench: CheckContext) -> str | None:
    """Watches what comes after a position."""
    async with bench.playing() as player:
        player.unasked.clear()
        await player.show(bench.book.start)
        said = [*player.unasked, *await player.talk.listen(_QUIET)]
        if said:
            raise Failure(f"said {said[0].text[:80]!r} without a `go`")
        return None


@check(
    214,
    "new moves only",
    MUST,
    "with `delta`, play every word of `moves …` on the board, the own moves among them",
    capability="delta",
    level=1,
    needs=(201,),
)
async def deltas(bench: CheckContext) -> str | None:
    """A game of which only the first position is told whole; the other seats move at random."""
    async with bench.playing() as player:
        book = bench.book
        spot: ReachedPosition | None = book.start
        told = 0
        await player.show(book.start)
        for _ in range(10):
            assert spot is not None, "the loop ends with the game"
            answer = await player.think(player.clocks(1000))
            player.judge(answer, spot)
            spot = None if answer.move is None or answer.move == "resign" else book.play(spot, answer.move)
            spot = book.until_turn(spot, 0)
            if spot is None:
                break
            fresh = spot.moves[told:]
            told = len(spot.moves)
            await player.follow(spot, fresh)
        return counted(told, "move")


@check(
    215,
    "a list of legal moves of 65536 bytes",
    MUST,
    "read a line of up to 65536 bytes: no fixed buffer for `legal`",
    capability="legal",
    level=1,
    needs=(201,),
)
async def long_legal(bench: CheckContext) -> str | None:
    """The legal moves, repeated until the line is as long as a line may be."""
    return await _move_from_repeated(bench, 65_400)


@check(
    216,
    "a list of legal moves that is continued",
    MUST,
    "take `legal+ …` as more moves of the same list, or ignore it: the moves of `legal` are enough",
    capability="legal",
    level=1,
    needs=(215,),
)
async def continued_legal(bench: CheckContext) -> str | None:
    """The legal moves, repeated until they need three lines."""
    return await _move_from_repeated(bench, 150_000)


async def _move_from_repeated(bench: CheckContext, size: int) -> str:
    """A move at the start, with the legal moves listed again and again until they fill ``size`` bytes."""
    async with bench.playing() as player:
        legal = bench.book.start.legal()
        length = sum(len(text) + 1 for text in legal)
        legal = (legal * (size // length + 1))[: size * len(legal) // length]
        await player.move(bench.book.start, legal=legal)
        return counted(len(legal), "move")


@check(
    217,
    "plays on when a seat was removed",
    MUST,
    "`!K` in a list of moves is no turn: seat K is passed over from there on, its clock shows 0",
    level=1,
    players=3,
    needs=(207,),
)
async def removed_seat(bench: CheckContext) -> str | None:
    """The last seat is removed at once."""
    out = bench.book.game.info.players - 1
    async with bench.playing() as player:
        spots = await bench.draw(lambda book: book.without_seat(out, 6))
        players = bench.book.game.info.players
        clocks = tuple(0 if seat == out else 1000 for seat in range(players))
        for spot in spots:
            await player.move(spot, Go(times=clocks, incs=(0,) * players))
        return f"{counted(len(spots), 'position')} without seat {out + 1}"
