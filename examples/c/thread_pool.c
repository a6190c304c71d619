/* A pool of two threads that take tasks from a queue until it is closed. Who closes it must wake all who wait: a signal
 * wakes one, and the other sleeps for ever.
 *
 * topic: synchronisation
 * check:
 * expect: holds
 * check: -D SIGNALS=1
 * expect: violated end-states
 * states: 542  transitions: 618  deadlocks: 1
 */

#include <assert.h>
#include <pthread.h>

#define TASKS 2

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int queue[TASKS], first, last, closed, done;

static void submit(int task) {
    pthread_mutex_lock(&lock);
    queue[last++] = task;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (first == last && !closed)
            pthread_cond_wait(&changed, &lock);
        if (first == last) {
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        done += queue[first++];
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int task = 1; task <= TASKS; task++)
        submit(task);
    pthread_mutex_lock(&lock);
    closed = 1;
#ifdef SIGNALS
    pthread_cond_signal(&changed);
#else
    pthread_cond_broadcast(&changed);
#endif
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(done == TASKS * (TASKS + 1) / 2);
    return 0;
}
