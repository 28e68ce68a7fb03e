"""Tune: one engine plays itself with other values of its options, and SPSA moves the values to where it wins.

This is the SPSA of Spall (1992) with the gains of fishtest. In a step the two sides have values on both sides
of the present ones, and the result of their pair of games moves the present ones towards the better side.
fishtest moves them in the order in which games end. Here the values of a step come from all steps that are at
least ``parallel`` earlier, and from no other, so that they follow from the stored results and the seed alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import floor
from random import Random
from typing import Annotated, Any, Final

from arena.formats.contest import Contest, Entrants, Next, ScheduleState, duel
from arena.formats.format import (
    AdaptiveFormat,
    Curve,
    FormatTable,
    FormatView,
    Played,
    SeedKeys,
    Setting,
    VariedOption,
)
from arena.scoring import EndedGame, was_played
from protocol.keys import NUMBER, Between, Change, Key, KeyTable, WrongKey, quoted

_ALPHA: Final = 0.602
_GAMMA: Final = 0.101
_STABILITY: Final = 0.1
"""How fast the gains fall: the exponents, and the share of all steps that is added to the number of one."""

_USUAL_C: Final = 0.1
"""The default of ``c_end``, as a share of the range."""

_USUAL_R: Final = 30.0
"""The default of ``r_end``, times the number of steps."""

_WHOLE_C: Final = 0.5
"""The least ``c_end`` of whole numbers: with a smaller one both sides would often have the same value."""

_POINTS: Final = 300  # the most points of a curve


class _Value(Between):
    """The bounds of a number that stays whole if it is written so."""

    __slots__ = ()

    def bound(self, kind: Any) -> Any:  # noqa: ANN401 - any type
        """The type of the values in a file."""
        from pydantic import PlainValidator

        return Annotated[kind, PlainValidator(self._read)]

    def _read(self, value: object) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.contain(value):
            raise ValueError(f"this must be a number {self}, not {quoted(value)}")
        return value


_VALUE: Final = _Value(-(10**9), 10**9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(KeyTable):
    """A parameter; it has whole numbers if all of ``start``, ``min`` and ``max`` are written as such."""

    start: Annotated[int | float, _VALUE, Key("The value at the start.")]
    min: Annotated[int | float, _VALUE, Key("The least value.")]
    max: Annotated[int | float, _VALUE, Key("The greatest value.")]
    c_end: Annotated[
        float | None,
        Between(0, 10**9, open=True),
        Key(
            "How far the sides are from the present value in the last step.",
            default="a tenth of the range; for whole numbers at least `0.5`",
        ),
    ] = None
    r_end: Annotated[
        float | None,
        Between(0, 1000, open=True),
        Key(
            "How far a won game moves the value in the last step, as a share of `c_end`.",
            default="`30` / `steps`",
        ),
    ] = None

    def __str__(self) -> str:
        return " ".join(f"{name}={getattr(self, name)}" for name in self.declarations())

    @property
    def whole(self) -> bool:
        """Whether the option takes whole numbers only."""
        return all(isinstance(value, int) for value in (self.start, self.min, self.max))

    def clipped(self, value: float) -> float:
        """Return the nearest value within the bounds."""
        return min(max(value, self.min), self.max)

    def text(self, value: float, rounding: float = 0.5) -> str:
        """Return a value as the engine gets it; ``rounding`` is added before a whole number is cut."""
        value = self.clipped(value)
        return str(floor(value + rounding)) if self.whole else str(float(f"{value:.6g}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneTable(KeyTable):
    """``[tune]``."""

    steps: Annotated[int, NUMBER, Key("How many steps there are, each of two games.")] = 5000
    parallel: Annotated[
        int,
        Between(1, 10_000),
        Key("How many steps may be played at the same time, see [Tune](formats/tune.md#many-steps)."),
    ] = 16
    parameters: Annotated[
        dict[str, Parameter], Key("The options to tune, by name, one table each.", default="needed")
    ] = field(default_factory=dict)

    def __str__(self) -> str:
        parameters = "".join(f"; {name}: {parameter}" for name, parameter in self.parameters.items())
        return f"{self.steps} steps, {self.parallel} parallel{parameters}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneKeys(SeedKeys):
    """The keys of a tuning."""

    tune: Annotated[
        TuneTable, Key("What is tuned, see [Formats](#formats).", Change.NEVER, default="needed")
    ] = field(default_factory=TuneTable)


class _Tune(AdaptiveFormat[TuneKeys]):
    name = title = "tune"
    keys = TuneKeys
    sides = ("+", "-")

    def checked(self, keys: TuneKeys, setting: Setting) -> TuneKeys:
        if len(setting.entrants) != 1:
            raise WrongKey(("format",), "an engine is tuned in one game; keep one game id")
        if not keys.tune.parameters:
            problem = "no parameter is here; add e.g. Weight = { start = 10, min = 0, max = 50 }"
            raise WrongKey(("tune", "parameters"), problem)
        steps = keys.tune.steps
        parameters = {
            name: _checked(name, parameter, steps) for name, parameter in keys.tune.parameters.items()
        }
        return replace(keys, tune=replace(keys.tune, parameters=parameters))

    def varied(self, keys: TuneKeys) -> list[VariedOption]:
        return [
            VariedOption(name, ("tune", "parameters", name), (each.text(each.max), each.text(each.min)))
            for name, each in keys.tune.parameters.items()
        ]

    def next_games(self, keys: TuneKeys, contest: Contest, state: ScheduleState) -> Iterator[Next]:
        tuning = Tuning(keys, contest.entrants)
        for step in range(keys.tune.steps):
            while tuning.steps <= step - keys.tune.parallel:
                if not tuning.move(state.results):
                    yield None  # the values of this step depend on it
            for index, key in enumerate(tuning.games(step)):
                if key in state:
                    continue
                if not set(contest.entrants.names).isdisjoint(state.disabled):
                    return
                pairing = contest.pairing(2 * step + index, key, duel(0, 1, 2 * step + index, 0))
                options = tuning.options(step)
                yield replace(pairing, options=options[::-1] if index else options)

    def most_games(self, keys: TuneKeys, entrants: Entrants) -> int:
        return 2 * keys.tune.steps

    def is_over(self, keys: TuneKeys, entrants: Entrants, played: Played) -> bool:
        if not super().is_over(keys, entrants, played):
            return False
        return tuned(keys, entrants, played.results).steps == keys.tune.steps

    def view(self, keys: TuneKeys, entrants: Entrants, played: Played) -> FormatView:
        return tuned(keys, entrants, played.results).view()


TUNE = _Tune()


def _checked(name: str, parameter: Parameter, steps: int) -> Parameter:
    """Return a parameter with all defaults. WrongKey: its values do not fit each other."""
    place = ("tune", "parameters", name)
    if not name.strip() or not name.isprintable():
        raise WrongKey(place, "an option's name must be one printable line")
    if parameter.min >= parameter.max:
        problem = f"this must be greater than min, {parameter.min:g}, not {parameter.max:g}"
        raise WrongKey((*place, "max"), problem)
    if not parameter.min <= parameter.start <= parameter.max:
        problem = f"this must be from min, {parameter.min:g}, to max, {parameter.max:g}, not"
        raise WrongKey((*place, "start"), f"{problem} {parameter.start:g}")
    least = _WHOLE_C if parameter.whole else 0.0
    usual = max(_USUAL_C * (parameter.max - parameter.min), least)
    c_end = usual if parameter.c_end is None else parameter.c_end
    if c_end < least:
        problem = f"for whole numbers this must be at least {_WHOLE_C:g}, not {c_end:g}; or write min as"
        raise WrongKey((*place, "c_end"), f"{problem} {float(parameter.min)}")
    return replace(parameter, c_end=c_end, r_end=parameter.r_end or _USUAL_R / steps)


class Tuning:
    """The values of the parameters after the first steps.

    Attributes:
        steps: the number of steps that have moved the values.
        values: the present values.
        path: the values after each step, from the start on.
    """

    def __init__(self, keys: TuneKeys, entrants: Entrants) -> None:
        self._table = keys.tune
        self._seed = keys.seed
        self._entrants = entrants
        self.steps = 0
        self.values = {name: float(each.start) for name, each in keys.tune.parameters.items()}
        self.path = [tuple(self.values.values())]

    def games(self, step: int) -> list[str]:
        """Return the keys of the two games of a step: the first side has the first move in the first one."""
        return [self._entrants.key(duel(0, 1, 2 * step + index, 0)) for index in (0, 1)]

    def options(self, step: int) -> tuple[dict[str, str], dict[str, str]]:
        """Return the options of the two sides in a step that starts from the present values."""
        sides: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for name, distance, _, rounding in self._draw(step):
            each, value = self._table.parameters[name], self.values[name]
            sides[0][name] = each.text(value + distance, rounding)
            sides[1][name] = each.text(value - distance, rounding)
        return sides

    def move(self, results: Mapping[str, EndedGame]) -> bool:
        """Move the values by the next step. Return False if its games have not ended."""
        pair = [results.get(key) for key in self.games(self.steps)]
        lead = 0.0  # of the first side, in points
        for seat, game in enumerate(pair):
            if game is None:
                return False
            if was_played(game.players):
                lead += game.players[seat].points - game.players[1 - seat].points
        for name, _, gain, _ in self._draw(self.steps):
            self.values[name] = self._table.parameters[name].clipped(self.values[name] + gain * lead)
        self.steps += 1
        self.path.append(tuple(self.values.values()))
        return True

    def _draw(self, step: int) -> Iterator[tuple[str, float, float, float]]:
        """Yield for each parameter how far the first side is from its value, its gain, and its rounding."""
        number, steps = step + 1, self._table.steps
        draw = Random(f"{self._seed} step {step}")
        for name, each in self._table.parameters.items():
            assert each.c_end is not None
            assert each.r_end is not None
            direction, rounding = 1 if draw.random() < 0.5 else -1, draw.random()
            distance = each.c_end * (steps / number) ** _GAMMA
            fall = ((1 + _STABILITY) * steps / (_STABILITY * steps + number)) ** _ALPHA
            gain = each.r_end * each.c_end**2 * fall / distance
            yield name, direction * distance, direction * gain, rounding

    def found(self) -> dict[str, str]:
        """Return the present values as options of the engine."""
        return {name: each.text(self.values[name]) for name, each in self._table.parameters.items()}

    def view(self) -> FormatView:
        """Return the present values, how they came there, and the options as a file has them."""
        found, parameters = self.found(), self._table.parameters
        apart = max(1, len(self.path) // _POINTS)
        shown = [*range(0, self.steps, apart), self.steps]
        curves = [
            Curve(name, (each.min, each.max), [(step, self.path[step][column]) for step in shown])
            for column, (name, each) in enumerate(parameters.items())
        ]
        options = ", ".join(f"{json.dumps(name)} = {value}" for name, value in found.items())
        data = {
            "steps": self.steps,
            "of": self._table.steps,
            "options": found,
            "paths": {curve.name: curve.points for curve in curves},
        }
        return FormatView(
            {"tune": data},
            title=f"{self._entrants.names[0][:-1]}: {self.steps} of {self._table.steps} steps",
            remark=f"options = {{ {options} }}",
            curves=curves,
            table=FormatTable(
                "parameters",
                ("#", "parameter", "value", "start", "min", "max"),
                tuple(
                    (str(row), name, found[name], f"{each.start:g}", f"{each.min:g}", f"{each.max:g}")
                    for row, (name, each) in enumerate(parameters.items(), 1)
                ),
            ),
        )


def tuned(keys: TuneKeys, entrants: Entrants, results: Mapping[str, EndedGame]) -> Tuning:
    """Return the values after the steps that have ended."""
    tuning = Tuning(keys, entrants)
    while tuning.steps < keys.tune.steps and tuning.move(results):
        pass
    return tuning
