/* A lock that many readers share, or one writer has for itself, from a mutex and two condition variables. A writer that
 * looks at readers only, and not at other writers, is not alone.
 *
 * topic: mutual exclusion
 * check:
 * expect: holds
 * check: -D OVERLOOKS=1
 * expect: violated assertions
 * states: 718  transitions: 1193  deadlocks: 1
 */

#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t free_again = PTHREAD_COND_INITIALIZER;
int readers, writers, writing;

static void read_lock(void) {
    pthread_mutex_lock(&mutex);
    while (writers)
        pthread_cond_wait(&free_again, &mutex);
    readers++;
    pthread_mutex_unlock(&mutex);
}

static void read_unlock(void) {
    pthread_mutex_lock(&mutex);
    if (--readers == 0)
        pthread_cond_broadcast(&free_again);
    pthread_mutex_unlock(&mutex);
}

static void write_lock(void) {
    pthread_mutex_lock(&mutex);
#ifdef OVERLOOKS
    while (readers)
#else
    while (readers || writers)
#endif
        pthread_cond_wait(&free_again, &mutex);
    writers++;
    pthread_mutex_unlock(&mutex);
}

static void write_unlock(void) {
    pthread_mutex_lock(&mutex);
    writers--;
    pthread_cond_broadcast(&free_again);
    pthread_mutex_unlock(&mutex);
}

static void *reader(void *argument) {
    read_lock();
    assert(!writing);
    read_unlock();
    return NULL;
}

static void *writer(void *argument) {
    write_lock();
    assert(!writing);
    writing = 1;
    writing = 0;
    write_unlock();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
