/* An alpha-beta engine for Quoridor with two players, in one file of C99.
 *
 * It speaks plain UGI without extensions, so it has its own rules. The parts of the file are: board, paths,
 * moves, evaluation and search, input, commands.
 *
 * A square is a number from 0 (a1) to 80 (i9): nine times the row plus the column. A move is an int: a square
 * is the target of the pawn, and ACROSS or UPRIGHT plus an anchor is a wall. The anchor is the square nearest a1 that
 * the wall touches.
 */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { UP, RIGHT, DOWN, LEFT };
enum { ACROSS = 100, UPRIGHT = 200, NO_MOVE = -1 };
enum { MAX_MOVES = 160, MAX_DEPTH = 60, FAR = 255, WIN = 30000, INFINITE = 32000, CUTS_OFF = -32001 };
static const int STEP[4] = {9, 1, -9, -1};

/* ---- board -------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t across, upright;  /* walls, as bits 8 * row + column of their anchors */
    uint8_t open[81];          /* by square, a bit for each direction that no wall blocks */
    uint8_t pawn[2], hand[2], turn;
} Board;

static uint64_t mix(uint64_t z) { /* the output function of splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t random64(void) {
    static uint64_t state;
    if (!state) state = mix((uint64_t)time(NULL) << 20 ^ (uint64_t)getpid());
    return mix(state += 0x9e3779b97f4a7c15u);
}

static uint64_t key_of(const Board *b) {
    int rest = b->pawn[0] | b->pawn[1] << 8 | b->hand[0] << 16 | b->hand[1] << 20 | b->turn << 24;
    return mix(mix(mix(b->across + 1) ^ b->upright) ^ (uint64_t)rest);
}

static int is_free(const Board *b, int move) { /* whether the wall neither overlaps nor crosses another */
    int row = move % 100 / 9, column = move % 100 % 9;
    if (row > 7 || column > 7) return 0;
    uint64_t bit = (uint64_t)1 << (8 * row + column), near = bit;
    if (move < UPRIGHT) {
        if (column > 0) near |= bit >> 1;
        if (column < 7) near |= bit << 1;
        return !(b->across & near) && !(b->upright & bit);
    }
    near |= bit >> 8 | bit << 8;
    return !(b->upright & near) && !(b->across & bit);
}

static void put_wall(Board *b, int move) {
    int a = move % 100;
    uint64_t bit = (uint64_t)1 << (8 * (a / 9) + a % 9);
    if (move < UPRIGHT) {
        b->across |= bit;
        b->open[a] &= ~(1 << UP), b->open[a + 1] &= ~(1 << UP);
        b->open[a + 9] &= ~(1 << DOWN), b->open[a + 10] &= ~(1 << DOWN);
    } else {
        b->upright |= bit;
        b->open[a] &= ~(1 << RIGHT), b->open[a + 9] &= ~(1 << RIGHT);
        b->open[a + 1] &= ~(1 << LEFT), b->open[a + 10] &= ~(1 << LEFT);
    }
}

static Board start(void) {
    Board b = {0, 0, {0}, {4, 76}, {10, 10}, 0};
    for (int s = 0; s < 81; s++)
        b.open[s] = (uint8_t)((s < 72) << UP | (s % 9 < 8) << RIGHT | (s > 8) << DOWN | (s % 9 > 0) << LEFT);
    return b;
}

static Board after(const Board *before, int move) {
    Board b = *before;
    if (move < ACROSS) b.pawn[b.turn] = (uint8_t)move;
    else put_wall(&b, move), b.hand[b.turn]--;
    b.turn ^= 1;
    return b;
}

/* ---- paths -------------------------------------------------------------------------------------------- */

typedef struct {
    uint8_t steps[2][81]; /* by seat: the steps from each square to the goal, without pawns; FAR: no path */
} Paths;

