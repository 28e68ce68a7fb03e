"""What `arena` offers to programs. `arena.__all__` lists the names; nothing else in this package is public.

Each function that plays comes twice: a coroutine for a trio loop, and a function that blocks until it is
done. Both raise `ArenaError` for everything that a caller can correct.
"""
