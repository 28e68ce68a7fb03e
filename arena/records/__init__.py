"""Games as text that anybody can read: written, read, judged by the rules, taken into a database.

The text is a stream of entries: tournaments, settings of rating lists, games. `text` and `jsonl` each have a
``write`` for one entry and a ``read`` for a stream, and hold no more than one game in memory.
"""

from arena.records.entries import Entry, ReadEntry, RefusedEntry
from arena.records.reader import FORMATS, read_records, write_records

__all__ = ["FORMATS", "Entry", "ReadEntry", "RefusedEntry", "read_records", "write_records"]
