# SPDX-License-Identifier: Apache-2.0
"""Terminals of all kinds, and what they may do to the program."""
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import time

import pytest

import machine
from program import PROGRAM, Run, wait_for
from terminal import background, Terminal

TOP = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["漢字-データ", "é́́-combined", "👩‍👩‍👧-family", "שלום-עולם", "مرحبا", "🏳️‍🌈"]


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


@pytest.fixture
def screen(run):
    opened = []

    def start(*args, **options):
        opened.append(run.screen("--replay", TOP / "demo/incident.jsonl.gz", "--as-of", "2026-11-21T05:03:19Z", *args, **options))
        return opened[-1]
    yield start
    for s in opened:
        s.close()


def row_of(screen, text):
    return next(i for i, line in enumerate(screen.lines()) if text in line)


def click(screen, row, col=10, old=False):
    """Press and release in one packet, as they come over a network."""
    if old:
        screen.keys(b"\x1b[M %c%c\x1b[M#%c%c" % (col + 33, row + 33, col + 33, row + 33))
    else:
        screen.keys("\x1b[<0;%d;%dM\x1b[<0;%d;%dm" % (col + 1, row + 1, col + 1, row + 1))


def is_selected(screen, text):
    if text not in screen.text():
        return False  # half a picture
    cell = screen.screen.buffer[row_of(screen, text)][5]
    return cell.reverse or cell.bg != "default"


@pytest.mark.parametrize("term, old", [("xterm-256color", False), ("xterm", False), ("tmux-256color", False), ("screen", True)])
def test_the_first_click_selects_and_another_opens(screen, term, old):
    s = screen(TERM=term)
    s.wait("queue/orders")
    for name in ("queue/orders", "pod/postgresql-1", "port/web-0"):
        click(s, row_of(s, name), old=old)
        s.wait(lambda _, name=name: is_selected(s, name))
    click(s, row_of(s, "port/web-0"), old=old)
    s.wait("[Overview]")


@pytest.mark.parametrize("old", [False, True])
def test_what_a_click_says_stays(screen, old):
    """The terminal tells, too, when the button is let go."""
    s = screen()
    s.wait("queue/orders")
    titles = row_of(s, "NAMESPACE")
    click(s, titles, s.text().split("\n")[titles].index("NAMESPACE"), old=old)
    s.wait("sorted by: namespace")
    s.read(1)
    assert "sorted by: namespace" in s.text()


def test_what_happened_before_the_moment_is_no_alarm(screen):
    s = screen()
    s.wait("paused 05:03:19")
    s.keys("?")
    s.wait("Look")
    assert b"\a" not in s.raw and b"\x1b]2;" not in s.raw


def test_noise_of_the_mouse(screen):
    s = screen()
    s.wait("queue/orders")
    noise = random.Random(5)
    for _ in range(300):
        s.keys("\x1b[<%d;%d;%d%s" % (noise.choice([0, 1, 2, 32, 35, 64, 65, 128, 999]), noise.randrange(0, 400),
                                     noise.choice([0, 20, 99999999999]), noise.choice("Mm")))
        s.read(0)
    s.keys("\x1b[<;;M\x1b[<M\x1b[<1;2;3;4;5M")
    s.keys("\x1b\x1b:table\rg")
    s.wait(lambda text: "PHASE" in text)
    s.keys("?")
    s.wait("Look")


def test_pasted_text_is_no_command(screen):
    s = screen()
    s.wait("queue/orders")
    s.keys("\x1b[200~" + "q!Cq\r\x03" * 100 + "\x1b[201~")
    s.wait("pasted text is no command")
    assert "PHASE" in s.text()
    s.keys("/")
    s.wait("Esc drop")
    s.keys("\x1b[200~queue/orders\r\x1b[201~")
    s.wait(lambda text: "/queue/orders" in text and "Esc drop" in text and re.search(r" 1 of \d+ match", text))


def test_a_hundred_kilobytes_are_pasted(screen):
    s = screen()
    s.wait("queue/orders")
    send(s, b"\x1b[200~" + b"jGgq word " * 10000 + b"\x1b[201~")
    s.keys("/queue/orders")
    s.wait(lambda text: "/queue/orders" in text and re.search(r" 1 of \d+ match", text))


def send(screen, data):
    """A pty takes a few kilobytes at a time; the program must go on reading."""
    for at in range(0, len(data), 1024):
        os.write(screen.fd, data[at:at + 1024])
        screen.read(0)


