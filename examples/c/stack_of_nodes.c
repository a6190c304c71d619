/* A Treiber stack: push and pop swap the top with one compare-and-swap. Who frees a node as soon as it has popped it
 * frees what another thread, in the middle of its own pop, still reads.
 *
 * topic: concurrent data structures
 * check:
 * expect: holds
 * check: -D FREES=1
 * expect: violated assertions
 * states: 89  transitions: 139  deadlocks: 1
 */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

_Atomic(struct node *) top;
atomic_int taken;

static void push(struct node *node) {
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &node->next, node))
        ;
}

static struct node *pop(void) {
    struct node *node = atomic_load(&top);
    while (node && !atomic_compare_exchange_strong(&top, &node, node->next))
        ;
    return node;
}

static struct node *new_node(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    return node;
}

static void *worker(void *argument) {
    struct node *node = pop();
    atomic_fetch_add(&taken, node->value);
#ifdef FREES
    free(node);
#endif
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    push(new_node(1));
    push(new_node(2));
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(taken == 3);
    assert(!top);
    return 0;
}
