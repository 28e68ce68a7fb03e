"""Single games outside a tournament: play one, replay a turn of one, judge openings for one."""
