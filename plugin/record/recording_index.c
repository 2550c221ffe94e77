/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file: a compressed recording of states one after the other, a table (JSON) that says where they are and what
 * of the recording they belong to, and a line of fixed length that says where the table is.
 */
#include "plugin/record/recording_index.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/system.h"
#include "kube/base/time.h"
#include "kube/family/families.h"
#include "kube/model/document.h"
#include "kube/status/thresholds.h"
#include "plugin/rules.h"
#include "plugin/signals.h"
#include "sources.h" /* SOURCES, written by make */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT "kubectl-status-index/2"	/* another one when what a state tells is another */
#define FOOTER "%016llx %016llx " FORMAT "\n"
#define FOOTER_TEXT (34 + sizeof(FORMAT))
#define SUFFIX ".index.gz"
#define LEAST MIB(16)		/* of a recording */
#define MOST MIB(256)		/* of all indexes */
enum { SHARE = 10, STATES = 40 };	/* an index is a tenth of the recording, and has so many states at most */
#define SUM(text) ((int64_t)(str_hash(text) >> 12))	/* whole in a double */

struct state {
	int64_t time, rechecked;	/* ms */
	struct replay_place place;
	int64_t at, size, lines;	/* in the index */
	int64_t sum;
};

struct recording_index {
	char *recording, *dir, *name;
	int64_t key;
	int fd;			/* -1: there is no index */
	bool tried;		/* to make one */
	struct state states[STATES];
	size_t n;
};

void recording_index_free(struct recording_index *x)
{
	if (!x)
		return;
	if (x->fd >= 0)
		close(x->fd);
	xfree(x->recording);
	xfree(x->dir);
	xfree(x->name);
	xfree(x);
}

/* ---- what it belongs to --------------------------------------------------------- */

static void note_own_rules(void *to, struct str group, bool builtin, const char *file)
{
	(void)group;
	(void)file;
	*(bool *)to |= !builtin;
}

/* What is long enough, is no pipe, and is not written any more. */
static bool is_worth_it(const struct program *p, const struct stat *st)
{
	bool own_rules = false;

	rules_groups(note_own_rules, &own_rules);
	return S_ISREG(st->st_mode) && st->st_nlink > 0 && (size_t)st->st_size >= LEAST && !own_rules &&
	       (int64_t)system_written(st).tv_sec * 1000 + SECONDS(2) < p->started;
}

/* The recording as it is now, and what verdicts depend on beside it: the program's sources, thresholds. */
static int64_t key_of(const struct program *p, const struct replay *r, const struct stat *st)
{
	const struct timespec written = system_written(st);
	struct buf text = { 0 };
	struct threshold_row row;
	int64_t key;

	buf_printf(&text, "%s %s %lld %lld %lld %lld.%ld %d ", FORMAT, SOURCES, (long long)st->st_dev, (long long)st->st_ino,
		   (long long)st->st_size, (long long)written.tv_sec, (long)written.tv_nsec, p->options.filename.n > 0);
	for (size_t i = 0; thresholds_row(families_all, i, &row); i++)
		buf_printf(&text, "%lld ", (long long)row.value);
	replay_header(r, &text);
	key = SUM(buf_str(&text));
	buf_release(&text);
	return key;
}

static struct recording_index *index_of(const struct program *p, const struct replay *r, const char *recording)
{
	struct recording_index *x;
	struct arena arena = { 0 };
	const char *cache;
	struct stat st;

	if (replay_file(r) < 0 || fstat(replay_file(r), &st) < 0 || !is_worth_it(p, &st))
		return NULL;
	cache = options_cache_dir(&p->options, &arena);
	if (!cache)
		return NULL;
	x = xcalloc(1, sizeof(*x));
	x->fd = -1;
	x->key = key_of(p, r, &st);
	x->recording = xstrdup(recording);
	x->dir = xstrdup(arena_printf(&arena, "%s/kubectl-status", cache).ptr);
	x->name = xstrdup(arena_printf(&arena, "%s/%016llx" SUFFIX, x->dir, (unsigned long long)x->key).ptr);
	arena_release(&arena);
	return x;
}

/* ---- reading -------------------------------------------------------------------- */

/* False: it is not there, or not as it was written. */
static bool read_piece(int fd, int64_t at, int64_t size, struct buf *out)
{
	char chunk[4096];

	while (size > 0) {
		ssize_t n = pread(fd, chunk, (size_t)size < sizeof(chunk) ? (size_t)size : sizeof(chunk), (off_t)at);

		if (n <= 0)
			return false;
		buf_add(out, (struct str){ chunk, (size_t)n });
		at += n;
		size -= n;
	}
	return true;
}

