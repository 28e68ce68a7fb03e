/* An engine that sleeps a known time before every answer, and reports how long it took by its own clock.

   It answers from a fixed game (its first argument, as in instant.c), sleeps for as many microseconds as its
   second argument says, and reports microseconds from the end of reading `go` to the writing of `bestmove` as
   a score in centipawns, which is what the referee keeps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long micros(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

int main(int argc, char **argv) {
    static char script[1 << 16], line[1 << 16];
    static char *move[1 << 12];
    FILE *file = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (!file) return 2;
    long rest = atol(argv[2]);
    struct timespec pause = {rest / 1000000, rest % 1000000 * 1000};
    script[fread(script, 1, sizeof script - 1, file)] = 0;
    size_t count = 0, ply = 0;
    for (char *word = strtok(script, " \n"); word; word = strtok(NULL, " \n")) move[count++] = word;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "go ", 3)) {
            long begin = micros();
            nanosleep(&pause, NULL);
            printf("info score cp %ld\nbestmove %s\n", micros() - begin, ply < count ? move[ply] : "none");
        } else if (!strncmp(line, "isready", 7)) puts("readyok");
        else if (!strncmp(line, "ugi\n", 4)) puts("id name sleeper\nugiok");
        else if (!strncmp(line, "quit", 4)) break;
        else if (!strncmp(line, "position ", 9)) {
            char *moves = strstr(line, " moves ");
            ply = 0;
            for (char *c = moves ? moves + 6 : ""; *c; c++) ply += *c == ' ';
            continue;
        } else continue;
        fflush(stdout);
    }
    return 0;
}
