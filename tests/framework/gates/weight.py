"""How heavy the course is, by what a file is for: lines and tokens of every text file that git tracks.

usage: weight.py [COMMIT]      (what grew most is counted from COMMIT on: by default from the commit before the last)

A token is a word or one other character: longer lines save none. Fails where the course is heavier than it may be, and
names the files that grew most; or where fewer lines of the machinery have a comment, or more are long, than today.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DATA, COURSE = "data", "chapters, answer key, pages"
MACHINERY, ITS_TESTS = "machinery", "its tests"
SUITES, ANSWERS = "suites and mistakes", "other answers"
ROLES = {  # the first one with a pattern that fits
    DATA: "*.svg *.csv *.npy *.safetensors *.png bench/results/* *digits*.txt *weights.js */fixtures/*",
    ITS_TESTS: "tests/framework/* tests/gpu/* tests/gates/* tests/transcripts/* tests/judge/* tests/units/* tests/commands/* "
               "tests/platform/* tests/CMakeLists.txt",
    ANSWERS: "tests/lab*/alternatives/* tests/lab*/refused/*",
    SUITES: "tests/*",
    MACHINERY: "tools/* grading/* cmake/* training/* python/* bench/* course labs/gpu/engine/* labs/gpu/executable.* labs/platform/* "
               "labs/kernels/measured_call.* labs/*/profile* docs/theme/*.js docs/theme/*.html .ci/* .github/* CMake*",
    COURSE: "*"}
MOST = {(MACHINERY, ITS_TESTS): (42_400, 588_500), (SUITES, ANSWERS): (39_400, 626_000)}  # lines, tokens: they may only fall
COMMENT = re.compile(r"(^|\s)(//|# |/?\*|<!--)")
FEWEST_COMMENTS = 0.05  # of the machinery's lines have one
LONG, MOST_LONG = 120, 0.037  # characters; the share of longer lines
TOKEN = re.compile(r"\w+|[^\w\s]")


def role_of(name: str) -> str:
    return next(role for role, patterns in ROLES.items() if any(fnmatch(name, each) for each in patterns.split()))


def git(*words: str) -> list[str]:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True).stdout.split("\0")


def texts() -> dict[str, str]:
    """Name → text, as it is in the working tree."""
    found = {name: (ROOT / name).read_bytes() for name in git("ls-files", "-z") if name and (ROOT / name).is_file()}
    return {name: data.decode(errors="replace") for name, data in found.items() if b"\0" not in data}


def share(lines: list[str], counts: Callable[[str], object]) -> float:
    return sum(bool(counts(line)) for line in lines) / max(1, len(lines))


def main(since: str) -> int:
    now = texts()
    lines: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for name, text in now.items():
        lines[role_of(name)] += text.count("\n")
        tokens[role_of(name)] += len(TOKEN.findall(text))
    for role in ROLES:
        print(f"{role:30} {lines[role]:7} lines {tokens[role]:8} tokens")
    wrong = []
    for roles, (most_lines, most_tokens) in MOST.items():
        here = [sum(count[role] for role in roles) for count in (lines, tokens)]
        if here[0] > most_lines or here[1] > most_tokens:
            wrong.append(f"{' and '.join(roles)}: {here[0]} lines, {here[1]} tokens; at most {most_lines} and {most_tokens}")
    code = {role: [line for name, text in now.items() if role_of(name) == role for line in text.splitlines()]
            for role in (MACHINERY, ITS_TESTS)}
    comments = share(code[MACHINERY], COMMENT.search)
    if comments < FEWEST_COMMENTS:
        wrong.append(f"{comments:.1%} of the machinery's lines have a comment, but at least {FEWEST_COMMENTS:.1%} are to")
    long = share(code[MACHINERY] + code[ITS_TESTS], lambda line: len(line) > LONG)
    if long > MOST_LONG:
        wrong.append(f"{long:.1%} of its lines and its tests' have more than {LONG} characters, but at most {MOST_LONG:.1%} may")
    if wrong:
        print("\n".join(wrong))
        changes = [each.split("\t") for each in git("diff", "--numstat", "--no-renames", "-z", since) if each[:1].isdigit()]
        grown = sorted(((int(new) - int(old), name) for new, old, name in changes if role_of(name) not in (DATA, COURSE)),
                       reverse=True)
        print("\n".join(f"  {more:+} lines since {since}: {name}" for more, name in grown[:5]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "HEAD^") if (ROOT / ".git").exists() else 0)
