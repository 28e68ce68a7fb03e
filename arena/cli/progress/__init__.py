"""How a run is shown: before it begins, as a log, and as a live page on a terminal."""
