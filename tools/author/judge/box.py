"""The boxes that a submission is compiled in and run in: bubblewrap, a seccomp program and limits.

A box has no network and no processes but its own, and sees the system's /usr, read-only, and what it is given: the compiler
the public headers and the submission, the runner nothing but itself. Never the tests, the reference, the environment, other
submissions, or the files of whoever grades.
"""

import contextlib
import ctypes
import fcntl
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from course.errors import CourseError

NOBODY = (1 << 30) + os.getpid()  # a user of this process alone: what another submission starts does not count
COMPILE_SECONDS = int(os.environ.get("LINATTN_COMPILE_SECONDS", "20"))  # of the processor; the answer key's largest file takes 2
COMPILE_PATIENCE = 180  # seconds of the clock, on a busy machine
LARGEST_FILE = 32 << 20  # bytes that a compiler may write; an object file of the answer key has 1 MiB
LONGEST_LINE = 2000  # characters of what a compiler says
ROOM, FILES = 32 << 20, 100  # bytes and files that a compiler and a linker may need; what they make has 2 MiB
PR_SET_CHILD_SUBREAPER = 36
HIDDEN_FOLDERS = ("/proc/1", "/proc/sys")  # the memory of bwrap itself, and facts about the machine
HIDDEN_FILES = ("/proc/cmdline", "/proc/loadavg")
ENVIRONMENT = ("PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1")
SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/sbin")  # links into /usr, or folders of their own
FOR_NAMESPACES = ("install bubblewrap (./course setup) and let programs make user namespaces: sysctl "
                  "kernel.unprivileged_userns_clone=1 on older Debian, kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu; "
                  "a container needs --security-opt seccomp=unconfined")
FOR_ANOTHER_USER = "root's boxes are another user's, who has to be able to read the clone: move it out of /root"
FOR_PROGRAMS = "set TMPDIR to a folder from which programs may run (not noexec), and that all users can reach"


