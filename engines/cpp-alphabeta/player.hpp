// A game as the commands of the protocol need it, whichever it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search.hpp"

struct Settings {
    int megabytes = 32;
    bool variety = true;
};

class Player {
public:
    virtual ~Player() = default;
    // To the start position, or to one that a position string describes; false when it cannot be read.
    virtual void begin() = 0;
    virtual bool begin(std::string_view text) = 0;
    // False when the move is not legal.
    virtual bool play(std::string_view move) = 0;
    virtual int turn() const = 0;
    // -1 while the game goes on.
    virtual int winner() const = 0;
    virtual std::string fen() const = 0;
    virtual std::uint64_t hash() const = 0;
    virtual bool is_legal(std::string_view move) const = 0;
    virtual std::vector<std::string> legal() const = 0;
    // "0000" when there is no move.
    virtual std::string choose(int depth, Control& control, bool variety) = 0;
    // How many lines of exactly so many turns begin here.
    virtual std::uint64_t perft(int depth) const = 0;
};

// A null pointer for a game that is none of those in GAME_IDS.
std::unique_ptr<Player> make_player(const std::string& game_id, int megabytes);
extern const std::vector<std::string> GAME_IDS;
