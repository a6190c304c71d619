/* The header of the system, but for macros behind which it keeps jumps out of functions. */
#include_next <pthread.h>

#ifndef OURO_PTHREAD_H
#define OURO_PTHREAD_H
#ifdef __cplusplus
extern "C" {
#endif
struct __ouro_cleanup {
    void (*routine)(void *);
    void *argument;
    struct __ouro_cleanup *below;
};
void __ouro_cleanup_push(struct __ouro_cleanup *handler);
void __ouro_cleanup_pop(int execute);
#ifdef __cplusplus
}
#endif
#undef pthread_cleanup_push
#undef pthread_cleanup_pop
#define pthread_cleanup_push(function, value)                                                    \
    do {                                                                                         \
        struct __ouro_cleanup __ouro_handler = {(void (*)(void *))(function), (void *)(value), 0}; \
        __ouro_cleanup_push(&__ouro_handler);
#define pthread_cleanup_pop(execute) \
        __ouro_cleanup_pop(execute); \
    } while (0)
#endif