def test_keys_are_typed_ahead(screen):
    s = screen(TERM="vt100")
    s.wait("queue/orders")
    s.keys("jjj/net/net\r")
    s.wait(lambda text: "/net/net" in text and "Enter keep" not in text)
    s.keys("\x1bOB" * 40 + "\x1bOA" * 40)
    s.keys("q")
    assert os.WIFEXITED(s.end())


def test_an_answer_in_pieces_is_no_key(screen):
    s = screen()
    s.wait("queue/orders")
    before = row_of(s, "network/net")
    for piece in ("\x1b]11;", "rgb:f", "fff/ffff", "/ffff\x1b\\"):
        s.keys(piece)
        s.read(0.02)
    s.keys("j")
    s.wait(lambda _: is_selected(s, "deploy/search"))
    assert row_of(s, "network/net") == before and "[Overview]" not in s.text()


@pytest.mark.parametrize("term", ["xterm-256color", "vt100", "linux"])
def test_arrows_of_the_other_mode_are_no_commands(screen, term):
    """Esc [ C is an arrow in some terminals and in others not: it never is Esc, a step in time and Changes."""
    s = screen(TERM=term)
    s.wait("queue/orders")
    first = row_of(s, "PHASE") + 1
    for key, row in (("\x1b[B", 1), ("\x1bOB", 2), ("\x1b[A", 1), ("\x1b[1;2B", 1), ("\x1b[1;5C", 1), ("\x1b[24;5~", 1), ("\x1b[H", 0), ("\x1b[B", 1), ("\x1b[1~", 0)):
        s.keys(key)
        s.wait(lambda _, row=row: selects(s, first + row))
    assert "PHASE" in s.text() and "05:03:19" in s.text(), "the same view, the same moment"
    s.keys("\x1b[")  # typed ahead: no sequence
    s.wait("paused 05:0")
    s.wait(lambda text: "05:03:19" not in text.split("\n")[0])


def selects(screen, row):
    cell = screen.screen.buffer[row][5]
    return cell.reverse or cell.bg != "default"


@pytest.mark.parametrize("pieces", [
    ("\x1b]11;rgb:ff", "ff/ffff/ffff\x1b\\"),
    ("\x1b]", "11;", "rgb:ffff/ffff/ffff\x07"),
    ("\x1b]11;rgb:ffff/ffff/ffff\x1b", "\\"),
    ("\x1b]11;q?!C/" + "!q:w" * 500, "nonsense\x1b\\"),
])
def test_an_answer_over_a_slow_line_is_no_key(screen, pieces):
    """Each piece 300 ms after the one before."""
    s = screen()
    s.wait("queue/orders")
    for piece in pieces:
        s.keys(piece)
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            s.read(0.02)
        assert "PHASE" in s.text() and "Esc drop" not in s.text()
    s.keys("?")
    s.wait("Look")
    assert (b"38;5;160" in s.raw.replace(b"\x1b[1m", b"")) == ("nonsense" not in pieces[-1])


@pytest.mark.parametrize("keys", ["\x1b\x1bOB", "\x1b]11;rgb\x1bOB", "\x1b]j", "\x1b]\x1bOB"])
def test_keys_are_none_of_an_answer(screen, keys):
    """Esc and an arrow in one packet; and an answer that never ends does not hold what comes after it."""
    s = screen()
    s.wait("queue/orders")
    s.keys(keys)
    s.wait(lambda _: is_selected(s, "deploy/search"))


