#include "eclaircissement.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace {

using Board = Grid<5, 5>;
constexpr int CENTRE = 12;
constexpr Set INSIDE = 07 << 6 | 07 << 11 | 07 << 16;

struct Jump {
    Set over;
    int landing;
};

struct Neighbourhood {
    std::vector<int> steps;
    std::vector<Jump> jumps;  // in the order of the landings' names
};

std::array<Neighbourhood, Board::squares> all_neighbourhoods() {
    std::array<Neighbourhood, Board::squares> all;
    for (int square = 0; square < Board::squares; square++) {
        for (Way way : EIGHT_WAYS)
            if (int next = Board::from(square, way, 1); next >= 0) all[square].steps.push_back(next);
        for (Way way : FOUR_WAYS)
            if (int landing = Board::from(square, way, 2); landing >= 0)
                all[square].jumps.push_back({bit(Board::from(square, way, 1)), landing});
    }
    return all;
}

const std::array<Neighbourhood, Board::squares> NEAR = all_neighbourhoods();

// The states that one pawn reaches by jumps. A state is a square, plus LIGHTABLE if the pawn may be lit.
class Chains {
public:
    static constexpr int LIGHTABLE = 32;

    // `around` has the squares of all other pawns.
    Chains(int start, Set around, Set lit) {
        add(start, -1);
        for (int i = 0; i < size; i++)
            for (const Jump& jump : NEAR[states[i] % LIGHTABLE].jumps) {
                if (!(around & jump.over) || around & bit(jump.landing)) continue;
                bool lights = states[i] >= LIGHTABLE || jump.over & lit || jump.landing == CENTRE;
                add(jump.landing + lights * LIGHTABLE, i);
            }
    }

    Set reached(bool lightable) const { return seen[lightable]; }

    // The shortest path to a state, the first in ASCII order of equally short paths; empty if there is none.
    std::string path(int state) const {
        std::string text;
        int step = static_cast<int>(std::find(states, states + size, state) - states);
        if (step == size) return text;
        for (; step >= 0; step = parents[step]) text.insert(0, Board::name(states[step] % LIGHTABLE));
        return text;
    }

private:
    void add(int state, int parent) {
        Set& known = seen[state >= LIGHTABLE];
        if (known & bit(state % LIGHTABLE)) return;
        known |= bit(state % LIGHTABLE);
        parents[size] = parent;
        states[size++] = state;
    }

    int states[2 * Board::squares], parents[2 * Board::squares], size = 0;
    Set seen[2] = {0, 0};
};

Set all_pawns(const Eclaircissement::Position& position) { return position.pawns[0] | position.pawns[1]; }

Eclaircissement::Position moved(Eclaircissement::Position position, int from, int to, bool lights) {
    bool is_lit = position.lit & bit(from);
    position.pawns[position.turn] ^= bit(from);
    position.pawns[position.turn] |= bit(to);
    position.lit &= ~bit(from);
    if (is_lit || lights) position.lit |= bit(to);
    position.turn = !position.turn;
    return position;
}

bool shorter(const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// 1 if a dark pawn may be lit on the path, 0 if not, and -1 if the path is illegal.
int follow(const std::vector<int>& path, Set around, Set lit) {
    bool lights = false;
    for (std::size_t i = 1; i < path.size(); i++) {
        if (around & bit(path[i])) return -1;
        const Jump* made = nullptr;
        for (const Jump& jump : NEAR[path[i - 1]].jumps)
            if (jump.landing == path[i] && around & jump.over) made = &jump;
        bool steps = false;
        for (int next : NEAR[path[i - 1]].steps) steps = steps || next == path[i];
        if (!made && !(steps && path.size() == 2)) return -1;
        lights = lights || path[i] == CENTRE || (made && made->over & lit);
    }
    return lights;
}

}  // namespace

Eclaircissement::Position Eclaircissement::start() const {
    Position position;
    read("wrwrw/r3r/w3w/r3r/wrwrw w", position);
    return position;
}

int Eclaircissement::winner(const Position& position) const {
    for (int seat : {!position.turn, !!position.turn})
        if (!(position.pawns[seat] & (~position.lit | INSIDE))) return seat;
    return -1;
}

