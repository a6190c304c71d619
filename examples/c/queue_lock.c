/* The lock of Mellor-Crummey and Scott: threads queue up, each waits on a flag of its own. Who unlocks must wait for a
 * successor that has drawn its place, but has not said so yet; who just leaves lets it wait for ever.
 *
 * topic: mutual exclusion
 * check:
 * expect: holds
 * check: -D LEAVES=1
 * expect: violated assertions
 * check: --ltl "F done == 2" --fairness weak
 * expect: holds
 * states: 204  transitions: 359  deadlocks: 1
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct place {
    _Atomic(struct place *) next;
    atomic_int waits;
};

_Atomic(struct place *) last;
int inside;
atomic_int done;

static void lock(struct place *mine) {
    atomic_store(&mine->next, NULL);
    atomic_store(&mine->waits, 1);
    struct place *before = atomic_exchange(&last, mine);
    if (before) {
        atomic_store(&before->next, mine);
        while (atomic_load(&mine->waits))
            ;
    }
}

static void unlock(struct place *mine) {
    struct place *next = atomic_load(&mine->next);
    if (!next) {
        struct place *expected = mine;
        if (atomic_compare_exchange_strong(&last, &expected, NULL))
            return;
#ifdef LEAVES
        return;
#endif
        while (!(next = atomic_load(&mine->next)))
            ;
    }
    atomic_store(&next->waits, 0);
}

static void *worker(void *argument) {
    struct place mine;
    lock(&mine);
    inside++;
    assert(inside == 1);
    inside--;
    unlock(&mine);
    atomic_fetch_add(&done, 1);
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