static Paths find_paths(const Board *b) {
    Paths paths;
    memset(&paths, FAR, sizeof paths);
    for (int seat = 0; seat < 2; seat++) {
        uint8_t *steps = paths.steps[seat], queue[81];
        int tail = 0;
        for (int column = 0; column < 9; column++) {
            queue[tail] = (uint8_t)(seat == 0 ? 72 + column : column);
            steps[queue[tail++]] = 0;
        }
        for (int head = 0; head < tail; head++)
            for (int here = queue[head], d = 0; d < 4; d++) {
                int next = here + STEP[d];
                if (!(b->open[here] >> d & 1) || steps[next] != FAR) continue;
                steps[next] = (uint8_t)(steps[here] + 1);
                queue[tail++] = (uint8_t)next;
            }
    }
    return paths;
}

static int is_connected(const Board *b, const Paths *p) {
    return p->steps[0][b->pawn[0]] != FAR && p->steps[1][b->pawn[1]] != FAR;
}

/* ---- moves -------------------------------------------------------------------------------------------- */

static int pawn_moves(const Board *b, int *moves) {
    int me = b->pawn[b->turn], you = b->pawn[!b->turn], count = 0;
    for (int d = 0; d < 4; d++) {
        if (!(b->open[me] >> d & 1)) continue;
        if (me + STEP[d] != you) {
            moves[count++] = me + STEP[d];
        } else if (b->open[you] >> d & 1) {
            moves[count++] = you + STEP[d];
        } else { /* a barrier is behind the other pawn: side-steps */
            int left = (d + 1) % 4, right = (d + 3) % 4;
            if (b->open[you] >> left & 1) moves[count++] = you + STEP[left];
            if (b->open[you] >> right & 1) moves[count++] = you + STEP[right];
        }
    }
    return count;
}

/* Adds walls that lengthen the opponent's path, where all its shortest paths pass through at most `max_gaps`
 * gaps. A wall among them may be illegal because it cuts a player off. */
static int wall_moves(const Board *b, int *moves, int count, const Paths *paths, int max_gaps) {
    const uint8_t *steps = paths->steps[!b->turn];
    uint8_t layer[81] = {b->pawn[!b->turn]}, next[81];
    uint8_t shut[2][81] = {{0}}; /* gaps to block: steps up and steps right, by their lower or left square */
    for (int size = 1; steps[layer[0]] > 0;) {
        int gaps = 0, next_size = 0;
        uint8_t seen[81] = {0}, *gap[160];
        for (int i = 0; i < size; i++)
            for (int d = 0; d < 4; d++) {
                int here = layer[i], ahead = here + STEP[d];
                if (!(b->open[here] >> d & 1) || steps[ahead] + 1 != steps[here]) continue;
                gap[gaps++] = &shut[d & 1][d < DOWN ? here : ahead];
                if (!seen[ahead]++) next[next_size++] = (uint8_t)ahead;
            }
        for (int i = 0; gaps <= max_gaps && i < gaps; i++) *gap[i] = 1;
        memcpy(layer, next, (size_t)next_size);
        size = next_size;
    }
    for (int a = 0; a < 71; a++) {
        if ((shut[0][a] || shut[0][a + 1]) && is_free(b, ACROSS + a)) moves[count++] = ACROSS + a;
        if ((shut[1][a] || shut[1][a + 9]) && is_free(b, UPRIGHT + a)) moves[count++] = UPRIGHT + a;
    }
    return count;
}

/* ---- evaluation and search ---------------------------------------------------------------------------- */

enum { EXACT = 1, LOWER, UPPER, TABLE_SIZE = 1 << 20 };
typedef struct {
    uint64_t key;
    int16_t value, move;
    uint8_t depth, bound;
} Entry;

static Entry table[TABLE_SIZE];
static int killers[MAX_DEPTH + 2], history[2][300];
static uint64_t *seen_keys, nodes, max_nodes; /* keys of the game's positions so far */
static size_t seen_count, seen_room;
static int stopping;
static double began, deadline; /* milliseconds */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void watch(void); /* sets `stopping`; defined below, with the input */

/* What a wall in hand, the move, and a lead that no wall can delay are worth. A step is worth 100. */
enum { WALL, MOVE, LEAD, WEIGHTS };
static const char *const WEIGHT_NAMES[WEIGHTS] = {"Wall", "Move", "Lead"};
static int weights[WEIGHTS] = {120, 50, 600};
enum { MAX_WEIGHT = 2000 };

