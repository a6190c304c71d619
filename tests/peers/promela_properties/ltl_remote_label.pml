/* exclusion -a: violated */
active proctype P() { do :: skip; cs: skip od } active proctype Q() { do :: skip; cs: skip od }
ltl exclusion { [] !(P@cs && Q@cs) }
