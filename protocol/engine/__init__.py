"""A library for writing engines in Python. It needs only the standard library and imports quickly."""

from protocol.engine.base import Button, Check, Combo, Engine, Option, Spin, String
from protocol.engine.host import run
from protocol.engine.turn import Turn

__all__ = ["Button", "Check", "Combo", "Engine", "Option", "Spin", "String", "Turn", "run"]
