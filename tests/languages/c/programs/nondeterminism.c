extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void); extern void __VERIFIER_assume(int); extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void); void reach_error(void) { __builtin_trap(); }
extern unsigned char __VERIFIER_nondet_uchar(void);
int a;
int main() { unsigned char c = __VERIFIER_nondet_uchar(); __VERIFIER_assume(c < 20); int *p = c > 10 ? &a : 0; a = c; if (c == 15) *p = 3; _Bool b = __VERIFIER_nondet_bool(); __VERIFIER_atomic_begin(); a++; a += b; __VERIFIER_atomic_end(); if (a == 5) { int arr[3] = {0}; arr[a] = 3; } if (a == 18) reach_error(); int z = a - 7; return 100 / z; }
