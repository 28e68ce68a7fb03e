"""What these bots have in common: a step towards the goal, or now and then a wall."""

import random


def choose(legal, player, walls):
    """Return one of the legal moves; ``walls`` is how often it is a wall."""
    steps = [move for move in legal if len(move) == 2]
    others = [move for move in legal if len(move) == 3]
    if others and random.random() < walls:
        return random.choice(others)
    if random.random() < 0.2:
        return random.choice(steps)
    goal = max if player == 1 else min
    row = goal(step[1] for step in steps)
    return random.choice([step for step in steps if step[1] == row])
