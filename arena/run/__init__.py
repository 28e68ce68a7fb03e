"""A tournament being run: referees, results, and what is played next."""
