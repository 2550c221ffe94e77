/* SPDX-License-Identifier: Apache-2.0 */
/* What a row of a table may decide.  outcome.c and row_outcome.c make a phase and a severity of it. */
#ifndef KUBE_EVIDENCE_OUTCOME_H
#define KUBE_EVIDENCE_OUTCOME_H

#include "kube/model/status.h"

enum outcome {
	OUTCOME_TROUBLE,   /* Failed or Degraded */
	OUTCOME_MOVEMENT,  /* Provisioning, Updating, Scaling, Maintenance, Waiting */
	OUTCOME_PAUSE,	   /* Suspended */
	OUTCOME_READY,
	OUTCOME_READY_BUT, /* Ready, with a warning */
	OUTCOME_SILENCE,   /* nobody has written a status yet, or nobody ever will */
	OUTCOME_UNKNOWN,
	OUTCOME_AS_RULED,  /* what the rules file says it is */
	OUTCOME_DELETION,
	OUTCOME_WAIT	   /* Waiting */
};

struct reading;
struct row;

/* Sets the verdict of a family's object by the row of a table that has decided. */
void outcome_of_row(struct reading *r, const struct row *row);
/* Returns the phase that it sets. */
enum phase outcome_phase_of_row(const struct reading *r, const struct row *row);

#endif
