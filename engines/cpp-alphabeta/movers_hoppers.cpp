#include "movers_hoppers.hpp"

#include <vector>

namespace {

using Board = Grid<3, 8>;
constexpr Set CAMPS[2] = {0x3f, 0x3f << 18};  // White's rows 1 and 2; Red's rows 7 and 8
constexpr char LETTERS[2][2] = {{'H', 'M'}, {'h', 'm'}};

// The squares in one direction, nearest first. A hopper jumps over the first one, the first two, and so on.
using Ray = std::vector<int>;

std::vector<std::vector<Ray>> all_rays() {
    std::vector<std::vector<Ray>> rays(Board::squares);
    for (int square = 0; square < Board::squares; square++)
        for (Way way : EIGHT_WAYS) {
            Ray ray;
            for (int steps = 1, next; (next = Board::from(square, way, steps)) >= 0; steps++)
                ray.push_back(next);
            if (!ray.empty()) rays[square].push_back(ray);
        }
    return rays;
}

const std::vector<std::vector<Ray>> RAYS = all_rays();

// The square that a piece reaches along a ray, or -1.
int landing(const Ray& ray, Set occupied, bool is_mover) {
    std::size_t over = 0;
    while (over < ray.size() && occupied & bit(ray[over])) over++;
    return over == ray.size() || (over == 0) != is_mover ? -1 : ray[over];
}

// The square for a letter of a set-up: the back row comes first, and each row starts with column a.
int setup_square(int seat, int index) { return seat == 0 ? index : (7 - index / 3) * 3 + index % 3; }

}  // namespace

bool MoversHoppers::has_won(const Position& position, int seat) const {
    Set camp = CAMPS[!seat], own = position.pieces[seat];
    if (own == camp) return true;
    return fills && own & camp && !(camp & ~(position.pieces[0] | position.pieces[1]));
}

int MoversHoppers::winner(const Position& position) const {
    int mover = !position.turn;
    return has_won(position, mover) ? mover : has_won(position, !mover) ? !mover : -1;
}

void MoversHoppers::open_setups(const Position& position, Children& children) const {
    for (int kinds = 0; kinds < 64; kinds++) {
        if (!free_setup && count(kinds) != 3) continue;
        Position next = position;
        next.pieces[position.turn] = CAMPS[position.turn];
        for (int i = 0; i < 6; i++)
            if (kinds >> i & 1) next.movers |= bit(setup_square(position.turn, i));
        next.turn = !position.turn;
        children.add(next, kinds);
    }
}

void MoversHoppers::open(const Position& position, Children& children) const {
    children.size = 0;
    if (!position.pieces[position.turn]) return open_setups(position, children);
    Set occupied = position.pieces[0] | position.pieces[1];
    for (Set rest = position.pieces[position.turn]; rest; rest &= rest - 1) {
        int from = ::first(rest);
        bool is_mover = position.movers & bit(from);
        for (const Ray& ray : RAYS[from]) {
            int to = landing(ray, occupied, is_mover);
            if (to < 0) continue;
            Position next = position;
            next.pieces[position.turn] ^= bit(from) | bit(to);
            next.movers ^= is_mover ? bit(from) : bit(to);
            next.turn = !position.turn;
            children.add(next, from << 5 | to);
        }
    }
    if (children.size) return;
    Position next = position;  // a forced pass
    next.turn = !position.turn;
    children.add(next, 0);
}

std::string MoversHoppers::text(const Position& before, const Position& after) const {
    int seat = before.turn;
    Set old = before.pieces[seat], now = after.pieces[seat];
    if (old == now) return "pass";
    if (old) return Board::name(::first(old & ~now)) + Board::name(::first(now & ~old));
    std::string kinds;
    for (int i = 0; i < 6; i++) kinds += after.movers & bit(setup_square(seat, i)) ? 'm' : 'h';
    return kinds;
}

bool MoversHoppers::play(Position& position, std::string_view text) const {
    if (winner(position) >= 0) return false;
    Children children;
    open(position, children);
    for (const auto& child : children)
        if (this->text(position, child.position) == text) {
            position = child.position;
            return true;
        }
    return false;
}

std::string MoversHoppers::write(const Position& position) const {
    Board::Cells cells;
    cells.fill('.');
    for (int seat = 0; seat < 2; seat++)
        for (Set rest = position.pieces[seat]; rest; rest &= rest - 1)
            cells[::first(rest)] = LETTERS[seat][position.movers >> ::first(rest) & 1];
    return Board::write_rows(cells) + (position.turn ? " r" : " w");
}

bool MoversHoppers::read(std::string_view text, Position& position) const {
    Board::Cells cells;
    if (text.size() < 2 || !Board::read_rows(text.substr(0, text.size() - 2), cells)) return false;
    if (text[text.size() - 2] != ' ' || (text.back() != 'w' && text.back() != 'r')) return false;
    position = start();
    position.turn = text.back() == 'r';
    for (int square = 0; square < Board::squares; square++)
        for (int seat = 0; seat < 2; seat++)
            for (int is_mover = 0; is_mover < 2; is_mover++)
                if (cells[square] == LETTERS[seat][is_mover]) {
                    position.pieces[seat] |= bit(square);
                    if (is_mover) position.movers |= bit(square);
                }
    return true;
}
