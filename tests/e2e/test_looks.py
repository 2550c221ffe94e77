# SPDX-License-Identifier: Apache-2.0
"""What can be read: the contrast of every text that is on the screen, view by view, measured cell by cell."""
import pathlib
import time

import pyte
import pytest

import terminal
from program import Run

DEMO = pathlib.Path(__file__).resolve().parents[2] / "demo/incident.jsonl.gz"
DARK, LIGHT = (0xd0d0d0, 0x1e1e1e), (0x202020, 0xf5f5f5)  # text and background
BLACK, WHITE = (0xe5e5e5, 0x000000), (0x000000, 0xffffff)
XTERM = {"black": 0x000000, "red": 0xcd0000, "green": 0x00cd00, "brown": 0xcdcd00, "blue": 0x0000ee, "magenta": 0xcd00cd,
         "cyan": 0x00cdcd, "white": 0xe5e5e5}
BRIGHT = {**XTERM, "red": 0xff0000, "green": 0x00ff00, "brown": 0xffff00, "blue": 0x5c5cff, "magenta": 0xff00ff, "cyan": 0x00ffff,
          "white": 0xffffff}  # what xterm and the Linux console make of the eight colours in bold
VIEWS = ("", "jj", "v", "vp", " ", "a", "\x1b", "w", "\x1b", "t", "\x1b", "T", "/net\r", "\x1b\x1b", "C3", "\x1b", "g\r", "2", "3", "4",
         "5", "6", "7/name\r", "\x1b\x1b", "8", "\x1b", "/phase:failed fo:x", "\r", "\x1b", "1", "2", "3", "4", "4", "sS", "*", ":ns",
         "\x1b", "?", "\x1b", "!", "{", "P")
RULES = set("─│")


class Faint(terminal.Screen):
    """pyte knows nothing of faint text: it is noted as italics, which the program does not write."""

    def select_graphic_rendition(self, *attributes):
        super().select_graphic_rendition(*attributes)
        plain = [a for i, a in enumerate(attributes) if not {38, 48} & set(attributes[max(0, i - 4):i])]
        if 2 in plain:
            self.cursor.attrs = self.cursor.attrs._replace(italics=True)
        elif 22 in plain or 0 in plain or not attributes:
            self.cursor.attrs = self.cursor.attrs._replace(italics=False)


def luminance(rgb):
    channels = [(rgb >> shift & 255) / 255 for shift in (16, 8, 0)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    x, y = sorted((luminance(a) + 0.05, luminance(b) + 0.05))
    return y / x


def colour(name, default, bold=False):
    if name == "default":
        return default
    return (BRIGHT if bold else XTERM)[name] if name in XTERM else int(name, 16)


def hard_to_read(screen, paper):
    """{how it is written: what}, of what is below 4.5:1; faint text counts as such, nobody knows how faint."""
    found = {}
    for line in screen.buffer.values():
        for cell in line.values():
            if not cell.data.strip() or cell.data in RULES:
                continue
            if cell.italics or contrast(colour(cell.fg, paper[0], cell.bold), colour(cell.bg, paper[1])) < 4.5:
                how = (cell.fg, cell.bg, "faint" if cell.italics else "")
                found[how] = found.get(how, "") + cell.data
    return found


@pytest.mark.parametrize("term, theme, paper, env", [
    ("xterm-256color", "dark", DARK, {}),
    ("xterm-256color", "light", LIGHT, {}),
    ("xterm-256color", "auto", LIGHT, {"COLORFGBG": "0;15"}),
    ("xterm-256color", "colour-blind", DARK, {}),
    ("xterm-256color", "colour-blind", LIGHT, {"COLORFGBG": "0;default;15"}),
    ("xterm-256color", "high-contrast", DARK, {}),
    ("xterm-256color", "high-contrast", WHITE, {}),
    ("xterm", "dark", BLACK, {}),
    ("linux", "auto", BLACK, {}),
    ("xterm", "light", WHITE, {}),
    ("xterm", "colour-blind", BLACK, {}),
    ("xterm", "colour-blind", WHITE, {"COLORFGBG": "0;15"}),
    ("xterm", "high-contrast", DARK, {}),
    ("xterm", "high-contrast", WHITE, {}),
    ("screen", "high-contrast", WHITE, {}),
    ("xterm-256color", "none", WHITE, {}),
    ("vt100", "auto", DARK, {}),
])
def test_every_text_can_be_read(tmp_path, monkeypatch, term, theme, paper, env):
    monkeypatch.setattr(terminal, "Screen", Faint)
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube/kubectl-status.yaml").write_text("apiVersion: kubectl-status/v1\nkind: Preferences\ntheme: %s\n" % theme)
    run = Run(tmp_path)
    with run.screen("--replay", DEMO, "--as-of", "2026-11-21T05:03:19Z", rows=40, cols=120, TERM=term, **env) as s:
        s.wait("queue/orders")
        seen = set()
        for keys in VIEWS:
            before = s.text()
            s.keys(keys)
            end = time.monotonic() + 0.3
            while s.text() == before and time.monotonic() < end:
                s.read(0.03)
            s._settle(0.03)
            seen.add(s.text())
            assert hard_to_read(s.screen, paper) == {}, "after %r\n%s" % (keys, s.text())
        assert len(seen) > 25, "the views differ"


def test_measure():
    screen = Faint(20, 2)
    stream = pyte.ByteStream(screen)
    stream.feed(b"\x1b[38;5;2mno\x1b[0m \x1b[2mfaint\x1b[22m \x1b[31mred")
    assert hard_to_read(screen, WHITE) == {("00cd00", "default", ""): "no", ("default", "default", "faint"): "faint"}
    assert ("cd0000", "default", "") not in hard_to_read(screen, WHITE)
