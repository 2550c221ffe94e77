/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/term/curses.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/buf.h"
#include "kube/base/system.h"
#include "kube/base/utf8.h"
#include "tui/draw/sanitize.h"
#include "tui/term/clipboard.h"
#include "tui/term/keys.h"
#include "tui/term/theme.h"

enum {
	ESCAPE_MS = 20,
	REST_MS = 100,	   /* within this time the rest of a report comes, or never */
	/* for so long after the question an answer may begin with ESC and ] alone, before its number has come */
	EXPECTED_MS = 10000,
	ANSWER_MS = 1000,  /* within this time the next piece of an answer comes, also over a slow line */
	/*
	 * for so long after the question the end of the program waits for the answer, which would otherwise be typed
	 * into the shell
	 */
	LAST_WORD_MS = 300,
	PAUSE_MS = 10,	   /* for so long a terminal that does not take a picture at once is left alone, */
	MOST_PAUSE_MS = 250, /* and for so long one that has taken nothing for seconds */
	LEAVE_MS = 500,	   /* for so long a terminal that is given back may take what was written to it */
	QUEUE = 1 << 22,   /* bytes: beside a picture, no more waits for a terminal that takes nothing */
	REPORT_BYTES = 200,
	RESTORE_BYTES = 256,
	WIDE_CHARS = 6
};

/* Codes for what a terminal sends that is no key.  They are above the key codes of curses. */
enum { REPORT_MOUSE = KEY_MAX + 1, REPORT_MOUSE_OLD, PASTE_BEGIN, PASTE_END };

static const struct {
	const char *sequence;
	int code;
} reports[] = {
	{ "\033[<", REPORT_MOUSE },
	{ "\033[M", REPORT_MOUSE_OLD },
	{ "\033[200~", PASTE_BEGIN },
	{ "\033[201~", PASTE_END },
};

/*
 * Sequences that switch reports on and off: of clicks and the wheel, with any number of columns, and of what is pasted.
 */
static const char mouse_on[] = "\033[?1000h\033[?1006h", mouse_off[] = "\033[?1006l\033[?1000l",
		  paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";
/*
 * Sequences that have the terminal keep its title and restore it.  A terminal that keeps none is left with an empty
 * title.
 */
static const char title_keep[] = "\033[22;0t", title_off[] = "\033]2;\a\033[23;0t";

struct terminal {
	SCREEN *screen;
	FILE *in;
	/*
	 * What curses writes to: a descriptor of its own, which leads to the terminal, and while a picture is drawn to the
	 * file drawn.  What was drawn goes to the queue, and from there to the terminal as fast as that takes it, by a
	 * descriptor that never blocks (tty).
	 */
	FILE *out;
	int drawn, tty;
	bool aside;	     /* curses writes to drawn now */
	struct buf queue;
	size_t sent;	     /* the bytes of the queue that the terminal has taken */
	int64_t taken_at;    /* when it took the last of them, ms by the monotonic clock */
	bool close_in, colors, many_colors, direct, ascii, all, light, titled, modern, mouse, pasting;
	bool asked;	     /* the terminal was asked for its background colour and has not answered */
	int64_t asked_at;    /* when it was asked, ms by the monotonic clock */
	/* the input is no answer, the text of an answer, or the ESC at the end of an answer */
	enum { ANSWER_NONE, ANSWER_TEXT, ANSWER_ESCAPE } answer;
	int64_t answer_at;   /* when the last piece of the answer came, ms by the monotonic clock */
	char answer_text[REPORT_BYTES];
	size_t answer_n;
	/* the name of the terminal as one with 256 colours, and as one with direct colours */
	char many[64], direct_name[64];
	enum theme_name name;
	const struct theme *theme;
	int rows, cols;
	struct canvas shown; /* what the terminal shows */
	cchar_t *row;
};

/* What term_emergency() needs: a signal handler must not use anything else. */
static struct {
	volatile sig_atomic_t open;
	int in, out;
	size_t n;
	struct termios modes;
	char bytes[RESTORE_BYTES];
} restore;

static bool takes_bytes(int out)
{
	struct pollfd fd = { .fd = out, .events = POLLOUT };

	return poll(&fd, 1, 0) > 0;
}

