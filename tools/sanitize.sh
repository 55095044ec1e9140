#!/bin/sh
# Runs the kernels for two callers at once under the thread sanitizer, and under those for addresses and undefined
# behaviour, for make test-tsan.
# Where the compiler has no sanitizer it says so and goes on.
set -eu
cd "$(dirname "$0")/../xla/kernels"
cc=${CC:-cc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"

# Older sanitizers do not bear the addresses that newer kernels give to a program.
steady=
if command -v setarch >/dev/null && setarch -R true 2>/dev/null; then
	steady="setarch -R"
fi

# build makes a program, its first argument, of the sources that follow.
build() {
	program=$1
	shift
	"$cc" -std=gnu11 -O0 -g -Wall -Wextra "-fsanitize=$sanitizer" -fno-sanitize-recover=all \
		"$@" -lm -lpthread -o "$program"
}

echo 'int main(void) { return 0; }' >"$folder/empty.c"
for sanitizer in thread address,undefined; do
	if ! build "$folder/empty" "$folder/empty.c" 2>"$folder/why" || ! $steady "$folder/empty" 2>"$folder/why"; then
		echo "$sanitizer: skipped, $cc has no such sanitizer here: $(tail -n 1 "$folder/why")"
		continue
	fi
	build "$folder/callers" product.c parts.c ranks.c linear.c combine.c path.c testdata/callers.c
	for settings in 4 3 1 "4 20"; do # 20: some lists are longer than a part
		said=$($steady "$folder/callers" $settings)
		echo "$sanitizer: $said"
	done
	if [ $sanitizer = thread ] && $steady "$folder/callers" shared >"$folder/why" 2>&1; then
		echo "$sanitizer: callers that write to the same memory went unseen" >&2
		exit 1
	fi
done
