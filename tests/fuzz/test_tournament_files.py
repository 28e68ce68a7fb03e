"""Tournament files: an error names the file, and a file without an error can be played."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from arena.config import load, locate
from arena.config.tournament_keys import TournamentFile
from arena.config.validation import tables
from arena.errors import ConfigError
from arena.formats.contest import ScheduleState
from arena.formats.format import built_in_formats
from protocol.keys import KeyTable
from tests.fuzz import nasty
from tests.fuzz.explore import Findings, random_of, shares

ROOT = Path(__file__).parents[2]

ENGINES = """
[[engines]]
name = "a"
command = "true"
[[engines]]
name = "b"
command = ["false", "x"]
margin = 10
"""

WHOLE = """\
name = "all keys"
database = "games.db"
games = ["quatre-en-ligne", "hops"]
time_control = "40/60+0.5"
format = "round-robin"
games_per_pairing = 4
concurrency = 2
affinity = true
seed = 7
log = "logs"
setup = { hops = "default" }
[openings]
kind = "list"
order = "random"
file = "book.txt"
[adjudication]
repetition = 4
plies = 100
at_limit = "count"
resign = { score = 500, moves = 3, sides = "one" }
draw = { score = 10, moves = 5, after = 20 }
[defaults]
env = { A = "b", C = 1 }
timeouts = { ready = 5 }
[[engines]]
name = "a"
command = "true {cwd}"
options = { Hash = 16, Style = "wild", Ponder = false }
dialect = "ugi"
sync = "game"
margin = 50
time_control = "depth=3"
sandbox = "none"
readable = ["."]
games = ["hops", "quatre-en-ligne"]
version = "1.2"
limits = { memory = "512M", processes = 9 }
[[engines]]
name = "b"
command = "true"
"""

FORMATS = (
    'format = "gauntlet"\nseeds = ["b"]', 'format = "swiss"\nrounds = 1', 'format = "knockout"',
    'format = "match"\nmax_games = 10',
    'format = "match"\nsprt = { elo0 = 0, elo1 = 10, alpha = 0.1, beta = 0.1 }',
    'format = "ladder"\nmax_games = 5',
    '[openings]\nkind = "random"\nplies = 3',
    '[openings]\nkind = "list"\nfile = "book.txt"',
    'setup = "default"',
)  # fmt: skip

WORDS = (
    *nasty.BYTES,
    b"[[engines]]\n", b"[engines]\n", b"[openings]\n", b"[sprt]\n", b"= true", b"= {}", b"= []", b"= [[]]",
    b"= 1979-05-27", b"= 07:32:00", b"= 0x7fffffffffffffff",
    b"= 1e400", b"= nan", b"= +inf", b"= -9223372036854775809", b'= "\\u0000"', b'= "\\u202e"', b'= ""',
    b"= '''\n'''", b'"" = 1\n', b"a.b.c = 1\n", b"a." * 2000 + b"b = 1\n",
    b"[" + b"a." * 2000 + b"b]\n", b'x = "' + b"y" * 100_000 + b'"\n', b"game", b"engines", b"name",
    b'"\xff"', b"= " + b"[" * 500 + b"]" * 500, b"= " + b"{a=" * 400 + b"1" + b"}" * 400,
)  # fmt: skip


def corpus() -> list[bytes]:
    """Return tournament files: examples of the documentation, files of the project, and one with all keys."""
    pages = "\n".join(page.read_text() for page in sorted((ROOT / "docs").rglob("*.md")))
    blocks = [block.split("```")[0] for block in pages.split("```toml\n")[1:]]
    examples = [text if "[[engines]]" in text else text + ENGINES for text in blocks]
    formats = [f'game = "quoridor"\n{text}{ENGINES}' for text in FORMATS]
    files = [file.read_text() for file in sorted((ROOT / "engines").glob("*.toml"))]
    every = [*examples, *formats, *files]
    return [
        re.sub(r"^command *=.*", 'command = "true"', text, flags=re.MULTILINE).encode() for text in every
    ] + [WHOLE.encode()] * 10


def toml(rng: Random, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + re.sub(r'["\\\x00-\x1f\x7f]', lambda char: f"\\u{ord(char[0]):04x}", value) + '"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(rng, key)} = {toml(rng, item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(rng, item) for item in value) + "]"
    return str(value)


KEYS: list[tuple[tuple[str, ...], type[KeyTable]]] = list(tables(*built_in_formats()))


def value_set(rng: Random, data: bytes) -> bytes:
    """Set a key that exists to a value that is nasty, at the bounds of the key, or of another type."""
    names, table = rng.choice(KEYS)
    name = rng.choice(list(table.declarations()))
    declared = table.declarations()[name]
    values: list[object] = [
        nasty.any_value(rng, "x"),
        nasty.text(rng),
        rng.choice(nasty.VALUES),
        *declared.choices,
    ]
    if declared.bounds is not None:
        bounds = declared.bounds
        values += [value + step for value in (bounds.least, bounds.most) for step in (-1, 0, 1)] * 2
    value = rng.choice(values)
    raw = rng.choice(nasty.NUMBERS) if rng.random() < 0.2 else toml(rng, value)
    text = data.decode()
    text = re.sub(rf"^{name} *=.*\n", "", text, flags=re.MULTILINE)
    if not names:
        return f"{name} = {raw}\n{text}".encode("utf-8", "surrogatepass")
    if names == ("engines",):
        return f"{text}\n{name} = {raw}\n".encode("utf-8", "surrogatepass")
    header = f"[{'.'.join(names)}]"
    if header in text:
        return text.replace(header, f"{header}\n{name} = {raw}", 1).encode("utf-8", "surrogatepass")
    return f"{text}\n{header}\n{name} = {raw}\n".encode("utf-8", "surrogatepass")


def example(rng: Random, files: list[bytes]) -> bytes:
    data = rng.choice(files)
    choice = rng.random()
    if choice < 0.03:
        return rng.randbytes(rng.randrange(400))
    if choice < 0.6:
        data = value_set(rng, data)
        return data if choice < 0.5 else nasty.changed_bytes(rng, data, WORDS)
    return nasty.changed_bytes(rng, data, WORDS)


@pytest.mark.parametrize("numbers", shares(100, 5000))
def test_every_tournament_file_is_played_or_refused_by_name(
    numbers: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text("e2 e8\n# nothing\n")
    files, findings = corpus(), Findings()
    for number in numbers:
        data = example(random_of("tournament file", number), files)
        with findings.trying(number, data):
            _load(data)
    findings.check()


def _load(data: bytes) -> None:
    file = Path("t.toml")
    file.write_bytes(data)
    try:
        locate(file)
        spec = load(file)
    except ConfigError as error:
        message = str(error)
    else:
        message = ""
    if message:
        assert str(file) in message or "book.txt" in message
        assert len(message) < 1000
        return
    names = TournamentFile.declarations().keys() | spec.format_keys.declarations().keys()
    assert names >= spec.settings().keys()
    spec.plan.encode()
    list(islice(spec.schedule().pending(ScheduleState()), 3))