void term_emergency(void)
{
	size_t at = 0;

	if (!restore.open)
		return;
	restore.open = 0;
	/* throw away output that nobody reads: this function must not block */
	if (!takes_bytes(restore.out))
		tcflush(restore.out, TCOFLUSH);
	if (!takes_bytes(restore.out))
		at = restore.n;
	while (at < restore.n) {
		ssize_t n = write(restore.out, restore.bytes + at, restore.n - at);

		if (n <= 0 && errno != EINTR)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	tcsetattr(restore.in, TCSANOW, &restore.modes);
}

/* Adds a capability without the marks for padding in it, such as "$<5>". */
static void restore_add(const char *s)
{
	while (s && *s && restore.n + 1 < RESTORE_BYTES) {
		if (s[0] == '$' && s[1] == '<') {
			while (*s && *s != '>')
				s++;
			s += *s == '>';
			continue;
		}
		restore.bytes[restore.n++] = *s++;
	}
}

static const char *capability(const char *name)
{
	char writable[16];
	const char *s;

	snprintf(writable, sizeof(writable), "%s", name);
	s = tigetstr(writable);
	return s == (const char *)-1 ? NULL : s;
}

static void restore_prepare(int in, int out, const struct terminal *t)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };

	assert(!restore.open);
	restore.n = 0;
	restore.in = in;
	restore.out = out;
	restore_add(t->mouse ? mouse_off : NULL);
	restore_add(t->modern ? paste_off : NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		restore_add(capability(names[i]));
	if (!capability("rmcup"))
		restore_add("\r\n");
	restore.open = 1;
}

/* ---- opening ------------------------------------------------------------------- */

/*
 * Returns a name such as "xterm-direct" for a terminal that calls itself xterm or xterm-256color; NULL for any other
 * name with a dash.
 */
static const char *with_colours(char *out, size_t size, const char *name, const char *suffix)
{
	static const char indexed[] = "-256color";
	size_t n = name ? strlen(name) : 0, tail = sizeof(indexed) - 1;

	if (n > tail && strcmp(name + n - tail, indexed) == 0)
		n -= tail;
	if (n == 0 || n > size || memchr(name, '-', n))
		return NULL;
	snprintf(out, size, "%.*s%s", (int)n, name, suffix);
	return out;
}

/* True when the terminal says that it has direct colours; its terminfo description may have fewer. */
static bool has_all_colours(void)
{
	const char *colours = getenv("COLORTERM");

	return colours && (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0);
}

/* Returns the name of a terminal that terminfo knows and that can place the cursor; NULL when there is none. */
static const char *usable_terminal(struct terminal *t, int fd)
{
	const char *name = getenv("TERM");
	bool all = has_all_colours();
	const char *names[] = { all ? with_colours(t->direct_name, sizeof(t->direct_name), name, "-direct") : NULL,
				all ? with_colours(t->many, sizeof(t->many), name, "-256color") : NULL, name,
				"xterm-256color" };
	int rc;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!names[i] || !names[i][0])
			continue;
		if (setupterm(names[i], fd, &rc) != OK)
			continue;
		return capability("cup") ? names[i] : NULL;
	}
	return NULL;
}

/*
 * Returns the number of a colour.  A terminal with direct colours takes the RGB value itself, but its numbers below 8
 * are the eight basic colours.
 */
static int colour_of(const struct terminal *t, short c256)
{
	int rgb = (int)theme_rgb(c256);

	if (c256 < 0 || !t->direct)
		return c256;
	return rgb < 8 ? 0 : rgb;
}

static void set_colors(struct terminal *t)
{
	int bg, selected;

	t->theme = theme_of(t->name, t->light);
	bg = t->many_colors ? colour_of(t, t->theme->bg) : t->theme->bg == THEME_DEFAULT ? THEME_DEFAULT : COLOR_BLACK;
	selected = t->many_colors ? colour_of(t, t->theme->selected_bg) : THEME_DEFAULT;
	for (int i = 0; i < STYLE_COUNT; i++) {
		const struct theme_style *style = &t->theme->styles[i];
		int fg = t->many_colors ? colour_of(t, style->fg256) : style->fg8;

		init_extended_pair(1 + i, fg, bg);
		init_extended_pair(1 + STYLE_COUNT + i,
				   t->many_colors ? colour_of(t, style->selected256) : fg, selected);
	}
}

