/* Text that is written to memory, and what is read from outside, of which nothing is known. */
#include "primitives.h"

/* A text with an end; what does not fit is counted, and not written. */
struct target {
    char *text;
    size_t room, length;
};
static void put(struct target *to, char c) {
    if (to->length + 1 < to->room)
        to->text[to->length] = c;
    to->length++;
}
static void put_padded(struct target *to, const char *text, int length, int width, int left, char fill) {
    if (!left)
        for (; width > length; width--) put(to, fill);
    for (int i = 0; i < length; i++) put(to, text[i]);
    for (; width > length; width--) put(to, ' ');
}

static int digits(char *end, unsigned long value, unsigned base, int capital) {
    int count = 0;
    do {
        unsigned digit = value % base;
        *--end = digit < 10 ? '0' + digit : (capital ? 'A' : 'a') + digit - 10;
        value /= base;
        count++;
    } while (value);
    return count;
}

/* Where the next argument is, in its 8 bytes. */
static void *argument(struct list *list) {
    char *found = list->rest;
    list->rest = found + 8;
    return found;
}

static void put_integer(struct target *to, unsigned long value, int negative, unsigned base, int capital, int *form) {
    char text[32];
    int precision = form[1], count = precision == 0 && !value ? 0 : digits(text + 30, value, base, capital);
    while (count < precision && count < 28) text[30 - ++count] = '0';
    char sign = negative ? '-' : form[3];
    if (form[2] && precision < 0 && form[4] == 0) {
        int width = form[0] < 28 ? form[0] : 28;
        while (count < width - (sign != 0)) text[30 - ++count] = '0';
    }
    if (sign) text[30 - ++count] = sign;
    put_padded(to, text + 30 - count, count, form[0], form[4], ' ');
}

/* %f alone: exact as long as the number fits into 63 bits with its digits. */
static void put_float(struct target *to, double value, int *form) {
    int precision = form[1] < 0 ? 6 : form[1], negative = value < 0;
    double scale = 1;
    for (int i = 0; i < precision; i++) scale *= 10;
    if (negative) value = -value;
    if (!(value * scale < 9e18))
        __ouro_fail(FAIL_UNSUPPORTED, "a floating-point number of more than 18 digits is written");
    unsigned long whole = (unsigned long)value, part = (unsigned long)((value - (double)whole) * scale);
    double rest = (value - (double)whole) * scale - (double)part;
    if (rest > 0.5 || (rest == 0.5 && (precision ? part : whole) % 2)) part++;
    if ((double)part >= scale) whole++, part = 0;
    char text[48], *at = text + 46;
    int count = 0;
    if (precision) {
        int made = digits(at, part, 10, 0);
        while (made < precision) at[-++made] = '0';
        count = made;
        at[-++count] = '.';
    }
    count += digits(at - count, whole, 10, 0);
    if (form[2] && !form[4])
        while (count < form[0] - negative && count < 44) at[-++count] = '0';
    if (negative) at[-++count] = '-';
    put_padded(to, at - count, count, form[0], form[4], ' ');
}

static int wide(const char *length, struct list *list, long *value, int is_signed) {
    long whole = *(long *)argument(list);
    if (length[0] == 'h' && length[1] == 'h') whole = is_signed ? (signed char)whole : (long)(unsigned char)whole;
    else if (length[0] == 'h') whole = is_signed ? (short)whole : (long)(unsigned short)whole;
    else if (!length[0]) whole = is_signed ? (int)whole : (long)(unsigned)whole;
    *value = whole;
    return is_signed && whole < 0;
}

