"""Connections to a server, with the settings that arena needs."""

from __future__ import annotations

from typing import Final

import psycopg

from arena.address import ServerAddress
from arena.errors import StoreError

__all__ = ["OLDEST", "connect"]

OLDEST: Final = 12
"""The oldest version of the server that arena uses."""

_DEFAULTS: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "30000",
}
"""Parameters of libpq, unless the address sets them. With these values, arena notices within a minute that
the server is gone."""

_SETTINGS: Final = (
    "SET extra_float_digits = 1",  # every digit of a number, also in checksums
    "SET timezone = 'UTC'",
    "SET client_min_messages = 'warning'",
)


def connect(address: ServerAddress, name: str) -> psycopg.Connection:
    """Open a connection. It waits at most ten seconds, unless the address says otherwise.

    Args:
        address: the database.
        name: what the server calls this program, of at most 63 bytes.

    Raises:
        psycopg.Error: there is no connection.
        StoreError: the server is too old, or its texts are not UTF-8.
    """
    given = psycopg.conninfo.conninfo_to_dict(address.url)
    more = {key: value for key, value in _DEFAULTS.items() if key not in given}
    more |= {"application_name": name, "client_encoding": "UTF8"}
    connection = psycopg.connect(psycopg.conninfo.make_conninfo(address.url, **more), autocommit=True)
    try:
        _check_server(address, connection)
        for setting in _SETTINGS:
            connection.execute(setting)
        connection.autocommit = False
    except BaseException:
        connection.close()
        raise
    return connection


def _check_server(address: ServerAddress, connection: psycopg.Connection) -> None:
    version = connection.info.server_version // 10000
    if version < OLDEST:
        raise StoreError(f"{address}: the server is PostgreSQL {version}, and arena needs {OLDEST} or newer")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreError(
            f"{address}: the texts of this database are {encoding}; create one with the encoding UTF8"
        )
