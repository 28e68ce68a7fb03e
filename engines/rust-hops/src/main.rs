//! The protocol of an engine for HOPS: reads commands, one on each line, and answers them.
//! `hops perft hops DEPTH [POSITION]` counts sequences of turns and exits.

mod actions;
mod board;
mod input;
mod limits;
mod move_text;
mod position_text;
mod search;
mod table;
mod turns;
mod value;

use board::Position;
use input::Input;
use limits::Limits;
use search::Search;
use table::Table;

struct Engine {
    input: Input,
    table: Table,
    position: Position,
    /// The keys of the game's positions so far.
    seen: Vec<u64>,
    megabytes: usize,
    variety: bool,
}

impl Engine {
    fn run(&mut self) {
        while let Some(line) = self.input.take() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some((&word, rest)) = words.split_first() else { continue };
            match word {
                "quit" => return,
                "ugi" => greet(),
                "isready" => println!("readyok"),
                "setoption" => self.set_option(rest),
                "uginewgame" => self.table = Table::new(self.megabytes),
                "position" => self.on_position(rest),
                "moves" => self.play(rest),
                "go" => self.on_go(rest),
                "query" => self.on_query(rest),
                _ => {}
            }
        }
    }

    fn set_option(&mut self, words: &[&str]) {
        match words {
            ["name", "Hash", "value", size] => {
                self.megabytes = size.parse().unwrap_or(32).clamp(1, 1024);
                self.table = Table::new(self.megabytes);
            }
            ["name", "Variety", "value", on] => self.variety = *on == "true",
            _ => {}
        }
    }

    fn on_position(&mut self, words: &[&str]) {
        let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        self.position = Position::start();
        if words.first() == Some(&"fen") {
            let text = words[1..end].join(" ");
            match Position::parse(&text) {
                Some(position) => self.position = position,
                None => println!("info string cannot read the position {text}"),
            }
        }
        self.seen = vec![self.position.key()];
        self.play(words.get(end + 1..).unwrap_or(&[]));
    }

    fn play(&mut self, moves: &[&str]) {
        for text in moves {
            let Some(after) = move_text::play(&self.position, text) else {
                println!("info string not legal here: {text}");
                return;
            };
            self.position = after;
            self.seen.push(after.key());
        }
    }

    fn on_go(&mut self, words: &[&str]) {
        let limits = Limits::new(words, self.position.turn);
        let seed = if self.variety { random() } else { 0 };
        let mut search = Search {
            table: &mut self.table,
            input: &mut self.input,
            limits: &limits,
            path: self.seen.clone(),
            sieve: turns::Sieve::new(),
            nodes: 0,
            stopping: false,
        };
        let text = search.run(&self.position, seed).and_then(|turn| {
            let code = turn.code();
            move_text::canonical(&self.position, |other| other == code).remove(&code)
        });
        println!("bestmove {}", text.unwrap_or("0000".to_string()));
    }

    fn on_query(&self, words: &[&str]) {
        let winner = turns::winner(&self.position);
        let answer = match words {
            ["gameover"] => winner.is_some().to_string(),
            ["p1turn"] => (self.position.turn == 0).to_string(),
            ["result"] => winner.map_or("none".to_string(), |seat| format!("p{}win", seat + 1)),
            ["turn"] => (self.position.turn + 1).to_string(),
            ["fen"] => self.position.to_string(),
            ["hash"] => format!("{:x}", self.position.key()),
            ["islegal", text] => move_text::play(&self.position, text).is_some().to_string(),
            ["legal"] => {
                move_text::canonical(&self.position, |_| true).into_values().collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        };
        println!("response {answer}");
    }
}

fn greet() {
    println!("id name selective-rust\nid author Leapfrog Arena");
    println!("option name UGI_Game type combo default hops var hops");
    println!("option name Hash type spin default 32 min 1 max 1024");
    println!("option name Variety type check default true");
    println!("protocol 1 delta stop ping query\nugiok");
}

/// A random number.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

fn perft(words: &[String]) -> Option<u64> {
    let [game, depth, rest @ ..] = words else { return None };
    let position = match rest {
        [] => Position::start(),
        [text] => Position::parse(text)?,
        _ => return None,
    };
    (game == "hops").then_some(turns::perft(&position, depth.parse().ok()?))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some((_, rest)) = words.split_first().filter(|(word, _)| *word == "perft") {
        match perft(rest) {
            Some(lines) => println!("{lines}"),
            None => {
                eprintln!("usage: hops [perft hops DEPTH [POSITION]]");
                std::process::exit(2);
            }
        }
        return;
    }
    let (megabytes, position) = (32, Position::start());
    let (table, seen) = (Table::new(megabytes), vec![position.key()]);
    Engine { input: Input::new(), table, position, seen, megabytes, variety: true }.run();
}
