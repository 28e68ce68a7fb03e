// Standard input as lines of any length, also while a search is running.
#pragma once

#include <deque>
#include <string>

class Input {
public:
    // Waits for a line; false at the end of input.
    bool take(std::string& line);
    // Takes what has come, without waiting: answers `isready`, drops what nobody knows, leaves the rest for
    // later. True when the search has to end.
    bool watch();

private:
    void fill();  // one read, which waits if there is nothing

    std::deque<std::string> lines;
    std::string rest;  // of a line that has not ended yet
    bool closed = false;
};
