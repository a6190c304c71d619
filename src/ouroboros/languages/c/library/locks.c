/* Mutexes, condition variables, read-write locks, barriers, spin locks and semaphores. */
#include "primitives.h"

/* In the bytes of the type of the C library, for 64 and for 32 bits: those that its static initialisers set are in kind. */
struct mutex {
    int owner, count, unused, kind32, kind64;
};
enum { RECURSIVE = 1, ERRORCHECK = 2 };

static int kind_of(const struct mutex *mutex) { return (mutex->kind64 | mutex->kind32) & 3; }

int pthread_mutexattr_init(int *attributes) { *attributes = 0; return 0; }
int pthread_mutexattr_destroy(int *attributes) { return 0; }
int pthread_mutexattr_settype(int *attributes, int kind) { *attributes = kind; return 0; }
int pthread_mutexattr_gettype(const int *attributes, int *kind) { *kind = *attributes; return 0; }
int pthread_mutexattr_getpshared(const int *attributes, int *shared) { *shared = 0; return 0; }
int pthread_mutexattr_getprotocol(const int *attributes, int *protocol) { *protocol = 0; return 0; }
int pthread_mutexattr_getrobust(const int *attributes, int *robust) { *robust = 0; return 0; }
int pthread_mutexattr_setprioceiling(int *attributes, int ceiling) { return 0; }
int pthread_mutex_consistent(void *mutex) { return EINVAL_; }
int pthread_mutexattr_setpshared(int *attributes, int shared) { return 0; }
int pthread_mutexattr_setprotocol(int *attributes, int protocol) { return 0; }
int pthread_mutexattr_setrobust(int *attributes, int robust) { return 0; }

int pthread_mutex_init(struct mutex *mutex, const int *attributes) {
    int kind = attributes ? *attributes : 0;
    __ouro_begin(1);
    mutex->owner = 0;
    mutex->count = 0;
    mutex->kind32 = 0;
    mutex->kind64 = kind;
    __ouro_end();
    return 0;
}

int pthread_mutex_destroy(struct mutex *mutex) {
    __ouro_begin(1);
    int owner = mutex->owner;
    if (owner == 0)
        mutex->owner = -1;
    __ouro_end();
    return owner > 0 ? EBUSY_ : 0;
}

enum { WAIT, TRY, TIMED };

static int lock(struct mutex *mutex, int how) {
    int late = __ouro_begin(how == TIMED ? 2 : 1);
    int self = __ouro_self() + 1, owner = mutex->owner;
    if (owner == -1)
        __ouro_fail(FAIL_LOCKS, "a mutex is locked that was destroyed");
    if (owner == 0) {
        if (late)
            __ouro_blocked(mutex, ON_MUTEX);
        mutex->owner = self;
        __ouro_end();
        return 0;
    }
    int kind = kind_of(mutex), code = EBUSY_;
    if (owner == self && kind == RECURSIVE && !late) {
        mutex->count++;
        code = 0;
    } else if (owner == self && kind == ERRORCHECK && how != TRY && !late)
        code = EDEADLK_;
    else if (late)
        code = ETIMEDOUT_;
    else if (how != TRY)
        __ouro_blocked(mutex, ON_MUTEX);
    __ouro_end();
    return code;
}

int pthread_mutex_lock(struct mutex *mutex) { return lock(mutex, WAIT); }
int pthread_mutex_trylock(struct mutex *mutex) { return lock(mutex, TRY); }
int pthread_mutex_clocklock(struct mutex *mutex, int clock, const void *until) { return lock(mutex, TIMED); }
int pthread_mutex_timedlock(struct mutex *mutex, const void *until) { return lock(mutex, TIMED); }

static int release(struct mutex *mutex) {
    int kind = kind_of(mutex);
    if (mutex->owner == -1)
        __ouro_fail(FAIL_LOCKS, "a mutex is unlocked that was destroyed");
    if ((kind == RECURSIVE || kind == ERRORCHECK) && mutex->owner != __ouro_self() + 1)
        return EPERM_;
    if (kind == RECURSIVE && mutex->count)
        mutex->count--;
    else
        mutex->owner = 0;
    return 0;
}

int pthread_mutex_unlock(struct mutex *mutex) {
    __ouro_begin(1);
    int code = release(mutex);
    __ouro_end();
    return code;
}

int pthread_condattr_init(int *attributes) { *attributes = 0; return 0; }
int pthread_condattr_destroy(int *attributes) { return 0; }
int pthread_condattr_setclock(int *attributes, int clock) { return 0; }
int pthread_condattr_setpshared(int *attributes, int shared) { return 0; }
int pthread_cond_init(void *condition, const void *attributes) { return 0; }
int pthread_cond_destroy(void *condition) { return 0; }

int __ouro_cancelled(void);
_Noreturn void __ouro_finish(void *result);

