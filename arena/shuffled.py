"""A random order of many numbers, which takes little time and memory, and is the same in every run."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, islice, repeat
from operator import mul
from random import Random

__all__ = ["Shuffled", "shuffled"]

_BUCKET = 4096
"""About how many numbers are in a bucket."""


class Shuffled:
    """The numbers from 0 in the order of random keys, which a seed gives them.

    The order is that of ``sorted(range(count), key=keys.__getitem__)``. To sort a million numbers would take
    a second and 70 MB. So the range of the keys is divided into buckets, and a bucket is sorted when a place
    in it is asked for.

    Args:
        seed: the seed of the keys.
        count: how many numbers there are.
    """

    def __init__(self, seed: str, count: int) -> None:
        self._keys = array("d", islice(iter(Random(seed).random, None), count))
        self._buckets = count // _BUCKET + 1
        sizes = Counter(self._bucket_of_each())
        self._firsts = list(accumulate((sizes[bucket] for bucket in range(self._buckets)), initial=0))
        self._sorted: dict[int, array[int]] = {}

    def _bucket_of_each(self) -> Iterator[int]:
        return map(int, map(mul, self._keys, repeat(self._buckets)))

    def __getitem__(self, place: int) -> int:
        """The number at a place, from 0."""
        bucket = bisect_right(self._firsts, place) - 1
        numbers = self._sorted.get(bucket)
        if numbers is None:
            inside = [number for number, own in enumerate(self._bucket_of_each()) if own == bucket]
            numbers = self._sorted[bucket] = array("I", sorted(inside, key=self._keys.__getitem__))
        return numbers[place - self._firsts[bucket]]


@lru_cache(maxsize=2)  # a tournament makes several books of one list
def shuffled(seed: str, count: int) -> Shuffled:
    """The numbers below ``count`` in the order that a seed decides."""
    return Shuffled(seed, count)
