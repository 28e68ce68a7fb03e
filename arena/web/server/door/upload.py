"""Read an upload from a request: its size and its time are counted while it is read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import IO, Final

import anyio
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

__all__ = ["read_form", "read_to_end", "read_upload"]

_SECONDS: Final = 120.0
_REST: Final = 10_000
"""The most bytes of a form besides the file."""

_DISCARDED: Final = 100_000_000
_DISCARD_SECONDS: Final = 20.0
"""How much of a refused upload is read nevertheless, and for how long."""


@asynccontextmanager
async def read_to_end(request: Request) -> AsyncIterator[Request]:
    """Give a request, and read the rest of its body at the end of the block.

    Browsers and many programs read the answer only when they have sent everything: if the connection ends
    before, they say that the server is not there.
    """
    ended = False

    async def receive() -> Message:
        nonlocal ended
        message = await request.receive()
        ended = not message.get("more_body", False)
        return message

    try:
        yield Request(request.scope, receive)
    finally:
        left = _DISCARDED
        with anyio.move_on_after(_DISCARD_SECONDS):
            while not ended and left > 0:
                left -= len((await receive()).get("body", b""))


@asynccontextmanager
async def read_upload(request: Request, most: int) -> AsyncIterator[tuple[str, IO[bytes]]]:
    """Give the name and the bytes of the file in a form with the field ``file``, until the end of the block.

    Raises:
        HTTPException: the form has no file, is larger than ``most`` bytes, or takes too long.
    """
    form = None
    with anyio.move_on_after(_SECONDS):
        limited = _limited(request, most + _REST)
        try:
            async with aclosing(limited.stream()) as body:
                form = await MultiPartParser(limited.headers, body, max_files=1, max_fields=5).parse()
        except MultiPartException as error:
            raise HTTPException(400, f"the form cannot be read: {error.message}") from None
        except KeyError:
            raise HTTPException(400, "the form has no boundary") from None
        except ClientDisconnect:
            raise HTTPException(400, "the upload ended early") from None
    if form is None:
        raise HTTPException(408, f"the upload took more than {_SECONDS:.0f} seconds")
    try:
        found = form.get("file")
        if not isinstance(found, UploadFile) or not found.filename:
            raise HTTPException(400, "choose a file first")
        yield found.filename, found.file
    finally:
        await form.close()


async def read_form(request: Request) -> dict[str, str]:
    """Return the texts of a small form.

    Raises:
        HTTPException: the form cannot be read, is too large, or takes too long.
    """
    with anyio.move_on_after(_SECONDS):
        request = _limited(request, _REST)
        async with request.form(max_files=0, max_fields=10) as form:
            return {key: value for key, value in form.items() if isinstance(value, str)}
    raise HTTPException(408, f"the form took more than {_SECONDS:.0f} seconds")


def _limited(request: Request, most: int) -> Request:
    """Return the request with a body that raises an error after ``most`` bytes.

    Raises:
        HTTPException: it announces more.
    """
    too_large = HTTPException(413, f"the upload is larger than {most // 1000} kB")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > len(str(most)) or int(length) > most:
        raise too_large
    left = most

    async def receive() -> Message:
        nonlocal left
        message = await request.receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise too_large
        return message

    return Request(request.scope, receive)
