//! The names of squares, and position strings.

use crate::board::*;

pub fn name(square: u8) -> String {
    format!("{}{}", (b'a' + square % 8) as char, square / 8 + 1)
}

/// The square for a name.
pub fn square(column: u8, row: u8) -> Option<u8> {
    let (column, row) = (column.wrapping_sub(b'a'), row.wrapping_sub(b'1'));
    (column < 7 && row < 7).then(|| 8 * row + column)
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        for row in (0..7).rev() {
            let mut empty = 0;
            for column in 0..7 {
                let here = 8 * row + column;
                let Some(seat) = (0..2).find(|&seat| self.pawns[seat] & bit(here) != 0) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    write!(f, "{empty}")?;
                    empty = 0;
                }
                let letters = if here == self.ball { ["B", "R"] } else { ["b", "r"] };
                write!(f, "{}", letters[seat])?;
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            write!(f, "{}", if row > 0 { "/" } else { " " })?;
        }
        write!(f, "{}", ["b", "r"][self.turn])
    }
}

impl Position {
    /// Reads a position string; None if it is damaged.
    pub fn parse(text: &str) -> Option<Position> {
        let (board, turn) = text.split_once(' ')?;
        let turn = ["b", "r"].iter().position(|&letter| letter == turn)?;
        let mut position = Position { pawns: [0, 0], ball: OUT, turn };
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != 7 {
            return None;
        }
        for (row, cells) in (0..7).rev().zip(rows) {
            let mut column = 0;
            for letter in cells.bytes() {
                if letter.is_ascii_digit() {
                    column += letter - b'0';
                    continue;
                }
                let seat = b"br".iter().position(|&own| own == letter.to_ascii_lowercase())?;
                if column > 6 {
                    return None;
                }
                position.pawns[seat] |= bit(8 * row + column);
                if letter.is_ascii_uppercase() {
                    position.ball = 8 * row + column;
                }
                column += 1;
            }
            if column != 7 {
                return None;
            }
        }
        Some(position)
    }
}
