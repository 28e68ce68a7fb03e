// The rules and the evaluation of Movers & Hoppers, its expert game, and Rampants et sauteurs.
#pragma once

#include <string>
#include <string_view>

#include "children.hpp"
#include "grid.hpp"

class MoversHoppers {
public:
    struct Position {
        Set pieces[2];  // White's and Red's; empty until the player has set up
        Set movers;     // the other pieces are hoppers
        int turn;

        std::uint64_t key() const {
            return mix(mix(std::uint64_t{pieces[0]} << 32 | pieces[1]) + (std::uint64_t{movers} << 1 | turn));
        }
    };
    using Children = ChildrenOf<Position, 64>;

    // free_setup: players choose how many pieces are movers. fills: one piece in a full opposite camp wins.
    MoversHoppers(bool free_setup, bool fills) : free_setup(free_setup), fills(fills) {}

    Position start() const { return {{0, 0}, 0, 0}; }
    bool read(std::string_view text, Position& position) const;
    std::string write(const Position& position) const;

    // The seat that has won, or -1.
    int winner(const Position& position) const;
    // Lists one child for each distinct successor. The game must not be over.
    void open(const Position& position, Children& children) const;
    // The canonical text of the move between the two positions.
    std::string text(const Position& before, const Position& after) const;
    // Returns false if the text is not a legal move.
    bool play(Position& position, std::string_view text) const;
    // The value for White, in hundredths of a row.
    int value(const Position& position) const;
    // The penalty of this position for the engine, because it leads to a draw.
    int dullness(const Position&) const { return 0; }

private:
    bool has_won(const Position& position, int seat) const;
    void open_setups(const Position& position, Children& children) const;

    bool free_setup, fills;
};
