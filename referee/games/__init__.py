"""The rules of each game, pure: no I/O, no clocks, no event loop.

Every game is a value named in the entry points ``leapfrog_arena.games``, ours as well as a third party's.
"""
