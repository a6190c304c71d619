/* A monitor with a condition variable, as in most languages of today: who is woken up competes for the lock like
 * anybody else. Until it has the lock, what it waited for may be gone again, so it must look again: `while (empty)
 * wait()` and not `if (empty) wait()`. With AGAIN=0 a consumer takes an item that another one has taken.
 *
 * topic: concurrent data structures
 * check:
 * expect: holds
 * check: -D AGAIN=0
 * expect: violated in 21 steps
 * states: 231  transitions: 392  deadlocks: 0
 */

#define AGAIN 1
#define ROOM 1

bool locked;
byte items;
bool asleep[3];

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

inline wait() {
	d_step { asleep[_pid] = true; locked = false };
	!asleep[_pid];
	lock()
}

/* Wake up all, as there is one condition for both kinds of processes. */
inline notify_all() { d_step { asleep[0] = false; asleep[1] = false; asleep[2] = false } }

active proctype Producer() {
	do
	:: lock();
	   do
	   :: items == ROOM -> wait()
	   :: else -> break
	   od;
	   items++;
	   notify_all();
	   unlock()
	od
}

active [2] proctype Consumer() {
	do
	:: lock();
#if AGAIN
	   do
	   :: items == 0 -> wait()
	   :: else -> break
	   od;
#else
	   if
	   :: items == 0 -> wait()
	   :: else
	   fi;
#endif
	   assert(items > 0);
	   items--;
	   notify_all();
	   unlock()
	od
}
