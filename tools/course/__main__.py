"""./course: finds the commands, runs one, and turns what goes wrong into one line.

A command is a file in tools/course/commands/, or in tools/author/commands/ if students do not get it: its docstring's first
line is the help, `arguments(parser)` declares what it takes, `run(root, options)` does it and returns the exit status: 0
success, 1 something graded does not pass, 2 wrong use.
"""

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

TOOLS = Path(__file__).resolve().parent.parent
if str(TOOLS) not in sys.path:
    sys.path[0] = str(TOOLS)  # so that `course` and `author` are packages

from course.build import process_group
from course.errors import CourseError, did_you_mean
from course.gone import refuse_gone
from course.sources import version
from course.sources.plain_text import write_utf8

OUTPUT_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE)  # where the error names no file


class Parser(argparse.ArgumentParser):
    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Of an argument with choices, such as the command."""
        choices = action.choices or ()
        if value not in choices and (near := did_you_mean(str(value), {str(each): str(each) for each in choices})):
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}; {near}")
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        print(f"course: {message}; run {self.prog.replace('course', './course', 1)} --help", file=sys.stderr)
        sys.exit(2)


def read_command_line(words: list[str]) -> argparse.Namespace:
    parser = Parser(prog="course", description="Linear Attention Labs", allow_abbrev=False)
    parser.add_argument("--version", action="store_true", help="show which version of the course this is")
    commands = parser.add_subparsers(metavar="command", required=True)
    commands.add_parser("help", help="Print this, or the help of a command.")
    commands.add_parser("setup", help="Install the packages that are missing.")  # tools/setup.sh; never gets here
    files = {file.stem.replace("_", "-"): file for file in sorted(TOOLS.glob("*/commands/*.py"), key=lambda file: file.stem)}
    for name in words[:1] if words and words[0] in files else files:  # to load them all takes 0.1 s
        command = importlib.import_module(".".join(files[name].relative_to(TOOLS).with_suffix("").parts))
        summary, _, details = (command.__doc__ or "").partition("\n")
        subparser = commands.add_parser(
            name, help=summary, description=f"{summary}\n{details}", allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter)
        command.arguments(subparser)
        subparser.set_defaults(run=command.run)
    if words[:1] == ["help"] or not words:
        words = [*words[1:], "--help"]
    options, unknown = parser.parse_known_args(words)
    if unknown:
        commands.choices.get(words[0], parser).error(f"unrecognized arguments: {' '.join(unknown)}")
    return options


def main(root: Path, words: list[str]) -> int:
    return in_words(lambda: _run(root, words))


def _run(root: Path, words: list[str]) -> int:
    if words == ["--version"]:
        print(version.of(root))
        return 0
    refuse_gone(words)
    options = read_command_line(words)
    status: int = options.run(root, options)
    return status


def in_words(run: Callable[[], int]) -> int:
    """The exit status of `run`, whose errors are told."""
    try:
        status = _told(run)
        sys.stdout.flush()  # while there is still a way to say in words that it cannot be written
        return status
    except OSError as error:
        return _explain(error)


def _told(run: Callable[[], int]) -> int:
    try:
        return run()
    except SystemExit as end:  # argparse has said what there is to say
        return int(end.code or 0)
    except CourseError as error:
        print(f"course: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except process_group.Ended as ended:
        return ended.status


def _explain(error: OSError) -> int:
    if error.filename:
        print(f"course: {error.filename}: {error.strerror}; fix that and try again", file=sys.stderr)
        return 2
    if error.errno not in OUTPUT_FAILED:
        print(f"course: {error.strerror}; fix that and try again", file=sys.stderr)
        return 2
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python still wants to write when it ends
    if isinstance(error, BrokenPipeError):  # `./course … | head`
        return 1
    print(f"course: the output cannot be written: {error.strerror}; fix that and try again", file=sys.stderr)
    return 2


def _open_closed_streams() -> None:
    """A file that is opened later would take the number of a closed stream, and get what is printed."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    if sys.stdout is None:
        print("course: the output cannot be written: it is closed; leave >&- out and try again", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    _open_closed_streams()
    write_utf8()
    process_group.end_when_told()
    sys.exit(main(TOOLS.parent, sys.argv[1:]))
