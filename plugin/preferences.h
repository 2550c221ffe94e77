/* SPDX-License-Identifier: Apache-2.0 */
/* The user's own file. */
#ifndef PLUGIN_PREFERENCES_H
#define PLUGIN_PREFERENCES_H

#include "kube/base/err.h"

/*
 * Reads $KUBECTL_STATUS_CONFIG, else ~/.kube/kubectl-status.yaml if there is one:
 *
 *	apiVersion: kubectl-status/v1
 *	kind: Preferences
 *	thresholds:
 *	  overdue: 45m
 *
 * ERR_INPUT names the file and what is wrong in it: a wish that is misspelt must not
 * go unnoticed.
 */
int preferences_load(struct err *err) MUST_USE;

#endif
