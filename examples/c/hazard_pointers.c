/* A Treiber stack that frees its nodes: who is about to read a node says so in a hazard pointer, and looks once more
 * whether the node is still on top. Who pops a node leaves it where another thread has said that it may still read it.
 *
 * topic: concurrent data structures
 * check:
 * expect: holds
 * check: -D TRUSTS=1
 * expect: violated assertions
 * states: 283  transitions: 497  deadlocks: 1
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

_Atomic(struct node *) top, hazard[2];
atomic_int taken;

static void push(struct node *node) {
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &node->next, node))
        ;
}

static struct node *pop(int me) {
    for (;;) {
        struct node *node = atomic_load(&top);
        if (!node)
            return NULL;
        atomic_store(&hazard[me], node);
#ifndef TRUSTS
        if (atomic_load(&top) != node)
            continue;
#endif
        struct node *next = node->next;
        if (atomic_compare_exchange_strong(&top, &node, next))
            return node;
    }
}

static void *worker(void *argument) {
    int me = (int)(long)argument;
    struct node *node = pop(me);
    atomic_fetch_add(&taken, node->value);
    atomic_store(&hazard[me], NULL);
    if (atomic_load(&hazard[1 - me]) != node)
        free(node);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = i + 1;
        push(node);
    }
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(taken == 3);
    assert(!top);
    return 0;
}
