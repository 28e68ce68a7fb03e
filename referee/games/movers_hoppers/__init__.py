"""The rules of Movers & Hoppers (rule sheet 000) and of Rampants et sauteurs (rule sheet 003).

The ids of the games are ``movers-hoppers``, ``movers-hoppers-expert`` and ``rampants``.
"""
