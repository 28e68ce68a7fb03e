"""What a format is: everything in which two ways to choose the games of a tournament differ.

Each format is a `Format` object in a module of its own. Nothing else in arena knows it by its name. A format
of a third party is an entry point in the group ``leapfrog_arena.formats``: its name is the value of
``format`` in the file, and its value names the object as ``module:ATTRIBUTE``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pkgutil import resolve_name
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    TypedDict,
    TypeVar,
)

from arena.errors import ConfigError
from arena.formats.contest import Contest, Entrants, Next, PastRound, ScheduleState, Seating
from arena.formats.match_progress import MatchProgress
from arena.model import Pairing, Stage
from arena.scoring import EndedGame
from protocol.keys import NUMBER, Between, Change, Key, KeyPath, KeyTable, WrongKey, either, quoted
from protocol.words import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

ENTRY_POINTS: Final = "leapfrog_arena.formats"
"""The group of the entry points."""

USUAL: Final = "round-robin"

_BUILT_IN: Final = {
    "round-robin": "arena.formats.round_robin:ROUND_ROBIN",
    "gauntlet": "arena.formats.gauntlet:GAUNTLET",
    "swiss": "arena.formats.swiss:SWISS",
    "knockout": "arena.formats.knockout:KNOCKOUT",
    "match": "arena.formats.match:MATCH",
    "ladder": "arena.formats.ladder:LADDER",
    "place": "arena.formats.place:PLACE",
    "tune": "arena.formats.tune:TUNE",
    "stages": "arena.formats.stages:STAGES",
}
"""The built-in formats by name, in the order of lists. Each is imported when it is needed."""

StandingsOrder = Literal["points", "score"]
"""How standings are sorted. By the score where some engines play more games than others by design."""

DecidedBy = Literal["standings", "format", "ratings"]
"""What decides a tournament: the standings, its format's own places, or the ratings."""

Names = Mapping[str, tuple[str, ...]]
"""The engines that enter each game id, in the order of the file."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a tournament file says outside the keys of its format."""

    entrants: Names
    openings: bool = False  # whether games start at other positions than the usual one
    door: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingKeys(KeyTable):
    """The key of formats in which two engines that meet play a number of games."""

    games_per_pairing: Annotated[
        int,
        NUMBER,
        Key(
            "How many games two engines play when they meet. In a Swiss or a knock-out this number times the"
            " number of engines is at most 200000. A ladder [rests](formats/ladder.md#when-it-rests) when"
            " every pair has played this many.",
            Change.ANY_TIME,
            default="`2`; in a ladder no limit, or `10` with a `[door]`",
        ),
    ] = 2

    @property
    def openings(self) -> int:
        """The number of openings that two engines play when they meet."""
        return (self.games_per_pairing + 1) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningsKeys(PairingKeys):
    """The keys of formats in which each pairing may have openings of its own, or all the same ones."""

    pairing_openings: Annotated[
        Literal["same", "own"] | None,
        Key(
            'In a game of two: `"same"`: every pairing plays the same openings in the same order. `"own"`: no'
            " two pairings share an opening, as long as there are enough.",
            Change.NEVER,
            default='`"same"` in a gauntlet, `"own"` in a round-robin',
        ),
    ] = None


UNTIL_RAISED: Final = "all games of max_games are played; it goes on when max_games is raised in the file"
"""Why nobody has a game left in a format with `LengthKeys`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthKeys(KeyTable):
    """The key of formats that could go on without end."""

    max_games: Annotated[
        int | None,
        Between(1, 10**9),
        Key(
            "The tournament ends after this many games of each game id.",
            Change.ANY_TIME,
            default="no limit",
            elsewhere=("rounds",),
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedKeys(KeyTable):
    """The base of the keys of formats that draw something; ``seed`` is a key of the file."""

    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawKeys(SeedKeys):
    """The key of formats whose engines are drawn once, and stay the same."""

    draw: Annotated[
        Literal["order", "random", "rating"],
        Key(
            'How engines are seeded: `"order"`: as in the file. `"random"`: by the `seed` of the file.'
            ' `"rating"`: by their ratings in the database before the first game.',
            Change.NEVER,
        ),
    ] = "order"


_PLACES_WITHOUT_LIMIT: Final = 1_000_000
"""More than the games of one id that are played, where their number is not known."""

_LARGEST_ROUND: Final = 100_000
"""The most games in a round that is paired as a whole. It takes a fraction of a second to go through them."""


def check_round(name: str, key: str, games: int, setting: Setting) -> None:
    """Raise a WrongKey if a round is too large: it is paired as a whole, and then gone through often."""
    for game_id, names in setting.entrants.items():
        most = max(1, _LARGEST_ROUND * 2 // len(names))
        if games > most:
            problem = f"with {len(names)} engines in {game_id} this must be at most {most} in a {name}"
            raise WrongKey((key,), f"{problem}, not {games}")


class MatchRow(TypedDict):
    """One match of a bracket. An engine that is not known yet is null, and so is the opponent in a bye."""

    engines: list[str | None]
    points: list[float]
    games: int
    winner: str | None
    by: str


@dataclass(frozen=True, slots=True)
class FormatTable:
    """The rows of a format's own table, with a place and a name in front of each; ``name`` is one word."""

    name: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """How a value has changed over the games: its name, the range of its axis, and points sorted by x."""

    name: str
    span: tuple[float, float]
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class VariedOption:
    """An option that the games of a format set: its place in the file, and its outermost values."""

    name: str
    place: KeyPath
    values: tuple[str, str]


