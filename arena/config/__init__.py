"""Tournament files: TOML in, frozen values out, and an error for people when something is wrong."""

from arena.config.loader import load
from arena.config.spec import FORMATS, AdjudicationSpec, EngineEntry, TournamentSpec

__all__ = ["FORMATS", "AdjudicationSpec", "EngineEntry", "TournamentSpec", "load"]
