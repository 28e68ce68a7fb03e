"""Maximum matchings in a graph, from which pairs can be fixed one by one.

This is Edmonds' algorithm (Paths, trees, and flowers, 1965). A matching grows along augmenting paths, and odd
cycles (blossoms) are shrunk to a single vertex. One search visits every edge once. So it is fast enough to
pair a thousand engines greedily with one search for each attempt.
"""

from __future__ import annotations

from collections.abc import Sequence

_FREE = -1


class Matching:
    """A matching of the vertices 0, 1, … with as many pairs as possible; ``single`` ones have no partner.

    ``neighbours`` are the vertices that each vertex may be paired with. The relation must be symmetric.
    """

    def __init__(self, neighbours: Sequence[Sequence[int]]) -> None:
        self._neighbours = neighbours
        self._mate = [_FREE] * len(neighbours)
        self._fixed = [False] * len(neighbours)
        self.single = self._pair()

    def _pair(self) -> int:
        for vertex, neighbours in enumerate(self._neighbours):
            if self._mate[vertex] == _FREE:
                partner = next((other for other in neighbours if self._mate[other] == _FREE), None)
                if partner is not None:
                    self._mate[vertex], self._mate[partner] = partner, vertex
        # One search for each free vertex is enough: if it finds no augmenting path, there is none later.
        return sum(
            self._mate[vertex] == _FREE and not self._augment(vertex) for vertex in range(len(self._mate))
        )

    def fix(self, first: int, second: int) -> bool:
        """Fix a pair of neighbours and return True, if all others can still be paired. None may be single."""
        if self._mate[first] != second:
            left, right = self._mate[first], self._mate[second]
            self._fixed[first] = self._fixed[second] = True
            self._mate[left] = self._mate[right] = _FREE
            if right in self._neighbours[left]:  # nearly always: no search is needed
                self._mate[left], self._mate[right] = right, left
            elif not self._augment(left):
                self._fixed[first] = self._fixed[second] = False
                self._mate[left], self._mate[right] = first, second
                return False
        self._fixed[first] = self._fixed[second] = True
        self._mate[first], self._mate[second] = second, first
        return True

    def release(self, first: int, second: int) -> None:
        """Undo `fix` for a pair."""
        self._fixed[first] = self._fixed[second] = False

    def _augment(self, root: int) -> bool:
        """Search for an alternating path from ``root`` to a free vertex, and swap the pairs along it."""
        search = _Search(self._mate, root)
        for vertex in search.queue:
            for neighbour in self._neighbours[vertex]:
                if self._fixed[neighbour] or search.base[vertex] == search.base[neighbour]:
                    continue
                if search.is_even(neighbour):
                    search.shrink(vertex, neighbour)
                elif search.parent[neighbour] == _FREE:
                    search.parent[neighbour] = vertex
                    if self._mate[neighbour] == _FREE:
                        search.swap(neighbour)
                        return True
                    search.reach(self._mate[neighbour])
        return False


class _Search:
    """A search tree. Its even vertices are in the queue, and its odd vertices have a parent."""

    def __init__(self, mate: list[int], root: int) -> None:
        self._mate = mate
        self.parent = [_FREE] * len(mate)
        self.base = list(range(len(mate)))  # of the blossom that each vertex belongs to
        self._members: dict[int, list[int]] = {}  # the vertices of each blossom, by its base
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

    def shrink(self, first: int, second: int) -> None:
        """Shrink the odd cycle that an edge between two even vertices closes to one vertex."""
        base = self._common_base(first, second)
        blossom: set[int] = set()
        self._mark(first, base, second, blossom)
        self._mark(second, base, first, blossom)
        merged = self._members.setdefault(base, [base])
        for old_base in sorted(blossom - {base}):
            for vertex in self._members.pop(old_base, (old_base,)):
                self.base[vertex] = base
                self.reach(vertex)
                merged.append(vertex)

    def _common_base(self, first: int, second: int) -> int:
        """The first base on the way to the root that both vertices have in common."""
        seen = set()
        vertex = first
        while True:
            vertex = self.base[vertex]
            seen.add(vertex)
            if self._mate[vertex] == _FREE:
                break
            vertex = self.parent[self._mate[vertex]]
        vertex = self.base[second]
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
        """Swap the pairs along the path that ends at a free vertex."""
        while end != _FREE:
            before = self.parent[end]
            after = self._mate[before]
            self._mate[end], self._mate[before] = before, end
            end = after
