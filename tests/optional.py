# SPDX-License-Identifier: Apache-2.0
"""Programs that single tests want and nothing else does.  Where one is not installed these tests are skipped, and "make test" says at its
beginning what is not tested (run.py)."""
import shutil

# Each with what is not tested without it.
TOOLS = {
    "chromium": "the pages of --report in a browser: how they look, and that they ask for nothing",
    "bash": "completion in bash", "fish": "completion in fish", "zsh": "completion in zsh",
    "kubectl": "that kubectl runs and completes it",
    "man": "the manual as man shows it", "mandoc": "the manual's form",
    "shellcheck": "the shell scripts' form",
    "dpkg-deb": "the package for Debian", "lintian": "the form of the package for Debian",
    "makepkg": "the recipe for Arch", "nix-instantiate": "the recipe for Nix", "ruby": "the recipe for Homebrew",
    "promtool": "the metrics and the rules for alerts by Prometheus' own tool",
    "nm": "that nothing is linked into the archives which nobody calls",
}
CALLED = {"chromium": ("chromium", "chromium-browser", "google-chrome")}


def find(tool):
    """Its path; None: it is not installed."""
    return next(filter(None, map(shutil.which, CALLED.get(tool, (tool,)))), None)


def missing():
    return [tool for tool in TOOLS if not find(tool)]


def needs(tool):
    """The mark of a test that is skipped without that tool."""
    import pytest   # run.py has none
    return pytest.mark.skipif(not find(tool), reason="%s is not installed, so not tested: %s" % (tool, TOOLS[tool]))
