"""A line with a delay: ``python slow_line.py PORT HOST PORT SECONDS`` passes on what comes to the first port.

It takes the seconds in each direction. SIGUSR1 cuts all connections.
"""

import signal
import socket
import struct
import sys
from collections import deque

import trio

_RESET = struct.pack("ii", 1, 0)


async def main(near_port: int, host: str, port: int, delay: float) -> None:
    streams: set[trio.SocketStream] = set()

    async def cut() -> None:
        with trio.open_signal_receiver(signal.SIGUSR1) as signals:
            async for _ in signals:
                for stream in list(streams):
                    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                    await stream.aclose()

    async def pass_on(source: trio.SocketStream, sink: trio.SocketStream) -> None:
        due: deque[tuple[float, bytes]] = deque()
        news = trio.Semaphore(0)

        async def write() -> None:
            while True:
                await news.acquire()
                at, data = due.popleft()
                await trio.sleep_until(at)
                await sink.send_all(data)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write)
            while data := await source.receive_some(65_536):
                due.append((trio.current_time() + delay, data))
                news.release()
            await trio.sleep(delay)
            nursery.cancel_scope.cancel()

    async def handle(near: trio.SocketStream) -> None:
        streams.add(near)
        try:
            async with near, await trio.open_tcp_stream(host, port) as far, trio.open_nursery() as nursery:

                async def one_way(source: trio.SocketStream, sink: trio.SocketStream) -> None:
                    await pass_on(source, sink)
                    nursery.cancel_scope.cancel()

                nursery.start_soon(one_way, near, far)
                nursery.start_soon(one_way, far, near)
        except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            streams.discard(near)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(cut)
        nursery.start_soon(trio.serve_tcp, handle, near_port)


if __name__ == "__main__":
    trio.run(main, int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
