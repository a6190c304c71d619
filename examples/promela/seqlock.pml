/* A sequence lock: the writer makes a counter odd, writes, and makes it even again; readers take no lock, but read
 * again if the counter was odd or has changed. So a writer never waits for readers.
 *
 * The counter must not come round while somebody reads: if it counts modulo 4, two writes between the reads of a slow
 * reader leave it as it was, and the reader takes half of one value and half of another for a whole.
 *
 * topic: concurrent data structures
 * check: --safety
 * expect: holds
 * check: --safety -D MODULUS=4
 * expect: violated in 20 steps
 * check: --property reads
 * expect: holds
 * states: 1415  transitions: 2623  deadlocks: 1
 */

#define MODULUS 16
#define WRITES 3

byte sequence;
byte left, right;	/* the two halves of the value */
bool done;

active proctype Writer() {
	byte value;
	do
	:: value < WRITES ->
		value++;
		sequence = (sequence + 1) % MODULUS;
		left = value;
		right = value;
		sequence = (sequence + 1) % MODULUS
	:: else -> break
	od
}

active proctype Reader() {
	byte before, first, second;
	do
	:: before = sequence;
	   if
	   :: before % 2 == 0 ->
		first = left;
		second = right;
		if
		:: before == sequence -> break
		:: else
		fi
	   :: else
	   fi
	od;
	assert(first == second);
	done = true
}

ltl reads { <> [] (sequence % 2 == 0) -> <> done }
