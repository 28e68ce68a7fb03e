"""Where games are played: an executor takes jobs and gives back the referees' events."""
