"""The bounds of an engine's configuration, which hold wherever it comes from: a file, an order, a command."""

from __future__ import annotations

from dataclasses import fields
from math import inf, nan
from typing import Any

import pytest

from protocol.spec import EngineSpec, ResourceLimits, Timeouts

DAYS_30 = 30 * 24 * 3600


def spec(**changes: Any) -> EngineSpec:
    return EngineSpec(**{"name": "a", "command": ("true",)} | changes)


@pytest.mark.parametrize("name", [field.name for field in fields(Timeouts)])
def test_a_timeout_is_from_a_millisecond_to_thirty_days(name: str) -> None:
    for seconds in (0.001, DAYS_30):
        assert getattr(Timeouts(**{name: seconds}), name) == seconds
    for wrong in (0, -1, 0.0009, DAYS_30 + 1, nan, inf, 1e300):
        with pytest.raises(ValueError, match=f"^{name}: this must be from 0.001 to {DAYS_30} seconds, not"):
            Timeouts(**{name: wrong})


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("memory", 2**63 - 1),
        ("processes", 2**22),
    ],
)
def test_a_limit_is_one_that_the_system_can_set(name: str, most: int) -> None:
    assert getattr(ResourceLimits(**{name: most}), name) == most
    with pytest.raises(ValueError, match=rf"^{name}: this must be from 1 to {most}\b.*, not"):
        ResourceLimits(**{name: most + 1})


def test_a_margin_is_at_most_thirty_days() -> None:
    assert spec(margin=DAYS_30 * 1000).margin == DAYS_30 * 1000
    for margin in (DAYS_30 * 1000 + 1, 2**63, 10**400):
        with pytest.raises(
            ValueError, match=f"^engine a: margin: this must be from 0 to {DAYS_30 * 1000} milliseconds, not"
        ):
            spec(margin=margin)


def test_a_name_has_at_most_200_characters() -> None:
    assert spec(name="x" * 200).name == "x" * 200
    with pytest.raises(ValueError, match=r"^an engine's name must have at most 200 characters$"):
        spec(name="x" * 201)


@pytest.mark.parametrize("name", ["", "A=B", "="])
def test_a_variable_has_a_name_that_the_system_can_have(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"^engine a: an environment variable has no name, or a name with =$"
    ):
        spec(env={name: "1"})


@pytest.mark.parametrize(
    "changes",
    [
        {"command": ("true", "a\0b")},
        {"cwd": "a\0b"},
        {"env": {"A": "a\0b"}},
        {"env": {"a\0b": "1"}},
        {"readable": ("a\0b",)},
    ],
)
def test_a_null_character_is_refused_wherever_the_system_has_none(changes: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match=r"^engine a: a null character, or half a character, cannot be in 'a"
    ):
        spec(**changes)


@pytest.mark.parametrize("options", [{"a\nb": "1"}, {"Hash": "1\n2"}, {"Hash": "\0"}])
def test_an_option_is_one_printable_line(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"is not one printable line$"):
        spec(options=options)


def test_a_path_that_is_no_utf_8_is_accepted() -> None:
    assert spec(command=("./\udcff",), cwd="/\udcff", env={"A": "\udcff"}).cwd == "/\udcff"
