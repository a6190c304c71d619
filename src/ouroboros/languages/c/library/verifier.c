/* Nondeterminism, assumptions and atomic sections, by the names of verification competitions and of other checkers. */
#include "primitives.h"

#define NONDETERMINATE(name, type, low, high) \
    type __VERIFIER_nondet_##name(void) { return (type)__ouro_choose(low, high, "__VERIFIER_nondet_" #name); }

NONDETERMINATE(bool, _Bool, 0, 1)
NONDETERMINATE(char, char, -128, 127)
NONDETERMINATE(schar, signed char, -128, 127)
NONDETERMINATE(uchar, unsigned char, 0, 255)
NONDETERMINATE(short, short, -32768, 32767)
NONDETERMINATE(ushort, unsigned short, 0, 65535)
NONDETERMINATE(int, int, -2147483647L - 1, 2147483647L)
NONDETERMINATE(uint, unsigned, 0, 4294967295L)
NONDETERMINATE(unsigned, unsigned, 0, 4294967295L)
NONDETERMINATE(u32, unsigned, 0, 4294967295L)
NONDETERMINATE(size_t, unsigned long, 0, 9223372036854775807L)
NONDETERMINATE(long, long, -9223372036854775807L - 1, 9223372036854775807L)
NONDETERMINATE(ulong, unsigned long, 0, 9223372036854775807L)
NONDETERMINATE(longlong, long long, -9223372036854775807L - 1, 9223372036854775807L)
NONDETERMINATE(ulonglong, unsigned long long, 0, 9223372036854775807L)

void __VERIFIER_assume(int condition) {
    if (!condition)
        __ouro_drop();
}
void __VERIFIER_assert(int condition) {
    if (!condition)
        __ouro_fail(FAIL_ASSERTION, "__VERIFIER_assert");
}
_Noreturn void __VERIFIER_error(void) { __ouro_fail(FAIL_ERROR_FUNCTION, "__VERIFIER_error"); }
_Noreturn void reach_error(void) { __ouro_fail(FAIL_ERROR_FUNCTION, "reach_error"); }
void __VERIFIER_atomic_begin(void) { __ouro_begin(1); }
void __VERIFIER_atomic_end(void) { __ouro_end(); }

int __divine_choice(int ways, ...) { return (int)__ouro_choose(0, ways - 1, "__divine_choice"); }
int __vm_choose(int ways, ...) { return (int)__ouro_choose(0, ways - 1, "__vm_choose"); }
void __divine_interrupt_mask(void) { __ouro_begin(1); }
void __divine_interrupt_unmask(void) { __ouro_end(); }
void __divine_interrupt(void) {}
void __divine_assert(int condition) {
    if (!condition)
        __ouro_fail(FAIL_ASSERTION, "__divine_assert");
}
void __divine_problem(int kind, const char *text) { __ouro_fail(FAIL_ASSERTION, "__divine_problem"); }

_Noreturn void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
    __ouro_fail(FAIL_ASSERTION, expression);
}
_Noreturn void __assert(const char *expression, const char *file, int line) { __ouro_fail(FAIL_ASSERTION, expression); }
_Noreturn void abort(void) { __ouro_fail(FAIL_ABORT, "abort"); }
_Noreturn void exit(int code) { __ouro_exit(code); }
_Noreturn void _exit(int code) { __ouro_exit(code); }
_Noreturn void _Exit(int code) { __ouro_exit(code); }
_Noreturn void quick_exit(int code) { __ouro_exit(code); }
int atexit(void (*function)(void)) { return 0; }
int __cxa_atexit(void (*function)(void *), void *argument, void *module) { return 0; }
