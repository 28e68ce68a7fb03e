"""Engines that stay on their authors' machines: a line that may break, and the transport over it."""
