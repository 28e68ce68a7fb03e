"""Plots as SVG: lines, bars and intervals. The classes of the style sheet set colours and dashes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, pairwise, takewhile
from math import ceil, floor, log10

from markupsafe import Markup, escape

from protocol.words import percent, shortened

STYLES = 8
"""The number of line styles. A plot with more lines uses the styles again from the first one."""

WIDTH = 640
"""The width of a plot that shrinks with the page, in the units of the drawing; a wider one scrolls."""

_HEIGHT = 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 28, 12, 40
_NAME_ROOM = 130
_TAG_HEIGHT = 13
"""The room for names on the right, and the height of the name at the end of a line."""

_LONGEST_TAG = 15

_MAX_BARS = 20
"""The approximate maximum number of bars in a histogram."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot."""

    points: tuple[tuple[float, float], ...]  # x and y, sorted by x
    spread: tuple[float, ...] = ()  # the error of each y, for a band around the line; may be empty
    name: str = ""  # the text at the end of the line; may be empty


@dataclass(frozen=True, slots=True)
class PlotAxes:
    """The title of a plot, and the labels (which may be empty) and ranges of its axes."""

    title: str
    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    y_ticks: tuple[tuple[float, str], ...] = ()  # values and their texts; empty for round numbers
    height: int = _HEIGHT
    width: int = WIDTH
    named: bool = False  # whether the ends of lines have names

    @property
    def right(self) -> int:
        """The right side of the plot. A wide one has room for names."""
        return self.width - (_NAME_ROOM if self.named or self.width > WIDTH else _RIGHT)

    @property
    def bottom(self) -> int:
        """Where the plot ends. Below it is room for the ticks, and for a label if there is one."""
        return self.height - (_BOTTOM if self.x_label else _BOTTOM - 16)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the coordinates of a point in the drawing; a point out of range is moved to the edge."""
        return (
            _scaled(x, self.x_range, _LEFT, self.right),
            _scaled(y, self.y_range, self.bottom, _TOP),
        )


def ticks(low: float, high: float, most: int = 6, *, whole: bool = False) -> list[float]:
    """Return about ``most`` round numbers at equal distances; ``whole`` allows integers only."""
    if high <= low:
        return [low]
    rough = max((high - low) / most, 1.0 if whole else 0.0)
    power = 10 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if power * factor >= rough)
    first = ceil(low / step - 1e-9) * step
    return [
        round(tick, 10) for tick in takewhile(lambda tick: tick <= high + step * 1e-9, count(first, step))
    ]


def line_plot(axes: PlotAxes, series: Sequence[Series], *, cursor: bool = False) -> Markup:
    """Draw lines with the name of each at its end, or with the ``cursor`` of the replay instead."""
    parts = [_axes(axes)]
    if axes.x_range[0] < 0 <= axes.x_range[1]:  # what was before the first ply
        width = axes.place(0, 0)[0] - _LEFT
        height = axes.bottom - _TOP
        parts.append(f'<rect x="{_LEFT}" y="{_TOP}" width="{width:.1f}" height="{height}" class="before"/>')
    ends: list[tuple[float, float, int, str]] = []
    for number, line in enumerate(series):
        if not line.points:
            continue
        look = f"series s{number % STYLES + 1}"
        places = [axes.place(*point) for point in line.points]
        if line.spread:
            upper = [axes.place(x, y + error) for (x, y), error in zip(line.points, line.spread, strict=True)]
            lower = [axes.place(x, y - error) for (x, y), error in zip(line.points, line.spread, strict=True)]
            parts.append(f'<path d="{_path([*upper, *reversed(lower)])}" class="{look} band"/>')
        parts.append(f'<path d="{_path(places)}" class="{look}"/>')
        if line.name:
            ends.append((places[-1][1], places[-1][0], number, line.name))
    parts.append(_cursor(axes) if cursor else "".join(_tags(ends, axes.bottom)))
    return _svg(axes, parts)


def time_bars(axes: PlotAxes, lines: Sequence[Sequence[tuple[float, float]]]) -> Markup:
    """Draw a bar for each ply n, which ends at n; the bars of line 2 point down on a y axis below 0."""
    parts = [_axes(axes)]
    width = max((axes.right - _LEFT) / max(axes.x_range[1] - axes.x_range[0], 1), 1.5)
    zero = axes.place(0, 0)[1]
    for number, line in enumerate(lines):
        sign = -1 if axes.y_range[0] < 0 and number == 1 else 1
        for x, value in line:
            right, end = axes.place(x, sign * value)
            parts.append(
                f'<rect x="{right - width:.1f}" y="{min(zero, end):.1f}" width="{width:.1f}"'
                f' height="{abs(end - zero):.1f}" class="bar s{number % STYLES + 1}"/>'
            )
    return _svg(axes, [*parts, _cursor(axes)])


def _cursor(axes: PlotAxes) -> str:
    """Return the vertical line that the replay moves."""
    return (
        f'<line x1="{_LEFT}" x2="{_LEFT}" y1="{_TOP}" y2="{axes.bottom}" class="cursor"'
        f' data-low="{axes.x_range[0]:g}" data-high="{axes.x_range[1]:g}" data-left="{_LEFT}"'
        f' data-right="{axes.right}"/>'
    )


def histogram(title: str, x_label: str, lengths: Mapping[int, int]) -> Markup:
    """Draw the frequency of each number, with about 20 bars or fewer; there is at least one number."""
    low, high = min(lengths), max(lengths)
    marks = ticks(0, high - low + 1, _MAX_BARS)
    width = max(round(marks[1]) if len(marks) > 1 else 1, 1)
    start = low - low % width
    bars = [0] * ((high - start) // width + 1)
    for length, times in lengths.items():
        bars[(length - start) // width] += times
    axes = PlotAxes(title, x_label, "games", (start, start + width * len(bars)), (0, max(bars)))
    parts = [_axes(axes, whole=True)]
    for number, times in enumerate(bars):
        first = start + number * width
        left, top = axes.place(first, times)
        right, bottom = axes.place(first + width, 0)
        span = str(first) if width == 1 else f"{first} to {first + width - 1}"
        parts.append(_bar(left + 1, top, right - left - 2, bottom - top, f"{span}: {times}"))
    return _svg(axes, parts)


def share_bars(title: str, shares: Sequence[tuple[str, float, tuple[float, float]]]) -> Markup:
    """Draw a bar from 0 to 1 with an interval for each name; a dashed line marks 0.5."""
    axes = PlotAxes(title, "", "score", (0, len(shares)), (0, 1))
    parts = [_axes(axes, [(number + 0.5, name) for number, (name, _, _) in enumerate(shares)])]
    for number, (name, share, (least, most)) in enumerate(shares):
        left, top = axes.place(number + 0.25, share)
        right, bottom = axes.place(number + 0.75, 0)
        parts.append(
            _bar(
                left,
                top,
                right - left,
                bottom - top,
                f"{name}: {percent(share)}, {percent(least)} to {percent(most)}",
            )
        )
        middle, high = axes.place(number + 0.5, most)
        low = axes.place(number + 0.5, least)[1]
        parts.append(
            f'<path d="M{middle:.1f} {high:.1f}V{low:.1f}M{middle - 6:.1f} {high:.1f}h12M{middle - 6:.1f}'
            f' {low:.1f}h12" class="whisker"/>'
        )
    half = axes.place(0, 0.5)[1]
    parts.append(f'<line x1="{_LEFT}" x2="{axes.right}" y1="{half}" y2="{half}" class="half"/>')
    return _svg(axes, parts)


def interval(value: float, error: float, span: tuple[float, float]) -> Markup:
    """Draw an estimate and its interval for a cell of a table, in per cent of the cell's width."""
    left, middle, right = (_scaled(x, span, 8, 92) for x in (value - error, value, value + error))
    zero = _scaled(0, span, 8, 92)
    ends = "".join(
        f'<line x1="{x:.1f}%" x2="{x:.1f}%" y1="5" y2="13" class="whisker"/>' for x in (left, right)
    )
    return Markup(  # noqa: S704 - it contains only numbers
        f'<svg class="interval" role="img" aria-label="{value:.0f} plus or minus {error:.0f}">'
        + (f'<line x1="{zero:.1f}%" x2="{zero:.1f}%" y1="0" y2="18" class="zero"/>' if 8 < zero < 92 else "")
        + f'<line x1="{left:.1f}%" x2="{right:.1f}%" y1="9" y2="9" class="whisker"/>{ends}'
        f'<circle cx="{middle:.1f}%" cy="9" r="4" class="spot"/></svg>'
    )


