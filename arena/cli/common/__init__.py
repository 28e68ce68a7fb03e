"""Options, output, database access and error handling that several commands share."""
