"""Tournament files: TOML in, frozen values out, and an error for people when something is wrong."""

from arena.config.loader import load, locate
from arena.config.outline import FORMATS, Outline, Sprt
from arena.config.spec import AdjudicationSpec, EngineEntry, TournamentSpec

__all__ = [
    "FORMATS",
    "AdjudicationSpec",
    "EngineEntry",
    "Outline",
    "Sprt",
    "TournamentSpec",
    "load",
    "locate",
]
