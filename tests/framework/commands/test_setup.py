"""./course setup and the launcher, on machines made of fakes: no package is ever installed here."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, shell_script

NEEDED = ("sh", "env", "dirname", "sed", "tr")  # what the scripts themselves call


def package_names(column, groups=("student",)):
    rows = [line.split() for line in (ROOT / "tools/packages.txt").read_text().splitlines()
            if line and not line.startswith("#")]
    return [row[column] for row in rows if row[0] in groups]


class Machine:
    """Made of fakes in `bin`, with dpkg and apt-get on which all is installed but what `lacks` says of it."""

    def __init__(self, place: Path):
        self.bin, self.calls, self.script = place / "bin", place / "calls", ROOT / "tools/setup.sh"
        self.bin.mkdir()
        for tool in NEEDED:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.calls.write_text("")

    def fake(self, name, script):
        shell_script(self.bin / name, script)

    def lacks(self, *packages, user=0):
        have = set(package_names(2, ("student", "python", "docs", "grade", "test"))) - set(packages)
        self.fake("dpkg-query", f"echo dpkg-query >>'{self.calls}'; printf 'ii %s ' {' '.join(sorted(have))}; exit {1 if packages else 0}")
        self.fake("apt-get", f'echo "what apt-get prints"; echo "apt-get $*" >>"{self.calls}"')
        self.fake("apt-cache", ":")
        self.fake("id", f"echo {user}")

    def setup(self, *words, script=None, status=None, **environment):
        result = subprocess.run(["sh", script or self.script, *words], text=True, capture_output=True, stdin=subprocess.DEVNULL,
                                env={"PATH": str(self.bin)} | environment)
        assert status in (None, result.returncode), result.stderr
        return result

    def called(self, word=""):
        """The calls of apt-get, of dpkg-query and of sudo with this word."""
        return [line for line in self.calls.read_text().splitlines() if word in line]

    def installed(self):
        return [line.partition("recommends ")[2] for line in self.called(" install ")]

    def without(self, words, others=""):
        """From now on a copy of setup.sh is run, with others in the place of these words."""
        self.script = self.bin.parent / "setup.sh"
        text = (ROOT / "tools/setup.sh").read_text()
        assert words in text
        self.script.write_text(text.replace(words, others))
        shutil.copy(ROOT / "tools/packages.txt", self.script.parent)


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


def test_nothing_is_missing_and_dpkg_is_asked_once_however_long_the_list_is(machine):
    """What makes it quick enough to run before every command."""
    machine.lacks()
    assert machine.setup().stderr == "setup: nothing is missing\n"
    machine.calls.write_text("")
    quiet = machine.setup("--quiet", "--with-tests", status=0)
    assert (quiet.stdout, quiet.stderr, machine.called()) == ("", "", ["dpkg-query"])


def test_root_installs_what_is_missing_and_nothing_else(machine):
    machine.lacks("cmake", "mold")
    result = machine.setup("--quiet", status=0)
    assert result.stdout == "", "stdout belongs to the command that called setup"
    assert machine.called("apt-get")[0] == "apt-get -q -o DPkg::Lock::Timeout=600 update"
    assert "this takes one to two minutes" in result.stderr.splitlines()[0]
    assert "apt-get installs: cmake mold" in result.stderr.splitlines()[1]
    assert machine.installed() == ["cmake mold"]


def test_package_lists_that_another_apt_is_fetching_are_waited_for(machine):
    machine.lacks("cmake")
    apt = (machine.bin / "apt-get").read_text()
    machine.fake("sleep", f': >"{machine.bin}/slept"')
    machine.fake("apt-get", f'{apt}\n[ -e "{machine.bin}/slept" ] || {{ echo "E: Could not get lock /var/lib/apt/lists/lock."; exit 100; }}')
    machine.setup(status=0)
    assert [line.split()[-1] for line in machine.called("apt-get")] == ["update", "update", "cmake"]


def test_dry_run_only_says_it(machine):
    machine.lacks("cmake", "libxtensor-dev")
    assert "would run apt-get update, then apt-get install cmake" in machine.setup("--dry-run", status=0).stderr
    assert machine.called("apt-get") == []


def test_sudo_is_used_without_waiting_for_a_password(machine):
    machine.lacks("cmake", user=1000)
    machine.fake("sudo", f'echo "sudo $*" >>"{machine.calls}"; [ "$1" = -n ] || exit 1; shift; exec "$@"')
    machine.setup(status=0)
    assert machine.called("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get")[-1].endswith(" cmake")
    machine.fake("sudo", "echo 'sudo: a password is required' >&2; exit 1")
    refused = machine.setup(status=2)
    assert "a password is required" in refused.stderr and refused.stderr.splitlines()[-1].startswith("course: apt-get failed; ")


def test_without_root_or_sudo_it_prints_the_names_and_stops(machine):
    machine.lacks("cmake", "doctest-dev", user=1000)
    machine.without("/usr /usr/local")  # the headers of this machine must not count
    result = machine.setup("--quiet", status=2)
    assert re.search(r"apt +cmake doctest-dev\n +conda-forge +cmake doctest\n +vcpkg +doctest\n", result.stderr)
    assert result.stderr.splitlines()[-1].startswith("course: ") and machine.installed() == []


def test_an_optional_package_stops_nobody(machine):
    machine.lacks("mold", "gdb", user=1000)
    assert machine.setup("--quiet", status=0).stderr == ""
    assert "the course works without mold gdb" in machine.setup(status=0).stderr


@pytest.mark.parametrize("tool, script, said, tried", [
    ("apt-get", 'case "$*" in *mold*) exit 100 ;; esac', "could not install mold", ["cmake mold gdb", "cmake"]),
    ("apt-cache", '[ "$2" != mold ]', "this system has no mold; you can do without", ["cmake gdb"])])
def test_an_optional_package_that_is_not_to_be_had_keeps_no_other_away(machine, tool, script, said, tried):
    machine.lacks("cmake", "mold", "gdb")
    machine.fake(tool, f'echo "{tool} $*" >>"{machine.calls}"; {script}')
    result = machine.setup(status=0)
    assert said in result.stderr.replace("mold gdb", "mold") and machine.installed() == tried


def test_the_python_that_has_the_modules_is_chosen(machine):
    """One ahead on the PATH may lack what apt has installed for the system's."""
    machine.fake("python3", 'echo "$modules_here"')
    chosen = {here: machine.setup("--python", "--with-tests", modules_here=here).stdout.strip() for here in ("0", "99")}
    assert chosen["99"] == machine.setup("--python", modules_here="0").stdout.strip() == str(machine.bin / "python3")
    assert chosen["0"] in ("/usr/bin/python3", str(machine.bin / "python3"))  # where the system's has none either


