"""``python -m arena``: the same as the ``arena`` command."""

import _signal  # type: ignore[import-not-found]  # `signal` is slow to import, and it may be too late then

# Until `main` handles Ctrl-C, it kills this program. `arena door run` starts programs that block it.
if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
_signal.pthread_sigmask(_signal.SIG_UNBLOCK, {_signal.SIGINT})

from arena.cli import main  # noqa: E402 - this takes most of the time of a start

if __name__ == "__main__":
    main()
