"""Write and read the messages of `referee.match.job`: each is one line of JSON."""

from __future__ import annotations

import json
from typing import TypeVar

import msgspec

from referee.match.job import Order, RefereeEvent

__all__ = ["decode_event", "decode_order", "decode_with", "encode"]

_Message = TypeVar("_Message")

_ENCODER = msgspec.json.Encoder()
_ORDERS: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)
_EVENTS: msgspec.json.Decoder[RefereeEvent] = msgspec.json.Decoder(RefereeEvent)


def encode(message: msgspec.Struct) -> bytes:
    """Return the line of an order or an event, with its LF.

    A path that is not UTF-8 has bytes that Python keeps as halves of characters (``surrogateescape``). They
    are written as escapes: the byte FF as a backslash and ``udcff``.
    """
    try:
        return _ENCODER.encode(message) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(message)).encode() + b"\n"


def decode_order(line: bytes) -> Order:
    """Parse an order.

    Raises:
        msgspec.MsgspecError: the line is not an order; the message names the key.
    """
    return decode_with(_ORDERS, line)


def decode_event(line: bytes) -> RefereeEvent:
    """Parse an event.

    Raises:
        msgspec.MsgspecError: the line is not an event.
    """
    return decode_with(_EVENTS, line)


def decode_with(decoder: msgspec.json.Decoder[_Message], line: bytes) -> _Message:
    """Parse a message that `encode` wrote.

    Raises:
        msgspec.MsgspecError: the line is not such a message.
    """
    try:
        return decoder.decode(line)
    except RecursionError:
        raise msgspec.DecodeError("JSON is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(f"this is not UTF-8: {error.reason}, byte {error.start}") from None
    except msgspec.DecodeError as error:
        if isinstance(error, msgspec.ValidationError) or b"\\ud" not in line.lower():
            raise
    return _decode_halves(decoder, line)


def _decode_halves(decoder: msgspec.json.Decoder[_Message], line: bytes) -> _Message:
    """Parse a message with halves of characters, which msgspec does not read."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise msgspec.DecodeError(f"JSON is malformed: {str(error) or 'nested too deeply'}") from None
    return msgspec.convert(message, decoder.type)
