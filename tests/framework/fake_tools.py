"""A course whose cmake and ctest do what the test tells them: no compiler, any verdict."""

import json
import os

from course_tree import CourseTree

FAKE_CMAKE = """#!/bin/sh
echo "cmake $*" >>"$CALLS"
case $1 in
    --preset)
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

    def leaves(self, function, status, message="", lab="lab07"):
        """Shell that leaves a result file."""
        data = json.dumps({"lab": lab, "exercise": function, "status": status, "message": message})
        return f"cat >build/student/results/{lab}.{function}.json <<'END'\n{data}\nEND\n"

    def graded(self, *words, status=None):
        """What `./course words…` does with these tools."""
        return self.course(*words, status=status, PATH=f"{self.root}/bin:{os.environ['PATH']}", CALLS=str(self.calls))
