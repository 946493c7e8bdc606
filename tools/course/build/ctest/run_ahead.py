"""A plain `ctest -L lab01` runs one test at a time. So labNN.build, the first of them, runs the lab's exercises on all cores,
and the test of each tells what came of it (grading/run/check_main.cpp).
"""

import os

ONE_WORD = {"", "--output-on-failure", "--progress", "-V", "-VV", "--verbose", "--extra-verbose", "-Q", "--quiet"}
TWO_WORDS = {"-L", "--label-regex", "--test-dir", "--preset"}
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
DONE = (".done0", ".done1")  # the exit status; such a file lies beside the verdict


def wanted(words: list[str], lab: str) -> bool:
    """Whether ctest was called for this lab, all of it, and for one test at a time."""
    rest, labels = iter(words[1:]), list[str]()
    for word in rest:
        name, _, value = word.partition("=")
        if name in TWO_WORDS:
            value = value or next(rest, "")
            labels += [value] if name in ("-L", "--label-regex") else []
        elif word not in ONE_WORD:
            return False
    return labels in ([lab], [f"^{lab}$"]) and CORES > 1 and "CTEST_PARALLEL_LEVEL" not in os.environ


def run(build: str, lab: str, manifest: str) -> None:
    """What the exercises say stays in memory until all have ended: student's code that runs meanwhile cannot reach it there."""
    import json
    with open(manifest, encoding="utf-8") as file:
        waiting = [exercise["function"] for exercise in json.load(file)["exercises"]]
    check, results = f"{build}/{lab}_check", f"{build}/results"
    running: dict[int, tuple[str, int]] = {}
    ended: dict[str, int] = {}
    while waiting or running:
        if waiting and len(running) < CORES:
            function = waiting.pop()  # the last ones of a lab take longest
            try:
                said = os.memfd_create("said")
                child = os.posix_spawn(check, [check, "--manifest", manifest, "--exercise", function, "--results", results],
                                       os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, said, 1), (os.POSIX_SPAWN_DUP2, said, 2)])
            except OSError:  # no more files or processes are allowed: the test of each runs the others
                waiting.clear()
                continue
            running[child] = function, said
        else:
            child, status = os.wait()
            function, said = running.pop(child)
            ended[f"{results}/{lab}.{function}.done{os.waitstatus_to_exitcode(status)}"] = said
    os.makedirs(results, exist_ok=True)
    remove_left_over(build)
    for path, said in ended.items():
        if path.endswith(DONE):  # where it could not judge, its own test tries again
            with open(path, "wb") as file:
                os.sendfile(file.fileno(), said, 0, os.fstat(said).st_size)


def remove_left_over(build: str) -> None:
    """What a killed ctest ran and nobody read."""
    results = f"{build}/results"
    for name in os.listdir(results) if os.path.isdir(results) else ():
        if name.endswith(DONE):
            os.remove(f"{results}/{name}")
