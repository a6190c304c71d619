/* POSIX threads: creating, ending and joining them, their keys, and pthread_once. */
#include "primitives.h"

typedef unsigned long pthread_t;

enum { FREE, RUNNING, ENDED };
struct thread {
    unsigned char status, detached, cancelled;
};
static struct thread __ouro_records[OURO_THREADS] = {{RUNNING, 0, 0}};
static void *__ouro_results[OURO_THREADS];
void *__ouro_waiting[OURO_THREADS];

#ifdef OURO_KEYS
enum { KEYS = 16 };
static unsigned char key_used[KEYS];
static void (*key_destructors[KEYS])(void *);
static void *key_values[OURO_THREADS][KEYS];
static unsigned char keys_in_use;
#endif

struct attributes {
    int detached;
};

int pthread_attr_init(struct attributes *attributes) { attributes->detached = 0; return 0; }
int pthread_attr_destroy(struct attributes *attributes) { return 0; }
int pthread_attr_setdetachstate(struct attributes *attributes, int detached) { attributes->detached = detached; return 0; }
int pthread_attr_getdetachstate(const struct attributes *attributes, int *detached) { *detached = attributes->detached; return 0; }
int pthread_attr_setstacksize(void *attributes, size_t size) { return 0; }
int pthread_attr_getstacksize(const void *attributes, size_t *size) { *size = 8 << 20; return 0; }
int pthread_attr_setguardsize(void *attributes, size_t size) { return 0; }
int pthread_attr_setstack(void *attributes, void *stack, size_t size) { return 0; }
int pthread_attr_setschedparam(void *attributes, const void *parameters) { return 0; }
int pthread_attr_getschedparam(const void *attributes, int *parameters) { *parameters = 0; return 0; }
int pthread_attr_setaffinity_np(void *attributes, size_t size, const void *set) { return 0; }
int pthread_setaffinity_np(unsigned long id, size_t size, const void *set) { return 0; }
int sched_setaffinity(int id, size_t size, const void *set) { return 0; }
int pthread_setschedparam(unsigned long id, int policy, const void *parameters) { return 0; }
int pthread_getschedparam(unsigned long id, int *policy, int *parameters) { *policy = *parameters = 0; return 0; }
int pthread_setname_np(unsigned long id, const char *name) { return 0; }
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) { return 0; }
int pthread_getconcurrency(void) { return 0; }
int sched_get_priority_max(int policy) { return policy ? 99 : 0; }
int sched_get_priority_min(int policy) { return policy ? 1 : 0; }
int pthread_attr_setscope(void *attributes, int scope) { return 0; }
int pthread_attr_setschedpolicy(void *attributes, int policy) { return 0; }
int pthread_attr_setinheritsched(void *attributes, int inherit) { return 0; }
int pthread_setconcurrency(int level) { return 0; }

#ifdef OURO_CANCEL
/* Of each thread: whether it is not cancelled now, and whether it may be cancelled anywhere. */
static unsigned char cancel_disabled[OURO_THREADS], cancel_anywhere[OURO_THREADS];

static void refuse_anywhere(int slot) {
    if (__ouro_records[slot].cancelled && cancel_anywhere[slot] && !cancel_disabled[slot])
        __ouro_fail(FAIL_UNSUPPORTED, "a thread is cancelled that can be cancelled anywhere: pthread_setcanceltype");
}
static int set(unsigned char *of_threads, int value, int *old) {
    if (value & ~1)
        return EINVAL_;
    int self = __ouro_self();
    __ouro_begin(0);
    int before = of_threads[self];
    of_threads[self] = value;
    refuse_anywhere(self);
    __ouro_end();
    if (old)
        *old = before;
    return 0;
}
int pthread_setcancelstate(int state, int *old) { return set(cancel_disabled, state, old); }
int pthread_setcanceltype(int type, int *old) { return set(cancel_anywhere, type, old); }
/* Whether this thread is to end here; in an atomic section. */
int __ouro_cancelled(void) {
    int self = __ouro_self();
    return __ouro_records[self].cancelled && !cancel_disabled[self];
}
#else
int pthread_setcancelstate(int state, int *old) { if (old) *old = 0; return state & ~1 ? EINVAL_ : 0; }
int pthread_setcanceltype(int type, int *old) { if (old) *old = 0; return type & ~1 ? EINVAL_ : 0; }
int __ouro_cancelled(void) { return 0; }
#endif

