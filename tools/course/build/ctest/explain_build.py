"""From what ninja printed to what a student can use. Compilers: g++ and clang. Linkers: GNU ld, and those that say it as it does."""

import json
import os
import re
from pathlib import Path

from course.build.ctest import compiler_words
from course.sources.handout_record import not_as_handed_out
from course.sources.source_pieces import function_at

MISSING = re.compile("undefined (?:reference to|symbol:) (.*)")  # GNU ld; lld and mold, which cmake/toolchain.cmake prefers
DUPLICATE = re.compile("(?:multiple definition of|duplicate symbol:) (.*)")
FORBIDDEN = re.compile(  # by the machine, in lines that echo no code
    r"^(?! *\d* \|).*(?:error|fatal|terminated|sorry|failed).*(?:File too large|limit exceeded|No space left|quota exceeded|annot allocate|"
    r"ut of memory|memory exhausted|allocation failure|bad_alloc|Killed|temporarily unavailable|Too many open files|not permitted).*$"
    r"|^.*\bld terminated with signal.*$", re.M)
MOST_CHANGED = 5  # files in a message
QUOTED = re.compile(r"`(.*?)'")


class FailedBuild:
    def __init__(self, lab: str, manifest: str, sources: list[str], unexplained: str = ""):
        """`unexplained` is the sentence before words that are not about the student's files."""
        with open(manifest, encoding="utf-8") as file:
            self.exercises = [exercise["function"] for exercise in json.load(file)["exercises"]]
        self.lab = lab
        self.root = Path(manifest).parents[2]
        self.headers = f"labs/{os.path.basename(os.path.dirname(manifest))}"
        self.sources = sources
        self.unexplained = unexplained

    def explain(self, output: str) -> tuple[str, str, str]:
        """Why the lab could not be built, the exercise to change first and the line that the compiler complains about first,
        "" where they are unknown."""
        changed = not_as_handed_out(self.root)
        if changed and not self.unexplained:
            self.unexplained = f"{self.lab} could not be built, and {compiler_words.short(self.sources[-1])} is not the cause"
        message, begin_with, place = self._explain(output)
        if changed:
            names = ", ".join(changed[:MOST_CHANGED]) + f" and {len(changed) - MOST_CHANGED} more" * (len(changed) > MOST_CHANGED)
            message = (f"not as handed out: {names}; if you did not mean that, take it from the zip of the handout again."
                       f"\n\n{message}")
            if named := next((name for name in changed if os.path.basename(name) in output),
                             "" if begin_with or place else changed[0]):
                return message, "", f"{named}, which is not as handed out"
        return message, begin_with, place

    def _explain(self, output: str) -> tuple[str, str, str]:
        if said := FORBIDDEN.search(output):
            return (f"{self.lab} could not be built, and {compiler_words.short(self.sources[-1])} is not the cause. The machine keeps the "
                    "compiler or the linker from its work (df shows the room on a disk, ulimit -a other limits):\n\n"
                    f"{compiler_words.readable(said[0], self.sources)}"), "", "what the machine forbids, as said above"
        for source in self.sources:
            if re.search(rf"FAILED: [^\n]*{self.lab}_graded[^\n]*{re.escape(os.path.basename(source))}", output):
                return self._of_the_compiler(source, output)
        if re.search(r"FAILED: \S+\.o\b", output):
            return self._of_the_course(output), "", ""
        return *self._of_the_linker(output), ""

    def _of_the_compiler(self, source: str, output: str) -> tuple[str, str, str]:
        found = compiler_words.essence(output, self.sources)
        if not found.file and "redefinition of" in found.text:  # of a header that its precompiled one does not match
            return self._of_the_course(output), "", ""
        with open(source, encoding="utf-8", errors="replace") as file:
            begin_with = function_at(file.read(), self.exercises, found.line) if found.file == source else ""
        place = f"line {found.line} of {compiler_words.short(found.file)}" if found.file else ""
        return f"{compiler_words.short(source)} does not compile, {self._ungraded()}:\n\n{found.text}", begin_with, place

    def _of_the_linker(self, output: str) -> tuple[str, str]:
        words = re.sub(rf"^.*? -o {self.lab}_\w+ .*", "", output, flags=re.M)  # the command that links names every file
        of_the_student = f"{self.lab}_graded" in words
        undefined, duplicate = _symbols(MISSING, words), _symbols(DUPLICATE, words)
        missing = [name for name in self.exercises if name in undefined]  # a linker's own order changes from run to run
        last = compiler_words.short(self.sources[-1])
        if missing:
            return (f"{last} does not define {', '.join(missing)} as {self.headers} declares it: the function is missing, "
                    f"or its name or parameters differ; {self._ungraded()}."), missing[0]
        if not of_the_student:
            return self._of_the_course(output), ""
        if undefined:
            return (f"{last} uses {', '.join(undefined)}, which nothing defines: write it, or correct the name; "
                    f"{self._ungraded()}."), ""
        if duplicate:
            return (f"{last} defines {', '.join(duplicate)}, which the course defines already: give it another name, "
                    f"or remove it; {self._ungraded()}."), ""
        said = "\n".join(line for line in words.splitlines() if "error: " in line or f"{self.lab}_graded" in line)
        return f"{last} compiles but cannot be linked, {self._ungraded()}:\n\n{said}", ""

    def _of_the_course(self, output: str) -> str:
        last = compiler_words.short(self.sources[-1])
        unexplained = self.unexplained or (f"{self.lab} could not be built, and {last} is not the cause. Remove the folder "
                                           "build and try again. If that does not help, it is a fault of the course or of the "
                                           "installation; please report it with what follows")
        return f"{unexplained}:\n\n{output}"

    def _ungraded(self) -> str:
        return f"so nothing of {self.lab} was graded ({', '.join(self.exercises)})"


def _symbols(kind: re.Pattern[str], words: str) -> list[str]:
    """The functions that lines of this kind complain about, by their names alone."""
    symbols = [quoted[1] if (quoted := QUOTED.search(symbol)) else symbol for symbol in kind.findall(words)]
    return list(dict.fromkeys(re.split("[ :]", symbol.partition("(")[0])[-1] for symbol in symbols))
