# The environment of make's commands; sourced in the folder of the checkout. Outside make nothing of it is needed.

# Where XLA plugins are looked for: go-xla's own places, then .venv/xla for those whose home cannot be written to, and
# what make cuda installs.
if [ -z "${PJRT_PLUGIN_LIBRARY_PATH:-}" ]; then
	places="${HOME:-}/.local/lib/go-xla"
	places="$places:$places/nvidia:/usr/local/lib/go-xla:/usr/local/lib/go-xla/nvidia"
	export PJRT_PLUGIN_LIBRARY_PATH="$places:$PWD/.venv/xla:$PWD/.venv/cuda/nvidia"
fi

# Without a home that can be written to, the caches of Go and Jupyter go into the checkout.
if [ ! -w "${HOME:-/nonexistent}" ]; then
	HOME="$PWD/.venv/home"
	mkdir -p "$HOME"
	export HOME
fi

export PATH="$PWD/bin:$PWD/.venv/bin:$PATH"
export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}" # see docs/choices.md
export PYTHONDONTWRITEBYTECODE=1
