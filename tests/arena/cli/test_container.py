"""The image of the Dockerfile does what the page on containers says."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.door.client import Door
from tests.missing_tools import needs
from tests.processes import PATIENCE, wait_for

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/howto/containers.md").read_text()

pytestmark = [pytest.mark.system, needs("docker")]


def block(language: str, *words: str) -> str:
    """The only block of the page in this language that has these words."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (found,) = [one for one in blocks if all(word in one for word in words)]
    return found


class Docker:
    """The commands of the page, in a folder that every user may write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, script: str, folder: Path | None = None) -> str:
        done = subprocess.run(
            ["sh", "-e", "-c", script],
            cwd=folder or self.folder,
            capture_output=True,
            text=True,
            timeout=10 * PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def serving(self, script: str) -> Iterator[int]:
        """Run a server until the end of the block, then press Ctrl-C; yields its port on this machine."""
        with socket.create_server(("127.0.0.1", 0)) as one:
            port = one.getsockname()[1]
        script = script.replace("127.0.0.1:8321:", f"127.0.0.1:{port}:")
        with subprocess.Popen(["sh", "-c", f"exec {script}"], cwd=self.folder) as server:
            try:
                wait_for(lambda: answers(port) or server.poll() is not None, "it does not serve", PATIENCE)
                yield port
                server.send_signal(signal.SIGINT)
                assert server.wait(PATIENCE) == 0
            finally:
                server.kill()


def answers(port: int) -> bool:
    try:
        return bool(page(port))
    except OSError:
        return False


def page(port: int, path: str = "/") -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
        return answer.read().decode()


@pytest.fixture(scope="module")
def docker(tmp_path_factory: pytest.TempPathFactory) -> Docker:
    """Docker, with the image of this checkout."""
    data = tmp_path_factory.mktemp("data")
    data.chmod(0o777)
    docker = Docker(data)
    docker.run(block("sh", "build --tag leapfrog-arena"), ROOT)
    return docker


@pytest.fixture
def folder(docker: Docker) -> Iterator[Path]:
    """The empty folder of a test."""
    yield docker.folder
    for path in docker.folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def test_arena_in_the_image_is_an_ordinary_user_who_can_change_nothing_of_it(docker: Docker) -> None:
    program = "docker run --rm --entrypoint {} leapfrog-arena {}".format
    assert docker.run(program("id", "-un")) == "arena\n"
    assert docker.run(program("find", "/opt /usr/local -maxdepth 4 -writable -not -type l")) == ""


def test_one_line_plays_the_demo(docker: Docker) -> None:
    assert "games played, stored in /data/demo.db" in docker.run(block("sh", " demo"))


def test_a_tournament_is_stored_in_the_folder_and_shown_on_a_page(docker: Docker, folder: Path) -> None:
    (folder / "league.toml").write_text(block("toml", "games_per_pairing"))
    output = docker.run(block("sh", "run league.toml"))
    assert "1  greedy" in output.splitlines()[-3]
    assert (folder / "arena.db").exists()
    with docker.serving(block("sh", "serve")) as port:
        assert "league" in page(port)


def test_an_image_with_a_compiler_builds_an_engine_that_plays(docker: Docker, folder: Path) -> None:
    (folder / "Dockerfile").write_text(block("dockerfile"))
    output = docker.run(block("sh", "new-engine"))
    assert "mine against random, 2 of 2 games" in output


def test_the_sandbox_needs_the_options_that_the_page_names(docker: Docker) -> None:
    script = block("sh", "check --system")
    assert re.search('^sandbox = "bwrap" +no ', docker.run(script.replace("$walls", "")), re.MULTILINE)
    assert re.search('^sandbox = "bwrap" +yes ', docker.run(script), re.MULTILINE)


def test_a_door_in_a_container_builds_and_judges_what_is_handed_in(docker: Docker, folder: Path) -> None:
    (folder / "course.toml").write_text(block("toml", "[door]"))
    invite, door_run = (
        line.replace("$walls", block("sh", "walls=").split('"')[1])
        for line in block("sh", "door invite").splitlines()
    )
    links = docker.run(invite).split()[1::2]
    assert len(links) == 2
    with docker.serving(door_run) as port:
        door = Door(f"http://127.0.0.1:{port}", links[0].rpartition("/")[2])
        number, _ = door.hand_in("engine.toml", b"command = './x'\nbuild = 'exit 3'")
        deadline = time.monotonic() + 2 * PATIENCE
        while (state := door.look(number)["state"]) != "refused":
            assert time.monotonic() < deadline, state
            time.sleep(0.2)
