// The protocol: reads commands, one on each line, and answers them. With the arguments
// `perft ID DEPTH [POSITION]` it counts sequences of turns and exits.
#include <algorithm>
#include <array>
#include <iostream>
#include <sstream>

#include "input.hpp"
#include "limits.hpp"
#include "player.hpp"

namespace {

// Checks the clock and the input during a search.
class Watch : public Control {
public:
    Watch(Input& input, const Limits& limits) : input(input), limits(limits) {}

    bool must_stop(std::uint64_t nodes) override {
        if (nodes > limits.nodes) return true;
        return nodes % 512 == 0 && (limits.elapsed() >= limits.hard || input.watch());
    }

    bool may_deepen() override { return !input.watch() && limits.elapsed() < limits.soft / 2; }

    void report(int depth, int value, std::uint64_t nodes, const std::vector<std::string>& line) override {
        std::cout << "info depth " << depth << " score ";
        if (value >= DECIDED) std::cout << "mate " << WIN - value;
        else if (value <= -DECIDED) std::cout << "mate " << -WIN - value;
        else std::cout << "cp " << value;
        std::cout << " nodes " << nodes << " time " << std::uint64_t(limits.elapsed()) << " pv";
        for (const std::string& move : line) std::cout << ' ' << move;
        std::cout << std::endl;
    }

private:
    Input& input;
    const Limits& limits;
};

class Engine {
public:
    void run() {
        for (std::string line; input.take(line);) {
            std::istringstream words(line);
            std::string word;
            words >> word;
            if (word == "quit") return;
            if (word == "ugi") greet();
            else if (word == "isready") on_ready();
            else if (word == "setoption") set_option(words);
            else if (word == "uginewgame") player = nullptr;
            else if (word == "position") on_position(words);
            else if (word == "moves") play(words);
            else if (word == "go") on_go(words);
            else if (word == "query") on_query(words);
        }
    }

private:
    void greet() const {
        std::cout << "id name alphabeta-cpp\nid author Leapfrog Arena\n"
                  << "option name UGI_Game type combo default " << GAME_IDS[0];
        for (const std::string& id : GAME_IDS) std::cout << " var " << id;
        std::cout << "\noption name Hash type spin default 32 min 1 max 1024\n"
                  << "option name Variety type check default true\n"
                  << "protocol 1 delta stop ping query\nugiok" << std::endl;
    }

    // Creates the player and its table, before the clock runs.
    Player& playing() {
        if (!player) player = make_player(game_id, settings.megabytes);
        return *player;
    }

    void on_ready() {
        playing();
        std::cout << "readyok" << std::endl;
    }

    void set_option(std::istringstream& words) {
        std::string name, value, word;
        words >> word >> name >> word >> value;
        bool is_game = std::find(GAME_IDS.begin(), GAME_IDS.end(), value) != GAME_IDS.end();
        if (name == "UGI_Game" && is_game) game_id = value;
        else if (name == "Hash") settings.megabytes = std::clamp(std::atoi(value.c_str()), 1, 1024);
        else if (name == "Variety") settings.variety = value == "true";
        player = nullptr;
    }

    void on_position(std::istringstream& words) {
        std::string kind, text;
        words >> kind;
        if (kind == "fen") {
            for (std::string word; words >> word && word != "moves";)
                text += (text.empty() ? "" : " ") + word;
            if (!playing().begin(text)) std::cout << "info string not a position: " << text << std::endl;
        } else {
            playing().begin();
            words >> text;  // the word `moves`, if there is one
        }
        play(words);
    }

    void play(std::istringstream& words) {
        for (std::string move; words >> move;) {
            if (playing().play(move)) continue;
            std::cout << "info string not legal here: " << move << std::endl;
            return;
        }
    }

    void on_go(std::istringstream& words) {
        Limits limits(words, playing().turn(), MAX_DEPTH);
        Watch watch(input, limits);
        std::string move = playing().choose(limits.depth, watch, settings.variety);
        std::cout << "bestmove " << move << std::endl;
    }

    void on_query(std::istringstream& words) {
        const Player& now = playing();
        std::string query, move;
        words >> query >> move;
        std::cout << "response";
        if (query == "gameover") std::cout << (now.winner() >= 0 ? " true" : " false");
        else if (query == "p1turn") std::cout << (now.turn() == 0 ? " true" : " false");
        else if (query == "result") std::cout << std::array{" none", " p1win", " p2win"}[now.winner() + 1];
        else if (query == "turn") std::cout << ' ' << now.turn() + 1;
        else if (query == "fen") std::cout << ' ' << now.fen();
        else if (query == "hash") std::cout << ' ' << std::hex << now.hash() << std::dec;
        else if (query == "islegal") std::cout << (now.is_legal(move) ? " true" : " false");
        else if (query == "legal")
            for (const std::string& text : now.legal()) std::cout << ' ' << text;
        std::cout << std::endl;
    }

    Input input;
    Settings settings;
    std::string game_id = GAME_IDS[0];
    std::unique_ptr<Player> player;
};

int count(int words, char** arguments) {
    auto player = words >= 4 ? make_player(arguments[2], 1) : nullptr;
    if (!player || (words > 4 && !player->begin(arguments[4]))) {
        std::cerr << "usage: alphabeta [perft ID DEPTH [POSITION]], with one of these IDs:";
        for (const std::string& id : GAME_IDS) std::cerr << ' ' << id;
        std::cerr << std::endl;
        return 2;
    }
    std::cout << player->perft(std::atoi(arguments[3])) << std::endl;
    return 0;
}

}  // namespace

int main(int words, char** arguments) {
    std::ios::sync_with_stdio(false);
    if (words > 1 && std::string(arguments[1]) == "perft") return count(words, arguments);
    Engine().run();
    return 0;
}