#ifdef OURO_CLEANUP
/* What a thread does when it is cancelled or leaves early; the handlers are where they were pushed. */
struct cleanup {
    void (*routine)(void *);
    void *argument;
    struct cleanup *below;
};
static struct cleanup *cleanups[OURO_THREADS];
void __ouro_cleanup_push(struct cleanup *handler) {
    __ouro_begin(0);
    handler->below = cleanups[__ouro_self()];
    cleanups[__ouro_self()] = handler;
    __ouro_end();
}
void __ouro_cleanup_pop(int execute) {
    __ouro_begin(0);
    struct cleanup *handler = cleanups[__ouro_self()];
    void (*routine)(void *) = handler->routine;
    void *argument = handler->argument;
    cleanups[__ouro_self()] = handler->below;
    __ouro_end();
    if (execute)
        routine(argument);
}
#endif

#ifdef OURO_KEYS
static void destroy_keys(int self) {
    if (!keys_in_use)
        return;
    for (int key = 0; key < KEYS; key++) {
        __ouro_begin(0);
        void *value = key_values[self][key];
        void (*destructor)(void *) = key_destructors[key];
        key_values[self][key] = NULL;
        __ouro_end();
        if (value && destructor)
            destructor(value);
    }
}
#endif

_Noreturn void __ouro_finish(void *result) {
    int self = __ouro_self();
#ifdef OURO_CANCEL
    __ouro_begin(0);
    cancel_disabled[self] = 1;
    __ouro_end();
#endif
#ifdef OURO_CLEANUP
    for (;;) {
        __ouro_begin(0);
        int more = cleanups[self] != NULL;
        __ouro_end();
        if (!more)
            break;
        __ouro_cleanup_pop(1);
    }
#endif
#ifdef OURO_KEYS
    __ouro_begin(0);
    int keys = keys_in_use;
    __ouro_end();
    if (keys)
        destroy_keys(self);
#endif
    __ouro_begin(0);
    if (__ouro_records[self].detached) {
        __ouro_records[self].status = FREE;
        __ouro_records[self].detached = 0;
    } else {
        __ouro_records[self].status = ENDED;
        __ouro_results[self] = result;
    }
    __ouro_records[self].cancelled = 0;
#ifdef OURO_CANCEL
    cancel_disabled[self] = cancel_anywhere[self] = 0;
#endif
    __ouro_leave();
}

void __ouro_run(void *(*function)(void *), void *argument) { __ouro_finish(function(argument)); }

static int start(pthread_t *id, int detached, void *run, void *function, void *argument) {
    __ouro_begin(1);
    int slot = 0;
    while (slot < OURO_THREADS && __ouro_records[slot].status != FREE)
        slot++;
    if (slot == OURO_THREADS)
        __ouro_fail(FAIL_THREADS, "more threads than were provided for");
    __ouro_records[slot].status = RUNNING;
    __ouro_records[slot].detached = detached;
    *id = slot + 1;
    __ouro_thread_locals(slot);
    __ouro_create(slot, run, function, argument);
    __ouro_end();
    return 0;
}

int pthread_create(pthread_t *id, const struct attributes *attributes, void *(*function)(void *), void *argument) {
    return start(id, attributes ? attributes->detached : 0, __ouro_run, function, argument);
}

/* That a thread ends is no step of its own: who only tries to join it may come a little too early. */
static int join(pthread_t id, void **result, int wait) {
    int early = __ouro_begin(wait ? 1 : 2);
    unsigned long slot = id - 1;
    if (early) {
        if (slot >= OURO_THREADS || __ouro_records[slot].status != ENDED || __ouro_records[slot].detached)
            __ouro_blocked((void *)id, ON_OTHER);
        __ouro_end();
        return EBUSY_;
    }
    if (slot >= OURO_THREADS || __ouro_records[slot].status == FREE) {
        __ouro_end();
        return ESRCH_;
    }
    if (__ouro_records[slot].detached) {
        __ouro_end();
        return EINVAL_;
    }
    if (slot == __ouro_self()) {
        __ouro_end();
        return EDEADLK_;
    }
    if (wait && __ouro_cancelled()) {
        __ouro_end();
        __ouro_finish((void *)-1);
    }
    if (__ouro_records[slot].status == RUNNING) {
        if (wait)
            __ouro_blocked((void *)id, ON_JOIN);
        __ouro_end();
        return EBUSY_;
    }
    if (result)
        *result = __ouro_results[slot];
    __ouro_results[slot] = NULL;
    __ouro_records[slot].status = FREE;
    __ouro_end();
    return 0;
}

