/* Peterson's algorithm: two processes share a critical section with nothing but reads and writes. Each says that it
 * wants to enter, then gives way to the other; who gave way last waits. The order of these two statements is all that
 * matters: swap them, and both get in.
 *
 * Nobody who wants to enter starves, but only on runs on which every process that can move does so some time.
 *
 * topic: mutual exclusion
 * check: --safety
 * expect: holds
 * check: --property served
 * expect: violated served by a cycle
 * check: --property served --fairness weak
 * expect: holds
 * check: --safety -D SWAPPED=1
 * expect: violated in 11 steps
 * states: 58  transitions: 104  deadlocks: 0
 */

#define SWAPPED 0

bool wants[2];
byte last;		/* who gave way last */
byte inside;

active [2] proctype Process() {
	do
	:: skip;
#if SWAPPED
	   last = _pid;
	   wants[_pid] = true;
#else
	   wants[_pid] = true;
	   last = _pid;
#endif
	   (!wants[1 - _pid] || last != _pid);
	   inside++;
critical:  assert(inside == 1);
	   inside--;
	   wants[_pid] = false
	od
}

ltl served { [] (wants[0] -> <> Process[0]@critical) }
