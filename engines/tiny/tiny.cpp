// Plays a random legal move. The hub lists the legal moves before each `go`.
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

int main() {
    std::mt19937 chance{std::random_device{}()};
    std::vector<std::string> moves;
    std::string line, word;
    while (std::getline(std::cin, line)) {
        std::istringstream words{line};
        if (!(words >> word)) continue;
        if (word == "quit") break;
        if (word == "ugi") std::cout << "id name tiny-cpp\nprotocol 1 legal\nugiok" << std::endl;
        if (word == "isready") std::cout << "readyok" << std::endl;
        if (word == "go") std::cout << "bestmove " << moves.at(chance() % moves.size()) << std::endl;
        if (word == "legal") moves.clear();
        if (word == "legal" || word == "legal+")
            while (words >> word) moves.push_back(word);
    }
}
