// The rules and the evaluation of Éclaircissement.
#pragma once

#include <string>
#include <string_view>

#include "children.hpp"
#include "grid.hpp"

class Eclaircissement {
public:
    struct Position {
        Set pawns[2];  // White's and Red's
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

    // The seat that has won, or -1.
    int winner(const Position& position) const;
    // Lists one child for each distinct successor. The game must not be over.
    void open(const Position& position, Children& children) const;
    // The canonical text of the move between the two positions.
    std::string text(const Position& before, const Position& after) const;
    // Returns false if the text is not a legal move. Any legal path is accepted.
    bool play(Position& position, std::string_view text) const;
    // The value for White. A lit pawn is worth 100.
    int value(const Position& position) const;
    // The penalty of this position for the engine, because it leads to a draw.
    int dullness(const Position& position) const;
};
