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
/* what was changed shortly before the failure, and which other object failed then; neither need be the cause */
#define LABEL_CHANGED "changed"
#define LABEL_BEGAN "began"
#define LABEL_SHARE "share"		/* what the broken objects of the kind have and healthy ones have not */
#define LABEL_OWNER "owner"		/* the team or person that a label or an annotation names */
#define LABEL_RUNBOOK "runbook"		/* the address of what to do */
#define LABEL_SPEC "spec"		/* the generation of a spec that the operator has not seen yet */
#define LABEL_HELD_BY "held by"		/* the finalizers that hold the object */
#define LABEL_CONTROLLER "controller"
#define LABEL_CAREFUL "careful"
#define LABEL_RECOVERY "recovery"	/* what has to happen, and who has to do it (tui/words/recovery.h) */
#define LABEL_NEXT "next step"		/* a command that only reads */
#define LABEL_RULE "decided by"		/* what in the object decided its phase, and the name of the rule */
#define LABEL_AGREES "agrees"	/* what else in the object says the same */
#define LABEL_OVERRULED "overruled"	/* what in the object says otherwise, and counts less */

#define WORDING_CAREFUL                                                                                          \
	"a finalizer that is removed by hand leaves behind what it protects: what its controller made elsewhere, " \
	"or others that still rely on this object"

/* Returns what is wrong with an object that is waited for: "does not exist", "waits for a person to approve". */
const char *explain_cause(enum wait_state cause);
/* Returns what a flag of a status means; of one that has no words here its name, with blanks. */
struct str explain_flag(struct str flag, struct arena *a);
/* Returns where an asynchronous operation is known from; source is that of struct async. */
struct str explain_async_source(struct str source);
/* Returns what the state of a finalizer means. */
const char *explain_finalizer(struct str state);

#endif
