"""A library for writing engines in Python. It needs only the standard library and imports quickly."""

from protocol.engine.base import Engine
from protocol.engine.host import run
from protocol.engine.option_types import Button, Check, Combo, Option, Spin, String
from protocol.engine.turn import Turn

__all__ = ["Button", "Check", "Combo", "Engine", "Option", "Spin", "String", "Turn", "run"]
