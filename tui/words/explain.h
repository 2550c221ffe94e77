/* SPDX-License-Identifier: Apache-2.0 */
/* The words that explain a state, in -o why, in the details and in Problems. */
#ifndef TUI_WORDS_EXPLAIN_H
#define TUI_WORDS_EXPLAIN_H

#include "kube/base/arena.h"
#include "kube/model/status.h"

/* The labels of facts about an object. */
#define LABEL_REASON "reason"		/* the operator's reason, verbatim */
#define LABEL_MESSAGE "message"		/* the operator's message, verbatim */
#define LABEL_BLOCKS "blocks"		/* how many objects wait for this one */
#define LABEL_ALSO "also"		/* other root causes of the same object */
#define LABEL_VERSION "version"
/* how long the creation has taken so far, and how long it took for other objects of the kind */
#define LABEL_DURATION "duration"
/* what was changed shortly before the failure, and which other object failed then; neither need be the cause */
#define LABEL_CHANGED "changed"
#define LABEL_BEGAN "began"
#define LABEL_SHARE "share"		/* what the broken objects of the kind have and healthy ones have not */
#define LABEL_OWNER "owner"		/* the team or person that a label or an annotation names */
#define LABEL_CHANGES "changes"		/* the phase of the object changes again and again */
#define LABEL_SPEC "spec"		/* the generation of a spec that the operator has not seen yet */
#define LABEL_HELD_BY "held by"		/* the finalizers that hold the object */
#define LABEL_CONTROLLER "controller"
#define LABEL_CAREFUL "careful"
#define LABEL_RECOVERY "recovery"	/* whether the object recovers by itself, or who must do what */
#define LABEL_NEXT "next step"		/* a command that only reads */
#define LABEL_RULE "decided by"		/* what in the object decided its phase */

#define WORDING_CAREFUL                                                                                          \
	"a finalizer that is removed by hand leaves behind what it protects: what its controller made elsewhere, " \
	"or others that still rely on this object"

enum recovery {
	RECOVERY_NOT_NEEDED,
	RECOVERY_UNDER_WAY,
	RECOVERY_WAITS,
	RECOVERY_RETRIED,
	RECOVERY_GIVEN_UP,
	RECOVERY_UNKNOWN,
	RECOVERY_RESUME,
	RECOVERY_SPEC_CHANGE,
	RECOVERY_REFUSED,
	RECOVERY_CYCLE,
	RECOVERY_DELETED_OUTSIDE,
	RECOVERY_ROOT_READY,
	RECOVERY_ROOT_RETRIED,
	RECOVERY_ROOT_GIVEN_UP,
	RECOVERY_ROOT_RESUME,
	RECOVERY_ROOT_GONE,
	RECOVERY_ROOT_USED,
	RECOVERY_ROOT_GOES,
	RECOVERY_ROOT_AGAIN,
	RECOVERY_ROOT_MISSING,
	RECOVERY_ROOT_IN_THE_WAY,
	RECOVERY_ROOT_UNKNOWN,
	RECOVERY_ROOT_APPROVAL,
	RECOVERY_ROOT_OUTSIDE,
	RECOVERY_ROOT_CONTROLLER,
	RECOVERY_ROOT_FINALIZER,
	RECOVERY_ROOT_HELD,
};

/* Returns what is wrong with an object that is waited for: "does not exist", "waits for a person to approve". */
const char *explain_cause(enum wait_state cause);
/* Returns what a flag of a status means; of one that has no words here its name, with blanks. */
struct str explain_flag(struct str flag, struct arena *a);
/* Returns where an asynchronous operation is known from; source is that of struct async. */
struct str explain_async_source(struct str source);
/* Returns what the state of a finalizer means. */
const char *explain_finalizer(struct str state);
/*
 * Returns whether and how an object recovers.  id: the name of the object that it waits for, used for RECOVERY_ROOT_*.
 * The text is a constant or in the arena.
 */
struct str explain_recovery(enum recovery recovery, struct str id, struct arena *a);

#endif