/* Reads COLORFGBG, which some terminals set: "15;0" is white on black. */
static bool colorfgbg_is_light(void)
{
	const char *value = getenv("COLORFGBG");
	struct str s = str_of(value);
	int64_t bg = -1;

	return value && str_to_int(str_from(s, str_rfind(s, ';') + 1), &bg) && (bg == 7 || bg == 15);
}

/* ---- what is written --------------------------------------------------------------- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool term_busy(struct terminal *t)
{
	while (t->sent < t->queue.len) {
		ssize_t n = write(t->tty, t->queue.ptr + t->sent, t->queue.len - t->sent);

		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return true;
		if (n < 0 && errno != EINTR)
			break;	/* it is gone */
		t->sent += n > 0 ? (size_t)n : 0;
		t->taken_at = now_ms();
	}
	buf_reset(&t->queue);
	t->sent = 0;
	return false;
}

int64_t term_pause(const struct terminal *t)
{
	enum { SHARE = 8 };
	int64_t pause = (now_ms() - t->taken_at) / SHARE;

	return pause < PAUSE_MS ? PAUSE_MS : pause > MOST_PAUSE_MS ? MOST_PAUSE_MS : pause;
}

static void put(struct terminal *t, struct str bytes)
{
	if (term_busy(t) && t->queue.len + bytes.len > QUEUE)
		return;
	buf_add(&t->queue, bytes);
	term_busy(t);
}

/* Waits until the terminal has taken everything, for LEAVE_MS; then what it did not take is thrown away. */
static void drain(struct terminal *t)
{
	struct pollfd fd = { .fd = t->tty, .events = POLLOUT };
	int64_t until = now_ms() + LEAVE_MS, left;

	while (term_busy(t) && (left = until - now_ms()) > 0)
		poll(&fd, 1, (int)left);
	if (!term_busy(t))
		return;
	tcflush(t->tty, TCOFLUSH);
	buf_reset(&t->queue);
	t->sent = 0;
	put(t, (struct str){ restore.bytes, restore.n });
}

static void lead(struct terminal *t, int to)
{
	dup2(to, fileno(t->out));
	fcntl(fileno(t->out), F_SETFD, FD_CLOEXEC);
}

/* From here to end_drawing() curses writes to a file; where files may not be large, to the terminal, behind the queue. */
static void begin_drawing(struct terminal *t)
{
	t->aside = system_allows_file(QUEUE);
	if (t->aside)
		lead(t, t->drawn);
	else
		drain(t);
}

static void end_drawing(struct terminal *t)
{
	off_t left = lseek(t->drawn, 0, SEEK_CUR);	/* what is behind it in the file is of an earlier picture */
	char bytes[4096];
	ssize_t n;

	if (!t->aside)
		return;
	lead(t, STDOUT_FILENO);
	lseek(t->drawn, 0, SEEK_SET);
	for (; left > 0 && (n = read(t->drawn, bytes, left < (off_t)sizeof(bytes) ? (size_t)left : sizeof(bytes))) > 0; left -= n)
		buf_add(&t->queue, (struct str){ bytes, (size_t)n });
	lseek(t->drawn, 0, SEEK_SET);
	term_busy(t);
}

/* Opens what is written through.  Returns false with errno. */
static bool open_output(struct terminal *t)
{
	const char *name = ttyname(STDOUT_FILENO);
	int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	t->out = own < 0 ? NULL : fdopen(own, "w");
	t->drawn = system_unnamed_file();
	/* an open file of its own: the flag of the one that it was started with is the shell's, too */
	t->tty = name ? open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
	if (t->tty < 0)
		t->tty = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return t->out && t->drawn >= 0 && t->tty >= 0;
}

static void close_output(struct terminal *t)
{
	if (t->out)
		fclose(t->out);
	if (t->drawn >= 0)
		close(t->drawn);
	if (t->tty >= 0)
		close(t->tty);
	buf_release(&t->queue);
}

/* Has the terminal report clicks and what is pasted, or stops that. */
static void set_reports(struct terminal *t, bool on)
{
	if (t->mouse)
		put(t, str_of(on ? mouse_on : mouse_off));
	if (t->modern)
		put(t, str_of(on ? paste_on : paste_off));
}

