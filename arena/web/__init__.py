"""Web pages: boards, plots, templates, and the static site."""
