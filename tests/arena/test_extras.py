"""The extras: without one, a sentence says what to install, and nothing else fails."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arena import extras
from arena.errors import ArenaError


def test_a_missing_package_is_named_by_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    extras.need_extra("dask", "games on many machines")
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(
        ArenaError,
        match=r"^games on many machines need more packages: pip install 'leapfrog-arena\[dask\]'$",
    ):
        extras.need_extra("dask", "games on many machines")


EXTRAS = (
    "distributed cryptography itsdangerous python_multipart trio_websocket PIL resvg_py psycopg chess"
    " pettingzoo gymnasium pyspiel"
)


def test_a_run_and_a_server_import_no_package_of_an_extra() -> None:
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({EXTRAS.split()}));"
        "import arena.api, arena.cli.run, arena.cli.pages, arena.run.tournament, arena.web.server.app,"
        " arena.web.server.club, arena.web.report"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
