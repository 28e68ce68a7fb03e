"""The rules of the games, in one folder for each family of games.

Rules are pure: they use no I/O, no clock and no event loop. Each game, ours or another package's, is an
    object
that an entry point in the group ``leapfrog_arena.games`` names.
"""