@dataclass(frozen=True, slots=True)
class FormatView:
    """What a format shows of one game id beside standings and ratings; most formats show nothing.

    Attributes:
        data: the same for programs, under one key.
        title, remark: sentences above and below the rest.
        table: its own table.
        curves: how its values have changed.
        duel: the progress of a match.
        bracket: the rounds of a bracket from the first to the final, each from top to bottom.
        places: the place and name of each engine, the best first, if the format itself decides.
        note: what decides, if the format itself does.
        order, decided_by: as in `Format`.
        parts: what it shows of each of its stages, one below another.
    """

    data: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    remark: str = ""
    table: FormatTable | None = None
    curves: Sequence[Curve] = ()
    duel: MatchProgress | None = None
    bracket: Sequence[Sequence[MatchRow]] = ()
    places: Sequence[tuple[int, str]] = ()
    note: str = ""
    order: StandingsOrder = "points"
    decided_by: DecidedBy = "standings"
    parts: Sequence[FormatView] = ()


class Played:
    """The games of one id that count: their number, and their results, which are read if a format asks."""

    def __init__(self, number: int, read: Callable[[], Iterable[EndedGame]]) -> None:
        self.number = number
        self._read = read

    def without(self, number: int) -> Played:
        """Leave this number of games out."""
        return Played(self.number - number, self._read) if number else self

    @cached_property
    def results(self) -> Mapping[str, EndedGame]:
        """The results by key. Results of other game ids may be among them."""
        return {result.key: result for result in self._read() if result.counts}


K = TypeVar("K", bound=KeyTable)


