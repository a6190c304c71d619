/* The alternating bit protocol: a sender and a receiver bring messages in order over channels that may lose them. The
 * sender repeats a message until it is acknowledged, and one bit tells a repetition from the next message. Without
 * that bit a lost acknowledgement makes the receiver take a message twice.
 *
 * That messages arrive at all is another question: if the channel loses everything, nothing ever arrives.
 *
 * topic: communication protocols
 * check: --safety
 * expect: holds
 * check: --property arrives
 * expect: violated arrives by a cycle
 * check: --safety -D LOOKS=0
 * expect: violated in 12 steps
 * states: 708  transitions: 1867  deadlocks: 0
 */

#define LOOKS 1		/* whether the receiver looks at the bit */

chan data = [1] of { byte, bit };
chan answer = [1] of { bit };
byte received;

active proctype Sender() {
	byte message;
	bit mine, theirs;
	do
	:: data ! message, mine
	:: answer ? theirs ->
		if
		:: theirs == mine -> message = (message + 1) % 3; mine = 1 - mine
		:: else			/* a late answer to an earlier message */
		fi
	od
}

active proctype Receiver() {
	byte message, expected;
	bit theirs, wanted;
	do
	:: data ? message, theirs ->
		if
		:: theirs == wanted || !LOOKS ->
			assert(message == expected);
			expected = (expected + 1) % 3;
			received = message;
			wanted = 1 - theirs
		:: else
		fi;
		answer ! theirs
	od
}

active proctype Loss() {
	do
	:: data ? _, _
	:: answer ? _
	od
}

ltl arrives { [] <> (received == 1) }
