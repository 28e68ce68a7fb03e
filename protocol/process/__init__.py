"""Starts an engine's process, limits and sandboxes it, and makes sure that it ends."""
