#!/bin/sh
# Runs the checks in a real browser, for make test-browser. Where no browser or no driver can be had it says so and is done.
set -eu
cd "$(dirname "$0")/../.."
. tools/env.sh
python=.venv/bin/python
stamp=.venv/browser.txt

skip() { echo "browser tests skipped: $*"; exit 0; }

why=$("$python" tools/browser/chromium.py) || skip "$why"
if ! cmp -s tools/browser/requirements.txt "$stamp" || ! "$python" -c 'import playwright' 2>/dev/null; then
	echo "set-up: playwright into .venv (54 MB to download, without a browser)"
	"$python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
		-r tools/browser/requirements.txt ||
		skip "the package playwright cannot be had here"
	cp tools/browser/requirements.txt "$stamp"
fi
exec "$python" -m unittest discover -v -s tools/browser -p 'check_*.py'