/* Asks the terminal for its background colour.  Nobody waits for the answer: if it comes, it comes among the keys. */
static void ask_background(struct terminal *t)
{
	static const char question[] = "\033]11;?\033\\";

	if (!t->modern || (t->name != THEME_AUTO && t->name != THEME_COLOUR_BLIND))
		return;
	put(t, str_of(question));
	t->asked = true;
	t->asked_at = now_ms();
}

static void set_modes(struct terminal *t)
{
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	set_escdelay(ESCAPE_MS);
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
		define_key(reports[i].sequence, reports[i].code);
	set_reports(t, true);
	t->colors = t->name != THEME_NONE && has_colors() && start_color() == OK && use_default_colors() == OK &&
		    COLOR_PAIRS > 2 * STYLE_COUNT;
	t->many_colors = t->colors && COLORS >= 256;
	t->direct = COLORS > 256;
	t->light = colorfgbg_is_light();
	t->theme = theme_of(t->name, t->light);
	if (t->colors)
		set_colors(t);
}

/* True for terminals that understand operating system commands (OSC): clipboard, title, colours. */
static bool is_modern(const char *terminal)
{
	static const char *const heads[] = { "xterm", "tmux", "screen", "rxvt", "alacritty", "kitty", "foot", "st-",
					     "vte", "konsole", "iterm", "wezterm", "ghostty", "contour", "mintty" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (strncmp(terminal, heads[i], strlen(heads[i])) == 0)
			return true;
	return false;
}

static bool locale_is_utf8(const char *terminal)
{
	/* The font of the Linux console lacks most of the glyphs. */
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && strncmp(terminal, "linux", 5) != 0;
}

static void measure(struct terminal *t)
{
	struct winsize size;

	t->rows = LINES;
	t->cols = COLS;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
		t->rows = size.ws_row;
		t->cols = size.ws_col;
	}
}

static int open_failed(struct terminal *t, struct err *err, const char *what)
{
	err_set(err, ERR_SYSTEM, "cannot open the dashboard: %s", what);
	err_hint(err, "kubectl status -o table prints the same once");
	if (t->close_in)
		fclose(t->in);
	close_output(t);
	xfree(t);
	return -1;
}

int term_open(enum theme_name theme, struct terminal **out, struct err *err)
{
	struct terminal *t = xcalloc(1, sizeof(*t));
	const char *name;

	t->drawn = t->tty = -1;
	t->in = stdin;
	if (!isatty(STDOUT_FILENO))
		return open_failed(t, err, "standard output is not a terminal");
	if (!isatty(STDIN_FILENO)) {
		t->in = fopen("/dev/tty", "r");
		t->close_in = t->in != NULL;
	}
	if (!t->in)
		return open_failed(t, err, "there is no terminal to read keys from");
	if (!open_output(t))
		return open_failed(t, err, strerror(errno));
	name = usable_terminal(t, fileno(t->out));	/* newterm() goes on with what is set up for the same descriptor */
	if (!name)
		return open_failed(t, err, "the terminal cannot place the cursor (TERM)");
	if (tcgetattr(fileno(t->in), &restore.modes) < 0)
		return open_failed(t, err, strerror(errno));
	t->screen = newterm(name, t->out, t->in);
	if (!t->screen)
		return open_failed(t, err, "ncurses does not know it");
	t->ascii = !locale_is_utf8(name);
	t->name = theme;
	t->modern = is_modern(name);
	t->mouse = capability("kmous") != NULL;
	restore_prepare(fileno(t->in), STDOUT_FILENO, t);
	set_modes(t);
	ask_background(t);
	measure(t);
	t->all = true;
	*out = t;
	return 0;
}

/* ---- what the terminal answers ------------------------------------------------ */

/* Parses a colour such as "rgb:ffff/ffff/dddd"; the first two digits of each part are enough. */
static bool parse_colour(const char *s, uint32_t *out)
{
	const char *at = strstr(s, "rgb:");
	uint32_t colour = 0;

	at = at ? at + 3 : s;
	for (int i = 0; i < 3; i++) {
		int high, low;

		at = strchr(at, i ? '/' : ':');
		if (!at || (high = hex_digit(at[1])) < 0 || (low = hex_digit(at[2])) < 0)
			return false;
		colour = colour << 8 | (uint32_t)(high << 4 | low);
		at++;
	}
	*out = colour;
	return true;
}

