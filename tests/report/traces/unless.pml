byte x; bool stop;
active proctype P() { { do :: x < 5 -> x++ od } unless { stop -> x = 100 }; assert(x != 100) }
active proctype Q() { x == 3 -> stop = true }
