/* SPDX-License-Identifier: Apache-2.0 */
/* The list of families, made from the files in kube/family. */
#include "kube/family/families.h"

#include "kube/status/family.h"

#include <stddef.h>

#define FAMILY(name) extern const struct family family_##name;
#include "families.def"
#undef FAMILY

const struct family *const families_all[] = {
#define FAMILY(name) &family_##name,
#include "families.def"
#undef FAMILY
	NULL
};
