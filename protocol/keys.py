"""Declares the keys of a tournament file: type, bounds, default, meaning, and whether a key may change.

A table of keys is a frozen dataclass, and a key of the table is one of its fields::

    margin: Annotated[int, Between(0, 1000, "milliseconds"), Key("The time past its clock.")] = 100

Such a field is the only place for the key's name, type, bounds, default and description. `arena.config` reads
a tournament file by these declarations, with pydantic. The messages about wrong values, the tables in
``docs/reference/tournament-file.md``, and the list of keys that a resumed tournament compares are made from
them, too. A table that is made without a file checks its numbers itself (`KeyTable.check_bounds`).

pydantic is imported only when a file is read: a referee needs tables, but no file.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, Union, get_args, get_origin
from typing import get_type_hints as type_hints

from protocol.words import cut

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, TypeAdapter
    from pydantic_core import CoreSchema

OFF: Final = 0
"""The value in a file that turns a number off. In Python it is None."""

NO_LIMIT: Final = "none"
"""The value in a file that turns a limit off. In Python it is None."""

KeyPath = tuple[str | int, ...]
"""The path to a value: ``("engines", 2, "command")`` is the third engine's command."""


class WrongKey(ValueError):
    """The value of a key is wrong, or does not go with others. The message does not name the key."""

    def __init__(self, key: KeyPath, problem: str) -> None:
        super().__init__(problem)
        self.key = key

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the path, without the places in lists."""
        return tuple(step for step in self.key if isinstance(step, str))


class Change(StrEnum):
    """Whether a key may change between two runs of a tournament. The docs show the values."""

    IDENTITY = "other tournament"
    """The key identifies the tournament."""

    NEVER = "no"
    """The results before and after a change would not be comparable."""

    GROWS = "may grow"
    """Values may be added, but none that has results may go."""

    NEXT_RUN = "next run"
    """A change takes effect with the next `arena run`."""

    ANY_TIME = "yes"
    """A change takes effect with the next `arena run`, or immediately in a ladder that is running."""


@dataclass(frozen=True, slots=True)
class Key:
    """The properties of a key that its type does not have."""

    sentence: str  # the meaning of the key, as Markdown for the docs
    change: Change | None = None  # between two runs; None in an inner table, because the key of that decides
    default: str = ""  # a description of the default, as Markdown; "" if the docs show the default itself
    # Another key of the table, and the values of that key with which this key is allowed; None for all.
    only: tuple[str, tuple[str, ...]] | None = None
    elsewhere: tuple[str, ...] = ()  # the names of the key in other tournament managers


class DocumentedValue(str):
    """The description of a type's values in the docs, as Markdown. It is part of the type's annotation."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Between:
    """The bounds of a number. ``true`` and texts are no numbers, and 1.0 is no whole number."""

    least: float
    most: float
    unit: str = ""  # in the plural
    open: bool = False  # whether the bounds are excluded

    def contain(self, number: float) -> bool:
        """Whether a number is within the bounds."""
        return self.least < number < self.most if self.open else self.least <= number <= self.most

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - any type
        """The schema by which pydantic validates a value."""
        return handler.generate_schema(self.bound(source))

    def bound(self, kind: Any) -> Any:  # noqa: ANN401 - any type
        """The type ``kind`` with these bounds, for pydantic."""
        from pydantic import Field

        if self.open:
            return Annotated[kind, Field(strict=True, gt=self.least, lt=self.most)]
        return Annotated[kind, Field(strict=True, ge=self.least, le=self.most)]

    def __str__(self) -> str:
        words = ("more than", "and less than") if self.open else ("from", "to")
        return f"{words[0]} {self.least} {words[1]} {self.most} {self.unit}".rstrip()


NUMBER: Final = Between(1, 1_000_000)
"""The bounds of numbers of games, rounds and moves. Even for a thousand engines, totals fit into 64 bits."""


class OrOff(Between):
    """The bounds of a whole number that can be off: 0 in the file, None in Python.

    The type of the field may include other values that a file cannot contain, such as a special default.
    """

    __slots__ = ()

    def bound(self, kind: Any) -> Any:  # noqa: ANN401 - any type
        """The type of the values in a file. It does not depend on ``kind``."""
        from pydantic import BeforeValidator

        off = BeforeValidator(lambda value: None if value == OFF and type(value) is int else value)
        return Annotated[Between.bound(self, int | None), off]

    def __str__(self) -> str:
        return f"{Between.__str__(self)}, or {OFF} for off"


