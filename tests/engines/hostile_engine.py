"""Starts an engine of `hostile`, a module that Python compiles only once: `hostile_engine.py honest`."""

import sys

from hostile import MODES

MODES[sys.argv[1]]().run()
