/* Random numbers, time and the machine: all values that are possible, since none is known. */
#include "primitives.h"

int rand(void) { return (int)__ouro_choose(0, 2147483647, "rand"); }
int rand_r(unsigned *seed) { return (int)__ouro_choose(0, 2147483647, "rand_r"); }
long random(void) { return __ouro_choose(0, 2147483647, "random"); }
long lrand48(void) { return __ouro_choose(0, 2147483647, "lrand48"); }
double drand48(void) { return (double)__ouro_choose(0, 2147483647, "drand48") / 2147483648.0; }
void srand(unsigned seed) {}
void srandom(unsigned seed) {}
void srand48(long seed) {}

struct timespec {
    long seconds, fraction;
};

long time(long *now) {
    long found = __ouro_choose(0, 2147483647, "time");
    if (now)
        *now = found;
    return found;
}
long clock(void) { return __ouro_choose(0, 2147483647, "clock"); }
double difftime(long end, long begin) { return (double)(end - begin); }
static int tell(struct timespec *now, long parts, const char *name) {
    now->seconds = __ouro_choose(0, 2147483647, name);
    now->fraction = __ouro_choose(0, parts - 1, name);
    return 0;
}
int clock_gettime(int clock, struct timespec *now) { return tell(now, 1000000000, "clock_gettime"); }
int timespec_get(struct timespec *now, int base) { tell(now, 1000000000, "timespec_get"); return base; }
int gettimeofday(struct timespec *now, void *zone) { return tell(now, 1000000, "gettimeofday"); }

long sysconf(int name) { return name == 30 ? 4096 : 2; }
int getpagesize(void) { return 4096; }
int getpid(void) { return 2; }
int getppid(void) { return 1; }
int get_nprocs(void) { return 2; }
char *getenv(const char *name) { return NULL; }
int setenv(const char *name, const char *value, int replace) { return 0; }

/* Signals: none is ever sent. */
int signal(int number, void *handler) { return 0; }
int sigaction(int number, const void *action, void *old) { return 0; }
int sigemptyset(unsigned long *set) { *set = 0; return 0; }
int sigfillset(unsigned long *set) { *set = ~0UL; return 0; }
int sigaddset(unsigned long *set, int number) { *set |= 1UL << (number - 1); return 0; }
int sigdelset(unsigned long *set, int number) { *set &= ~(1UL << (number - 1)); return 0; }
int sigismember(const unsigned long *set, int number) { return *set >> (number - 1) & 1; }
int sigprocmask(int how, const unsigned long *set, unsigned long *old) { return 0; }
int pthread_sigmask(int how, const unsigned long *set, unsigned long *old) { return 0; }
unsigned alarm(unsigned seconds) { return 0; }
