"""Archives that somebody hands in at the door: their files are read, or a sentence says what is wrong."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from functools import partial
from random import Random

import pytest

from arena.door.upload import ArchiveLimits, packed, read_files, understand
from arena.engine_templates import LANGUAGES
from arena.errors import ArenaError
from tests.fuzz import nasty
from tests.fuzz.explore import Findings, random_of, shares

LIMITS = ArchiveLimits(size=100_000, files=40)
LONGEST = 500
"""A sentence has at most this many characters."""

NAMES = (
    "", "/", ".", "./", "..", "../x", "a/..", "a//b", "/x", "a/", "a\\b", "C:\\x", "C:", "~", "-rf", ".py",
    "engine.py", "bot/engine.py", "bot/engine.toml", "engine.toml", "ENGINE.TOML", "Makefile", "bot/a.c",
    "a.b.c", "e\u0301.py", "\u00e9.py", "\uff0f", "\uff0e\uff0e/x", "\u2100", "nul", "__MACOSX/x", ".git/x",
    ".DS_Store", "x" * 99, "x" * 256, "x/" * 30, "a b.py", "%s.py", "{}.py", "'.py", "$(x).py",
)  # fmt: skip

CONTENTS = (b"", b"x", b"print()\n", bytes(5000), bytes(120_000), b"PK\x03\x04", b"\x1f\x8b\x08")

MANIFESTS = (
    b'command = "./x"', b'command = ["a", "b"]\nbuild = "make"', b"command = []", b"command = 1",
    b'command = "\'"', b"x = " + nasty.DIGITS.encode(), b"x = 1e400", b"x = 0001-00-00", b"language = []",
    b'command = "x"\nbuild = [1]', b'command = "x"\nlanguage = {a = 1}', b"\xff", b"a." * 3000 + b"b = 1",
    b"x = " + b"[" * 3000,
)  # fmt: skip

WORDS = (
    *nasty.BYTES[:40], b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07",
    b"PK\x07\x08", b"\x01\x00", b"\xff\xff\xff\xff", b"up\x04\x00", b"ustar\x00", b"ustar  \x00", bytes(512),
    b"\x80" + b"\xff" * 11, b"-0000001\x00", b"99 path=x\n", b"11 size=-1\n", b"GNU.sparse.map=1,a",
    b"GNU.sparse.major=1",
)  # fmt: skip


def name(rng: Random) -> str:
    choice = rng.random()
    return (
        rng.choice(NAMES) if choice < 0.7 else f"{rng.choice('abc')}.py" if choice < 0.9 else nasty.text(rng)
    )


def content(rng: Random, path: str) -> bytes:
    if path.endswith("engine.toml"):
        return (
            nasty.changed_bytes(rng, rng.choice(MANIFESTS)) if rng.random() < 0.3 else rng.choice(MANIFESTS)
        )
    return rng.choice(CONTENTS) if rng.random() < 0.8 else rng.randbytes(rng.randrange(3000))


class _Member(zipfile.ZipInfo):
    """A member that may have no name."""

    def is_dir(self) -> bool:
        return self.filename.endswith("/")


def zipped(rng: Random) -> bytes:
    """Return a zip; its members may have any name, kind, method, flag and extra field."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for _ in range(rng.choice((0, 1, 1, 2, 3, 3, 45))):
            member = _Member("a")
            member.filename = name(rng).encode("utf-8", "replace").decode()[:60_000]
            member.compress_type = rng.choice((0, 8, 8, 8, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
            if rng.random() < 0.2:
                kind = rng.choice((stat.S_IFDIR, stat.S_IFLNK, stat.S_IFIFO, stat.S_IFREG, 0o170000))
                member.external_attr = (kind | 0o755) << 16
            if rng.random() < 0.1:
                member.extra = rng.randbytes(rng.randrange(9))
            if rng.random() < 0.1:
                member.comment = rng.randbytes(rng.randrange(99))
            data = content(rng, member.filename)
            archive.writestr(member, data)
            if rng.random() < 0.1:
                member.flag_bits ^= 1 << rng.randrange(16)
            if rng.random() < 0.1:
                member.file_size = rng.choice((0, 1, 2**32 - 1, 2**40))
            if rng.random() < 0.05:
                member.compress_type = rng.choice((1, 6, 9, 12, 93, 99))
    return out.getvalue()


def tarred(rng: Random) -> bytes:
    """Return a tar in one of three formats; its members may have any name, type and extended header."""
    out = io.BytesIO()
    form = rng.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for _ in range(rng.choice((0, 1, 1, 2, 3, 3, 45))):
            member = tarfile.TarInfo(name(rng))
            data = content(rng, member.name)
            member.size = len(data)
            if rng.random() < 0.2:
                member.type = rng.choice(
                    (b"0", b"1", b"2", b"3", b"5", b"7", b"L", b"K", b"S", b"x", b"g", b"Z")
                )
            if rng.random() < 0.2 and form == tarfile.PAX_FORMAT:
                key = rng.choice(
                    (
                        "path",
                        "size",
                        "mtime",
                        "uid",
                        "GNU.sparse.map",
                        "GNU.sparse.major",
                        "GNU.sparse.name",
                        "GNU.sparse.size",
                        "hdrcharset",
                        "comment",
                    )
                )
                member.pax_headers = {key: rng.choice((*NAMES, *nasty.NUMBERS[:40], "BINARY"))}
            try:
                archive.addfile(member, io.BytesIO(data))
            except (ValueError, UnicodeError):
                continue  # this format has no room for the name
    return out.getvalue()


def changed(rng: Random, data: bytes) -> bytes:
    """Return an archive after a few changes, most of them in its headers."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        marks = [data.find(mark) for mark in (b"PK\x01", b"PK\x05", b"ustar", b"PaxHeader") if mark in data]
        at = max(0, rng.choice((*marks, rng.randint(0, len(data)))) + rng.randint(-40, 60))
        end = at + rng.choice((0, 1, 1, 2, 4, 16, 512))
        new = rng.choice((b"", rng.randbytes(1), rng.choice(WORDS), data[at:end] * 2))
        data = data[:at] + new + data[end if rng.random() < 0.3 else at + len(new) :]
    return data


def example(rng: Random) -> bytes:
    """Return an upload that is an archive, or nearly one."""
    make = rng.choice((zipped, zipped, tarred, tarred, lambda rng: rng.randbytes(rng.randrange(600))))
    data = changed(rng, make(rng)) if rng.random() < 0.5 else make(rng)
    pack = rng.choice(
        (None, None, None, gzip.compress, gzip.compress, bz2.compress, partial(lzma.compress, preset=0))
    )
    if pack is not None:
        data = changed(rng, pack(data)) if rng.random() < 0.3 else pack(data)
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("numbers", shares(200, 20_000, size=2000))
def test_nothing_but_files_or_a_sentence_comes_back_for_an_archive(numbers: range) -> None:
    findings, read = Findings(), 0
    for number in numbers:
        rng = random_of("archive", number)
        data = example(rng)
        with findings.trying(number, data):
            read += _hand_in(name(rng), data)
    findings.check()
    assert read > len(numbers) // 20


def _hand_in(upload: str, data: bytes) -> bool:
    """Read an upload like the door; return whether it has files."""
    try:
        files = read_files(upload, io.BytesIO(data), LIMITS)
    except ArenaError as error:
        _check_sentence(str(error))
        return False
    assert sum(len(file.content) for file in files) <= LIMITS.size
    assert read_files("", io.BytesIO(packed(files)), LIMITS)
    try:
        understand(files, LANGUAGES)
    except ArenaError as error:
        _check_sentence(str(error))
    return True


def _check_sentence(text: str) -> None:
    assert text.strip(), "an error without words"
    assert text.isprintable(), f"a sentence is one line of text, not {text!r}"
    assert len(text) <= LONGEST, f"a sentence of {len(text)} characters"
