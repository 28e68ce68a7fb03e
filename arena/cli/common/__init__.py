"""Options, output and database access that several commands share."""
