// The evaluation of Movers & Hoppers: rows advanced, and pieces left behind.
#include "movers_hoppers.hpp"

namespace {

constexpr Set CAMPS[2] = {0x3f, 0x3f << 18};
constexpr Set A_AND_B = 033333333, B_AND_C = 066666666;  // columns, row by row
constexpr int ROW = 100;
constexpr int LONELY = 200;      // a hopper without a neighbour cannot jump until another piece comes back
constexpr int IN_THE_WAY = 100;  // a piece that is still in its camp, if the opponent must fill this camp

int rows(Set pieces) {
    int sum = 0;
    for (; pieces; pieces &= pieces - 1) sum += first(pieces) / 3;
    return sum;
}

Set near(Set occupied) {
    Set beside = (occupied & A_AND_B) << 1 | (occupied & B_AND_C) >> 1, wide = occupied | beside;
    return beside | wide << 3 | wide >> 3;
}

}  // namespace

int MoversHoppers::value(const Position& position) const {
    Set white = position.pieces[0], red = position.pieces[1];
    if (!red) return 0;
    int value = ROW * (rows(white) + rows(red) - 7 * 6);
    Set lonely = ~(position.movers | near(white | red));
    value -= LONELY * (count(lonely & white & ~CAMPS[1]) - count(lonely & red & ~CAMPS[0]));
    if (fills) return value;
    if (white & CAMPS[1]) value -= IN_THE_WAY * count(red & CAMPS[1]);
    if (red & CAMPS[0]) value += IN_THE_WAY * count(white & CAMPS[0]);
    return value;
}
