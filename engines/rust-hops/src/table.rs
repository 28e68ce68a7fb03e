//! The transposition table: the results of positions that were searched before.

#[derive(Clone, Copy, PartialEq)]
pub enum Bound {
    Exact,
    Lower,
    Upper,
}

#[derive(Clone, Copy)]
pub struct Entry {
    key: u64,
    /// The code of the best turn, or 0.
    pub best: u64,
    pub value: i32,
    pub depth: u8,
    pub bound: Bound,
}

pub struct Table {
    entries: Vec<Entry>,
}

impl Table {
    pub fn new(megabytes: usize) -> Table {
        let mut size = 1024;
        while 2 * size * std::mem::size_of::<Entry>() <= megabytes << 20 {
            size *= 2;
        }
        Table { entries: vec![Entry { key: 0, best: 0, value: 0, depth: 0, bound: Bound::Exact }; size] }
    }

    pub fn find(&self, key: u64) -> Option<Entry> {
        let entry = self.entries[key as usize & (self.entries.len() - 1)];
        (entry.key == key).then_some(entry)
    }

    pub fn keep(&mut self, key: u64, depth: u32, value: i32, bound: Bound, best: u64) {
        let at = key as usize & (self.entries.len() - 1);
        self.entries[at] = Entry { key, best, value, depth: depth as u8, bound };
    }
}
