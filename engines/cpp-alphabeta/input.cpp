#include "input.hpp"

#include <poll.h>
#include <unistd.h>

#include <iostream>
#include <sstream>

namespace {

std::string first_word(const std::string& line) {
    std::string word;
    std::istringstream(line) >> word;
    return word;
}

bool can_wait(const std::string& word) {
    for (const char* command : {"ugi", "setoption", "uginewgame", "position", "moves", "go", "query"})
        if (word == command) return true;
    return false;
}

}  // namespace

void Input::fill() {
    char buffer[65536];
    ssize_t size = read(STDIN_FILENO, buffer, sizeof buffer);
    if (size <= 0) closed = true;
    for (ssize_t i = 0; i < size; i++) {
        if (buffer[i] != '\n') {
            rest += buffer[i];
            continue;
        }
        lines.push_back(std::move(rest));
        rest.clear();
    }
}

bool Input::take(std::string& line) {
    while (lines.empty() && !closed) fill();
    if (lines.empty()) return false;
    line = std::move(lines.front());
    lines.pop_front();
    return true;
}

bool Input::watch() {
    for (pollfd in = {STDIN_FILENO, POLLIN, 0}; !closed && poll(&in, 1, 0) > 0;) fill();
    for (; !lines.empty(); lines.pop_front()) {
        std::string word = first_word(lines.front());
        if (word == "isready") {
            std::cout << "readyok" << std::endl;
        } else if (word == "stop") {
            lines.pop_front();
            return true;
        } else if (word == "quit") {
            return true;
        } else if (can_wait(word)) {
            break;
        }
    }
    return closed;
}
