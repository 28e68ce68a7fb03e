// Plays a random legal move. The hub lists the legal moves before each `go`. println! flushes.
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

fn main() {
    let mut moves: Vec<String> = Vec::new();
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let mut words = line.split_whitespace().map(String::from);
        match words.next().as_deref() {
            Some("ugi") => println!("id name tiny-rust\nprotocol 1 legal\nugiok"),
            Some("isready") => println!("readyok"),
            Some("legal") => moves = words.collect(),
            Some("legal+") => moves.extend(words),
            Some("go") => {
                let number = RandomState::new().hash_one(line) as usize;
                println!("bestmove {}", moves[number % moves.len()]);
            }
            Some("quit") => break,
            _ => (),
        }
    }
}
