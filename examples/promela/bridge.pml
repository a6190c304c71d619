/* Four people cross a bridge by night with one torch, at most two at a time, and a pair is as slow as its slower one:
 * they need 1, 2, 5 and 10 minutes. How long does it take? Claim that they cannot all be over within LIMIT minutes,
 * and the counterexample is the schedule: for 17 minutes there is one, for 16 there is none.
 *
 * topic: puzzles
 * check:
 * expect: violated in 31 steps
 * check: -D LIMIT=16
 * expect: holds
 * states: 195  transitions: 376  deadlocks: 44
 */

#define LIMIT 17
#define PEOPLE 4

byte minutes[PEOPLE];
bool over[PEOPLE];
bool torch;		/* on which side it is */
byte time;

/* Who walks alone is both of the pair; the second is the slower one. */
inline cross(one, other) {
	atomic {
		over[one] == torch && over[other] == torch && time + minutes[other] <= LIMIT ->
		time = time + minutes[other];
		over[one] = !torch;
		over[other] = !torch;
		torch = !torch;
		assert(!(over[0] && over[1] && over[2] && over[3]))
	}
}

init {
	d_step { minutes[0] = 1; minutes[1] = 2; minutes[2] = 5; minutes[3] = 10 };
end:	do
	:: cross(0, 0)
	:: cross(1, 1)
	:: cross(2, 2)
	:: cross(3, 3)
	:: cross(0, 1)
	:: cross(0, 2)
	:: cross(0, 3)
	:: cross(1, 2)
	:: cross(1, 3)
	:: cross(2, 3)
	od
}
