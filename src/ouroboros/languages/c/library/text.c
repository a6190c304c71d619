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

char *strndup(const char *s, size_t most) {
    size_t n = strnlen(s, most);
    char *t = malloc(n + 1);
    if (t) memcpy(t, s, n), t[n] = 0;
    return t;
}
void *mempcpy(void *target, const void *source, size_t size) { return (char *)memcpy(target, source, size) + size; }
void *memccpy(void *target, const void *source, int c, size_t size) {
    char *t = target;
    for (const char *s = source; size; size--) if ((*t++ = *s++) == (char)c) return t;
    return NULL;
}
void *memrchr(const void *s, int c, size_t n) {
    for (const unsigned char *p = s; n; n--) if (p[n - 1] == (unsigned char)c) return (void *)(p + n - 1);
    return NULL;
}
int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }
void bcopy(const void *source, void *target, size_t size) { __builtin_memmove(target, source, size); }
char *index(const char *s, int c) { return strchr(s, c); }
char *rindex(const char *s, int c) { return strrchr(s, c); }
size_t strspn(const char *s, const char *set) { size_t n = 0; while (s[n] && strchr(set, s[n])) n++; return n; }
size_t strcspn(const char *s, const char *set) { size_t n = 0; while (s[n] && !strchr(set, s[n])) n++; return n; }
char *strpbrk(const char *s, const char *set) { s += strcspn(s, set); return *s ? (char *)s : NULL; }
char *strtok_r(char *s, const char *between, char **rest) {
    if (!s) s = *rest;
    s += strspn(s, between);
    if (!*s) { *rest = s; return NULL; }
    char *end = s + strcspn(s, between);
    if (*end) *end++ = 0;
    *rest = end;
    return s;
}
char *strtok(char *s, const char *between) { static char *rest; return strtok_r(s, between, &rest); }
char *strsep(char **s, const char *between) {
    char *start = *s;
    if (!start) return NULL;
    char *end = start + strcspn(start, between);
    *s = *end ? end + 1 : NULL;
    *end = 0;
    return start;
}
int strcoll(const char *a, const char *b) { return strcmp(a, b); }
char *strerror(int number) { return "error"; }

int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return islower(c) || isupper(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return c == ' ' || (c >= 9 && c <= 13); }
int isxdigit(int c) { return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int isblank(int c) { return c == ' ' || c == 9; }
int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
int isgraph(int c) { return c > 32 && c < 127; }
int ispunct(int c) { return isgraph(c) && !isalnum(c); }
int isascii(int c) { return c >= 0 && c < 128; }
int isprint(int c) { return c >= 32 && c < 127; }
int tolower(int c) { return isupper(c) ? c + 32 : c; }
int toupper(int c) { return islower(c) ? c - 32 : c; }

int strcasecmp(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return tolower((unsigned char)*a) - tolower((unsigned char)*b);
}
int strncasecmp(const char *a, const char *b, size_t n) {
    while (n && *a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++, n--;
    return n ? tolower((unsigned char)*a) - tolower((unsigned char)*b) : 0;
}

/* The tables behind the macros of ctype.h, for -128 to 255: one bit for each class, in the order of the C library. */
#define LETTERS(from, to, bits) [128 + from ... 128 + to] = bits
static const unsigned short classes[384] = {
    LETTERS(0, 8, 2), LETTERS(9, 9, 0x2003), LETTERS(10, 13, 0x2002), LETTERS(14, 31, 2), LETTERS(' ', ' ', 0x6001),
    LETTERS('!', '/', 0xc004), LETTERS('0', '9', 0xd808), LETTERS(':', '@', 0xc004), LETTERS('A', 'F', 0xd508),
    LETTERS('G', 'Z', 0xc508), LETTERS('[', '`', 0xc004), LETTERS('a', 'f', 0xd608), LETTERS('g', 'z', 0xc608),
    LETTERS('{', '~', 0xc004), LETTERS(127, 127, 2)};
static const unsigned short *const classes_begin = classes + 128;
const unsigned short **__ctype_b_loc(void) { return (const unsigned short **)&classes_begin; }

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
long long strtoll(const char *s, char **end, int base) { return strtol(s, end, base); }
unsigned long long strtoull(const char *s, char **end, int base) { return (unsigned long)strtol(s, end, base); }
long __isoc23_strtol(const char *s, char **end, int base) { return strtol(s, end, base); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return (unsigned long)strtol(s, end, base); }
double strtod(const char *s, char **end) {
    const char *start = s;
    while (isspace(*s)) s++;
    int negative = *s == '-', any = 0;
    if (*s == '-' || *s == '+') s++;
    double n = 0, part = 1;
    for (; isdigit(*s); s++, any = 1) n = n * 10 + (*s - '0');
    if (*s == '.') for (s++; isdigit(*s); s++, any = 1) part /= 10, n += part * (*s - '0');
    if (end) *end = (char *)(any ? s : start);
    return negative ? -n : n;
}
double atof(const char *s) { return strtod(s, NULL); }
long long atoll(const char *s) { return strtol(s, NULL, 10); }
int atoi(const char *s) { return (int)strtol(s, NULL, 10); }
long atol(const char *s) { return strtol(s, NULL, 10); }

struct divided { int quotient, rest; };
struct divided div(int a, int b) { return (struct divided){a / b, a % b}; }
struct long_divided { long quotient, rest; };
struct long_divided ldiv(long a, long b) { return (struct long_divided){a / b, a % b}; }
struct long_divided lldiv(long a, long b) { return (struct long_divided){a / b, a % b}; }

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
int dprintf(int descriptor, const char *format, ...) {
    va_list list;
    __builtin_va_start(list, format);
    vprintf(format, (struct list *)list);
    __builtin_va_end(list);
    return 1;
}
void syslog(int priority, const char *format, ...) {}
ssize_t write(int descriptor, const void *data, size_t size) { print("%.*s", (int)size, data); return size; }
int fileno(void *stream) { return 1; }
int fflush(void *stream) { return 0; }
int setvbuf(void *stream, char *buffer, int mode, size_t size) { return 0; }
void *stdin, *stdout, *stderr;
