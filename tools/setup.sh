#!/bin/sh
# Sets a checkout up, for the Makefile: "setup.sh python", "setup.sh go" and "setup.sh plugin", and what is asked for
# alone, "setup.sh cuda" and "setup.sh kernel"; each may be repeated. Needs go, a C compiler and Python 3.10 with its
# venv module; writes bin/, .venv/ and the plugin's file in ~/.local/lib/go-xla.
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
		{ read -r places && read -r file; } <"$stamp" || file= # cut off
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
			TMPDIR="$PWD/.venv/cuda/tmp" .venv/cuda/bin/python -m pip install --quiet --disable-pip-version-check \
				--no-cache-dir --no-deps --force-reinstall --require-hashes -r .venv/cuda/next.txt </dev/null ||
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
plugin) plugin_side ;;
cuda) cuda_side ;;
kernel) kernel_side ;;
*) fail "which part? python, go, plugin, cuda or kernel" ;;
esac
