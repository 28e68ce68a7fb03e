//! The limits of a search: depth, nodes, and the time for one move. Times are in milliseconds.

use std::time::Instant;

/// The time on the clock is divided among this many turns, more than most games have.
const SHARES: f64 = 16.0;

pub struct Limits {
    pub depth: u32,
    pub nodes: u64,
    /// No new iteration starts after half of it.
    pub soft: f64,
    pub hard: f64,
    began: Instant,
}

impl Limits {
    /// Reads the words after `go` for the player of this seat. It ignores unknown words.
    pub fn new(words: &[&str], seat: usize) -> Limits {
        let number = |key: &str| -> Option<f64> {
            let at = words.iter().position(|&word| word == key)?;
            words.get(at + 1)?.parse().ok()
        };
        let mut limits = Limits {
            depth: number("depth").unwrap_or(99.0).clamp(1.0, 99.0) as u32,
            nodes: number("nodes").map_or(u64::MAX, |nodes| nodes as u64),
            soft: 1e15,
            hard: 1e15,
            began: Instant::now(),
        };
        if let Some(time) = number("movetime") {
            limits.hard = if time > 10.0 { time - 5.0 } else { time / 2.0 };
            limits.soft = 2.0 * limits.hard;
        } else if let Some(left) = number(["p1time", "p2time"][seat]) {
            let increment = number(["p1inc", "p2inc"][seat]).unwrap_or(0.0);
            let usable = if left > 40.0 { left - 20.0 } else { left / 2.0 };
            let shares = number("movestogo").unwrap_or(SHARES).clamp(1.0, SHARES);
            let limit = if shares == 1.0 { usable } else { usable / 2.0 };
            limits.soft = limit.min(usable / shares + 0.6 * increment);
            limits.hard = limit.min(3.0 * limits.soft);
        }
        limits
    }

    pub fn elapsed(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1000.0
    }
}
