/* Assumptions after what others notice, after what they do not, inside of atomic sections, and in threads that begin. */
#include <pthread.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y;

void *run(void *p) {
    __VERIFIER_assume((long)p != 3);
    int n = __VERIFIER_nondet_bool();
    x += 1;
    __VERIFIER_assume(n);
    __VERIFIER_atomic_begin();
    y = __VERIFIER_nondet_bool();
    __VERIFIER_assume(y);
    __VERIFIER_atomic_end();
    __VERIFIER_assume(x == y);
    return 0;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, run, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return x;
}
