"""What stands in for bubblewrap where the kernel gives no namespaces, as in Gradescope's container: the same limits and the
same seccomp program, but no walls. The caller has made us another user; what that user may read is `close`'s to say.

Started like bwrap, with its options; of these it heeds --seccomp, --json-status-fd, --setenv, --chdir, --bind and --ro-bind. A
bind to another place becomes that place's real name, in the command too. docs/threat_model.md says what this leaves open.
"""

import contextlib
import ctypes
import json
import os
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 1, 38, 22, 2
STAND_IN = ("/usr/bin/python3", "-I", "-S", "-B", __file__)
UNHEEDED = {"--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop",
            "--tmpfs", "--size", "--proc", "--remount-ro", "--ro-bind-try", "--symlink", "--dev-bind", "--hostname"}


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def close(root: Path, build: Path, inputs: list[str]) -> None:
    """Before anything of a submission runs, and by root: other users see labs/, tools/ and these files of the build folder."""
    for path in root.iterdir():
        if path.is_dir() and path.name not in ("labs", "tools", build.relative_to(root).parts[0]):
            path.chmod(0o700)
    open_files = {Path(path) for path in inputs}
    for folder, folders, files in os.walk(build):
        is_open = any(parent in open_files for parent in (Path(folder), *Path(folder).parents))
        os.chmod(folder, 0o711)
        for name in files:
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod((0o644 if is_open or path in open_files else 0o600) | path.stat().st_mode & 0o100)


def main(words: list[str]) -> int:
    fds, binds, environment, folder = {}, {}, {}, "/"
    end = words.index("--")
    options = [at for at, word in enumerate(words[:end]) if word.startswith("--")]
    for at, next_at in zip(options, [*options[1:], end]):
        option, *given = words[at:next_at]
        if option in ("--seccomp", "--json-status-fd"):
            fds[option] = int(given[0])
        elif option in ("--bind", "--ro-bind"):
            binds[given[1]] = given[0]
        elif option == "--setenv":
            environment[given[0]] = given[1]
        elif option == "--chdir":
            folder = given[0]
        elif option not in UNHEEDED:
            sys.exit(f"{__file__} does not know bwrap's option {option}; teach it, or leave --container out")
    moved = {seen: real for seen, real in binds.items() if seen != real}
    _link(binds, moved)
    command = [_moved(word, moved) for word in words[end + 1:]]
    child = os.fork()
    if child == 0:
        _exec_child(command, moved.get(folder, folder), environment, fds)
    return _follow(child, fds["--json-status-fd"])


def _link(binds: dict[str, str], moved: dict[str, str]) -> None:
    """What a command finds in a folder that has moved, beside what it makes there."""
    for seen, real in moved.items():
        for path in binds:
            if path != seen and path.startswith(f"{seen}/"):
                place = Path(real, os.path.relpath(path, seen))
                place.parent.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(FileExistsError):
                    place.symlink_to(path)


def _moved(word: str, moved: dict[str, str]) -> str:
    for seen, real in moved.items():
        word = real if word == seen else word.replace(f"{seen}/", f"{real}/")
    return word


def _exec_child(command: list[str], folder: str, environment: dict[str, str], fds: dict[str, int]) -> None:
    try:
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.chdir(folder)
        with os.fdopen(fds["--seccomp"], "rb") as file:
            instructions = file.read()
        program = Program(len(instructions) // 8, instructions)
        os.set_inheritable(fds["--json-status-fd"], False)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 == libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0):
            os.execvpe(command[0], command, environment)
    finally:
        os._exit(127)


def _follow(child: int, status: int) -> int:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.write(status, json.dumps({"child-pid": os.getpid()}).encode() + b"\n")
    _, ended = os.waitpid(child, 0)
    code = os.WEXITSTATUS(ended) if os.WIFEXITED(ended) else 128 + os.WTERMSIG(ended)
    os.write(status, json.dumps({"exit-code": code}).encode() + b"\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
