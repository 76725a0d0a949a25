#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh: from a fresh checkout to the result of every test.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ $# -gt 0 ]; then
    echo "usage: installer/check.sh   installs what is missing, builds everything, runs all tests"
    [ "$1" = --help ] || [ "$1" = -h ] || exit 2
    exit 0
fi

environments="$build/interop"

# The distribution's anndata, seen through an environment of its own.
makeDebianEnvironment()
{
    rm -f "$environments/debian.unavailable"
    if [ ! -x "$environments/debian/bin/python" ]; then
        say "Making the Python environment with this distribution's anndata."
        if ! /usr/bin/python3 -m venv --system-site-packages "$environments/debian"; then
            rm -rf "$environments/debian"
            fail "The Python environment could not be made; is python3-venv installed?"
        fi
    fi
    if ! isInstalled python3-anndata; then
        echo "this distribution has no package python3-anndata" >"$environments/debian.unavailable"
        say "This distribution has no anndata, so its tests are skipped."
    fi
}

# The newest anndata of the Python Package Index. Without a connection its tests are skipped,
# visibly, with the reason kept beside the environment.
makeNewestEnvironment()
{
    local newest="$environments/newest"
    if [ -f "$newest/ready" ]; then
        return
    fi
    say "Making the Python environment with the newest anndata."
    rm -rf "$newest" "$newest.unavailable"
    if ! /usr/bin/python3 -m venv "$newest" >"$environments/newest.log" 2>&1; then
        echo "the environment could not be made (newest.log has the reason)" >"$newest.unavailable"
    elif ! timeout 600 "$newest/bin/python" -m pip install --quiet --disable-pip-version-check \
        --only-binary :all: --timeout 30 --retries 1 anndata awkward hdf5plugin \
        >>"$environments/newest.log" 2>&1; then
        echo "anndata could not be had from the Python Package Index (newest.log has the reason)" \
            >"$newest.unavailable"
    fi
    if [ -f "$newest.unavailable" ]; then
        rm -rf "$newest"
        say "The newest anndata is not to be had, so its tests are skipped: $(cat "$newest.unavailable")."
        return
    fi
    touch "$newest/ready"
}

installMissing run check
buildRelease all
mkdir -p "$environments"
makeDebianEnvironment
makeNewestEnvironment

say "Running all tests."
cd "$root"
exec ctest --preset release --output-on-failure --parallel "$(nproc)"
