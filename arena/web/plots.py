"""Plots as SVG: lines, bars and intervals, coloured and dashed by the classes of the style sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from math import ceil, floor, log10

from markupsafe import Markup, escape

__all__ = ["PlotAxes", "Series", "histogram", "interval", "line_plot", "ticks"]

STYLES = 8
"""How many styles of lines there are; then they begin anew."""

_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 28, 12, 40
_TAG = 11  # the height of a number at the end of a line
_BARS = 20  # of a histogram, about


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot.

    Attributes:
        points: x and y, in the order of x.
        spread: how far the truth may lie from each y; none if it is empty.
    """

    points: tuple[tuple[float, float], ...]
    spread: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class PlotAxes:
    """What a plot shows: the names of its axes, and the ranges of both."""

    title: str
    across: str
    up: str
    x: tuple[float, float]
    y: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies in the drawing; what is out of range lies on the rim."""
        return _along(x, self.x, _LEFT, _WIDTH - _RIGHT), _along(y, self.y, _HEIGHT - _BOTTOM, _TOP)


def ticks(low: float, high: float, most: int = 6, *, whole: bool = False) -> list[float]:
    """Round numbers in a range, at equal distances; whole ones of what has no halves."""
    if high <= low:
        return [low]
    rough = max((high - low) / most, 1.0 if whole else 0.0)
    power = 10 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if power * factor >= rough)
    first = ceil(low / step - 1e-9) * step
    return [
        round(tick, 10) for tick in takewhile(lambda tick: tick <= high + step * 1e-9, count(first, step))
    ]


def line_plot(frame: PlotAxes, series: Sequence[Series], *, cursor: bool = False) -> Markup:
    """Lines that end in their numbers, from 1; those without a point are left out.

    Args:
        frame: the axes.
        series: the lines.
        cursor: whether a line is there that the replay moves along.
    """
    parts = [_axes(frame, ticks(*frame.x), [f"{tick:g}" for tick in ticks(*frame.x)])]
    ends: list[tuple[float, float, int]] = []
    for number, one in enumerate(series):
        if not one.points:
            continue
        look = f"series s{number % STYLES + 1}"
        places = [frame.place(*point) for point in one.points]
        if one.spread:
            upper = [frame.place(x, y + error) for (x, y), error in zip(one.points, one.spread, strict=True)]
            lower = [frame.place(x, y - error) for (x, y), error in zip(one.points, one.spread, strict=True)]
            parts.append(f'<polygon points="{_path([*upper, *reversed(lower)])}" class="{look} band"/>')
        parts.append(f'<polyline points="{_path(places)}" class="{look}"/>')
        ends.append((places[-1][1], places[-1][0], number + 1))
    parts += _tags(ends)
    if cursor:
        parts.append(
            f'<line x1="{_LEFT}" x2="{_LEFT}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" class="cursor"'
            f' data-low="{frame.x[0]:g}" data-high="{frame.x[1]:g}" data-left="{_LEFT}"'
            f' data-right="{_WIDTH - _RIGHT}"/>'
        )
    return _svg(frame.title, parts)


def histogram(title: str, across: str, lengths: Mapping[int, int]) -> Markup:
    """How often each number came up, in as many bars as look well."""
    low, high = min(lengths), max(lengths)
    marks = ticks(0, high - low + 1, _BARS)
    width = max(round(marks[1]) if len(marks) > 1 else 1, 1)
    start = low - low % width
    bars = [0] * ((high - start) // width + 1)
    for length, times in lengths.items():
        bars[(length - start) // width] += times
    frame = PlotAxes(title, across, "games", (start, start + width * len(bars)), (0, max(bars)))
    shown = ticks(*frame.x, whole=True)
    parts = [_axes(frame, shown, [f"{tick:g}" for tick in shown], whole=True)]
    for number, times in enumerate(bars):
        first = start + number * width
        left, top = frame.place(first, times)
        right, bottom = frame.place(first + width, 0)
        span = str(first) if width == 1 else f"{first} to {first + width - 1}"
        parts.append(_bar(left + 1, top, right - left - 2, bottom - top, f"{span}: {times}"))
    return _svg(title, parts)


def share_bars(title: str, shares: Sequence[tuple[str, float, tuple[float, float]]]) -> Markup:
    """A bar from 0 to 1 for each name, with an interval; a line marks one half."""
    frame = PlotAxes(title, "", "score", (0, len(shares)), (0, 1))
    parts = [_axes(frame, [number + 0.5 for number in range(len(shares))], [name for name, _, _ in shares])]
    for number, (name, share, (least, most)) in enumerate(shares):
        left, top = frame.place(number + 0.25, share)
        right, bottom = frame.place(number + 0.75, 0)
        parts.append(
            _bar(left, top, right - left, bottom - top, f"{name}: {share:.1%}, {least:.1%} to {most:.1%}")
        )
        middle, high = frame.place(number + 0.5, most)
        low = frame.place(number + 0.5, least)[1]
        parts.append(
            f'<path d="M{middle:.1f} {high:.1f}V{low:.1f}M{middle - 6:.1f} {high:.1f}h12M{middle - 6:.1f}'
            f' {low:.1f}h12" class="whisker"/>'
        )
    half = frame.place(0, 0.5)[1]
    parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{half}" y2="{half}" class="half"/>')
    return _svg(title, parts)


def interval(value: float, error: float, span: tuple[float, float]) -> Markup:
    """A small picture of an estimate and its interval, for a cell of a table."""
    left, middle, right = (_along(x, span, 4, 156) for x in (value - error, value, value + error))
    zero = _along(0, span, 4, 156)
    return Markup(  # noqa: S704 - numbers alone
        '<svg class="interval" viewBox="0 0 160 16" role="img"'
        f' aria-label="{value:.4g} plus or minus {error:.3g}">'
        + (f'<line x1="{zero:.1f}" x2="{zero:.1f}" y1="0" y2="16" class="half"/>' if 4 < zero < 156 else "")
        + f'<path d="M{left:.1f} 3v10M{left:.1f} 8H{right:.1f}M{right:.1f} 3v10" class="whisker"/>'
        f'<circle cx="{middle:.1f}" cy="8" r="3.5" class="dot"/></svg>'
    )


def _tags(ends: list[tuple[float, float, int]]) -> list[str]:
    """Numbers at the ends of lines, moved down where they would cover each other."""
    tags = []
    free = 0.0
    for y, x, number in sorted(ends):
        free = max(y, free + _TAG)
        look = f"tag series s{(number - 1) % STYLES + 1}"
        tags.append(f'<text x="{x + 5:.1f}" y="{free:.1f}" class="{look}">{number}</text>')
    return tags


def _along(value: float, span: tuple[float, float], first: float, last: float) -> float:
    low, high = span
    share = 0.5 if high <= low else min(max((value - low) / (high - low), 0.0), 1.0)
    return first + share * (last - first)


def _path(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _bar(left: float, top: float, width: float, height: float, text: str) -> str:
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" class="bar">'
        f"<title>{escape(text)}</title></rect>"
    )


def _axes(frame: PlotAxes, marks: Sequence[float], names: Sequence[str], *, whole: bool = False) -> str:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = []
    for tick in ticks(*frame.y, most=5, whole=whole):
        y = frame.place(frame.x[0], tick)[1]
        parts.append(f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" class="rule"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y:.1f}" class="tick up">{tick:g}</text>')
    for mark, name in zip(marks, names, strict=True):
        x = frame.place(mark, frame.y[0])[0]
        parts.append(f'<text x="{x:.1f}" y="{bottom + 14}" class="tick">{escape(name)}</text>')
    middle = (_TOP + bottom) / 2
    centre, low = (_LEFT + right) / 2, _HEIGHT - 8
    turned = f'transform="rotate(-90 12 {middle})"'
    parts.append(f'<text x="{centre}" y="{low}" class="tick">{escape(frame.across)}</text>')
    parts.append(f'<text x="12" y="{middle}" class="tick turned" {turned}>{escape(frame.up)}</text>')
    parts.append(f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" class="axis"/>')
    return "".join(parts)


def _svg(title: str, parts: Sequence[str]) -> Markup:
    return Markup(  # noqa: S704 - the parts are numbers, and texts that were escaped
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"><title>{escape(title)}</title>'
        + "".join(parts)
        + "</svg>"
    )