static bool read_hex(struct str text, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";

	*out = 0;
	for (size_t i = 0; i < text.len; i++) {
		const char *digit = text.ptr[i] ? strchr(digits, text.ptr[i]) : NULL;

		if (!digit)
			return false;
		*out = *out << 4 | (uint64_t)(digit - digits);
	}
	return text.len == 16;
}

static bool read_footer(struct str line, uint64_t *out_at, uint64_t *out_sum)
{
	return read_hex(str_head(line, 16), out_at) && read_hex(str_head(str_from(line, 17), 16), out_sum);
}

static bool read_table(int fd, struct json *out)
{
	struct buf text = { 0 };
	uint64_t at, sum;
	struct stat st;
	int64_t end;
	bool ok = false;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return false;
	end = (int64_t)st.st_size - (int64_t)FOOTER_TEXT;
	if (end > 0 && read_piece(fd, end, FOOTER_TEXT, &text) && read_footer(buf_str(&text), &at, &sum) &&
	    str_ends(buf_str(&text), " " FORMAT "\n") && at < (uint64_t)end && (uint64_t)end - at <= MIB(1)) {
		buf_reset(&text);
		ok = read_piece(fd, (int64_t)at, end - (int64_t)at, &text) && str_hash(buf_str(&text)) == sum &&
		     json_parse(buf_str(&text), out, &(struct err){ 0 }) == 0;
	}
	buf_release(&text);
	return ok;
}

static void read_states(struct recording_index *x, struct json table)
{
	json_foreach(it, json_at(table, "states")) {
		struct state *s = &x->states[x->n];

		if (x->n == STATES)
			return;
		*s = (struct state){
			.time = json_int(it, "[0]", 0),
			.rechecked = json_int(it, "[1]", 0),
			.place = { json_int(it, "[2]", 0), json_int(it, "[3]", 0) },
			.at = json_int(it, "[4]", 0),
			.size = json_int(it, "[5]", 0),
			.lines = json_int(it, "[6]", 0),
			.sum = json_int(it, "[7]", 0),
		};
		x->n++;
	}
}

static struct replay_survey read_survey(struct json table)
{
	return (struct replay_survey){
		.start = json_int(table, "start", 0),
		.end = json_int(table, "end", 0),
		.bad = (size_t)json_int(table, "bad", 0),
		.first_bad = (size_t)json_int(table, "firstBad", 0),
		.cut = json_bool(table, "cut", false),
		.damaged = json_bool(table, "damaged", false),
	};
}

/* All of it lies within the file, and times do not go back. */
static bool are_states_possible(const struct recording_index *x)
{
	struct stat st;

	if (fstat(x->fd, &st) < 0)
		return false;
	for (size_t i = 0; i < x->n; i++) {
		const struct state *s = &x->states[i];

		if (s->time <= 0 || s->rechecked < 0 || s->place.offset < 0 || s->place.time <= 0 || s->at < 0 || s->size < 0 ||
		    s->lines < 0 || s->at > st.st_size || s->size > st.st_size - s->at || (i && s->time < s[-1].time))
			return false;
	}
	return true;
}

