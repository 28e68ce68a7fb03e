"""Executors: each sends jobs to its referees, and returns the events of the referees."""
