"""./course setup and the launcher, on machines made of fakes: no package is ever installed here."""

import json
import os
import re
import shutil
import subprocess
import unittest

from conftest import ROOT
from course_tree import own_folder, shell_script

NEEDED = ("sh", "env", "dirname", "sed", "tr")  # what the scripts themselves call


def package_names(column, groups=("student",)):
    rows = [line.split() for line in (ROOT / "tools/packages.txt").read_text().splitlines()
            if line and not line.startswith("#")]
    return [row[column] for row in rows if row[0] in groups]


class Setup(unittest.TestCase):
    def setUp(self):
        self.bin = own_folder(self.enterContext) / "bin"
        self.bin.mkdir()
        for tool in NEEDED:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.calls = self.bin.parent / "calls"
        self.calls.write_text("")

    def fake(self, name, script):
        shell_script(self.bin / name, script)

    def debian(self, lacks=(), user=0):
        """A machine with dpkg and apt-get on which everything but `lacks` is installed."""
        have = set(package_names(2, ("student", "python", "docs", "grade", "test"))) - set(lacks)
        self.fake("dpkg-query", f"printf 'ii %s ' {' '.join(sorted(have))}; exit {1 if lacks else 0}")
        self.fake("apt-get", f'echo "what apt-get prints"; echo "apt-get $*" >>"{self.calls}"')
        self.fake("apt-cache", ":")
        self.fake("id", f"echo {user}")

    def setup(self, *words, script="tools/setup.sh", status=None, **environment):
        result = subprocess.run(["sh", str(ROOT / script), *words], text=True, capture_output=True, stdin=subprocess.DEVNULL,
                                env={"PATH": str(self.bin)} | environment)
        self.assertIn(status, (None, result.returncode), result.stderr)
        return result

    def installed(self):
        return [line for line in self.calls.read_text().splitlines() if " install " in line]

    def test_nothing_is_missing(self):
        self.debian()
        self.assertEqual(self.setup().stderr, "setup: nothing is missing\n")
        quiet = self.setup("--quiet")
        self.assertEqual((quiet.returncode, quiet.stdout, quiet.stderr), (0, "", ""))
        self.assertEqual(self.installed(), [])

    def test_it_asks_dpkg_once_however_long_the_list_is(self):
        """What makes it quick enough to run before every command."""
        self.debian()
        self.fake("dpkg-query", f'echo "dpkg-query" >>"{self.calls}"\n{(self.bin / "dpkg-query").read_text()}')
        self.setup("--quiet", "--with-tests", status=0)
        self.assertEqual(self.calls.read_text(), "dpkg-query\n")

    def test_root_installs_what_is_missing_and_nothing_else(self):
        self.debian(lacks=["cmake", "mold"])
        result = self.setup("--quiet", status=0)
        self.assertEqual(result.stdout, "", "stdout belongs to the command that called setup")
        self.assertEqual(self.calls.read_text().splitlines()[0], "apt-get -q -o DPkg::Lock::Timeout=600 update")
        self.assertIn("this takes one to two minutes", result.stderr.splitlines()[0])
        self.assertIn("apt-get: cmake mold", result.stderr.splitlines()[1])
        self.assertRegex(self.installed()[0], r" cmake mold$")

    def test_package_lists_that_another_apt_is_fetching_are_waited_for(self):
        self.debian(lacks=["cmake"])
        apt = (self.bin / "apt-get").read_text()
        self.fake("sleep", f': >"{self.bin}/slept"')
        self.fake("apt-get", f'{apt}\n[ -e "{self.bin}/slept" ] || {{ echo "E: Could not get lock /var/lib/apt/lists/lock."; exit 100; }}')
        self.setup(status=0)
        self.assertEqual([line.split()[-1] for line in self.calls.read_text().splitlines()], ["update", "update", "cmake"])

    def test_dry_run_only_says_it(self):
        self.debian(lacks=["cmake", "libxtensor-dev"])
        self.assertIn("would run apt-get update, then apt-get install cmake", self.setup("--dry-run", status=0).stderr)
        self.assertEqual(self.calls.read_text(), "")

    def test_sudo_is_used_without_waiting_for_a_password(self):
        self.debian(lacks=["cmake"], user=1000)
        self.fake("sudo", f'echo "sudo $*" >>"{self.calls}"; [ "$1" = -n ] || exit 1; shift; exec "$@"')
        self.setup(status=0)
        self.assertRegex(self.calls.read_text(), r"sudo -n env DEBIAN_FRONTEND=noninteractive apt-get .*install .* cmake\n")
        self.fake("sudo", "echo 'sudo: a password is required' >&2; exit 1")
        refused = self.setup(status=2)
        self.assertIn("a password is required", refused.stderr)
        self.assertRegex(refused.stderr.splitlines()[-1], "^course: apt-get failed; ")

    def test_without_root_or_sudo_it_prints_the_names_and_stops(self):
        self.debian(lacks=["cmake", "doctest-dev"], user=1000)
        self.hide_headers()
        result = self.setup("--quiet", status=2)
        self.assertRegex(result.stderr, r"apt +cmake doctest-dev\n +conda-forge +cmake doctest\n +vcpkg +doctest\n")
        self.assertTrue(result.stderr.splitlines()[-1].startswith("course: "))
        self.assertEqual(self.installed(), [])

    def test_an_optional_package_stops_nobody(self):
        self.debian(lacks=["mold", "gdb"], user=1000)
        self.assertEqual(self.setup("--quiet", status=0).stderr, "")
        self.assertIn("the course works without mold gdb", self.setup(status=0).stderr)

    def test_when_apt_lacks_an_optional_package_the_required_ones_are_installed(self):
        self.debian(lacks=["cmake", "mold"])
        self.fake("apt-get", f'echo "apt-get $*" >>"{self.calls}"; case "$*" in *mold*) exit 100 ;; esac')
        self.setup(status=0)
        self.assertEqual([line.split()[-1] for line in self.installed()], ["mold", "cmake"])

    def test_an_optional_package_that_a_release_does_not_have_keeps_no_other_away(self):
        self.debian(lacks=["cmake", "mold", "gdb"])
        self.fake("apt-cache", '[ "$2" != mold ]')
        self.assertIn("this system has no mold; the course works without", self.setup(status=0).stderr)
        self.assertRegex(self.installed()[0], r" cmake gdb$")

    def test_the_python_that_has_the_modules_is_chosen(self):
        """One ahead on the PATH may lack what apt has installed for the system's."""
        self.fake("python3", 'echo "$modules_here"')
        chosen = {here: self.setup("--python", "--with-tests", modules_here=here).stdout.strip() for here in ("0", "99")}
        self.assertEqual(chosen["99"], str(self.bin / "python3"))
        self.assertIn(chosen["0"], ("/usr/bin/python3", str(self.bin / "python3")))  # where the system's has none either
        self.assertEqual(self.setup("--python", modules_here="0").stdout.strip(), str(self.bin / "python3"))

    def test_a_module_of_a_python_that_is_not_chosen_does_not_count(self):
        """The first on the PATH has one module, the system's has the others: apt brings the system's that one."""
        self.debian(lacks=["python3-jinja2"])
        for name, has in (("python3", "jinja2"), ("system_python", "[!j]*")):
            self.fake(name, f'shift 2; count=0; for m in "$@"; do case $m in {has}) count=$((count + 1)) ;; esac; done; echo $count')
        self.replace("/usr/bin/python3", str(self.bin / "system_python"))
        self.setup("--quiet", "--with-docs")
        self.assertRegex(self.installed()[0], "recommends python3-jinja2$")

    def test_another_system_is_asked_for_commands_and_headers(self):
        self.hide_headers()
        result = self.setup("--quiet")  # no dpkg-query, no apt-get, no tools at all
        self.assertEqual(result.returncode, 2)
        for name in package_names(2) + [name for name in package_names(3) + package_names(4) if name != "-"]:
            self.assertRegex(result.stderr, rf"(?m)[ ]{name}( |$)".replace("+", r"\+"))

        prefix = self.bin.parent / "conda"
        for row in package_names(5):
            probe = row.split(",")[0]
            if probe.endswith((".h", ".hpp")):
                header = prefix / "include" / probe
                header.parent.mkdir(parents=True, exist_ok=True)
                header.touch()
            else:
                self.fake(probe, ":")
        self.assertEqual(self.setup("--quiet", CONDA_PREFIX=str(prefix), status=0).stderr, "")

    def test_the_site_the_judge_and_the_tests_need_more_than_a_student(self):
        self.debian(lacks=["doxygen", "tidy", "bubblewrap", "libclang-rt-dev"])
        self.assertEqual(self.setup("--quiet").stderr, "")
        for words, packages in (("--with-docs", "doxygen"), ("--with-grading", "bubblewrap"),
                                ("--with-tests", "doxygen bubblewrap libclang-rt-dev tidy")):
            self.calls.write_text("")
            self.setup("--quiet", words)
            self.assertRegex(self.installed()[0], f"recommends {packages}$")

    def test_it_can_be_skipped_and_refuses_what_it_does_not_know(self):
        self.setup("--quiet", COURSE_SKIP_SETUP="1", status=0)
        unknown = self.setup("--dry", status=2)
        self.assertEqual(unknown.stderr.count("\n"), 1)
        self.assertIn("'--dry'", unknown.stderr)

    def test_the_launcher_stops_when_setup_does(self):
        self.assertIn("packages are missing", self.setup("check", "lab01", script="course", status=2).stderr)

    def test_the_launcher_says_when_python_is_missing(self):
        self.assertEqual(self.setup("hint", "lab01.relu", script="course", status=2).stderr,
                         "course: python3 is not on the PATH; run ./course setup\n")

    def test_other_package_managers_are_given_the_same_list(self):
        lines = (ROOT / "tools/packages.txt").read_text().splitlines()
        rows = [line.split() for line in lines if line.startswith("student")]
        conda, vcpkg = ([row[column] for row in rows if row[1] == "required" and row[column] != "-"] for column in (3, 4))
        environment = (ROOT / "environment.yml").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"(?m)^  - (\S+)$", environment), conda)
        self.assertEqual(json.loads((ROOT / "vcpkg.json").read_text(encoding="utf-8"))["dependencies"], vcpkg)

    def test_a_student_s_container_does_without_the_tests_of_the_course(self):
        student, authors = ((ROOT / ".devcontainer" / name).read_text(encoding="utf-8")
                            for name in ("devcontainer.json", "authors/devcontainer.json"))
        self.assertIn('"./course setup"', student)
        self.assertIn('"./course setup --with-tests"', authors)

    def hide_headers(self):
        """The headers of this machine must not count."""
        self.replace("/usr /usr/local", "")

    def replace(self, words, others):
        """In a copy of setup.sh, which is run from now on."""
        copy = self.bin.parent / "tools"
        copy.mkdir()
        text = (ROOT / "tools/setup.sh").read_text()
        self.assertIn(words, text)
        (copy / "setup.sh").write_text(text.replace(words, others))
        shutil.copy(ROOT / "tools/packages.txt", copy)
        original = self.setup
        self.setup = lambda *given, **more: original(*given, script=os.path.relpath(copy / "setup.sh", ROOT), **more)