def test_the_answer_is_not_left_to_the_shell(run):
    """A line of 150 ms, and a person who leaves at once. The program waits for 300 ms: its time passes slowly, as a machine may be busy."""
    slow = " ".join("%s=%s" % (k, shlex.quote(v)) for k, v in machine.passing(0.1).items()) if machine.can_be_another() else ""
    with Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], {**run.env, "PS1": "shell$ "}, 24, 80) as s:
        s.wait("shell$")
        s.keys("env %s %s --replay %s; stty -echo; read -t 1 -n 30 rest; stty echo; echo \"<$rest>\"\r" % (
            slow, os.path.abspath(PROGRAM), TOP / "demo/incident.jsonl.gz"))
        wait_for(lambda: s.read() and b"\x1b]11;?" in s.raw)
        s.keys("q")
        time.sleep(0.15)
        s.keys("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
        wait_for(lambda: s.read() and re.search(rb"<[^$]*>\r\n", s.raw))
        assert b"<>\r\n" in s.raw


def test_nobody_waits_for_a_terminal_that_does_not_answer(screen):
    """Once in some tries on a busy machine: who waited would take longer each time."""
    def leave():
        s = screen()
        s.wait("queue/orders")
        time.sleep(0.3)
        left = time.monotonic()
        s.keys("q")
        s.end()
        return time.monotonic() - left
    assert any(leave() < 0.25 for _ in range(5))


def colours(raw):
    """The most colours that were chosen from, by the sequences that chose them."""
    found = re.findall(rb"\x1b\[([0-9;:]*)m", raw)
    if any(b"38;5;" in f or b"48;5;" in f for f in found):
        return 256
    return 8 if any(n in (b"31", b"32", b"33", b"1;31") for f in found for n in f.split(b";")) else 0


@pytest.mark.parametrize("term, extra, wanted", [
    ("xterm-256color", {}, 256), ("tmux-256color", {}, 256), ("screen-256color", {}, 256), ("xterm", {}, 8), ("screen", {}, 8),
    ("linux", {}, 8), ("vt100", {}, 0), ("xterm-256color", {"NO_COLOR": "1"}, 0), ("xterm", {"COLORTERM": "truecolor"}, 256),
    ("xterm", {"COLORTERM": "truecolor", "NO_COLOR": "1"}, 0), ("no-such-terminal", {}, 256)])
def test_colours_are_those_of_the_terminal(screen, term, extra, wanted):
    s = screen(TERM=term, **extra)
    s.wait("queue/orders")
    assert colours(s.raw) == wanted
    s.keys("q")
    assert os.WIFEXITED(s.end()) and os.WEXITSTATUS(s.status) == 0
    tail = s.raw[-200:]
    if term != "vt100":
        assert b"\x1b[?1000l" in tail, "the mouse is given back"
    if term == "linux":
        assert s.raw.isascii(), "its font has few glyphs"


DIRECT = r"""xterm-direct|xterm with direct colours, RGB, colors#0x1000000, pairs#0x7fff,
 setaf=\E[%?%p1%{8}%<%t3%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
 setab=\E[%?%p1%{8}%<%t4%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m, use=xterm-256color,
"""


@pytest.mark.parametrize("term, extra, direct", [
    ("xterm-256color", {"COLORTERM": "truecolor"}, True), ("xterm", {"COLORTERM": "24bit"}, True), ("xterm-direct", {}, True),
    ("xterm-256color", {}, False), ("tmux-256color", {"COLORTERM": "truecolor"}, False)])
def test_all_colours_where_the_terminal_and_its_description_have_them(screen, tmp_path, term, extra, direct):
    (tmp_path / "direct.ti").write_text(DIRECT)
    subprocess.run(["tic", "-x", "-o", tmp_path / "terminfo", tmp_path / "direct.ti"], check=True, capture_output=True)
    s = screen(TERM=term, TERMINFO_DIRS="%s:/etc/terminfo:/lib/terminfo:/usr/share/terminfo" % (tmp_path / "terminfo"), **extra)
    s.wait("queue/orders")
    s.wait(lambda _: (b"38;2;" in s.raw) == direct and (b"38;5;" in s.raw) != direct)
    assert b"\x1b[38;2;255;95;95m" in s.raw.replace(b"1;38", b"38") or not direct, "what failed, in the colour of the theme"


def test_a_dumb_terminal_gets_the_table(run):
    """As in an editor's shell or a serial console: there is no cursor to place, and no colour."""
    with run.screen("-f", TOP / "tests/screen/worlds/night.yaml", TERM="dumb", cols=200) as s:
        assert os.WEXITSTATUS(s.end()) == 0
        assert any("PHASE" in line for line in s.screen.display) and b"\x1b" not in s.raw


def test_a_terminal_that_cannot_place_the_cursor(run, tmp_path):
    (tmp_path / "paper.ti").write_text("paper|it prints on paper, cols#80, bel=^G, cr=\\r, cud1=\\n, ind=\\n,\n")
    subprocess.run(["tic", "-x", "-o", tmp_path / "terminfo", tmp_path / "paper.ti"], check=True, capture_output=True)
    with run.screen("-f", TOP / "tests/screen/worlds/night.yaml", TERM="paper", TERMINFO=tmp_path / "terminfo") as s:
        assert os.WEXITSTATUS(s.end()) == 1
        assert "cannot place the cursor (TERM) (kubectl status -o table" in "".join(s.screen.display)


def test_in_the_background_of_a_shell_the_table_is_printed(run):
    with background([PROGRAM, "-f", TOP / "tests/screen/worlds/night.yaml"], run.env) as shell:
        shell.wait(lambda text: "PHASE" in text and "queue" in text)
        shell.keys("wait; jobs; echo en\"\"ded\n")
        text = shell.wait("ended")
        assert "Stopped" not in text and b"\x1b[?1049h" not in shell.raw


def test_any_size_at_any_moment(screen):
    sizes = random.Random(7)
    s = screen(rows=24, cols=80)
    for i in range(120):
        rows, cols = sizes.choice([(1, 1), (2, 300), (100, 1), (5, 20), (sizes.randrange(1, 110), sizes.randrange(1, 310))])
        s.resize(rows, cols)
        s.keys(sizes.choice(["j", "G", "p", "\x1b", "z", "v", "\r", "\t", "T", "t", "w", "C", ":", "?", "/x\x1b"]))
        if i % 3 == 0:
            s.read(0.01)
    s.resize(30, 100)
    s.keys("\x1b" * 3)
    s.keys("\x15\x1b")
    wait_for(lambda: s.read() and "prod-eu" in s.text())
    s.signal(signal.SIGTERM)
    assert os.WIFSIGNALED(s.end()) and os.WTERMSIG(s.status) == signal.SIGTERM
    assert b"\x1b[?1049l" in s.raw[-300:]


def test_suspended_and_continued(run):
    """By the job control of a shell."""
    with Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], {**run.env, "PS1": "shell$ "}, 24, 80) as s:
        s.wait("shell$")
        s.keys("%s --replay %s --as-of 2026-11-21T05:03:19Z\r" % (os.path.abspath(PROGRAM), TOP / "demo/incident.jsonl.gz"))
        for _ in range(3):
            s.wait("queue/orders")
            s.raw = b""
            s.keys("\x1a")
            wait_for(lambda: s.read() and b"Stopped" in s.raw)
            assert b"\x1b[?1049l" in s.raw and b"\x1b[?1000l" in s.raw, "the terminal is the shell's"
            s.keys("fg\r")
        s.wait("queue/orders")
        s.raw = b""
        s.keys("q")
        wait_for(lambda: s.read() and b"shell$" in s.raw)
        s.keys("stty -a; exit\r")
        wait_for(lambda: s.read() and b" echo " in s.raw and b" icanon" in s.raw)


