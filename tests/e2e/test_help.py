# SPDX-License-Identifier: Apache-2.0
"""The help fits the terminal that it is read in."""
import os
import pathlib
import re
import subprocess

import pytest

from program import PROGRAM, Run

TOP = pathlib.Path(__file__).resolve().parents[2]
HELP = (["--help"], ["options"], ["help", "rules"], ["help", "completion"])


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def words(text):
    return text.split()


def lines_at(run, cols, args):
    """What is written to a terminal of that width, line by line, before the terminal could wrap anything."""
    with run.screen(*args, cols=cols, rows=200) as term:
        assert os.waitstatus_to_exitcode(term.end()) == 0
        return term.raw.decode().replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("args", HELP, ids=lambda a: " ".join(a))
def test_no_line_is_wider_than_the_terminal(run, args):
    """From 40 columns on; the words are the same at each width."""
    told = run.text(*args)
    assert max(map(len, told.splitlines())) <= 80
    for cols in (40, 41, 60, 67, 68, 80, 132, 300):
        lines = lines_at(run, cols, args)
        assert max(map(len, lines)) <= cols and not [line for line in lines if line != line.rstrip()]
        assert words("\n".join(lines)) == words(told)
    assert lines_at(run, 20, args) == lines_at(run, 40, args)
    if args != ["help", "completion"]:
        assert len(lines_at(run, 132, args)) < len(told.splitlines()) < len(lines_at(run, 60, args))


def test_the_usage_names_each_command(run):
    """And none that is not there."""
    usage = re.search(r"\nUsage:\n(.*?)\n\n", run.text("--help"), re.S).group(1).splitlines()[1:]
    assert [line.split()[2] for line in usage] == ["completion", "rules", "mcp", "options", "version", "help"]
    assert usage[:2] == ["  kubectl status completion bash|zsh|fish|man|install|uninstall", "  kubectl status rules check FILE..."]
    for line in usage:
        assert run("help", line.split()[2]).returncode == 0


def test_every_option_has_its_line(run):
    """Each begins a line of its own, and its description begins in one column."""
    options = re.findall(r'^OPTION\(\w+, "([a-z-]+)"', (TOP / "plugin/options.def").read_text(), re.M)
    text = run.text("--help")
    for name in options:
        assert re.search(r"^  (-\w, |    |)--?%s\b" % name, text, re.M), name
    starts = {m.start(1) - m.start() for m in re.finditer(r"^  (?:-\w, |    )--[a-z-]+\S* +(\S)", text, re.M)}
    assert starts == {34}


def test_help_into_a_full_disk_or_a_closed_pipe(run):
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "--help"], env=run.env, stdout=full, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (1, b"error: write standard output: No space left on device\n")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([PROGRAM, "--help"], env=run.env, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert not done.stderr
