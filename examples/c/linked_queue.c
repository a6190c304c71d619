/* The queue of Michael and Scott: a list whose first node is a dummy, a tail that may lag behind. Who links a node
 * without looking whether the tail is still the last one loses what another thread has linked.
 *
 * topic: concurrent data structures
 * check:
 * expect: holds
 * check: -D BLIND=1
 * expect: violated assertions
 * states: 658  transitions: 1479  deadlocks: 2
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

_Atomic(struct node *) head, tail;

static struct node *new_node(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_store(&node->next, NULL);
    return node;
}

static void enqueue(int value) {
    struct node *node = new_node(value);
    for (;;) {
        struct node *end = atomic_load(&tail), *next = atomic_load(&end->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &end, next);
            continue;
        }
#ifdef BLIND
        atomic_store(&end->next, node);
#else
        if (!atomic_compare_exchange_strong(&end->next, &next, node))
            continue;
#endif
        atomic_compare_exchange_strong(&tail, &end, node);
        return;
    }
}

static int dequeue(void) {
    for (;;) {
        struct node *first = atomic_load(&head), *end = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (!next)
            return 0;
        if (first == end)
            atomic_compare_exchange_strong(&tail, &end, next);
        else if (atomic_compare_exchange_strong(&head, &first, next))
            return next->value;
    }
}

static void *worker(void *argument) {
    enqueue((int)(long)argument);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct node *dummy = new_node(0);
    atomic_store(&head, dummy);
    atomic_store(&tail, dummy);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
    int early = dequeue();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(early + dequeue() + dequeue() == 3);
    return 0;
}
