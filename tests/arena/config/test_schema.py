"""The JSON schemas for editors: they accept what arena accepts, and refuse wrong keys and values."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from arena.config.schema import SCHEMAS

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```toml\n(.*?)^```", re.DOTALL | re.MULTILINE)


def problems(name: str, values: dict[str, Any]) -> list[str]:
    schema = SCHEMAS[name]()
    jsonschema.Draft7Validator.check_schema(schema)
    return [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(values)]


def tournament_files() -> list[str]:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    blocks = [block for page in pages for block in BLOCK.findall(page.read_text(encoding="utf-8"))]
    files = [file.read_text(encoding="utf-8") for file in (ROOT / "engines").glob("*.toml")]
    return [text for text in (*blocks, *files) if "[[engines]]" in text]


def test_every_tournament_file_of_the_documentation_fits_the_schema() -> None:
    texts = tournament_files()
    assert len(texts) > 15
    assert {
        text: wrong for text in texts if (wrong := problems("tournament.schema.json", tomllib.loads(text)))
    } == {}


@pytest.mark.parametrize(
    "text",
    [
        'gaem = "hops"',
        "concurrency = 0",
        "concurrency = 1.5",
        'format = "cup"',
        '[openings]\nkind = "book"',
        '[[engines]]\nnme = "a"',
        "[adjudication.resign]\nmoves = 3",
        "[defaults.timeouts]\nready = 0",
    ],
)
def test_a_wrong_key_or_value_does_not_fit(text: str) -> None:
    assert problems("tournament.schema.json", tomllib.loads(text))


def test_the_schema_of_engine_toml_has_its_keys() -> None:
    values = {"command": "./engine", "build": ["make"], "language": "c"}
    assert problems("engine.schema.json", values) == []
    assert problems("engine.schema.json", {"comand": "./engine"})
