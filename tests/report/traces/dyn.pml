byte done;
proctype Worker(byte id) { byte k = id; k = k * 2; done++ }
init { byte i; atomic { i = 1; do :: i < 4 -> run Worker(i); i++ :: else -> break od }; (done == 3); assert(false) }
