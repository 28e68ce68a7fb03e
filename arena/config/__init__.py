"""Read tournament files: TOML files become frozen dataclasses.

- `arena.config.tournament_keys` and `arena.config.engine_keys` declare the keys; `arena.config.key` says how.
- `arena.config.loader` reads a file step by step, and raises a `ConfigError` if something is wrong.
- `arena.config.spec` has the classes of the result.
"""

from arena.config.loader import load, locate
from arena.config.pairing_plan import FORMATS, PairingPlan, Sprt
from arena.config.spec import EngineEntry, TournamentSpec
from arena.config.tournament_keys import AdjudicationSpec

__all__ = [
    "FORMATS",
    "AdjudicationSpec",
    "EngineEntry",
    "PairingPlan",
    "Sprt",
    "TournamentSpec",
    "load",
    "locate",
]
