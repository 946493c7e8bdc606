"""Which functions of an object file the step counter does not see, as the compiler emitted them: whatever attribute, pragma,
macro or assembler made them so.

Compiled with -fsanitize-coverage=trace-pc, each basic block calls the counter. What is left without is a loop that the compiler
writes for an instruction that may have to be repeated, or to touch each page of a large stack frame.
"""

import re

COUNTER = ("__sanitizer_cov_trace_pc", "__sanitizer_cov_trace_pc-0x4")  # as a relocation names it
COUNTS = "counts"  # in the place of the rest of an instruction that calls the counter, whatever symbols have its name in theirs
DISASSEMBLE = "objdump -d -r -C -w --no-show-raw-insn"
MOST_OF_A_RETRY = 16  # instructions
LABEL = re.compile(r"[0-9a-f]+ <(.*)>:$")
INSTRUCTION = re.compile(r" *([0-9a-f]+):\t(\S+)(?: +(.*))?$")
TARGET = re.compile(r"([0-9a-f]+) <")
ENDS_HERE = {"jmp", "ret", "ud2", "hlt"}
Instruction = tuple[int, str, str]  # address, operation, the rest


def uncounted(disassembly: str) -> list[str]:
    """The names of functions that have no counter, or a loop without one."""
    found: dict[str, None] = {}
    for section in disassembly.split("\nDisassembly of section ")[1:]:
        names, instructions = _read(section)
        counted = {name for name, (_, _, rest) in zip(names, instructions) if rest == COUNTS}
        found |= dict.fromkeys(name for name in names if name not in counted)
        found |= dict.fromkeys(names[at] for at in _in_loops(instructions))
    return list(found)


def _read(section: str) -> tuple[list[str], list[Instruction]]:
    """For each instruction the function that it is in, and the instruction with its relocations."""
    names: list[str] = []
    instructions: list[Instruction] = []
    name = ""
    for line in section.splitlines():
        if label := LABEL.match(line):
            name = label[1]
        elif match := INSTRUCTION.match(line):
            operands, *relocation = (match[3] or "").split("\t")  # one tab before the place, one before the symbol
            counts = match[2] in ("call", "bl") and relocation[1:] in ([each] for each in COUNTER)
            names.append(name)
            instructions.append((int(match[1], 16), match[2], COUNTS if counts else " ".join([operands, *relocation])))
    return names, instructions


def _in_loops(instructions: list[Instruction]) -> list[int]:
    """One instruction of each loop without a counter: what is left when all that lead nowhere are taken away."""
    at = {address: index for index, (address, _, _) in enumerate(instructions)}
    after: list[list[int]] = []
    for index, (_, operation, rest) in enumerate(instructions):
        following = [index + 1] if operation not in ENDS_HERE and index + 1 < len(instructions) else []
        jumps = TARGET.match(rest) if operation.startswith(("j", "loop")) and " R_" not in rest else None
        if jumps:
            following.append(at.get(int(jumps[1], 16), index))  # into the middle of an instruction counts as a loop
        after.append([] if rest == COUNTS else following)
    return [part[0] for part in _components(after) if not _is_the_compilers(instructions, part)]


def _is_the_compilers(instructions: list[Instruction], loop: list[int]) -> bool:
    words = [f"{operation} {rest}" for _, operation, rest in (instructions[index] for index in loop)]
    return len(loop) <= MOST_OF_A_RETRY and any(re.match(r"lock cmpxchg|orq? +\$0x0,.*\(%rsp", each) for each in words)


def _components(after: list[list[int]]) -> list[list[int]]:
    """The sets of nodes that lead to each other, by Kosaraju's algorithm."""
    before: list[list[int]] = [[] for _ in after]
    for node, following in enumerate(after):
        for each in following:
            before[each].append(node)
    seen = bytearray(len(after))
    order = [node for root in range(len(after)) for node in _reached(root, after, seen)]
    seen = bytearray(len(after))
    parts = [_reached(root, before, seen) for root in reversed(order)]
    return [part for part in parts if len(part) > 1 or part and part[0] in after[part[0]]]


def _reached(root: int, after: list[list[int]], seen: bytearray) -> list[int]:
    """What can be reached from here and was not seen before, each node behind those that it leads to."""
    path = [] if seen[root] else [(root, iter(after[root]))]
    seen[root] = 1
    done = []
    while path:
        node, rest = path[-1]
        below = next((each for each in rest if not seen[each]), None)
        if below is None:
            done.append(node)
            path.pop()
        else:
            seen[below] = 1
            path.append((below, iter(after[below])))
    return done