class OrUnlimited(Between):
    """The bounds of a whole number that can also be `NO_LIMIT`; bytes also a text such as ``"512M"``."""

    __slots__ = ()

    def bound(self, kind: Any) -> Any:  # noqa: ANN401 - any type
        """The type of the values in a file."""
        from pydantic import PlainValidator

        return Annotated[kind, PlainValidator(self._read)]

    def _read(self, value: object) -> int | None:
        if value == NO_LIMIT:
            return None
        amount = value if type(value) is int else self._size(value)
        if amount is None or not self.contain(amount):
            raise ValueError(f"this must be {self}, not {quoted(value)}")
        return amount

    def _size(self, value: object) -> int | None:
        size = re.fullmatch(r"([0-9]{1,20}) ?([KMG]?)", value) if isinstance(value, str) else None
        if size is None or (size[2] and self.unit != "bytes"):
            return None
        return int(size[1]) * {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[size[2]]

    def __str__(self) -> str:
        size = ', a size such as "512M" (K, M or G)' if self.unit == "bytes" else ""
        return f'{Between.__str__(self)}{size}, or "{NO_LIMIT}" for no limit'


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """A key with its declaration."""

    name: str
    types: tuple[Any, ...]  # of its values in Python, without None
    details: tuple[object, ...]  # the metadata in `Annotated`
    default: Any  # MISSING for a required key

    @property
    def key(self) -> Key:
        """The properties of the key."""
        return next(detail for detail in self.details if isinstance(detail, Key))

    @property
    def bounds(self) -> Between | None:
        """The bounds of a number; None for anything else."""
        return next((detail for detail in self.details if isinstance(detail, Between)), None)

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts to choose from; () for a key with other values."""
        literals = [kind for kind in self.types if get_origin(kind) is Literal]
        return tuple(choice for literal in literals for choice in get_args(literal))

    @property
    def table(self) -> type[KeyTable] | None:
        """The class of the table, or of the tables, that the key contains; None for any other value."""
        kinds = [inner for kind in self.types for inner in (kind, *get_args(kind))]
        return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, KeyTable)), None)


class KeyTable:
    """The base class of all tables. An unknown key is an error, and so are ``nan`` and ``inf``."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    @classmethod
    @cache
    def declarations(cls) -> dict[str, DeclaredKey]:
        """The keys of the table by name, in the order of their declarations. Other fields are no keys."""
        declared = {}
        hints = type_hints(cls, include_extras=True)
        for field in fields(cls):  # type: ignore[arg-type]  # every table is a dataclass
            types, details = _types_and_details(hints[field.name])
            if any(isinstance(detail, Key) for detail in details):
                default = field.default if field.default_factory is MISSING else field.default_factory()
                declared[field.name] = DeclaredKey(field.name, types, details, default)
        return declared

    @classmethod
    @cache
    def reader(cls) -> TypeAdapter[Self]:
        """The pydantic adapter that makes a table from TOML values."""
        from pydantic import TypeAdapter

        return TypeAdapter(cls)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate a table inside another one by an adapter that is built only if a file has the table."""
        from pydantic_core import core_schema

        if handler.field_name is None:
            return handler(source)
        return core_schema.with_info_plain_validator_function(
            lambda value, info: cls.reader().validate_python(value, context=info.context)
        )

    def check_bounds(self, owner: str = "") -> None:
        """Check all numbers of a table that does not come from a file; ``owner`` starts the ValueError."""
        for name, declared in self.declarations().items():
            bounds, value = declared.bounds, getattr(self, name)
            if bounds is not None and isinstance(value, int | float) and not bounds.contain(value):
                limits = Between.__str__(bounds)  # what turns a number off in a file is None here
                raise ValueError(f"{owner}{name}: this must be {limits}, not {quoted(value)}")


def _types_and_details(kind: Any) -> tuple[tuple[Any, ...], tuple[object, ...]]:  # noqa: ANN401 - any type
    """The types of a union without None, and the metadata of `Annotated` around and inside it."""
    if get_origin(kind) is Annotated:
        types, details = _types_and_details(kind.__origin__)
        return types, (*details, *kind.__metadata__)
    if get_origin(kind) in (Union, UnionType):
        members = [_types_and_details(member) for member in get_args(kind) if member is not NoneType]
        return (
            tuple(kind for types, _ in members for kind in types),
            tuple(detail for _, details in members for detail in details),
        )
    return (kind,), ()


# --- words of messages

_KINDS: tuple[tuple[type, str], ...] = (
    (str, "a text in quotes"),
    (dict, "a table"),
    (list, "a list"),
    (dt.date, "a date"),  # with a time or without
    (dt.time, "a time of day"),
)


def kind_of(value: object) -> str:
    """Describe the type of a value: "a table". Numbers, true and false are described by their value."""
    return next((words for kind, words in _KINDS if isinstance(value, kind)), "") or quoted(value)


def quoted(value: object) -> str:
    """Describe a value in a message: texts in quotes, long texts cut, lists and tables by their type."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number of more than 64 bits"  # Python refuses to print numbers of thousands of digits
    if isinstance(value, str):
        return repr(cut(value))
    return str(value) if isinstance(value, int | float) else kind_of(value)


def either(choices: Iterable[str]) -> str:
    """List texts to choose from: ``"lose" or "skip"``."""
    return " or ".join(f'"{choice}"' for choice in choices)
