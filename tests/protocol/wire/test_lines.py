"""Tests of the line buffer: complete lines, bounded memory, and any split of the bytes."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.wire.session import MAX_LINE, LineBuffer


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


@pytest.mark.parametrize(
    ("chunks", "expected", "tail"),
    [
        ([b"one\ntwo\n"], [b"one", b"two"], b""),
        ([b"on", b"e", b"\ntwo"], [b"one"], b"two"),
        ([b"on", b"e\ntw", b"o\n"], [b"one", b"two"], b""),
        ([b"", b"\n", b"\n\n", b""], [b"", b"", b""], b""),
        ([b"one", b""], [], b"one"),
        ([b"one\r\ntwo\r", b"\n"], [b"one", b"two"], b""),
        ([b"\r", b"\n\rthree\r\r\n"], [b"", b"\rthree\r"], b""),
        ([b"one\rtwo\n"], [b"one\rtwo"], b""),
        ([b"one\r"], [], b"one\r"),
    ],
)
def test_lines_end_at_lf_and_lose_one_cr_before_it(chunks, expected, tail):
    lines, buffer = lines_of(chunks)
    assert (lines, buffer.tail, buffer.dropped) == (expected, tail, 0)


@pytest.mark.parametrize(
    ("chunks", "expected", "dropped", "tail"),
    [
        ([b"1234\n"], [b"1234"], 0, b""),  # five bytes with its LF
        ([b"12345\n"], [], 1, b""),
        ([b"1234", b"\n"], [b"1234"], 0, b""),
        ([b"123", b"45\n"], [], 1, b""),
        ([b"12345", b"\n6\n"], [b"6"], 1, b""),
        ([b"12345", b"67", b"89012345", b"\n6\n7"], [b"6"], 1, b"7"),
        ([b"12345", b"67"], [], 1, b""),
        ([b"12345", b"\n", b"1\n"], [b"1"], 1, b""),
        ([b"12345", b"\n12", b"34\n"], [b"1234"], 1, b""),
        ([b"12345", b"6\n123456\n1\n"], [b"1"], 2, b""),
        ([b"12345\n1\n12345\n", b"12345\n2\n"], [b"1", b"2"], 3, b""),
        ([b"12345", b"\n12345", b"\n12345", b"\n"], [], 3, b""),
        ([b"1\n12345"], [b"1"], 1, b""),
        ([b"1234\r\n"], [], 1, b""),
    ],
)
def test_a_longer_line_is_dropped_up_to_its_lf_and_counted_once(chunks, expected, dropped, tail):
    lines, buffer = lines_of(chunks, 5)
    assert (lines, buffer.dropped, buffer.tail) == (expected, dropped, tail)


def test_a_line_has_64_kib_at_most():
    assert LineBuffer().limit == MAX_LINE == 64 * 1024


def test_lines_wait_until_they_are_asked_for():
    buffer = LineBuffer()
    assert buffer.next_line() is None
    buffer.feed(b"one\ntwo\n")
    buffer.feed(b"three\n")
    assert [buffer.next_line() for _ in range(4)] == [b"one", b"two", b"three", None]


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


@pytest.mark.parametrize(
    ("data", "some"),
    [
        (b"", False),
        (b"one\n", False),
        (b"one\ntwo", True),
        (b"much too long", True),
        (b"much too long\n", False),
        (b"much too long\ntwo", True),
    ],
)
def test_a_buffer_is_empty_when_all_lines_were_read_and_none_has_started(data: bytes, some: bool) -> None:
    assert bool(lines_of([data], 8)[1]) == some


def test_a_buffer_with_a_line_that_was_not_read_is_not_empty() -> None:
    buffer = LineBuffer()
    buffer.feed(b"one\ntwo\n")
    assert buffer.next_line() == b"one"
    assert buffer
