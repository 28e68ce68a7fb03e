"""Run a tournament: start referees, hand out games, store results."""
