"""Cutting bytes into lines: whole, bounded, however the bytes are split."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from protocol.wire.lines import MAX_LINE, LineBuffer


def lines_of(chunks, limit=MAX_LINE):
    buffer = LineBuffer(limit)
    lines = []
    for chunk in chunks:
        buffer.feed(chunk)
        while (line := buffer.next_line()) is not None:
            lines.append(line)
    return lines, buffer


@given(st.binary(max_size=200), st.lists(st.integers(0, 200)))
def test_how_bytes_are_split_makes_no_difference(data, cuts):
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    chunks = [data[a:b] for a, b in itertools.pairwise(edges)]
    lines, buffer = lines_of(chunks, 20)
    whole, other = lines_of([data], 20)
    assert (lines, buffer.dropped, buffer.tail) == (whole, other.dropped, other.tail)


@given(st.binary(max_size=200))
def test_lines_are_what_stands_between_newlines(data):
    lines, buffer = lines_of([data])
    expected = [line.removesuffix(b"\r") for line in data.split(b"\n")[:-1]]
    assert lines == expected
    assert buffer.tail == data.split(b"\n")[-1]


def test_a_line_of_exactly_the_limit_passes_and_a_longer_one_is_dropped_and_counted():
    lines, buffer = lines_of([b"a" * 19 + b"\n" + b"b" * 20 + b"\nc\n"], 20)
    assert lines == [b"a" * 19, b"c"]
    assert buffer.dropped == 1


def test_an_endless_line_holds_no_memory_and_counts_once():
    buffer = LineBuffer()
    for _ in range(100):
        buffer.feed(b"x" * 65_536)
    assert buffer.tail == b""
    buffer.feed(b"end\nreadyok\n")
    assert buffer.next_line() == b"readyok"
    assert buffer.dropped == 1
