/* What libc++ and the C++ runtime keep in libraries: threads, locks, guards of static variables. */
#include "primitives.h"

/* std::thread */
void _ZNSt3__16thread4joinEv(pthread_t *thread) { pthread_join(*thread, NULL); *thread = 0; }
void _ZNSt3__16thread6detachEv(pthread_t *thread) { pthread_detach(*thread); *thread = 0; }
void _ZNSt3__16threadD1Ev(pthread_t *thread) {
    if (*thread)
        __ouro_fail(FAIL_ABORT, "a thread is destroyed that was neither joined nor detached");
}
void _ZNSt3__16threadD2Ev(pthread_t *thread) { _ZNSt3__16threadD1Ev(thread); }
unsigned _ZNSt3__16thread20hardware_concurrencyEv(void) { return 2; }
void _ZNSt3__115__thread_structC1Ev(void *data) {}
void _ZNSt3__115__thread_structD1Ev(void *data) {}
static unsigned thread_data_key;
void *_ZNSt3__119__thread_local_dataEv(void) { return &thread_data_key; }
void _ZNSt3__111this_thread9sleep_forERKNS_6chrono8durationIxNS_5ratioILl1ELl1000000000EEEEE(const void *time) {}

/* std::mutex, std::recursive_mutex */
void _ZNSt3__15mutex4lockEv(void *mutex) { pthread_mutex_lock(mutex); }
_Bool _ZNSt3__15mutex8try_lockEv(void *mutex) { return pthread_mutex_trylock(mutex) == 0; }
void _ZNSt3__15mutex6unlockEv(void *mutex) { pthread_mutex_unlock(mutex); }
void _ZNSt3__15mutexD1Ev(void *mutex) { pthread_mutex_destroy(mutex); }
void _ZNSt3__15mutexD2Ev(void *mutex) { pthread_mutex_destroy(mutex); }
void _ZNSt3__115recursive_mutexC1Ev(int *mutex) { mutex[0] = mutex[1] = mutex[3] = 0; mutex[4] = 1; }
void _ZNSt3__115recursive_mutex4lockEv(void *mutex) { pthread_mutex_lock(mutex); }
_Bool _ZNSt3__115recursive_mutex8try_lockEv(void *mutex) { return pthread_mutex_trylock(mutex) == 0; }
void _ZNSt3__115recursive_mutex6unlockEv(void *mutex) { pthread_mutex_unlock(mutex); }
void _ZNSt3__115recursive_mutexD1Ev(void *mutex) { pthread_mutex_destroy(mutex); }

/* std::condition_variable */
struct unique_lock {
    void *mutex;
    _Bool owns;
};
void _ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE(void *condition, struct unique_lock *lock) {
    pthread_cond_wait(condition, lock->mutex);
}
void _ZNSt3__118condition_variable15__do_timed_waitERNS_11unique_lockINS_5mutexEEENS_6chrono10time_pointINS5_12system_clockENS5_8durationIxNS_5ratioILl1ELl1000000000EEEEEEE(
    void *condition, struct unique_lock *lock, long until) {
    pthread_cond_timedwait(condition, lock->mutex, NULL);
}
void _ZNSt3__118condition_variable10notify_oneEv(void *condition) { pthread_cond_signal(condition); }
void _ZNSt3__118condition_variable10notify_allEv(void *condition) { pthread_cond_broadcast(condition); }
void _ZNSt3__118condition_variableD1Ev(void *condition) {}

/* std::call_once, and variables of functions that are initialised when they are first met */
void _ZNSt3__111__call_onceERVmPvPFvS2_E(unsigned long *flag, void *argument, void (*function)(void *)) {
    __ouro_begin(1);
    if (*flag == 1)
        __ouro_blocked(flag, ON_ONCE);
    int done = *flag != 0;
    if (!done)
        *flag = 1;
    __ouro_end();
    if (done)
        return;
    function(argument);
    __ouro_begin(0);
    *flag = ~0UL;
    __ouro_end();
}
int __cxa_guard_acquire(unsigned char *guard) {
    __ouro_begin(1);
    if (guard[1])
        __ouro_blocked(guard, ON_ONCE);
    int first = !guard[0];
    if (first)
        guard[1] = 1;
    __ouro_end();
    return first;
}
void __cxa_guard_release(unsigned char *guard) {
    __ouro_begin(0);
    guard[0] = 1;
    guard[1] = 0;
    __ouro_end();
}
void __cxa_guard_abort(unsigned char *guard) {
    __ouro_begin(0);
    guard[1] = 0;
    __ouro_end();
}

_Noreturn void _ZSt9terminatev(void) { __ouro_fail(FAIL_EXCEPTION, "std::terminate"); }
_Noreturn void __cxa_pure_virtual(void) { __ouro_fail(FAIL_ABORT, "a pure virtual function is called"); }
_Noreturn void _ZNSt3__122__libcpp_verbose_abortEPKcz(const char *format, ...) { __ouro_fail(FAIL_ABORT, "libc++ aborts"); }
_Noreturn void _ZNSt3__120__throw_system_errorEiPKc(int code, const char *what) {
    __ouro_fail(FAIL_EXCEPTION, "std::system_error");
}
