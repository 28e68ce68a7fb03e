"""Perfect matchings: whether everybody can be paired at all, and still can once two of them are.

Edmonds' algorithm (Paths, trees, and flowers, 1965): a matching grows along augmenting paths, and odd cycles
are shrunk to a single vertex on the way. One search looks at every edge once, so pairing a few hundred
engines greedily, with a search for every attempt, takes no time.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Matching"]

_FREE = -1


class Matching:
    """As many pairs of vertices 0, 1, … as can be made; pairs can be settled for good one by one.

    Args:
        neighbours: for each vertex those with which it may be paired; the relation must be symmetric.

    Attributes:
        single: how many vertices are left over.
    """

    def __init__(self, neighbours: Sequence[Sequence[int]]) -> None:
        self._neighbours = neighbours
        self._mate = [_FREE] * len(neighbours)
        self._settled = [False] * len(neighbours)
        self.single = self._pair()

    def _pair(self) -> int:
        """Pair as many as can be, and say how many are left over."""
        for vertex, neighbours in enumerate(self._neighbours):
            if self._mate[vertex] == _FREE:
                other = next((other for other in neighbours if self._mate[other] == _FREE), None)
                if other is not None:
                    self._mate[vertex], self._mate[other] = other, vertex
        # Who finds no path once never finds one later.
        return sum(
            self._mate[vertex] == _FREE and not self._augment(vertex) for vertex in range(len(self._mate))
        )

    def settle(self, one: int, other: int) -> bool:
        """Pair two neighbours for good, if the rest can then be paired; False, and nothing changed, if not.

        No vertex may be left over: `single` must be 0.
        """
        if self._mate[one] != other:
            left, right = self._mate[one], self._mate[other]
            self._settled[one] = self._settled[other] = True
            self._mate[left] = self._mate[right] = _FREE
            if not self._augment(left):
                self._settled[one] = self._settled[other] = False
                self._mate[left], self._mate[right] = one, other
                return False
        self._settled[one] = self._settled[other] = True
        self._mate[one], self._mate[other] = other, one
        return True

    def release(self, one: int, other: int) -> None:
        """Take back that these two were settled."""
        self._settled[one] = self._settled[other] = False

    def _augment(self, root: int) -> bool:
        """Search for an alternating path from ``root`` to another free vertex, and swap pairs along it."""
        search = _Search(self._mate, root)
        for vertex in search.queue:
            for other in self._neighbours[vertex]:
                if self._settled[other] or search.base[vertex] == search.base[other]:
                    continue
                if search.is_even(other):
                    search.shrink(vertex, other)
                elif search.parent[other] == _FREE:
                    search.parent[other] = vertex
                    if self._mate[other] == _FREE:
                        search.swap(other)
                        return True
                    search.reach(self._mate[other])
        return False


class _Search:
    """One growing tree: even vertices are in the queue, odd ones have a parent."""

    def __init__(self, mate: list[int], root: int) -> None:
        self._mate = mate
        self.parent = [_FREE] * len(mate)
        self.base = list(range(len(mate)))  # of the blossom that a vertex belongs to
        self._members: dict[int, list[int]] = {}  # of each blossom, by its base
        self.queue = [root]
        self._reached = [False] * len(mate)
        self._reached[root] = True
        self._root = root

    def is_even(self, vertex: int) -> bool:
        return vertex == self._root or (
            self._mate[vertex] != _FREE and self.parent[self._mate[vertex]] != _FREE
        )

    def reach(self, vertex: int) -> None:
        if not self._reached[vertex]:
            self._reached[vertex] = True
            self.queue.append(vertex)

    def shrink(self, one: int, other: int) -> None:
        """Make one vertex of the odd cycle that the edge between two even vertices closes."""
        base = self._common(one, other)
        blossom: set[int] = set()
        self._mark(one, base, other, blossom)
        self._mark(other, base, one, blossom)
        merged = self._members.setdefault(base, [base])
        for its_base in sorted(blossom - {base}):
            for vertex in self._members.pop(its_base, (its_base,)):
                self.base[vertex] = base
                self.reach(vertex)
                merged.append(vertex)

    def _common(self, one: int, other: int) -> int:
        """The nearest base that both have on their way to the root."""
        seen = set()
        vertex = one
        while True:
            vertex = self.base[vertex]
            seen.add(vertex)
            if self._mate[vertex] == _FREE:
                break
            vertex = self.parent[self._mate[vertex]]
        vertex = self.base[other]
        while vertex not in seen:
            vertex = self.base[self.parent[self._mate[vertex]]]
        return vertex

    def _mark(self, vertex: int, base: int, child: int, blossom: set[int]) -> None:
        while self.base[vertex] != base:
            mate = self._mate[vertex]
            blossom |= {self.base[vertex], self.base[mate]}
            self.parent[vertex] = child
            child, vertex = mate, self.parent[mate]

    def swap(self, end: int) -> None:
        """Pair along the path that ends at a free vertex."""
        while end != _FREE:
            before = self.parent[end]
            after = self._mate[before]
            self._mate[end], self._mate[before] = before, end
            end = after
