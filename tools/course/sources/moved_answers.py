"""Puts what a student wrote into the stubs of another handout: each function where its name is, the helpers next to it."""

import re
from dataclasses import astuple
from difflib import SequenceMatcher

from course.sources.source_pieces import END, INCLUDE, START, CannotSplit, Function, Pieces, definitions, split

TO_WRITE = "YOUR CODE HERE"
NAMES = re.compile(r"^\s*(?:struct|class|enum|using|(?:static |constexpr |const )+[\w:<>]+)\s+(\w+)", re.M)


class Answers:
    """`stubs`: file → text as handed out now; `exercises`: the functions that any of the two handouts asks for."""

    def __init__(self, stubs: dict[str, str], exercises: set[str]):
        self.said: list[str] = []  # sentences for the student
        self._stubs, self._exercises = stubs, exercises
        self._whole: dict[str, str] = {}  # files that are the student's as they were
        self._pieces = {name: split(text, exercises) for name, text in stubs.items()}
        self._place = {function: name for name, pieces in self._pieces.items() for function in pieces.functions}

    def texts(self) -> dict[str, str]:
        joined = {name: "".join(map("".join, zip(pieces.between.values(), (each.text for each in pieces.functions.values()))))
                  + pieces.between[END] for name, pieces in self._pieces.items()}
        return joined | self._whole

    def take(self, name: str, text: str, stub: str | None) -> None:
        """What the student wrote in this file, which was `stub`: None where nobody knows any more."""
        text = text.replace("\r\n", "\n")
        now = self._stubs.get(name, "")
        if text == stub:
            return
        if stub == now:
            self._whole[name] = text
            self.said.append(f"{name}: copied as it is")
            return
        try:
            own, old = split(text, self._exercises), split(now if stub is None else stub, self._exercises)
        except CannotSplit as reason:
            self.said.append(f"{name} could not be parsed ({reason}): nothing of it was copied")
            return
        written = {function: each for function, each in own.functions.items() if each != old.functions.get(function)}
        moved = [function for function, each in written.items() if self._put(name, function, each, old.functions.get(function))]
        for function in moved:
            self.said.append(f"{name}: copied {function}" + f" to {self._place[function]}" * (self._place[function] != name))
        for key, words in own.between.items():
            if words != old.between.get(key, ""):
                self._put_helpers(name, key, words, old.between.get(key, ""), own, moved)

    def _put(self, name: str, function: str, own: Function, old: Function | None) -> bool:
        if function not in self._place:
            self.said.append(f"{name}: {function} is no exercise any more and was not copied")
            return False
        functions = self._pieces[self._place[function]].functions
        new = functions[function]
        if TO_WRITE not in new.body:
            self.said.append(f"{name}: {function} comes solved now and was not copied")
            return False
        if old and old.signature != new.signature:
            self.said.append(f"{function} is not what it was: change yours\n  was  {old.signature}\n  is   {new.signature}")
        functions[function] = own if old is None else Function(
            *(theirs if mine == base else mine for mine, base, theirs in zip(astuple(own), astuple(old), astuple(new))))
        return True

    def _put_helpers(self, name: str, key: str, words: str, before: str, own: Pieces, moved: list[str]) -> None:
        """What the student wrote above the function `key`, at the beginning or at the end of the file."""
        order = list(own.functions)
        near = next((each for each in (order[:1] if key == START else order[-1:] if key == END else [key]) if each in self._place),
                    next(iter(moved), None))
        if near is None:
            self.said.append(f"{name}: what you wrote outside of the exercises was not copied")
            return
        home = self._place[near]
        files = {home}
        if self._pieces[home].between.get(key) == before:  # nothing of the course's changed there
            self._pieces[home].between[key] = words
            files = set()
        base, lines = before.splitlines(keepends=True), words.splitlines(keepends=True)
        changes = [each for each in SequenceMatcher(None, base, lines, False).get_opcodes() if each[0] != "equal"]
        added = [line for what, _, _, begin, end in changes if what == "insert" for line in lines[begin:end]]
        includes = [line for line in added if INCLUDE.match(line)]
        helpers = "".join(line for line in added if line not in includes).strip("\n")
        names = _defined(helpers)
        if files and (any(each[0] != "insert" for each in changes) or helpers and not names):
            self.said.append(f"{name}: look at {near}: not all that you wrote or changed around it could be copied")
        helpers = helpers if names else ""
        users = {self._place[each] for each in moved if names & set(re.findall(r"\w+", own.functions[each].text))} - {home}
        for file in sorted(files | users):
            self._insert(file, END if key == END and file == home else near, includes,
                         f"namespace {{  // in each file that needs it\n{helpers}\n}}" if users else helpers)

    def _insert(self, file: str, key: str, includes: list[str], helpers: str) -> None:
        between = self._pieces[file].between
        last = max((each.end() for each in re.finditer(rf"(?:{INCLUDE.pattern}).*\n", between[START], re.M)), default=0)
        new = "".join(line for line in includes if line not in between[START])
        between[START] = between[START][:last] + new + between[START][last:]
        if helpers:
            place = key if key in between else START  # above the first function
            between[place] = f"\n{helpers}\n{between[place]}" if place == END else f"{between[place].rstrip()}\n\n{helpers}\n\n"


def _defined(text: str) -> set[str]:
    """What these lines define; nothing where they are a part of something else."""
    try:
        return set() if text[:1].isspace() else {each.name for each in definitions(text)} | set(NAMES.findall(text))
    except CannotSplit:
        return set()
