"""Games as text: write them, read them, check them by the rules, and import them into a database.

The text is a stream of entries: tournaments, settings of rating lists, and games. There are two formats: the
text format (`text_writer`, `text_reader`) and JSON lines (`jsonl`). Both write one entry at a time, and keep
at most one game in memory while they read.
"""

from arena.records.entries import Entry, ReadEntry, RefusedEntry
from arena.records.reader import FORMATS, read_records, write_records

__all__ = ["FORMATS", "Entry", "ReadEntry", "RefusedEntry", "read_records", "write_records"]
