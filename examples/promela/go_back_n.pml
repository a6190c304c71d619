/* A sliding window: the sender may have WINDOW messages under way before the first of them is acknowledged; after a
 * loss it goes back and sends them all again. The receiver takes messages only in order, and acknowledges what it
 * expects next.
 *
 * Messages are numbered modulo NUMBERS, and there must be one number more than the window is wide: with as many, an
 * old message looks like a new one. The receiver compares with what was really sent to find that out.
 *
 * topic: communication protocols
 * check:
 * expect: holds
 * check: -D WINDOW=3
 * expect: violated in 38 steps
 * states: 32304  transitions: 72186  deadlocks: 0
 */

#define WINDOW 2
#define NUMBERS 3
#define ALL 6		/* a multiple of NUMBERS that tells every message under way from the others */

chan data = [2] of { byte, byte };	/* the number, and what was sent */
chan answer = [1] of { byte };

active proctype Sender() {
	byte oldest;	/* the first message that is not acknowledged */
	byte sent;	/* how many of the window are sent */
	byte number;
	do
	:: sent < WINDOW ->
		data ! (oldest + sent) % NUMBERS, (oldest + sent) % ALL;
		sent++
	:: answer ? number ->
		/* All before `number` have arrived. */
		do
		:: sent > 0 && oldest % NUMBERS != number -> oldest = (oldest + 1) % ALL; sent--
		:: else -> break
		od;
		number = 0
	:: sent > 0 -> sent = 0		/* go back */
	od
}

active proctype Receiver() {
	byte expected, number, message;
	do
	:: data ? number, message ->
		if
		:: number == expected % NUMBERS ->
			assert(message == expected);
			expected = (expected + 1) % ALL
		:: else
		fi;
		number = 0;
		message = 0;
		if
		:: answer ! expected % NUMBERS
		:: skip			/* the answer is lost */
		fi
	:: data ? _, _			/* the message is lost */
	od
}
