/* A sequence lock: the writer makes a counter odd while it writes, readers start again if the counter was odd or has
 * changed. A reader that does not look a second time may see half of a write.
 *
 * topic: concurrent data structures
 * check:
 * expect: holds
 * check: -D LOOKS_ONCE=1
 * expect: violated assertions
 * states: 191  transitions: 337  deadlocks: 1
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint sequence;
atomic_int left, right;

static void *writer(void *argument) {
    for (int value = 1; value <= 2; value++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&left, value);
        atomic_store(&right, value);
        atomic_fetch_add(&sequence, 1);
    }
    return NULL;
}

static void *reader(void *argument) {
    int one, other;
    unsigned before;
    do {
        before = atomic_load(&sequence);
        one = atomic_load(&left);
        other = atomic_load(&right);
#ifdef LOOKS_ONCE
    } while (before % 2);
#else
    } while (before % 2 || atomic_load(&sequence) != before);
#endif
    assert(one == other);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
