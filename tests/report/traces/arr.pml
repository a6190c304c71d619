byte a[4]; typedef Rec { byte u; short v[2] }; Rec r[2];
active proctype P() { byte i; for (i : 0 .. 3) { a[i] = i * i }; r[1].v[0] = a[3]; r[1].u = a[2]; assert(r[1].v[0] != 9) }