def test_a_module_of_a_python_that_is_not_chosen_does_not_count(machine):
    """The first on the PATH has one module, the system's has the others: apt brings the system's that one."""
    machine.lacks("python3-jinja2")
    for name, has in (("python3", "jinja2"), ("system_python", "[!j]*")):
        machine.fake(name, f'shift 2; count=0; for m in "$@"; do case $m in {has}) count=$((count + 1)) ;; esac; done; echo $count')
    machine.without("/usr/bin/python3", str(machine.bin / "system_python"))
    machine.setup("--quiet", "--with-docs")
    assert machine.installed() == ["python3-jinja2"]


def test_another_system_is_asked_for_commands_and_headers(machine):
    machine.without("/usr /usr/local")
    result = machine.setup("--quiet", status=2)  # no dpkg-query, no apt-get, no tools at all
    for name in package_names(2) + [name for name in package_names(3) + package_names(4) if name != "-"]:
        assert re.search(rf"(?m)[ ]{re.escape(name)}( |$)", result.stderr), name
    prefix = machine.bin.parent / "conda"
    for probe in (row.split(",")[0] for row in package_names(5)):
        if probe.endswith((".h", ".hpp")):
            (prefix / "include" / probe).parent.mkdir(parents=True, exist_ok=True)
            (prefix / "include" / probe).touch()
        else:
            machine.fake(probe, ":")
    assert machine.setup("--quiet", CONDA_PREFIX=str(prefix), status=0).stderr == ""


@pytest.mark.parametrize("words, packages", [((), []), (("--with-docs",), ["doxygen"]), (("--with-grading",), ["bubblewrap"]),
                                             (("--with-tests",), ["doxygen bubblewrap libclang-rt-dev tidy"])])
def test_the_site_the_judge_and_the_tests_need_more_than_a_student(machine, words, packages):
    machine.lacks("doxygen", "tidy", "bubblewrap", "libclang-rt-dev")
    machine.setup("--quiet", *words)
    assert machine.installed() == packages


def test_it_can_be_skipped_and_refuses_what_it_does_not_know(machine):
    machine.setup("--quiet", COURSE_SKIP_SETUP="1", status=0)
    unknown = machine.setup("--dry", status=2).stderr
    assert unknown.count("\n") == 1 and "'--dry'" in unknown


@pytest.mark.parametrize("words, said", [(("check", "lab01"), "packages are missing"),
                                         (("hint", "lab01.relu"), "course: python3 is not on the PATH; run ./course setup\n")])
def test_the_launcher_stops_when_setup_does_or_python_is_missing(machine, words, said):
    assert said in machine.setup(*words, script=ROOT / "course", status=2).stderr


def test_other_package_managers_are_given_the_same_list():
    rows = [line.split() for line in (ROOT / "tools/packages.txt").read_text().splitlines() if line.startswith("student")]
    conda, vcpkg = ([row[column] for row in rows if row[1] == "required" and row[column] != "-"] for column in (3, 4))
    assert re.findall(r"(?m)^  - (\S+)$", (ROOT / "environment.yml").read_text()) == conda
    assert json.loads((ROOT / "vcpkg.json").read_text())["dependencies"] == vcpkg


@pytest.mark.parametrize("name, command", [("devcontainer.json", "./course setup"), ("authors/devcontainer.json", "./course setup --with-tests")])
def test_a_student_s_container_does_without_the_tests_of_the_course(name, command):
    assert f'"{command}"' in (ROOT / ".devcontainer" / name).read_text()
