"""The messages of one run, as a terminal shows them best: what to fix first comes last, and whole."""

import os
import re
import shutil
import sys
import textwrap

RED, GREEN, YELLOW = "31", "32", "33"
COLOURS = [(re.compile(r"^(lab\d\d · .* {2,})(FAIL|CRASH|TIMEOUT|NOT RUN)$"), RED), (re.compile(r"^( *)(looks like:.*)$"), YELLOW)]

SCREEN = 30  # lines of messages that fit above a lab's table
SHOWN = 8  # of a message that is cut


def arrange(said: list[tuple[str, str]]) -> str:
    """`said` is a list of (message, the command that shows it alone), the one to fix first at its head. What several
    exercises share, such as an error of the compiler, is said once. Where all is more than a screen, the others are cut."""
    commands: dict[str, str] = {}
    for message, command in said:
        commands.setdefault(message, command)
    messages = list(commands)
    if sum(message.count("\n") + 2 for message in messages) > SCREEN:
        messages[1:] = [_cut(message, commands[message]) for message in messages[1:]]
    text = ""
    for message, above in zip(messages, [""] + messages):  # from the last line to the first
        lone_lines = "\n" not in message and "\n" not in above
        text = message + ("" if not text else "\n" if lone_lines else "\n\n") + text
    return _for_terminal(text, shutil.get_terminal_size().columns) if sys.stdout.isatty() else text


def coloured(text: str, colour: str) -> str:
    return f"\033[{colour}m{text}\033[0m" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text


def _for_terminal(text: str, width: int) -> str:
    """Lines end between words, and go on below a little further in. What went wrong and its name have colours."""
    lines = []
    for line in text.split("\n"):
        for pattern, colour in COLOURS:
            if found := pattern.match(line):
                lines += [found[1] + coloured(part, colour) for part in _wrapped(found[2], width - len(found[1]), "  ")]
                break
        else:
            lines += _wrapped(line, width, " " * (len(line) - len(line.lstrip()) + 2))
    return "\n".join(lines)


def _wrapped(line: str, width: int, indent: str) -> list[str]:
    if len(line) <= width or width < 2 * len(indent) + 20:
        return [line]
    return textwrap.wrap(line, width, subsequent_indent=indent, replace_whitespace=False, break_long_words=False,
                         break_on_hyphens=False)


def _cut(message: str, command: str) -> str:
    lines = message.split("\n")
    if len(lines) <= SHOWN + 1:
        return message
    return "\n".join(lines[:SHOWN] + [f"  … {len(lines) - SHOWN} more lines: {command}"])
