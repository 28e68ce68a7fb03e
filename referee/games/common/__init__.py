"""Code that several games share: rectangular boards, notation, set-ups and drawings."""
