// Plays a random legal move. The hub lists the legal moves before each `go`. Reservoir sampling chooses one.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char *line = NULL, *word, move[201] = "none";
    size_t size = 0;
    int count = 0;
    srand((unsigned)getpid());
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (getline(&line, &size, stdin) > 0 && strncmp(line, "quit", 4) != 0) {
        if ((word = strtok(line, " \t\r\n")) == NULL) continue;
        if (strcmp(word, "ugi") == 0) puts("id name tiny-c\nprotocol 1 legal\nugiok");
        if (strcmp(word, "isready") == 0) puts("readyok");
        if (strcmp(word, "go") == 0) printf("bestmove %s\n", move);
        if (strcmp(word, "legal") == 0) count = 0;
        if (strncmp(word, "legal", 5) == 0)
            while ((word = strtok(NULL, " \t\r\n")) != NULL)
                if (rand() % ++count == 0) snprintf(move, sizeof move, "%s", word);
    }
}
