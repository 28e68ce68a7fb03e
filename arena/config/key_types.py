"""The types of the keys of a tournament file.

pydantic calls the validators in `Annotated` with a value from the file. They return the value for Python, or
raise a ValueError, whose text becomes the end of the message to the user. The context of validation is the
folder where relative paths start.
"""

from __future__ import annotations

import os
from math import isfinite
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, PlainValidator, Strict, ValidationInfo
from pydantic_core import PydanticKnownError

from arena.address import Address, ServerAddress, is_url
from protocol.keys import Between, DocumentedValue, kind_of, quoted
from protocol.process.program import split_command
from protocol.spec import MAX_NAME
from referee import game
from referee.match.time_control import TimeControl

INT64: Final = Between(-(2**63), 2**63 - 1)
"""The whole numbers of TOML."""


def _unlike(wanted: str, value: object) -> ValueError:
    return ValueError(f"this must be {wanted}, not {kind_of(value)}")


# --- texts


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    return value


def _title(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("a tournament's name must be printable and not empty")
    if len(text) > MAX_NAME:
        raise ValueError(f"a tournament's name must have at most {MAX_NAME} characters, not {len(text)}")
    return text


def _engine_name(text: str) -> str:
    if not text or not text.isprintable() or text != text.strip() or "|" in text:
        raise ValueError("a name must be printable and not empty, without | and without spaces at its ends")
    if len(text) > MAX_NAME:
        raise ValueError(f"a name must have at most {MAX_NAME} characters, not {len(text)}")
    return text


def _known_game(text: str) -> str:
    return game(text).info.id  # raises a RefereeError, which is a ValueError


def _affinity(value: object) -> bool | Literal["auto"]:
    if value == "auto" or isinstance(value, bool):
        return value
    raise ValueError(f'this must be "auto", true or false, not {quoted(value)}')


def _time_control(value: object) -> TimeControl:
    return TimeControl.parse(_text(value))  # raises a RefereeError, too


Flag = Annotated[bool, Strict()]
Affinity = Annotated[
    bool | Literal["auto"], PlainValidator(_affinity), DocumentedValue('`"auto"`, `true` or `false`')
]
Text = Annotated[str, Strict()]
Title = Annotated[Text, AfterValidator(_title)]
EngineName = Annotated[Text, AfterValidator(_engine_name)]
GameId = Annotated[Text, AfterValidator(_known_game)]
Control = Annotated[
    TimeControl, PlainValidator(_time_control), DocumentedValue("[time control](time-controls.md)")
]

Texts = Annotated[tuple[Text, ...], DocumentedValue("list of texts")]
GameIds = Annotated[tuple[GameId, ...], DocumentedValue("list of texts")]


# --- files and folders


def resolved(text: str, folder: Path) -> Path:
    """Make a path absolute, or raise a ValueError if the text is no path or the home folder is not known."""
    if not text or "\0" in text:
        raise ValueError("this must be the name of a file or folder")
    try:
        return folder / Path(text).expanduser()
    except RuntimeError:
        raise ValueError(f"the home folder in {quoted(text)} is not known; write the whole path") from None


def _path(value: object, info: ValidationInfo[Path]) -> Path:
    return resolved(_text(value), info.context)


def _database(value: object, info: ValidationInfo[Path]) -> Address:
    text = _text(value)
    return ServerAddress(text) if is_url(text) else resolved(text, info.context)


def _existing_path(path: Path) -> Path:
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises for a long name
        raise ValueError(f"there is no file or folder {path}")
    return path


def _existing_folder(path: Path) -> Path:
    if not os.path.isdir(path):  # noqa: PTH112 - as above
        raise ValueError(f"there is no folder {path}")
    return path


FilePath = Annotated[Path, PlainValidator(_path), DocumentedValue("path")]
Database = Annotated[Address, PlainValidator(_database), DocumentedValue("path or address")]
ExistingFolder = Annotated[FilePath, AfterValidator(_existing_folder)]
ExistingPaths = Annotated[
    tuple[Annotated[FilePath, AfterValidator(_existing_path)], ...], DocumentedValue("list of paths")
]


# --- engines


def _words(value: object) -> object:
    if isinstance(value, str):
        try:
            return split_command(value)
        except ValueError as error:
            raise ValueError(f"this can't be split into words: {str(error).lower()}") from None
    if not isinstance(value, list):
        raise _unlike("a text in quotes or a list", value)
    return value


def _command(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words or not words[0]:
        raise ValueError("this must name a program")
    if any("\0" in word for word in words):
        raise ValueError("a command can't contain a null character")
    return words


def _shell_commands(value: object) -> object:
    if not isinstance(value, str | list):
        raise _unlike("a text in quotes or a list", value)
    return [value] if isinstance(value, str) else value


def _shell_command(text: str) -> str:
    if not text.strip() or "\0" in text:
        raise ValueError("this must be a command for the shell")
    return text


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int) and INT64.least <= value <= INT64.most:
        return str(value)
    if isinstance(value, float) and isfinite(value):
        return str(value)
    if isinstance(value, int | float):
        raise _unlike("a number of at most 64 bits", value)
    raise _unlike("a text, a number, true or false", value)


def _variable_name(name: str) -> str:
    if not name or "=" in name or "\0" in name:
        raise ValueError("an environment variable can't have this name")
    return name


def _variable_value(text: str) -> str:
    if "\0" in text:
        raise ValueError("an environment variable can't contain a null character")
    return text


def _option_name(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("an option's name must be one printable line")
    return name


def _option_value(text: str) -> str:
    if not text.isprintable():
        raise ValueError("an option's value must be one printable line")
    return text


def _setup(value: object) -> dict[str, str] | str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and all(isinstance(text, str) for text in value.values()):
        return value
    raise _unlike("a text in quotes or a table of such texts", value)


Command = Annotated[
    tuple[Text, ...],
    BeforeValidator(_words),
    AfterValidator(_command),
    DocumentedValue("text or list of texts"),
]
ShellCommands = Annotated[
    tuple[Annotated[Text, AfterValidator(_shell_command)], ...],
    BeforeValidator(_shell_commands),
    DocumentedValue("text or list of texts"),
]
_Value = Annotated[str, PlainValidator(_as_text)]
Variables = Annotated[
    dict[Annotated[str, AfterValidator(_variable_name)], Annotated[_Value, AfterValidator(_variable_value)]],
    DocumentedValue("table of texts, numbers, `true`, `false`"),
]
Options = Annotated[
    dict[Annotated[str, AfterValidator(_option_name)], Annotated[_Value, AfterValidator(_option_value)]],
    DocumentedValue("table of texts, numbers, `true`, `false`"),
]
Setup = Annotated[dict[str, str] | str, PlainValidator(_setup), DocumentedValue("text or table of texts")]
