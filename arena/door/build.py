"""Build a submission in the sandbox.

The build never touches the disk. Its files go into the sandbox through a pipe, into a folder in memory with a
limit; its result comes out through another pipe. No process of the build outlives it, because bubblewrap ends
them all with the first one.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import trio

from arena.config.door_keys import BuildKeys
from arena.errors import ArenaError
from protocol.process import bubblewrap, sandbox
from protocol.spec import EngineSpec, ResourceLimits

_SCRIPT: Final = """set -e
mkdir build
tar -xf - -C build
cd build
(
{commands}
) >&2 </dev/null
exec tar -chf - --hard-dereference --exclude='./target/*/deps' --exclude='./target/*/build' \
 --exclude='./target/*/incremental' --exclude=.git .
"""
"""Links become files, because only files leave the sandbox. The large folders of cargo are not needed."""

_CHUNK: Final = 1 << 16
_PROCESSES: Final = 200
_MOST_OUTPUT: Final = 100_000
_KILLED: Final = 128


async def build(
    source: bytes, commands: tuple[str, ...], keys: BuildKeys, tell: Callable[[str], Awaitable[None]]
) -> bytes:
    """Run the commands that build a submission, and return its files and the results as a tar."""
    spec = EngineSpec(
        name="build",
        command=("/bin/sh", "-c", _SCRIPT.format(commands="\n".join(("set -e", *commands)))),
        limits=ResourceLimits(memory=keys.memory, processes=_PROCESSES, cpu=keys.seconds * 4),
        sandbox="bwrap",
    )
    command = sandbox.command_line(spec, size=keys.disk)
    environment = {
        **sandbox.environment(spec, bubblewrap.OWN_FOLDER),
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
    }
    with trio.move_on_after(keys.seconds):
        process = await trio.lowlevel.open_process(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env=environment,
            start_new_session=True,
        )
        try:
            return await _converse(process, source, keys, tell)
        finally:
            _kill(process)
            with trio.CancelScope(shield=True):
                await process.wait()
    raise ArenaError(f"the build did not end within {keys.seconds} seconds")


def _kill(process: trio.Process) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGKILL)  # bubblewrap takes all processes in the sandbox with it


async def _converse(
    process: trio.Process, source: bytes, keys: BuildKeys, tell: Callable[[str], Awaitable[None]]
) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    made = bytearray()
    output = Output(tell, _MOST_OUTPUT)
    too_large = False
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_send, process.stdin, source)
        nursery.start_soon(_listen, process.stderr, output)
        async for data in process.stdout:
            made += data
            if len(made) > keys.disk:
                too_large = True
                _kill(process)
                break
        await process.wait()
    if too_large:
        raise ArenaError(f"the build made more than {keys.disk >> 20} MiB")
    code = process.returncode
    if code:
        how = f"exit code {code}"
        if code < 0 or code > _KILLED:
            how = f"a signal ({signal.strsignal(-code if code < 0 else code - _KILLED) or code})"
        raise ArenaError(f"the build failed with {how}; its output says why")
    return bytes(made)


async def _send(pipe: trio.abc.SendStream, data: bytes) -> None:
    async with pipe:
        try:
            await pipe.send_all(data)
        except trio.BrokenResourceError:
            pass  # the build ended without reading it; its exit code says why


async def _listen(pipe: trio.abc.ReceiveStream, output: Output) -> None:
    async with output.passed_on():
        async for data in pipe:
            output.add(data)


_FLUSH_SECONDS: Final = 0.5


class Output:
    """Passes on the output of a program, in pieces of half a second, up to a largest number of bytes."""

    def __init__(self, tell: Callable[[str], Awaitable[None]], most: int) -> None:
        self._tell = tell
        self._piece = bytearray()
        self._left = most

    @property
    def full(self) -> bool:
        """Whether nothing more is passed on."""
        return self._left <= 0

    def add(self, data: bytes | bytearray) -> None:
        """Pass data on with the next piece."""
        if self._left <= 0:
            return
        self._piece += data[: self._left]
        self._left -= len(data)
        if self._left <= 0:
            self._piece += b"\n(the rest of the output is not kept)"

    @asynccontextmanager
    async def passed_on(self) -> AsyncIterator[None]:
        """Pass on what is added in this block."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._flush_often)
            yield
            nursery.cancel_scope.cancel()
        await self._flush()

    async def _flush_often(self) -> None:
        while True:
            await trio.sleep(_FLUSH_SECONDS)
            await self._flush()

    async def _flush(self) -> None:
        if self._piece:
            text = self._piece.decode("utf-8", "replace").replace("\0", "\ufffd")
            self._piece.clear()
            await self._tell(text)
