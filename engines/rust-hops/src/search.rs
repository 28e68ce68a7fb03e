//! An alpha-beta search with iterative deepening. It searches only the turns with the best static values that
//! do not lose immediately. Values are for the player to move.

use crate::board::Position;
use crate::input::Input;
use crate::limits::Limits;
use crate::move_text::canonical;
use crate::table::{Bound, Table};
use crate::turns::*;
use crate::value::value;

pub const WIN: i32 = 1_000_000;
pub const DECIDED: i32 = WIN - 1000;
/// The number of turns to search with one turn left, with two left, and so on. The last number is for more.
const WIDTHS: [usize; 4] = [1, 100, 40, 30];

struct Choice {
    turn: Turn,
    after: Position,
    at_sight: i32,
}

pub struct Search<'a> {
    pub table: &'a mut Table,
    pub input: &'a mut Input,
    pub limits: &'a Limits,
    /// The keys of the game's positions, and of the positions on the path of the search.
    pub path: Vec<u64>,
    pub sieve: Sieve,
    pub nodes: u64,
    pub stopping: bool,
}

impl Search<'_> {
    /// The best turn, or None. `seed` chooses among turns of equal value.
    pub fn run(&mut self, root: &Position, seed: u64) -> Option<Turn> {
        let mut choices = self.open(root);
        for (i, choice) in choices.iter_mut().enumerate() {
            choice.at_sight += (seed.wrapping_mul(2 * i as u64 + 1) >> 62) as i32;
        }
        choices.sort_by_key(|choice| -choice.at_sight);
        if choices.len() < 2 || choices[0].at_sight >= WIN {
            return choices.first().map(|choice| choice.turn);
        }
        for depth in 1..=self.limits.depth {
            let expected = choices[0].turn.code();
            let value = self.search_root(&mut choices, depth);
            if !self.stopping || choices[0].turn.code() != expected {
                self.report(root, &choices[0], depth, value);
            }
            let decided = value.abs() >= DECIDED;
            if self.stopping
                || decided
                || self.input.watch()
                || self.limits.elapsed() > self.limits.soft / 2.0
            {
                break;
            }
        }
        Some(choices[0].turn)
    }

    /// Moves the best turn to the front. If time runs out, this is the best turn so far.
    fn search_root(&mut self, choices: &mut [Choice], depth: u32) -> i32 {
        let mut best = -WIN;
        let mut searched = 0;
        for i in 0..choices.len() {
            if searched >= 3 * width(depth) {
                break;
            }
            let value = self.value_of(&choices[i].after, depth, best, WIN, 0, i > 0);
            if self.stopping {
                break;
            }
            searched += (value > -DECIDED) as usize;
            if value > best {
                best = value;
                choices[..=i].rotate_right(1);
            }
        }
        best
    }

    /// The value of a turn for the player who makes it. `later`: the turn is not the first one, so it is
    /// searched with a null window.
    fn value_of(
        &mut self,
        after: &Position,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: i32,
        later: bool,
    ) -> i32 {
        if later {
            let value = -self.search(after, depth - 1, -alpha - 1, -alpha, ply + 1);
            if value <= alpha || value >= beta {
                return value;
            }
        }
        -self.search(after, depth - 1, -beta, -alpha, ply + 1)
    }

    fn search(&mut self, position: &Position, depth: u32, mut alpha: i32, beta: i32, ply: i32) -> i32 {
        self.nodes += 1;
        self.stopping = self.stopping || self.must_stop();
        if self.stopping {
            return 0;
        }
        let key = position.key();
        if self.path.contains(&key) {
            return 0; // a repetition counts as a draw
        }
        if wins_this_turn(position) {
            return WIN - ply - 1;
        }
        if depth == 0 {
            return value(position);
        }
        let entry = self.table.find(key);
        if let Some(entry) = entry.filter(|entry| entry.depth as u32 >= depth) {
            let value = from_table(entry.value, ply);
            let cuts = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if cuts {
                return value;
            }
        }
        let before = alpha;
        let hint = entry.map_or(0, |entry| entry.best);
        let mut choices = self.open(position);
        let (mut best, mut best_code, mut searched) = (ply - WIN, 0, 0);
        self.path.push(key);
        for i in 0..choices.len() {
            if searched >= width(depth) {
                break;
            }
            pick(&mut choices, i, if depth > 1 { hint } else { 0 });
            let value = self.value_of(&choices[i].after, depth, alpha, beta, ply, searched > 0);
            if self.stopping {
                break;
            }
            searched += (value > -DECIDED) as usize;
            if value > best {
                (best, best_code) = (value, choices[i].turn.code());
                alpha = alpha.max(best);
            }
            if best >= beta || depth == 1 && choices[i].at_sight <= before {
                break;
            }
        }
        self.path.pop();
        if self.stopping {
            return 0;
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > before {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.table.keep(key, depth, to_table(best, ply), bound, best_code);
        best
    }

    /// One turn for each distinct successor, each with its static value.
    fn open(&mut self, position: &Position) -> Vec<Choice> {
        let mut turns = Vec::new();
        self.sieve.turns(position, &mut turns);
        turns
            .into_iter()
            .map(|turn| {
                let after = turn.position(position);
                let at_sight = if after.ball == crate::board::OUT { WIN } else { -value(&after) };
                Choice { turn, after, at_sight }
            })
            .collect()
    }

    fn must_stop(&mut self) -> bool {
        self.nodes > self.limits.nodes
            || self.nodes % 16 == 0 && (self.limits.elapsed() >= self.limits.hard || self.input.watch())
    }

    fn report(&mut self, root: &Position, choice: &Choice, depth: u32, value: i32) {
        let score = match value {
            DECIDED.. => format!("mate {}", WIN - value),
            _ if value <= -DECIDED => format!("mate {}", -WIN - value),
            _ => format!("cp {value}"),
        };
        let time = self.limits.elapsed() as u64;
        let line = self.line(root, choice.turn.code(), depth).join(" ");
        println!("info depth {depth} score {score} nodes {} time {time} pv {line}", self.nodes);
    }

    /// The principal variation, from the table.
    fn line(&mut self, root: &Position, mut code: u64, depth: u32) -> Vec<String> {
        let mut position = *root;
        let mut texts: Vec<String> = Vec::new();
        while texts.len() < depth as usize {
            let Some(text) = canonical(&position, |other| other == code).remove(&code) else { break };
            let mut turns = Vec::new();
            self.sieve.turns(&position, &mut turns);
            position = turns.iter().find(|turn| turn.code() == code).unwrap().position(&position);
            texts.push(text);
            match self.table.find(position.key()) {
                Some(entry) => code = entry.best,
                None => break,
            }
        }
        texts
    }
}

fn width(depth: u32) -> usize {
    WIDTHS[(depth as usize).min(WIDTHS.len()) - 1]
}

/// Swaps the hint, or else the best of the turns from i on, to index i. A full sort is not needed: cut-offs
/// are frequent.
fn pick(choices: &mut [Choice], i: usize, hint: u64) {
    let rank = |choice: &Choice| if choice.turn.code() == hint { i32::MAX } else { choice.at_sight };
    let best = (i..choices.len()).max_by_key(|&j| (rank(&choices[j]), -(j as i32))).unwrap();
    choices.swap(i, best);
}

// The table stores the plies from the position to a win, not from the root.

fn to_table(value: i32, ply: i32) -> i32 {
    if value.abs() < DECIDED {
        value
    } else {
        value + ply * value.signum()
    }
}

fn from_table(value: i32, ply: i32) -> i32 {
    if value.abs() < DECIDED {
        value
    } else {
        value - ply * value.signum()
    }
}
