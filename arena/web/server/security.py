"""Refuses unsafe requests, and adds headers to all answers. Pure ASGI, because streams pass through it."""

from __future__ import annotations

import gzip
from collections.abc import Collection
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "Compressed", "Guarded"]

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
"""The headers of every answer. Browsers ignore scripts and styles inside a page; only our files count."""

_POLICY: Final = "content-security-policy"
_JSON: Final = "application/json"
_FORMS: Final = ("multipart/form-data", "application/x-www-form-urlencoded")

_SMALL: Final = 1000
"""Shorter answers are not compressed."""


class Guarded:
    """Answers requests only under the names of this server, and adds `HEADERS` to every answer.

    A page of another site can make a browser send requests here under that site's name, if the name leads to
    this machine (DNS rebinding). So the host that a request names must be one of ours. Requests that change
    something are answered only at addresses that begin with one of ``changing`` or ``forms``, and never if a
    page of another site has sent them.

    Args:
        app: the application.
        hosts: the names, without ports; empty for any.
        changing: the beginnings of the addresses that take JSON.
        forms: the beginnings of the addresses that take forms; their pages may send forms.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str],
        changing: tuple[str, ...] = (),
        forms: tuple[str, ...] = (),
    ) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._changing = changing
        self._forms = forms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if scope["path"].startswith(self._forms):
                    headers[_POLICY] = headers[_POLICY].replace("form-action 'none'", "form-action 'self'")
            await send(message)

        await self._answer(scope)(scope, receive, with_headers)

    def _answer(self, scope: Scope) -> ASGIApp:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if self._hosts and name.strip("[]").lower() not in self._hosts:
            return PlainTextResponse("This server does not answer for this host.\n", 421)
        if scope["method"] == "POST" and scope["path"].startswith((*self._changing, *self._forms)):
            if not _is_same_origin(headers, host):
                return PlainTextResponse("This request comes from a page of another site.\n", 403)
            takes = _FORMS if scope["path"].startswith(self._forms) else (_JSON,)
            if headers.get("content-type", "").partition(";")[0].strip() not in takes:
                return PlainTextResponse(f"This request must be {' or '.join(takes)}.\n", 415)
            return self._app
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse(
                "This server only answers GET and HEAD.\n", 405, headers={"allow": "GET, HEAD"}
            )
        return self._app


def _is_same_origin(headers: Headers, host: str) -> bool:
    """Whether a request comes from a page of this server, or from a program that is not a browser.

    Browsers send ``Origin`` with every POST. New ones also send ``Sec-Fetch-Site``, which stays true behind a
    proxy that changes the host. No page can set either.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2].lower() == host.lower()


class Compressed:
    """Compresses whole answers with gzip if the client takes it; streams pass unchanged."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http" or "gzip" not in Headers(scope=scope).get("accept-encoding", ""):
            await self._app(scope, receive, send)
            return
        start: list[Message] = []

        async def compressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.append(message)
                return
            if start:
                first = start.pop()
                whole = not message.get("more_body")
                if whole and first["status"] == 200 and len(message.get("body", b"")) >= _SMALL:
                    message = {**message, "body": gzip.compress(message["body"], 5, mtime=0)}
                    headers = MutableHeaders(scope=first)
                    headers["content-encoding"] = "gzip"
                    headers["content-length"] = str(len(message["body"]))
                    headers.add_vary_header("accept-encoding")
                await send(first)
            await send(message)

        await self._app(scope, receive, compressed)
