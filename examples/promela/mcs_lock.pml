/* A queue lock, after Mellor-Crummey and Scott: who wants the lock appends itself to a queue with one atomic exchange
 * and spins on a flag of its own, which its predecessor clears. Nobody overtakes, and nobody disturbs the others by
 * reading.
 *
 * The flag must be raised before the predecessor can see who follows: with LATE the predecessor may clear it first,
 * and its successor then waits for ever.
 *
 * topic: mutual exclusion
 * check:
 * expect: holds
 * check: -D LATE=1
 * expect: violated in 28 steps
 * states: 11645  transitions: 31885  deadlocks: 0
 */

#define LATE 0
#define THREADS 3
#define NOBODY THREADS

byte tail = NOBODY;		/* the last in the queue */
byte next[THREADS] = NOBODY;	/* who follows */
bool waits[THREADS];
byte inside;

active [THREADS] proctype Thread() {
	byte before;
	do
	:: next[_pid] = NOBODY;
	   atomic { before = tail; tail = _pid };
	   if
	   :: before == NOBODY
	   :: else ->
#if LATE
		next[before] = _pid;
		waits[_pid] = true;
#else
		waits[_pid] = true;
		next[before] = _pid;
#endif
		!waits[_pid]
	   fi;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   if
	   :: atomic { tail == _pid -> tail = NOBODY }	/* compare and swap: nobody follows */
	   :: else ->
		next[_pid] != NOBODY;
		waits[next[_pid]] = false
	   fi
	od
}