int vsnprintf(char *text, size_t room, const char *format, struct list *list) {
    struct target to = {text, room, 0};
    for (; *format; format++) {
        if (*format != '%') {
            put(&to, *format);
            continue;
        }
        /* Width, precision, zeros, sign, to the left. */
        int form[5] = {0, -1, 0, 0, 0};
        for (format++;; format++) {
            if (*format == '0') form[2] = 1;
            else if (*format == '-') form[4] = 1;
            else if (*format == '+') form[3] = '+';
            else if (*format == ' ') form[3] = form[3] ? form[3] : ' ';
            else if (*format != '#') break;
        }
        if (*format == '*') {
            form[0] = *(int *)argument(list), format++;
            if (form[0] < 0) form[0] = -form[0], form[4] = 1;
        }
        for (; isdigit(*format); format++) form[0] = form[0] * 10 + *format - '0';
        if (*format == '.') {
            form[1] = 0, format++;
            if (*format == '*') form[1] = *(int *)argument(list), format++;
            for (; isdigit(*format); format++) form[1] = form[1] * 10 + *format - '0';
        }
        char length[2] = {0, 0};
        for (int i = 0; *format == 'h' || *format == 'l' || *format == 'z' || *format == 'j' || *format == 't'; format++)
            if (i < 2) length[i++] = *format;
        long value;
        switch (*format) {
        case 'd': case 'i': {
            int negative = wide(length, list, &value, 1);
            put_integer(&to, negative ? 0UL - (unsigned long)value : (unsigned long)value, negative, 10, 0, form);
            break;
        }
        case 'u': case 'x': case 'X': case 'o':
            wide(length, list, &value, 0);
            form[3] = 0;
            put_integer(&to, value, 0, *format == 'u' ? 10 : *format == 'o' ? 8 : 16, *format == 'X', form);
            break;
        case 'c': {
            char c = *(int *)argument(list);
            put_padded(&to, &c, 1, form[0], form[4], ' ');
            break;
        }
        case 's': {
            const char *s = *(const char **)argument(list);
            if (!s) s = "(null)";
            int count = 0;
            while ((form[1] < 0 || count < form[1]) && s[count]) count++;
            put_padded(&to, s, count, form[0], form[4], ' ');
            break;
        }
        case 'f': case 'F':
            put_float(&to, *(double *)argument(list), form);
            break;
        case '%':
            put(&to, '%');
            break;
        default:
            __ouro_fail(FAIL_UNSUPPORTED, "text is written to memory by a format that is not known");
        }
    }
    if (room)
        text[to.length < room ? to.length : room - 1] = 0;
    return (int)to.length;
}
int vsprintf(char *text, const char *format, struct list *list) { return vsnprintf(text, 1UL << 31, format, list); }
int snprintf(char *text, size_t room, const char *format, ...) {
    va_list list;
    __builtin_va_start(list, format);
    int length = vsnprintf(text, room, format, (struct list *)list);
    __builtin_va_end(list);
    return length;
}
int sprintf(char *text, const char *format, ...) {
    va_list list;
    __builtin_va_start(list, format);
    int length = vsnprintf(text, 1UL << 31, format, (struct list *)list);
    __builtin_va_end(list);
    return length;
}

int getchar(void) { return (int)__ouro_choose(-1, 255, "getchar"); }
int fgetc(void *stream) { return (int)__ouro_choose(-1, 255, "fgetc"); }
int getc(void *stream) { return (int)__ouro_choose(-1, 255, "getc"); }
char *fgets(char *text, int room, void *stream) {
    long length = __ouro_choose(-1, room - 1, "fgets");
    if (length < 0)
        return NULL;
    for (long i = 0; i < length; i++) text[i] = (char)__ouro_choose(1, 255, "fgets");
    text[length] = 0;
    return text;
}

/* Every conversion may fail, and gives any number. */
static int scan(const char *format, struct list *list) {
    int made = 0;
    for (; *format; format++) {
        if (*format != '%')
            continue;
        int length = 0, width = 0;
        for (format++; isdigit(*format); format++) width = width * 10 + *format - '0';
        for (; *format == 'l' || *format == 'h' || *format == 'z'; format++) length += *format == 'h' ? -1 : 1;
        if (*format == '%')
            continue;
        if (__ouro_choose(0, 1, "scanf"))
            return made ? made : -1;
        void *target = *(void **)argument(list);
        switch (*format) {
        case 'd': case 'i': case 'u': case 'x':
            if (length == 0) *(int *)target = (int)__ouro_choose(-2147483647L - 1, 2147483647L, "scanf");
            else if (length > 0) *(long *)target = __ouro_choose(-9223372036854775807L - 1, 9223372036854775807L, "scanf");
            else if (length == -1) *(short *)target = (short)__ouro_choose(-32768, 32767, "scanf");
            else *(char *)target = (char)__ouro_choose(-128, 127, "scanf");
            break;
        case 'c':
            *(char *)target = (char)__ouro_choose(-128, 127, "scanf");
            break;
        default:
            __ouro_fail(FAIL_UNSUPPORTED, "something is read by a format that is not known");
        }
        made++;
    }
    return made;
}
int scanf(const char *format, ...) {
    va_list list;
    __builtin_va_start(list, format);
    int made = scan(format, (struct list *)list);
    __builtin_va_end(list);
    return made;
}
int __isoc99_scanf(const char *format, ...) {
    va_list list;
    __builtin_va_start(list, format);
    int made = scan(format, (struct list *)list);
    __builtin_va_end(list);
    return made;
}
int __isoc23_scanf(const char *format, ...) {
    va_list list;
    __builtin_va_start(list, format);
    int made = scan(format, (struct list *)list);
    __builtin_va_end(list);
    return made;
}
