# SPDX-License-Identifier: GPL-3.0-or-later
# What run.sh and check.sh share: packages, configuring, building. Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build/release"

say() { printf '%s\n' "cellfolio: $*"; }

fail()
{
    printf '%s\n' "cellfolio: $*" >&2
    exit 1
}

# Names of one section of dependencies.txt, alternatives still joined by "|".
packagesOf()
{
    awk -v wanted="[$1]" '
        { sub(/#.*/, "") }
        /^\[/ { section = $1; next }
        NF && section == wanted { print $1 }' "$root/installer/dependencies.txt"
}

isInstalled()
{
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

# True when one of the names joined by "|" is installed.
anyInstalled()
{
    local name
    for name in ${1//|/ }; do
        if isInstalled "$name"; then
            return 0
        fi
    done
    return 1
}

# The first of the names joined by "|" that apt can install here.
firstKnown()
{
    local name
    for name in ${1//|/ }; do
        if [ -n "$(apt-cache madison "$name" 2>/dev/null)" ]; then
            echo "$name"
            return 0
        fi
    done
    return 1
}

asRoot()
{
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "Installing packages needs root: run this as root, or install sudo."
    fi
}

requireDebian()
{
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        fail "This machine has no apt-get; on other systems than Debian 12 or 13 and Ubuntu 24.04, install what installer/dependencies.txt lists by hand and build with: cmake --preset release && cmake --build --preset release"
    fi
}

# Entries of the given sections that are not installed; those with a "?" only where asked for ($1: needed, optional).
missingOf()
{
    local kind=$1 section entry
    shift
    for section in "$@"; do
        while read -r entry; do
            case "$kind$entry" in
            needed*\? | optional*[!?]) continue ;;
            esac
            if ! anyInstalled "${entry%\?}"; then
                echo "${entry%\?}"
            fi
        done < <(packagesOf "$section")
    done
}

updateLists()
{
    asRoot env DEBIAN_FRONTEND=noninteractive apt-get update -qq
}

# Installs what is missing of the given sections; calls apt-get only when something is.
installMissing()
{
    requireDebian
    local entry name
    local needed=() optional=() names=()
    mapfile -t needed < <(missingOf needed "$@")
    mapfile -t optional < <(missingOf optional "$@")
    if [ ${#needed[@]} -gt 0 ]; then
        say "Installing ${needed[*]%%|*}"
        updateLists
    elif [ ${#optional[@]} -gt 0 ] && ! firstKnown bash >/dev/null; then
        updateLists # no lists yet, so nothing is known of the optional ones
    fi
    for entry in ${needed[@]+"${needed[@]}"}; do
        name=$(firstKnown "$entry") || fail "This distribution has no package ${entry//|/ or }; Debian 12 or 13 and Ubuntu 24.04 have it."
        names+=("$name")
    done
    for entry in ${optional[@]+"${optional[@]}"}; do
        if name=$(firstKnown "$entry"); then
            names+=("$name")
        else
            say "This distribution has no package $entry; what needs it is left out."
        fi
    done
    if [ ${#names[@]} -eq 0 ]; then
        say "All packages are installed."
        return
    fi
    asRoot env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 "${names[@]}" >/dev/null
}

# One compiler a core, but no more than memory bears at 1 GiB each.
buildJobs()
{
    local cores gibibytes
    cores=$(nproc)
    gibibytes=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
    if [ "$gibibytes" -lt 1 ]; then
        gibibytes=1
    fi
    echo $((cores < gibibytes ? cores : gibibytes))
}

# Configures once (the build re-configures itself when it must) and builds the given targets.
buildRelease()
{
    if [ ! -f "$build/build.ninja" ]; then
        say "Configuring (log: build/release/configure.log)."
        mkdir -p "$build"
        if ! (cd "$root" && cmake --preset release) >"$build/configure.log" 2>&1; then
            cat "$build/configure.log" >&2
            fail "Configuring failed; the reason stands above."
        fi
    fi
    say "Building with $(buildJobs) compilers (the first time takes some minutes)."
    (cd "$root" && cmake --build --preset release --parallel "$(buildJobs)" --target "$@")
}
