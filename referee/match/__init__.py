"""One game, played by the rules: clock, adjudication, verdict."""
