/* A stack without locks, after Treiber: to pop, read the top and its successor, then replace the top by the successor
 * with one compare and swap, and try again if somebody else was faster. The comparison is of addresses, and that is
 * not enough. Between the reads and the swap another thread may pop node A, pop B, and push A again: the top is A as
 * before, the swap succeeds, and makes B the top of the stack while B belongs to somebody. This is the ABA problem.
 *
 * A counter next to the top that every change increments tells the two As apart.
 *
 * topic: concurrent data structures
 * check:
 * expect: holds
 * check: -D COUNTS=0
 * expect: violated in 23 steps
 * states: 359  transitions: 623  deadlocks: 3
 */

#define COUNTS 1
#define NODES 2
#define NONE NODES

byte top = 0, changes = 0;
byte next[NODES];
bool owned[NODES];	/* somebody has popped it */

inline pop(node) {
	do
	:: d_step { node = top; change = changes };
	   if
	   :: node == NONE -> break
	   :: else -> follower = next[node]
	   fi;
	   if
	   :: d_step { top == node && (change == changes || !COUNTS) -> top = follower; changes = changes + COUNTS };
	      owned[node] = true;
	      break
	   :: else
	   fi
	od
}

inline push(node) {
	owned[node] = false;
	do
	:: change = changes;
	   next[node] = top;
	   if
	   :: d_step { top == next[node] && (change == changes || !COUNTS) -> top = node; changes = changes + COUNTS }; break
	   :: else
	   fi
	od
}

proctype Fast() {
	byte first, second, follower, change;
	pop(first);
	pop(second);
	push(first)
}

proctype Slow() {
	byte node, follower, change;
	pop(node);
	assert(top == NONE || !owned[top])
}

init {
	d_step { next[0] = 1; next[1] = NONE };
	atomic { run Fast(); run Slow() }
}
