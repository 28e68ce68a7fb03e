"""Pages as HTML: each function takes the values of a view and returns the whole page."""
