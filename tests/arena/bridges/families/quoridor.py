"""The smallest form of the file that UCLouvain's course hands out: a board without jumps."""


class Agent:
    def play(self, percepts, player, step, time_left):
        raise NotImplementedError


class Board:
    def get_actions(self, player):
        row, column = self.pawns[player]
        steps = [
            (row + 1, column, 1, 0),
            (row - 1, column, -1, 0),
            (row, column + 1, 0, 1),
            (row, column - 1, 0, -1),
        ]
        return [
            ("P", new_row, new_column)
            for new_row, new_column, down, right in steps
            if 0 <= new_row < self.size
            and 0 <= new_column < self.size
            and self.free(row, column, down, right)
        ] or [("P", row, column)]

    def free(self, row, column, down, right):
        if (row + down, column + right) in self.pawns:
            return False
        row, column = min(row, row + down), min(column, column + right)
        walls = self.horiz_walls if down else self.verti_walls
        return (row, column) not in walls and (row - right**2, column - down**2) not in walls


def dict_to_board(percepts):
    board = Board()
    vars(board).update(percepts)
    return board


def agent_main(agent):
    raise SystemExit("this would start a server")
