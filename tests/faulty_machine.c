/* A library for LD_PRELOAD that refuses new processes, and lets a write to the disk fail.

   It reads what it does at every call from the file in $FAULTY_MACHINE, which all programs share; its layout is
   that of `struct faults`, and `faulty_machine.py` writes it. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct faults {
    int64_t exhausted;     /* new processes (1), or also new threads (2), are refused */
    int64_t kinds;         /* the calls that count as writes; 0 for none */
    int64_t strike;        /* the number of the write that has the fault */
    int64_t lasting;       /* whether all later ones have it, too */
    int64_t half;          /* whether half of its bytes are written before */
    int64_t error;         /* the error that it returns; 0 for none */
    int64_t signal;        /* the signal that its process gets; 0 for none */
    int64_t writes;        /* how many there have been */
    char folder[256];      /* in which they count */
    char struck[256];      /* the first one that had the fault */
};

static struct faults *faults(void)
{
    static struct faults none;
    static struct faults *mapped;
    if (mapped == NULL) {
        const char *path = getenv("FAULTY_MACHINE");
        if (path == NULL)
            return &none; /* a forked process may be told later */
        int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
        void *shared = MAP_FAILED;
        if (file >= 0) {
            shared = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
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

/* Writes: every call that changes a file or a folder. */

enum {
    DATA = 1,   /* writes bytes */
    ROOM = 2,   /* needs room on the disk, too */
    CHANGE = 4, /* needs none: removes, renames, shortens, opens for writing */
    SYNC = 8
};

enum { PASS, FAIL, HALF };

/* Whether what is at `path` in a folder, or (with no path) an open file, is in the folder where writes count. */
static int is_inside(int folder, const char *path)
{
    char link[32], place[512] = "";
    if (path == NULL || path[0] != '/') {
        if (folder == AT_FDCWD)
            snprintf(link, sizeof link, "/proc/self/cwd");
        else
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        if (syscall(SYS_readlinkat, AT_FDCWD, link, place, sizeof place - 1) < 0)
            return 0;
    } else {
        snprintf(place, sizeof place, "%s", path);
    }
    size_t length = strlen(faults()->folder);
    return strncmp(place, faults()->folder, length) == 0 && (place[length] == '/' || place[length] == '\0');
}

/* Count a write to what is at `path` in a folder, or (with no path) to an open file, and strike it if it is its turn. */
static int strike(int kind, const char *call, int folder, const char *path)
{
    struct faults *now = faults();
    int before = errno;
    if ((now->kinds & kind) == 0 || !is_inside(folder, path)) {
        errno = before;
        return PASS;
    }
    errno = before;
    int64_t number = __atomic_add_fetch(&now->writes, 1, __ATOMIC_SEQ_CST);
    if (number != now->strike && !(now->lasting && number > now->strike))
        return PASS;
    if (number == now->strike) {
        char link[32];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        int used = snprintf(now->struck, sizeof now->struck, "%s ", call);
        if (path != NULL)
            snprintf(now->struck + used, sizeof now->struck - used, "%s", path);
        else
            syscall(SYS_readlinkat, AT_FDCWD, link, now->struck + used, sizeof now->struck - used - 1);
        if (now->half && kind == DATA)
            return HALF;
    }
    if (now->signal != 0)
        kill(getpid(), (int)now->signal);
    errno = now->error != 0 ? (int)now->error : before;
    return now->error != 0 ? FAIL : PASS;
}

/* Return what half a write returns; the signal comes after it. */
static ssize_t halved(ssize_t done)
{
    if (faults()->signal != 0)
        kill(getpid(), (int)faults()->signal);
    return done;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define CHANGES(kind, name, parameters, arguments, folder, path)                                                       \
    int name parameters                                                                                                \
    {                                                                                                                  \
        static int(*real) parameters;                                                                                  \
        if (real == NULL)                                                                                              \
            real = REAL(name);                                                                                         \
        return strike(kind, #name, folder, path) == FAIL ? -1 : real arguments;                                        \
    }

#define WRITES(name, parameters, arguments, half, file)                                                                \
    ssize_t name parameters                                                                                            \
    {                                                                                                                  \
        static ssize_t(*real) parameters;                                                                              \
        if (real == NULL)                                                                                              \
            real = REAL(name);                                                                                         \
        switch (strike(DATA, #name, file, NULL)) {                                                                     \
        case FAIL:                                                                                                     \
            return -1;                                                                                                 \
        case HALF:                                                                                                     \
            return halved(real half);                                                                                  \
        default:                                                                                                       \
            return real arguments;                                                                                     \
        }                                                                                                              \
    }

WRITES(write, (int file, const void *bytes, size_t size), (file, bytes, size), (file, bytes, (size + 1) / 2), file)
WRITES(pwrite, (int file, const void *bytes, size_t size, off_t at), (file, bytes, size, at),
       (file, bytes, (size + 1) / 2, at), file)
WRITES(pwrite64, (int file, const void *bytes, size_t size, off64_t at), (file, bytes, size, at),
       (file, bytes, (size + 1) / 2, at), file)
WRITES(writev, (int file, const struct iovec *parts, int count), (file, parts, count),
       (file, parts, (count + 1) / 2), file)
WRITES(sendfile, (int file, int from, off_t *at, size_t size), (file, from, at, size),
       (file, from, at, (size + 1) / 2), file)
WRITES(sendfile64, (int file, int from, off64_t *at, size_t size), (file, from, at, size),
       (file, from, at, (size + 1) / 2), file)
WRITES(copy_file_range, (int from, off64_t *here, int file, off64_t *there, size_t size, unsigned how),
       (from, here, file, there, size, how), (from, here, file, there, (size + 1) / 2, how), file)

static int grows(int file, off64_t size)
{
    struct stat now;
    return fstat(file, &now) == 0 && size > now.st_size ? ROOM : CHANGE;
}

CHANGES(grows(file, size), ftruncate, (int file, off_t size), (file, size), file, NULL)
CHANGES(grows(file, size), ftruncate64, (int file, off64_t size), (file, size), file, NULL)
CHANGES(ROOM, fallocate, (int file, int how, off_t at, off_t size), (file, how, at, size), file, NULL)
CHANGES(ROOM, fallocate64, (int file, int how, off64_t at, off64_t size), (file, how, at, size), file, NULL)
CHANGES(SYNC, fsync, (int file), (file), file, NULL)
CHANGES(SYNC, fdatasync, (int file), (file), file, NULL)
CHANGES(ROOM, mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
CHANGES(ROOM, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder, path)
CHANGES(ROOM, link, (const char *from, const char *path), (from, path), AT_FDCWD, path)
CHANGES(ROOM, linkat, (int there, const char *from, int folder, const char *path, int how),
        (there, from, folder, path, how), folder, path)
CHANGES(ROOM, symlink, (const char *to, const char *path), (to, path), AT_FDCWD, path)
CHANGES(CHANGE, rename, (const char *from, const char *path), (from, path), AT_FDCWD, path)
CHANGES(CHANGE, renameat, (int there, const char *from, int folder, const char *path), (there, from, folder, path),
        folder, path)
CHANGES(CHANGE, unlink, (const char *path), (path), AT_FDCWD, path)
CHANGES(CHANGE, unlinkat, (int folder, const char *path, int how), (folder, path, how), folder, path)
CHANGES(CHANGE, rmdir, (const char *path), (path), AT_FDCWD, path)
CHANGES(CHANGE, chmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
CHANGES(CHANGE, fchmod, (int file, mode_t mode), (file, mode), file, NULL)
CHANGES(CHANGE, fchmodat, (int folder, const char *path, mode_t mode, int how), (folder, path, mode, how), folder,
        path)
CHANGES(CHANGE, fchown, (int file, uid_t user, gid_t group), (file, user, group), file, NULL)
CHANGES(CHANGE, utimensat, (int folder, const char *path, const struct timespec times[2], int how),
        (folder, path, times, how), folder, path)

/* The kind of an `open`: a new file needs room, and an old one may only be read. */
static int opening(int folder, const char *path, int how)
{
    if ((how & O_ACCMODE) == O_RDONLY && (how & O_CREAT) == 0)
        return 0;
    return (how & O_CREAT) != 0 && syscall(SYS_faccessat, folder, path, F_OK) != 0 ? ROOM : CHANGE;
}

#define OPENS(name, parameters, folder, arguments)                                                                     \
    int name parameters                                                                                                \
    {                                                                                                                  \
        static int(*real) parameters;                                                                                  \
        int before = errno;                                                                                            \
        va_list rest;                                                                                                  \
        va_start(rest, how);                                                                                           \
        mode_t mode = va_arg(rest, mode_t); /* without O_CREAT nobody looks at it */                                   \
        va_end(rest);                                                                                                  \
        if (real == NULL)                                                                                              \
            real = REAL(name);                                                                                         \
        int kind = faults()->kinds != 0 ? opening(folder, path, how) : 0;                                              \
        errno = before;                                                                                                \
        return strike(kind, #name, folder, path) == FAIL ? -1 : real arguments;                                        \
    }

OPENS(open, (const char *path, int how, ...), AT_FDCWD, (path, how, mode))
OPENS(open64, (const char *path, int how, ...), AT_FDCWD, (path, how, mode))
OPENS(openat, (int folder, const char *path, int how, ...), folder, (folder, path, how, mode))
OPENS(openat64, (int folder, const char *path, int how, ...), folder, (folder, path, how, mode))

/* A disk that has become full says so. */
#define ROOM_ON(name, type)                                                                                            \
    int name(const char *restrict path, struct type *restrict disk)                                                    \
    {                                                                                                                  \
        static int (*real)(const char *restrict, struct type *restrict);                                               \
        if (real == NULL)                                                                                              \
            real = REAL(name);                                                                                         \
        int done = real(path, disk);                                                                                   \
        if (done == 0 && faults()->error == ENOSPC && faults()->struck[0] != '\0' && is_inside(AT_FDCWD, path))        \
            disk->f_bfree = disk->f_bavail = 0;                                                                        \
        return done;                                                                                                   \
    }

ROOM_ON(statvfs, statvfs)
ROOM_ON(statvfs64, statvfs64)
