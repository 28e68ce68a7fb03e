"""Read tournament files: TOML files become frozen dataclasses.

`protocol.keys` says how keys are declared; `arena.config.loader` reads a file step by step, and raises a
`ConfigError` if something is wrong; `arena.config.spec` has the classes of the result.
"""

from arena.config.loader import load, load_values, load_with, locate
from arena.config.spec import EngineEntry, TournamentSpec

__all__ = [
    "EngineEntry",
    "TournamentSpec",
    "load",
    "load_values",
    "load_with",
    "locate",
]
