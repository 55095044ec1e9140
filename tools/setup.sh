#!/bin/sh
# Sets a checkout up, for the Makefile: "setup.sh python", "setup.sh go", "setup.sh wheel" and "setup.sh plugin", and what
# is asked for alone, "setup.sh venv FOLDER REQUIREMENTS", "setup.sh cuda" and "setup.sh kernel"; each may be repeated.
# Needs go, a C compiler and Python 3.10 with its venv module; writes bin/, .venv/ and the plugin's file in
# ~/.local/lib/go-xla. Wheels are held by their hashes, and nothing is built from source, which would take more unheld.
set -eu
cd "$(dirname "$0")/.."
. tools/env.sh

say() { echo "set-up: $*"; }
fail() { echo "set-up failed: $*" >&2; exit 1; }

# install FOLDER ARGUMENTS installs what requirements files hold into a Python environment.
install() {
	into=$1
	shift
	"$into/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: "$@"
}

venv_side() {
	rm -rf "$1"
	"${PYTHON:-python3}" -m venv "$1"
	install "$1" -r "$2"
}

python_side() {
	python=${PYTHON:-python3}
	"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
		fail "$python with the venv module is needed, 3.10 or newer (Debian, Ubuntu: apt install python3-venv)," \
			"or name another with make PYTHON=/path/to/python3"
	say "JupyterLab and nbconvert into .venv (50 MB to download, about half a minute)"
	rm -rf .venv/lib .venv/bin .venv/include .venv/share
	"$python" -m venv .venv
	install .venv -r tools/requirements.txt
	# git then sees notebooks without outputs, see .gitattributes.
	git config filter.nbstripout.clean '.venv/bin/python -m nbstripout' 2>/dev/null || true
}

go_side() {
	command -v go >/dev/null || fail "Go is needed, of the version in go.mod or newer"
	command -v "$(go env CC)" >/dev/null || fail "a C compiler is needed, because GoMLX's XLA backend uses cgo" \
		"(Debian, Ubuntu: apt install gcc libc6-dev)"
	say "GoMLX and the Go tools gonb and goimports into bin (the first time about a minute)"
	GOBIN="$PWD/bin" go install github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports
	go build -buildvcs=false -o bin/xlaplugin ./tools/xlaplugin
}

has_wheel() { [ "$(uname -s) $(uname -m)" = "Linux x86_64" ] && [ -z "${PLUGIN_SHA256:-}" ]; }

has_plugin() (
	IFS=:
	for folder in $PJRT_PLUGIN_LIBRARY_PATH; do
		for file in "$folder"/pjrt_c_api_cpu*_plugin.so; do
			[ ! -e "$file" ] || exit 0
		done
	done
	exit 1
)

# The wheel of the plugin comes while Go compiles, where no plugin is there at all.
wheel_side() {
	has_wheel && ! has_plugin || return 0
	say "XLA's CPU plugin into .venv (63 MB to download)"
	install .venv --no-deps -r tools/plugin-requirements.txt
}

