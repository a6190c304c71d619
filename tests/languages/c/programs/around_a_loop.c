/* What the head of a loop computes comes back to it from the loop's end. */
#include <assert.h>
#include <stdarg.h>
int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    int total = 0;
    while (n--) total += va_arg(list, int);
    va_end(list);
    return total;
}
int main(void) { assert(sum(3, 1, 2, 3) == 6); return 0; }
