/* SPDX-License-Identifier: Apache-2.0 */
/* The words that explain a state, in -o why, in the details and in Problems. */
#ifndef TUI_WORDS_EXPLAIN_H
#define TUI_WORDS_EXPLAIN_H

#include "kube/base/arena.h"
#include "kube/model/status.h"

/* Labels of facts. */
#define LABEL_REASON "reason"		/* the operator's reason, verbatim */
#define LABEL_MESSAGE "message"		/* the operator's message, verbatim */
#define LABEL_BLOCKS "blocks"		/* how many wait for it */
#define LABEL_ALSO "also"		/* other root causes */
#define LABEL_VERSION "version"
#define LABEL_DURATION "duration"	/* so far, and of others of its kind */
#define LABEL_BEGAN "began"		/* what changed shortly before; not necessarily the cause */
#define LABEL_CHANGES "changes"		/* its phase changes again and again */
#define LABEL_SPEC "spec"		/* the operator has not seen the latest generation */
#define LABEL_HELD_BY "held by"		/* a finalizer */
#define LABEL_CONTROLLER "controller"
#define LABEL_CAREFUL "careful"
#define LABEL_RECOVERY "recovery"	/* by itself, or who must do what */
#define LABEL_NEXT "next step"		/* a command that only reads */
#define LABEL_RULE "rule"		/* what in the object decided its phase */

#define WORDING_CAREFUL                                                                                          \
	"a finalizer that is removed by hand leaves behind what it protects: what its controller made elsewhere, " \
	"or others that still rely on this object"

enum recovery {
	RECOVERY_NOT_NEEDED,
	RECOVERY_UNDER_WAY,
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

/* Words for what is waited for: "does not exist", "waits for a person to approve". */
const char *explain_cause(enum wait_state cause);
/* Words for the state of a finalizer. */
const char *explain_finalizer(struct str state);
/* Whether and how it recovers.  id: the object that it depends on, for RECOVERY_ROOT_*.  A constant, or in the arena. */
struct str explain_recovery(enum recovery recovery, struct str id, struct arena *a);

#endif