static int wait(void *condition, struct mutex *mutex, int ways) {
    __ouro_begin(1);
    int self = __ouro_self(), count = mutex->count, code = release(mutex);
    if (code) {
        __ouro_end();
        return code;
    }
    mutex->owner = 0;
    mutex->count = 0;
    __ouro_waiting[self] = condition;
    __ouro_end();
    int late = __ouro_begin(ways);
    if (__ouro_cancelled()) {
        if (late || mutex->owner)
            __ouro_blocked(mutex, ON_MUTEX);
        __ouro_waiting[self] = NULL;
        mutex->owner = self + 1;
        mutex->count = count;
        __ouro_end();
        __ouro_finish((void *)-1);
    }
    if (late) {
        if (!__ouro_waiting[self])
            __ouro_blocked(condition, ON_CONDITION);
        __ouro_waiting[self] = NULL;
    } else if (__ouro_waiting[self])
        __ouro_blocked(condition, ON_CONDITION);
    if (mutex->owner)
        __ouro_blocked(mutex, ON_MUTEX);
    mutex->owner = self + 1;
    mutex->count = count;
    __ouro_end();
    return late;
}

#ifdef OURO_SPURIOUS
int pthread_cond_wait(void *condition, struct mutex *mutex) { int code = wait(condition, mutex, 2); return code == 1 ? 0 : code; }
#else
int pthread_cond_wait(void *condition, struct mutex *mutex) { return wait(condition, mutex, 1); }
#endif
int pthread_cond_timedwait(void *condition, struct mutex *mutex, const void *until) {
    return wait(condition, mutex, 2) ? ETIMEDOUT_ : 0;
}
int pthread_cond_clockwait(void *condition, struct mutex *mutex, int clock, const void *until) {
    return wait(condition, mutex, 2) ? ETIMEDOUT_ : 0;
}

int pthread_cond_signal(void *condition) {
    int slot = __ouro_begin(OURO_THREADS);
    if (__ouro_waiting[slot] == condition) {
        __ouro_waiting[slot] = NULL;
    } else {
        int nobody = slot == 0;
        for (int other = 1; other < OURO_THREADS; other++)
            nobody &= __ouro_waiting[other] != condition;
        if (!nobody)
            __ouro_blocked(condition, ON_OTHER);
    }
    __ouro_end();
    return 0;
}

int pthread_cond_broadcast(void *condition) {
    __ouro_begin(1);
    for (int slot = 0; slot < OURO_THREADS; slot++)
        if (__ouro_waiting[slot] == condition)
            __ouro_waiting[slot] = NULL;
    __ouro_end();
    return 0;
}

struct rwlock {
    int writer, readers;
};

int pthread_rwlockattr_init(int *attributes) { *attributes = 0; return 0; }
int pthread_rwlockattr_destroy(int *attributes) { return 0; }
int pthread_rwlock_init(struct rwlock *lock, const void *attributes) {
    __ouro_begin(1);
    lock->writer = 0;
    lock->readers = 0;
    __ouro_end();
    return 0;
}
int pthread_rwlock_destroy(struct rwlock *lock) { return lock->writer || lock->readers ? EBUSY_ : 0; }

static int read_lock(struct rwlock *lock, int wait, int ways) {
    if (__ouro_begin(ways)) {
        if (!lock->writer)
            __ouro_blocked(lock, ON_RWLOCK);
        __ouro_end();
        return ETIMEDOUT_;
    }
    if (lock->writer) {
        if (wait && lock->writer == __ouro_self() + 1) {
            __ouro_end();
            return EDEADLK_;
        }
        if (wait)
            __ouro_blocked(lock, ON_RWLOCK);
        __ouro_end();
        return EBUSY_;
    }
    lock->readers++;
    __ouro_end();
    return 0;
}

static int write_lock(struct rwlock *lock, int wait, int ways) {
    if (__ouro_begin(ways)) {
        if (!lock->writer && !lock->readers)
            __ouro_blocked(lock, ON_RWLOCK);
        __ouro_end();
        return ETIMEDOUT_;
    }
    if (lock->writer || lock->readers) {
        if (wait && lock->writer == __ouro_self() + 1) {
            __ouro_end();
            return EDEADLK_;
        }
        if (wait)
            __ouro_blocked(lock, ON_RWLOCK);
        __ouro_end();
        return EBUSY_;
    }
    lock->writer = __ouro_self() + 1;
    __ouro_end();
    return 0;
}