def _tags(ends: list[tuple[float, float, int, str]], lowest: float) -> Iterator[str]:
    """Yield the names after the ends of lines, moved if they would overlap or lie below the plot."""
    ends = sorted(ends)
    heights = list(accumulate((y for y, *_ in ends), lambda above, y: max(y, above + _TAG_HEIGHT)))
    too_low = max(0.0, *heights, lowest) - lowest
    left = max((x for _, x, *_ in ends), default=0.0) + 5
    for (*_, number, name), y in zip(ends, heights, strict=True):
        look = f"tag series s{number % STYLES + 1}"
        tag = escape(shortened(name, _LONGEST_TAG))
        yield f'<text x="{left:.1f}" y="{y - too_low:.1f}" class="{look}">{tag}</text>'


def _scaled(value: float, span: tuple[float, float], first: float, last: float) -> float:
    low, high = span
    share = 0.5 if high <= low else min(max((value - low) / (high - low), 0.0), 1.0)
    return first + share * (last - first)


def _path(places: Sequence[tuple[float, float]]) -> str:
    """Return a line as the data of a path. Steps in half units are short and alike, so they pack well."""
    halves = [(round(2 * x), round(2 * y)) for x, y in places]
    steps = [f"{(x - a) / 2:g} {(y - b) / 2:g}" for (a, b), (x, y) in pairwise(halves)]
    return "l".join(filter(None, [f"M{halves[0][0] / 2:g} {halves[0][1] / 2:g}", " ".join(steps)]))


