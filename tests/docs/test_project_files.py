"""The files that a public project has say what is true here."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
YAML = [*sorted((ROOT / ".github").rglob("*.yml")), ROOT / "CITATION.cff", ROOT / ".pre-commit-config.yaml"]


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text())


@pytest.mark.parametrize("file", YAML, ids=lambda file: file.name)
def test_every_file_is_yaml(file: Path) -> None:
    assert isinstance(yaml.safe_load(file.read_text()), dict)


def test_every_version_of_python_that_the_package_names_is_tested() -> None:
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert read(".github/workflows/ci.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"] == named


def test_workflows_call_targets_that_exist() -> None:
    called = re.findall(r"run: make ([\w-]+)", (ROOT / ".github/workflows/ci.yml").read_text())
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert called
    assert set(called) <= set(targets)


def test_the_citation_is_of_this_version() -> None:
    citation = read("CITATION.cff")
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])
    assert [author["name"] for author in citation["authors"]] == [one["name"] for one in PROJECT["authors"]]
