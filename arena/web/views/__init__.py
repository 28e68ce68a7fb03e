"""The values that pages show, built from the store."""
