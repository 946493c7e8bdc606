"""What is taken from a submission, whatever somebody put into it."""

import os
import shutil
import socket
import stat
import struct
import subprocess
import time
import zipfile
from pathlib import Path
from unittest import mock

import pytest

from author.judge import intake
from course.errors import CourseError

NAME, OTHER = "lab01_feature_maps.cpp", "lab02_parallel_vs_recurrent.cpp"


def zipped(path: Path, entries: dict) -> Path:
    """Entries: name → bytes, or (bytes, mode, method)."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            data, mode, method = content if isinstance(content, tuple) else (content, 0o100644, zipfile.ZIP_DEFLATED)
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, data, method)
    return path


def submission(place: Path, files: dict) -> Path:
    for name, data in files.items():
        path = place / "s001" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return place / "s001"


def take(handed_in: Path):
    into = handed_in.parent / "taken"
    shutil.rmtree(into, ignore_errors=True)
    found = intake.taken(handed_in, into)
    assert sorted(os.listdir(into)) == sorted(found.files)
    assert all(stat.S_ISREG(path.lstat().st_mode) and path.stat().st_nlink == 1 for path in into.iterdir())
    return found


def content(place: Path, name: str = NAME) -> bytes:
    return (place / "taken" / name).read_bytes()


def refused(handed_in: Path, *words: str) -> None:
    found = take(handed_in)
    assert (found.files, [word for word in words if word not in found.reason], found.reason.isprintable()) == ([], [], True), found.reason


@pytest.mark.parametrize("path", [NAME, f"student/{NAME}", f"linear-attention-labs/student/{NAME}", f"linear attention ü/{NAME}",
                                  f"a/b/student/{NAME}", f"top\\student\\{NAME}"])
def test_where_a_file_may_lie(path, tmp_path):
    assert (take(zipped(tmp_path / "s001.zip", {path: b"mine"})).files, content(tmp_path)) == ([NAME], b"mine")


def test_a_folder_is_taken_like_a_zip(tmp_path):
    taken = take(submission(tmp_path, {
        f"work/student/{NAME}": b"mine", f"work/student/.stubs/{NAME}": b"stub", f"work/build/student/{NAME}": b"built",
        f"work/kept/1/student/{NAME}": b"kept", "work/.handout.version": b"2027-01-15\nmore", "work/README.md": b"",
        "work/student/a.txt": b""}))
    assert (taken.student, taken.handout, taken.files, taken.left_out) == ("s001", "2027-01-15", [NAME], [])
    assert content(tmp_path) == b"mine"


def test_of_two_the_one_in_student_counts(tmp_path):
    taken = take(zipped(tmp_path / "s001.zip", {NAME: b"old", f"student/{NAME}": b"new", OTHER: b"other"}))
    assert (content(tmp_path), content(tmp_path, OTHER)) == (b"new", b"other")
    assert taken.left_out == [f"{NAME}: there is another file of this name, which was taken"]


def test_a_zip_in_a_folder_or_a_zip(tmp_path):
    inner = zipped(tmp_path / "inner.zip", {f"student/{NAME}": b"mine"}).read_bytes()
    assert take(submission(tmp_path, {"upload.zip": inner})).student == "s001"
    assert content(tmp_path) == b"mine"
    outer = tmp_path / "s002.zip"
    assert take(zipped(outer, {"all/s001.zip": inner})).files == [NAME]
    refused(zipped(outer, {"a.zip": inner, "b.zip": inner}), "a.zip: a zip in a zip is only opened")
    refused(zipped(outer, {"all/s001.zip": b"PK"}), "cannot be read")


def test_near_misses_are_taken_where_there_is_no_doubt(tmp_path):
    path = tmp_path / "s001.zip"
    for name in ("lab1.cpp", "lab01_feature_maps (1).cpp", "LAB01_Feature_Maps.CPP", "lab01_feature_maps - Copy.cpp", "Lab 1.cpp"):
        taken = take(zipped(path, {f"student/{name}": b"mine"}))
        assert (taken.files, content(tmp_path)) == ([NAME], b"mine"), name
        assert f"student/{name}: taken for {NAME}" in taken.left_out[0]
    assert take(zipped(path, {"lab1.cpp": b"near", NAME: b"mine"})).left_out == []
    refused(zipped(path, {"lab1.cpp": b"one", "Lab 1.cpp": b"two"}), "it holds", "Lab 1.cpp", NAME[:5])
    refused(zipped(path, {"lab5.cpp": b"two files of lab05 end in .cpp"}), "it holds lab5.cpp")


def test_the_id_that_submit_wrote(tmp_path):
    written = {f"s001/student/{NAME}": b"", "s001/.handout.version": b"1"}
    assert intake.id_inside(zipped(tmp_path / "a.zip", written)) == "s001"
    for entries in (*(written | more for more in ({f"s002/student/{NAME}": b""}, {"s001/course": b""}, {"README": b""})), {NAME: b""}):
        assert intake.id_inside(zipped(tmp_path / "a.zip", entries)) == ""


def test_what_cannot_be_opened_is_named(tmp_path):
    with mock.patch.object(intake, "_read_file", side_effect=PermissionError(13, "Permission denied")):
        refused(submission(tmp_path, {f"student/{NAME}": b"mine"}), f"student/{NAME}: it cannot be read (Permission denied)")


def test_of_many_with_one_name_few_are_unpacked(tmp_path):
    large = (b"/" * (256 << 10), 0o100644, zipfile.ZIP_DEFLATED)
    handed_in = zipped(tmp_path / "s001.zip", {f"{number:x}/student/{NAME}": large for number in range(3000)})
    began = time.process_time()
    taken = take(handed_in)
    assert time.process_time() - began < 5
    assert (taken.files, len(taken.left_out)) == ([NAME], intake.MOST_OF_A_NAME)


def test_what_is_no_ordinary_file_is_left_out(tmp_path):
    top = submission(tmp_path, {OTHER: b"other"})
    for kind, make in (("a link", lambda path: path.symlink_to("/etc/passwd")), ("not an ordinary file", os.mkfifo),
                       ("a link", lambda path: path.symlink_to("nowhere")),
                       ("not an ordinary file", lambda path: socket.socket(socket.AF_UNIX).bind(str(path)))):
        make(top / NAME)
        taken = take(top)
        assert (taken.files, taken.left_out) == ([OTHER], [f"{NAME}: {kind}"])
        (top / NAME).unlink()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / NAME).write_text("another student's")
    (top / "student").symlink_to(tmp_path / "elsewhere")
    assert take(top).files == [OTHER]  # not from a folder that is a link


@pytest.mark.parametrize("kind, entry", {
    "a link": (b"/etc/passwd", 0o120777, zipfile.ZIP_STORED), "not an ordinary file": (b"", 0o020644, zipfile.ZIP_STORED),
    "packed in a way": (b"int x;", 0o100644, zipfile.ZIP_LZMA),
    "saved as UTF-16": ("int x;".encode("utf-16"), 0o100644, zipfile.ZIP_STORED),
    "larger than": (b"\0" * (64 << 20), 0o100644, zipfile.ZIP_DEFLATED)}.items())
def test_the_same_in_a_zip(kind, entry, tmp_path):
    taken = take(zipped(tmp_path / "s001.zip", {NAME: entry, OTHER: b"other"}))
    assert taken.files == [OTHER]
    assert f"{NAME}: {kind}" in taken.left_out[0]


@pytest.mark.parametrize("path", [f"../outside/{NAME}", f"/tmp/student/{NAME}", f"a/../../outside/student/{NAME}",
                                  f"..\\outside\\student\\{NAME}"])
def test_paths_that_lead_out_are_not_followed(path, tmp_path):
    (tmp_path / "outside").mkdir()
    refused(zipped(tmp_path / "s001.zip", {path: b"x", "student/notes.txt": b""}), "none of the files")
    assert os.listdir(tmp_path / "outside") == []


def test_what_cannot_be_read_is_unusable(tmp_path):
    path = tmp_path / "s002.zip"
    good = zipped(path, {NAME: b"int main() {}" * 100}).read_bytes()
    encrypted = bytearray(good)
    encrypted[6] |= 1
    encrypted[good.index(b"PK\1\2") + 8] |= 1
    lies = good[:-22] + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 1 << 31, 7, 0)  # about where its folder is
    damaged = good[:45] + b"\xff" * 15 + good[60:]
    for data in (good[:len(good) // 2], b"", b"#!/bin/sh\n" * 50, b"\x1f\x8b" * 600, damaged, lies):
        path.write_bytes(data)
        refused(path, "cannot be read")
    path.write_bytes(encrypted)
    refused(path, "encrypted")


def test_what_is_too_large_is_unusable(tmp_path):
    path = zipped(tmp_path / "many.zip", {f"{number}": b"" for number in range(intake.MOST + 1)})
    began = time.process_time()
    refused(path, "entries")
    assert time.process_time() - began < 10
    with open(tmp_path / "large.zip", "wb") as file:
        file.truncate(intake.LARGEST_ZIP + 1)
    refused(tmp_path / "large.zip", "MiB")


def test_folders_in_folders_have_an_end(tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    for _ in range(2000):
        os.mkdir("d")
        os.chdir("d")
    os.chdir("/")
    refused(tmp_path / "deep", "none of the files")
    subprocess.run(["rm", "-rf", tmp_path / "deep"], check=True)  # Python's own removal gives up at such a depth


def test_what_is_missing_is_no_error_but_nothing_at_all_is(tmp_path):
    assert take(submission(tmp_path, {NAME: b""})).files == [NAME]
    (tmp_path / "s003").mkdir()
    refused(tmp_path / "s003", "none of the files", "./course submit")
    (tmp_path / "s004").symlink_to(tmp_path / "s001")
    refused(tmp_path / "s004", "link")
    os.mkfifo(tmp_path / "s005.zip")
    refused(tmp_path / "s005.zip", "neither")


def test_the_student_is_the_name_of_the_folder_or_zip(tmp_path):
    for name, student in {"s001.zip": "s001", "Zoë Ödön.ZIP": "Zoë Ödön", "a.b": "a.b", "x\x1b[2Jy\n.zip": "x\ufffd[2Jy\ufffd",
                          "Zoe\u0308": "Zoë"}.items():
        assert intake.student_id(tmp_path / name) == student
    assert intake.safe_id("../a/b") == "_a_b"
    for name in (".zip", "..", " .. ", "n" * 200, "好" * 80):
        with pytest.raises(CourseError):
            intake.student_id(Path(name))
