// The interface between the protocol and the games.
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
    // Sets the start position, or the position of a position string. Returns false if it cannot be read.
    virtual void begin() = 0;
    virtual bool begin(std::string_view text) = 0;
    // Returns false if the move is not legal.
    virtual bool play(std::string_view move) = 0;
    virtual int turn() const = 0;
    // The seat that has won, or -1.
    virtual int winner() const = 0;
    virtual std::string fen() const = 0;
    virtual std::uint64_t hash() const = 0;
    virtual bool is_legal(std::string_view move) const = 0;
    virtual std::vector<std::string> legal() const = 0;
    // The best move, or "0000" if there is no move.
    virtual std::string choose(int depth, Control& control, bool variety) = 0;
    // The number of lines with exactly this many turns.
    virtual std::uint64_t perft(int depth) const = 0;
};

// Returns a null pointer if the game is not in GAME_IDS.
std::unique_ptr<Player> make_player(const std::string& game_id, int megabytes);
extern const std::vector<std::string> GAME_IDS;
