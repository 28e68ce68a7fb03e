"""Movers & Hoppers, and Rampants et sauteurs."""
