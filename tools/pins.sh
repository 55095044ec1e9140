#!/bin/sh
# Writes the requirements files anew, with the hashes of all files of each version, for "make pins": what the .in files
# name, and what that pulls in. Versions stay as they are where they still resolve; "make pins PINS_FLAGS=--upgrade"
# takes the newest.
set -eu
cd "$(dirname "$0")/.."
venv=build/pins-venv
if ! cmp -s tools/pins-requirements.txt "$venv/stamp"; then
	tools/setup.sh venv "$venv" tools/pins-requirements.txt
	cp tools/pins-requirements.txt "$venv/stamp"
fi

# pin FILE PYTHON writes FILE.txt from FILE.in, for that Python and newer ones.
pin() {
	echo "pins: $1.txt, for Python $2 and newer"
	"$venv/bin/uv" pip compile --quiet --universal --python-version "$2" --generate-hashes --no-annotate \
		--custom-compile-command "make pins" $PINS_FLAGS --output-file "$1.txt" "$1.in"
}
PINS_FLAGS=${PINS_FLAGS:-}
pin tools/requirements 3.10
pin tools/browser/requirements 3.10
pin tools/site-requirements 3.11
pin bench/peer/requirements 3.11
pin bench/tgn/requirements 3.11
pin tools/pins-requirements 3.10
