"""How the suites describe their calls: in the words of the contract, and none of the suite's own."""

import re
import socket
import subprocess
from pathlib import Path

from conftest import BUILD, EXERCISES

SHAPE = r"\((\d+, ?)*\d*\)"
ENUMERATORS = r"\b(Mask|Stabilizer)::"


def calls_of(program: Path, manifest: Path, exercise: str) -> set:
    """The distinct calls that the exercise's suite makes, as its messages spell them."""
    mine, its = socket.socketpair()
    with mine, its:
        mine.sendall(b"0" * 32)  # the secret of this run
        command = [program, "--manifest", manifest, "--exercise", exercise, "--events", str(its.fileno())]
        with subprocess.Popen(command, pass_fds=[its.fileno()], stdout=subprocess.DEVNULL):
            its.close()
            with mine.makefile(newline="\n") as lines:
                return {line.rstrip("\n").split("\t")[1] for line in lines if line.startswith("call\t")}


@EXERCISES
def test_they_hold_no_name_of_the_suite(lab, exercise):
    calls = calls_of(BUILD / f"{lab.name}_exercises", lab.manifest, exercise.function)
    assert calls
    # Behind "EXERCISE with " and behind each comma a number or a shape has the name that the contract gives it.
    assert [call for call in calls if re.search("( with |, )(-?[0-9]|SHAPE)", re.sub(SHAPE, "SHAPE", call))] == []
    assert [call for call in calls if re.search(r"::|[{}]|\w\(\)|\bin\.|\bquick\b|, ,|, $", re.sub(ENUMERATORS, "", call))] == []
