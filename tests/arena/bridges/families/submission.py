"""A bot as Kaggle has it: a function."""


def agent(observation, configuration):
    assert len(observation.board) == configuration.rows * configuration.columns
    assert observation["step"] % 2 == observation.mark - 1
    assert observation.board.count(str(observation.mark)) == 1
    moves = [move for move in observation.legal if len(move) == 2]
    return sorted(moves, key=lambda move: move[1], reverse=observation.mark == 1)[0]
