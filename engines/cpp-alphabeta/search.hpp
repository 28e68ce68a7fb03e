// An alpha-beta search with iterative deepening for all games. Values are for the player to move.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "children.hpp"
#include "table.hpp"

constexpr int WIN = 30000, DECIDED = WIN - 1000, MAX_DEPTH = 100;
constexpr int DRAW = 20;  // the cost of a draw for the engine

// Decides when the search ends, and reports its results.
class Control {
public:
    // Called for each position that is searched.
    virtual bool must_stop(std::uint64_t nodes) = 0;
    // Whether to start another iteration.
    virtual bool may_deepen() = 0;
    virtual void report(int depth, int value, std::uint64_t nodes, const std::vector<std::string>& line) = 0;

protected:
    ~Control() = default;
};

template <class Game>
class Search {
public:
    using Position = typename Game::Position;
    using Children = typename Game::Children;

    Search(const Game& game, int megabytes) : game(game), table(megabytes) {}

    // The best successor. The game must not be over; `seen` has the keys of its positions so far.
    Position run(const Position& root, std::vector<std::uint64_t> seen, int depth, Control& control,
                 bool shuffle) {
        this->control = &control;
        path = std::move(seen);
        player = root.turn;
        nodes = 0, stopping = false;
        table.grow_older();
        for (auto& seat : history) std::fill(std::begin(seat), std::end(seat), 0);
        for (auto& pair : killers) pair[0] = pair[1] = -1;
        Children children;
        game.open(root, children);
        if (shuffle) std::shuffle(children.begin(), children.end(), chance);
        for (auto& child : children) child.order = -at_sight(child.position, 1);
        sort(children);
        for (int now = 1; now <= depth && children.size > 1; now++) {
            int expected = children[0].move, value = search_root(children, now);
            if (!stopping || children[0].move != expected)
                control.report(now, value, nodes, line(root, children[0], now));
            if (stopping || value >= DECIDED || value <= -DECIDED || !control.may_deepen()) break;
        }
        return children[0].position;
    }

private:
    // The static value for the player to move there. An early win is better than a late one.
    int at_sight(const Position& position, int ply) const {
        int winner = game.winner(position);
        if (winner >= 0) return winner == position.turn ? WIN - ply : ply - WIN;
        int value = position.turn ? -game.value(position) : game.value(position);
        return position.turn == player ? value - game.dullness(position) : value + game.dullness(position);
    }

    static void sort(Children& children) {
        std::stable_sort(children.begin(), children.end(),
                         [](const auto& a, const auto& b) { return a.order > b.order; });
    }

    // Moves the best child to the front. If time runs out, this is the best child so far.
    int search_root(Children& children, int depth) {
        int best = -WIN;
        for (int i = 0; i < children.size; i++) {
            int value = value_of(children[i].position, depth - 1, best, WIN, 1, i > 0, 0);
            if (stopping) return best;
            if (value <= best) continue;
            best = value;
            std::rotate(children.begin(), children.begin() + i, children.begin() + i + 1);
        }
        return best;
    }

    // The value of a move for the player who makes it. `later`: the move is not the first one, so it is
    // searched with a null window.
    int value_of(const Position& position, int depth, int alpha, int beta, int ply, bool later,
                 int reduction) {
        if (later) {
            int value = -search(position, std::max(0, depth - reduction), -alpha - 1, -alpha, ply);
            if (value > alpha && reduction) value = -search(position, depth, -alpha - 1, -alpha, ply);
            if (value <= alpha || value >= beta) return value;
        }
        return -search(position, depth, -beta, -alpha, ply);
    }

    int search(const Position& position, int depth, int alpha, int beta, int ply) {
        stopping = stopping || control->must_stop(++nodes);
        if (stopping) return 0;
        std::uint64_t key = position.key();
        if (std::find(path.rbegin(), path.rend(), key) != path.rend())  // a repetition counts as a draw
            return position.turn == player ? -DRAW : DRAW;
        if (depth == 0 || ply >= MAX_DEPTH || game.winner(position) >= 0) return at_sight(position, ply);
        const Entry* entry = table.find(key);
        int hint = entry ? entry->move : -1;
        if (entry && entry->depth >= depth) {
            int value = from_table(entry->value, ply);
            bool cuts = entry->bound == LOWER ? value >= beta : value <= alpha;
            if (entry->bound == EXACT || cuts) return value;
        }
        Children children;
        game.open(position, children);
        order(children, position.turn, ply, hint);
        path.push_back(key);
        int best_move = -1, best = best_of(children, depth, alpha, beta, ply, best_move);
        path.pop_back();
        if (stopping) return 0;
        if (best >= beta) remember(position.turn, best_move, depth, ply);
        Bound bound = best >= beta ? LOWER : best > alpha ? EXACT : UPPER;
        table.keep(key, depth, to_table(best, ply), bound, best_move);
        return best;
    }

    int best_of(Children& children, int depth, int alpha, int beta, int ply, int& best_move) {
        int best = -WIN;
        for (int i = 0; i < children.size && best < beta; i++) {
            pick(children, i);
            bool is_late = depth >= 3 && i >= 4 && children[i].order < KILLER;
            const Position& next = children[i].position;
            int value = value_of(next, depth - 1, alpha, beta, ply + 1, i > 0, is_late);
            if (stopping) return 0;
            if (value <= best) continue;
            best = value, best_move = children[i].move;
            alpha = std::max(alpha, best);
        }
        return best;
    }

    static constexpr int KILLER = 1 << 28, HINT = 1 << 29;

    void order(Children& children, int seat, int ply, int hint) const {
        for (auto& child : children) {
            bool is_killer = child.move == killers[ply][0] || child.move == killers[ply][1];
            child.order = child.move == hint ? HINT : is_killer ? KILLER : history[seat][child.move];
        }
    }

    // Swaps the best of the children from i on to index i. A full sort is not needed: cut-offs are frequent.
    static void pick(Children& children, int i) {
        int best = i;
        for (int j = i + 1; j < children.size; j++)
            if (children[j].order > children[best].order) best = j;
        std::swap(children[i], children[best]);
    }

    void remember(int seat, int move, int depth, int ply) {
        if (killers[ply][0] != move) killers[ply][1] = killers[ply][0], killers[ply][0] = move;
        history[seat][move] = std::min(history[seat][move] + depth * depth, KILLER - 1);
    }

    // The table stores the plies from the position to a win, not from the root.
    static int to_table(int value, int ply) {
        return value >= DECIDED ? value + ply : value <= -DECIDED ? value - ply : value;
    }
    static int from_table(int value, int ply) {
        return value >= DECIDED ? value - ply : value <= -DECIDED ? value + ply : value;
    }

    // The principal variation, from the table.
    std::vector<std::string> line(const Position& root, const Child<Position>& child, int depth) const {
        std::vector<std::string> texts = {game.text(root, child.position)};
        Position position = child.position;
        while (static_cast<int>(texts.size()) < depth && game.winner(position) < 0) {
            const Entry* entry = table.find(position.key());
            Children children;
            game.open(position, children);
            auto found = std::find_if(children.begin(), children.end(),
                                      [&](const auto& c) { return entry && c.move == entry->move; });
            if (found == children.end()) break;
            texts.push_back(game.text(position, found->position));
            position = found->position;
        }
        return texts;
    }

    const Game& game;
    Table table;
    Control* control = nullptr;
    std::vector<std::uint64_t> path;
    std::uint64_t nodes = 0;
    bool stopping = false;
    int player = 0;
    int killers[MAX_DEPTH + 1][2];
    int history[2][MOVES];
    std::mt19937 chance{std::random_device{}()};
};
