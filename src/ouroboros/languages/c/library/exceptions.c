/* Exceptions of C++, by the Itanium ABI: what a thread has thrown and not yet caught is noted, and calls that may throw
   are followed by a look at that note. */
#include "primitives.h"

struct type {
    void *const *kind;
    const char *name;
    struct type *base;
};
struct virtual_bases {
    void *const *kind;
    const char *name;
    unsigned flags, count;
    struct {
        struct type *type;
        long flags;
    } bases[];
};
struct header {
    struct type *type;
    void (*destructor)(void *);
    struct header *below;
    int thrown_again, unused;
};

/* Which kind of type this is shows in the address of its table. */
void *const _ZTVN10__cxxabiv117__class_type_infoE[4];
void *const _ZTVN10__cxxabiv120__si_class_type_infoE[4];
void *const _ZTVN10__cxxabiv121__vmi_class_type_infoE[4];
void *const _ZTVN10__cxxabiv119__pointer_type_infoE[4];
void *const _ZTVN10__cxxabiv123__fundamental_type_infoE[4];
void *const _ZTVN10__cxxabiv116__enum_type_infoE[4];

#define FUNDAMENTAL(letters) const struct type _ZTI##letters = {_ZTVN10__cxxabiv123__fundamental_type_infoE + 2, #letters, NULL};
FUNDAMENTAL(b) FUNDAMENTAL(c) FUNDAMENTAL(a) FUNDAMENTAL(h) FUNDAMENTAL(s) FUNDAMENTAL(t) FUNDAMENTAL(i) FUNDAMENTAL(j)
FUNDAMENTAL(l) FUNDAMENTAL(m) FUNDAMENTAL(x) FUNDAMENTAL(y) FUNDAMENTAL(f) FUNDAMENTAL(d) FUNDAMENTAL(PKc) FUNDAMENTAL(Pc)
FUNDAMENTAL(Pv)
const struct type _ZTISt9exception = {_ZTVN10__cxxabiv117__class_type_infoE + 2, "St9exception", NULL};

static struct header *__ouro_flying[OURO_THREADS], *__ouro_caught[OURO_THREADS];

static int derives(struct type *type, struct type *base) {
    while (type != base) {
        if (type->kind == _ZTVN10__cxxabiv121__vmi_class_type_infoE + 2) {
            struct virtual_bases *several = (struct virtual_bases *)type;
            for (unsigned i = 1; i < several->count; i++)
                if (derives(several->bases[i].type, base))
                    return 1;
            type = several->bases[0].type;
        } else if (type->kind == _ZTVN10__cxxabiv120__si_class_type_infoE + 2)
            type = type->base;
        else
            return 0;
    }
    return 1;
}

void *__cxa_allocate_exception(size_t size) {
    __ouro_begin(0);
    struct header *header = __ouro_allocate(size + sizeof *header);
    __ouro_end();
    return header + 1;
}
void __cxa_free_exception(void *exception) {
    __ouro_begin(0);
    __ouro_free((struct header *)exception - 1);
    __ouro_end();
}
void __cxa_throw(void *exception, struct type *type, void (*destructor)(void *)) {
    __ouro_begin(0);
    struct header *header = (struct header *)exception - 1;
    header->type = type;
    header->destructor = destructor;
    __ouro_flying[__ouro_self()] = header;
    __ouro_end();
}
void __cxa_rethrow(void) {
    __ouro_begin(0);
    struct header *header = __ouro_caught[__ouro_self()];
    if (!header)
        __ouro_fail(FAIL_EXCEPTION, "there is no exception to throw again");
    header->thrown_again = 1;
    __ouro_flying[__ouro_self()] = header;
    __ouro_end();
}
void *__cxa_get_exception_ptr(void *exception) { return exception; }
void *__cxa_begin_catch(void *exception) {
    __ouro_begin(0);
    struct header *header = (struct header *)exception - 1;
    if (!header->thrown_again) {
        header->below = __ouro_caught[__ouro_self()];
        __ouro_caught[__ouro_self()] = header;
    }
    header->thrown_again = 0;
    __ouro_end();
    return exception;
}
void __cxa_end_catch(void) {
    __ouro_begin(0);
    struct header *header = __ouro_caught[__ouro_self()];
    void (*destructor)(void *) = header->destructor;
    int over = !header->thrown_again;
    if (over)
        __ouro_caught[__ouro_self()] = header->below;
    __ouro_end();
    if (!over)
        return;
    if (destructor)
        destructor(header + 1);
    __ouro_begin(0);
    __ouro_free(header);
    __ouro_end();
}
int __ouro_thrown(void) {
    __ouro_begin(0);
    int thrown = __ouro_flying[__ouro_self()] != NULL;
    __ouro_end();
    return thrown;
}
/* The exception arrives where it may be caught: its place, and the number of the first type that catches it. */
void *__ouro_arrive(void) {
    __ouro_begin(0);
    struct header *header = __ouro_flying[__ouro_self()];
    __ouro_flying[__ouro_self()] = NULL;
    __ouro_end();
    return header + 1;
}
int __ouro_catches(void *exception, struct type *type) {
    __ouro_begin(0);
    int found = derives(((struct header *)exception - 1)->type, type);
    __ouro_end();
    return found;
}
void __ouro_fly_on(void *exception) {
    __ouro_begin(0);
    __ouro_flying[__ouro_self()] = (struct header *)exception - 1;
    __ouro_end();
}
_Noreturn void __ouro_uncaught(void) { __ouro_fail(FAIL_EXCEPTION, "an exception is not caught"); }
