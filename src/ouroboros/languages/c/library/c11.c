/* threads.h of C11, by what POSIX has. */
#include "primitives.h"

enum { SUCCESS, BUSY, ERROR, NO_MEMORY, TIMED_OUT };
static int code_of(int code) { return code == EBUSY_ ? BUSY : code == ETIMEDOUT_ ? TIMED_OUT : code ? ERROR : SUCCESS; }

void __ouro_run_c11(void *(*function)(void *), void *argument) {
    __ouro_finish((void *)(long)((int (*)(void *))(void *)function)(argument));
}
int thrd_create(pthread_t *id, int (*function)(void *), void *argument) {
    return code_of(start(id, 0, __ouro_run_c11, function, argument));
}
int thrd_join(pthread_t id, int *result) {
    void *found;
    int code = code_of(pthread_join(id, &found));
    if (result && code == SUCCESS)
        *result = (int)(long)found;
    return code;
}
int thrd_detach(pthread_t id) { return code_of(pthread_detach(id)); }
_Noreturn void thrd_exit(int result) { __ouro_finish((void *)(long)result); }
pthread_t thrd_current(void) { return pthread_self(); }
int thrd_equal(pthread_t one, pthread_t other) { return one == other; }
void thrd_yield(void) {}
int thrd_sleep(const void *duration, void *remaining) { return 0; }

int mtx_init(struct mutex *mutex, int kind) {
    int attributes = kind & 1 ? RECURSIVE : 0;
    return code_of(pthread_mutex_init(mutex, &attributes));
}
void mtx_destroy(struct mutex *mutex) { pthread_mutex_destroy(mutex); }
int mtx_lock(struct mutex *mutex) { return code_of(pthread_mutex_lock(mutex)); }
int mtx_trylock(struct mutex *mutex) { return code_of(pthread_mutex_trylock(mutex)); }
int mtx_timedlock(struct mutex *mutex, const void *until) { return code_of(pthread_mutex_timedlock(mutex, until)); }
int mtx_unlock(struct mutex *mutex) { return code_of(pthread_mutex_unlock(mutex)); }

int cnd_init(void *condition) { return SUCCESS; }
void cnd_destroy(void *condition) {}
int cnd_wait(void *condition, struct mutex *mutex) { return code_of(pthread_cond_wait(condition, mutex)); }
int cnd_timedwait(void *condition, struct mutex *mutex, const void *until) {
    return code_of(pthread_cond_timedwait(condition, mutex, until));
}
int cnd_signal(void *condition) { return code_of(pthread_cond_signal(condition)); }
int cnd_broadcast(void *condition) { return code_of(pthread_cond_broadcast(condition)); }

void call_once(int *control, void (*routine)(void)) { pthread_once(control, routine); }

#ifdef OURO_KEYS
int tss_create(unsigned *key, void (*destructor)(void *)) { return code_of(pthread_key_create(key, destructor)); }
void tss_delete(unsigned key) { pthread_key_delete(key); }
#endif
void *tss_get(unsigned key) { return pthread_getspecific(key); }
int tss_set(unsigned key, void *value) { return code_of(pthread_setspecific(key, value)); }