static int evaluate(const Board *b, const Paths *paths) { /* for the seat to move */
    int me = b->turn, mine = paths->steps[me][b->pawn[me]], theirs = paths->steps[!me][b->pawn[!me]];
    int value = 100 * (theirs - mine) + weights[WALL] * (b->hand[me] - b->hand[!me]) + weights[MOVE];
    if (!b->hand[!me] && mine <= theirs) value += weights[LEAD];
    else if (!b->hand[me] && theirs < mine) value -= weights[LEAD];
    return value;
}

static int was_seen(uint64_t key) {
    for (size_t i = 0; i < seen_count; i++)
        if (seen_keys[i] == key) return 1;
    return 0;
}

/* Sorts moves: the earlier best move, the killer move, pawn moves by distance, walls by their history. */
static void order(const Board *b, int *moves, int count, const Paths *paths, int first, int ply) {
    int score[MAX_MOVES];
    for (int i = 0; i < count; i++) {
        int move = moves[i], s = history[b->turn][move], j = i;
        if (move < ACROSS) s += 1000 - 10 * paths->steps[b->turn][move];
        if (move == first || move == killers[ply]) s = move == first ? 1 << 30 : 1 << 29;
        for (; j > 0 && score[j - 1] < s; j--) score[j] = score[j - 1], moves[j] = moves[j - 1];
        score[j] = s, moves[j] = move;
    }
}

static int search(const Board *b, const Paths *paths, int depth, int alpha, int beta, int ply);

/* The value of a move for the seat that makes it. Only the first move gets the full window immediately. */
static int value_of(const Board *b, int move, const Paths *paths, int depth, int alpha, int beta, int ply,
                    int is_first) {
    if (move < ACROSS && paths->steps[b->turn][move] == 0) return WIN - ply;
    Board next = after(b, move);
    Paths changed;
    if (move >= ACROSS) {
        changed = find_paths(&next);
        paths = &changed;
        if (!is_connected(&next, paths)) return CUTS_OFF;
    }
    int value = -search(&next, paths, depth, is_first ? -beta : -alpha - 1, -alpha, ply);
    if (is_first || value <= alpha || value >= beta) return value;
    return -search(&next, paths, depth, -beta, -alpha, ply);
}

static int search(const Board *b, const Paths *paths, int depth, int alpha, int beta, int ply) {
    if ((++nodes & 1023) == 0 || (max_nodes && nodes >= max_nodes)) watch();
    uint64_t key = key_of(b);
    if (stopping || was_seen(key)) return 0;
    if (depth <= 0) return evaluate(b, paths);

    Entry *entry = &table[key % TABLE_SIZE];
    int first = entry->key == key ? entry->move : NO_MOVE;
    if (entry->key == key && entry->depth >= depth) {
        if (entry->bound == EXACT || (entry->bound == LOWER ? entry->value >= beta : entry->value <= alpha))
            return entry->value;
    }
    int moves[MAX_MOVES], count = pawn_moves(b, moves), best = -INFINITE, best_move = NO_MOVE, bound = UPPER;
    if (b->hand[b->turn]) count = wall_moves(b, moves, count, paths, depth > 2 ? 6 : 2);
    order(b, moves, count, paths, first, ply);
    for (int i = 0; i < count && best < beta; i++) {
        int value = value_of(b, moves[i], paths, depth - 1, alpha, beta, ply + 1, best_move == NO_MOVE);
        if (stopping) return 0;
        if (value <= best) continue;
        best = value, best_move = moves[i];
        if (best > alpha) alpha = best, bound = EXACT;
    }
    if (best >= beta) killers[ply] = best_move, history[b->turn][best_move] += depth * depth, bound = LOWER;
    if (abs(best) < WIN - 1000) /* values of wins count plies from the root, so they are not stored */
        *entry = (Entry){key, (int16_t)best, (int16_t)best_move, (uint8_t)depth, (uint8_t)bound};
    return best;
}

static const char *move_text(int move) {
    static char text[8];
    int square = move % 100, kind = move / 100;
    snprintf(text, sizeof text, "%c%d%.1s", 'a' + square % 9, square / 9 + 1, &"\0hv"[kind]);
    return text;
}

