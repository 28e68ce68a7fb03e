"""What several games share: rectangular boards, notation, set-ups, drawings."""
