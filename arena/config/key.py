"""The classes that declare the keys of a tournament file.

A table of the file is a frozen dataclass, and a key of the table is one of its fields::

    margin: Annotated[int, Between(0, 1000, "milliseconds"), Key("The time past its clock.")] = 100

Such a field is the only place for the key's name, type, bounds, default and description, and it says when the
key may change. pydantic validates a table by the types (`arena.config.validation`). The messages about wrong
values, the tables in ``docs/reference/tournament-file.md``, and the list of keys that a resumed tournament
compares are made from the declarations, too.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, Literal, Self, Union, get_args, get_origin

from pydantic import BeforeValidator, ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema

__all__ = ["OFF", "Between", "Change", "DeclaredKey", "DocumentedValue", "Key", "KeyTable", "OrOff"]

OFF: Final = 0
"""The value in a file that turns a number off. In Python it is None."""


class Change(StrEnum):
    """Whether a key may change between two runs of a tournament. The docs show the values."""

    IDENTITY = "other tournament"
    """The key identifies the tournament."""

    NEVER = "no"
    """The results before and after a change would not be comparable."""

    NEXT_RUN = "next run"
    """A change takes effect with the next `arena run`."""

    ANY_TIME = "yes"
    """A change takes effect with the next `arena run`, or at once in a ladder that is running."""


@dataclass(frozen=True, slots=True)
class Key:
    """The properties of a key that its type does not have.

    Attributes:
        sentence: the meaning of the key, as Markdown for the docs.
        change: whether the key may change between two runs; None for a key in an inner table, because the key
            of that table decides.
        default: a description of the default, as Markdown; "" if the docs show the default itself.
        only: a condition: the name of another key in the table, and the values of that key with which this
            key is allowed; None without a condition.
        elsewhere: the names of the key in other tournament managers.
    """

    sentence: str
    change: Change | None = None
    default: str = ""
    only: tuple[str, tuple[str, ...]] | None = None
    elsewhere: tuple[str, ...] = ()


class DocumentedValue(str):
    """The description of a type's values in the docs, as Markdown. It is part of the type's annotation."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Between:
    """The bounds of a number.

    ``true`` and texts are not accepted as numbers, and 1.0 is not accepted as a whole number.

    Attributes:
        least, most: the bounds.
        unit: the unit in the plural; "" for a number without one.
        open: whether the bounds are excluded.
    """

    least: float
    most: float
    unit: str = ""
    open: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - any type
        """The schema by which pydantic validates a value."""
        return handler.generate_schema(self.bound(source))

    def bound(self, kind: Any) -> Any:  # noqa: ANN401 - any type
        """The type ``kind`` with these bounds."""
        if self.open:
            return Annotated[kind, Field(strict=True, gt=self.least, lt=self.most)]
        return Annotated[kind, Field(strict=True, ge=self.least, le=self.most)]

    def __str__(self) -> str:
        words = ("more than", "and less than") if self.open else ("from", "to")
        return f"{words[0]} {self.least} {words[1]} {self.most} {self.unit}".rstrip()


class OrOff(Between):
    """The bounds of a whole number that can be off: 0 in the file, None in Python.

    The type of the field may include other values that a file cannot contain, such as a special default.
    """

    __slots__ = ()

    def bound(self, kind: Any) -> Any:  # noqa: ANN401 - any type
        """The type of the values in a file. It does not depend on ``kind``."""
        off = BeforeValidator(lambda value: None if value == OFF and type(value) is int else value)
        return Annotated[Between.bound(self, int | None), off]

    def __str__(self) -> str:
        return f"{Between.__str__(self)}, or {OFF} for off"


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """A key with its declaration.

    Attributes:
        name: the key.
        types: the types of its values in Python, without None.
        details: the metadata in `Annotated`.
        default: the field's default; MISSING for a required key.
    """

    name: str
    types: tuple[Any, ...]
    details: tuple[object, ...]
    default: Any

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
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False)

    @classmethod
    @cache
    def declarations(cls) -> dict[str, DeclaredKey]:
        """The keys of the table by name, in the order of their declarations."""
        declared = {}
        for field in fields(cls):  # type: ignore[arg-type]  # every table is a dataclass
            default = field.default if field.default_factory is MISSING else field.default_factory()
            declared[field.name] = DeclaredKey(field.name, *_types_and_details(field.type), default)
        return declared

    @classmethod
    @cache
    def reader(cls) -> TypeAdapter[Self]:
        """The pydantic adapter that makes a table from TOML values."""
        return TypeAdapter(cls)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate a table inside another table by its own adapter.

        pydantic then builds the schema of an inner table only if a file has that table. This saves time,
        because most files have few of them.
        """
        if handler.field_name is None:
            return handler(source)
        return core_schema.with_info_plain_validator_function(
            lambda value, info: cls.reader().validate_python(value, context=info.context)
        )


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
