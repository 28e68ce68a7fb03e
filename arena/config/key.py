"""How a key of the tournament file is declared.

A table of the file is a frozen dataclass, and a key of the table is one of its fields::

    margin: Annotated[int, Between(0, 1000, "milliseconds"), Key("Milliseconds that are forgiven.")] = 100

This is the only place for the key's name, type, bounds, default and sentence, and for when it may change.
pydantic reads the table by the types (`arena.config.validation`). The messages about wrong values, the tables
in ``docs/reference/tournament-file.md``, and what a resumed tournament compares follow from the rest.
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
"""What a file says for a number that is off; in Python that is None."""


class Change(StrEnum):
    """Whether a key may have another value when its tournament goes on; the values stand in the docs."""

    IDENTITY = "other tournament"
    """The key says which tournament this is."""

    NEVER = "no"
    """Results with another value would not be comparable."""

    NEXT_RUN = "next run"
    """A new value holds from the next `arena run` on."""

    ANY_TIME = "yes"
    """A new value holds from the next `arena run` on; a ladder that is running takes it over at once."""


@dataclass(frozen=True, slots=True)
class Key:
    """What a declaration says beside the type.

    Attributes:
        sentence: what the key means, as Markdown for the docs.
        change: whether it may change in a tournament that goes on; None for a key inside a table, which goes
            by the table's.
        default: the default in words, as Markdown, where the field's own default does not say it.
        only: another key of the table, and the values of it with which this key goes; None for any.
        elsewhere: what other tournament managers call it.
    """

    sentence: str
    change: Change | None = None
    default: str = ""
    only: tuple[str, tuple[str, ...]] | None = None
    elsewhere: tuple[str, ...] = ()


class DocumentedValue(str):
    """What the docs call the values of a type, as Markdown; for types that don't say it themselves."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Between:
    """The bounds of a number. ``true`` and texts are no numbers, and 1.0 is no whole number.

    Attributes:
        least, most: the bounds.
        unit: what is counted, in the plural; "" for a plain number.
        open: whether the bounds themselves are excluded.
    """

    least: float
    most: float
    unit: str = ""
    open: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - any type
        """What pydantic is to hold a value to."""
        return handler.generate_schema(self.bound(source))

    def bound(self, kind: Any) -> Any:  # noqa: ANN401 - any type
        """A type of numbers with these bounds."""
        if self.open:
            return Annotated[kind, Field(strict=True, gt=self.least, lt=self.most)]
        return Annotated[kind, Field(strict=True, ge=self.least, le=self.most)]

    def __str__(self) -> str:
        words = ("more than", "and less than") if self.open else ("from", "to")
        return f"{words[0]} {self.least} {words[1]} {self.most} {self.unit}".rstrip()


class OrOff(Between):
    """The bounds of a whole number that may be off: 0 in the file, None in Python.

    The field's type may have other values, too, such as a default that no file can write.
    """

    __slots__ = ()

    def bound(self, kind: Any) -> Any:  # noqa: ANN401 - any type
        """What may stand in the file, whatever else the field's type has."""
        off = BeforeValidator(lambda value: None if value == OFF and type(value) is int else value)
        return Annotated[Between.bound(self, int | None), off]

    def __str__(self) -> str:
        return f"{Between.__str__(self)}, or {OFF} for off"


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """A key as its table declares it.

    Attributes:
        name: the key.
        types: what its values may be in Python, None excluded.
        details: what `Annotated` says beside that.
        default: the field's default; MISSING for a key that the file must have.
    """

    name: str
    types: tuple[Any, ...]
    details: tuple[object, ...]
    default: Any

    @property
    def key(self) -> Key:
        """The declaration's words."""
        return next(detail for detail in self.details if isinstance(detail, Key))

    @property
    def bounds(self) -> Between | None:
        """The bounds of a number; None for anything else."""
        return next((detail for detail in self.details if isinstance(detail, Between)), None)

    @property
    def words(self) -> tuple[str, ...]:
        """The only texts that the key takes; () for a key that takes other values."""
        choices = [kind for kind in self.types if get_origin(kind) is Literal]
        return tuple(word for choice in choices for word in get_args(choice))

    @property
    def table(self) -> type[KeyTable] | None:
        """The table that the key holds, or holds several of; None for any other value."""
        kinds = [inner for kind in self.types for inner in (kind, *get_args(kind))]
        return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, KeyTable)), None)


class KeyTable:
    """The base of all tables. A key that is not declared is an error, and so are ``nan`` and ``inf``."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False)

    @classmethod
    @cache
    def declarations(cls) -> dict[str, DeclaredKey]:
        """The keys of the table, by name, in the order in which they are declared."""
        declared = {}
        for field in fields(cls):  # type: ignore[arg-type]  # every table is a dataclass
            default = field.default if field.default_factory is MISSING else field.default_factory()
            declared[field.name] = DeclaredKey(field.name, *_taken_apart(field.type), default)
        return declared

    @classmethod
    @cache
    def reader(cls) -> TypeAdapter[Self]:
        """What makes a table of TOML values."""
        return TypeAdapter(cls)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Let pydantic make the reader of a table inside another when a file has one: most files have few."""
        if handler.field_name is None:
            return handler(source)
        return core_schema.with_info_plain_validator_function(
            lambda value, info: cls.reader().validate_python(value, context=info.context)
        )


def _taken_apart(kind: Any) -> tuple[tuple[Any, ...], tuple[object, ...]]:  # noqa: ANN401 - any type
    """The types of a union without None, and what `Annotated` says around and inside it."""
    if get_origin(kind) is Annotated:
        types, details = _taken_apart(kind.__origin__)
        return types, (*details, *kind.__metadata__)
    if get_origin(kind) in (Union, UnionType):
        parts = [_taken_apart(part) for part in get_args(kind) if part is not NoneType]
        return (
            tuple(kind for types, _ in parts for kind in types),
            tuple(detail for _, details in parts for detail in details),
        )
    return (kind,), ()
