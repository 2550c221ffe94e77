/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an alert (--alert): which objects its labels mean, since when it fires, and where its runbook is.  Forms: JSON of
 * Alertmanager (webhook and API), Grafana and PagerDuty, or any text with key="value" pairs.
 */
#ifndef PLUGIN_ALERT_H
#define PLUGIN_ALERT_H

#include "kube/base/arena.h"
#include "kube/base/err.h"

/* An object that labels name. */
struct alert_object {
	const char *label;	/* the name of the label */
	struct str type;	/* TYPE as an argument has it: "deployments.apps" */
	struct str ns, name;	/* ns: "" where no label tells it */
	struct str runbook;	/* the address that its alert gives, "": none */
};

enum { ALERTS_READ = 1000 };

struct alert {
	struct arena arena;	/* holds everything */
	struct alert_object *objects;
	size_t n, cap;
	struct str namespaces, clusters;	/* of all alerts, with commas between them */
	struct str name;	/* of the first alert that has one, "KubePodCrashLooping" */
	struct str runbook;	/* of the first alert that has one */
	int64_t since;		/* when the first of them began, ms; 0: it is not told */
	size_t alerts;		/* number of alerts that have labels; of those beyond ALERTS_READ nothing is read */
};

/*
 * Reads all alerts of a text that fire; of nothing but resolved ones, these.  Each object is listed once.  Returns -1 with
 * ERR_INPUT when
 * the text has no labels.  Release with alert_release() in any case.
 */
int alert_read(struct str text, struct alert *out, struct err *err) MUST_USE;
void alert_release(struct alert *a);

#endif
