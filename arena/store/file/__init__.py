"""The database as a file: plain connections to it, whether it is still there, and what its disk can do."""
