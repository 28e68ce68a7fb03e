// The transposition table: the results of positions that were searched before.
#pragma once

#include <cstdint>
#include <vector>

enum Bound : std::uint8_t { EXACT, LOWER, UPPER };

struct Entry {
    std::uint64_t key = 0;
    std::int16_t value = 0;
    std::int16_t move = -1;
    std::uint8_t depth = 0;
    Bound bound = EXACT;
    std::uint8_t age = 0;
};

class Table {
public:
    explicit Table(int megabytes) {
        std::size_t size = 1024;
        while (2 * size * sizeof(Entry) <= std::size_t(megabytes) << 20) size *= 2;
        entries.resize(size);
    }

    void grow_older() { age++; }

    const Entry* find(std::uint64_t key) const {
        std::size_t at = slot(key);
        for (std::size_t i : {at, at ^ 1})
            if (entries[i].key == key) return &entries[i];
        return nullptr;
    }

    // The first of two slots keeps the deepest result, the other one the latest.
    void keep(std::uint64_t key, int depth, int value, Bound bound, int move) {
        Entry& best = entries[slot(key)];
        bool takes_first = best.key == key || best.age != age || best.depth <= depth;
        Entry& entry = takes_first ? best : entries[slot(key) ^ 1];
        entry = {key, std::int16_t(value), std::int16_t(move), std::uint8_t(depth), bound, age};
    }

private:
    std::size_t slot(std::uint64_t key) const { return key & (entries.size() - 1); }

    std::vector<Entry> entries;
    std::uint8_t age = 0;
};
