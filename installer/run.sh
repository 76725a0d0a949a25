#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh [FILE]: from a fresh checkout to the window on FILE, or on the bundled example.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case "${1-}" in
-h | --help)
    echo "usage: installer/run.sh [FILE]   installs what is missing, builds, opens FILE or the example"
    exit 0
    ;;
esac
if [ $# -gt 1 ]; then
    echo "usage: installer/run.sh [FILE]" >&2
    exit 2
fi

file=${1:-$root/resources/examples/pbmc68k_reduced.h5ad}
if [ ! -e "$file" ] && [ ! -e "${file%%::*}" ]; then
    fail "There is no file $file."
fi

installMissing run
buildRelease cellfolio cellfolio-cli

if [ -n "${DISPLAY-}" ] || [ -n "${WAYLAND_DISPLAY-}" ]; then
    say "Opening $file."
    exec "$build/bin/cellfolio" "$file"
fi

picture="$build/first-look.png"
say "There is no screen here, so the window is drawn to a picture."
QT_QPA_PLATFORM=offscreen "$build/bin/cellfolio" --snapshot "$picture" "$file"
say "The picture is $picture"
