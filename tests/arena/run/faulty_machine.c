/* A library for LD_PRELOAD that sets the clock wrong and refuses new processes to arena and its children.

   It reads two numbers at every call from the file in $FAULTY_MACHINE: the seconds by which the wall clock is
   wrong, and whether new processes (1), or also new threads (2), are refused. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct faults {
    int64_t clock_seconds;
    int64_t exhausted;
};

static const struct faults *faults(void)
{
    static const struct faults none;
    static const struct faults *mapped;
    if (mapped == NULL) {
        const char *path = getenv("FAULTY_MACHINE");
        int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        void *shared = MAP_FAILED;
        if (file >= 0) {
            shared = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
            close(file);
        }
        mapped = shared == MAP_FAILED ? &none : shared;
    }
    return mapped;
}

static int refused(int64_t from)
{
    if (faults()->exhausted < from)
        return 0;
    errno = EAGAIN;
    return 1;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    long done = syscall(SYS_clock_gettime, clock, now);
    if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += faults()->clock_seconds;
    return (int)done;
}

time_t time(time_t *where)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where != NULL)
        *where = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

pid_t fork(void)
{
    pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    return refused(1) ? -1 : real();
}

pid_t vfork(void)
{
    return fork(); /* the real vfork must not be called from a function that returns */
}

/* Python 3.13 starts processes by this function. */
int posix_spawn(pid_t *restrict process, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
                const posix_spawnattr_t *restrict how, char *const words[restrict], char *const variables[restrict])
{
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                char *const[]) =
        (int (*)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                 char *const[]))dlsym(RTLD_NEXT, "posix_spawn");
    return refused(1) ? EAGAIN : real(process, path, actions, how, words, variables);
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict how, void *(*begin)(void *),
                   void *restrict argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    return refused(2) ? EAGAIN : real(thread, how, begin, argument);
}

/* bubblewrap starts its sandboxed process by a direct system call. */
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long a[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_clone && refused(1))
        return -1;
    if (real == NULL)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
