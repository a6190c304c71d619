/* Leader election on a ring with messages in one direction, after Dolev, Klawe, Rodeh and Peterson: in each round a
 * candidate compares the numbers of the two candidates before it, and stays one, with the number of the nearer, if
 * that is the largest of the three. So every round at least halves the candidates, and messages are n log n in all,
 * where the simple election of the DVE example `election` may need n * n.
 *
 * topic: leader election
 * check: --safety
 * expect: holds
 * check: --property elected
 * expect: holds
 * check: --property largest
 * expect: holds
 * states: 1639  transitions: 4689  deadlocks: 1
 */

#define NODES 4
#define before(node) ((node + NODES - 1) % NODES)

mtype = { first, second };

chan link[NODES] = [2] of { mtype, byte };	/* from each node to the next */
byte leaders;
byte leader;		/* the number of the winner */

active [NODES] proctype Node() {
	byte number = 2 * (_pid + 1) % 5;	/* 2, 4, 1, 3 */
	byte near, far;

candidate:
	link[_pid] ! first, number;
	link[before(_pid)] ? first, near;
	if
	:: near == number ->		/* it has gone round: nobody else is left */
		d_step { leaders++; leader = number };
		assert(leaders == 1);
		goto done
	:: else
	fi;
	link[_pid] ! second, near;
	link[before(_pid)] ? second, far;
	if
	:: near > number && near > far -> number = near; goto candidate
	:: else -> near = 0; far = 0
	fi;

end_relay:
	do
	:: link[before(_pid)] ? first, number -> link[_pid] ! first, number
	:: link[before(_pid)] ? second, number -> link[_pid] ! second, number
	od;

done:	skip
}

ltl elected { <> (leaders == 1) }
ltl largest { [] (leaders > 0 -> leader == 4) }
