#include "player.hpp"

#include <functional>
#include <map>

#include "eclaircissement.hpp"
#include "movers_hoppers.hpp"

namespace {

template <class Game>
class PlayerOf : public Player {
public:
    PlayerOf(const Game& game, int megabytes)
        : game(game), search(this->game, megabytes), position(game.start()) {}

    void begin() override { set(game.start()); }

    bool begin(std::string_view text) override {
        Position read;
        if (!game.read(text, read)) return false;
        set(read);
        return true;
    }

    bool play(std::string_view move) override {
        if (!game.play(position, move)) return false;
        seen.push_back(position.key());
        return true;
    }

    int turn() const override { return position.turn; }
    int winner() const override { return game.winner(position); }
    std::string fen() const override { return game.write(position); }
    std::uint64_t hash() const override { return position.key(); }

    bool is_legal(std::string_view move) const override {
        Position after = position;
        return game.play(after, move);
    }

    std::vector<std::string> legal() const override {
        std::vector<std::string> texts;
        if (winner() >= 0) return texts;
        Children children;
        game.open(position, children);
        for (const auto& child : children) texts.push_back(game.text(position, child.position));
        return texts;
    }

    std::string choose(int depth, Control& control, bool variety) override {
        if (winner() >= 0) return "0000";
        return game.text(position, search.run(position, seen, depth, control, variety));
    }

    std::uint64_t perft(int depth) const override { return count_lines(position, depth); }

private:
    using Position = typename Game::Position;
    using Children = typename Game::Children;

    void set(const Position& now) {
        position = now;
        seen = {now.key()};
    }

    std::uint64_t count_lines(const Position& from, int depth) const {
        if (depth == 0) return 1;
        if (game.winner(from) >= 0) return 0;
        Children children;
        game.open(from, children);
        if (depth == 1) return children.size;
        std::uint64_t lines = 0;
        for (const auto& child : children) lines += count_lines(child.position, depth - 1);
        return lines;
    }

    Game game;
    Search<Game> search;
    Position position;
    std::vector<std::uint64_t> seen = {position.key()};
};

template <class Game>
std::function<std::unique_ptr<Player>(int)> maker(const Game& game) {
    return [game](int megabytes) { return std::make_unique<PlayerOf<Game>>(game, megabytes); };
}

const std::map<std::string, std::function<std::unique_ptr<Player>(int)>> MAKERS = {
    {"movers-hoppers", maker(MoversHoppers(false, true))},
    {"movers-hoppers-expert", maker(MoversHoppers(true, true))},
    {"rampants", maker(MoversHoppers(false, false))},
    {"eclaircissement", maker(Eclaircissement())},
};

}  // namespace

const std::vector<std::string> GAME_IDS = {"movers-hoppers", "movers-hoppers-expert", "rampants",
                                           "eclaircissement"};

std::unique_ptr<Player> make_player(const std::string& game_id, int megabytes) {
    auto found = MAKERS.find(game_id);
    return found == MAKERS.end() ? nullptr : found->second(megabytes);
}
