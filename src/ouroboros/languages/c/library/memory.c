/* Allocation. */
#include "primitives.h"

void *memcpy(void *target, const void *source, size_t size);

static void *allocate(size_t size) {
    __ouro_begin(1);
    void *found = __ouro_allocate(size);
    __ouro_end();
    return found;
}

#ifdef OURO_MALLOC_FAILS
void *malloc(size_t size) {
    int fails = __ouro_begin(2);
    void *found = fails ? NULL : __ouro_allocate(size);
    __ouro_end();
    return found;
}
#else
void *malloc(size_t size) { return allocate(size); }
#endif
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *alloca_(size_t size) { return allocate(size); }
void *valloc(size_t size) { return malloc(size); }
void *memalign(size_t alignment, size_t size) { return malloc(size); }
void *aligned_alloc(size_t alignment, size_t size) { return malloc(size); }
int posix_memalign(void **found, size_t alignment, size_t size) {
    *found = malloc(size);
    return *found ? 0 : ENOMEM_;
}

void free(void *pointer) {
    if (!pointer)
        return;
    __ouro_begin(1);
    __ouro_free(pointer);
    __ouro_end();
}

void *realloc(void *old, size_t size) {
    if (!old)
        return malloc(size);
    __ouro_begin(1);
    size_t before = __ouro_size(old);
    void *found = __ouro_allocate(size);
    memcpy(found, old, before < size ? before : size);
    __ouro_free(old);
    __ouro_end();
    return found;
}

void *_Znwm(size_t size) { return allocate(size); }
void *_Znam(size_t size) { return allocate(size); }
void _ZdlPv(void *pointer) { free(pointer); }
void _ZdaPv(void *pointer) { free(pointer); }
void _ZdlPvm(void *pointer, size_t size) { free(pointer); }
void _ZdaPvm(void *pointer, size_t size) { free(pointer); }
