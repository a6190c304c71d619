/* A barber sleeps until a customer comes; a customer sleeps until the barber is done. Each looks whether the other is
 * there before falling asleep, but not in one step with falling asleep: the call that comes in between is lost.
 *
 * topic: synchronisation
 * check:
 * expect: violated in 5 steps
 * states: 84  transitions: 143  deadlocks: 1
 */

bool customer_waits = false;
bool barber_sleeps = false;
bool done = false;

active proctype barber() {
	do
	:: if
	   :: customer_waits -> skip
	   :: else ->
		barber_sleeps = true;
		!barber_sleeps
	   fi;
	   customer_waits = false;
	   done = true
	od
}

active proctype customer() {
	do
	:: customer_waits = true;
	   if
	   :: barber_sleeps -> barber_sleeps = false
	   :: else -> skip
	   fi;
	   done;
	   done = false
	od
}
