"""Tests that only this user can read what runs tell, and that killed runs leave nothing for good."""

import os
from pathlib import Path

import pytest

from arena.run.feed import new_socket, socket_folder, sockets


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def test_nobody_else_can_enter_the_folder() -> None:
    assert sockets() == []
    folder = new_socket().parent
    assert folder == socket_folder()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_enter_is_not_used() -> None:
    socket_folder().mkdir(mode=0o755)
    with pytest.raises(PermissionError, match="others may enter it"):
        new_socket()
    (socket_folder() / f"{os.getpid()}-1.socket").touch()
    assert sockets() == []


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    socket_folder().symlink_to(tmp_path / "elsewhere")
    with pytest.raises((PermissionError, FileExistsError)):
        new_socket()


def test_sockets_of_killed_runs_are_removed_and_those_of_running_ones_stay() -> None:
    first = new_socket()
    first.touch()
    second = new_socket()
    second.touch()
    assert first != second
    child = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 0"], {})
    os.waitpid(child, 0)
    left = first.with_name(f"{child}-1.socket")
    left.touch()
    assert sockets() == sorted([first, second])
    assert not left.exists()


def test_without_a_runtime_folder_the_temporary_one_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert socket_folder() == tmp_path / f"arena-live-{os.getuid()}"
