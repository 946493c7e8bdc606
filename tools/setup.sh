#!/bin/sh
# Installs the packages of packages.txt that this machine lacks.
#
#   ./course setup [--dry-run] [--with-python] [--with-docs] [--with-grading] [--with-tests]
#
# Takes one to two minutes with a usual connection (--with-tests: four), and waits for another apt that is running.
#
#   --dry-run      say what is missing and what would be run
#   --with-python  also what ./course python needs
#   --with-docs    also what ./course docs needs
#   --with-grading also what ./course grade and ./course handout need
#   --with-tests   also what ./course test needs, Python, the docs and grading included
#   --quiet        (for ./course itself) say nothing and do nothing unless a required package is missing
#   --python       (for ./course itself) print the python3 that has the modules of these groups, and do nothing else
#
# COURSE_SKIP_SETUP=1 skips all of it, for tools that came in a way this script cannot see.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

dry_run=false
quiet=false
print_python=false
groups=" student "
for option in "$@"; do
    case $option in
        --dry-run) dry_run=true ;;
        --quiet) quiet=true ;;
        --python) print_python=true ;;
        --with-python) groups="$groups python " ;;
        --with-docs) groups="$groups docs " ;;
        --with-grading) groups="$groups grade " ;;
        --with-tests) groups="$groups python docs grade test " ;;
        -h | --help)
            sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p;}' "$0"
            exit 0
            ;;
        *)
            echo "course: setup does not know '$option'; it takes --dry-run, --with-python, --with-docs, --with-grading and" \
                "--with-tests" >&2
            exit 2
            ;;
    esac
done

say() { echo "$*" >&2; }

each_package() { # calls "$1" with every line of the list that is asked for
    while read -r group need apt conda vcpkg probe _; do
        case $groups in *" $group "*) "$1" ;; esac
    done <"$here/packages.txt"
}

# --- which python3 ---

# apt installs modules for the system's python3. The first one on the PATH may be another (pyenv, conda, uv): it is taken
# if it has them all, else the system's if that has more of them.
modules=
collect_module() { case $probe in py:*) modules="$modules ${probe#py:}" ;; esac }

python_has() { # prints how many of the modules $1 has
    # shellcheck disable=SC2086  # a list of words
    "$1" -c 'import sys; from importlib.util import find_spec; print(sum(map(bool, map(find_spec, sys.argv[1:]))))' $2
}

choose_python() { # prints the python3 for these modules
    chosen=$(command -v python3) || chosen=
    set -- $1
    for candidate in "$chosen" /usr/bin/python3; do
        [ -x "$candidate" ] && count=$(python_has "$candidate" "$*" 2>/dev/null) || continue
        [ "$count" -le "${best:--1}" ] || { best=$count && chosen=$candidate; }
    done
    echo "$chosen"
}

if $print_python; then
    each_package collect_module
    choose_python "$modules"
    exit 0
fi
[ "${COURSE_SKIP_SETUP:-}" != 1 ] || exit 0

# --- what is missing ---

as_root=none
if command -v apt-get >/dev/null; then
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null; then
        as_root="sudo -n"
        [ ! -t 0 ] || as_root=sudo # somebody is there to type a password
    fi
fi

# The modules are looked for in one python3, the one that will run the commands: that on the PATH has them all, or apt
# installs what the system's lacks. Where apt cannot, it is the one that has the most.
each_package collect_module
# shellcheck disable=SC2086  # a list of words
set -- $modules
if [ $# -gt 0 ]; then
    python=$(choose_python "$modules")
    [ "$as_root" = none ] || [ "$(python_has "$python" "$modules" 2>/dev/null)" = $# ] || python=/usr/bin/python3
fi

probe_finds() { # a command on the PATH, a header where compilers look, or a module of a python3
    case $probe in -) $has_dpkg && return 1 || return 0 ;; esac
    for thing in $(echo "$probe" | tr ',' ' '); do
        case $thing in
            py:*) [ "$(python_has "$python" "${thing#py:}" 2>/dev/null)" != 1 ] || return 0 ;;
            *.h | *.hpp)
                for prefix in ${CONDA_PREFIX:+"$CONDA_PREFIX"} /usr /usr/local; do
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
    case "$required $optional " in *" $apt "*) return ;; esac # two groups need it
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

print_lists() {
    say "  apt          $required$optional"
    say "  conda-forge  ${for_conda:- (nothing)}"
    say "  vcpkg        ${for_vcpkg:- (nothing)}"
    [ -z "$optional" ] || say "  the course works without$optional"
}

if [ "$as_root" = none ]; then
    say "setup: these are missing; installing them takes apt-get with root or sudo:"
    print_lists
    if $dry_run || [ -z "$required" ]; then exit 0; fi
    say "course: packages are missing; install one of the lists above and run this again" \
        "(or set COURSE_SKIP_SETUP=1 if they are there)"
    exit 2
fi

if $dry_run; then
    say "setup: missing"
    print_lists
    say "setup: would run ${as_root:+$as_root }apt-get update, then ${as_root:+$as_root }apt-get install$required$optional"
    exit 0
fi

apt_get() { # its output goes to stderr: stdout belongs to the command that called us
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@" >&2 </dev/null
}
update_lists() {
    tries=120 # ten minutes: Lock::Timeout does not cover the lock of the package lists
    until said=$(apt_get update 2>&1); do
        tries=$((tries - 1))
        case $tries:$said in 0:*) ;; *lists/lock*) sleep 5 && continue ;; esac
        say "$said"
        say "setup: apt-get update failed; trying with the package lists that are there"
        return
    done
}
install_packages() {
    # shellcheck disable=SC2086  # a list of words
    apt_get install -y --no-install-recommends $1
}

case $groups in *" test "*) minutes="about four minutes" ;; *) minutes="one to two minutes" ;; esac
say "setup: this takes $minutes with a usual connection, and waits for another apt that is running"
say "setup: apt-get installs:$required$optional"
update_lists
unknown= known= # an optional package that this release does not have must not keep the others away
for package in $optional; do
    if apt-cache show "$package" >/dev/null 2>&1; then known="$known $package"; else unknown="$unknown $package"; fi
done
[ -z "$unknown" ] || say "setup: this system has no$unknown; you can do without"
if install_packages "$required$known"; then exit 0; fi
if [ -n "$known" ] && install_packages "$required"; then
    say "setup: could not install$known; you can do without"
    exit 0
fi
say "setup: apt-get could not install what is missing:"
print_lists
say "course: apt-get failed; its own message is above; fix that, or install the packages in another way and run this again"
exit 2
