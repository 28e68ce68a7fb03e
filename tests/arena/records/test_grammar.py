"""The grammar of the documentation: it derives all written text, and the reader accepts what it derives."""

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product
from random import Random
from typing import ClassVar

import pytest
from abnf import ParseError, Rule
from abnf.parser import Alternation, Concatenation, Literal, Option, Parser, Repetition
from hypothesis import given

from arena.model import GameRecord, RatingListRecord, TournamentRecord
from arena.records import text
from arena.records.entries import Entry, ReadEntry
from arena.records.notation import STRING
from tests.arena.records.test_text_format import ENTRIES, PAGE, example, read
from tests.seeds import examples, seeds

JSON_STRING = """
string = DQUOTE *json-char DQUOTE
json-char = unescaped / %x5C (%x22 / %x5C / %x2F / %x62 / %x66 / %x6E / %x72 / %x74 / %x75 4HEXDIG)
unescaped = %x20-21 / %x23-5B / %x5D-D7FF / %xE000-10FFFF
"""
"""From RFC 8259, section 7; without half surrogate pairs, which UTF-8 cannot have."""

SYNTAX = ("this is not a tag", "this is not a ply", "not UTF-8", "an entry must begin with")
"""Parts of the messages for text that the grammar does not derive; no other message has them."""

NAMES = ["Event", "Number", "Key", "Started", "Begun", "Duration", "Setting", "Outline", "Start", "Opening"]
NAMES += ["Termination", "Reason", "Final", "Player1", "Version1", "Margin2", "Rank1", "Points2", "Forfeit1"]
NAMES += ["Options1"]
BEGUN = '[Begun "2026-03-21T18:00:00Z"]'
VALUES = ["alpha", "1", "0.25", "2026-03-21T18:00:01.5Z", "normal", "crash", "quoridor", "10+0.1"]


class Grammar(Rule):
    """The grammar of the page."""

    grammar: ClassVar[list[str] | str] = []


@pytest.fixture(scope="module")
def rule() -> Callable[[str], Rule]:
    (block,) = re.findall(r"^```abnf\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    source = re.sub(r" *;.*", "", block.replace('";"', "%x3B")) + JSON_STRING.lstrip()
    Grammar.load_grammar(source.replace("\n", "\r\n"), strict=False)
    return Grammar


def derives(rule: Rule, content: str) -> bool:
    try:
        rule.parse_all(content)
    except ParseError:
        return False
    return True


def derived(element: Parser, chance: Random) -> str:
    """Return a random text that an element of the grammar derives, often with names and values from above."""
    write = partial(derived, chance=chance)
    match element:
        case Rule(name="name") if chance.random() < 0.9:
            return chance.choice(NAMES)
        case Rule(name="string") if chance.random() < 0.7:
            return f'"{chance.choice(VALUES)}"'
        case Rule(name="tag-tournament"):
            return write(element.definition) + f"{BEGUN}\n" * chance.randint(0, 1)
        case Rule():
            return write(element.definition)
        case Alternation():
            return write(chance.choice(element.parsers))
        case Concatenation():
            return "".join(map(write, element.parsers))
        case Option():
            return write(element.alternation) if chance.random() < 0.5 else ""
        case Repetition():
            low, high = element.repeat.min, element.repeat.max
            count = chance.randint(low, min(low + 3, low + 3 if high is None else high))
            return "".join(write(element.element) for _ in range(count))
        case Literal(value=(first, last)):
            return chr(chance.choice([ord(first), ord(last), chance.randint(ord(first), ord(last))]))
        case Literal(value=str(value)):
            return value
    raise TypeError(element)


def test_names_and_values_of_the_test_are_of_the_grammar(rule: Callable[[str], Rule]) -> None:
    assert all(derives(rule("name"), name) for name in NAMES)
    assert all(derives(rule("string"), f'"{value}"') for value in VALUES)
    assert derives(rule("tag"), BEGUN + "\n")


def test_the_example_of_the_page_is_of_the_grammar(rule: Callable[[str], Rule]) -> None:
    assert derives(rule("file"), example())
    for old, new in (
        ("[Event ", "[Event"),
        ("time 0.12", "time .12"),
        ("end\n", "END\n"),
        ("1: 1,1", "1 1,1"),
    ):
        assert old in example()
        assert not derives(rule("file"), example().replace(old, new, 1))


@examples(10)
@given(entry=ENTRIES)
def test_what_is_written_is_of_the_grammar(rule: Callable[[str], Rule], entry: Entry) -> None:
    assert derives(rule("file"), text.HEADER + text.write(entry))


def test_what_the_grammar_derives_is_read_or_refused_for_what_it_says(rule: Callable[[str], Rule]) -> None:
    found: Counter[str] = Counter()
    for seed in seeds(150):
        content = derived(rule("header"), Random(seed)) + "".join(
            derived(rule(name), Random(f"{name} {seed}")) for name in ("entry", "comment", "entry")
        )
        for part in read(content.encode()):
            if isinstance(part, ReadEntry):
                found[type(part.entry).__name__] += 1
                continue
            found["refused"] += 1
            assert not any(words in part.reason for words in SYNTAX), (part, content)
    kinds = (GameRecord, TournamentRecord, RatingListRecord)
    assert all(found[kind.__name__] > 3 for kind in kinds), found


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("ply", text._PLY), ("tag", text._TAG), ("move", re.compile(text.PLAIN_MOVE))],
    ids=["ply", "tag", "move"],
)
def test_what_the_grammar_does_not_derive_the_reader_does_not_match(
    rule: Callable[[str], Rule], name: str, pattern: re.Pattern[str]
) -> None:
    both = 0
    for seed in seeds(400):
        chance = Random(seed)
        content = derived(rule(name), chance).removesuffix("\n").removesuffix("\r")
        at = chance.randrange(len(content))
        damaged = content[:at] + chance.choice(['"', " ", "}", "\\", "x", "", "\x00"]) + content[at + 1 :]
        if pattern.fullmatch(damaged):
            both += 1
            whole = damaged + "\n" if name == "tag" else damaged.rstrip(" ")
            assert derives(rule(name), whole), damaged
    assert both > 20


