// Movers & Hoppers, its expert game, and Rampants et sauteurs: the rules, and what a position is worth.
#pragma once

#include <string>
#include <string_view>

#include "children.hpp"
#include "grid.hpp"

class MoversHoppers {
public:
    struct Position {
        Set pieces[2];  // of White, of Red; all empty until they are set up
        Set movers;     // the others are hoppers
        int turn;

        std::uint64_t key() const {
            return mix(mix(std::uint64_t{pieces[0]} << 32 | pieces[1]) + (std::uint64_t{movers} << 1 | turn));
        }
    };
    using Children = ChildrenOf<Position, 64>;

    // free_setup: any pieces may be movers at first; fills: a full camp wins, too.
    MoversHoppers(bool free_setup, bool fills) : free_setup(free_setup), fills(fills) {}

    Position start() const { return {{0, 0}, 0, 0}; }
    bool read(std::string_view text, Position& position) const;
    std::string write(const Position& position) const;

    // Who has won, or -1.
    int winner(const Position& position) const;
    // One child for each distinct successor; the game must not be over.
    void open(const Position& position, Children& children) const;
    // The canonical text of the move that leads from one to the other.
    std::string text(const Position& before, const Position& after) const;
    // False when the text is no legal move.
    bool play(Position& position, std::string_view text) const;
    // For White, in hundredths of a row.
    int value(const Position& position) const;
    // What it is worth to either player to keep away from here, as it leads to a draw.
    int dullness(const Position&) const { return 0; }

private:
    bool has_won(const Position& position, int seat) const;
    void open_setups(const Position& position, Children& children) const;

    bool free_setup, fills;
};
