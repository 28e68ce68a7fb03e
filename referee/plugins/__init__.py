"""Games whose rules need a package that comes with an extra; each is found by its entry point alone."""
