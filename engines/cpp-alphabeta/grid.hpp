// The squares of a board as numbers, row by row from a1; their names; and the rows of a position string.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

using Set = std::uint32_t;  // a set of squares, one bit for each

inline int count(Set set) { return __builtin_popcount(set); }
inline int first(Set set) { return __builtin_ctz(set); }
inline Set bit(int square) { return Set{1} << square; }

inline std::uint64_t mix(std::uint64_t z) {  // the output function of splitmix64
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// The directions as columns and rows, in the order of the names of the squares that they lead to.
struct Way {
    int columns, rows;
};
constexpr Way EIGHT_WAYS[] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};
constexpr Way FOUR_WAYS[] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};

template <int Columns, int Rows>
struct Grid {
    static constexpr int squares = Columns * Rows;
    using Cells = std::array<char, squares>;  // one letter for each square; '.' is an empty square

    // The square some steps away, or -1 if it is off the board.
    static int from(int square, Way way, int steps) {
        int column = square % Columns + steps * way.columns, row = square / Columns + steps * way.rows;
        return column < 0 || column >= Columns || row < 0 || row >= Rows ? -1 : row * Columns + column;
    }

    static std::string name(int square) {
        return {static_cast<char>('a' + square % Columns), static_cast<char>('1' + square / Columns)};
    }

    // The square with the name at index `at` of the text, or -1.
    static int read(std::string_view text, std::size_t at) {
        if (at + 2 > text.size()) return -1;
        int column = text[at] - 'a', row = text[at + 1] - '1';
        return column < 0 || column >= Columns || row < 0 || row >= Rows ? -1 : row * Columns + column;
    }

    static std::string write_rows(const Cells& cells) {
        std::string text;
        for (int row = Rows - 1; row >= 0; row--) {
            int empty = 0;
            for (int column = 0; column < Columns; column++) {
                char letter = cells[row * Columns + column];
                if (letter == '.') {
                    empty++;
                    continue;
                }
                if (empty) text += std::to_string(empty);
                empty = 0;
                text += letter;
            }
            if (empty) text += std::to_string(empty);
            if (row) text += '/';
        }
        return text;
    }

    // Returns false if the text does not have the right rows.
    static bool read_rows(std::string_view text, Cells& cells) {
        cells.fill('.');
        int row = Rows - 1, column = 0;
        for (char letter : text) {
            if (letter == '/') {
                if (column != Columns || row == 0) return false;
                row--, column = 0;
            } else if (letter >= '1' && letter <= '9') {
                column += letter - '0';
            } else if (column < Columns) {
                cells[row * Columns + column++] = letter;
            } else {
                return false;
            }
            if (column > Columns) return false;
        }
        return row == 0 && column == Columns;
    }
};
