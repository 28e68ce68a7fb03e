// The moves of a position, as the positions that they lead to.
#pragma once

#include <cstdint>

template <class Position>
struct Child {
    Position position;
    int move;   // a number below MOVES that tells it from its siblings
    int order;  // where the search will have it
};

constexpr int MOVES = 2048;

// A short list that needs no memory of its own.
template <class Position, int Most>
struct ChildrenOf {
    Child<Position> list[Most];
    int size = 0;

    void add(const Position& position, int move) { list[size++] = {position, move, 0}; }
    Child<Position>* begin() { return list; }
    Child<Position>* end() { return list + size; }
    Child<Position>& operator[](int index) { return list[index]; }
};
