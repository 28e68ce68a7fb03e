"""The proxies of the how-to in front of a door: their configuration is taken from the page as it is."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from arena.door.client import Door
from arena.errors import ArenaError
from tests.arena.forked import forked
from tests.arena.invoking import invoke
from tests.missing_tools import needs
from tests.processes import wait_for
from tests.tools import find

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "a-course-of-forty.md"
ENGINES = 'engines = [{ name = "a", command = "sh" }, { name = "b", command = "sh" }]'


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def certify(folder: Path) -> None:
    """Write a certificate of this machine that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    certificate = (
        builder.not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    kind = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, *kind))


def written(kind: str) -> str:
    """Return the configuration that the how-to shows."""
    pattern = {"caddy": r"```text\n(arena\.example\.org \{.*?)```", "nginx": r"```nginx\n(.*?)```"}[kind]
    shown = re.search(pattern, PAGE.read_text(), re.DOTALL)
    assert shown is not None
    return shown[1]


def command(kind: str, folder: Path, port: int, door: int) -> list[str]:
    """Write the configuration for this machine, and return the command of the proxy."""
    text = written(kind).replace("127.0.0.1:8321", f"127.0.0.1:{door}")
    file = folder / kind
    program = find(kind)
    assert program is not None
    if kind == "caddy":
        tls = f"localhost:{port} {{\n\ttls {folder}/cert.pem {folder}/key.pem"
        file.write_text(
            "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + text.replace("arena.example.org {", tls)
        )
        return [program, "run", "--config", str(file), "--adapter", "caddyfile"]
    for before, after in (
        ("listen 443 ssl;", f"listen {port} ssl;"),
        ("arena.example.org;", "localhost;"),
        ("/etc/letsencrypt/live/arena.example.org/fullchain.pem", f"{folder}/cert.pem"),
        ("/etc/letsencrypt/live/arena.example.org/privkey.pem", f"{folder}/key.pem"),
    ):
        assert before in text
        text = text.replace(before, after)
    folders = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    lines = [f"{name}_temp_path {folder}/{name};" for name in folders]
    user = ["user root;"] if os.geteuid() == 0 else []  # another user could not write there
    head = [*user, f"pid {folder}/pid;", "error_log stderr;", "events {}"]
    file.write_text("\n".join([*head, "http {", "access_log off;", *lines, text, "}\n"]))
    return [program, "-c", str(file), "-e", "stderr", "-g", "daemon off;"]


@contextmanager
def behind(kind: str, folder: Path) -> Iterator[str]:
    """Serve a door behind a proxy with TLS; yields the link of ann."""
    port, door = free_port(), free_port()
    certify(folder)
    file = folder / "league.toml"
    file.write_text(
        f'game = "quoridor"\nformat = "ladder"\n{ENGINES}\n[door]\nurl = "https://localhost:{port}"\n'
        'bots = "both"\n'
    )
    link = invoke("door", "invite", file, "ann").stdout.split()[1]
    environment = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    errors = folder / "errors"
    with errors.open("wb") as output:
        proxy = subprocess.Popen(
            command(kind, folder, port, door), stderr=output, env=environment, cwd=folder
        )
    try:
        with forked("door", "pages", file, "--port", door, cwd=folder) as pages:
            wait_for(lambda: pages.stdout.endswith("/door/\n"), "it does not serve")
            wait_for(lambda: listens(port), f"{kind} does not listen: {errors.read_text()}", 20)
            yield link
    finally:
        proxy.terminate()
        proxy.wait(20)


def listens(port: int) -> bool:
    try:
        socket.create_connection(("localhost", port), 1).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=needs(kind)) for kind in ("caddy", "nginx")])
def test_a_door_works_behind_the_proxy_of_the_how_to(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    with behind(kind, tmp_path) as link:
        urllib.request.install_opener(urllib.request.build_opener())  # it knows this certificate
        with urllib.request.urlopen(link, timeout=10) as shown:
            assert b"Come in as ann" in shown.read()
        origin = link.partition("/door/")[0]
        entering = urllib.request.Request(link, b"", {"origin": origin, "sec-fetch-site": "same-origin"})
        with urllib.request.build_opener(Stays).open(entering, timeout=10) as answer:
            assert (answer.status, answer.headers["location"]) == (303, "/door/")
            assert "Secure" in answer.headers["set-cookie"]
        door = Door.of_link(link)
        number, version = door.hand_in("bot.py", b"#" * 5_200_000)  # nearly as much as `upload` allows
        assert version == 1
        assert door.look(number)["state"] == "waiting"
        with pytest.raises(ArenaError) as refused:
            door.hand_in(
                "bot.py", b"#" * 5_400_000
            )  # the proxy lets it pass, and the door says why it does not
        assert "the upload is larger than" in str(refused.value)
        with urllib.request.urlopen(f"{origin}/api/events", timeout=10) as events:
            assert events.readline()  # immediately: the proxy does not wait for more
        bot = [sys.executable, "-c", "input()"]
        with forked("connect", link, "--", *bot, cwd=tmp_path) as home:
            wait_for(lambda: "connected as ann, version 2, in league" in home.stderr, "it does not connect")
            home.send_signal(signal.SIGINT)
            assert home.wait(20) == 0


class Stays(urllib.request.HTTPRedirectHandler):
    """Gives an answer that leads elsewhere to the caller."""

    def http_error_303(self, _request, answer, *_: object):
        return answer
