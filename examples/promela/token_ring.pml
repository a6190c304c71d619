/* Three stations in a ring pass on a token, each to the next. Who has it may work; there is one token, so never two do.
 *
 * topic: mutual exclusion
 * check:
 * expect: holds
 * states: 16  transitions: 19  deadlocks: 0
 */

#define STATIONS 3

mtype = { token };

chan link[STATIONS] = [1] of { mtype };
byte working = 0;

proctype station(byte me) {
	do
	:: link[me] ? token ->
		if
		:: working++;
		   assert(working == 1);
		   working--
		:: skip
		fi;
		link[(me + 1) % STATIONS] ! token
	od
}

init {
	byte next = 0;
	atomic {
		do
		:: next < STATIONS -> run station(next); next++
		:: else -> break
		od;
		link[0] ! token
	}
}

ltl comes_round { [] <> (len(link[1]) == 1) }
