/* SPDX-License-Identifier: Apache-2.0 */
/* In whose name requests are made (client-go/transport/round_trippers.go). */
#include "kube/auth/credential.h"

#include "kube/config/header.h"

void credential_headers(const struct client_config *config, struct arena *arena,
			void (*header)(void *ctx, struct str line), void *ctx)
{
	const struct impersonation *as = &config->as;

	if (str_empty(as->user))
		return;
	header(ctx, arena_printf(arena, "Impersonate-User: " STR_FMT, STR_ARG(as->user)));
	if (!str_empty(as->uid))
		header(ctx, arena_printf(arena, "Impersonate-Uid: " STR_FMT, STR_ARG(as->uid)));
	for (size_t i = 0; i < as->ngroups; i++)
		header(ctx, arena_printf(arena, "Impersonate-Group: " STR_FMT,
					 STR_ARG(as->groups[i])));
	for (size_t i = 0; i < as->nextra; i++) {
		struct buf name = { 0 };

		header_add_extra(&name, as->extra[i].name);
		header(ctx, arena_printf(arena, "%s: " STR_FMT, buf_cstr(&name),
					 STR_ARG(as->extra[i].value)));
		buf_release(&name);
	}
}
