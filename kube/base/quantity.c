/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/quantity.h"

static const struct {
	const char *suffix;
	double factor;
} units[] = {
	{ "Ki", 1024.0 },		{ "Mi", 1048576.0 },
	{ "Gi", 1073741824.0 },		{ "Ti", 1099511627776.0 },
	{ "Pi", 1125899906842624.0 },	{ "Ei", 1152921504606846976.0 },
	{ "n", 1e-9 },			{ "u", 1e-6 },
	{ "m", 1e-3 },			{ "k", 1e3 },
	{ "M", 1e6 },			{ "G", 1e9 },
	{ "T", 1e12 },			{ "P", 1e15 },
	{ "E", 1e18 },			{ "", 1 },
};

double quantity_read(struct str text)
{
	double value = 0, digit = 1;
	size_t n = 0, dot = text.len;

	for (; n < text.len && ((text.ptr[n] >= '0' && text.ptr[n] <= '9') || text.ptr[n] == '.');
	     n++) {
		if (text.ptr[n] == '.') {
			if (dot < text.len)
				return -1;
			dot = n;
			continue;
		}
		digit = n > dot ? digit / 10 : 1;
		value = n > dot ? value + digit * (text.ptr[n] - '0')
				: value * 10 + (text.ptr[n] - '0');
	}
	for (size_t i = 0; n && i < sizeof(units) / sizeof(units[0]); i++)
		if (str_is(str_from(text, n), units[i].suffix))
			return value * units[i].factor;
	return -1;
}
