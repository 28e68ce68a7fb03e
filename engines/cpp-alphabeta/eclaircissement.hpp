// Éclaircissement: the rules, and what a position is worth.
#pragma once

#include <string>
#include <string_view>

#include "children.hpp"
#include "grid.hpp"

class Eclaircissement {
public:
    struct Position {
        Set pawns[2];  // of White, of Red
        Set lit;
        int turn;

        std::uint64_t key() const {
            return mix(mix(std::uint64_t{pawns[0]} << 32 | pawns[1]) + (std::uint64_t{lit} << 1 | turn));
        }
    };
    using Children = ChildrenOf<Position, 2 * 8 * 25>;

    Position start() const;
    bool read(std::string_view text, Position& position) const;
    std::string write(const Position& position) const;

    // Who has won, or -1.
    int winner(const Position& position) const;
    // One child for each distinct successor; the game must not be over.
    void open(const Position& position, Children& children) const;
    // The canonical text of the move that leads from one to the other.
    std::string text(const Position& before, const Position& after) const;
    // False when the text is no legal move; a path may be any legal one.
    bool play(Position& position, std::string_view text) const;
    // For White; a lit pawn is worth 100.
    int value(const Position& position) const;
    // What it is worth to either player to keep away from here, as it leads to a draw.
    int dullness(const Position& position) const;
};