# A plugin that is there and works is kept. Else it is the wheel's, or with PLUGIN_SHA256 that of go-xla's release with
# this hash. The stamp holds where plugins were looked for and the one that was found; while both stand there is nothing
# to do.
plugin_side() {
	stamp=.venv/plugin.stamp
	if [ -f "$stamp" ] && [ ! go.mod -nt "$stamp" ]; then
		{ read -r places && read -r file; } <"$stamp" || file= # cut off
		[ "$places" != "$PJRT_PLUGIN_LIBRARY_PATH" ] || [ ! -f "$file" ] || return 0
	fi
	go build -buildvcs=false -o bin/xlaplugin ./tools/xlaplugin
	if ! found=$(bin/xlaplugin check 2>/dev/null); then
		folder=${PJRT_PLUGIN_LIBRARY_PATH%%:*}
		if has_wheel; then
			install .venv --no-deps -r tools/plugin-requirements.txt
			.venv/bin/python tools/place_plugin.py "$folder" .venv/xla
		elif [ -n "${PLUGIN_SHA256:-}" ]; then
			say "XLA's CPU plugin of go-xla's release into $folder"
			bin/xlaplugin release "$folder" "$PLUGIN_SHA256" || fail "the release was not installed"
		else
			say "no XLA plugin with a hash that is known for this machine: the pure-Go backend computes, about 10x" \
				"slower; make setup PLUGIN_SHA256=... takes go-xla's release, see docs/install.md"
			return
		fi
		found=$(bin/xlaplugin check) || fail "the XLA plugin was installed but cannot be used"
	fi
	say "$found"
	file=${found##*; plugin }
	printf '%s\n%s\n' "$PJRT_PLUGIN_LIBRARY_PATH" "${file%)}" >"$stamp.new"
	mv "$stamp.new" "$stamp"
}

# Each wheel is installed and noted by itself, so that after a broken download the next run goes on with the same one.
cuda_side() {
	[ "$(uname -s) $(uname -m)" = "Linux x86_64" ] || fail "the pinned CUDA plugin is for Linux x86_64 alone"
	done=.venv/cuda/installed.txt
	if [ ! -f "$done" ] || grep -v '^#' tools/cuda-requirements.txt | grep -qvxFf "$done"; then
		say "CUDA plugin and NVIDIA's libraries into .venv/cuda (2.2 GB to download, 3.4 GB on disk, if all are new)"
		[ "$(df -Pk .venv | awk 'NR == 2 { print $4 }')" -gt 4500000 ] || fail "make 4.5 GB of space on the disk of .venv"
		"${PYTHON:-python3}" -m venv .venv/cuda
		mkdir -p .venv/cuda/tmp
		touch "$done"
		grep -v '^#' tools/cuda-requirements.txt | grep -vxFf "$done" >.venv/cuda/missing.txt
		while read -r wheel; do
			say "${wheel%% *}"
			echo "$wheel" >.venv/cuda/next.txt
			TMPDIR="$PWD/.venv/cuda/tmp" install .venv/cuda --no-cache-dir --no-deps --force-reinstall \
				-r .venv/cuda/next.txt </dev/null ||
				fail "this wheel could not be installed; make cuda goes on from here"
			echo "$wheel" >>"$done"
		done <.venv/cuda/missing.txt
		rm -rf .venv/cuda/tmp .venv/cuda/next.txt .venv/cuda/missing.txt
	fi
	# go-xla wants the plugin in the folder nvidia, and in it bin and nvvm of CUDA; the plugin finds its libraries from
	# its own folder, as ../nvidia/.
	nvidia=$(.venv/cuda/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/nvidia
	ln -sfn cu13/bin "$nvidia/bin"
	ln -sfn cu13/nvvm "$nvidia/nvvm"
	ln -sf ../jax_plugins/xla_cuda13/xla_cuda_plugin.so "$nvidia/pjrt_c_api_cuda_plugin.so"
	ln -sfn "$nvidia" .venv/cuda/nvidia
	user=$HOME/.local/lib/go-xla/nvidia
	if [ "$HOME" = "$PWD/.venv/home" ]; then
		say "the home cannot be written to, so only make's commands find the plugin: see docs/cuda.md"
	elif [ ! -e "$user" ]; then
		mkdir -p "${user%/*}"
		ln -sfn "$nvidia" "$user"
	elif [ ! "$user" -ef .venv/cuda/nvidia ]; then
		say "$user is there already and is found first; remove it to use this one"
	fi
	case ":$PJRT_PLUGIN_LIBRARY_PATH:" in
	*":$PWD/.venv/cuda/nvidia:"* | *":$user:"*) ;;
	*) say "PJRT_PLUGIN_LIBRARY_PATH is set and leaves the plugin out; add $PWD/.venv/cuda/nvidia to it" ;;
	esac
	go build -buildvcs=false -o bin/xlaplugin ./tools/xlaplugin
	bin/xlaplugin cuda "$PWD/.venv/cuda/nvidia/pjrt_c_api_cuda_plugin.so" ||
		fail "the CUDA plugin was installed but cannot be loaded"
}

kernel_side() {
	[ "$HOME" != "$PWD/.venv/home" ] || fail "the home cannot be written to; make lab has the kernel"
	place=$(.venv/bin/python -c 'from jupyter_core.paths import jupyter_data_dir; print(jupyter_data_dir())')/kernels/gonb
	if [ -e "$place" ] && ! grep -q pengcde-go "$place/kernel.json"; then
		fail "$place is a kernel from elsewhere and stays; move it away first"
	fi
	mkdir -p "$place"
	cp notebooks/kernel/kernel.json "$place/"
	say "the kernel Go (gonb) is in $place; Jupyter needs go on its PATH"
}

case "${1:-}" in
python) python_side ;;
go) go_side ;;
wheel) wheel_side ;;
plugin) plugin_side ;;
venv) venv_side "$2" "$3" ;;
cuda) cuda_side ;;
kernel) kernel_side ;;
*) fail "which part? python, go, wheel, plugin, venv, cuda or kernel" ;;
esac
