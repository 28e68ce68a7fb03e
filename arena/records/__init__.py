"""Games as text: write them, read them, check them by the rules, and import them into a database.

The text is a stream of entries: tournaments, settings of rating lists, and games. There are the text format
and JSON lines, and PGN for games of chess. Each entry is read and written by itself, so that at most one game
is in memory.
"""
