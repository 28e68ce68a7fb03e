//! Alpha-beta with iterative deepening that looks at the turns that are best at sight, and at those that
//! do not lose at once. Values are for the player to move.

use crate::board::Position;
use crate::input::Input;
use crate::limits::Limits;
use crate::move_text::canonical;
use crate::table::{Bound, Table};
use crate::turns::*;
use crate::value::value;

pub const WIN: i32 = 1_000_000;
pub const DECIDED: i32 = WIN - 1000;
/// How many turns are looked at where one is left, two are, and so on; the last number is for all more.
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
    /// Keys of the game's positions, and of those between the root and here.
    pub path: Vec<u64>,
    pub sieve: Sieve,
    pub nodes: u64,
    pub stopping: bool,
}

impl Search<'_> {
    /// The best turn; None when there is none. `seed` chooses among equals.
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

    /// Puts the best turn in front; when time is up in between, the best one so far.
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

    /// What a turn is worth to the player who makes it. `later`: it is expected to be worse than another.
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
            return 0; // as good as a draw
        }
        if wins_at_once(position) {
            return WIN - ply - 1;
        }
        if depth == 0 {
            return value(position);
        }
        let known = self.table.find(key);
        if let Some(entry) = known.filter(|entry| entry.depth as u32 >= depth) {
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
        let hint = known.map_or(0, |entry| entry.best);
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

    /// All distinct turns, each with its value at sight.
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

    /// The moves that the table expects.
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

/// The best at sight of those from i on comes to i, the hint before all: seldom are all of them needed.
fn pick(choices: &mut [Choice], i: usize, hint: u64) {
    let rank = |choice: &Choice| if choice.turn.code() == hint { i32::MAX } else { choice.at_sight };
    let best = (i..choices.len()).max_by_key(|&j| (rank(&choices[j]), -(j as i32))).unwrap();
    choices.swap(i, best);
}

// In the table the plies to a win are counted from the position, not from the root.

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
