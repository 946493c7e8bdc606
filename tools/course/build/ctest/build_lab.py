"""The test labNN.build, the fixture before a lab's exercises: builds what was edited, or says in words why it could not, and
may run them all (run_ahead.py).

usage: build_lab.py BUILD MAKE LAB MANIFEST SOURCE…     (MAKE: ninja or make; SOURCE: a graded file)

It runs at every verdict, so it imports only what starts quickly.
"""

import os
import sys

TOOLS = os.path.abspath(f"{__file__}/../../../..")
sys.path.insert(0, TOOLS)

from course.build import build_lock, graded_file
from course.build.ctest import run_ahead
from course.build.ctest.called_as import words_of


def main(build: str, make: str, lab: str, manifest: str, *sources: str) -> int:
    lock = build_lock.take(build, "build.lock")  # a killed run may have left a ninja at work: it keeps this file open
    if lock != build_lock.NONE:
        os.set_inheritable(lock, True)
    results, reason = f"{build}/results", f"{build}/results/{lab}.not_built"
    os.makedirs(results, exist_ok=True)
    for name in os.listdir(results):
        if name.startswith(f"{lab}.") and name.endswith((".json", ".not_built")):
            os.remove(f"{results}/{name}")  # nothing of an earlier run counts
    why = next(filter(None, map(graded_file.rejection_reason, sources)), "")
    if why:
        return _give_up(reason, why)

    contents = {source: _read(source) for source in sources}
    _touch_what_looks_old(build, contents)
    status, output = _make([make, "-C", build, f"{lab}_check"])
    if status == 0:
        for source, content in contents.items():
            with open(_last_built(build, source), "wb") as file:
                file.write(content)
        if run_ahead.wanted(words_of(os.getppid()), lab):
            run_ahead.run(build, lab, manifest)
        return 0
    from course.build.ctest import explain_build  # only now: a lab that builds should not wait for it
    failed = explain_build.FailedBuild(lab, manifest, list(sources))
    return _give_up(reason, *failed.explain(output.decode("utf-8", errors="replace")))


def _touch_what_looks_old(build: str, contents: dict[str, bytes]) -> None:
    """A file put back with an old time stamp must not be graded from a newer object: make it new where its contents
    differ from what was built last. (What looks newer is left alone: editors dislike a file touched behind their back.)"""
    os.makedirs(f"{build}/last_built", exist_ok=True)
    for source, content in contents.items():
        copy = _last_built(build, source)
        if not os.path.exists(copy) or (_read(copy) != content and os.stat(copy).st_mtime_ns >= os.stat(source).st_mtime_ns):
            os.utime(source)


def _last_built(build: str, source: str) -> str:
    return f"{build}/last_built/{os.path.basename(source)}"


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _make(command: list[str]) -> tuple[int, bytes]:
    """Its exit status and what it printed. (subprocess would take longer to import than all the rest.)"""
    reading, writing = os.pipe()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_DUP2, writing, 2)])
    os.close(writing)
    with open(reading, "rb") as pipe:
        output = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), output


def _give_up(reason: str, message: str, begin_with: str = "", place: str = "") -> int:
    """`begin_with` and `place` are the function and the line to change first, where the compiler says which."""
    import json
    from course.sources.plain_text import plain, write_utf8
    with open(reason, "w", encoding="utf-8") as file:
        json.dump({"message": plain(message), "begin_with": begin_with, "place": plain(place)}, file, ensure_ascii=False)
    write_utf8()
    print(plain(message))
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except OSError as error:
        words = f"{sys.argv[3]} could not be built: {error}; fix that and try again"
        try:
            sys.exit(_give_up(f"{sys.argv[1]}/results/{sys.argv[3]}.not_built", words, place="what the machine forbids, as said above"))
        except OSError:
            sys.exit(words)
    except KeyboardInterrupt:
        sys.exit(130)