def test_stopped_and_continued_from_outside(screen):
    s = screen()
    s.wait("queue/orders")
    for _ in range(3):
        s.signal(signal.SIGSTOP)
        s.keys("j")
        s.raw = b""
        s.signal(signal.SIGCONT)
        wait_for(lambda: s.read() and b"\x1b[2J" in s.raw)
    s.keys("q")
    assert os.WEXITSTATUS(s.end()) == 0


def test_a_terminal_that_vanishes(run):
    s = run.screen("--replay", TOP / "demo/incident.jsonl.gz")
    s.wait("prod-eu")
    pid = s.pid
    os.close(s.fd)
    statuses = []
    wait_for(lambda: any(statuses.append(status) or True for found, status in [os.waitpid(pid, os.WNOHANG)] if found))
    assert os.WIFSIGNALED(statuses[0]) and os.WTERMSIG(statuses[0]) == signal.SIGHUP


def test_wide_and_combining_names_keep_the_columns(run, tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text("---\n".join(
        "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: '%s', namespace: ns}\n"
        "status: {conditions: [{type: Ready, status: 'False', reason: Broken, message: '%s: MARK'}]}\n" % (name, name) for name in NAMES))
    for rows, cols in ((24, 80), (30, 120)):
        with run.screen("-f", path, rows=rows, cols=cols) as s:
            s.wait("MARK")
            screen = [line for line in s.screen.display if "Broken" in line or "MARK" in line]
            assert len(screen) == len(NAMES)
            cells = [[s.screen.buffer[row][col].data for col in range(cols)] for row in range(rows)]
            starts = {"".join(line).find("Failed") for line in cells if "Failed" in "".join(line)}
            assert len(starts) <= 1
            assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b-\u200f]", s.text().replace("\u200d", ""))
