"""A bot of Montréal's course (Seahorse): one step of search with the state's own methods."""

from board_quoridor import BoardQuoridor
from game_state_quoridor import GameStateQuoridor
from player_quoridor import PlayerQuoridor
from seahorse.game.action import Action


class MyPlayer(PlayerQuoridor):
    def __init__(self, piece_type: str, goal_row: int = 0, name: str = "bob", *args, **kwargs) -> None:
        super().__init__(piece_type, goal_row, name, *args, **kwargs)

    def compute_action(
        self, current_state: GameStateQuoridor, remaining_time: float = 900, **kwargs
    ) -> Action:
        print("thinking with", remaining_time, "seconds as", self.get_piece_type())
        assert current_state.get_active_player().get_id() == self.get_id()
        assert current_state.get_rep().dimension == 9
        actions = list(current_state.get_possible_stateless_actions())
        return min(
            actions, key=lambda action: (self.left(current_state.apply_action(action)), str(action.data))
        )

    def left(self, state: GameStateQuoridor) -> int:
        board: BoardQuoridor = state.get_rep()
        row, _ = board.pawn_positions[self.get_id()]
        assert len(board.walls) + sum(board.remaining_walls.values()) == 20
        return abs(row - self.get_goal_row()) - (1000 if state.is_done() else 0)
