"""A PostgreSQL server of the tests' own: in a temporary folder, without a port, for all processes of pytest.

The first test that needs the server starts it; `pytest_unconfigure` stops it. Its default collation is
English, because C is not the default on most machines. So a test notices if an order depends on it.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.address import Address, ServerAddress
from tests.missing_tools import needs
from tests.tools import find

FOLDER = "ARENA_TEST_POSTGRES"
"""The environment variable with the folder of the shared server."""


def _user() -> tuple[str, str] | None:
    """Return the user and the group of the server; None for the ones of this process.

    It is not the user nobody, if there is another one: hostile engines of other tests end what they can.
    """
    if os.geteuid():
        return None
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return "nobody", "nogroup"
    return "postgres", "postgres"


USER = _user()

PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER = 36, 37

OPTIONS = "-c fsync=off -c full_page_writes=off -c shared_buffers=16MB"


@dataclass(frozen=True, slots=True)
class Postgres:
    """A server, which may be stopped.

    Attributes:
        folder: has its data and its socket.
    """

    folder: Path

    def start(self) -> None:
        """Start the server, and wait until it takes connections. Make its data first if there are none."""
        if not self._data.exists():
            locale = ("--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en")
            self._run("initdb", "--no-sync", "--username=arena", "--auth=trust", *locale)
        options = f"-k {self.folder} -c listen_addresses='' {OPTIONS}"
        words = ("--wait", "--silent", f"--log={self.folder / 'log'}", f"--options={options}")
        with _leaving_orphans():
            self._run("pg_ctl", "start", *words)

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; with the mode ``immediate`` as a crash does."""
        self._run("pg_ctl", "stop", "--wait", "--silent", f"--mode={mode}")

    @property
    def running(self) -> bool:
        """Whether the server was started and not stopped."""
        return (self._data / "postmaster.pid").exists()

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _run(self, program: str, *arguments: str) -> None:
        path = Path(find("postgresql") or program).with_name(program)
        command = [str(path), f"--pgdata={self._data}", *arguments]
        # The server refuses to run as root.
        user = dict(zip(("user", "group"), USER, strict=True)) | {"extra_groups": ()} if USER else {}
        with (self.folder / "output").open("w+") as output:
            done = subprocess.run(
                command,
                check=False,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                **user,
            )
            output.seek(0)
            text = output.read()
        if done.returncode:
            raise RuntimeError(f"{program}: {text}")

    def url(self, name: str) -> str:
        """Return the address of a database."""
        return f"postgresql://arena@/{name}?host={self.folder}"

    def execute(self, *statements: str, database: str = "postgres") -> None:
        """Execute statements, each in a transaction of its own."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)  # type: ignore[call-overload]  # tests write them

    def value(self, query: str, database: str) -> Any:
        """Return the first value that a query gives."""
        import psycopg

        with psycopg.connect(self.url(database)) as connection:
            row = connection.execute(query).fetchone()  # type: ignore[call-overload]  # as above
            return None if row is None else row[0]

    @contextmanager
    def database(self) -> Iterator[str]:
        """Make an empty database; the value is its address."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def _leaving_orphans() -> Iterator[None]:
    """Let orphans become children of the first process, also after tests of `protocol.process.lifetime`.

    Otherwise the server, which `pg_ctl` leaves behind, could become a child of this process. A test in which
    this process kills the orphans of an engine would kill it.
    """
    prctl = ctypes.CDLL(None).prctl
    adopting = ctypes.c_int()
    prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(adopting), 0, 0, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    try:
        yield
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, adopting.value, 0, 0, 0)


@contextmanager
def new_server() -> Iterator[Postgres]:
    """Make a server that a test may stop and start; it is not started."""
    folder = _new_folder()
    server = Postgres(folder)
    try:
        yield server
    finally:
        if server.running:
            server.stop("immediate")
        shutil.rmtree(folder)


def _new_folder() -> Path:
    # The path of a socket has at most 107 bytes, so this is not in the folder of the test.
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))
    folder.chmod(0o755)
    if USER:
        shutil.chown(folder, *USER)
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Choose the folder of the server; the processes of xdist inherit it."""
    if not hasattr(config, "workerinput"):
        os.environ[FOLDER] = str(_new_folder())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server, and remove its folder."""
    if not hasattr(config, "workerinput"):
        server = Postgres(Path(os.environ.pop(FOLDER)))
        if server.running:
            server.stop("immediate")
        shutil.rmtree(server.folder)


@pytest.fixture(scope="session")
def postgres() -> Postgres:
    """The shared server, running. A test that stops it uses `new_server` instead."""
    server = Postgres(Path(os.environ[FOLDER]))
    with (server.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not server.running:
            server.start()
    return server


FILE_OR_SERVER = ("file", pytest.param("server", marks=(needs("postgresql"), pytest.mark.system)))
"""The parameters of a test that runs with a database in a file, and with one on the server."""


@pytest.fixture(params=FILE_OR_SERVER)
def address(request: pytest.FixtureRequest) -> Iterator[Address]:
    """Where a test makes a database: once in a file, and once on the server."""
    if request.param == "file":
        yield request.getfixturevalue("tmp_path") / "arena.db"
    else:
        yield ServerAddress(request.getfixturevalue("server_database"))


@pytest.fixture
def server_database(postgres: Postgres) -> Iterator[str]:
    """The address of an empty database on the server."""
    with postgres.database() as address:
        yield address
