"""Only machines with a certificate of the cluster talk to each other."""

from __future__ import annotations

import socket
import ssl
import stat
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.config.tournament_keys import check_address
from arena.workers.security import AUTHORITY, MACHINE, make_certificates


def handshake(server: Path, client: Path) -> bool:
    """Return whether a client can talk to a server; each has a folder with its certificates."""

    def context(folder: Path, purpose: ssl.Purpose) -> ssl.SSLContext:
        made = ssl.create_default_context(purpose, cafile=str(folder / AUTHORITY))
        made.check_hostname, made.verify_mode = False, ssl.CERT_REQUIRED
        made.verify_flags |= ssl.VERIFY_X509_STRICT  # as Python 3.13 does by default
        made.load_cert_chain(folder / MACHINE)
        return made

    ours, theirs = socket.socketpair()
    accepted: list[bool] = []

    def serve() -> None:
        try:
            with context(server, ssl.Purpose.CLIENT_AUTH).wrap_socket(ours, server_side=True) as secure:
                accepted.append(secure.recv(1) == b"x")
        except ssl.SSLError:
            accepted.append(False)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with context(client, ssl.Purpose.SERVER_AUTH).wrap_socket(theirs) as secure:
            secure.send(b"x")
    except (ssl.SSLError, OSError):
        theirs.close()
    thread.join(10)
    return accepted == [True]


def test_machines_of_a_cluster_know_each_other_and_nobody_else(tmp_path: Path) -> None:
    for name in ("ours", "others"):
        assert len(make_certificates(tmp_path / name)) == 3
    assert handshake(tmp_path / "ours", tmp_path / "ours")
    (tmp_path / "others" / AUTHORITY).write_bytes((tmp_path / "ours" / AUTHORITY).read_bytes())
    assert not handshake(tmp_path / "ours", tmp_path / "others")


def test_keys_are_secret_and_are_not_replaced(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["worker", "--new-certificates", str(tmp_path)])
    assert done.exit_code == 0
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {
        "ca.pem": 0o644,
        "ca-key.pem": 0o600,
        "machine.pem": 0o600,
    }
    again = CliRunner().invoke(main, ["worker", "--new-certificates", str(tmp_path)])
    assert again.exit_code == 2
    assert "machine.pem: this file exists already" in again.stderr


def test_another_certificate_of_the_same_authority_can_be_made(tmp_path: Path) -> None:
    first = tmp_path / "first"
    make_certificates(first)
    (first / MACHINE).rename(tmp_path / MACHINE)
    (tmp_path / AUTHORITY).write_bytes((first / AUTHORITY).read_bytes())
    assert make_certificates(first) == [first / MACHINE]
    assert handshake(first, tmp_path)


@pytest.mark.parametrize(
    "address",
    ["tcp://localhost:1", "tcp://127.0.0.1:65535", "tcp://[::1]:8786", "tls://10.1.2.3:8786", "tls://hub:1"],
)
def test_an_address_is_safe_on_this_machine_or_encrypted(address: str) -> None:
    assert check_address(address) == address


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("tcp://10.1.2.3:8786", "could run programs on all your machines"),
        ("tcp://hub:8786", "could run programs on all your machines"),
        ("tcp://127.0.0.1.example.org:8786", "could run programs on all your machines"),
        ("tls://hub", "must be an address such as tls://hub:8786"),
        ("tls://hub:0", "must be an address"),
        ("tls://hub:65536", "must be an address"),
        ("ucx://hub:8786", "must be an address"),
    ],
)
def test_another_address_is_refused(address: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_address(address)
