/* A UCI engine that sleeps, for benchmarks/concurrency.py: sleeper FOLDER MICROSECONDS

   It plays one game of chess of 12 plies, which ends by repetition. It sleeps for MICROSECONDS a move on average:
   a random time from a half to one and a half of that, and before its next move what is missing to twice that. So
   games do not move in step, but all engines use the same time in a game.

   It writes a file of its own in FOLDER. The first line has the microseconds of processor time until `main`, which
   its start has cost. Each other line is a move: when it read `go`, in microseconds, the milliseconds of its clock that
   it was told, and the microseconds from reading `go` to writing `bestmove`. An empty line begins a game. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const game[] = {"e2e3", "e7e6", "d2d3", "d7d6", "g1f3", "g8f6",
                                   "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"};

static long micros(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

int main(int argc, char **argv) {
    static char line[1 << 16], name[4096];
    long started = micros(CLOCK_PROCESS_CPUTIME_ID);
    if (argc != 3) return 2;
    long mean = atol(argv[2]), rest = 0;
    snprintf(name, sizeof name, "%s/%ld-%d", argv[1], micros(CLOCK_MONOTONIC), getpid());
    FILE *log = fopen(name, "w");
    if (!log || mean <= 0) return 2;
    fprintf(log, "%ld\n", started);
    srandom((unsigned) (micros(CLOCK_MONOTONIC) ^ getpid() * 7919L));
    size_t ply = 0;
    int begins = 1;
    while (fgets(line, sizeof line, stdin)) {
        long begin = micros(CLOCK_MONOTONIC);
        if (!strncmp(line, "go ", 3)) {
            char *clock = strstr(line, ply % 2 ? "btime " : "wtime ");
            long pause = rest ? 2 * mean - rest : mean / 2 + random() % (mean + 1);
            rest = rest ? 0 : pause;
            struct timespec time = {pause / 1000000, pause % 1000000 * 1000};
            nanosleep(&time, NULL);
            long taken = micros(CLOCK_MONOTONIC) - begin;
            printf("info depth 1 score cp 0\nbestmove %s\n", ply < 12 ? game[ply] : "0000");
            fflush(stdout);
            fprintf(log, "%ld %ld %ld\n", begin, clock ? atol(clock + 6) : -1, taken);
            ply += 2;
        } else if (!strncmp(line, "isready", 7)) {
            puts("readyok");
            fflush(stdout);
        } else if (!strncmp(line, "uci\n", 4)) {
            puts("id name sleeper\nid author arena\nuciok");
            fflush(stdout);
        } else if (!strncmp(line, "ucinewgame", 10)) {
            begins = 1;
            rest = 0;
            fputs("\n", log);
            fflush(log); /* no clock runs now */
        } else if (!strncmp(line, "position ", 9) && begins) {
            begins = 0;
            ply = strstr(line, " b ") || strstr(line, " moves "); /* after one move, it is Black's turn */
        } else if (!strncmp(line, "quit", 4)) break;
    }
    return fclose(log) != 0;
}
