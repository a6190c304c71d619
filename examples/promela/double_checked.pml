/* Double-checked locking: a lazily made object, which every thread looks for without the lock first. Who finds nothing
 * takes the lock and looks again, so that only one makes it. It is right only if the object is complete before it can
 * be found: with EARLY it is published first and filled in afterwards, which is what compilers and processors may make
 * of the correct text, and a thread uses what is not there yet.
 *
 * topic: concurrent data structures
 * check:
 * expect: holds
 * check: -D EARLY=1
 * expect: violated in 10 steps
 * states: 247  transitions: 524  deadlocks: 1
 */

#define EARLY 0

bool locked, found;
byte content, made;

active [3] proctype Thread() {
	if
	:: found
	:: else ->
		atomic { !locked -> locked = true };
		if
		:: found
		:: else ->
			made++;
			assert(made == 1);
#if EARLY
			found = true;
			content = 7
#else
			content = 7;
			found = true
#endif
		fi;
		locked = false
	fi;
	assert(content == 7)
}
