/* A graph that is given as a text: "2 0 | 0>1 1>2 | 2:1 1:256", initial nodes, edges, flags. Node k has k + 1 bytes of k. */
#include <cesmi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *part(const cesmi_setup *setup, int number) {
    const char *text = setup->instance;
    while (number--)
        text = strchr(text, '|') + 1;
    return text;
}

static cesmi_node node_of(const cesmi_setup *setup, int number) {
    cesmi_node node = setup->make_node(setup, number + 1);
    memset(node.memory, number, number + 1);
    return node;
}

void setup(cesmi_setup *setup) {
    setup->instance = getenv("OURO_TEST_GRAPH");
    setup->add_property(setup, strdup("goal"), 0, cesmi_pt_goal);
    setup->add_property(setup, strdup("stuck"), strdup("it goes on"), cesmi_pt_deadlock);
    setup->add_property(setup, 0, 0, cesmi_pt_buchi);
    setup->add_flag(setup, strdup("special"), cesmi_first_user_flag, 0);
    setup->add_flag(setup, strdup("other"), cesmi_first_user_flag << 1, 0);
}

int get_initial(const cesmi_setup *setup, int handle, cesmi_node *to) {
    int at = 0, node, taken;
    for (const char *text = part(setup, 0); sscanf(text, " %d%n", &node, &taken) == 1; text += taken)
        if (++at == handle) {
            *to = node_of(setup, node);
            return handle + 1;
        }
    return 0;
}

int get_successor(const cesmi_setup *setup, int handle, cesmi_node from, cesmi_node *to) {
    int at = 0, before, after, taken;
    for (const char *text = part(setup, 1); sscanf(text, " %d>%d%n", &before, &after, &taken) == 2; text += taken)
        if (before == from.memory[0] && ++at == handle) {
            *to = before == after ? setup->clone_node(setup, from) : node_of(setup, after);
            return handle + 1;
        }
    return 0;
}

uint64_t get_flags(const cesmi_setup *setup, cesmi_node node) {
    int number, taken;
    unsigned flags;
    for (const char *text = part(setup, 2); sscanf(text, " %d:%u%n", &number, &flags, &taken) == 2; text += taken)
        if (number == node.memory[0])
            return flags;
    return 0;
}
