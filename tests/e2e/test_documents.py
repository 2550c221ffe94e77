# SPDX-License-Identifier: Apache-2.0
"""What the documents say can be typed, and their links lead somewhere."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import pytest
import yaml

from program import PROGRAM, listens_by_default

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*TOP.glob("*.md"), *TOP.glob("docs/**/*.md"), *TOP.glob(".github/**/*.md"), *TOP.glob("demo/*.md")])
COMMAND = re.compile(r"^\s*(kubectl status\b[^`\n]*)$", re.M)
WITHIN_TEXT = re.compile(r"`(kubectl status [^`\n]*)`")


def commands(pattern):
    manual = (TOP / "plugin/help/kubectl-status.1").read_text().replace("\\-", "-").replace("\\e", "\\")
    for name, text in [(p.name, p.read_text()) for p in PAGES] + [("manual", manual[manual.index(".SH EXAMPLES"):])]:
        for command in pattern.findall(text):
            yield pytest.param(command, id="%s: %s" % (name, command))


@pytest.mark.parametrize("command", [*commands(COMMAND), *commands(WITHIN_TEXT)])
def test_commands_are_understood(run, command):
    words = shlex.split(command.split(" | ")[0], comments=True)[2:]
    done = run(*([*words, "--help"] if words[:1] != ["completion"] else ["completion", "man"]))
    assert done.returncode == 0, done.stderr.decode()


# What they need of a cluster, of time or of a terminal, or what they would change here.
NOT_RUN = re.compile(r"--record|--report|--speed|widget/a |--for|--as-of|--from|--help|--context|--all-contexts|--diff|--flight|--history|\s-w\b|\s-v\b|completion|NAME")


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("desk")
    world = sorted((TOP / "tests/family/why").glob("*.yaml"))[0].read_bytes()
    (folder / "dump.yaml").write_bytes(world)
    (folder / "world.yaml").write_bytes(world)
    (folder / "must-gather/namespaces").mkdir(parents=True)
    (folder / "must-gather/namespaces/all.yaml").write_bytes(world)
    shutil.make_archive(str(folder / "must-gather"), "gztar", folder, "must-gather")
    page = (TOP / "docs/rules.md").read_text()
    (folder / "widgets.yaml").write_text(page.split("```yaml\n")[1].split("```")[0])
    alert = '{"alerts":[{"status":"firing","labels":{"namespace":"shop","deployment":"search"},"startsAt":"2026-11-21T05:02:30Z"}]}'
    for name in ("page.json", "webhook.json"):
        (folder / name).write_text(alert)
    for name in set(re.findall(r"[\w.-]+\.jsonl\.gz", "".join(p.read_text() for p in PAGES))):
        shutil.copy(TOP / "demo/incident.jsonl.gz", folder / name)
    return folder


def examples():
    for param in commands(COMMAND):
        [command] = param.values
        if not NOT_RUN.search(command.split("  #")[0]):
            yield param


@pytest.mark.parametrize("command", list(examples()))
def test_examples_run(run, desk, command):
    """As typed, in front of the recorded incident where a cluster is meant; a pipe runs with its other end."""
    typed, _, filtered = command.partition("  #")[0].partition(" > ")[0].partition(" | ")
    words = shlex.split(typed, comments=True)[2:]
    alone = {"-f", "--replay"} & set(words) or words[:1] in (["rules"], ["version"], ["options"])
    done = subprocess.run([PROGRAM, *words, *([] if alone else ["--replay", TOP / "demo/incident.jsonl.gz"])], cwd=desk, env=run.env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 or done.returncode > 2 and "--exit-code" in words, done.stderr.decode()
    assert done.stdout, "%s prints nothing" % command
    if filtered and shutil.which(filtered.split()[0]):
        subprocess.run(["sh", "-c", filtered], input=done.stdout, check=True, capture_output=True, timeout=60)


def anchors(page):
    """The headings of a page, as links name them."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.S), re.M)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(TOP)))
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)[^)]*\)", page.read_text()):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or target.suffix != ".md" or anchor in anchors(target), link


