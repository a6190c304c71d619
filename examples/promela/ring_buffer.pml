/* A queue for one producer and one consumer, without locks: the producer alone writes `tail`, the consumer alone
 * writes `head`, and each only reads the other's. This needs no atomic operations at all, but the slot must be written
 * before `tail` says that it is: with EARLY the consumer may read what is not there yet. On a real processor the
 * compiler, or the processor itself, may do that to you unless told not to.
 *
 * topic: concurrent data structures
 * check:
 * expect: holds
 * check: -D EARLY=1
 * expect: violated in 4 steps
 * states: 431  transitions: 753  deadlocks: 0
 */

#define EARLY 0
#define SIZE 3		/* one slot stays empty: else full would look like empty */
#define VALUES 4

byte slot[SIZE];
byte head, tail;

active proctype Producer() {
	byte value = 1;
	do
	:: (tail + 1) % SIZE != head ->
#if EARLY
		tail = (tail + 1) % SIZE;
		slot[(tail + SIZE - 1) % SIZE] = value;
#else
		slot[tail] = value;
		tail = (tail + 1) % SIZE;
#endif
		value = value % VALUES + 1
	od
}

active proctype Consumer() {
	byte expected = 1;
	do
	:: head != tail ->
		assert(slot[head] == expected);
		head = (head + 1) % SIZE;
		expected = expected % VALUES + 1
	od
}
