"""Chooses the options that are set in the handshake: the game, and what a configuration asks for."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import shorten

from protocol.errors import EngineOptionError, EngineStartError
from protocol.wire.messages import SetOption
from protocol.wire.options import AdvertisedOption, nearest_option

__all__ = ["choose_options"]

_GAME_OPTION = "ugi_game"

_CHOICES_LENGTH = 300
"""The most characters of an engine's list of games in an error message."""


def choose_options(
    advertised: Mapping[str, AdvertisedOption], game: str | None, wanted: Mapping[str, str], *, force: bool
) -> list[SetOption]:
    """Return the options to set.

    Args:
        advertised: the engine's options, by name in lower case.
        game: the game's id, which is set if the engine has the option ``UGI_Game``; None for no game.
        wanted: values by option names, from the engine's configuration.
        force: send the wanted options as they are written, whatever the engine advertised.

    Raises:
        EngineStartError: the engine does not play that game.
        EngineOptionError: the engine lacks a wanted option, or does not take its value.
    """
    chosen: list[SetOption] = []
    if game is not None and _GAME_OPTION in advertised:
        chosen.append(_choose_game(advertised[_GAME_OPTION], game))
    if force:
        return chosen + [SetOption(name, value or None) for name, value in wanted.items()]
    problems: list[str] = []
    for name, value in wanted.items():
        option = advertised.get(name.lower())
        try:
            if option is None:
                hint = nearest_option(name, tuple(advertised.values()))
                raise ValueError(f"it has no option {name!r}: {hint}")
            chosen.append(SetOption(option.name, option.check(value)))
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise EngineOptionError(f"does not take its options: {'; '.join(problems)}")
    return chosen


def _choose_game(option: AdvertisedOption, game: str) -> SetOption:
    if game not in option.choices:
        choices = shorten(", ".join(option.choices), _CHOICES_LENGTH, placeholder=" ...")
        raise EngineStartError(f"does not play {game}, only {choices}")
    return SetOption(option.name, game)
