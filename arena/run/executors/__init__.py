"""Executors: each takes jobs, has them played by referees, and returns the events of the referees."""
