/* Two-phase commit when the coordinator may crash. Whoever voted yes has promised to do what the coordinator decides,
 * so a crash between the votes and the decision leaves it blocked: it may neither commit nor abort. That is no mistake
 * of this model but the known weakness of the protocol; `three_phase_commit.m` has the remedy.
 *
 * Whatever happens, nobody commits while another one aborts.
 *
 * topic: commit protocols
 * check: --property all_or_nothing
 * expect: holds
 * check: --property end-states
 * expect: violated in 24 steps
 * check: --property end-states -D CRASHES=0
 * expect: holds
 * states: 5032  transitions: 13346  deadlocks: 26
 */

#define CRASHES 1
#define PARTICIPANTS 3

mtype = { yes, no, commit, abort };

chan ballot = [PARTICIPANTS] of { mtype };
chan outcome[PARTICIPANTS] = [1] of { mtype };
byte committed, aborted;

active [PARTICIPANTS] proctype Participant() {
	mtype decision;
	if
	:: ballot ! no; aborted++	/* who votes no knows how it ends */
	:: ballot ! yes;
	   outcome[_pid] ? decision;
	   if
	   :: decision == commit -> committed++
	   :: decision == abort -> aborted++
	   fi
	fi
}

active proctype Coordinator() {
	mtype vote, decision = commit;
	byte count;

	do
	:: count < PARTICIPANTS ->
		ballot ? vote;
		count++;
		if
		:: vote == no -> decision = abort
		:: else
		fi
	:: else -> break
	od;
	count = 0;
	do
#if CRASHES
	:: count < PARTICIPANTS -> goto crashed
#endif
	:: count < PARTICIPANTS -> outcome[count] ! decision; count++
	:: else -> break
	od;
crashed:
	skip
}

ltl all_or_nothing { [] !(committed > 0 && aborted > 0) }
