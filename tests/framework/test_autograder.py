"""./course autograder: the zip, its scripts, and what stands in for a box in a container without namespaces."""

import json
import os
import re
import struct
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from course_tree import REPOSITORY, CourseTree, own_folder

from author.judge import box, container

FOLDER = REPOSITORY / "tools/author/judge/gradescope"
SOCKET = 41  # the system call, on x86-64
EPERM = 1


class Zip(CourseTree):
    def setUp(self):
        super().setUp()
        for name in ("run_autograder", "Dockerfile"):
            self.write(f"tools/author/judge/gradescope/{name}", (FOLDER / name).read_text(), 0o644 if name[0] == "D" else 0o755)
        self.write("notes", "not for git")
        self.out = self.root / "out.zip"

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, *words], check=True, stdout=subprocess.DEVNULL)

    def test_what_is_in_it(self):
        self.git("init", "-q")
        self.git("add", "tools", "labs", "reference")
        self.assert_one_line_error(self.course("autograder", "gradescope", "--out", str(self.out)), "not committed", "--dirty")
        self.git("-c", "user.name=a", "-c", "user.email=a@x.invalid", "commit", "-qm", "all")
        made = self.course("autograder", "gradescope", "--out", str(self.out))
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertIn("keep it private", made.stdout)
        with zipfile.ZipFile(self.out) as archive:
            modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
        at_root = {name: mode for name, mode in modes.items() if "/" not in name}
        self.assertEqual(at_root, {"Dockerfile": 0o644})
        self.assertEqual(modes["course/tools/author/judge/gradescope/run_autograder"], 0o755)
        self.assertIn("course/reference/lab07_numbers.cpp", modes)
        self.assertNotIn("course/notes", modes)
        self.assert_one_line_error(self.course("autograder", "gradescope", "--out", str(self.out)), "already exists")

    def test_without_git(self):
        self.assert_one_line_error(self.course("autograder", "gradescope", "--out", str(self.out)), "git does not know")
        self.assertFalse(self.out.exists())


class Image(unittest.TestCase):
    def test_what_it_runs_is_shell_and_nothing_in_it_floats(self):
        subprocess.run(["sh", "-n", FOLDER / "run_autograder"], check=True)
        images = re.findall(r"^FROM (\S+)", (FOLDER / "Dockerfile").read_text(), re.M)
        self.assertEqual([image.endswith(("-20250929-slim", ":ubuntu-22.04")) for image in images], [True, True])


@unittest.skipUnless(os.uname().machine == "x86_64", "the seccomp program is for x86-64")
class StandIn(unittest.TestCase):
    """Instead of bwrap."""

    def setUp(self):
        self.place = own_folder(self.enterContext)
        load, equal, give = 0x20, 0x15, 0x06
        self.place.joinpath("program").write_bytes(b"".join(struct.pack("HBBI", *line) for line in (
            (load, 0, 0, 0), (equal, 0, 1, SOCKET), (give, 0, 0, 0x00050000 | EPERM), (give, 0, 0, 0x7fff0000))))

    def box(self, *words):
        command = [*container.STAND_IN[:-1], container.__file__, "--seccomp", "9", "--json-status-fd", "5", "--unshare-all",
                   "--cap-drop", "ALL", "--setenv", "PATH", "/usr/bin:/bin", *words]
        return subprocess.run(["sh", "-c", 'exec "$@" 9<"$0" 5>status', self.place / "program", *command], cwd=self.place,
                              capture_output=True, text=True, env={"SECRET": "seed"})

    def status(self):
        return [json.loads(line) for line in (self.place / "status").read_text().splitlines()]

    def test_it_says_how_the_command_fared_and_gives_it_nothing_of_ours(self):
        ran = self.box("--", "sh", "-c", "env; ls /proc/self/fd | tr '\\n' ' '; exit 7")
        self.assertEqual((ran.returncode, ran.stdout.split()), (7, ["PATH=/usr/bin:/bin", "PWD=/", "0", "1", "2", "3"]))
        self.assertEqual([*self.status()[0], self.status()[1]], ["child-pid", {"exit-code": 7}])
        self.assertEqual(self.box("--", "sh", "-c", "kill -9 $$").returncode, 128 + 9)

    def test_the_seccomp_program_holds(self):
        ran = self.box("--", sys.executable, "-c", "import socket; socket.socket()")
        self.assertIn("Operation not permitted", ran.stderr)
        self.assertEqual(self.box("--", sys.executable, "-c", "print(1)").stdout, "1\n")

    def test_binds_become_real_names(self):
        for name in ("made/out", "build", "mine"):
            (self.place / name).mkdir(parents=True)
        (self.place / "build" / "pch").write_text("header")
        (self.place / "mine" / "x.cpp").write_text("source")
        build, mine = f"{self.place}/build", f"{self.place}/mine"
        ran = self.box("--ro-bind", mine, "/course/student", "--bind", f"{self.place}/made", build, "--ro-bind", f"{build}/pch",
                       f"{build}/pch", "--chdir", build, "--", "sh", "-c", f"cat pch {build}/pch /course/student/x.cpp >out/all")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual((self.place / "made/out/all").read_text(), "headerheadersource")
        self.assertEqual(sorted(os.listdir(build)), ["pch"])

    def test_it_knows_the_options_of_a_box(self):
        words = box.Box(self.place, container.STAND_IN).runs(Path("/bin/true"), 5)
        self.assertEqual(self.box(*words[words.index(container.STAND_IN[-1]) + 1:]).returncode, 0)
        self.assertEqual(self.status()[1], {"exit-code": 0})
        self.assertIn("--no-such-option", self.box("--no-such-option", "--", "true").stderr)

    def test_close(self):
        for name in ("labs/a.hpp", "tests/b.cpp", "reference/c.cpp", "build/reference/open.a", "build/reference/d/answer.o",
                     "build/reference/pch/x.gch"):
            path = self.place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
        build = self.place / "build/reference"
        container.close(self.place, build, [str(build / "open.a"), str(build / "pch")])
        modes = {str(path.relative_to(self.place)): oct(path.stat().st_mode & 0o077) for path in self.place.rglob("*")}
        self.assertEqual({name for name, mode in modes.items() if mode == "0o0"},
                         {"tests", "reference", "build/reference/d/answer.o"})
        self.assertEqual(modes["build/reference/d"], "0o11", "nothing in it can be listed")
