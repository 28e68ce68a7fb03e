"""Games that need an optional package (an extra). The registry finds them by their entry points."""
