#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From the commands of make -n on standard input to a compilation database."""
import json
import os
import shlex
import sys


def main():
    rows = []
    for line in sys.stdin:
        words = shlex.split(line, comments=True) if " -c -o " in line else []
        if words and words[-1].endswith(".c"):
            rows.append({"directory": os.getcwd(), "file": words[-1], "arguments": words})
    json.dump(rows, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
