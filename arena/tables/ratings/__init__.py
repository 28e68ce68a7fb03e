"""Rating lists: their order, their tables, and the same as plain values."""