void Eclaircissement::open(const Position& position, Children& children) const {
    children.size = 0;
    Set all = all_pawns(position);
    for (Set rest = position.pawns[position.turn]; rest; rest &= rest - 1) {
        int from = ::first(rest);
        bool is_lit = position.lit & bit(from);
        auto add = [&](int to, bool lights) {
            children.add(moved(position, from, to, lights), lights << 10 | from << 5 | to);
        };
        for (int to : NEAR[from].steps) {
            if (all & bit(to)) continue;
            add(to, false);
            if (to == CENTRE && !is_lit) add(to, true);
        }
        Chains chains(from, all ^ bit(from), position.lit);
        Set ends = (chains.reached(false) | chains.reached(true)) & ~bit(from);
        for (; ends; ends &= ends - 1) add(::first(ends), false);
        if (is_lit) continue;
        for (ends = chains.reached(true); ends; ends &= ends - 1) add(::first(ends), true);
    }
    if (children.size) return;
    Position next = position;  // a forced pass
    next.turn = !position.turn;
    children.add(next, 0);
}

std::string Eclaircissement::text(const Position& before, const Position& after) const {
    Set old = before.pawns[before.turn], now = after.pawns[before.turn];
    bool lights = count(after.lit) > count(before.lit);
    if (old == now && !lights) return "pass";
    int from = ::first(old == now ? after.lit & ~before.lit : old & ~now);
    int to = old == now ? from : ::first(now & ~old);
    std::string mark = lights ? "+" : "";
    for (int next : NEAR[from].steps)
        if (next == to) return Board::name(from) + Board::name(to) + mark;
    Chains chains(from, all_pawns(before) ^ bit(from), before.lit);
    std::string bright = chains.path(to + Chains::LIGHTABLE), dark = chains.path(to);
    if (lights || dark.empty()) return bright + mark;
    return bright.empty() || shorter(dark, bright) ? dark : bright;
}

bool Eclaircissement::play(Position& position, std::string_view text) const {
    if (winner(position) >= 0) return false;
    if (text == "pass") {
        Children children;
        open(position, children);
        if (children[0].position.pawns[position.turn] != position.pawns[position.turn] ||
            children[0].position.lit != position.lit)
            return false;
        position = children[0].position;
        return true;
    }
    bool lights = !text.empty() && text.back() == '+';
    if (lights) text.remove_suffix(1);
    std::vector<int> path;
    for (std::size_t at = 0; at < text.size(); at += 2) {
        path.push_back(Board::read(text, at));
        if (path.back() < 0) return false;
    }
    if (path.size() < 2) return false;
    int from = path.front(), to = path.back();
    if (!(position.pawns[position.turn] & bit(from)) || (from == to && !lights)) return false;
    int may_light = follow(path, all_pawns(position) ^ bit(from), position.lit);
    if (may_light < 0 || (lights && (!may_light || position.lit & bit(from)))) return false;
    position = moved(position, from, to, lights);
    return true;
}

std::string Eclaircissement::write(const Position& position) const {
    Board::Cells cells;
    cells.fill('.');
    for (int seat = 0; seat < 2; seat++)
        for (Set rest = position.pawns[seat]; rest; rest &= rest - 1)
            cells[::first(rest)] = (position.lit & bit(::first(rest)) ? "WR" : "wr")[seat];
    return Board::write_rows(cells) + (position.turn ? " r" : " w");
}

bool Eclaircissement::read(std::string_view text, Position& position) const {
    Board::Cells cells;
    if (text.size() < 2 || !Board::read_rows(text.substr(0, text.size() - 2), cells)) return false;
    if (text[text.size() - 2] != ' ' || (text.back() != 'w' && text.back() != 'r')) return false;
    position = {{0, 0}, 0, text.back() == 'r'};
    for (int square = 0; square < Board::squares; square++) {
        char letter = cells[square];
        if (letter == 'w' || letter == 'W') position.pawns[0] |= bit(square);
        if (letter == 'r' || letter == 'R') position.pawns[1] |= bit(square);
        if (letter == 'W' || letter == 'R') position.lit |= bit(square);
    }
    return true;
}

int Eclaircissement::value(const Position& position) const {
    constexpr int LIT = 100, NOT_HOME = 12, ON_THE_WAY = 4;
    int sides[2];
    for (int seat = 0; seat < 2; seat++) {
        Set bright = position.pawns[seat] & position.lit, dark = position.pawns[seat] & ~position.lit;
        sides[seat] = LIT * count(bright) - NOT_HOME * count(bright & INSIDE);
        sides[seat] += ON_THE_WAY * count(dark & INSIDE);
    }
    return sides[0] - sides[1];
}

int Eclaircissement::dullness(const Position& position) const {
    constexpr int BARRED = 60;  // a dark pawn that stays on the centre: no other pawn can be lit there
    return bit(CENTRE) & all_pawns(position) & ~position.lit ? BARRED : 0;
}
