"""One game outside a tournament."""
