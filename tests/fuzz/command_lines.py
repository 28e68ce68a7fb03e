"""Command lines: valid ones, made from the parameters that the commands declare, and ones with mistakes."""

from __future__ import annotations

from random import Random

import click

from tests.arena.commands import COMMANDS
from tests.fuzz import nasty

VALID: dict[str, tuple[str, ...]] = {
    "address": ("http://hub:8786", "tcp://10.0.0.1:8786", "tls://localhost:0"),
    "anchor": ("alpha=1000", "beta=-1.5", "gamma=0"),
    "changes": ("draw_probability=0.2", "anchor=alpha=0", "forfeits=skip",
    "draw_probability=default"),
    "command_line": ("true", "false", "./missing", "{python}", "x"),
    "count": ("1", "2", "5"),
    "database": ("arena.db", "missing.db", "damaged.db", "folder", "t.toml", "empty", "new.db"),
    "depth": ("0", "1"),
    "dialect": ("ugi", "uci", "uai", "xboard"),
    "file": ("t.toml", "bad.toml", "missing.toml", "folder", "arena.db", "games.pgn", "games.jsonl",
    "empty", "-"),
    "filter_command": ("true", "./missing"),
    "folder": ("mine", "folder", "new/deep", "t.toml"),
    "format_name": ("text", "jsonl"),
    "game_id": ("quoridor", "quoridor4", "hops", "rodeurs", "quatre-en-ligne", "eclaircissement",
    "movers-hoppers", "chess"),
    "keys": ("margin=100", "limits.memory=1G", "options.Hash=16", "position=fen", "margn=1", "cwd=missing"),
    "lang": ("python", "c", "cpp", "rust", "js", "java"),
    "last_games": ("0", "1", "3"),
    "log": ("logs", "new/logs", "t.toml"),
    "moves": ("e2 e8", "e2", "e2 e8 e3h", "!2", ""),
    "number": ("1", "2", "7", "8"),
    "only": ("101", "101-104", "201,401-411", "101,101"),
    "options": ("Hash=16", "a=", "Book = x"),
    "orders": ("orders.jsonl", "missing.jsonl", "t.toml", "folder", "empty", "-"),
    "output": ("out.txt", "-", "folder", "new/out.txt"),
    "output_format": ("table", "json", "csv", "md"),
    "plies": ("1", "2", "4"),
    "turn": ("1:1", "1:3", "2:15"),
    "seats": ("true", "./missing", "human", "false x"),
    "results": ("missing.jsonl", "t.toml", "folder", "empty"),
    "write_orders": ("orders.jsonl", "t.toml", "folder"),
    "scheduler": ("http://hub:8786", "tcp://10.0.0.1:8786", "hub"),
    "seed": ("1", "-5", "0"),
    "start": ("default", "random:7", "halves", "/ / e4 e5 / 10 10 / 1", "/ / e4 e5 / 10 10 / 2"),
    "target": ("site", "folder", "new/site"),
    "time_control": ("10+0.1", "depth=1", "none", "movetime=0.1"),
    "timeout": ("0.1", "1", "10"),
    "tournament": ("spring", "autumn", "t.toml", "winter", "bad.toml"),
    "window": ("0", "50"),
}  # fmt: skip
"""Values by the name of the parameter. A new parameter without values here gets texts and numbers."""

COSTLY = {"count", "depth", "timeout", "plies"}
"""Parameters whose valid values can mean hours of work: they get one of `VALID`, or one that is refused."""

PATHS = {"database", "file", "folder", "log", "orders", "output", "results", "target", "write_orders"}

WEIGHTS = {
    "demo": 0.2,
    "check": 0.3,
    "play": 0.5,
    "openings": 0.5,
    "run": 1,
    "report": 0.4,
}
"""How often a command is chosen if not as often as the others: these start engines or write many files."""


def refused_number(rng: Random) -> str:
    return rng.choice(("-1", "", " ", "x", "nan", "inf", "-inf", "1e400", "1.5.5", "99999999999999999999",
    "9223372036854775808", nasty.DIGITS, "-" + nasty.DIGITS, "0x10", "\udcff", "1\0",
    "1_000_000_000_000"))  # fmt: skip


def harmless_path(text: str) -> str:
    """Return a path in the current folder."""
    return text.replace("/", "").replace("..", "").lstrip("~")


def value(rng: Random, name: str, *, mistake: bool) -> str:
    valid = VALID.get(name, ("1", "x"))
    if not mistake:
        return rng.choice(valid)
    if name in COSTLY:
        return refused_number(rng)
    wrong = rng.choice(
        (nasty.text(rng), rng.choice(nasty.NUMBERS), nasty.changed_text(rng, rng.choice(valid)))
    )
    if name in PATHS:
        wrong = harmless_path(wrong)
    if name in ("seats", "command_line", "filter_command"):
        return rng.choice(
            (
                "true " + wrong,
                "./" + wrong,
                harmless_path(wrong)[:20].replace("true", "") + "-none",
                "'",
                "",
                " ",
                "\udcff",
                "x" * 300,
            )
        )
    return wrong


def example(rng: Random) -> list[str]:
    """Return the words of a command line."""
    if rng.random() < 0.03:
        return [nasty.text(rng) for _ in range(rng.randrange(4))]
    names = list(COMMANDS)
    name = rng.choices(names, [WEIGHTS.get(each, 1.0) for each in names])[0]
    words: list[str] = []
    arguments: list[str] = []
    rate = rng.choice((0.0, 0.15, 0.3, 0.7))
    for parameter in COMMANDS[name].params:
        for _ in range(_times(rng, parameter, name)):
            text = value(rng, str(parameter.name), mistake=rng.random() < rate)
            if isinstance(parameter, click.Argument):
                arguments.append(text)
            elif isinstance(parameter, click.Option) and parameter.is_flag:
                words.append(rng.choice(parameter.opts) + (f"={text}" if rng.random() < rate / 5 else ""))
            else:
                option = rng.choice(parameter.opts)
                words += (
                    [f"{option}={text}"] if option.startswith("--") and rng.random() < 0.3 else [option, text]
                )
    line = [*words, *arguments] if rng.random() < 0.3 else [*arguments, *words]
    if name == "check":
        line = [*words, "--", *arguments]
    if rng.random() < rate / 3:
        line = changed_words(rng, line)
    if name == "demo":
        line.append("--no-such-option")  # a demo is a whole tournament
    return [*name.split(), *line]


def _times(rng: Random, parameter: click.Parameter, command_name: str) -> int:
    """Return how often a command line has a parameter."""
    if parameter.name == "seats":
        return rng.choice((2, 2, 2, 2, 4, 0, 1))
    if parameter.nargs == -1 or parameter.multiple:
        return rng.choice((0, 1, 1, 2))
    if parameter.required:
        return rng.random() < 0.95
    if parameter.name == "database":
        return rng.random() < 0.2
    if parameter.name in COSTLY and command_name in ("openings", "check"):
        return 1
    return rng.random() < 0.3


def changed_words(rng: Random, words: list[str]) -> list[str]:
    """Remove, double, swap or insert a word."""
    at = rng.randint(0, len(words))
    match rng.randrange(4):
        case 0:
            return words[:at] + words[at + 1 :]
        case 1:
            return words[:at] + words[at : at + 1] + words[at:]
        case 2:
            return sorted(words)
    return [
        *words[:at],
        rng.choice(("--", "-", "--json", "--xyz", "-h", "--help", "", "--db", "--no-json", "-jx", "\udcff")),
        *words[at:],
    ]
