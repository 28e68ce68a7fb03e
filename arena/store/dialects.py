"""Types of columns, and expressions, that SQLite and PostgreSQL write differently, except for checksums.

The other modules of the store use these names, and SQLAlchemy writes the words of the database.
`arena.store.file` and `arena.store.server` have the parts that only one database needs.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import BigInteger, Column, ColumnElement, Integer, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

__all__ = ["TEXT", "WHOLE", "exact_text", "from_table"]

TEXT: Final = String().with_variant(String(collation="C"), "postgresql")
"""The type of texts. They are sorted by code points, as SQLite does, whatever language the server speaks."""

WHOLE: Final = BigInteger().with_variant(Integer(), "sqlite")
"""The type of whole numbers. SQLite's INTEGER has 64 bits, and numbers rows by itself only with this name."""


class _FromTable(FunctionElement[Any]):
    inherit_cache = True

    def __init__(self, column: Column[Any]) -> None:
        super().__init__(column)
        self.type = column.type


def from_table(column: Column[Any]) -> ColumnElement[Any]:
    """Return the column for a condition without its index, because a damaged index of a file would hide rows.

    A statement must also use a column that no index has, for example ``checksum``. Otherwise SQLite may read
    the index instead of the table.
    """
    return _FromTable(column)


class _ExactText(FunctionElement[str]):
    inherit_cache = True
    type = String()


def exact_text(column: ColumnElement[float]) -> ColumnElement[str]:
    """Return a number as a text with every digit."""
    return _ExactText(column)


@compiles(_FromTable)
def _server_column(element: _FromTable, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own signature
    return compiler.process(element.clauses, **options)


@compiles(_FromTable, "sqlite")
def _file_column(element: _FromTable, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - as above
    return f"+{compiler.process(element.clauses, **options)}"


@compiles(_ExactText)
def _server_number(element: _ExactText, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - as above
    return f"CAST({compiler.process(element.clauses, **options)} AS TEXT)"


@compiles(_ExactText, "sqlite")
def _file_number(element: _ExactText, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - as above
    return f"quote({compiler.process(element.clauses, **options)})"
