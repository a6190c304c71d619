/* violated: the number of a channel tells how many processes there were */
byte b;
active proctype A() { chan c = [1] of {byte}; b = c; assert(b == 1)}
proctype B() { chan c = [1] of {byte}; byte z; z = c; assert(z != 3) }
proctype D() { skip }
init { run D(); run B() }