class Format(Generic[K]):
    """A format. It has no state: all methods are functions of their arguments.

    A format of a third party is a `FixedFormat` or an `AdaptiveFormat`. Beside the attributes it writes up to
    six methods: `checked`, ``seatings`` or ``next_games``, `most_games`, `may_end_early`, `is_over` and
    `view`. All others follow from these, and only some built-in formats have their own.

    Attributes:
        name: the value of ``format`` in the file.
        title: its name in sentences.
        keys: the table of its own keys, which are at the top of the file.
        two_players: whether it is only for games of two.
        order: how standings are sorted.
        decided_by: what decides the tournament. If it is the ratings, so do the next games depend on them.
        may_grow: whether engines that are added change no game of the others, so that it can have a door.
        keeps_places: whether the engines keep their places when others leave, or come anywhere in the file.
        by_results: whether the next games depend on results.
        sides: what the names of the two sides end with if one engine plays itself, with options that differ.
            Such games are not rated.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    keys: type[K]
    two_players: ClassVar[bool] = True
    order: ClassVar[StandingsOrder] = "points"
    decided_by: ClassVar[DecidedBy] = "standings"
    may_grow: ClassVar[bool] = False
    keeps_places: ClassVar[bool] = False
    by_results: ClassVar[bool] = True
    sides: ClassVar[tuple[str, ...]] = ()

    def checked(self, keys: K, setting: Setting) -> K:
        """Check keys that depend on each other or on the setting, and return them with all defaults.

        Raises:
            WrongKey: a key is wrong or missing. Its path starts at the top of the file; for a missing key it
                is ``format``.
        """
        return keys

    def most_games(self, keys: K, entrants: Entrants) -> int | None:
        """Return the largest number of games of one id; None if there is none, or if counting takes long."""
        return keys.max_games if isinstance(keys, LengthKeys) else None

    def may_end_early(self, keys: K) -> bool:
        """Return whether results can end it before `most_games` are played."""
        return False

    def is_over(self, keys: K, entrants: Entrants, played: Played) -> bool:
        """Return whether no game of an id is missing. This is the only answer to "is it finished?"."""
        most = self.most_games(keys, entrants)
        return most is not None and played.number >= most

    def view(self, keys: K, entrants: Entrants, played: Played) -> FormatView:
        """Return what it shows of one game id."""
        return FormatView()

    # --- what follows from these, or is only for built-in formats

    @abstractmethod
    def games(self, keys: K, contests: Sequence[Contest], state: ScheduleState) -> Iterator[Next]:
        """Yield the missing games of all game ids, see `Schedule.pending`."""

    @property
    def rereads(self) -> bool:
        """Whether the file is read again while the tournament runs."""
        return self.may_grow and self.by_results

    def places(self, keys: K, entrants: Entrants) -> int:
        """Return a number above the places of all games of one id in its schedule."""
        return self.most_games(keys, entrants) or _PLACES_WITHOUT_LIMIT

    def started_rounds(
        self, keys: K, entrants: Entrants, stay: Collection[str], results: Mapping[str, EndedGame]
    ) -> tuple[PastRound, ...]:
        """Return the rounds that stay as they are when engines come or go; ``stay`` are those that play on.

        Most formats have none: they pair the engines of the file as if there had been no others.
        """
        return ()

    def varied(self, keys: K) -> Sequence[VariedOption]:
        """Return the options that differ from game to game; most formats have none."""
        return ()

    def left(self, keys: K, entrants: Entrants, games: frozenset[str]) -> int:
        """Return how many stored games, by key, are not among those that it counts any more."""
        return 0

    def whole_results(self, keys: K) -> bool:
        """Return whether it depends on more of a result than how a game ended: on times or programs."""
        return False

    def progress(self, keys: K, entrants: Entrants) -> MatchProgress | None:
        """Return a counter for the games of one id while they are played; None if it has none."""
        return None

    def text(self, keys: K) -> str:
        """Return the format in words."""
        return self.title

    def stage_of(self, keys: K, key: str) -> str:
        """Return the name of the stage to which the game with a key belongs; "" if it has no stages."""
        return ""


class FixedFormat(Format[K]):
    """A format whose games are known from the start. It plays the game ids one after the other."""

    by_results = False
    keeps_places = True

    @abstractmethod
    def seatings(self, keys: K, entrants: Entrants) -> Iterator[Seating]:
        """Yield the games of one id in the order in which they are played."""

    def left(self, keys: K, entrants: Entrants, games: frozenset[str]) -> int:
        """Count the games that are not in the schedule."""
        wanted = (
            seating for seating in self.seatings(keys, entrants) if entrants.absent.isdisjoint(seating.seats)
        )
        return len(games) - sum(entrants.key(seating) in games for seating in wanted)

    def games(self, keys: K, contests: Sequence[Contest], state: ScheduleState) -> Iterator[Pairing]:
        """Yield the missing games. They are generated one by one, and no list of them is kept."""
        number = -1
        for contest in contests:
            for seating in self.seatings(keys, contest.entrants):
                number += 1
                key = contest.entrants.key(seating)
                if key not in state and contest.entrants.absent.isdisjoint(seating.seats):
                    yield contest.pairing(number, key, seating)


class AdaptiveFormat(Format[K]):
    """A format whose next games depend on results. The game ids take turns."""

    @abstractmethod
    def next_games(self, keys: K, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        """Yield the missing games of one game id, see `Schedule.pending`."""

    def games(self, keys: K, contests: Sequence[Contest], state: ScheduleState) -> Iterator[Next]:
        """Yield the next missing game of each game id in turn."""
        queue = deque(
            self.next_games(keys, contest.part(offset, len(contests)), state)
            for offset, contest in enumerate(contests)
        )
        waiting = 0
        while queue:
            games = queue.popleft()
            try:
                item = next(games)
                while isinstance(item, Stage):
                    yield item
                    item = next(games)
            except StopIteration:
                continue
            queue.append(games)
            if item is not None:
                waiting = 0
                yield item
                continue
            waiting += 1
            if waiting >= len(queue):
                waiting = 0
                yield None


# --- the formats by name


def format_names() -> tuple[str, ...]:
    """Return the names of all formats: first the built-in ones, then plug-ins in alphabetical order."""
    return (*_BUILT_IN, *sorted(_plugins().names - _BUILT_IN.keys()))


@cache
def find_format(name: str) -> Format[Any]:
    """Return the format with a name. Plug-ins are searched only for a name that is not built in.

    Raises:
        ConfigError: there is no such format, or its plug-in cannot be used.
    """
    if name in _BUILT_IN:
        built_in: Format[Any] = resolve_name(_BUILT_IN[name])
        return built_in
    claims = tuple(_plugins().select(name=name))
    if len(claims) != 1:
        names = format_names()
        values = ", ".join(entry.value for entry in claims)
        raise ConfigError(
            f"two plug-ins have a format {name!a}: {values}; uninstall all but one of them"
            if claims
            else f"this must be {either(names)}, not {quoted(name)}{did_you_mean(name, names)}"
        )
    return _loaded(claims[0])


def built_in_formats() -> tuple[Format[Any], ...]:
    """Return all built-in formats, in the order of lists."""
    return tuple(map(find_format, _BUILT_IN))


@cache
def _plugins() -> EntryPoints:
    from importlib.metadata import entry_points  # imported late, because most formats are built in

    return entry_points(group=ENTRY_POINTS)


def _loaded(entry: EntryPoint) -> Format[Any]:
    where = f"the format {entry.name!a} ({entry.value})"
    try:
        loaded = entry.load()
    except (Exception, SystemExit) as error:  # an import of unknown code can raise anything
        raise ConfigError(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(loaded, Format) or loaded.name != entry.name:
        raise ConfigError(f"{where} is not a `Format` object with this name")
    return loaded
