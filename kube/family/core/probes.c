/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the probes of a container ask, beside the ports that its pod declares and the processor time that it gets.  Of which
 * container a named port is, and that a number may be of any: kubernetes pkg/probe/util.go (ResolveContainerPort).
 */
#include "kube/family/core/core.h"

#include "kube/base/quantity.h"

#define LITTLE_CPU 0.1	/* processors: with less a program may be too slow to answer in time */

static const struct {
	const char *field, *said, *called;	/* in the spec; in the kubelet's Events; by us */
} probes[] = { { "readinessProbe", "Readiness", "the readiness probe" },
	       { "livenessProbe", "Liveness", "the liveness probe" },
	       { "startupProbe", "Startup", "the startup probe" } };

enum { PROBES = sizeof(probes) / sizeof(probes[0]) };

struct asked {
	struct str port, path;
	bool named, elsewhere;	/* the port is a name; another host is asked */
};

/* Returns false for a probe that asks no port. */
static bool read_probe(struct arena *a, struct json probe, struct asked *out)
{
	static const char *const ways[] = { "httpGet", "tcpSocket", "grpc" };

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct json way = json_at(probe, ways[i]);
		int number = (int)json_int(way, "port", 0);

		*out = (struct asked){ .port = number > 0 ? arena_printf(a, "%d", number) : json_str(way, "port"), .path = json_str(way, "path"),
				       .named = number <= 0, .elsewhere = json_str(way, "host").len > 0 };
		if (out->port.len)
			return true;
	}
	return false;
}

enum { PORTS_LENGTH = 100 };	/* bytes of a text after which no port is added */

/* Adds the container's ports to the text "8080/TCP, metrics 9090/TCP"; returns true when one of them is asked. */
static bool has_port(struct arena *a, struct json container, const struct asked *asked, struct str *text)
{
	bool has = false;

	json_foreach(port, json_at(container, "ports"))
	{
		struct str name = json_str(port, "name"), protocol = json_str(port, "protocol");
		struct str number = arena_printf(a, "%d", (int)json_int(port, "containerPort", 0));

		has |= str_eq(asked->named ? name : number, asked->port);
		if (text->len < PORTS_LENGTH)
			*text = ARENA_JOIN(a, *text, str_of(text->len ? ", " : ""), name, str_of(name.len ? " " : ""), number, STR("/"),
					   protocol.len ? protocol : STR("TCP"));
	}
	return has;
}

/* Its command, arguments or variables have the number: perhaps it listens there. */
static bool mentions(struct json container, struct str number)
{
	static const char *const lists[] = { "command", "args" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		json_foreach(word, json_at(container, lists[i]))
			if (str_find_str(json_str(word, ""), number.ptr) < json_str(word, "").len)
				return true;
	json_foreach(variable, json_at(container, "env"))
		if (str_find_str(json_str(variable, "value"), number.ptr) < json_str(variable, "value").len)
			return true;
	return false;
}

/* No container has that port, and its own declares others, and nothing of it speaks of that one: writes what they have. */
static bool contradicts(struct verdict *v, struct json container, const struct asked *asked, struct str *out_have)
{
	struct arena *a = verdict_arena(v);

	*out_have = STR_NONE;
	if (asked->elsewhere)
		return false;
	if (asked->named)
		return !has_port(a, container, asked, out_have);
	if (!json_count(json_at(container, "ports")) || mentions(container, asked->port))
		return false;
	json_foreach(c, json_at(verdict_object(v), "spec.containers"))
		if (has_port(a, c, asked, out_have))
			return false;
	return true;
}

void core_note_probes(struct verdict *v, struct json container)
{
	double cpu = quantity_read(json_str(json_at(container, "resources.limits"), "cpu"));
	struct arena *a = verdict_arena(v);
	struct asked asked;
	struct str have;

	if (cpu > 0 && cpu < LITTLE_CPU)
		verdict_particular(v, "little-cpu", json_str(json_at(container, "resources.limits"), "cpu"));
	for (size_t i = 0; i < PROBES; i++) {
		if (!read_probe(a, json_at(container, probes[i].field), &asked))
			continue;
		if (asked.path.len)
			verdict_particular(v, "probe-asks", ARENA_JOIN(a, str_of(probes[i].said), STR(" "), str_of(probes[i].called), STR(" asks "),
								       asked.path, STR(" of port "), asked.port));
		if (contradicts(v, container, &asked, &have))
			verdict_particular(v, "probe-contradicts", ARENA_JOIN(a, str_of(probes[i].said), STR(" "), str_of(probes[i].called),
									     STR(" asks port "), asked.port, STR(", and the containers have "), have.len ? have : STR("no port")));
	}
}

static struct str noted(const struct status *st, const char *what, struct str probe)
{
	struct str text;
	size_t at = 0;

	while ((text = status_particular(st, what, &at)).len)
		if (str_eq(str_head(text, str_find(text, ' ')), probe))
			return str_from(text, str_find(text, ' ') + 1);
	return STR_NONE;
}

struct str core_probe_beside(struct assessment *d, struct str message)
{
	static const char *const late[] = { "deadline exceeded", "timeout", "timed out", NULL };
	const struct status *st = assess_status(d);
	struct str probe = str_head(message, str_find(message, ' ')), asks = noted(st, "probe-asks", probe);
	struct str contradicts = noted(st, "probe-contradicts", probe), cpu = status_first_particular(st, "little-cpu");
	struct arena *a = assess_arena(d);

	if (asks.len)
		assess_because(d, asks, STR_NONE, STR("spec.containers"));
	if (contradicts.len)
		return ARENA_JOIN(a, STR("; "), contradicts);
	if (cpu.len && str_contains_any(message, late))
		return ARENA_JOIN(a, STR("; the container may use only "), cpu, STR(" of cpu"));
	return STR_NONE;
}
