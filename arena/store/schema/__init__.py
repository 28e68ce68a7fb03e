"""The schema of a database: create it, bring it up to date, and check that its tables and values fit it."""
