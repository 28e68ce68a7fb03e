"""The messages of the Model Context Protocol, line by line."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
import trio.testing

from arena.mcp.server import VERSIONS, Answer, NoArguments, Refused, Server, Tool


class Word(msgspec.Struct, forbid_unknown_fields=True):
    word: str


async def echo(wanted: Word) -> Answer:
    if wanted.word == "no":
        raise Refused("not this word")
    return Answer(wanted.word, {"word": wanted.word})


def server() -> Server:
    async def slow(_: NoArguments) -> Answer:
        await trio.sleep_forever()
        raise AssertionError

    return Server(
        [Tool("echo", "Say it.", Word, echo), Tool("slow", "Wait.", NoArguments, slow)], "Say words."
    )


async def asked(method: str, params: Any = None, **others: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})
    return await server().answer(json.dumps(message | others).encode())


@pytest.mark.parametrize(
    ("wanted", "spoken"), [*((version, version) for version in VERSIONS), ("1999-01-01", VERSIONS[0])]
)
async def test_the_version_of_the_client_is_spoken_or_the_newest(wanted: str, spoken: str) -> None:
    answer = await asked("initialize", {"protocolVersion": wanted, "capabilities": {}, "clientInfo": {}})
    assert answer["result"]["protocolVersion"] == spoken
    assert "tools" in answer["result"]["capabilities"]


async def test_a_tool_is_declared_with_the_schema_of_its_arguments() -> None:
    (first, _) = (await asked("tools/list"))["result"]["tools"]
    assert first["name"] == "echo"
    assert first["inputSchema"]["properties"] == {"word": {"type": "string"}}
    assert first["inputSchema"]["required"] == ["word"]


async def test_a_tool_answers_with_a_text_and_values() -> None:
    answer = await asked("tools/call", {"name": "echo", "arguments": {"word": "yes"}})
    result = {"content": [{"type": "text", "text": "yes"}], "isError": False}
    assert answer == {"jsonrpc": "2.0", "id": 1, "result": result | {"structuredContent": {"word": "yes"}}}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"word": "no"}, "not this word"),
        ({}, "missing required field `word`"),
        ({"word": 3}, "Expected `str`, got `int`"),
        ({"word": "a", "other": 1}, "unknown field `other`"),
        ([], "missing required field `word`"),
        ("x", "Expected `object`"),
    ],
)
async def test_what_a_tool_cannot_do_is_a_result_that_the_model_reads(arguments: Any, words: str) -> None:
    answer = await asked("tools/call", {"name": "echo", "arguments": arguments})
    assert answer["result"]["isError"]
    assert words in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        (b"{", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"\xff", -32700, None),
        (b"[]", -32600, None),
        (b'"x"', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 7}', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "server/discover"}', -32601, "a"),
        (b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "x"}}', -32602, 2),
        (b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": [1]}', -32602, 2),
    ],
)
async def test_a_message_that_is_no_request_has_the_error_of_json_rpc(
    line: bytes, code: int, id_: object
) -> None:
    answer: Any = await server().answer(line)
    assert (answer["error"]["code"], answer["id"]) == (code, id_)


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
    ],
)
async def test_notifications_and_answers_get_no_answer(line: bytes) -> None:
    assert await server().answer(line) is None


async def test_a_ping_is_answered_while_a_tool_works_and_the_end_of_input_ends_everything() -> None:
    near, far = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server().serve, far, far)
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}}
        await near.send_all(json.dumps(call).encode() + b"\n\n")
        await near.send_all(b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}\r\n')
        with trio.fail_after(10):
            assert json.loads(await near.receive_some()) == {"jsonrpc": "2.0", "id": 2, "result": {}}
            await near.send_eof()
