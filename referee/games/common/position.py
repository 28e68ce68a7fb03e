"""The base class of positions: the representation, the hash and the equality of positions."""

from __future__ import annotations

from collections.abc import Hashable

__all__ = ["KeyedPosition"]


class KeyedPosition:
    """A position that is equal to another position of its class if the two have the same key.

    A class whose key leaves something out, such as the variant of the rules, overrides `__eq__`.
    """

    __slots__ = ()

    def key(self) -> Hashable:
        """The part of the position that repetition compares."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __hash__(self) -> int:
        return hash(self.key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.key() == other.key()
