"""The revisions of the schema; their numbers give their order."""
