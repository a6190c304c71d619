/* What the interpreter and the machine code do by themselves; all else of the library is C, and part of the program. */
#ifndef OURO_PRIMITIVES
#define OURO_PRIMITIVES

typedef unsigned long size_t;
typedef long ssize_t;
#define NULL ((void *)0)

/* An atomic section begins, in one of so many ways; 0: without a step of its own. */
int __ouro_begin(int ways);
void __ouro_end(void);
/* One of the numbers from low to high. */
long __ouro_choose(long low, long high, const char *name);
/* The step cannot be made now. */
_Noreturn void __ouro_blocked(const void *on, int kind);
/* The step was made, and leads nowhere. */
_Noreturn void __ouro_drop(void);
_Noreturn void __ouro_fail(int kind, const char *text);
int __ouro_self(void);
void __ouro_create(int slot, void *root, void *function, void *argument);
_Noreturn void __ouro_leave(void);
_Noreturn void __ouro_exit(int code);
void *__ouro_allocate(size_t size);
void __ouro_free(void *pointer);
size_t __ouro_size(const void *pointer);
void __ouro_print(const char *format, void *arguments);
/* Made by the compiler of the program: the initial values of its thread-local variables. */
void __ouro_thread_locals(int slot);
/* Likewise: functions that run when the program ends. */
void __ouro_destructors(void);

enum { ON_MUTEX = 1, ON_RWLOCK, ON_CONDITION, ON_BARRIER, ON_SEMAPHORE, ON_JOIN, ON_ONCE, ON_SPIN, ON_OTHER };
enum { FAIL_ASSERTION = 1, FAIL_THREADS = 16, FAIL_LOCKS = 19, FAIL_EXCEPTION, FAIL_ERROR_FUNCTION = 22, FAIL_ABORT = 23, FAIL_UNSUPPORTED = 24 };
enum { EPERM_ = 1, EINTR_ = 4, ESRCH_ = 3, EAGAIN_ = 11, ENOMEM_ = 12, EBUSY_ = 16, EINVAL_ = 22, ERANGE_ = 34, EDEADLK_ = 35, ETIMEDOUT_ = 110 };

#ifndef OURO_THREADS
#define OURO_THREADS 4
#endif

/* What a thread waits for on a condition or a barrier. */
extern void *__ouro_waiting[OURO_THREADS];
#endif
