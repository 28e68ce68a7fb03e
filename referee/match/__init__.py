"""Plays one game between engines: clocks, the arbiter, adjudication and the verdict."""
