"""Convert the rows of `arena.store.rows` to the values of the store, and values to rows.

The functions also check the values that they read, and raise `arena.store.errors.InvalidRow` for a wrong one.
"""
