"""A server of the Model Context Protocol on standard input and output: JSON-RPC 2.0, one message a line."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final

import msgspec
import trio

from protocol.wire.session import LineBuffer

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The versions of the protocol that are spoken, the newest first. Newer clients fall back to them."""

_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS = -32700, -32600, -32601, -32602

_LONGEST_LINE: Final = 1 << 20


class Refused(Exception):
    """A tool cannot do what it is asked. The agent reads why, and can try again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answers: a text, and the same as values for programs."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool; ``arguments`` is a msgspec struct, from which its schema is made."""

    name: str
    description: str
    arguments: type[msgspec.Struct]
    call: Callable[[Any], Awaitable[Answer]]

    def declared(self) -> dict[str, object]:
        """Return what ``tools/list`` says of it."""
        _, schemas = msgspec.json.schema_components([self.arguments])
        schema = schemas[self.arguments.__name__]
        return {"name": self.name, "description": self.description, "inputSchema": schema}


class NoArguments(msgspec.Struct, forbid_unknown_fields=True):
    """A tool without arguments."""


class _ProtocolError(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Server:
    """Answers the requests of one client; ``instructions`` tell its model what the tools are for."""

    def __init__(self, tools: Sequence[Tool], instructions: str) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._instructions = instructions
        self.client = ""  # the name of the client's program, once it has told it

    async def serve(self, source: trio.abc.ReceiveStream, sink: trio.abc.SendStream) -> None:
        """Answer until the input ends, or nobody reads the answers. Requests do not wait for each other."""
        writing = trio.Lock()

        async def answer(line: bytes) -> None:
            reply = await self.answer(line)
            if reply is not None:
                async with writing:
                    await sink.send_all(msgspec.json.encode(reply) + b"\n")

        try:
            async with trio.open_nursery() as requests:
                async for line in lines(source, _LONGEST_LINE):
                    if line.strip():
                        requests.start_soon(answer, line)
                requests.cancel_scope.cancel()
        except* trio.BrokenResourceError:
            pass

    async def answer(self, line: bytes) -> dict[str, object] | None:
        """Return the answer to a message; None if it needs none."""
        message: Any = None
        try:
            try:
                message = msgspec.json.decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                raise _ProtocolError(_PARSE_ERROR, f"this line is no JSON: {error}") from None
            if not isinstance(message, dict) or not isinstance(message.get("method"), str):
                if isinstance(message, dict) and ("result" in message or "error" in message):
                    return None  # an answer, but nothing was asked
                raise _ProtocolError(_INVALID_REQUEST, "this is no request of JSON-RPC 2.0")
            if "id" not in message:
                return None  # a notification
            result = await self._result(message["method"], message.get("params", {}))
        except _ProtocolError as error:
            id_ = message.get("id") if isinstance(message, dict) else None
            return {"jsonrpc": "2.0", "id": id_, "error": {"code": error.code, "message": str(error)}}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    async def _result(self, method: str, params: object) -> dict[str, object]:
        if not isinstance(params, dict):
            raise _ProtocolError(_INVALID_PARAMS, "params must be an object")
        match method:
            case "initialize":
                return self._greeting(params)
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [tool.declared() for tool in self._tools.values()]}
            case "tools/call":
                return await self._call(params)
        raise _ProtocolError(_NO_METHOD, f"there is no method {method}")

    def _greeting(self, params: dict[str, Any]) -> dict[str, object]:
        client, wanted = params.get("clientInfo"), params.get("protocolVersion")
        if isinstance(client, dict):
            self.client = str(client.get("name", ""))
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "leapfrog-arena", "version": version("leapfrog-arena")},
            "instructions": self._instructions,
        }

    async def _call(self, params: dict[str, Any]) -> dict[str, object]:
        tool = self._tools.get(str(params.get("name")))
        if tool is None:
            raise _ProtocolError(
                _INVALID_PARAMS,
                f"there is no tool {params.get('name')!r}; there are {', '.join(self._tools)}",
            )
        try:
            arguments = msgspec.convert(params.get("arguments") or {}, tool.arguments)
            answer = await tool.call(arguments)
        except (Refused, msgspec.ValidationError) as error:
            answer = Answer(str(error), refused=True)
        result: dict[str, object] = {
            "content": [{"type": "text", "text": answer.text}],
            "isError": answer.refused,
        }
        return result | ({"structuredContent": answer.values} if answer.values else {})


async def serve_standard_streams(server: Server) -> None:
    """Answer on standard input and output until the input ends."""
    source = trio.lowlevel.FdStream(os.dup(sys.stdin.fileno()))
    sink = trio.lowlevel.FdStream(os.dup(sys.stdout.fileno()))
    async with source, sink:
        await server.serve(source, sink)


async def lines(source: trio.abc.ReceiveStream, longest: int) -> AsyncIterator[bytes]:
    """Yield the lines. A line of more bytes than the longest is left out."""
    buffer = LineBuffer(longest)
    while data := await source.receive_some():
        buffer.feed(bytes(data))
        while (line := buffer.next_line()) is not None:
            yield line
