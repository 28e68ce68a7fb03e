//! Complete turns, and tests for turns that carry the ball out.

use crate::actions::*;
use crate::board::*;

#[derive(Clone, Copy)]
pub struct Action {
    pub start: u8,
    /// OUT for an action that carries the ball out.
    pub end: u8,
    pub takes: bool,
}

impl Action {
    /// The player's pawns and the ball after the action.
    pub fn apply(&self, own: u64, ball: u8) -> (u64, u8) {
        let own = own ^ bit(self.start);
        let own = if self.end == OUT { own } else { own | bit(self.end) };
        (own, if self.takes || self.start == ball { self.end } else { ball })
    }
}

/// A turn, and the pawns and the ball after it.
#[derive(Clone, Copy)]
pub struct Turn {
    pub own: u64,
    pub ball: u8,
    pub first: Action,
    /// None if the first action carries the ball out.
    pub second: Option<Action>,
}

impl Turn {
    /// A number that is different for each successor of a position.
    pub fn code(&self) -> u64 {
        self.own | (self.ball as u64) << 56
    }

    pub fn position(&self, before: &Position) -> Position {
        let mut pawns = before.pawns;
        pawns[before.turn] = self.own;
        Position { pawns, ball: self.ball, turn: 1 - before.turn }
    }
}

/// Calls `visit` for every turn. Several turns can lead to the same position.
pub fn each_turn(position: &Position, visit: &mut impl FnMut(Turn)) {
    let (own, all, ball, seat) =
        (position.own(), position.own() | position.others(), position.ball, position.turn);
    if ball == OUT {
        return;
    }
    for start in squares(own) {
        let around = all ^ bit(start);
        if start == ball {
            quiet_after(position, start, carrying(start, around, seat), false, visit);
        } else {
            quiet_after(position, start, taking(start, around, ball, seat), true, visit);
            any_after(position, start, quiet(start, around), visit);
        }
    }
}

/// The turns whose first action moves the ball.
fn quiet_after(position: &Position, start: u8, ends: Ends, takes: bool, visit: &mut impl FnMut(Turn)) {
    let (before, ball) = (position.own(), position.ball);
    if ends.out {
        let first = Action { start, end: OUT, takes };
        let (own, ball) = first.apply(before, ball);
        visit(Turn { own, ball, first, second: None });
    }
    for end in squares(ends.squares) {
        let first = Action { start, end, takes };
        let (between, ball) = first.apply(before, ball);
        for other in squares(before ^ bit(start)) {
            let around = (between | position.others()) ^ bit(other);
            each_end(between, ball, first, other, quiet(other, around), false, visit);
        }
    }
}

/// The turns whose first action does not move the ball. If the player has the ball, the second one must.
fn any_after(position: &Position, start: u8, ends: u64, visit: &mut impl FnMut(Turn)) {
    let (before, ball, seat) = (position.own(), position.ball, position.turn);
    let attacks = before & bit(ball) != 0;
    for end in squares(ends) {
        let first = Action { start, end, takes: false };
        let (between, _) = first.apply(before, ball);
        for other in squares(before ^ bit(start)) {
            let around = (between | position.others()) ^ bit(other);
            let (changes, takes) = if other == ball {
                (carrying(other, around, seat), false)
            } else {
                (taking(other, around, ball, seat), true)
            };
            each_end(between, ball, first, other, changes.squares, takes, visit);
            if changes.out {
                let second = Action { start: other, end: OUT, takes };
                let (own, ball) = second.apply(between, ball);
                visit(Turn { own, ball, first, second: Some(second) });
            }
            if !attacks {
                each_end(between, ball, first, other, quiet(other, around), false, visit);
            }
        }
    }
}

fn each_end(
    own: u64,
    ball: u8,
    first: Action,
    start: u8,
    ends: u64,
    takes: bool,
    visit: &mut impl FnMut(Turn),
) {
    for end in squares(ends) {
        let second = Action { start, end, takes };
        let (own, ball) = second.apply(own, ball);
        visit(Turn { own, ball, first, second: Some(second) });
    }
}

/// The set of successors that were seen before.
pub struct Sieve {
    slots: Vec<(u64, u32)>,
    round: u32,
}

impl Sieve {
    pub fn new() -> Sieve {
        Sieve { slots: vec![(0, 0); 1 << 15], round: 0 }
    }

    /// One turn for each distinct successor.
    pub fn turns(&mut self, position: &Position, turns: &mut Vec<Turn>) {
        turns.clear();
        self.round += 1;
        each_turn(position, &mut |turn| {
            if self.is_new(turn.code()) {
                turns.push(turn);
            }
        });
    }

    fn is_new(&mut self, code: u64) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 45) as usize & mask;
        while self.slots[at].1 == self.round {
            if self.slots[at].0 == code {
                return false;
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = (code, self.round);
        true
    }
}

/// Whether the player to move can complete a turn.
pub fn has_turn(position: &Position) -> bool {
    let mut found = false;
    each_turn(position, &mut |_| found = true);
    found
}

/// The seat that has won, or None.
pub fn winner(position: &Position) -> Option<usize> {
    (position.ball == OUT || !has_turn(position)).then_some(1 - position.turn)
}

const ODD_ROWS: u64 = 0x7f << 8 | 0x7f << 24 | 0x7f << 40;

/// Whether the player to move can carry the ball out.
pub fn wins_this_turn(position: &Position) -> bool {
    let (own, all, ball, seat) =
        (position.own(), position.own() | position.others(), position.ball, position.turn);
    if own & bit(ball) & GOAL[seat] != 0 {
        return true;
    }
    // A jump goes two rows or none, so a pawn can jump out only from every second row.
    let can = own & ODD_ROWS;
    if can == 0 {
        return false;
    }
    if goes_out(can, all, ball, seat) {
        return true;
    }
    let reach = reach(can, all, ball);
    let beside = near(reach) | reach;
    squares(own & !bit(ball)).any(|start| {
        let others = can & !bit(start);
        let around = all ^ bit(start);
        // An action without the ball can open a path: it adds a pawn to jump over, or frees a landing.
        let makes_room = landings(reach, around) & bit(start) != 0;
        let ends =
            if others == 0 { 0 } else { quiet(start, around) & if makes_room { SQUARES } else { beside } };
        squares(ends).any(|end| goes_out(others, around | bit(end), ball, seat))
    })
}

/// The squares that these pawns may reach by jumps, with the ball or to take it: an upper bound.
fn reach(pawns: u64, all: u64, ball: u8) -> u64 {
    squares(pawns).fold(0, |reach, start| {
        let around = all ^ bit(start);
        let without = jumps_of_all(bit(start), around, &NOTHING_BARRED);
        let taken = if start == ball { 0 } else { landings(without, bit(ball)) & !around };
        reach | without | jumps_of_all(taken, around, &NOTHING_BARRED)
    })
}

/// Whether one action of one of these pawns carries the ball out.
fn goes_out(pawns: u64, all: u64, ball: u8, seat: usize) -> bool {
    squares(pawns).any(|start| {
        let around = all ^ bit(start);
        if start == ball {
            carries_out(start, around, seat)
        } else {
            taking(start, around, ball, seat).out
        }
    })
}

/// The number of lines with exactly this many turns.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut turns = Vec::new();
    Sieve::new().turns(position, &mut turns);
    if depth == 1 {
        return turns.len() as u64;
    }
    turns.iter().map(|turn| perft(&turn.position(position), depth - 1)).sum()
}
