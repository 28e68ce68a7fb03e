"""Play games at the same time in a trio loop, and stop all of them after a minute.

Run ``python play_many_games.py python3 mine.py``: the words after the name are the engine's command.
"""

import sys

import trio

import arena


async def main(command: list[str], games: int = 2) -> list[str]:
    """Play games of an engine against itself; return how those that ended in time ended."""
    reasons: list[str] = []

    async def play() -> None:
        record = await arena.play_game_async("quoridor", [command, command], time_control="5+0.1")
        reasons.append(record.result.reason)

    with trio.move_on_after(60):
        async with trio.open_nursery() as nursery:
            for _ in range(games):
                nursery.start_soon(play)
    return reasons


if __name__ == "__main__":
    print(trio.run(main, sys.argv[1:]))
