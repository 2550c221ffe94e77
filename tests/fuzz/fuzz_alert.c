/* SPDX-License-Identifier: Apache-2.0 */
/* An alert comes from whoever can call a webhook or post into a chat: whatever it is, it ends, and what it names can be a list. */
#include "plugin/alert.h"

#include "kube/base/str.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct alert alert;
	struct err err = { 0 };
	int result = alert_read((struct str){ (const char *)data, size }, &alert, &err);

	if (result == 0 ? alert.alerts == 0 : !err.msg[0])
		abort();
	for (size_t i = 0; i < alert.n; i++)
		if (!alert.objects[i].name.len || !alert.objects[i].type.len || str_find(alert.objects[i].runbook, ' ') < alert.objects[i].runbook.len)
			abort();
	if (str_contains(alert.namespaces, ",,"))
		abort();
	alert_release(&alert);
	return 0;
}
