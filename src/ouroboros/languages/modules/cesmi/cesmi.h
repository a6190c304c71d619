/*
 * CESMI: what a module and the model checker that loads it know of each other.
 *
 * A module generates a graph. Its states are nodes: memory of any size, which the loader provides. A module keeps nothing
 * of what it is asked: the same node has the same successors in the same order, whoever asks and however often.
 *
 *     ouro cesmi --header > cesmi.h
 *     ouro check module.c --cesmi
 */
#ifndef CESMI_H
#define CESMI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is asked of the graph: that no goal can be reached; that each state has a successor; that no run comes to
 * accepting states again and again. */
enum cesmi_property_type { cesmi_pt_goal = 0, cesmi_pt_deadlock = 1, cesmi_pt_buchi = 2 };

/* Bits of what get_flags returns. Those from the first user flag on have the names that add_flag gives them. */
enum cesmi_flags { cesmi_goal = 1, cesmi_accepting = 2, cesmi_first_user_flag = 1 << 8 };

/* A state. The handle is the loader's, and goes back to it as it came. */
typedef struct {
    uint64_t handle;
    char *memory;
} cesmi_node;

typedef struct cesmi_setup cesmi_setup;

struct cesmi_setup {
    void *loader;
    /* A new node of so many bytes, all zero. */
    cesmi_node (*make_node)(const cesmi_setup *setup, int size);
    /* A new node with the same content as another one. */
    cesmi_node (*clone_node)(const cesmi_setup *setup, cesmi_node node);
    /* Called in setup: a property, with its name and what it says, both made by malloc or NULL. Returns its number. */
    int (*add_property)(cesmi_setup *setup, char *name, char *description, int type);
    /* For the module. */
    void *instance;
    int property_count;
    /* The number of the property that is being checked. */
    int property;
    int instance_initialised;
    /* Called in setup: the name of a bit of the flags, to be used in formulas. The type is not used: 0. */
    void (*add_flag)(cesmi_setup *setup, char *name, int flag, int type);
};

/* What a module defines; only get_initial and get_successor are necessary.
 *
 * Both are called with the handle 1 first, and then with what they have returned; 0 says that there are no more, and that
 * *to was not set. */
void setup(cesmi_setup *setup);
int get_initial(const cesmi_setup *setup, int handle, cesmi_node *to);
int get_successor(const cesmi_setup *setup, int handle, cesmi_node from, cesmi_node *to);
uint64_t get_flags(const cesmi_setup *setup, cesmi_node node);

/* Texts for people, made by malloc, or NULL. A transition is told by the handle that get_successor was called with. */
char *show_node(const cesmi_setup *setup, cesmi_node node);
char *show_transition(const cesmi_setup *setup, cesmi_node from, int handle);

#ifdef __cplusplus
}
#endif

#endif
