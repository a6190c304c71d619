/* Choices of several values, of one, and of none. */
extern int __VERIFIER_nondet_int(void);
int __divine_choice(int ways, ...);

int chosen;

int main(void) {
    int ways = __divine_choice(4);
    chosen = 10 * ways;
    chosen += __divine_choice(ways);
    return chosen;
}
