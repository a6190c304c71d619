#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <assert.h>
struct node { int v; struct node *next; };
_Atomic(struct node *) top; atomic_int popped;
void push(int v) { struct node *n = malloc(sizeof *n); n->v = v; n->next = atomic_load(&top); while (!atomic_compare_exchange_weak(&top, &n->next, n)); }
int pop(void) { struct node *n = atomic_load(&top); while (n && !atomic_compare_exchange_weak(&top, &n, n->next)); if (!n) return 0; int v = n->v; return v; }
void *worker(void *a) { push((long)a); atomic_fetch_add(&popped, pop()); return 0; }
int main() { pthread_t t[2]; for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, (void *)(i + 1)); for (int i = 0; i < 2; i++) pthread_join(t[i], 0); assert(popped == 3); return 0; }