static void take_background(struct terminal *t)
{
	uint32_t background;

	t->asked = false;
	if (!t->colors || !parse_colour(t->answer_text, &background) || theme_is_light(background) == t->light)
		return;
	t->light = !t->light;
	set_colors(t);
	t->all = true;
}

/*
 * Takes a character of an answer to ask_background(), or of another operating system command, none of which is a key.
 * The answer comes in pieces.  It ends when the next piece does not come in time, or when something comes that cannot
 * be part of it, such as a function key.  Returns true when c belongs to the answer.
 */
static bool answer_has(struct terminal *t, int rc, wint_t c)
{
	int64_t now = now_ms();

	if (t->answer == ANSWER_NONE)
		return false;
	if (now - t->answer_at > ANSWER_MS || rc != OK || (t->answer == ANSWER_ESCAPE && c != '\\')) {
		t->answer = ANSWER_NONE;
		return false;
	}
	t->answer_at = now;
	if (t->answer == ANSWER_ESCAPE || c == '\a') {
		t->answer = ANSWER_NONE;
		take_background(t);
	} else if (c == '\033') {
		t->answer = ANSWER_ESCAPE;
	} else if (c < ' ' || c > '~') {
		t->answer = ANSWER_NONE;
		return false;
	} else if (t->answer_n + 1 < REPORT_BYTES) {
		t->answer_text[t->answer_n++] = (char)c;
		t->answer_text[t->answer_n] = '\0';
	}
	return true;
}

/*
 * Returns true when an answer begins after ESC and ].  The user may have typed these two keys, but a number does not
 * follow them at once then.
 */
static bool answer_begins(struct terminal *t)
{
	wint_t number = 0;
	int rc = get_wch(&number);

	if (rc == KEY_CODE_YES)
		ungetch((int)number);
	else if (rc == OK)
		unget_wch((wchar_t)number);
	else if (!t->asked || now_ms() - t->asked_at > EXPECTED_MS)
		return false;
	if (rc == KEY_CODE_YES || (rc == OK && (number < '0' || number > '9')))
		return false;
	t->answer = ANSWER_TEXT;
	t->answer_at = now_ms();
	t->answer_n = 0;
	t->answer_text[0] = '\0';
	return true;
}

/*
 * Waits for the answer to a question that was just asked.  The answer and the keys that come meanwhile are thrown away.
 */
static void await_answer(struct terminal *t)
{
	struct pollfd fd = { .fd = fileno(t->in), .events = POLLIN };
	struct key key;
	int64_t left;

	while (t->asked && (left = t->asked_at + LAST_WORD_MS - now_ms()) > 0 && poll(&fd, 1, (int)left) > 0 &&
	       fd.revents == POLLIN)
		while (term_next_key(t, &key))
			continue;
}

void term_close(struct terminal *t)
{
	if (!t)
		return;
	await_answer(t);
	term_leave(t);
	delscreen(t->screen);
	close_output(t);
	if (t->close_in)
		fclose(t->in);
	canvas_release(&t->shown);
	xfree(t->row);
	xfree(t);
}

int term_fd(const struct terminal *t)
{
	return fileno(t->in);
}

void term_size(const struct terminal *t, int *out_rows, int *out_cols)
{
	*out_rows = t->rows;
	*out_cols = t->cols;
}

bool term_resized(struct terminal *t)
{
	int rows = t->rows, cols = t->cols;

	measure(t);
	if (rows == t->rows && cols == t->cols)
		return false;
	resizeterm(t->rows, t->cols);
	t->all = true;
	return true;
}

bool term_lost(const struct terminal *t)
{
	struct pollfd fd = { .fd = fileno(t->in), .events = POLLIN };

	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR | POLLNVAL));
}

bool term_is_ascii(const struct terminal *t)
{
	return t->ascii;
}

/* ---- keys ---------------------------------------------------------------------- */

