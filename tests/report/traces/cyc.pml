bool want0, want1; byte turn;
active proctype A() { do :: want0 = true; do :: want1 -> skip :: else -> break od; want0 = false od }
active proctype B() { do :: want1 = true; do :: want0 -> skip :: else -> break od; want1 = false od }
ltl live { []<> want0 }