def test_every_page_can_be_found():
    """Each page is named by README or by a page that README leads to."""
    seen, todo = set(), [TOP / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen:
            continue
        seen.add(page)
        for link in re.findall(r"\]\(([^)#\s]+\.md)[^)]*\)", page.read_text()):
            if "://" not in link:
                todo.append((page.parent / link).resolve())
        todo += [TOP / n for n in re.findall(r"\b((?:docs/)?\w+\.md)\b", page.read_text()) if (TOP / n).exists()]
    assert set(TOP.glob("docs/**/*.md")) <= seen, set(TOP.glob("docs/**/*.md")) - seen


def test_mistakes_print_what_the_first_hour_shows(run, tmp_path):
    (tmp_path / "bad.yaml").write_text("a: [\n")
    page = (TOP / "docs/first-hour.md").read_text().split("## Mistakes")[1]
    shown = re.findall(r"^\$ kubectl status (.*)\n((?:[^$`].*\n)+)", page, re.M)
    assert len(shown) == page.count("$ kubectl status ") > 4
    for command, output in shown:
        done = subprocess.run([PROGRAM, *shlex.split(command)], env={k: v for k, v in run.env.items() if k != "KUBECONFIG"}, cwd=tmp_path,
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode in (1, 2)
        if "localhost:8080" in output and listens_by_default():
            assert done.stderr.split("(")[1].split() == output.split("(")[1].split(), command
        else:
            assert done.stderr.split() == output.split(), command


def test_pages_of_families_have_every_word():
    done = subprocess.run([sys.executable, TOP / "tests/family_pages.py", "--check"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_names_of_options_exist(run):
    """Each flag that a document names is one of the program's, or of the other program on its line."""
    known = {"--problms"}  # a mistake on purpose
    known |= set(re.findall(r"--[a-z][a-z-]+", run("--help").stdout.decode() + run("options").stdout.decode()))
    for page in PAGES:
        for line in page.read_text().splitlines():
            if not re.search(r"kubectl (krew|patch|get|wait|auth)|apt-get|rustc|cargo|make |curl|debootstrap|git |argocd|apiserver|kubectl-tree|cmd/main.go|completion|cosign|certificate|sha256sum|gh attestation|makepkg", line):
                for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", line):
                    assert flag in known, "%s: %s" % (page.name, flag)


@pytest.mark.parametrize("page, before", [("README.md", "## Use it"), ("docs/install.md", "On Debian and Ubuntu")])
def test_installation_lines_work_in_an_empty_home(tmp_path, page, before):
    """As typed, by somebody who has no ~/.local/bin."""
    text = (TOP / page).read_text().split(before)[0]
    block = next(b for b in re.findall(r"```\n(.*?)```", text, re.S) if "tar -xzf" in b)
    lines = [line.replace("kubectl status ", "kubectl-status ") for line in block.splitlines()]
    (tmp_path / "kubectl-status").write_bytes(pathlib.Path(PROGRAM).read_bytes())
    (tmp_path / "kubectl-status").chmod(0o755)
    subprocess.run(["tar", "-czf", "kubectl-status_linux_amd64.tar.gz", "kubectl-status"], cwd=tmp_path, check=True)
    (tmp_path / "kubectl-status").unlink()
    script = "set -e\n" + "\n".join(lines) + '\nexport PATH="$HOME/.local/bin:$PATH"\nkubectl-status version\n'
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
    done = subprocess.run(["/bin/sh", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "kubectl-status v" in done.stdout, done.stderr


def test_names_of_targets_exist():
    targets = set(re.findall(r"^([a-z_.-]+):(?!=)", (TOP / "Makefile").read_text(), re.M))
    for page in PAGES:
        named = set(re.findall(r"(?:^(?:[$#] )?|`)make ([a-z][a-z_.-]+)", page.read_text(), re.M))
        assert named <= targets, page.name


def test_names_of_files_exist():
    """Paths of the tree that ARCHITECTURE.md and CONTRIBUTING.md name."""
    for page in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
        for path in re.findall(r"`((?:kube|tui|plugin|tests|docs|deploy|packaging)/[\w./-]+)`", (TOP / page).read_text()):
            assert (TOP / path).exists() or "foo" in path or "FAMILY" in path, "%s: %s" % (page, path)


def test_the_role_only_reads():
    for role in yaml.safe_load_all((TOP / "deploy/clusterrole.yaml").read_text()):
        for rule in role["rules"]:
            assert {"get", "list"} <= set(rule["verbs"]) <= {"get", "list", "watch"} and "secrets" not in rule["resources"]
            assert "" not in rule["apiGroups"] or "*" not in rule["resources"], "the core group holds the Secrets"


MOVING = TOP / "docs/pictures/incident.svg"  # tested by test_incident_picture.py
PICTURES = sorted(set((TOP / "docs/pictures").glob("*.svg")) - {MOVING})


@pytest.mark.parametrize("path", PICTURES, ids=lambda p: p.name)
def test_pictures_are_valid(path):
    """Well-formed, nothing but rectangles and text in it, and the text that stands beside it."""
    tree = xml.etree.ElementTree.parse(path)
    tags = {element.tag.rsplit("}")[-1] for element in tree.iter()}
    assert tags <= {"svg", "style", "rect", "text"}
    rows = {}
    for text in tree.iter("{http://www.w3.org/2000/svg}text"):
        rows.setdefault(int(text.get("y")), []).append((int(text.get("x")), text.text))
    shown = ["".join(part for _, part in sorted(rows[y])).replace(" ", "") for y in sorted(rows)]
    assert shown == [line.replace(" ", "") for line in path.with_suffix(".txt").read_text().splitlines() if line.strip()]
