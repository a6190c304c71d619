/* A pointer that is not where pointers are looked for: nothing is said of such a program. */
#include <stdlib.h>
struct __attribute__((packed)) packed { char first; int *second; } variable;
int main(void) {
    int *plain = malloc(sizeof *plain);
    variable.second = plain;
    return *variable.second;
}
