// Lists of moves, each with the position that it leads to.
#pragma once

#include <cstdint>

template <class Position>
struct Child {
    Position position;
    int move;   // a number below MOVES, different from the other moves of the position
    int order;  // the search tries moves with higher numbers first
};

constexpr int MOVES = 2048;

// A list with a fixed capacity, on the stack.
template <class Position, int Most>
struct ChildrenOf {
    Child<Position> list[Most];
    int size = 0;

    void add(const Position& position, int move) { list[size++] = {position, move, 0}; }
    Child<Position>* begin() { return list; }
    Child<Position>* end() { return list + size; }
    Child<Position>& operator[](int index) { return list[index]; }
};
