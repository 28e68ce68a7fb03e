"""Tournaments: scheduled, played, stored, rated and shown."""
