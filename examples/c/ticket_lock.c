/* A ticket lock: draw a number, wait until it is called. The drawing must be one step; as a read and a write, two
 * threads hold the same number.
 *
 * topic: mutual exclusion
 * check:
 * expect: holds
 * check: -D TORN=1
 * expect: violated assertions
 * states: 186  transitions: 333  deadlocks: 1
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next_ticket, called;
int inside;

static void lock(void) {
#ifdef TORN
    unsigned mine = atomic_load(&next_ticket);
    atomic_store(&next_ticket, mine + 1);
#else
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
#endif
    while (atomic_load(&called) != mine)
        ;
}

static void unlock(void) {
    atomic_fetch_add(&called, 1);
}

static void *worker(void *argument) {
    for (int round = 0; round < 2; round++) {
        lock();
        inside++;
        assert(inside == 1);
        inside--;
        unlock();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