/* Reads a report up to and including one of the characters in ends.  Returns false when none of them came. */
static bool read_report(const char *ends, char *out, size_t size)
{
	size_t n = 0;
	wint_t c = 0;
	bool ended = false;

	timeout(REST_MS);
	while (n + 1 < size && !ended && get_wch(&c) == OK) {
		out[n++] = c < 128 ? (char)c : '?';
		ended = c && c < 128 && strchr(ends, (int)c);
	}
	out[n] = '\0';
	nodelay(stdscr, TRUE);
	return ended;
}

static struct key mouse_report(bool old)
{
	struct key key = { .input = INPUT_OTHER };
	char text[REPORT_BYTES];

	if (!old && read_report("Mm", text, sizeof(text)))
		mouse_parse(str_of(text), &key);
	if (old) { /* the report is three bytes: the button, the column, the row */
		read_report("", text, 4);
		mouse_parse_old(str_of(text), &key);
	}
	return key;
}

static struct key function_key(wint_t code)
{
	static const struct {
		wint_t code;
		enum input input;
	} rows[] = {
		{ KEY_UP, INPUT_UP },	      { KEY_DOWN, INPUT_DOWN },
		{ KEY_LEFT, INPUT_LEFT },     { KEY_RIGHT, INPUT_RIGHT },
		{ KEY_PPAGE, INPUT_PAGE_UP }, { KEY_NPAGE, INPUT_PAGE_DOWN },
		{ KEY_HOME, INPUT_HOME },     { KEY_END, INPUT_END },
		{ KEY_ENTER, INPUT_ENTER },   { KEY_BTAB, INPUT_BACKTAB },
		{ KEY_DC, INPUT_DELETE },     { KEY_BACKSPACE, INPUT_BACKSPACE },
		{ KEY_RESIZE, INPUT_RESIZE }, { KEY_EXIT, INPUT_ESCAPE },
	};

	if (code == REPORT_MOUSE || code == REPORT_MOUSE_OLD)
		return mouse_report(code == REPORT_MOUSE_OLD);
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return (struct key){ .input = INPUT_FUNCTION, .rune = (uint32_t)(code - KEY_F0) };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == code)
			return (struct key){ .input = rows[i].input };
	return (struct key){ .input = INPUT_OTHER };
}

static enum input input_of_letter(char letter)
{
	static const struct {
		char letter;
		enum input input;
	} rows[] = {
		{ 'A', INPUT_UP },   { 'B', INPUT_DOWN }, { 'C', INPUT_RIGHT },	  { 'D', INPUT_LEFT },
		{ 'H', INPUT_HOME }, { 'F', INPUT_END },  { 'Z', INPUT_BACKTAB },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].letter == letter)
			return rows[i].input;
	return INPUT_OTHER;
}

static enum input input_of_number(const char *text)
{
	static const enum input rows[] = { INPUT_OTHER, INPUT_HOME,    INPUT_OTHER,	INPUT_DELETE, INPUT_END,
					   INPUT_PAGE_UP, INPUT_PAGE_DOWN, INPUT_HOME, INPUT_END };

	return text[0] >= '1' && text[0] <= '8' && text[1] == '~' ? rows[text[0] - '0'] : INPUT_OTHER;
}

/*
 * Reads a key sequence that the terminfo description lacks: an arrow of the other cursor mode, a key with Shift or
 * Ctrl.  Otherwise it would be taken as Esc and several commands.  Returns false when it is no such sequence; all that
 * was read is then read again.
 */
static bool read_sequence(wint_t introducer, struct key *out)
{
	char text[REPORT_BYTES];
	bool ended = read_report("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz~\033", text, sizeof(text));
	size_t n = strlen(text), numbers = strspn(text, "0123456789;?");

	*out = (struct key){ .input = INPUT_OTHER };
	if (ended && numbers + 1 == n && text[n - 1] != '\033') {
		if (n == 1)
			out->input = input_of_letter(text[0]);
		else if (introducer == '[')
			out->input = input_of_number(text);
		if (n > 1 || out->input != INPUT_OTHER)
			return true;
	}
	while (n > 0)
		unget_wch((unsigned char)text[--n]);
	return false;
}

/* Reads what came together with ESC, an answer or a key sequence.  Returns false when ESC is the key Esc. */
static bool after_escape(struct terminal *t, struct key *out)
{
	wint_t next;
	int rc = get_wch(&next);

	if (rc == KEY_CODE_YES)
		ungetch((int)next);
	if (rc != OK)
		return false;
	if ((next == ']' && answer_begins(t)) || ((next == '[' || next == 'O') && read_sequence(next, out)))
		return true;
	unget_wch((wchar_t)next);
	return false;
}

