"""A database on a PostgreSQL server. It needs psycopg, so it is imported only for an address on a server."""

from arena.errors import StoreError

try:
    import psycopg  # noqa: F401 - asked for once, before the modules of this package import it
except ImportError as error:
    raise StoreError(
        "a database on a PostgreSQL server needs psycopg;"
        " install it with: pip install 'leapfrog-arena[postgres]'"
    ) from error