/* False: there is none of use. */
static bool read_index(struct recording_index *x, struct replay_survey *out)
{
	struct json table;
	bool ok;

	x->fd = open(x->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	x->n = 0;
	if (x->fd < 0)
		return false;
	ok = read_table(x->fd, &table);
	if (ok) {
		*out = read_survey(table);
		read_states(x, table);
		ok = json_int(table, "key", 0) == x->key && are_states_possible(x);
		json_free(table);
	}
	if (!ok) {
		close(x->fd);
		x->fd = -1;
	}
	return ok;
}

/* ---- making --------------------------------------------------------------------- */

static void write_table(const struct recording_index *x, const struct replay_survey *known, struct buf *out)
{
	struct document d = document_object(), states;

	document_add_int(d, "key", x->key);
	document_add_int(d, "start", known->start);
	document_add_int(d, "end", known->end);
	document_add_int(d, "bad", (int64_t)known->bad);
	document_add_int(d, "firstBad", (int64_t)known->first_bad);
	document_add_bool(d, "cut", known->cut);
	document_add_bool(d, "damaged", known->damaged);
	states = document_add_array(d, "states");
	for (size_t i = 0; i < x->n; i++) {
		const struct state *s = &x->states[i];
		int64_t values[] = { s->time, s->rechecked, s->place.offset, s->place.time, s->at, s->size, s->lines, s->sum };
		struct document state = document_add_array(states, NULL);

		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
			document_add_int(state, NULL, values[k]);
	}
	document_write(d, out);
	document_free(d);
}

/* Sums of what is in the file by now, and the table behind it. */
static bool finish_file(struct recording_index *x, const char *name, const struct replay_survey *known)
{
	int fd = open(name, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	struct buf text = { 0 };
	struct stat st;
	bool ok = fd >= 0 && fstat(fd, &st) == 0;

	for (size_t i = 0; ok && i < x->n; i++) {
		buf_reset(&text);
		ok = read_piece(fd, x->states[i].at, x->states[i].size, &text);
		x->states[i].sum = SUM(buf_str(&text));
	}
	if (ok) {
		uint64_t sum;

		buf_reset(&text);
		write_table(x, known, &text);
		sum = str_hash(buf_str(&text));
		buf_printf(&text, FOOTER, (unsigned long long)st.st_size, (unsigned long long)sum);
		ok = write(fd, text.ptr, text.len) == (ssize_t)text.len;
	}
	if (fd >= 0)
		ok = close(fd) == 0 && ok;
	buf_release(&text);
	return ok;
}

struct making {
	struct recording_index *x;
	struct program *p;	/* one of its own */
	struct recorder *to;
	int64_t size;		/* of the recording */
	int64_t last;		/* where the last state is */
	size_t budget, state;	/* bytes of all states; of the last one */
};

/* So far apart that all of them fit in evenly. */
static bool is_due(const struct making *m, const struct replay_place *place)
{
	double passed = (double)place->offset / (double)m->size;

	return m->x->n < STATES && place->offset - m->last >= m->size / STATES &&
	       (double)(recorder_written(m->to) + m->state) <= (double)m->budget * passed;
}

static void add_state(struct making *m, const struct replay_place *place)
{
	size_t at = recorder_written(m->to), lines = recorder_lines(m->to);

	recorder_write_state(m->to, &m->p->world, replay_latest(m->p->replay));
	recorder_write_recent(m->to, &m->p->world);
	recorder_flush(m->to);
	m->state = recorder_written(m->to) - at;
	m->x->states[m->x->n++] = (struct state){
		.time = m->p->world.now, .rechecked = m->p->rechecked, .place = *place, .at = (int64_t)at,
		.size = (int64_t)m->state, .lines = (int64_t)(recorder_lines(m->to) - lines),
	};
	m->last = place->offset;
}

/* From each state on the rest is read as it will be read later: what does not work then does not now. */
static bool play_all(struct making *m)
{
	struct replay *r = m->p->replay;

	for (int64_t at = replay_next(r); at; at = replay_next(r)) {
		struct replay_place place;

		program_play_moment(m->p, at);
		if (signals_held())
			return false;
		if (!replay_place(r, &place) || !is_due(m, &place))
			continue;
		add_state(m, &place);
		if (recorder_written(m->to) > m->budget || !replay_go(r, &place))
			return false;
	}
	return !replay_is_damaged(r);
}

/* Makes dir and those above it. */
static void make_dir(const char *dir)
{
	char *path = xstrdup(dir);

	for (char *at = path + 1; *at; at++)
		if (*at == '/') {
			*at = '\0';
			(void)mkdir(path, 0700);
			*at = '/';
		}
	(void)mkdir(path, 0700);
	xfree(path);
}

static bool make_states(struct making *m, const char *file)
{
	size_t n;
	const struct str *contexts = replay_contexts(m->p->replay, &m->p->world.texts, &n);
	bool ok;

	m->p->world.now = replay_start(m->p->replay);
	m->to = recorder_open_quick(file, &m->p->world, contexts, n, replay_namespace(m->p->replay), &(struct err){ 0 });
	if (!m->to)
		return false;
	ok = play_all(m);
	return recorder_close(m->to, &(struct err){ 0 }) == 0 && ok;
}

static size_t budget_of(int64_t size)
{
	return (size_t)size / SHARE < MOST ? (size_t)size / SHARE : MOST;
}

/*
 * Plays the whole recording once, in a world of its own.  known: what was found out of it before; NULL: that is found out
 * here, which only works for a plain file.
 */
static bool make_file(struct recording_index *x, const struct program *from, const struct replay_survey *known, const char *file)
{
	struct program p = { .options = from->options, .started = from->started };
	struct making m = { .x = x, .p = &p };
	struct stat st;
	bool ok = false;

	world_init(&p.world, p.options.filename.n > 0);
	p.replay = replay_begin(x->recording, &(struct err){ 0 });
	if (p.replay && replay_file(p.replay) >= 0 && fstat(replay_file(p.replay), &st) == 0 &&
	    (known || replay_survey_as_it_plays(p.replay))) {
		x->tried = true;
		program_meet_recording(&p);
		if (known)
			replay_set_known(p.replay, known);
		m.size = (int64_t)st.st_size;
		m.budget = budget_of(m.size);
		x->n = 0;
		/* the recording must be the same before and after */
		ok = key_of(&p, p.replay, &st) == x->key && make_states(&m, file) && fstat(replay_file(p.replay), &st) == 0 &&
		     key_of(&p, p.replay, &st) == x->key && finish_file(x, file, replay_known(p.replay));
	}
	replay_free(p.replay);
	query_release(&p.query);
	world_release(&p.world);
	return ok;
}

/* The oldest go, until all are within the ceiling: the new one stays. */
static void make_room(const struct recording_index *x)
{
	bool done = false;

	while (!done) {
		DIR *dir = opendir(x->dir);
		struct buf oldest = { 0 }, path = { 0 };
		size_t total = 0;
		int64_t when = INT64_MAX;

		for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
			struct stat st;

			buf_reset(&path);
			buf_printf(&path, "%s/%s", x->dir, e->d_name);
			if (!str_ends(str_of(e->d_name), SUFFIX) || lstat(buf_cstr(&path), &st) < 0)
				continue;
			total += (size_t)st.st_size;
			if (str_is(buf_str(&path), x->name) || (int64_t)system_written(&st).tv_sec >= when)
				continue;
			when = (int64_t)system_written(&st).tv_sec;
			buf_reset(&oldest);
			buf_add(&oldest, buf_str(&path));
		}
		if (dir)
			closedir(dir);
		done = total <= MOST || !oldest.len || unlink(buf_cstr(&oldest)) < 0;
		buf_release(&path);
		buf_release(&oldest);
	}
}

/* known: as for make_file().  False: there is none now either. */
static bool make_index(struct recording_index *x, const struct program *p, const struct replay_survey *known,
		       struct replay_survey *out)
{
	struct buf file = { 0 };

	signals_hold();	/* no half of a file is left behind */
	make_dir(x->dir);
	buf_printf(&file, "%s/%016llx.%d" SUFFIX, x->dir, (unsigned long long)x->key, (int)getpid());
	if (!make_file(x, p, known, buf_cstr(&file)) || rename(buf_cstr(&file), x->name) < 0)
		unlink(buf_cstr(&file));
	signals_release();
	buf_release(&file);
	make_room(x);
	return read_index(x, out);
}

/* ---- use ------------------------------------------------------------------------ */

int recording_index_open(struct program *p, const char *name, bool to_go, struct err *err)
{
	struct replay_survey known;

	p->replay = replay_begin(name, err);
	if (!p->replay)
		return -1;
	p->index = index_of(p, p->replay, name);
	if (p->index && read_index(p->index, &known)) {
		replay_set_known(p->replay, &known);
		return 0;
	}
	if (p->index && isatty(STDERR_FILENO))
		say_line(STR("reading a long recording for the first time: this takes a while, later it opens at once"));
	if (p->index && to_go && make_index(p->index, p, NULL, &known))
		replay_set_known(p->replay, &known);
	else
		replay_look_through(p->replay);
	return 0;
}

static bool is_whole(const struct recording_index *x, const struct state *s)
{
	struct buf text = { 0 };
	bool whole = read_piece(x->fd, s->at, s->size, &text) && SUM(buf_str(&text)) == s->sum;

	buf_release(&text);
	return whole;
}

static const struct state *state_before(const struct recording_index *x, int64_t time)
{
	const struct state *best = NULL;

	for (size_t i = 0; i < x->n; i++)
		if (x->states[i].time <= time)
			best = &x->states[i];
	return best;
}

bool recording_index_is_nearer(const struct program *p, int64_t time)
{
	const struct recording_index *x = p->index;
	const struct state *state = x && x->fd >= 0 ? state_before(x, time) : NULL;

	return state && state > x->states && state[-1].time > p->world.now;
}

struct str recording_index_object(const struct program *p, const struct object_id *id, int64_t time, struct arena *arena)
{
	const struct recording_index *x = p->index;
	const struct state *state = x && x->fd >= 0 ? state_before(x, time) : NULL;
	struct replay_lines after = { -1, state ? state->place.offset : 0, 0 };
	struct buf text = { 0 };
	struct str copy;

	if (!replay_find(p->replay, after, id, time, &text) && state)
		(void)replay_find(p->replay, (struct replay_lines){ x->fd, state->at, (size_t)state->lines }, id, time, &text);
	copy = arena_str(arena, buf_str(&text));
	buf_release(&text);
	return copy;
}

void recording_index_go(struct program *p, int64_t time)
{
	struct recording_index *x = p->index;
	const struct state *best = NULL;
	struct replay_survey known;

	if (!x)
		return;
	if (x->fd < 0 && (x->tried || !make_index(x, p, replay_known(p->replay), &known)))
		return;
	best = state_before(x, time);
	if (best && !is_whole(x, best)) {
		unlink(x->name);
		return;
	}
	if (!best || !replay_go(p->replay, &best->place))
		return;
	p->world.now = best->time;
	replay_load(p->replay, &p->world, &p->query, x->fd, (size_t)best->at, (size_t)best->lines);
	p->rechecked = best->rechecked;
	world_settle(&p->world);
	if (p->changelog)
		changelog_begin(p->changelog, &p->world);
}
