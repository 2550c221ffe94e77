#!/bin/sh
# homepage.sh: the web address of the repository that releases, without a slash at its end: HOMEPAGE, or where a workflow runs its
# repository, or that of the git remote origin.  Where none is known, an address that nobody can have; with --known, exit 1.
set -eu
cd "$(dirname "$0")/.."

# git@HOST:OWNER/NAME.git and ssh://git@HOST/OWNER/NAME as https; credentials in an address are left out.
from_remote() {
	[ -e .git ] && git remote get-url origin 2>/dev/null | sed -nE \
		-e 's,(\.git)?/?$,,' \
		-e 's,^(https?)://([^/@]*@)?([^/]+/.+)$,\1://\3,p' \
		-e 's,^ssh://([^/@]*@)?([^/:]+)(:[0-9]+)?/(.+)$,https://\2/\4,p' \
		-e 's,^[^/@:]+@([^/:]+):/?(.+)$,https://\1/\2,p'
}

if [ -n "${HOMEPAGE:-}" ]; then
	homepage=${HOMEPAGE%/}
elif [ -n "${GITHUB_REPOSITORY:-}" ]; then
	homepage=${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY
else
	homepage=$(from_remote || true)
fi
if [ -z "$homepage" ]; then
	[ "${1:-}" != --known ] || exit 1
	homepage=https://repository.invalid/kubectl-status
fi
echo "$homepage"
