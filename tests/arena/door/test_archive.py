"""Archives that are accepted, and attacks by archives, each of which is refused with a clear sentence."""

import gzip
import io
import stat
import tarfile
import tracemalloc
import zipfile
from contextlib import suppress

import pytest

from arena.door.upload import ArchiveLimits, SourceFile, packed, read_files
from arena.errors import ArenaError

SMALL = ArchiveLimits(size=100_000, files=50)


def read(data, name="upload", limits=SMALL):
    return read_files(name, io.BytesIO(data), limits)


def zipped(*entries, mode=0):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def tarred(*members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content, changes in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in changes.items():
                setattr(member, key, value)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def refused(data, sentence, **how):
    with pytest.raises(ArenaError, match=sentence):
        read(data, **how)


def test_one_file_keeps_its_name_and_loses_its_folder():
    (file,) = read(b"print()", r"C:\Users\ann\engine.py")
    assert file == SourceFile("engine.py", b"print()")


@pytest.mark.parametrize("pack", [zipped, lambda *e: tarred(*((n, c, {}) for n, c in e))])
def test_the_folder_around_all_files_is_removed_and_so_is_what_systems_add(pack):
    data = pack(
        ("bot/engine.py", b"x"),
        ("bot/lib/a.py", b"y"),
        ("__MACOSX/bot/._engine.py", b"z"),
        ("bot/.git/config", b""),
    )
    assert read(data) == (SourceFile("engine.py", b"x"), SourceFile("lib/a.py", b"y"))


def test_a_program_stays_executable():
    assert read(zipped(("go.sh", b"#!"), mode=stat.S_IFREG | 0o755))[0].executable
    assert read(tarred(("go.sh", b"#!", {"mode": 0o755})))[0].executable
    assert not read(tarred(("go.sh", b"#!", {})))[0].executable


def test_what_is_packed_depends_on_the_files_alone_and_is_read_back():
    files = read(zipped(("b.py", b"1"), ("a.py", b"2")))
    assert read(packed(files)) == files
    assert packed(files) == packed(read(tarred(("a.py", b"2", {"mtime": 77}), ("b.py", b"1", {"uid": 5}))))


PATHS = [
    "/etc/passwd",
    "../up.py",
    "a/../../up.py",
    "a\\..\\b",
    "a\nb",
    "a\u202eyp.exe",
    "a/" * 30 + "b",
    "x" * 101,
]


def test_a_file_that_is_no_archive_but_has_the_name_of_one_is_named() -> None:
    for name in ("bot.zip", "Bot.TAR.GZ", "bot.7z"):
        with pytest.raises(
            ArenaError, match=f"^{name} is no zip, tar or tar.gz, although its name ends like one"
        ):
            read_files(name, io.BytesIO(b"\0" * 2000), ArchiveLimits())


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leaves_the_folder_or_deceives(path):
    refused(zipped((path, b"")), "absolute|leads out|character|too long")
    refused(tarred((path, b"", {})), "absolute|leads out|character|too long")


KINDS = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_or_a_device_in_a_tar_is_refused(kind):
    refused(tarred(("out", b"", {"type": kind, "linkname": "/etc"}), ("out/passwd", b"", {})), "special file")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_a_link_or_a_device_in_a_zip_is_refused(kind):
    refused(zipped(("out", b"/etc"), mode=kind | 0o777), "special file")


@pytest.mark.parametrize(
    "names",
    [("a.py", "A.py"), ("\u00e9.py", "e\u0301.py"), ("\ufb01.py", "fi.py"), ("a", "a/b"), ("a.py", "a.py")],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_some_disk_takes_for_the_same_are_refused(names):
    refused(zipped(*((name, b"") for name in names)), "is there twice, or also as a folder")


def test_a_zip_bomb_costs_no_more_memory_than_the_limit():
    bomb = zipped(("zeros", bytes(30_000_000)))
    assert len(bomb) < 40_000
    tracemalloc.start()
    refused(bomb, "more than 0 MiB")
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


def test_a_bomb_in_the_header_of_a_tar_costs_no_more_memory_than_the_limit():
    member = tarfile.TarInfo("pax")
    member.type, member.size = tarfile.XHDTYPE, 40_000_000
    bomb = gzip.compress(member.tobuf() + bytes(40_000_000), 1)
    tracemalloc.start()
    refused(bomb, "more than 0 MiB")
    assert tracemalloc.get_traced_memory()[1] < 8_000_000
    tracemalloc.stop()


def test_ten_gigabytes_that_are_only_announced_are_not_believed():
    member = tarfile.TarInfo("large")
    member.size = 10 << 30
    refused(gzip.compress(member.tobuf() + b"few"), "damaged")


def test_a_tar_of_headers_without_end_is_refused():
    header = tarfile.TarInfo("pax")
    header.type = tarfile.XHDTYPE
    refused(header.tobuf() * 3000, "damaged|more than", limits=ArchiveLimits(size=10 << 20))


def test_the_limits_hold_for_all_files_together():
    assert len(read(zipped(("a", bytes(50_000)), ("b", bytes(50_000))))) == 2
    refused(zipped(("a", bytes(50_000)), ("b", bytes(50_001))), "b: the files of the upload take more than")
    assert len(read(zipped(*((f"{n}", b"") for n in range(50))))) == 50
    refused(zipped(*((f"{n}", b"") for n in range(51))), "more than 50 files")
    refused(tarred(*((f"{n}", b"", {"type": tarfile.DIRTYPE}) for n in range(51))), "more than 50 files")


def test_sparse_files_are_refused():
    member = tarfile.TarInfo("holes")
    member.type = tarfile.GNUTYPE_SPARSE
    refused(member.tobuf(tarfile.GNU_FORMAT) + bytes(1024), "special file|damaged")


def test_encrypted_files_are_refused():
    data = bytearray(zipped(("secret", b"x")))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    refused(bytes(data), "encrypted")


def test_half_an_archive_is_damaged():
    whole_zip, whole_tar = zipped(("a", b"x" * 999)), tarred(("a", bytes(range(256)) * 9, {}))
    refused(whole_zip[:-30], "damaged")
    refused(whole_tar[:-200], "damaged")
    broken = bytearray(whole_zip)
    broken[33] ^= 255
    refused(bytes(broken), "damaged")


def test_an_upload_without_files_is_refused():
    refused(zipped(("folder/", b"")), "no files")
    refused(b"", "character|no name|no files", name="")


@pytest.mark.parametrize("name", ["", ".", "./", "/"])
def test_a_file_without_a_name_is_refused(name):
    class Member(zipfile.ZipInfo):
        def is_dir(self):  # of Python 3.11, which reads the last character of the name
            return self.filename.endswith("/")

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        member = Member("a")
        member.filename = name
        archive.writestr(member, b"x" * (not member.is_dir()))
    refused(buffer.getvalue(), "no name|no files|absolute path")
    refused(tarred((name, b"x", {})), "no name|no files|absolute path|damaged")


def test_any_bytes_give_files_or_a_sentence():
    import random

    source = random.Random(1)
    seeds = [zipped(("a/b", b"x" * 99)), tarred(("a/b", b"x" * 99, {})), packed((SourceFile("a", b"b"),))]
    for _ in range(300):
        data = bytearray(source.choice(seeds))
        for _ in range(source.randrange(1, 6)):
            data[source.randrange(len(data))] = source.randrange(256)
        with suppress(ArenaError):  # any other error fails the test
            assert read(bytes(data), "fuzz.py")
