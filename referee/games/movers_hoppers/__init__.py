"""Movers & Hoppers (``movers-hoppers``, ``movers-hoppers-expert``): rule sheet 000; ``rampants``: 003."""
