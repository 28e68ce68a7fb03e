"""A bot of UCLouvain's course; quoridor.py, which the course hands out, lies beside it."""

import random

from quoridor import Agent, agent_main, dict_to_board


class MyAgent(Agent):
    def play(self, percepts, player, step, time_left):
        board = dict_to_board(percepts)
        assert step % 2 == 1 - player % 2
        row, column = board.pawns[player]
        ahead = ("P", row + (1 if board.goals[player] else -1), column)
        if board.nb_walls[player] == 10 and (3, 4) not in board.horiz_walls:
            return ("WH", 3, 4)
        return ahead if ahead in board.get_actions(player) else random.choice(board.get_actions(player))


if __name__ == "__main__":
    agent_main(MyAgent())
