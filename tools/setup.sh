#!/bin/sh
# Installs the packages of packages.txt that this machine lacks.
#
#   ./course setup [--dry-run] [--with-docs] [--with-grading] [--with-tests]
#
#   --dry-run      say what is missing and what would be run
#   --with-docs    also what ./course docs needs
#   --with-grading also what ./course grade needs
#   --with-tests   also what ./course test needs, the docs and grading included
#   --quiet        (for ./course itself) say nothing and do nothing unless a required package is missing
#
# COURSE_SKIP_SETUP=1 skips all of it, for tools that came in a way this script cannot see.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

dry_run=false
quiet=false
groups=" student "
for option in "$@"; do
    case $option in
        --dry-run) dry_run=true ;;
        --quiet) quiet=true ;;
        --with-docs) groups="$groups docs " ;;
        --with-grading) groups="$groups grade " ;;
        --with-tests) groups="$groups docs grade test " ;;
        -h | --help)
            sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p;}' "$0"
            exit 0
            ;;
        *)
            echo "course: setup does not know '$option'; it takes --dry-run, --with-docs, --with-grading and --with-tests" >&2
            exit 2
            ;;
    esac
done
[ "${COURSE_SKIP_SETUP:-}" != 1 ] || exit 0

say() { echo "$*" >&2; }

# --- what is missing ---

each_package() { # calls "$1" with every line of the list that is asked for
    while read -r group need apt conda vcpkg probe _; do
        case $groups in *" $group "*) "$1" ;; esac
    done <"$here/packages.txt"
}

probe_finds() { # a command on the PATH, or a header where compilers look
    case $probe in -) $has_dpkg && return 1 || return 0 ;; esac
    for thing in $(echo "$probe" | tr ',' ' '); do
        case $thing in
            *.h | *.hpp)
                for prefix in ${CONDA_PREFIX:+"$CONDA_PREFIX"} /usr /usr/local /opt/homebrew; do
                    for header in "$prefix/include/$thing" "$prefix"/include/*-linux-gnu*/"$thing"; do
                        [ ! -e "$header" ] || return 0
                    done
                done
                ;;
            *) command -v "$thing" >/dev/null && return 0 ;;
        esac
    done
    return 1
}

names=
collect_name() { names="$names $apt"; }
each_package collect_name

has_dpkg=false
installed=
if command -v dpkg-query >/dev/null; then
    has_dpkg=true
    # shellcheck disable=SC2086  # a list of words
    installed=" $(dpkg-query -W -f '${db:Status-Abbrev}${Package} ' $names 2>/dev/null || :) "
fi

required= optional= for_conda= for_vcpkg=
collect_missing() {
    case $installed in *" ii $apt "* | *" hi $apt "*) return ;; esac
    ! probe_finds || return 0
    case $need in required) required="$required $apt" ;; *) optional="$optional $apt" ;; esac
    [ "$conda" = - ] || for_conda="$for_conda $conda"
    [ "$vcpkg" = - ] || for_vcpkg="$for_vcpkg $vcpkg"
}
each_package collect_missing

if [ -z "$required" ] && $quiet; then exit 0; fi
if [ -z "$required$optional" ]; then
    say "setup: nothing is missing"
    exit 0
fi

# --- how to get it ---

as_root=none
if command -v apt-get >/dev/null; then
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null; then
        as_root="sudo -n"
        [ ! -t 0 ] || as_root=sudo # somebody is there to type a password
    fi
fi

print_lists() {
    say "  apt          $required$optional"
    say "  conda-forge  ${for_conda:- (nothing)}"
    say "  vcpkg        ${for_vcpkg:- (nothing)}"
    [ -z "$optional" ] || say "  the course works without$optional"
}

if [ "$as_root" = none ]; then
    say "setup: missing, and it takes apt-get with root or sudo to install them here:"
    print_lists
    if $dry_run || [ -z "$required" ]; then exit 0; fi
    say "course: packages are missing; see the lists above; install them with one of these managers and run this again" \
        "(COURSE_SKIP_SETUP=1 if they are there)"
    exit 2
fi

if $dry_run; then
    say "setup: missing"
    print_lists
    say "setup: would run ${as_root:+$as_root }apt-get update, then ${as_root:+$as_root }apt-get install$required$optional"
    exit 0
fi

install_packages() { # the output goes to stderr: stdout belongs to the command that called us
    # shellcheck disable=SC2086  # lists of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $1 >&2 </dev/null
}

say "setup: installing$required$optional"
$as_root apt-get update -q >&2 </dev/null || say "setup: apt-get update failed; trying with the package lists that are there"
if install_packages "$required$optional"; then exit 0; fi
if [ -n "$optional" ] && install_packages "$required"; then
    say "setup: could not install$optional; the course works without"
    exit 0
fi
say "setup: apt-get could not install what is missing:"
print_lists
say "course: apt-get failed; its own message is above; fix that, or install the packages in another way and run this again"
exit 2
