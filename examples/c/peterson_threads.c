/* Peterson's algorithm as a C programmer writes it: two threads, an array of flags, and a turn. Every order of the
 * reads and writes of both threads is tried. Whoever forgets to give way lets both in.
 *
 * topic: mutual exclusion
 * check:
 * expect: holds
 * check: -D FORGETS_TURN=1
 * expect: violated assertions
 * check: --ltl "G (flag[0] == 1 -> F flag[0] == 0)" --fairness weak
 * expect: holds
 * states: 115  transitions: 198  deadlocks: 2
 */

#include <assert.h>
#include <pthread.h>

int flag[2], turn, inside;

static void lock(int me) {
    flag[me] = 1;
#ifndef FORGETS_TURN
    turn = 1 - me;
#endif
    while (flag[1 - me] && turn == 1 - me)
        ;
}

static void unlock(int me) {
    flag[me] = 0;
}

static void *worker(void *argument) {
    int me = (int)(long)argument;
    lock(me);
    inside++;
    assert(inside == 1);
    inside--;
    unlock(me);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
