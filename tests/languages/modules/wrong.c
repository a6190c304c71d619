/* Counts to nine and begins again, and does something wrong at five. */
#include <cesmi.h>
#include <stdlib.h>

#ifndef WRONG
#define WRONG 0
#endif

int get_initial(const cesmi_setup *setup, int handle, cesmi_node *to) {
    if (handle > 1)
        return 0;
    *to = setup->make_node(setup, sizeof(int));
    return 2;
}

int get_successor(const cesmi_setup *setup, int handle, cesmi_node from, cesmi_node *to) {
    int number = *(int *)from.memory, wrong = number == 5 ? WRONG : 0;
    if (handle > 1)
        return 0;
    if (wrong == 1)
        *(volatile int *)8 = 1;
    if (wrong == 2)
        abort();
    if (wrong == 3)
        for (volatile int i = 0;; i++)
            ;
    *to = setup->make_node(setup, wrong == 4 ? -1 : sizeof(int));
    *(int *)to->memory = (number + 1) % 10;
    if (wrong == 5)
        to->memory[4] = 1;
    if (wrong == 6)
        *(int *)from.memory = 7;
    if (wrong == 7)
        to->handle += 16;
    return wrong == 8 ? 1 : 2;
}
