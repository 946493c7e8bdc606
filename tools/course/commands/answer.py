"""Show the answer key of an exercise that you have solved, and two other ways.

Only a handout made for learning alone has answers. They lie in .answers, coded so that you do not read one by accident;
that is no protection. Exit status: 1 when the exercise does not pass yet, 2 when there is no answer.
"""

import base64
import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.sources import manifest
from course.verdicts.grading import grade

FILE = ".answers"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", metavar="labNN.function", help="as in lab02.linear_attention_recurrent")


def run(root: Path, options: Namespace) -> int:
    _, exercise = manifest.find_exercise(manifest.load(root), options.exercise)
    answer = _answers(root).get(exercise.name)
    if answer is None:
        raise CourseError(f"there is no answer to {exercise.name}; ./course hint {exercise.name} shows a hint")
    [verdict] = grade(root, names=[exercise.name])
    if not verdict.passed:
        print(f"{exercise.name} does not pass yet; its answer is shown once it does. ./course hint {exercise.name} shows a hint")
        return 1
    print(f"The answer key:\n\n{answer['key']}")
    for other in answer["alternatives"]:
        print(f"\n\nAnother way: {other['what']}\n\n{other['code']}")
    return 0


def _answers(root: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(base64.b64decode((root / FILE).read_bytes())))
    except FileNotFoundError:
        raise CourseError("this handout has no answers: instructors make one with ./course handout --self-study") from None
    except ValueError:
        raise CourseError(f"{FILE} cannot be read; bring it back with ./course update and the handout that you received") from None
