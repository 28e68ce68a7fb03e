//! Standard input, which a thread reads so that a search can check for new lines.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::mpsc::{channel, Receiver, TryRecvError};

pub struct Input {
    lines: Receiver<String>,
    waiting: VecDeque<String>,
    closed: bool,
}

const CAN_WAIT: [&str; 7] = ["ugi", "setoption", "uginewgame", "position", "moves", "go", "query"];

impl Input {
    pub fn new() -> Input {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut input = std::io::stdin().lock();
            let mut line = Vec::new();
            while input.read_until(b'\n', &mut line).is_ok_and(|size| size > 0) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        Input { lines, waiting: VecDeque::new(), closed: false }
    }

    /// Waits for a line; None at the end of input.
    pub fn take(&mut self) -> Option<String> {
        self.waiting.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// Reads the available lines without waiting: answers `isready`, drops unknown lines, and leaves commands
    /// for later. Returns true if the search must end.
    pub fn watch(&mut self) -> bool {
        loop {
            match self.lines.try_recv() {
                Ok(line) => self.waiting.push_back(line),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.closed = true;
                    break;
                }
            }
        }
        while let Some(line) = self.waiting.front() {
            match line.split_whitespace().next().unwrap_or("") {
                "isready" => println!("readyok"),
                "stop" => {
                    self.waiting.pop_front();
                    return true;
                }
                "quit" => return true,
                word if CAN_WAIT.contains(&word) => break,
                _ => {}
            }
            self.waiting.pop_front();
        }
        self.closed
    }
}
