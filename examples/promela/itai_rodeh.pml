/* Leader election without numbers to compare, after Itai and Rodeh: on an anonymous ring every candidate draws a
 * number at random and sends it round with a count of hops and a mark that says whether somebody else has drawn the
 * same. The largest number wins if it is alone; else those who drew it draw again.
 *
 * Never are two elected. But no deterministic algorithm can break the symmetry, and chance may always be unlucky:
 * there is a run on which all draw alike for ever. It has probability zero, and temporal logic knows no probabilities.
 *
 * topic: leader election
 * check: --safety
 * expect: holds
 * check: --property elected
 * expect: violated elected by a cycle
 * states: 1190  transitions: 2479  deadlocks: 3
 */

#define NODES 3
#define before(node) ((node + NODES - 1) % NODES)

chan link[NODES] = [2] of { byte, byte, bool };	/* number, hops, whether it is alone */
byte leaders;

active [NODES] proctype Node() {
	byte mine, number, hops;
	bool alone;

draw:	atomic {
		if
		:: mine = 1
		:: mine = 2
		fi;
		link[_pid] ! mine, 1, true
	};

candidate:
	atomic {
		link[before(_pid)] ? number, hops, alone;
		if
		:: hops == NODES && alone ->
			leaders++;
			assert(leaders == 1);
			goto done
		:: hops == NODES && !alone -> goto draw
		:: hops < NODES && number == mine -> link[_pid] ! number, hops + 1, false; goto candidate
		:: hops < NODES && number > mine -> link[_pid] ! number, hops + 1, alone
		:: hops < NODES && number < mine -> goto candidate
		fi;
		mine = 0
	};

end_relay:
	do
	:: atomic { link[before(_pid)] ? number, hops, alone -> link[_pid] ! number, hops + 1, alone }
	od;

done:	skip
}

ltl elected { <> (leaders == 1) }
