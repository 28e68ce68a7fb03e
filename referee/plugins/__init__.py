"""Games whose rules need a package of an extra. The registry finds them by their entry points."""
