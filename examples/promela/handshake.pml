/* Why opening a connection takes three messages. The network still holds a request of long ago. With two messages the
 * server answers it and believes in a connection that no client wants; with three it waits until the client confirms
 * the very number that the server has answered, and the client refuses a number that it does not know.
 *
 * topic: communication protocols
 * check: --safety
 * expect: holds
 * check: --safety -D WAYS=2
 * expect: violated in 4 steps
 * states: 37  transitions: 41  deadlocks: 2
 */

#define WAYS 3
#define OLD 1		/* the number of the connection of long ago */
#define NEW 2

mtype = { request, answer, confirm, refuse };

chan to_server = [2] of { mtype, byte };
chan to_client = [2] of { mtype, byte };
byte wanted;		/* the number that the client asks for */

active proctype Client() {
	byte number;
	wanted = NEW;
	to_server ! request, NEW;
end_waiting:
	do
	:: to_client ? answer, number ->
		if
		:: number == wanted -> to_server ! confirm, number
		:: else -> to_server ! refuse, number
		fi
	od
}

active proctype Server() {
	byte number;
	atomic { to_server ! request, OLD };	/* it was under way when all began */
end_listening:
	do
	:: to_server ? request, number ->
		to_client ! answer, number;
#if WAYS == 2
		assert(number == wanted)
#else
		if	/* whatever else comes in the meantime has to wait */
		:: to_server ?? confirm, eval(number) -> assert(number == wanted)
		:: to_server ?? refuse, eval(number)
		fi
#endif
	od
}