def as_nobody(limits: list[str]) -> list[str]:
    """What begins a command that runs with these limits and no environment of ours, and as another user where root grades."""
    words = ["prlimit", "--core=0", *limits]
    if os.geteuid() == 0:
        words += ["--nproc=512", "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]
    return [*words, "env", "-i", *ENVIRONMENT]


class BoxTrouble(Exception):
    """A box could not do its work, and the submission is not the cause."""


class Box:
    program = "bwrap"

    def __init__(self, programs: Path):
        self._programs = programs  # of seccomp, as deny_syscalls wrote them

    def _command(self, seccomp: str, limits: list[str], see: list[str], command: list[str]) -> list[str]:
        """`see`: more of bwrap's options."""
        words = ["sh", "-c", 'exec "$@" 9<"$0"', str(self._programs / seccomp), *as_nobody(limits), shutil.which("bwrap") or "bwrap",
                  "--seccomp", "9", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent",
                  "--new-session", "--cap-drop", "ALL", "--hostname", "box",
                  "--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/alternatives", "/etc/alternatives",
                  "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
        for folder in map(Path, SYSTEM):
            if folder.is_symlink():
                words += ["--symlink", os.readlink(folder), str(folder)]
            elif folder.is_dir():
                words += ["--ro-bind", str(folder), str(folder)]
        words += ["--proc", "/proc", "--dev-bind", "/dev/null", "/dev/null"]
        for hidden in HIDDEN_FOLDERS:
            words += ["--tmpfs", hidden, "--remount-ro", hidden]
        for hidden in HIDDEN_FILES:
            words += ["--ro-bind", "/dev/null", hidden]
        words += ["--remount-ro", "/proc"]  # clear_refs would reset what the process held at most
        return [*words, *see, "--remount-ro", "/", "--", *command]

    def runs(self, runner: Path, seconds: int) -> list[str]:
        """What starts a runner. The judge limits its memory and its time, and its output by the size of a file."""
        # A copy, from descriptor 8: a bound file would tell in which folder it lies.
        words = self._command("no-processes", [f"--cpu={seconds}", "--nofile=32"],
                              ["--json-status-fd", "5", "--perms", "0755", "--ro-bind-data", "8", "/runner"], ["/runner"])
        return ["sh", "-c", 'exec "$@" 8<"$0"', str(runner), *words]

    def addr2line(self, runner: Path, folder: Path) -> None:
        """Puts into `folder` what the judge calls as addr2line: a box that looks into the runner, which nobody may trust."""
        words = self._command("no-processes", ["--cpu=10", "--as=2147483648", "--nofile=32"],
                              ["--json-status-fd", "2", "--ro-bind", str(runner), "/runner"],
                              ["addr2line", "-e", "/runner"])
        folder.mkdir(exist_ok=True)
        script = folder / "addr2line"
        script.write_text('#!/bin/sh\noptions=\nwhile [ "$1" != -e ]; do options="$options $1"; shift; done\n'
                          f'shift 2  # -e PROGRAM\nexec {shlex.join(words)} $options "$@"\n', encoding="utf-8")
        script.chmod(0o755)

    def compile(self, command: str, folder: Path, see: list[str], log: Path) -> bool:
        """Runs a shell command that compiles or links, in `folder` of the box. What it prints goes to `log`."""
        limits = [f"--cpu={COMPILE_SECONDS}", "--as=4294967296", f"--fsize={LARGEST_FILE}", "--nofile=256"]
        reading, low = os.pipe()
        writing = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 20)  # not 9, which the seccomp program takes
        os.close(low)
        words = self._command("any-process", limits, ["--json-status-fd", str(writing), "--size", "268435456", "--tmpfs",
                                                      "/tmp", *see, "--chdir", str(folder)], ["/bin/sh", "-c", command])
        with open(log, "wb") as out:
            process = subprocess.Popen(words, pass_fds=(writing,), stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, cwd="/", env={"PATH": os.environ.get("PATH", "/usr/bin:/bin")})
            os.close(writing)
            try:
                process.wait(timeout=COMPILE_PATIENCE)
            except subprocess.TimeoutExpired:
                with open(log, "ab") as more:
                    more.write(f"\nerror: compiling took more than {COMPILE_PATIENCE} s and was stopped\n".encode())
                return False
            finally:
                process.kill()
                process.wait()
                end_orphans()
                with os.fdopen(reading, encoding="utf-8", errors="replace") as status:
                    told = status.read()
        if "exit-code" not in told:
            raise BoxTrouble(f"the box did not start: {read_log(log)[:1000].strip() or 'it says nothing'}")
        if process.returncode != 0 and not _has_room(log.parent):  # then it may be no fault of the submission's
            raise BoxTrouble(f"there is no room left in {tempfile.gettempdir()}; make some, or set TMPDIR to another folder")
        return process.returncode == 0

    def try_out(self, folder: Path, labs: Path) -> None:
        """Refuses with what to do about it where no box can be started, or cannot use what it needs."""
        missing = [name for name in (self.program, "prlimit", "setpriv") if not shutil.which(name)]
        if missing:
            raise CourseError(f"nothing can be graded without {', '.join(missing)}; {FOR_NAMESPACES}")
        if not Path("/proc/thread-self/children").exists():
            raise CourseError("nothing can be graded: this kernel's /proc does not list a process's children, so a runner's "
                              "memory cannot be limited; use one with CONFIG_PROC_CHILDREN")
        program = shutil.copy("/bin/true", folder / "program")
        see_labs, see_program = ["--ro-bind", str(labs), str(labs)], ["--ro-bind", str(program), "/program"]
        if not self._rejection_reason("/program", see_labs + see_program, folder):
            return
        nothing: list[str] = []
        for command, see, what_to_do in (("true", nothing, FOR_NAMESPACES), ("true", see_labs, FOR_ANOTHER_USER),
                                         ("/program", see_program, FOR_PROGRAMS)):
            if rejection_reason := self._rejection_reason(command, see, folder):
                raise CourseError(f"nothing can be graded: {rejection_reason}; {what_to_do}")

    def _rejection_reason(self, command: str, see: list[str], folder: Path) -> str:
        """What keeps a box from running this; empty where nothing does."""
        try:
            return "" if self.compile(command, Path("/"), see, folder / "try") else read_log(folder / "try").strip() or command
        except BoxTrouble as trouble:
            return str(trouble)


def _has_room(folder: Path) -> bool:
    """Whether a box could have written its files there. Root may use what others may not, and a user may have a quota."""
    left = os.statvfs(folder)
    if left.f_bavail * left.f_frsize < ROOM or left.f_files and left.f_favail < FILES:
        return False
    with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=folder) as file:
        os.posix_fallocate(file.fileno(), 0, ROOM)
        return True
    return False


def read_log(log: Path) -> str:
    """Its beginning, with no line so long that a regular expression takes its time."""
    with open(log, "rb") as file:
        words = file.read(1 << 20).decode("utf-8", errors="replace")
    return "\n".join(line[:LONGEST_LINE] for line in words.split("\n"))


def open_to_box(top: Path, inside: list[Path]) -> None:
    """Makes a folder and the folders `inside` it that the box may write to: graded by root, it is another user's."""
    for folder in (top, *inside):
        folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        for path, _, _ in os.walk(top):
            os.chown(path, NOBODY, NOBODY)


def adopt_orphans() -> None:
    """What a process of ours leaves behind becomes our child."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans() -> None:
    """Ends and reaps them all; nothing else of ours may run. A box that lost its judge is about to end by itself."""
    with contextlib.suppress(ChildProcessError):
        while True:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                for child in Path("/proc/thread-self/children").read_text(encoding="ascii").split():
                    os.kill(int(child), signal.SIGKILL)
                time.sleep(0.002)
