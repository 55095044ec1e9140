#!/bin/sh
# Sets a checkout up, for the Makefile: "setup.sh python", "setup.sh go" and "setup.sh plugin", each of which may be
# repeated. Needs go, a C compiler and Python 3.10 with its venv module; writes bin/, .venv/ and the plugin's file in
# ~/.local/lib/go-xla.
set -eu
cd "$(dirname "$0")/.."
. tools/env.sh

say() { echo "set-up: $*"; }
fail() { echo "set-up failed: $*" >&2; exit 1; }

python_side() {
	python=${PYTHON:-python3}
	"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
		fail "$python with the venv module is needed, 3.10 or newer (Debian, Ubuntu: apt install python3-venv)," \
			"or name another with make PYTHON=/path/to/python3"
	say "JupyterLab and nbconvert into .venv (50 MB to download, about half a minute)"
	rm -rf .venv/lib .venv/bin .venv/include .venv/share
	"$python" -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -r tools/requirements.txt -c tools/constraints.txt
	mkdir -p .venv/share/jupyter/kernels/gonb
	cp notebooks/kernel/kernel.json .venv/share/jupyter/kernels/gonb/
}

go_side() {
	command -v go >/dev/null || fail "Go is needed, of the version in go.mod or newer"
	command -v "$(go env CC)" >/dev/null || fail "a C compiler is needed, because GoMLX's XLA backend uses cgo" \
		"(Debian, Ubuntu: apt install gcc libc6-dev)"
	say "Go tools into bin (gonb, goimports, staticcheck; the first time about a minute)"
	GOBIN="$PWD/bin" go install tool
}

# A plugin that is there and works is kept. Else go-xla's own release, else the wheel. The stamp holds where plugins
# were looked for and the one that was found; while both stand there is nothing to do.
plugin_side() {
	stamp=.venv/plugin.stamp
	if [ -f "$stamp" ] && [ ! go.mod -nt "$stamp" ]; then
		{ read -r places; read -r file; } <"$stamp"
		[ "$places" != "$PJRT_PLUGIN_LIBRARY_PATH" ] || [ ! -f "$file" ] || return 0
	fi
	say "looking for an XLA plugin (the first time this compiles GoMLX, one to two minutes)"
	go build -buildvcs=false -o bin/xlaplugin ./tools/xlaplugin
	if ! found=$(bin/xlaplugin check 2>/dev/null); then
		folder=${PJRT_PLUGIN_LIBRARY_PATH%%:*}
		if ! bin/xlaplugin release "$folder" >/dev/null; then
			if [ "$(uname -s) $(uname -m)" != "Linux x86_64" ]; then
				say "no XLA plugin for this machine: the pure-Go backend computes, about 10x slower"
				return
			fi
			say "the plugin comes as a wheel instead (63 MB to download)"
			.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
				-r tools/plugin-requirements.txt
			.venv/bin/python tools/place_plugin.py "$folder" .venv/xla
		fi
		found=$(bin/xlaplugin check) || fail "the XLA plugin was installed but cannot be used"
	fi
	say "$found"
	file=${found##*; plugin }
	printf '%s\n%s\n' "$PJRT_PLUGIN_LIBRARY_PATH" "${file%)}" >"$stamp"
}

case "${1:-}" in
python) python_side ;;
go) go_side ;;
plugin) plugin_side ;;
*) fail "which part? python, go or plugin" ;;
esac
