// Standard input as lines of any length. It can be read during a search.
#pragma once

#include <deque>
#include <string>

class Input {
public:
    // Waits for a line. Returns false at the end of input.
    bool take(std::string& line);
    // Reads the available lines without waiting: answers `isready`, drops unknown lines, and leaves commands
    // for later. Returns true if the search must end.
    bool watch();

private:
    void fill();  // one read, which waits for input

    std::deque<std::string> lines;
    std::string rest;  // the first part of an incomplete line
    bool closed = false;
};
