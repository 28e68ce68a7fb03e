"""The door's folder: files and folders appear in it whole or not at all."""

import errno
import os
import sys
from pathlib import Path

import pytest

import protocol
from arena.door.folder import DoorFolder
from arena.door.upload import ArchiveLimits, SourceFile, packed
from arena.errors import ArenaError

FILES = (SourceFile("engine.py", b"print()", True), SourceFile("lib/a.py", b""))


@pytest.fixture
def folder(tmp_path):
    return DoorFolder(tmp_path / "door")


def test_no_path_of_the_server_is_left_in_a_text_for_participants(tmp_path):
    folder = DoorFolder(tmp_path / "door")
    library = Path(protocol.__file__).parent
    texts = {
        f"{folder.engine(12)}/src/bot.py, line 3": "src/bot.py, line 3",
        f"chmod +x {folder.engine(1)}/bot": "chmod +x bot",
        f"{tmp_path}/league.toml, line 7: wrong": "league.toml, line 7: wrong",
        f'File "{library}/engine/loop.py"': 'File "protocol/engine/loop.py"',
        f"{sys.prefix}/lib/x.py, {sys.prefix}/y": "lib/x.py, y",
        "/usr/lib/python3/x.py /bin/sh /etc/passwd": "/usr/lib/python3/x.py /bin/sh /etc/passwd",
        "no path / at all": "no path / at all",
    }
    assert {text: folder.without_paths(text) for text in texts} == texts


def test_the_same_files_are_stored_once_and_read_back(folder):
    digest = folder.add(FILES)
    assert folder.add(FILES) == digest
    assert folder.read(digest) == packed(FILES)
    assert len(list((folder.path / "submissions").iterdir())) == 1


def test_what_was_changed_on_the_disk_is_not_used(folder):
    digest = folder.add(FILES)
    (folder.path / "submissions" / f"{digest}.tar").write_bytes(b"other")
    with pytest.raises(ArenaError, match="is damaged; hand it in again"):
        folder.read(digest)


def test_a_disk_that_becomes_read_only_is_one_sentence(folder, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "fsync", fail)
    monkeypatch.setattr(Path, "unlink", fail)
    with pytest.raises(ArenaError, match=r"\.tar: Read-only file system$"):
        folder.add(FILES)
    folder.remove("0" * 64)


def test_the_quota_of_all_submissions_holds_and_leaves_nothing(folder, monkeypatch):
    monkeypatch.setattr("arena.door.folder._MOST_STORED", 100_000)
    folder.add(FILES)
    with pytest.raises(ArenaError, match="disk space of all submissions"):
        folder.add((SourceFile("large.py", bytes(95_000)),))
    assert len(list((folder.path / "submissions").iterdir())) == 1


def test_an_engine_is_installed_whole_or_not_at_all(folder):
    limits = ArchiveLimits(1000, 5)
    target = folder.install(7, packed(FILES), limits)
    assert (target / "engine.py").stat().st_mode & 0o777 == 0o755
    assert (target / "lib" / "a.py").stat().st_mode & 0o777 == 0o644
    with pytest.raises(ArenaError):
        folder.install(7, packed((SourceFile("x", bytes(2000)),)), limits)
    assert sorted(path.name for path in target.iterdir()) == ["engine.py", "lib"]
    assert [path.name for path in target.parent.iterdir()] == ["7"]


def test_only_its_owner_reads_the_key_of_cookies_and_it_stays(folder):
    assert folder.secret() == folder.secret()
    assert len(folder.secret()) == 64
    assert (folder.path / "cookie.key").stat().st_mode & 0o777 == 0o600
