//! The actions of one pawn, as sets of squares. `around` always has the squares of all other pawns.

use crate::board::*;

/// By direction: the squares from which a jump would reverse an earlier jump.
pub type Barred = [u64; 8];
pub const NOTHING_BARRED: Barred = [0; 8];

/// The squares where an action can end.
#[derive(Clone, Copy, Default)]
pub struct Ends {
    pub squares: u64,
    /// Whether it can carry the ball out.
    pub out: bool,
}

/// The squares that jumps reach, without the start.
pub fn jumps(start: u8, around: u64, barred: &Barred) -> u64 {
    jumps_of_all(bit(start), around, barred) ^ bit(start)
}

/// These squares, and the squares that jumps reach from them.
pub fn jumps_of_all(starts: u64, around: u64, barred: &Barred) -> u64 {
    let mut reached = starts;
    let mut frontier = reached;
    while frontier != 0 {
        let mut landings = 0;
        for (way, barred) in barred.iter().enumerate() {
            landings |= shift(shift(frontier & !barred, way) & around, way);
        }
        frontier = landings & SQUARES & !around & !reached;
        reached |= frontier;
    }
    reached
}

/// The squares that one jump reaches from these squares. They may be occupied.
pub fn landings(starts: u64, over: u64) -> u64 {
    (0..8).fold(0, |all, way| all | shift(shift(starts, way) & over, way)) & SQUARES
}

/// The steps and jumps that do not move the ball.
pub fn quiet(start: u8, around: u64) -> u64 {
    near(bit(start)) & !around | jumps(start, around, &NOTHING_BARRED)
}

/// The squares from which a pawn with the ball can jump out: on the row before the goal, next to a pawn on
/// the goal row.
pub fn jumps_out_from(around: u64, seat: usize) -> u64 {
    near(around & GOAL[seat]) & BEFORE_GOAL[seat]
}

/// The actions of the carrier.
pub fn carrying(start: u8, around: u64, seat: usize) -> Ends {
    let chain = jumps(start, around, &NOTHING_BARRED);
    let out = bit(start) & GOAL[seat] != 0 || (chain | bit(start)) & jumps_out_from(around, seat) != 0;
    Ends { squares: near(bit(start)) & !around | chain, out }
}

/// Whether the carrier can carry the ball out.
pub fn carries_out(start: u8, around: u64, seat: usize) -> bool {
    let launch = jumps_out_from(around, seat);
    if bit(start) & (GOAL[seat] | launch) != 0 {
        return true;
    }
    launch != 0 && jumps(start, around, &NOTHING_BARRED) & launch != 0
}

/// One path of no jumps or more to a square next to the ball.
pub struct Approach<'a> {
    pub path: &'a [u8],
    pub barred: Barred,
}

/// Calls `visit` for each path of a pawn to the ball after which it can jump over the carrier, perhaps out
/// over the goal row. Paths that visit a square twice reach nothing more, and are left out.
pub fn approaches(start: u8, around: u64, ball: u8, seat: usize, visit: &mut impl FnMut(&Approach)) {
    let reach = jumps(start, around, &NOTHING_BARRED) | bit(start);
    let goal = landings(landings(reach, bit(ball)) & !around, bit(ball)) | jumps_out_from(bit(ball), seat);
    if reach & goal != 0 {
        let mut path = [0; LONGEST];
        path[0] = start;
        approach(&mut path, 1, around, goal, bit(start), NOTHING_BARRED, visit);
    }
}

/// The squares on a path. There are at most sixteen, because a jump keeps the parity of row and column.
const LONGEST: usize = 16;

fn approach(
    path: &mut [u8; LONGEST],
    size: usize,
    around: u64,
    goal: u64,
    seen: u64,
    barred: Barred,
    visit: &mut impl FnMut(&Approach),
) {
    let here = bit(path[size - 1]);
    if here & goal != 0 {
        visit(&Approach { path: &path[..size], barred });
    }
    if near(here) & around == 0 {
        return;
    }
    for way in 0..8 {
        let landing = shift(shift(here, way) & around, way) & SQUARES & !around & !seen;
        if landing == 0 {
            continue;
        }
        let mut barred = barred;
        barred[back(way)] |= landing;
        path[size] = landing.trailing_zeros() as u8;
        approach(path, size + 1, around, goal, seen | landing, barred, visit);
    }
}

/// The landing of the jump that takes the ball, and the jumps barred after it; None if it is impossible.
pub fn take(approach: &Approach, around: u64, ball: u8) -> Option<(u8, Barred)> {
    let here = *approach.path.last().unwrap();
    let way = WAYS.iter().position(|&way| ball as i32 - here as i32 == way)?;
    let landing = shift(bit(ball), way) & SQUARES & !around;
    if landing == 0 || approach.barred[way] & bit(here) != 0 {
        return None;
    }
    let mut barred = approach.barred;
    barred[back(way)] |= landing;
    Some((landing.trailing_zeros() as u8, barred))
}

/// Whether the jump that takes the ball can go out.
pub fn takes_out(here: u8, ball: u8, seat: usize) -> bool {
    bit(here) & jumps_out_from(bit(ball), seat) != 0
}

/// The actions of a pawn that takes the ball from the pawn on `ball`.
pub fn taking(start: u8, around: u64, ball: u8, seat: usize) -> Ends {
    let launch = jumps_out_from(around, seat);
    let mut ends = Ends::default();
    approaches(start, around, ball, seat, &mut |approach| {
        ends.out = ends.out || takes_out(*approach.path.last().unwrap(), ball, seat);
        if let Some((landing, barred)) = take(approach, around, ball) {
            let chain = jumps(landing, around, &barred) | bit(landing);
            ends.squares |= chain;
            ends.out = ends.out || chain & launch != 0;
        }
    });
    ends
}
