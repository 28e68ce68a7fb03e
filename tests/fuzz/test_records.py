"""Files of records: import names the line of each mistake, or stores games that all commands can show."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.errors import ArenaError
from arena.records.files import read_records, write_records
from arena.records.load import RecordLoader
from arena.store import Store
from tests.fuzz import nasty
from tests.fuzz.explore import Findings, random_of, shares

ROOT = Path(__file__).parents[2]

WORDS = (
    *nasty.BYTES,
    b'[Variant "hops"]\n', b'[Variant "quoridor4"]\n', b'[Result "*"]\n', b"1. e2 ",
    b"{[%removed 2]}", b" * ",
    b'[Ranks "1 2 2 2"]\n', b'[Forfeits "- time x -"]\n', b'[FEN "/ / e1 e9 / 10 10 / 1"]\n',
    b"{+1.5/99999 99999999.5s, tl=5s, n=999999999999999}", b'[GameStartTime "9999-99-99T99:99:99 +9999"]\n',
    b'"depth":null', b'"rank":-1', b'"started":1e300', b'"started":-1e18', b'"started":1e400',
    b'"time":-1', b'"players":[]', b'"settings":{"a":1}',
    b'{"game":null}\n', b'{"game":[]}\n', b'"seat":99999999999999999999',
    b'{"leapfrog-arena records":99999}\n',
)  # fmt: skip


def corpus(database: Path) -> list[bytes]:
    """Return valid files: the examples of the documentation, and an exported database in both formats."""
    page = (ROOT / "docs/reference/records.md").read_text()
    files = [block.split("```")[0].encode() for block in page.split("```text\n")[1:] if block.startswith("[")]
    files += [page.split("```json\n")[1].split("```")[0].encode()]
    store = Store.open(database, create=False)
    contents = store.contents()
    for name in ("pgn", "jsonl"):
        for game in store.finder.records():  # few entries, so that a change often meets a number
            out = io.BytesIO()
            tournament = [entry for entry in contents.tournaments if entry.name == game.result.tournament]
            write_records([*tournament, game], name, out)
            files.append(out.getvalue())
    store.close()
    return files


def example(rng: Random, files: list[bytes]) -> bytes:
    if rng.random() < 0.03:
        header = rng.choice((b'[Event "x"]\n', b'{"leapfrog-arena records":1}\n', b""))
        return header + rng.randbytes(rng.randrange(300))
    data = rng.choice(files)
    if rng.random() < 0.5:
        return value_replaced(rng, data)
    data = nasty.changed_bytes(rng, data, WORDS)
    return data if rng.random() < 0.9 else nasty.changed_bytes(rng, data[: rng.randrange(len(data) + 1)])


def value_replaced(rng: Random, data: bytes) -> bytes:
    """Replace one to three values of entries, in the entry itself or in the string of a tag."""
    lines = data.decode().splitlines()
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(1, len(lines))
        line = lines[at]
        if line.startswith("["):
            value = rng.choice((nasty.text(rng), rng.choice(nasty.NUMBERS)))
            lines[at] = re.sub(
                r'"[^"]*"\]$', lambda _, text=value: f"{json.dumps(text, ensure_ascii=False)}]", line
            )
        elif line.startswith('{"'):
            lines[at] = json.dumps(nasty.changed_value(rng, json.loads(line)))
        else:
            lines[at] = re.sub(r"[0-9.]+", lambda _: rng.choice(nasty.NUMBERS), line, count=1)
    return "\n".join(lines).encode(errors="replace")


@pytest.mark.parametrize("numbers", shares(20, 5000))
def test_import_survives_every_file_of_records(
    numbers: range, sample_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files, findings = corpus(sample_database), Findings()
    database = tmp_path / "fuzz.db"
    Store.open(database, create=True).close()
    empty = database.read_bytes()
    for number in numbers:
        data = example(random_of("records", number), files)
        with findings.trying(number, data):
            _import(database, data)
        if number % 20 == 19:
            for words in _reading_commands(database):
                with findings.trying(number, words):
                    done = CliRunner().invoke(main, [*words, "--db", str(database)])
                    if done.exit_code not in (0, 2):
                        raise done.exception or AssertionError(done.output)
            database.write_bytes(empty)
    findings.check()


def _reading_commands(database: Path) -> list[list[str]]:
    """Return commands that read all that was imported."""
    store = Store.open(database, create=False)
    last = store.contents().last
    store.close()
    shows = [["show", str(number)] for number in range(1, last + 1)]
    return [["export"], ["ratings", "--los"], ["standings", "--all"], ["stats", "--all"], *shows]


def _import(database: Path, data: bytes) -> None:
    reported: list[tuple[int, str]] = []
    store = Store.open(database, create=False)
    try:
        RecordLoader(store, lambda line, reason: reported.append((line, reason))).load(
            read_records("fuzz.pgn", io.BytesIO(data))
        )
    except ArenaError as error:
        named = any(name in str(error) for name in ("fuzz.pgn", "fuzz.db"))
        assert named, error  # noqa: PT017 - most files are no error
    finally:
        store.close()
    assert all(line >= 1 and reason.strip() for line, reason in reported)
