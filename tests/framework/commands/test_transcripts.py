"""What ./course prints, word by word: each file of tests/transcripts holds commands and all that they print.

    # what this shows
    @ relu: return x;                            puts this in the place of the function's stub
    @ student/lab00_warm_up.cpp: old -> new      edits a file ("\\n" begins a line; without "->": the file holds this alone)
    $ ./course check relu                        any command of the shell, then its output, and its exit status if it is not 0
    $ messages 4 lab01                           the first four lines of each message of ./course check lab01

A transcript begins with the stubs, in the course that conftest.py made. PLACEHOLDERS stand for what differs from run to
run, or from compiler to compiler. LINATTN_RENEW=1 writes the files anew; a renewal is a commit of its own, and is read line by line.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, STUDENT, StudentCourse, environment

FILES = sorted((ROOT / "tests/transcripts").iterdir())
PLACEHOLDERS = [(re.compile(pattern, re.M), text) for pattern, text in (
    (re.escape(str(STUDENT)), "COURSE"),
    (r"\b\d+(\.\d+)? s\b", "N s"),
    (r"matches to \d\S*(?=\))", "matches to E"),
    (r"^(?:student/\S+: In .*\n)?(student/\S+:\d+):\d+: (?:fatal )?error: .*\n(?:.+\n)*", r"\1: THE COMPILER'S WORDS\n"),
    (r"… \d+ \d{3} \d{3} lines before", "… N lines before"),
    (r"(?<=:)(\d+), called from line \d+$", r"\1"))]
FIRST_LINES = """import json, sys
print("\\n\\n".join("\\n".join(json.loads(line)["message"].splitlines()[:int(sys.argv[1])]) for line in sys.stdin))"""
SHELL = f"messages() {{ lines=$1; shift; ./course check --json \"$@\" | python3 -c '{FIRST_LINES}' $lines; }}\n"


def prepare(student: StudentCourse, step: str) -> object:
    where, text = step.removeprefix("@ ").split(": ", 1)
    text = text.replace("\\n", "\n")
    if "/" not in where:
        return student.answer(where, text)
    old, arrow, new = text.partition(" -> ")
    return student.edit(where, old, new) if arrow else student.write(where, text)


def output_of(command: str) -> str:
    ran = subprocess.run(SHELL + command, shell=True, cwd=STUDENT, env=environment() | {"COLUMNS": "120"}, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    said = ran.stdout + (f"[{ran.returncode}]\n" if ran.returncode else "")
    for pattern, text in PLACEHOLDERS:
        said = pattern.sub(text, said)
    return said


def played(student: StudentCourse, transcript: str) -> str:
    """The same steps, with what they print today."""
    parts: list = []
    for line in transcript.splitlines():
        if line.startswith("@ "):
            prepare(student, line)
        if line.startswith(("#", "@ ", "$ ")):
            parts.append(line + "\n")
        if line.startswith("$ "):
            parts.append(output_of(line[2:]) + "\n")
    return "".join(parts).rstrip("\n") + "\n"


@pytest.fixture(scope="module", autouse=True)
def built_once() -> None:
    """What is said of the first build belongs to one transcript alone."""
    StudentCourse()
    output_of("./course check")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_it_prints_what_the_transcript_says(student: StudentCourse, file: Path) -> None:
    transcript = file.read_text()
    needs = re.findall(r"^# needs (\S+)$", transcript, re.M)
    if missing := [tool for tool in needs if not shutil.which(tool)]:
        pytest.skip(f"{missing[0]} is not installed")
    said = played(student, transcript)
    if os.environ.get("LINATTN_RENEW"):
        file.write_text(said)
    else:
        assert said == transcript