/* Deepens until half of the budget (in milliseconds) is used. The deadline can end an iteration. */
static int choose(const Board *b, int max_depth, double budget) {
    const Paths paths = find_paths(b);
    int moves[MAX_MOVES], count = pawn_moves(b, moves), legal = 0;
    if (b->hand[b->turn]) count = wall_moves(b, moves, count, &paths, 6);
    for (int i = 0; i < count; i++) { /* in random order, so that games vary */
        int j = i + (int)(random64() % (uint64_t)(count - i)), move = moves[j];
        moves[j] = moves[i];
        Board next = after(b, move);
        Paths changed = find_paths(&next);
        if (is_connected(&next, &changed)) moves[legal++] = move;
    }
    if (!legal) return NO_MOVE;
    memset(history, 0, sizeof history);
    memset(killers, 0xff, sizeof killers);
    order(b, moves, legal, &paths, NO_MOVE, 0);
    nodes = 0, stopping = 0;
    for (int depth = 1; depth <= max_depth && legal > 1; depth++) {
        int best = -INFINITE;
        for (int i = 0; i < legal; i++) {
            int move = moves[i], value = value_of(b, move, &paths, depth - 1, best, INFINITE, 1, i == 0);
            if (stopping) return moves[0];
            if (value <= best) continue;
            best = value; /* move the best one to the front; it is used if the iteration ends early */
            memmove(moves + 1, moves, sizeof *moves * (size_t)i);
            moves[0] = move;
        }
        int spent = (int)(now() - began);
        printf("info depth %d score cp %d nodes %llu time %d pv %s\n", depth, best, (unsigned long long)nodes,
               spent, move_text(moves[0]));
        if (spent > budget / 2 || abs(best) > WIN - 1000) break;
    }
    return moves[0];
}

/* ---- input: lines of any length, also during a search ------------------------------------------------- */

static char *input;
static size_t input_start, input_end, input_room;
static int input_closed;

static void fill(void) { /* one read, which waits for input */
    if (input_start > 0) memmove(input, input + input_start, input_end -= input_start);
    input_start = 0;
    if (input_room - input_end < 4096 && !(input = realloc(input, input_room += 65536))) abort();
    ssize_t got = read(STDIN_FILENO, input + input_end, input_room - input_end);
    if (got > 0) input_end += (size_t)got;
    else input_closed = 1;
}

static char *peek_line(size_t *size) { /* the next complete line, or NULL */
    char *end = input_end > input_start ? memchr(input + input_start, '\n', input_end - input_start) : NULL;
    if (end) *size = (size_t)(end - (input + input_start)) + 1;
    return end ? input + input_start : NULL;
}

static char *take_line(void) { /* waits for a line, which the caller frees; NULL at the end of input */
    size_t size;
    char *line;
    while (!(line = peek_line(&size)) && !input_closed) fill();
    if (!line) return NULL;
    if (!(line = strndup(line, size - 1))) abort();
    input_start += size;
    return line;
}

static void watch(void) {
    if ((max_nodes && nodes >= max_nodes) || now() >= deadline) stopping = 1;
    if (nodes & 4095) return;
    struct pollfd in = {STDIN_FILENO, POLLIN, 0};
    if (!input_closed && poll(&in, 1, 0) > 0) fill();
    if (input_closed) stopping = 1;
    size_t size;
    for (char *line; (line = peek_line(&size)); input_start += size) {
        if (!strncmp(line, "isready", 7)) puts("readyok");
        else if (!strncmp(line, "stop", 4)) stopping = 1;
        else { /* left for the main loop */
            if (!strncmp(line, "quit", 4)) stopping = 1;
            return;
        }
    }
}

/* ---- commands ----------------------------------------------------------------------------------------- */

static char *words; /* the rest of the line */
static char *word(void) { return strtok_r(NULL, " \t\r", &words); }

static int read_square(const char *s) {
    return s[0] >= 'a' && s[0] <= 'i' && s[1] >= '1' && s[1] <= '9' ? s[0] - 'a' + 9 * (s[1] - '1') : NO_MOVE;
}