int pthread_rwlock_rdlock(struct rwlock *lock) { return read_lock(lock, 1, 1); }
int pthread_rwlock_tryrdlock(struct rwlock *lock) { return read_lock(lock, 0, 1); }
int pthread_rwlock_timedrdlock(struct rwlock *lock, const void *until) { return read_lock(lock, 1, 2); }
int pthread_rwlock_clockrdlock(struct rwlock *lock, int clock, const void *until) { return read_lock(lock, 1, 2); }
int pthread_rwlock_wrlock(struct rwlock *lock) { return write_lock(lock, 1, 1); }
int pthread_rwlock_trywrlock(struct rwlock *lock) { return write_lock(lock, 0, 1); }
int pthread_rwlock_timedwrlock(struct rwlock *lock, const void *until) { return write_lock(lock, 1, 2); }
int pthread_rwlock_clockwrlock(struct rwlock *lock, int clock, const void *until) { return write_lock(lock, 1, 2); }
int pthread_rwlockattr_setpshared(int *attributes, int shared) { return 0; }
int pthread_rwlockattr_getpshared(const int *attributes, int *shared) { *shared = 0; return 0; }
int pthread_rwlockattr_setkind_np(int *attributes, int kind) { return 0; }
int pthread_barrierattr_setpshared(int *attributes, int shared) { return 0; }

int pthread_rwlock_unlock(struct rwlock *lock) {
    __ouro_begin(1);
    if (lock->writer == __ouro_self() + 1)
        lock->writer = 0;
    else if (lock->readers)
        lock->readers--;
    else
        __ouro_fail(FAIL_LOCKS, "a read-write lock is unlocked that this thread does not hold");
    __ouro_end();
    return 0;
}

struct barrier {
    int count, arrived;
};

int pthread_barrierattr_init(int *attributes) { *attributes = 0; return 0; }
int pthread_barrierattr_destroy(int *attributes) { return 0; }
int pthread_barrier_init(struct barrier *barrier, const void *attributes, unsigned count) {
    if (count == 0)
        return EINVAL_;
    __ouro_begin(1);
    barrier->count = count;
    barrier->arrived = 0;
    __ouro_end();
    return 0;
}
int pthread_barrier_destroy(struct barrier *barrier) { return 0; }

int pthread_barrier_wait(struct barrier *barrier) {
    __ouro_begin(1);
    int self = __ouro_self();
    if (++barrier->arrived >= barrier->count) {
        barrier->arrived = 0;
        for (int slot = 0; slot < OURO_THREADS; slot++)
            if (__ouro_waiting[slot] == barrier)
                __ouro_waiting[slot] = NULL;
        __ouro_end();
        return -1;
    }
    __ouro_waiting[self] = barrier;
    __ouro_end();
    __ouro_begin(1);
    if (__ouro_waiting[self])
        __ouro_blocked(barrier, ON_BARRIER);
    __ouro_end();
    return 0;
}

int pthread_spin_init(int *lock, int shared) { __ouro_begin(1); *lock = 0; __ouro_end(); return 0; }
int pthread_spin_destroy(int *lock) { return 0; }
int pthread_spin_lock(int *lock) {
    __ouro_begin(1);
    if (*lock)
        __ouro_blocked(lock, ON_SPIN);
    *lock = __ouro_self() + 1;
    __ouro_end();
    return 0;
}
int pthread_spin_trylock(int *lock) {
    __ouro_begin(1);
    int taken = *lock;
    if (!taken)
        *lock = __ouro_self() + 1;
    __ouro_end();
    return taken ? EBUSY_ : 0;
}
int pthread_spin_unlock(int *lock) { __ouro_begin(1); *lock = 0; __ouro_end(); return 0; }

int *__errno_location(void) {
    static _Thread_local int number;
    return &number;
}

int sem_init(unsigned *semaphore, int shared, unsigned value) {
    if (value > 2147483647) {
        *__errno_location() = EINVAL_;
        return -1;
    }
    __ouro_begin(1);
    *semaphore = value;
    __ouro_end();
    return 0;
}
int sem_destroy(unsigned *semaphore) { return 0; }
int sem_post(unsigned *semaphore) {
    __ouro_begin(1);
    int full = *semaphore == 2147483647;
    if (full)
        *__errno_location() = 75;
    else
        ++*semaphore;
    __ouro_end();
    return -full;
}
int sem_getvalue(const unsigned *semaphore, int *value) { *value = *semaphore; return 0; }
int sem_wait(unsigned *semaphore) {
    __ouro_begin(1);
    if (__ouro_cancelled()) {
        __ouro_end();
        __ouro_finish((void *)-1);
    }
    if (!*semaphore)
        __ouro_blocked(semaphore, ON_SEMAPHORE);
    --*semaphore;
    __ouro_end();
    return 0;
}
int sem_trywait(unsigned *semaphore) {
    __ouro_begin(1);
    int none = !*semaphore;
    if (!none)
        --*semaphore;
    else
        *__errno_location() = EAGAIN_;
    __ouro_end();
    return -none;
}
int sem_timedwait(unsigned *semaphore, const void *until) {
    int late = __ouro_begin(2);
    if (late == !*semaphore ? 0 : 1)
        __ouro_blocked(semaphore, ON_SEMAPHORE);
    if (late)
        *__errno_location() = ETIMEDOUT_;
    else
        --*semaphore;
    __ouro_end();
    return -late;
}
int sem_clockwait(unsigned *semaphore, int clock, const void *until) { return sem_timedwait(semaphore, until); }
