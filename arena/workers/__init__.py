"""Plays games on the workers of a Dask scheduler.

The hub is the process of `arena run`. It decides which worker plays which games, and Dask carries its orders
to that worker. There a child process plays them (`arena.run.batch`), so that no clock of a game shares an
interpreter with Dask. Nothing outside imports this room before a tournament needs it.
"""
