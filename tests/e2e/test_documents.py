# SPDX-License-Identifier: Apache-2.0
"""What the documents say can be typed, and their links lead somewhere."""
import os
import pathlib
import re
import shlex

import pytest
import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*TOP.glob("*.md"), *TOP.glob("docs/*.md")])
COMMAND = re.compile(r"^\s*(kubectl status\b[^`\n]*)$", re.M)


def commands():
    manual = (TOP / "plugin/kubectl-status.1").read_text().replace("\\-", "-").replace("\\e", "\\")
    for name, text in [(p.name, p.read_text()) for p in PAGES] + [("manual", manual[manual.index(".SH EXAMPLES"):])]:
        for command in COMMAND.findall(text):
            yield pytest.param(command, id="%s: %s" % (name, command))


@pytest.mark.parametrize("command", list(commands()))
def test_commands_are_understood(run, command):
    words = shlex.split(command.split(" | ")[0], comments=True)[2:]
    done = run(*([*words, "--help"] if words[:1] != ["completion"] else ["completion", "man"]))
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in link:
            assert os.path.exists(page.parent / link), link


def test_names_of_files_exist():
    """Paths of the tree that ARCHITECTURE.md and CONTRIBUTING.md name."""
    for page in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
        for path in re.findall(r"`((?:kube|tui|plugin|tests|docs|deploy|packaging)/[\w./-]+)`", (TOP / page).read_text()):
            assert (TOP / path).exists() or "foo" in path, "%s: %s" % (page, path)


def test_the_role_only_reads():
    for role in yaml.safe_load_all((TOP / "deploy/clusterrole.yaml").read_text()):
        for rule in role["rules"]:
            assert set(rule["verbs"]) == {"get", "list", "watch"} and "secrets" not in rule["resources"]
            assert "" not in rule["apiGroups"] or "*" not in rule["resources"], "the core group holds the Secrets"
