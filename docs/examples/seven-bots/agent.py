"""A bot that is a class with one method."""

from choose import choose


class Agent:
    def __init__(self, player):
        self.player = player

    def act(self, legal, remaining_time):
        print(remaining_time, "seconds are left")
        return choose(legal, self.player, walls=0.3)
