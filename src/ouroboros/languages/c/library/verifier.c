/* Nondeterminism, assumptions and atomic sections, by the names of verification competitions and of other checkers. */
#include "primitives.h"

/* Of unsigned types too: the same patterns. */
#define ALL_LONGS -9223372036854775807L - 1, 9223372036854775807L
#define NONDETERMINATE(name, type, ...) \
    type __VERIFIER_nondet_##name(void) { return (type)__ouro_choose(__VA_ARGS__, "__VERIFIER_nondet_" #name); } \
    type nondet_##name(void) { return (type)__ouro_choose(__VA_ARGS__, "nondet_" #name); }

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
NONDETERMINATE(S8, signed char, -128, 127)
NONDETERMINATE(U8, unsigned char, 0, 255)
NONDETERMINATE(S16, short, -32768, 32767)
NONDETERMINATE(U16, unsigned short, 0, 65535)
NONDETERMINATE(S32, int, -2147483647L - 1, 2147483647L)
NONDETERMINATE(U32, unsigned, 0, 4294967295L)
NONDETERMINATE(pchar, char *, ALL_LONGS)
NONDETERMINATE(pointer, void *, ALL_LONGS)
NONDETERMINATE(float, float, ALL_LONGS)
NONDETERMINATE(double, double, ALL_LONGS)
NONDETERMINATE(size_t, unsigned long, ALL_LONGS)
NONDETERMINATE(S64, long, ALL_LONGS)
NONDETERMINATE(U64, unsigned long, ALL_LONGS)
NONDETERMINATE(loff_t, long, ALL_LONGS)
NONDETERMINATE(pthread_t, unsigned long, ALL_LONGS)
NONDETERMINATE(long, long, ALL_LONGS)
NONDETERMINATE(ulong, unsigned long, ALL_LONGS)
NONDETERMINATE(longlong, long long, ALL_LONGS)
NONDETERMINATE(ulonglong, unsigned long long, ALL_LONGS)

void __VERIFIER_assume(int condition) {
    if (!condition)
        __ouro_drop();
}
void __VERIFIER_assert(int condition) {
    if (!condition)
        __ouro_fail(FAIL_ASSERTION, "__VERIFIER_assert");
}
/* Called only where a program has no header that makes it a macro. */
void assert(int condition) {
    if (!condition)
        __ouro_fail(FAIL_ASSERTION, "assert");
}
_Noreturn void __VERIFIER_error(void) { __ouro_fail(FAIL_ERROR_FUNCTION, "__VERIFIER_error"); }
_Noreturn void reach_error(void) { __ouro_fail(FAIL_ERROR_FUNCTION, "reach_error"); }
void __VERIFIER_atomic_begin(void) { __ouro_begin(1); }
void __VERIFIER_atomic_end(void) { __ouro_end(); }

void __ESBMC_assume(_Bool condition) { __VERIFIER_assume(condition); }
void __ESBMC_assert(_Bool condition, const char *text) {
    if (!condition)
        __ouro_fail(FAIL_ASSERTION, "__ESBMC_assert");
}
void __ESBMC_atomic_begin(void) { __ouro_begin(1); }
void __ESBMC_atomic_end(void) { __ouro_end(); }
void __ESBMC_yield(void) {}
void __CPROVER_assume(_Bool condition) { __VERIFIER_assume(condition); }
void __CPROVER_assert(_Bool condition, const char *text) {
    if (!condition)
        __ouro_fail(FAIL_ASSERTION, "__CPROVER_assert");
}
void __CPROVER_atomic_begin(void) { __ouro_begin(1); }
void __CPROVER_atomic_end(void) { __ouro_end(); }
void klee_assume(unsigned long condition) { __VERIFIER_assume(condition != 0); }

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
#ifdef OURO_ERROR_FUNCTION
/* Where an error has a function of its own, this is how programs assume. */
_Noreturn void abort(void) { __ouro_drop(); }
#else
_Noreturn void abort(void) { __ouro_fail(FAIL_ABORT, "abort"); }
#endif

/* What runs at the end, the last one first. */
struct ending {
    void (*function)(void *);
    void *argument;
    struct ending *below;
};
static struct ending *endings, *quick_endings;

static void note_ending(struct ending **list, void (*function)(void *), void *argument) {
    __ouro_begin(0);
    struct ending *noted = __ouro_allocate(sizeof *noted);
    noted->function = function;
    noted->argument = argument;
    noted->below = *list;
    *list = noted;
    __ouro_end();
}
static void run_endings(struct ending **list) {
    for (;;) {
        __ouro_begin(0);
        struct ending *last = *list;
        if (!last) {
            __ouro_end();
            return;
        }
        *list = last->below;
        void (*function)(void *) = last->function;
        void *argument = last->argument;
        __ouro_free(last);
        __ouro_end();
        function(argument);
    }
}
static void without_argument(void *function) { ((void (*)(void))function)(); }
int atexit(void (*function)(void)) { note_ending(&endings, without_argument, function); return 0; }
int at_quick_exit(void (*function)(void)) { note_ending(&quick_endings, without_argument, function); return 0; }
int __cxa_atexit(void (*function)(void *), void *argument, void *module) { note_ending(&endings, function, argument); return 0; }

_Noreturn void exit(int code) {
#ifdef OURO_ENDINGS
    run_endings(&endings);
#endif
    __ouro_destructors();
    __ouro_exit(code);
}
_Noreturn void quick_exit(int code) {
#ifdef OURO_ENDINGS
    run_endings(&quick_endings);
#endif
    __ouro_exit(code);
}
_Noreturn void _exit(int code) { __ouro_exit(code); }
_Noreturn void _Exit(int code) { __ouro_exit(code); }
