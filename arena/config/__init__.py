"""Read tournament files: TOML files become frozen dataclasses.

- The modules `tournament_keys`, `engine_keys`, `adjudication_keys`, `executor_keys` and `door_keys`, and the
  class `Sprt` of `pairing_plan`, declare the keys; `arena.config.key` says how.
- `arena.config.loader` reads a file step by step, and raises a `ConfigError` if something is wrong.
- `arena.config.spec` has the classes of the result.
"""

from arena.config.adjudication_keys import AdjudicationSpec
from arena.config.loader import load, load_values, load_with, locate
from arena.config.pairing_plan import FORMATS, PairingPlan, Sprt, stored_plan
from arena.config.spec import EngineEntry, TournamentSpec

__all__ = [
    "FORMATS",
    "AdjudicationSpec",
    "EngineEntry",
    "PairingPlan",
    "Sprt",
    "TournamentSpec",
    "load",
    "load_values",
    "load_with",
    "locate",
    "stored_plan",
]
