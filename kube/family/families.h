/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_FAMILY_FAMILIES_H
#define KUBE_FAMILY_FAMILIES_H

struct family;

/* Every family that was compiled in; the list ends with NULL. */
extern const struct family *const families_all[];

#endif
