/* An engine for two seats that answers at once: ply n of a game is word n of the file in its first argument.

   It finds its seat in the first position of a game, and counts its own answers after that. So it plays
   whatever form later positions have. It speaks UGI and UCI.

   With a second argument it sleeps for this number of microseconds before every answer. It reports the
   microseconds from reading `go` to writing `bestmove` as a score, because the referee records scores. */
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
    static char *move[1 << 14];
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file) return 2;
    script[fread(script, 1, sizeof script - 1, file)] = 0;
    long rest = argc > 2 ? atol(argv[2]) : 0;
    struct timespec pause = {rest / 1000000, rest % 1000000 * 1000};
    size_t count = 0, ply = 0;
    int begins = 1;
    for (char *word = strtok(script, " \n"); word; word = strtok(NULL, " \n")) move[count++] = word;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "go ", 3)) {
            if (rest) {
                long begin = micros();
                nanosleep(&pause, NULL);
                printf("info score cp %ld\n", micros() - begin);
            }
            printf("bestmove %s\n", ply < count ? move[ply] : "none");
            ply += 2;
        } else if (!strncmp(line, "isready", 7)) puts("readyok");
        else if (!strncmp(line, "ugi\n", 4)) puts("id name instant\nugiok");
        else if (!strncmp(line, "uci\n", 4)) puts("id name instant\nuciok");
        else if (strstr(line, "newgame")) {
            begins = 1;
            continue;
        }
        else if (!strncmp(line, "quit", 4)) break;
        else if (!strncmp(line, "position ", 9)) {
            if (!begins) continue;
            begins = 0;
            char *moves = strstr(line, " moves ");
            ply = 0;
            for (char *c = moves ? moves + 6 : ""; *c; c++) ply += *c == ' ';
            continue;
        } else continue;
        fflush(stdout);
    }
    return 0;
}