def _bar(left: float, top: float, width: float, height: float, text: str) -> str:
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" class="bar">'
        f"<title>{escape(text)}</title></rect>"
    )


def _axes(axes: PlotAxes, names: Sequence[tuple[float, str]] = (), *, whole: bool = False) -> str:
    """Draw the axes, with whole numbers on the x axis unless it has names; ``whole`` also on the y axis."""
    bottom, right = axes.bottom, axes.right
    parts = []
    y_ticks = axes.y_ticks or [(tick, f"{tick:g}") for tick in ticks(*axes.y_range, most=5, whole=whole)]
    for tick, text in y_ticks:
        if not axes.y_range[0] <= tick <= axes.y_range[1]:
            continue
        y = axes.place(axes.x_range[0], tick)[1]
        parts.append(f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" class="rule"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y:.1f}" class="tick up">{escape(text)}</text>')
    for mark, name in names or [(tick, f"{tick:g}") for tick in ticks(*axes.x_range, whole=True)]:
        x = axes.place(mark, axes.y_range[0])[0]
        parts.append(f'<text x="{x:.1f}" y="{bottom + 14}" class="tick">{escape(name)}</text>')
    middle = (_TOP + bottom) / 2
    centre, low = (_LEFT + right) / 2, axes.height - 8
    turned = f'transform="rotate(-90 12 {middle})"'
    if axes.x_label:
        parts.append(f'<text x="{centre}" y="{low}" class="tick">{escape(axes.x_label)}</text>')
    if axes.y_label:
        parts.append(f'<text x="12" y="{middle}" class="tick turned" {turned}>{escape(axes.y_label)}</text>')
    parts.append(f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" class="axis"/>')
    return "".join(parts)


def _svg(axes: PlotAxes, parts: Sequence[str]) -> Markup:
    look = "plot" if axes.width <= WIDTH else "plot broad"
    return Markup(  # noqa: S704 - the parts are numbers and escaped texts
        f'<svg class="{look}" viewBox="0 0 {axes.width} {axes.height}" role="img">'
        f"<title>{escape(axes.title)}</title>{''.join(parts)}</svg>"
    )
