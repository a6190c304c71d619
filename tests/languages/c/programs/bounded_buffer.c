#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int buffer[2], count, in, out, sum;

void *producer(void *argument) {
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&mutex);
        while (count == 2)
            pthread_cond_wait(&changed, &mutex);
        buffer[in] = i;
        in = (in + 1) % 2;
        count++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

void *consumer(void *argument) {
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&mutex);
        while (count == 0)
            pthread_cond_wait(&changed, &mutex);
        sum += buffer[out];
        out = (out + 1) % 2;
        count--;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, producer, 0);
    pthread_create(&other, 0, consumer, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(sum == 6);
    return 0;
}
