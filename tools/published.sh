#!/bin/sh
# Fetches folders of a published repository at a commit, without its other files, into a folder that it replaces:
# "published.sh URL COMMIT INTO FOLDER...". A URL may be the path of a clone on this machine.
set -eu
url=$1 commit=$2 into=$3
shift 3
rm -rf "$into"
mkdir -p "$(dirname "$into")"
git clone --quiet --no-checkout --filter=blob:none "$url" "$into"
git -C "$into" sparse-checkout set "$@"
git -C "$into" checkout --quiet "$commit"