bool term_next_key(struct terminal *t, struct key *out)
{
	wint_t c;
	int rc = get_wch(&c);

	if (rc == ERR)
		return false;
	*out = (struct key){ .input = INPUT_RESIZE }; /* what follows is no key, so the program only paints again */
	if (answer_has(t, rc, c))
		return true;
	if (rc == KEY_CODE_YES && (c == PASTE_BEGIN || c == PASTE_END)) {
		t->pasting = c == PASTE_BEGIN;
		return true;
	}
	if (rc == OK && c == '\033' && after_escape(t, out))
		return true;
	*out = rc == KEY_CODE_YES ? function_key(c) : key_of_rune((uint32_t)c);
	out->pasted = t->pasting;
	return true;
}

/* ---- painting ------------------------------------------------------------------ */

static attr_t curses_attrs(unsigned theme)
{
	return (theme & THEME_BOLD ? A_BOLD : 0) | (theme & THEME_DIM ? A_DIM : 0) |
	       (theme & THEME_REVERSE ? A_REVERSE : 0) |
	       (theme & THEME_UNDERLINE ? A_UNDERLINE : 0);
}

static attr_t cell_attrs(const struct terminal *t, uint8_t style, short *out_pair)
{
	enum style meaning = (enum style)(style & STYLE_MASK);
	const struct theme_style *theme = &t->theme->styles[meaning];
	bool selected = style & STYLE_SELECTED;
	attr_t attrs = curses_attrs(t->colors ? theme->attr : theme->mono);

	assert(meaning < STYLE_COUNT);
	*out_pair = 0;
	if (t->colors)
		*out_pair = (short)(1 + meaning + (selected && t->many_colors ? STYLE_COUNT : 0));
	if (style & STYLE_FLASH)
		attrs |= A_BOLD;
	/*
	 * Some terminals show the eight colours bright when they are bold, and bright colours cannot be read on white.
	 */
	if (t->colors && !t->many_colors && theme->fg8 != THEME_DEFAULT && theme_is_light(t->theme->background))
		attrs &= ~A_BOLD;
	if (selected && !t->many_colors) {
		*out_pair = t->colors ? 1 + STYLE_NORMAL : 0;
		attrs = (attrs | A_REVERSE) & ~A_DIM;
	}
	return attrs;
}

static void cell_wide(const struct cell *cell, wchar_t *out)
{
	struct str s = { cell->utf8, strlen(cell->utf8) };
	size_t n = 0;

	if (s.len == 0)
		out[n++] = L' ';
	for (size_t at = 0; at < s.len && n + 1 < WIDE_CHARS;)
		out[n++] = (wchar_t)utf8_next(s, &at);
	out[n] = L'\0';
}

static void flush_row(struct terminal *t, const struct canvas *c, int row)
{
	int n = 0;

	for (int col = 0; col < c->cols; col++) {
		const struct cell *cell = canvas_cell(c, row, col);
		wchar_t wide[WIDE_CHARS];
		attr_t attrs;
		short pair;

		if (cell->width == 0)
			continue;
		cell_wide(cell, wide);
		attrs = cell_attrs(t, cell->style, &pair);
		if (setcchar(&t->row[n], wide, attrs, pair, NULL) == ERR)
			setcchar(&t->row[n], L"?", attrs, pair, NULL);
		n++;
	}
	mvadd_wchnstr(row, 0, t->row, n);
}

static void remember(struct terminal *t, const struct canvas *c)
{
	if (t->shown.rows != c->rows || t->shown.cols != c->cols) {
		canvas_resize(&t->shown, c->rows, c->cols);
		t->row = xreallocarray(t->row, (size_t)c->cols, sizeof(*t->row));
		t->all = true;
	}
}

