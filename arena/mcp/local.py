"""Games of an agent on this machine: they are played like others, and stored in a tournament."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
import trio
from msgspec import Meta

from arena.errors import StoreError
from arena.mcp.server import Answer, Refused, Server, Tool, serve_standard_streams
from arena.mcp.table import Table, socket_path
from arena.scoring import game_record, seat_endings
from arena.store import Store
from arena.strength.levels import check_level
from protocol.spec import EngineSpec
from protocol.words import counted
from referee import RefereeError, game
from referee.errors import TimeControlError
from referee.match.forgiveness import Forgiveness
from referee.match.job import Job, JobSeat
from referee.match.play import RefereedGame
from referee.match.pool import EnginePool
from referee.match.time_control import TimeControl
from referee.outcome import Termination

_INSTRUCTIONS: Final = (
    "Board games against engines. Read the rules of a game with list_games, start one with new_game, and play"
    " with move. Your clock runs while it is your turn. An illegal move is a fault: too many lose the game."
)


class NewGame(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of ``new_game``."""

    game: Annotated[str, Meta(description="The id of the game.")]
    opponents: Annotated[list[str], Meta(description="A different opponent for each other seat.")]
    clock: Annotated[
        str, Meta(description="Your time: 1800+30 is 30 minutes, and 30 s more with each move.")
    ] = "1800+30"
    seat: Annotated[int, Meta(description="Your seat, from 1; 0: the one that you have had least.")] = 0


@dataclass(frozen=True, slots=True)
class Opponent:
    """An engine that the agent may choose, and its command as it is written."""

    spec: EngineSpec
    words: tuple[str, ...]


@dataclass(slots=True, eq=False)
class LocalGames:
    """The games of one agent, in the tournament of a store that is named."""

    store: Store
    tournament: str
    opponents: Mapping[str, Opponent]  # by the texts that choose them
    name: str  # of the agent; "" for the name of its program
    time_control: str  # of the opponents
    forgive: Forgiveness
    warn: Callable[[str, str], None]

    async def run(self) -> None:
        """Serve the agent on standard input and output until it goes. A game that goes on is resigned."""
        with socket_path() as path:
            table = Table(path, hears_end=False)
            async with trio.open_nursery() as nursery:
                await nursery.start(table.listen)
                pool = EnginePool(nursery, 0, self.warn)

                async def new_game(wanted: NewGame) -> Answer:
                    agent = table.spec(self.name or _fitting(server.client))
                    job = await self._job(wanted, agent)
                    for seat in job.seats:
                        if (
                            problem := await pool.try_out(seat.engine, job.game)
                            if seat.engine.options
                            else ""
                        ):
                            raise Refused(f"the engine of {seat.engine.name} {problem}")
                    table.start()
                    nursery.start_soon(self._play, job, agent, pool, table)
                    return await table.state()

                texts = ", ".join(self.opponents)
                description = f"Start a game. The opponents: {texts}. A higher level is stronger."
                tools = [*table.tools(), Tool("new_game", description, NewGame, new_game)]
                server = Server(tools, _INSTRUCTIONS)
                try:
                    await serve_standard_streams(server)
                    await table.leave()
                    pool.close()
                finally:
                    pool.kill()
                nursery.cancel_scope.cancel()

    async def _job(self, wanted: NewGame, agent: EngineSpec) -> Job:
        """Return the game that an agent asks for. Refused: it is impossible."""
        try:
            players = game(wanted.game).info.players
            clock = str(TimeControl.parse(wanted.clock))
            opponents = [self._opponent(text, wanted.game) for text in wanted.opponents]
        except (RefereeError, TimeControlError, ValueError) as error:
            raise Refused(str(error)) from None
        names = [spec.name for spec in opponents]
        if len({*names, agent.name}) != players or len(names) != players - 1:
            raise Refused(f"{wanted.game} needs {counted(players - 1, 'opponent')}, each with another name")
        if not 0 <= wanted.seat <= players:
            raise Refused(f"seat must be from 1 to {players}, or 0")
        seats = [JobSeat(spec, self.time_control) for spec in opponents]
        seat = wanted.seat - 1 if wanted.seat else await self._fair_seat(wanted.game, agent.name, names)
        seats.insert(seat, JobSeat(agent, clock))
        job = secrets.token_hex(8)
        return Job(job, wanted.game, tuple(seats), forgive=self.forgive, seed=job)

    def _opponent(self, text: str, game_id: str) -> EngineSpec:
        opponent = self.opponents.get(text)
        if opponent is None:
            raise ValueError(f"there is no opponent {text[:100]!a}; there are {', '.join(self.opponents)}")
        check_level(opponent.words, game_id)
        return opponent.spec

    async def _fair_seat(self, game_id: str, name: str, opponents: list[str]) -> int:
        """Return the seat that the agent has had least in games with the same opponents."""
        results = await trio.to_thread.run_sync(
            lambda: self.store.results(tournament=self.tournament, game=game_id)
        )
        names = sorted([name, *opponents])
        counts = [0] * len(names)
        for result in results:
            if sorted(result.names) == names:
                counts[result.names.index(name)] += 1
        return counts.index(min(counts))

    async def _play(self, job: Job, agent: EngineSpec, pool: EnginePool, table: Table) -> None:
        """Play a game to its end, and store it."""
        finished = await RefereedGame(job, pool, lambda: None).play()
        seat = [entry.engine for entry in job.seats].index(agent)
        ending = f"you {seat_endings(finished.seats)[seat]}: {finished.reason}; {finished.detail}"
        ending = ending.removesuffix("; ")
        if moves := [ply.text for ply in finished.record if not ply.fault]:
            ending += f"; the last move: {moves[-1]}"
        if finished.void is not None:
            table.finish(f"the game is void, so it is not stored: {finished.detail}")
            return
        try:
            record = game_record(job, finished, tournament=self.tournament)
            stored = await trio.to_thread.run_sync(self.store.append, record)
            ending += f"; stored as game {stored.result.id} of {self.tournament}"
            table.finish(ending, refused=finished.seats[seat].forfeit is Termination.ILLEGAL)
        except StoreError as error:
            table.finish(f"{ending}; not stored: {error}")


def _fitting(name: str) -> str:
    """Return the name of a client's program as the name of an engine; "agent" if it cannot be one."""
    try:
        return EngineSpec(name=name, command=("agent",)).name
    except ValueError:
        return "agent"