int pthread_join(pthread_t id, void **result) { return join(id, result, 1); }
int pthread_tryjoin_np(pthread_t id, void **result) { return join(id, result, 0); }
int pthread_timedjoin_np(pthread_t id, void **result, const void *until) {
    int code = join(id, result, 0);
    return code == EBUSY_ ? ETIMEDOUT_ : code;
}

int pthread_detach(pthread_t id) {
    __ouro_begin(1);
    unsigned long slot = id - 1;
    int code = 0;
    if (slot >= OURO_THREADS || __ouro_records[slot].status == FREE)
        code = ESRCH_;
    else if (__ouro_records[slot].detached)
        code = EINVAL_;
    else if (__ouro_records[slot].status == ENDED) {
        __ouro_records[slot].status = FREE;
        __ouro_results[slot] = NULL;
    } else
        __ouro_records[slot].detached = 1;
    __ouro_end();
    return code;
}

_Noreturn void pthread_exit(void *result) { __ouro_finish(result); }
pthread_t pthread_self(void) { return __ouro_self() + 1; }
int pthread_equal(pthread_t one, pthread_t other) { return one == other; }

/* Cancelled threads end where they wait, sleep, or ask whether they are. */
int pthread_cancel(pthread_t id) {
    __ouro_begin(1);
    unsigned long slot = id - 1;
    int code = 0;
    if (slot >= OURO_THREADS || __ouro_records[slot].status == FREE)
        code = ESRCH_;
    else if (__ouro_records[slot].status == RUNNING) {
        __ouro_records[slot].cancelled = 1;
#ifdef OURO_CANCEL
        refuse_anywhere(slot);
#endif
    }
    __ouro_end();
    return code;
}

void pthread_testcancel(void) {
    __ouro_begin(1);
    int cancelled = __ouro_cancelled();
    __ouro_end();
    if (cancelled)
        __ouro_finish((void *)-1);
}

int pthread_once(int *control, void (*routine)(void)) {
    __ouro_begin(1);
    if (*control == 1)
        __ouro_blocked(control, ON_ONCE);
    if (*control == 2) {
        __ouro_end();
        return 0;
    }
    *control = 1;
    __ouro_end();
    routine();
    __ouro_begin(0);
    *control = 2;
    __ouro_end();
    return 0;
}

#ifdef OURO_KEYS
int pthread_key_create(unsigned *key, void (*destructor)(void *)) {
    __ouro_begin(1);
    unsigned free = 0;
    while (free < KEYS && key_used[free])
        free++;
    if (free < KEYS) {
        key_used[free] = 1;
        key_destructors[free] = destructor;
        if (destructor)
            keys_in_use = 1;
        for (int slot = 0; slot < OURO_THREADS; slot++)
            key_values[slot][free] = NULL;
        *key = free;
    }
    __ouro_end();
    return free < KEYS ? 0 : EAGAIN_;
}

int pthread_key_delete(unsigned key) {
    __ouro_begin(1);
    int known = key < KEYS && key_used[key];
    if (known) {
        key_used[key] = 0;
        key_destructors[key] = NULL;
    }
    __ouro_end();
    return known ? 0 : EINVAL_;
}

int pthread_setspecific(unsigned key, const void *value) {
    if (key >= KEYS)
        return EINVAL_;
    __ouro_begin(0);
    key_values[__ouro_self()][key] = (void *)value;
    __ouro_end();
    return 0;
}

void *pthread_getspecific(unsigned key) {
    if (key >= KEYS)
        return NULL;
    __ouro_begin(0);
    void *value = key_values[__ouro_self()][key];
    __ouro_end();
    return value;
}
#else
int pthread_setspecific(unsigned key, const void *value) { return 0; }
void *pthread_getspecific(unsigned key) { return NULL; }
#endif

int sched_yield(void) { return 0; }
int pthread_yield(void) { return 0; }
#ifdef OURO_CANCEL
static void pause_here(void) { pthread_testcancel(); }
#else
static void pause_here(void) {}
#endif
unsigned sleep(unsigned seconds) { pause_here(); return 0; }
int usleep(unsigned microseconds) { pause_here(); return 0; }
int nanosleep(const void *request, void *remaining) { pause_here(); return 0; }
int clock_nanosleep(int clock, int flags, const void *request, void *remaining) { pause_here(); return 0; }
