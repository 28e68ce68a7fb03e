//! The evaluation of a position.

use crate::board::*;

const ROW: i32 = 40;
const BALL: i32 = 50;

/// The value for the player to move. A row of the ball is worth 40.
pub fn value(position: &Position) -> i32 {
    let has_ball = position.pawns[0] & bit(position.ball) != 0;
    let blue = ROW * ((position.ball / 8) as i32 - 3) + if has_ball { BALL } else { -BALL };
    if position.turn == 0 {
        blue
    } else {
        -blue
    }
}