static void read_fen(Board *b) { /* such as "d4f4 / a2 / e4 e6 / 9 8 / 2" */
    int field = 0, index = 0;
    for (char *w; (field < 4 || index == 0) && (w = word());) {
        if (*w == '/') {
            field++, index = 0;
            continue;
        }
        for (int a; field < 2 && (a = read_square(w)) != NO_MOVE; w += 2)
            if (is_free(b, a + (field ? UPRIGHT : ACROSS))) put_wall(b, a + (field ? UPRIGHT : ACROSS));
        if (field == 2 && index < 2 && read_square(w) != NO_MOVE) b->pawn[index] = (uint8_t)read_square(w);
        if (field == 3 && index < 2) b->hand[index] = (uint8_t)atoi(w);
        if (field == 4) b->turn = *w == '2';
        index++;
    }
}

static void remember(const Board *b) {
    if (seen_count == seen_room) seen_keys = realloc(seen_keys, (seen_room += 1024) * sizeof *seen_keys);
    if (!seen_keys) abort();
    seen_keys[seen_count++] = key_of(b);
}

static Board on_position(void) {
    Board b = start();
    char *w = word();
    if (w && !strcmp(w, "fen")) read_fen(&b);
    seen_count = 0;
    remember(&b);
    while ((w = word())) {
        int move = read_square(w);
        if (move == NO_MOVE) continue; /* the word `moves` */
        if (w[2] == 'h' || w[2] == 'v') move += w[2] == 'h' ? ACROSS : UPRIGHT;
        b = after(&b, move);
        remember(&b);
    }
    return b;
}

static void on_go(const Board *b) {
    double left = 0, increment = 0, movetime = 0, budget = 1e15;
    int max_depth = MAX_DEPTH, moves_to_go = 50;
    began = now(), deadline = 1e15, max_nodes = 0;
    for (char *w, *value; (w = word()) && (value = word());) {
        int mine = w[0] == 'p' && w[1] == '1' + b->turn;
        if (mine && !strcmp(w + 2, "time")) left = atof(value);
        else if (mine && !strcmp(w + 2, "inc")) increment = atof(value);
        else if (!strcmp(w, "movestogo")) moves_to_go = atoi(value);
        else if (!strcmp(w, "movetime")) movetime = atof(value);
        else if (!strcmp(w, "depth")) max_depth = atoi(value);
        else if (!strcmp(w, "nodes")) max_nodes = (uint64_t)atoll(value);
    }
    if (movetime > 0) {
        budget = movetime > 10 ? movetime - 5 : movetime / 2;
        deadline = began + budget;
    } else if (left > 0) {
        double usable = left > 40 ? left - 20 : left / 2;
        if (moves_to_go < 1 || moves_to_go > 50) moves_to_go = 50;
        double limit = moves_to_go == 1 ? usable : usable / 2;
        budget = usable / moves_to_go + 0.5 * increment;
        if (budget > limit) budget = limit;
        deadline = began + (3 * budget < limit ? 3 * budget : limit);
    }
    int move = choose(b, max_depth < 1 || max_depth > MAX_DEPTH ? MAX_DEPTH : max_depth, budget);
    printf("bestmove %s\n", move == NO_MOVE ? "0000" : move_text(move));
}

static void greet(void) {
    puts("id name alphabeta-c\nid author Leapfrog Arena");
    for (int i = 0; i < WEIGHTS; i++)
        printf("option name %s type spin default %d min 0 max %d\n", WEIGHT_NAMES[i], weights[i], MAX_WEIGHT);
    puts("ugiok");
}

static void set_option(void) { /* such as "name Wall value 130" */
    char *w = word(), *name = word(), *between = word(), *value = word();
    for (int i = 0; w && between && value && i < WEIGHTS; i++)
        if (!strcmp(name, WEIGHT_NAMES[i])) weights[i] = atoi(value);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    Board b = start();
    for (char *line; (line = take_line()); free(line)) {
        const char *w = strtok_r(line, " \t\r", &words);
        if (!w) continue;
        if (!strcmp(w, "ugi")) greet();
        else if (!strcmp(w, "setoption")) set_option();
        else if (!strcmp(w, "isready")) puts("readyok");
        else if (!strcmp(w, "uginewgame")) memset(table, 0, sizeof table);
        else if (!strcmp(w, "position")) b = on_position();
        else if (!strcmp(w, "go")) on_go(&b);
        else if (!strcmp(w, "quit")) return 0;
    }
    return 0;
}
