"""Grades the one submission of a container, for Gradescope and Classroom 50, as root: autograder/run_autograder. The container is the
box: another user of it compiles and runs the submission, with the limits of a box but no walls (docs/threat_model.md)."""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from author.judge import grade_submission, result
from author.judge.box import Box, as_nobody
from author.judge.build import Judge
from course.sources import manifest

# What bubblewrap says on a descriptor: a process whose child the command is, and how it ended.
STAND_IN = ("""eval "exec 7>&$0 $0>&-"; cd "$1" || exit 127; shift; echo '{"child-pid": '$$'}' >&7; "$@" 7>&-; code=$?; """
            """echo '{"exit-code": '$code'}' >&7; exit $code""")


class Container(Box):
    """Binds become real names, in the command too; what a command finds in a folder that has moved is linked there."""
    program = "bash"

    def _command(self, seccomp: str, limits: list[str], see: list[str], command: list[str]) -> list[str]:
        given = dict(zip(see, see[1:]))
        binds = {seen: real for option, real, seen in zip(see, see[1:], see[2:]) if option in ("--bind", "--ro-bind")}
        for seen, real in binds.items():
            for path in [path for path in binds if path.startswith(f"{seen}/") and seen != real]:
                place = Path(real, path.removeprefix(f"{seen}/"))
                place.parent.mkdir(parents=True, exist_ok=True)
                if not place.is_symlink():
                    place.symlink_to(path)
            command = [real if word == seen else word.replace(f"{seen}/", f"{real}/") for word in command]
        folder = given.get("--chdir", "/")
        return [*as_nobody(limits), "bash", "-c", STAND_IN, given["--json-status-fd"], binds.get(folder, folder), *command]

    def runs(self, runner: Path, seconds: int) -> list[str]:
        return self._command("", [f"--cpu={seconds}", "--nofile=32"], ["--json-status-fd", "5"], [str(runner)])


def close(root: Path, build: Path, inputs: list[str]) -> None:
    """Before anything of a submission runs: other users see labs/ and these files of the build folder."""
    for path in root.iterdir():
        if path.is_dir() and path not in (root / "labs", *build.parents):
            path.chmod(0o700)
    for path in (build, *(path for path in build.rglob("*") if not path.is_symlink())):
        is_open = any(str(each) in inputs for each in (path, *path.parents))
        path.chmod(0o711 if path.is_dir() else (0o644 if is_open else 0o600) | path.stat().st_mode & 0o100)


def classroom50(graded: dict[str, Any]) -> dict[str, Any]:
    """Its result.json. Who the student is, its runner adds."""
    names = {name.partition("_")[0].lower(): os.environ.get(name, "") for name in (
        "CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL", "REVIEW_URL")}
    tests = [{"test-name": f"{lab['lab']}.{each['exercise']}", "passed": each["status"] == "pass", "score": each["earned"],
              "max-score": each["points"]} for lab in graded["labs"] for each in lab["exercises"]]
    return {"schema": "classroom50/result/v1", **names, "review": names["review"] or names["commit"], "score": graded["earned"],
            "max-score": graded["points"], "datetime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "tests": tests}


def main(root: Path, gradescope: Path = Path("/autograder")) -> int:
    labs, judge, on_github = manifest.load(root), Judge(root, Container), "CLASSROOM" in os.environ
    judge.prepare(labs)
    close(root, judge.folder, [path for lab in labs for path in judge.plan(lab).inputs])
    with tempfile.TemporaryDirectory() as results:
        status = grade_submission.grade_one(root, Path.cwd() if on_github else gradescope / "submission", Path(results), [],
                                            student="submission", box=Container)
        if status in (grade_submission.GRADED, grade_submission.UNUSABLE):  # else the student is told that the autograder failed
            record, page = (Path(results, "submission", name).read_text(encoding="utf-8") for name in (result.FILE, "results.json"))
            said = json.dumps(classroom50(json.loads(record))) if on_github else page
            Path("result.json" if on_github else gradescope / "results/results.json").write_text(said, encoding="utf-8")
            return 0
    return status


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[3]))
