#include <semaphore.h>
#include <pthread.h>
#include <assert.h>
sem_t s; int n; pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER; pthread_barrier_t b; __thread int mine = 3; int total;
void *w(void *a) { sem_wait(&s); n++; assert(n == 1); n--; sem_post(&s); pthread_barrier_wait(&b); pthread_rwlock_rdlock(&rw); int t = total; pthread_rwlock_unlock(&rw); pthread_rwlock_wrlock(&rw); total += mine; pthread_rwlock_unlock(&rw); mine++; return (void*)(long)mine; }
int main() { sem_init(&s, 0, 1); pthread_barrier_init(&b, 0, 2); pthread_t t[2]; void *r; for (int i = 0; i < 2; i++) pthread_create(t + i, 0, w, 0); for (int i = 0; i < 2; i++) { pthread_join(t[i], &r); assert((long)r == 4); } assert(total == 6); return 0; }
