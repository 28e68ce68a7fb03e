"""``python -m arena``: the same as the ``arena`` command."""

from arena.cli import main

if __name__ == "__main__":
    main()
