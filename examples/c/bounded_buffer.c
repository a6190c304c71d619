/* A buffer with room for one: two producers and a consumer with a mutex and a condition variable. One signal wakes one
 * thread, and that may be one that has nothing to do with it: then all of them sleep.
 *
 * topic: synchronisation
 * check:
 * expect: holds
 * check: -D SIGNALS=1
 * expect: violated end-states
 * states: 14194  transitions: 27090  deadlocks: 10
 */

#include <assert.h>
#include <pthread.h>

#ifdef SIGNALS
#define WAKE pthread_cond_signal
#else
#define WAKE pthread_cond_broadcast
#endif

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int full, item, sum;

static void put(int value) {
    pthread_mutex_lock(&mutex);
    while (full)
        pthread_cond_wait(&changed, &mutex);
    item = value;
    full = 1;
    WAKE(&changed);
    pthread_mutex_unlock(&mutex);
}

static int take(void) {
    pthread_mutex_lock(&mutex);
    while (!full)
        pthread_cond_wait(&changed, &mutex);
    int value = item;
    full = 0;
    WAKE(&changed);
    pthread_mutex_unlock(&mutex);
    return value;
}

static void *producer(void *argument) {
    put((int)(long)argument);
    put((int)(long)argument);
    return NULL;
}

static void *consumer(void *argument) {
    sum += take();
    sum += take();
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, producer, (void *)1L);
    pthread_create(&threads[1], NULL, producer, (void *)2L);
    pthread_create(&threads[2], NULL, consumer, NULL);
    sum += take();
    sum += take();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(sum <= 6);
    return 0;
}
