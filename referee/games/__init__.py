"""The rules of the games, in one folder for each family of games.

Rules are pure: they use no I/O, no clock and no event loop. An entry point in the group
``leapfrog_arena.games`` names each game, also the games of other packages.
"""
