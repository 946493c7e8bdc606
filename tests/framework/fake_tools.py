"""A course whose cmake and ctest do what the test tells them: no compiler, any verdict."""

import json
import os

from course_tree import CourseTree

FAKE_CMAKE = """#!/bin/sh
echo "cmake $*" >>"$CALLS"
case $1 in
    --preset)
        [ ! -e cmake-fails ] || { echo "CMake Error: no BLAS"; exit 1; }
        mkdir -p build/$2/results && touch build/$2/build.ninja ;;
esac
"""
FAKE_CTEST = """#!/bin/sh
echo "ctest $*" >>"$CALLS"
[ "$LINATTN_RESULTS_ONLY" = 1 ] || exit 3
echo "what ctest prints"
. "$(dirname "$CALLS")/ctest-does"
"""


class FakeTools(CourseTree):
    def setUp(self):
        super().setUp()
        self.write("bin/cmake", FAKE_CMAKE, 0o755)
        self.write("bin/ctest", FAKE_CTEST, 0o755)
        self.calls = self.write("calls", "")
        self.ctest_does("")

    def ctest_does(self, script):
        self.write("ctest-does", script + "\n")

    def leaves(self, function, status, message="", lab="lab07", exercise=None, track="student"):
        """Shell that leaves a result file."""
        data = json.dumps({"lab": lab, "exercise": exercise or function, "status": status, "points": 99, "max_points": 99,
                           "message": message})
        return f"cat >build/{track}/results/{lab}.{function}.json <<'END'\n{data}\nEND\n"

    def not_built(self, message, begin_with="", lab="lab07", place=""):
        """Shell that leaves what lab.build leaves when the lab cannot be built."""
        data = json.dumps({"message": message, "begin_with": begin_with, "place": place})
        return f"cat >build/student/results/{lab}.not_built <<'END'\n{data}\nEND\n"

    def ctest_calls_failed(self, *names):
        """Shell that ends as a ctest does in which these tests did not pass."""
        lines = "\n".join(f"{number}:{name}" for number, name in enumerate(names, 1))
        folder = "build/student/Testing/Temporary"
        return f"mkdir -p {folder}\ncat >{folder}/LastTestsFailed.log <<'END'\n{lines}\nEND\nexit 8\n"

    def graded(self, *words, status=None):
        """What `./course words…` does with these tools."""
        return self.course(*words, status=status, PATH=f"{self.root}/bin:{os.environ['PATH']}", CALLS=str(self.calls))
