/*
 * The MU puzzle of Douglas Hofstadter: words of the letters M, I and U, from MI on, and four rules that make new ones.
 * Can MU be made? The number of I's is never a multiple of three, which says no.
 *
 *     ouro check miu.c --cesmi
 *     ouro check miu.c --cesmi --ltl 'G !multiple_of_three'
 *     ouro check miu.c --cesmi -D LONGEST=20 --store tree --workers 2
 *
 * A module generates a graph: here a node is a word, and so has any size. Words that would be longer than LONGEST are
 * not made.
 */
#include <cesmi.h>
#include <stdlib.h>
#include <string.h>

#ifndef LONGEST
#define LONGEST 12
#endif

enum { multiple_of_three = cesmi_first_user_flag };

/* The word that the rule makes at a place; returns its length, or 0 where the rule does not apply. */
static int made(const char *word, int length, int rule, int place, char *to) {
    int rest = length - place;
    switch (rule) {
    case 0: /* xI becomes xIU. */
        if (place != length - 1 || word[place] != 'I')
            return 0;
        memcpy(to, word, length);
        to[length] = 'U';
        return length + 1;
    case 1: /* Mx becomes Mxx. */
        if (place != 1)
            return 0;
        memcpy(to, word, length);
        memcpy(to + length, word + 1, length - 1);
        return 2 * length - 1;
    case 2: /* III becomes U. */
        if (rest < 3 || memcmp(word + place, "III", 3))
            return 0;
        memcpy(to, word, place);
        to[place] = 'U';
        memcpy(to + place + 1, word + place + 3, rest - 3);
        return length - 2;
    default: /* UU becomes nothing. */
        if (rest < 2 || memcmp(word + place, "UU", 2))
            return 0;
        memcpy(to, word, place);
        memcpy(to + place, word + place + 2, rest - 2);
        return length - 2;
    }
}

/* The size of a node is known to who made it: a zero ends the word. */
static cesmi_node node_of(const cesmi_setup *setup, const char *word, int length) {
    cesmi_node node = setup->make_node(setup, length + 1);
    memcpy(node.memory, word, length);
    return node;
}

void setup(cesmi_setup *setup) {
    setup->add_property(setup, strdup("mu"), strdup("the word MU cannot be made"), cesmi_pt_goal);
    setup->add_flag(setup, strdup("multiple_of_three"), multiple_of_three, 0);
}

int get_initial(const cesmi_setup *setup, int handle, cesmi_node *to) {
    if (handle > 1)
        return 0;
    *to = node_of(setup, "MI", 2);
    return 2;
}

/* A handle is one more than a rule and a place: whoever comes with it has seen all before. */
int get_successor(const cesmi_setup *setup, int handle, cesmi_node from, cesmi_node *to) {
    const char *word = from.memory;
    int length = strlen(word);
    char found[2 * LONGEST + 2];
    for (int at = handle - 1; at < 4 * length; at++) {
        int size = made(word, length, at / length, at % length, found);
        if (size && size <= LONGEST) {
            *to = node_of(setup, found, size);
            return at + 2;
        }
    }
    return 0;
}

uint64_t get_flags(const cesmi_setup *setup, cesmi_node node) {
    int count = 0;
    for (const char *letter = node.memory; *letter; letter++)
        count += *letter == 'I';
    return (count % 3 ? 0 : multiple_of_three) | (strcmp(node.memory, "MU") ? 0 : cesmi_goal);
}

char *show_node(const cesmi_setup *setup, cesmi_node node) { return strdup(node.memory); }

char *show_transition(const cesmi_setup *setup, cesmi_node from, int handle) {
    static const char *const told[] = {"I becomes IU at the end", "all after M is doubled", "III becomes U", "UU is left out"};
    int length = strlen(from.memory);
    char found[2 * LONGEST + 2];
    for (int at = handle - 1; at < 4 * length; at++) {
        int size = made(from.memory, length, at / length, at % length, found);
        if (size && size <= LONGEST)
            return strdup(told[at / length]);
    }
    return NULL;
}
