"""What surrounds every command: how arena is called, streams, Ctrl-C, errors and exit codes."""
