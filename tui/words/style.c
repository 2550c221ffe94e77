/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/words/style.h"

static const struct appearance appearances[PHASE_COUNT] = {
	[PHASE_DELETING] = { "⊖", STYLE_LEAVING, "deleting" },
	[PHASE_FAILED] = { "✖", STYLE_BAD, "failed" },
	[PHASE_WAITING] = { "◷", STYLE_WAIT, "waiting" },
	[PHASE_PROVISIONING] = { "↻", STYLE_PROGRESS, "provisioning" },
	[PHASE_UPDATING] = { "↻", STYLE_PROGRESS, "updating" },
	[PHASE_MAINTENANCE] = { "↻", STYLE_PROGRESS, "in maintenance" },
	[PHASE_SCALING] = { "↻", STYLE_PROGRESS, "scaling" },
	[PHASE_DEGRADED] = { "▲", STYLE_WARN, "degraded" },
	[PHASE_SUSPENDED] = { "‖", STYLE_DIM, "suspended" },
	[PHASE_READY] = { "✔", STYLE_GOOD, "ready" },
	[PHASE_UNKNOWN] = { "?", STYLE_UNKNOWN, "unknown" },
};

const struct appearance *phase_appearance(enum phase phase)
{
	return &appearances[phase < PHASE_COUNT ? phase : PHASE_UNKNOWN];
}

enum style severity_style(enum severity severity)
{
	static const enum style styles[SEVERITY_COUNT] = {
		[SEVERITY_NONE] = STYLE_DIM,
		[SEVERITY_INFO] = STYLE_NORMAL,
		[SEVERITY_WARNING] = STYLE_WARN,
		[SEVERITY_ERROR] = STYLE_BAD,
	};

	return severity < SEVERITY_COUNT ? styles[severity] : STYLE_NORMAL;
}
