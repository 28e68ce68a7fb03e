//! The board as bits. A row has eight bits, and the last one is always 0, so a shift never changes the row.

/// The square of the ball after it has gone out.
pub const OUT: u8 = 64;
pub const SQUARES: u64 = 0x007f_7f7f_7f7f_7f7f;
/// By seat: the home row of the opponent, and the row before it.
pub const GOAL: [u64; 2] = [0x7f << 48, 0x7f];
pub const BEFORE_GOAL: [u64; 2] = [0x7f << 40, 0x7f << 8];
/// The directions as differences of squares, in the order of the names of the squares that they lead to.
pub const WAYS: [i32; 8] = [-9, -1, 7, -8, 8, -7, 1, 9];

pub fn bit(square: u8) -> u64 {
    1 << square
}

/// The set after all squares move one step. Squares that leave the board are dropped.
pub fn shift(set: u64, way: usize) -> u64 {
    let by = WAYS[way];
    if by > 0 {
        set << by
    } else {
        set >> -by
    }
}

/// The opposite of a direction.
pub fn back(way: usize) -> usize {
    const BACK: [usize; 8] = [7, 6, 5, 4, 3, 2, 1, 0];
    BACK[way]
}

/// The squares next to one of these squares.
pub fn near(set: u64) -> u64 {
    let wide = set | (set << 1 | set >> 1) & SQUARES;
    (wide << 8 | wide | wide >> 8) & SQUARES & !set
}

/// The squares of a set, in ascending order.
pub fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = set.trailing_zeros() as u8;
        set &= set - 1;
        Some(square)
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Blue's pawns, and Red's pawns.
    pub pawns: [u64; 2],
    /// The square of the carrier, or OUT.
    pub ball: u8,
    /// 0 for Blue.
    pub turn: usize,
}

impl Position {
    pub fn start() -> Position {
        Position { pawns: [0x7f, 0x7f << 48], ball: 3, turn: 0 }
    }

    pub fn own(&self) -> u64 {
        self.pawns[self.turn]
    }

    pub fn others(&self) -> u64 {
        self.pawns[1 - self.turn]
    }

    /// A hash of the position.
    pub fn key(&self) -> u64 {
        mix(mix(self.pawns[0] | (self.ball as u64) << 56)
            .wrapping_add(self.pawns[1] | (self.turn as u64) << 60))
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
