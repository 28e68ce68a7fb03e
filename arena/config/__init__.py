"""Tournament files: TOML in, frozen values out, and an error for people when something is wrong.

- `arena.config.tournament_keys` and `arena.config.engine_keys` declare every key (how: `arena.config.key`).
- `arena.config.loader` reads a file from top to bottom.
- `arena.config.spec` is what comes out.
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
