/* string.h, ctype.h, and of stdlib.h and stdio.h what needs no operating system. */
#include "primitives.h"

typedef __builtin_va_list va_list;

size_t strlen(const char *s) { size_t n = 0; while (s[n]) n++; return n; }
size_t strnlen(const char *s, size_t most) { size_t n = 0; while (n < most && s[n]) n++; return n; }
char *strcpy(char *t, const char *s) { char *r = t; while ((*t++ = *s++)) {} return r; }
char *stpcpy(char *t, const char *s) { while ((*t = *s++)) t++; return t; }
char *strncpy(char *t, const char *s, size_t n) {
    size_t i = 0;
    for (; i < n && s[i]; i++) t[i] = s[i];
    for (; i < n; i++) t[i] = 0;
    return t;
}
char *strcat(char *t, const char *s) { strcpy(t + strlen(t), s); return t; }
char *strncat(char *t, const char *s, size_t n) {
    char *e = t + strlen(t);
    while (n-- && *s) *e++ = *s++;
    *e = 0;
    return t;
}
int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}
int strncmp(const char *a, const char *b, size_t n) {
    while (n && *a && *a == *b) a++, b++, n--;
    return n ? (unsigned char)*a - (unsigned char)*b : 0;
}
char *strchr(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (!*s) return NULL;
    }
}
char *strrchr(const char *s, int c) {
    char *found = NULL;
    do if (*s == (char)c) found = (char *)s; while (*s++);
    return found;
}
char *strstr(const char *s, const char *what) {
    size_t n = strlen(what);
    for (;; s++) {
        if (!strncmp(s, what, n)) return (char *)s;
        if (!*s) return NULL;
    }
}
int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *p = a, *q = b;
    for (; n; n--, p++, q++) if (*p != *q) return *p - *q;
    return 0;
}
void *memchr(const void *s, int c, size_t n) {
    for (const unsigned char *p = s; n; n--, p++) if (*p == (unsigned char)c) return (void *)p;
    return NULL;
}
void *memcpy(void *target, const void *source, size_t size) { __builtin_memcpy(target, source, size); return target; }
void *memmove(void *target, const void *source, size_t size) { __builtin_memmove(target, source, size); return target; }
void *memset(void *target, int byte, size_t size) { __builtin_memset(target, byte, size); return target; }
void bzero(void *target, size_t size) { __builtin_memset(target, 0, size); }
void *malloc(size_t size);
char *strdup(const char *s) { size_t n = strlen(s) + 1; char *t = malloc(n); if (t) memcpy(t, s, n); return t; }

int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return islower(c) || isupper(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return c == ' ' || (c >= 9 && c <= 13); }
int isprint(int c) { return c >= 32 && c < 127; }
int tolower(int c) { return isupper(c) ? c + 32 : c; }
int toupper(int c) { return islower(c) ? c - 32 : c; }

int abs(int n) { return n < 0 ? -n : n; }
long labs(long n) { return n < 0 ? -n : n; }
long long llabs(long long n) { return n < 0 ? -n : n; }

long strtol(const char *s, char **end, int base) {
    const char *start = s;
    while (isspace(*s)) s++;
    int negative = *s == '-';
    if (*s == '-' || *s == '+') s++;
    if ((base == 0 || base == 16) && s[0] == '0' && (s[1] | 32) == 'x') s += 2, base = 16;
    if (base == 0) base = *s == '0' ? 8 : 10;
    long n = 0;
    int any = 0;
    for (;; s++) {
        int digit = isdigit(*s) ? *s - '0' : isalpha(*s) ? (*s | 32) - 'a' + 10 : 99;
        if (digit >= base) break;
        n = n * base + digit;
        any = 1;
    }
    if (end) *end = (char *)(any ? s : start);
    return negative ? -n : n;
}
unsigned long strtoul(const char *s, char **end, int base) { return (unsigned long)strtol(s, end, base); }
int atoi(const char *s) { return (int)strtol(s, NULL, 10); }
long atol(const char *s) { return strtol(s, NULL, 10); }

static void swap(char *a, char *b, size_t size) {
    while (size--) { char c = *a; *a++ = *b; *b++ = c; }
}
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    char *all = base;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j && compare(all + (j - 1) * size, all + j * size) > 0; j--)
            swap(all + (j - 1) * size, all + j * size, size);
}
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    while (count) {
        const char *middle = (const char *)base + count / 2 * size;
        int order = compare(key, middle);
        if (!order) return (void *)middle;
        if (order > 0) base = middle + size, count -= count / 2 + 1;
        else count /= 2;
    }
    return NULL;
}
char *getenv(const char *name) { return NULL; }

#ifdef OURO_RANDOM
int rand(void) { return (int)__ouro_choose(0, 2147483647, "rand"); }
long random(void) { return __ouro_choose(0, 2147483647, "random"); }
long time(long *now) { long t = __ouro_choose(0, 2147483647, "time"); if (now) *now = t; return t; }
#else
int rand(void) { return 0; }
long random(void) { return 0; }
long time(long *now) { if (now) *now = 0; return 0; }
#endif
void srand(unsigned seed) {}
void srandom(unsigned seed) {}

/* Where the arguments of a va_list are: the compiler leaves all of them in memory. */
struct list {
    unsigned integers, floats;
    void *rest, *registers;
};
int vprintf(const char *format, struct list *list) { __ouro_print(format, list->rest); return 1; }
int vfprintf(void *stream, const char *format, struct list *list) { __ouro_print(format, list->rest); return 1; }
int printf(const char *format, ...) {
    va_list list;
    __builtin_va_start(list, format);
    vprintf(format, (struct list *)list);
    __builtin_va_end(list);
    return 1;
}
int fprintf(void *stream, const char *format, ...) {
    va_list list;
    __builtin_va_start(list, format);
    vprintf(format, (struct list *)list);
    __builtin_va_end(list);
    return 1;
}
static void print(const char *format, ...) {
    va_list list;
    __builtin_va_start(list, format);
    vprintf(format, (struct list *)list);
    __builtin_va_end(list);
}
int puts(const char *s) { print("%s\n", s); return 1; }
int putchar(int c) { print("%c", c); return c; }
int fputs(const char *s, void *stream) { print("%s", s); return 1; }
int fputc(int c, void *stream) { print("%c", c); return c; }
int putc(int c, void *stream) { print("%c", c); return c; }
void perror(const char *s) { print("%s\n", s); }
size_t fwrite(const void *data, size_t size, size_t count, void *stream) { print("%.*s", (int)(size * count), data); return count; }
int fflush(void *stream) { return 0; }
int setvbuf(void *stream, char *buffer, int mode, size_t size) { return 0; }
void *stdin, *stdout, *stderr;