void term_flush(struct terminal *t, const struct canvas *c)
{
	size_t bytes = (size_t)c->cols * sizeof(*c->cells);

	assert(c->cursor_row < c->rows && c->cursor_col < c->cols);
	remember(t, c);
	assert(t->shown.rows == c->rows && t->shown.cols == c->cols);
	if (t->all)
		clearok(stdscr, TRUE);
	for (int row = 0; row < c->rows && row < LINES; row++) {
		const struct cell *now = canvas_cell(c, row, 0),
				  *before = canvas_cell(&t->shown, row, 0);

		if (t->all || memcmp(now, before, bytes) != 0)
			flush_row(t, c, row);
	}
	memcpy(t->shown.cells, c->cells, bytes * (size_t)c->rows);
	t->all = false;
	begin_drawing(t);
	curs_set(c->cursor_row >= 0);
	move(c->cursor_row >= 0 ? c->cursor_row : 0, c->cursor_row >= 0 ? c->cursor_col : 0);
	refresh();
	end_drawing(t);
}

void term_redraw(struct terminal *t)
{
	t->all = true;
}

void term_leave(struct terminal *t)
{
	term_title_before(t);
	set_reports(t, false);
	begin_drawing(t);
	endwin();
	end_drawing(t);
	drain(t);
	tcsetattr(restore.in, TCSANOW, &restore.modes);	/* endwin() had no terminal to set them on, and would wait for it */
	restore.open = 0;
}

void term_return(struct terminal *t)
{
	restore.open = 1;
	t->pasting = false;
	reset_prog_mode();
	set_reports(t, true);
	begin_drawing(t);
	refresh();
	end_drawing(t);
	term_resized(t);
	t->all = true;
}

void term_suspend(struct terminal *t)
{
	struct sigaction stop = { .sa_handler = SIG_DFL }, before;

	term_leave(t);
	sigaction(SIGTSTP, &stop, &before);
	kill(0, SIGTSTP);
	sigaction(SIGTSTP, &before, NULL);
	term_return(t);
}

void term_write(struct terminal *t, struct str text)
{
	for (size_t at = 0; at < text.len;) {
		bool ends = text.ptr[at] == '\n';
		uint32_t rune = sanitize_next(text, &at, term_is_ascii(t));
		char utf8[4];
		size_t n = ends ? 0 : utf8_put(rune, utf8);

		if (ends)
			utf8[n++] = '\n';
		put(t, (struct str){ utf8, n });
	}
	drain(t);
}

void term_bell(struct terminal *t)
{
	put(t, STR("\a"));
}

/* A control character would end a sequence early: those in texts from the cluster are replaced. */
static void add_clean(struct buf *out, struct str text)
{
	for (size_t at = 0; at < text.len;) {
		uint32_t rune = sanitize_next(text, &at, false);
		char utf8[4];

		buf_add(out, (struct str){ utf8, utf8_put(rune, utf8) });
	}
}

void term_notify(struct terminal *t, struct str text)
{
	struct buf clean = { 0 }, line = { 0 };

	if (!t->modern)
		return;
	add_clean(&clean, text);
	buf_printf(&line, "\033]9;%s\a\033]777;notify;kubectl status;%s\a", buf_cstr(&clean), buf_cstr(&clean));
	put(t, buf_str(&line));
	buf_release(&line);
	buf_release(&clean);
}

void term_title(struct terminal *t, struct str title)
{
	struct buf clean = { 0 }, line = { 0 };

	if (!t->modern)
		return;
	add_clean(&clean, title);
	buf_printf(&line, "%s\033]2;%s\a", t->titled ? "" : title_keep, buf_cstr(&clean));
	put(t, buf_str(&line));
	if (!t->titled)
		restore_add(title_off);
	t->titled = true;
	buf_release(&line);
	buf_release(&clean);
}

void term_title_before(struct terminal *t)
{
	if (!t->titled)
		return;
	put(t, str_of(title_off));
	assert(restore.n >= sizeof(title_off) - 1);
	restore.n -= sizeof(title_off) - 1;
	t->titled = false;
}

bool term_copy(struct terminal *t, struct str text)
{
	enum clipboard_through through = CLIPBOARD_DIRECT;
	struct buf sequence = { 0 };

	if (!t->modern)
		return false;
	if (getenv("TMUX"))
		through = CLIPBOARD_TMUX;
	else if (getenv("STY"))
		through = CLIPBOARD_SCREEN;
	clipboard_sequence(text, through, &sequence);
	put(t, buf_str(&sequence));
	buf_release(&sequence);
	return true;
}
