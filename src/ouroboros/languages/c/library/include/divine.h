/* The names of the model checker DiVinE. Its formulas are not read: ask them with --ltl. */
#ifndef OURO_DIVINE_H
#define OURO_DIVINE_H
#ifdef __cplusplus
extern "C" {
#endif
int __divine_choice(int ways, ...);
void __divine_interrupt_mask(void);
void __divine_interrupt_unmask(void);
void __divine_interrupt(void);
void __divine_assert(int condition);
void __divine_problem(int kind, const char *text);
#ifdef __cplusplus
}
#endif
#define AP(name) ((void)(name))
#define LTL(name, formula) extern int __ouro_formula_##name
#endif
