// The limits of a search: depth, nodes, and the time for one move. Times are in milliseconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <string>

class Limits {
public:
    // Reads the words after `go` for the player of this seat. It ignores unknown words.
    Limits(std::istringstream& words, int seat, int deepest) : depth(deepest) {
        const std::string mine = seat == 0 ? "p1" : "p2";
        double left = -1, increment = 0, move_time = -1;
        int moves_to_go = 0;
        for (std::string word; words >> word;) {
            double value;
            if (word == "infinite" || !(words >> value)) {
                words.clear();
                continue;
            }
            if (word == mine + "time") left = value;
            else if (word == mine + "inc") increment = value;
            else if (word == "movestogo") moves_to_go = int(value);
            else if (word == "movetime") move_time = value;
            else if (word == "depth" && value >= 1 && value < deepest) depth = int(value);
            else if (word == "nodes") nodes = std::uint64_t(value);
        }
        if (move_time >= 0) soft = hard = move_time > 10 ? move_time - 5 : move_time / 2;
        else if (left >= 0) share(left, increment, moves_to_go);
    }

    double elapsed() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    }

    int depth;
    std::uint64_t nodes = UINT64_MAX;
    double soft = 1e15;  // no new iteration starts after half of it
    double hard = 1e15;

private:
    void share(double left, double increment, int moves_to_go) {
        double usable = left > 40 ? left - 20 : left / 2;
        int shares = moves_to_go >= 1 && moves_to_go < 40 ? moves_to_go : 40;
        double limit = shares == 1 ? usable : usable / 2;
        soft = std::min(limit, usable / shares + 0.6 * increment);
        hard = std::min(limit, 3 * soft);
    }

    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};
