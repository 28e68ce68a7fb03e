//! Writes canonical move texts and reads any legal text. The canonical text of a turn is the shortest, and
//! the first in ASCII order of equally short texts.

use std::collections::HashMap;

use crate::actions::*;
use crate::board::*;
use crate::position_text::{name, square};
use crate::turns::*;

/// The canonical texts of turns, by the code of the successor.
pub fn canonical(position: &Position, wanted: impl Fn(u64) -> bool) -> HashMap<u64, String> {
    let mut texts: HashMap<u64, String> = HashMap::new();
    let all = position.pawns[0] | position.pawns[1];
    each_turn(position, &mut |turn| {
        if !wanted(turn.code()) {
            return;
        }
        let around = all ^ bit(turn.first.start);
        let mut text = action_text(turn.first, around, position.ball, position.turn);
        if let Some(second) = turn.second {
            let (own, ball) = turn.first.apply(position.own(), position.ball);
            let around = (own | position.others()) ^ bit(second.start);
            text = format!("{text},{}", action_text(second, around, ball, position.turn));
        }
        let best = texts.entry(turn.code()).or_default();
        if best.is_empty() || is_better(&text, best) {
            *best = text;
        }
    });
    texts
}

fn is_better(text: &str, other: &str) -> bool {
    (text.len(), text) < (other.len(), other)
}

fn action_text(action: Action, around: u64, ball: u8, seat: usize) -> String {
    let start = name(action.start);
    if action.takes {
        return taking_text(action, around, ball, seat);
    }
    if action.end == OUT {
        if bit(action.start) & GOAL[seat] != 0 {
            return start + "#";
        }
        return way(action.start, start, around, &NOTHING_BARRED, jumps_out_from(around, seat)).unwrap()
            + "#";
    }
    if near(bit(action.start)) & bit(action.end) != 0 {
        return start + &name(action.end);
    }
    way(action.start, start, around, &NOTHING_BARRED, bit(action.end)).unwrap()
}

fn taking_text(action: Action, around: u64, ball: u8, seat: usize) -> String {
    let mut best = String::new();
    let mut keep = |text: String| {
        if best.is_empty() || is_better(&text, &best) {
            best = text;
        }
    };
    let (goal, end) =
        if action.end == OUT { (jumps_out_from(around, seat), "#") } else { (bit(action.end), "") };
    approaches(action.start, around, ball, seat, &mut |approach| {
        let path: String = approach.path.iter().map(|&square| name(square)).collect();
        if action.end == OUT && takes_out(*approach.path.last().unwrap(), ball, seat) {
            keep(format!("{path}*#"));
        }
        if let Some((landing, barred)) = take(approach, around, ball) {
            let taken = format!("{path}*{}", name(landing));
            if let Some(text) = way(landing, taken, around, &barred, goal) {
                keep(text + end);
            }
        }
    });
    best
}

/// The best path of jumps from a square to a square of a set, appended to `text`.
fn way(start: u8, text: String, around: u64, barred: &Barred, goal: u64) -> Option<String> {
    let mut seen = bit(start);
    let mut layer = vec![(start, text)];
    while !layer.is_empty() {
        if let Some((_, text)) = layer.iter().find(|(here, _)| bit(*here) & goal != 0) {
            return Some(text.clone());
        }
        let mut next = Vec::new();
        for (here, text) in layer {
            for (way, barred) in barred.iter().enumerate() {
                let landing =
                    shift(shift(bit(here) & !barred, way) & around, way) & SQUARES & !around & !seen;
                if landing != 0 {
                    seen |= landing;
                    let square = landing.trailing_zeros() as u8;
                    next.push((square, format!("{text}{}", name(square))));
                }
            }
        }
        layer = next;
    }
    None
}

/// The position after a move; None if the text is not a legal move.
pub fn play(position: &Position, text: &str) -> Option<Position> {
    let (first, rest) = match text.split_once(',') {
        Some((first, rest)) => (first, Some(rest)),
        None => (text, None),
    };
    if position.ball == OUT || !text.is_ascii() || text.len() > 200 {
        return None;
    }
    let action = read_action(first, position.own(), position, position.ball)?;
    let (own, ball) = action.apply(position.own(), position.ball);
    let turn = Turn { own, ball, first: action, second: None };
    if ball == OUT || rest.is_none() {
        return (ball == OUT && rest.is_none()).then(|| turn.position(position));
    }
    let second = read_action(rest?, own, position, ball)?;
    if second.start == action.end {
        return None;
    }
    let (after, last) = second.apply(own, ball);
    let changes = [action.takes || action.start == position.ball, second.takes || second.start == ball];
    let attacks = position.own() & bit(position.ball) != 0;
    let allowed = if attacks { changes[0] != changes[1] } else { !(changes[0] && changes[1]) };
    allowed.then(|| Turn { own: after, ball: last, first: action, second: Some(second) }.position(position))
}

/// The result of an action, tested jump by jump; None if it is not legal.
fn read_action(text: &str, own: u64, position: &Position, ball: u8) -> Option<Action> {
    let (seat, others) = (position.turn, position.others());
    let goes_out = text.ends_with('#');
    let text = text.strip_suffix('#').unwrap_or(text);
    let star = text.find('*');
    let plain = text.replacen('*', "", 1).into_bytes();
    if plain.len() % 2 != 0 || plain.is_empty() || star.is_some_and(|at| at % 2 != 0 || at == 0) {
        return None;
    }
    let path: Vec<u8> = plain.chunks(2).map(|two| square(two[0], two[1])).collect::<Option<_>>()?;
    let (start, end) = (path[0], *path.last()?);
    if own & bit(start) == 0 {
        return None;
    }
    let around = (own | others) ^ bit(start);
    let action = Action { start, end: if goes_out { OUT } else { end }, takes: star.is_some() };
    if path.len() == 2 && !goes_out && star.is_none() && near(bit(start)) & bit(end) != 0 {
        return (around & bit(end) == 0).then_some(action);
    }
    // The index of the landing in the path, or the length of the path if the ball goes out.
    let taken_at = star.map(|at| at / 2);
    let ends_early = !goes_out && (path.len() == 1 || taken_at == Some(path.len()));
    if taken_at.is_some() && start == ball || ends_early {
        return None;
    }
    let mut carries = start == ball;
    let mut made = Vec::new();
    for (index, pair) in path.windows(2).enumerate() {
        let over = jumped(pair[0], pair[1])?;
        let takes = taken_at == Some(index + 1);
        if around & bit(over) == 0 || around & bit(pair[1]) != 0 || takes && over != ball {
            return None;
        }
        carries = carries || takes;
        if made.contains(&(pair[1], pair[0])) {
            return None;
        }
        made.push((pair[0], pair[1]));
    }
    if !goes_out {
        return (action.takes || start != end).then_some(action);
    }
    let takes_last = taken_at == Some(path.len());
    let steps = carries && path.len() == 1 && bit(start) & GOAL[seat] != 0;
    let jumps = carries && bit(end) & jumps_out_from(around, seat) != 0;
    (steps || jumps || takes_last && !carries && takes_out(end, ball, seat)).then_some(action)
}

/// The square that a jump goes over; None if it is not a jump.
fn jumped(from: u8, to: u8) -> Option<u8> {
    (0..8).find_map(|way| {
        let over = shift(bit(from), way) & SQUARES;
        (over != 0 && shift(over, way) == bit(to)).then(|| over.trailing_zeros() as u8)
    })
}
