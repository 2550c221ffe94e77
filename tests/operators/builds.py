# SPDX-License-Identifier: Apache-2.0
"""What worlds are built from: controllers of pinned Go modules, kwok and kube-scheduler, Python
and Maven packages.  Everything that was built is kept in a cache outside the tree, named by
what it was built from, so that only the first run is slow."""

import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "kubectl-status" / "operators"


@dataclasses.dataclass
class Build:
    """One program.  kind: go, here, source (a module that is only read), pip, maven."""
    kind: str
    name: str
    module: str = ""
    version: str = ""
    package: str = ""
    sum: str = ""
    edits: tuple = ()
    folder: str = ""
    needs: tuple = ()


def go(module, version, package, name=None, sum=None, edits=()):
    """A program of a Go module.  sum: the module's h1 sum, checked; edits: what `go get` is called
    with first, such as "k8s.io/api@v0.34.8", so that fewer packages are compiled twice."""
    return Build("go", name or package.rstrip("/").rpartition("/")[2].replace(".", "") or module.rpartition("/")[2],
                 module, version, package, sum or "", tuple(edits))


def go_here(folder, package, name):
    """A program whose go.mod, go.sum and sources stand in a folder of the world (or the world's own: ".")."""
    return Build("here", name, package=package, folder=folder)


def source(module, version, sum=None):
    """A Go module of which only files are read, such as definitions."""
    return Build("source", "", module, version, sum=sum or "")


def pip(requirements, name="python"):
    """A Python environment with these packages ("kopf==1.38.0"); lab.start(name, ...) is its interpreter."""
    return Build("pip", name, needs=tuple(requirements))


def maven(coordinates, name):
    """Jars with what they depend on ("group:artifact:version"); lab.binary(name) is the folder that holds them."""
    return Build("maven", name, needs=tuple(coordinates))


def run(*command, **options):
    """Run a command, its output only shown when it fails."""
    done = subprocess.run([str(c) for c in command], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def downloaded(module, version, sum=""):
    """The folder of a module's sources, its sum checked."""
    told = subprocess.run(["go", "mod", "download", "-json", f"{module}@{version}"], cwd=tempfile.gettempdir(),
                          stdout=subprocess.PIPE, text=True)
    told = json.loads(told.stdout or "{}")
    if told.get("Error") or "Dir" not in told:
        raise SystemExit(f"{module}@{version}: {told.get('Error', 'cannot be downloaded')}")
    if sum and told["Sum"] != sum:
        raise SystemExit(f"{module}@{version} has the sum {told['Sum']}, not {sum}")
    return pathlib.Path(told["Dir"])


def digest(*parts):
    """A short name of everything that is named."""
    text = hashlib.sha256()
    for part in parts:
        text.update((part if isinstance(part, bytes) else str(part).encode()) + b"\0")
    return text.hexdigest()[:12]


def built(build, world):
    """The path of what a Build yields, made now if it has to be; world: the world's folder."""
    if build.kind == "source":
        return downloaded(build.module, build.version, build.sum)
    parts = [build.kind, build.module, build.version, build.package, build.edits, build.needs]
    if build.kind == "here":
        folder = world / build.folder
        parts += [f.read_bytes() for f in sorted(folder.rglob("*")) if f.suffix in (".go", ".mod", ".sum")]
    home = CACHE / f"{build.name}-{digest(*parts)}"
    if (home / "complete").exists():
        return home if build.kind == "maven" else home / ("bin/python" if build.kind == "pip" else build.name)
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "complete").exists():
            print(f"building {build.name} (once, some minutes)", file=sys.stderr, flush=True)
            home.mkdir(exist_ok=True)
            MAKERS[build.kind](build, world, home)
            (home / "complete").touch()
    return built(build, world)


def make_go(build, world, home):
    """A module's program, built as its own project builds it: with the versions of its go.mod."""
    where = downloaded(build.module, build.version, build.sum)
    with tempfile.TemporaryDirectory() as copy:
        copy = pathlib.Path(copy) / "module"
        shutil.copytree(where, copy)
        for path in [copy, *copy.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        drop_missing_replacements(copy)
        if build.edits:
            run("go", "get", *build.edits, cwd=copy)
            run("go", "mod", "tidy", cwd=copy)
        go_build(build.package, home / build.name, copy)


def drop_missing_replacements(folder):
    """A module of the same repository stands beside this one there, but not in what is published: its published version is taken."""
    dropped = False
    for one in json.loads(run("go", "mod", "edit", "-json", cwd=folder)).get("Replace") or ():
        if one["New"]["Path"].startswith(".") and not (folder / one["New"]["Path"]).is_dir():
            run("go", "mod", "edit", f"-dropreplace={one['Old']['Path']}", cwd=folder)
            dropped = True
    if dropped:
        run("go", "mod", "tidy", cwd=folder)


def make_here(build, world, home):
    go_build(build.package, home / build.name, world / build.folder)


def go_build(package, target, folder):
    """Nothing of this machine is in the program, so that the compiler's cache serves several worlds."""
    run("nice", "-n", "10", "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", target, package,
        cwd=folder, env={**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"})


def make_pip(build, world, home):
    venv.create(home, with_pip=True)
    run(home / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *build.needs)


def make_maven(build, world, home):
    """Maven resolves and copies; needs mvn."""
    dependencies = "".join("<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>"
                           % tuple(c.split(":")) for c in build.needs)
    (home / "pom.xml").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>world</groupId><artifactId>world</artifactId>"
        f"<version>1</version><dependencies>{dependencies}</dependencies></project>")
    run("mvn", "-q", "-B", "-f", home / "pom.xml", "dependency:copy-dependencies", f"-DoutputDirectory={home}")


MAKERS = {"go": make_go, "here": make_here, "pip": make_pip, "maven": make_maven}

TOOLS = (Build("here", "kwok", package="sigs.k8s.io/kwok/cmd/kwok", folder="tools"),
         Build("here", "kube-scheduler", package="k8s.io/kubernetes/cmd/kube-scheduler", folder="tools"))


def tool(name):
    """kwok or kube-scheduler."""
    return built(next(t for t in TOOLS if t.name == name), HERE)


def module_folder(module, builds, world):
    """Where a module's sources are: one that is built, or one that a go.mod of the world's names."""
    for build in builds:
        if build.module == module:
            return downloaded(module, build.version, build.sum)
    for build in builds:
        if build.kind == "here":
            run("go", "mod", "download", module, cwd=world / build.folder)
            told = run("go", "list", "-m", "-json", module, cwd=world / build.folder)
            return pathlib.Path(json.loads(told)["Dir"])
    raise SystemExit(f"{world.name}: no BUILD has the module {module}")