def test_a_space_before_the_end_of_a_ply_s_comment_is_refused_by_grammar_and_reader(
    rule: Callable[[str], Rule],
) -> None:
    # Python 3.11.2 reads it as a ply, because of a fault in its regular expressions (CPython issue 106052).
    ply = '93:    "crash" {time 09.5, score . Z-Z. 48v }'
    assert not derives(rule("ply"), ply)
    assert text._PLY.fullmatch(ply) is None
    assert text._PLY.fullmatch(ply.replace(" }", "}")) is not None
    (refused,) = read(text.HEADER.encode() + f'[Game "quoridor"]\n{ply}\nend\n'.encode())
    assert "this is not a ply" in refused.reason


BACKTRACKING = {
    STRING: r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*"',
    text.PLAIN_SCORE: "[A-Za-z0-9+.-]+(?: [A-Za-z0-9+.-]+)*",
    text.PLAIN_PV: "[!#-z|~]+(?: [!#-z|~]+)*",
    ")++": ")+",
}
"""The possessive repeats in the reader's regular expressions, and the same repeats without possession."""


@pytest.mark.parametrize(
    ("possessive", "begin", "parts", "end"),
    [
        (STRING, "", ('"', "\\", "\\u", "\\u00e9", "a", "9", "\x01"), ""),
        (text.PLAIN_SCORE, "", ("a", " ", ".", ",", "}"), ""),
        (text._TAG.pattern, "[Name", ('"', "\\u", "\\u00e9", "a", " ", "]", "\x01"), ""),
        (text._TAG.pattern, '[Name "', ('"', "\\u", "\\u00e9", "a", " ", "]", "\x01"), "]"),
        (text._PLY.pattern, "1: ", ('"', "\\u", "\\u00e9", "a", " ", "{time 1", ", score ", "}"), ""),
        (text._PLY.pattern, "1: a {time 1, score ", ('"', "\\u", "\\u00e9", "a", " ", "}", ","), "}"),
        (text._PLY.pattern, "1: a {time 1, nodes 2, pv ", ('"', "\\u", "a", " ", "}", ","), "}"),
    ],
    ids=["string", "score", "tag", "strings of a tag", "ply", "score of a ply", "line of a ply"],
)
def test_expressions_that_do_not_backtrack_match_what_their_backtracking_twins_match(
    possessive: str, begin: str, parts: tuple[str, ...], end: str
) -> None:
    backtracking = possessive
    for quick, slow in BACKTRACKING.items():
        backtracking = backtracking.replace(quick, slow)
    assert backtracking != possessive
    one, other = re.compile(possessive), re.compile(backtracking)
    for count in range(6):
        for middle in product(parts, repeat=count):
            written = begin + "".join(middle) + end
            found = [expression.match(written) for expression in (one, other)]
            assert len({match and (match.span(), match.groups()) for match in found}) == 1, written
