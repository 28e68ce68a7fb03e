"""The results of checks in the forms that servers for continuous integration read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from protocol.words import printable

if TYPE_CHECKING:
    from referee.check import CheckReport

_LEVELS: Final = {"must": "error", "should": "warning", "info": "notice"}
"""What GitHub calls a failure of each severity."""


def github(report: CheckReport, folder: str) -> Iterator[str]:
    """Yield an annotation for each failed check, at the command in ``engine.toml`` if the folder has one."""
    manifest = Path(folder, "engine.toml")
    place = ""
    if manifest.is_file():
        lines = manifest.read_text(encoding="utf-8", errors="replace").splitlines()
        line = next((number for number, text in enumerate(lines, 1) if text.startswith("command")), 1)
        path = os.path.relpath(manifest, os.environ.get("GITHUB_WORKSPACE"))
        place = f"file={_property(path)},line={line},"
    for result in report.results:
        if result.status == "failed":
            title = _property(f"{result.number} {result.name}")
            message = _data(f"it {result.text}\nadvice: {result.advice}")
            yield f"::{_LEVELS[result.severity]} {place}title={title}::{message}"


def _data(text: str) -> str:
    """Return a text as GitHub reads it in one line."""
    return printable(text, keep="\n").replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def junit(report: CheckReport, _: str) -> Iterator[str]:
    """Yield a test suite in XML. Only what the exit code counts is a failure; other faults are output."""
    suite = ET.Element("testsuite", name=f"arena check {printable(report.engine)}".rstrip())
    for result in report.results:
        seconds = f"{result.milliseconds / 1000:.3f}"
        names = {"classname": f"arena.{result.severity}", "name": f"{result.number} {result.name}"}
        case = ET.SubElement(suite, "testcase", names, time=seconds)
        lines = [result.text, result.advice, *result.evidence]
        text = printable("\n".join(filter(None, lines)), keep="\n")
        if result.status == "skipped":
            ET.SubElement(case, "skipped", message=text)
        elif result.status == "failed" and result.severity == "must":
            ET.SubElement(case, "failure", message=printable(result.text)).text = text
        elif text:
            ET.SubElement(case, "system-out").text = text
    ET.indent(suite)
    yield ET.tostring(suite).decode("ascii")


FORMATS: Final[dict[str, Callable[[CheckReport, str], Iterator[str]]]] = {"github": github, "junit": junit}
"""Each form by its name: a function that makes the lines from a report and the folder of the engine."""
