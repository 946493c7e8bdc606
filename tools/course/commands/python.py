"""Call your functions from Python, with NumPy arrays.

Builds the functions of all labs as modules, and opens Python with them:

  from labs import lab02
  lab02.linear_attention_parallel(Q, K, V, phi=np.exp)

With a FILE, it runs that. help(lab02.linear_attention_parallel) prints its contract. Kernels are left out. The examples are in
python/. A mistake with memory ends Python; it then prints where it was.

Exit status: 2 when nothing can be built, else that of Python.
"""

import os
import sys
import sysconfig
from argparse import REMAINDER, ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path

from course.build import graded_file
from course.build.build_tree import BuildTree
from course.commands import check
from course.errors import CourseError
from course.sources import bindings, files, manifest
from course.sources.manifest import Lab

INSTALL = "./course setup --with-python installs it"
PREFIXES = (os.environ.get("CONDA_PREFIX", ""), sys.prefix, "/usr", "/usr/local")


def arguments(parser: ArgumentParser) -> None:
    check.track_argument(parser, "functions")
    parser.add_argument("--notebook", action="store_true", help="open Jupyter, where it is installed")
    parser.add_argument("file", nargs="?", metavar="FILE", help="what to run (default: open Python)")
    parser.add_argument("words", nargs=REMAINDER, metavar="…", help="its arguments")


def run(root: Path, options: Namespace) -> int:
    if options.notebook and not find_spec("notebook"):
        raise CourseError(f"Jupyter is not installed for {sys.executable}; apt-get install jupyter-notebook, or "
                          f"{sys.executable} -m pip install notebook")
    if options.file and not Path(options.file).exists():
        raise CourseError(f"{options.file} does not exist; name a file with Python in it")
    tree = BuildTree(root, options.track)
    labs = build(tree, manifest.load(root), flags())
    paths = [str(tree.folder / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    start = f"import numpy as np; from labs import {', '.join(labs)}"
    if options.notebook:
        words = ["-m", "notebook", *filter(None, [options.file]), *options.words]
    elif options.file:
        words = [options.file, *options.words]
    else:
        words = ["-i", "-c", f"{start}; print('>>> {start}')"] if sys.stdin.isatty() else ["-"]
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, "-X", "faulthandler", *words], os.environ | {"PYTHONPATH": os.pathsep.join(paths)})


def flags() -> str:
    """Where the headers are that belong to this Python."""
    if not find_spec("numpy"):
        raise CourseError(f"{sys.executable} has no NumPy; {INSTALL} (python3-numpy)")
    python = Path(sysconfig.get_path("include"))
    if not (python / "Python.h").exists():
        raise CourseError(f"{sys.executable} has no headers in {python}; {INSTALL} (python3-dev)")
    spec = find_spec("pybind11")  # of pip; Debian's headers come without it
    folders = [Path(place) / "include" for place in (*(spec and spec.submodule_search_locations or ()), *filter(None, PREFIXES))]
    pybind11 = next((folder for folder in folders if (folder / "pybind11/pybind11.h").exists()), None)
    if pybind11 is None:
        raise CourseError(f"there is no pybind11; {INSTALL} (pybind11-dev)")
    return "".join(f'-isystem "{folder}"\n' for folder in dict.fromkeys((python, pybind11)) if folder != Path("/usr/include"))


def build(tree: BuildTree, labs: list[Lab], compiler_flags: str) -> list[str]:
    """The names of the labs that can be imported from tree.folder/python; says which cannot."""
    folder, log = tree.folder / "python", tree.folder / "python.log"
    with tree.locked(), open(log, "w", encoding="utf-8") as words:
        tree.prepare([lab.manifest for lab in labs], [])
        if _write(folder / "flags", compiler_flags):
            for precompiled in folder.glob("binding/**/cmake_pch.hxx.*ch"):
                precompiled.unlink()  # with the headers of another Python
        _write(folder / "labs/__init__.py", '"""Your functions, a module for each lab: from labs import lab02."""\n')
        for lab in labs:
            _write(folder / f"{lab.name}.cpp", bindings.source(tree.root, labs, lab))
        print("building your functions for Python …", file=sys.stderr, flush=True)
        readable = [lab for lab in labs if not any(graded_file.rejection_reason(str(tree.root / tree.track / each)) for each in lab.sources)]
        if len(readable) == len(labs) and tree.makes(["python_modules"], words, "-k", "0"):
            return [lab.name for lab in labs]
        built = [lab for lab in readable if tree.makes([f"{lab.name}_python"], words)]
    for lab in labs:
        if lab not in built:
            said = f"{lab.name} does not build; ./course check {lab.name} says why"
            print(f"course: {said}", file=sys.stderr)
            (folder / f"labs/{lab.name}.so").unlink(missing_ok=True)  # it would be of functions that are no more
            _write(folder / f"labs/{lab.name}.py", f"raise ImportError({said!r})\n")
    if not built:
        raise CourseError(f"no lab can be built; the compiler's output is in {log.relative_to(tree.root)}; fix that")
    return [lab.name for lab in built]


def _write(path: Path, text: str) -> bool:
    """Whether it changed. What did not is left alone, so that it is not compiled again."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    files.write_whole(path, text)
    return True
