"""What is taken from a submission, whatever somebody put into it."""

import os
import shutil
import socket
import stat
import struct
import subprocess
import time
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from course_tree import own_folder

from course.errors import CourseError
from author.judge import intake

NAME, OTHER = "lab01_feature_maps.cpp", "lab02_parallel_vs_recurrent.cpp"


class Intake(unittest.TestCase):
    def setUp(self):
        self.place = own_folder(self.enterContext)
        self.into = self.place / "taken"

    def zip(self, entries: dict, name: str = "s001.zip") -> Path:
        """Entries: name → bytes, or (bytes, mode, method)."""
        path = self.place / name
        with zipfile.ZipFile(path, "w") as archive:
            for entry_name, content in entries.items():
                data, mode, method = content if isinstance(content, tuple) else (content, 0o100644, zipfile.ZIP_DEFLATED)
                entry = zipfile.ZipInfo(entry_name)
                entry.external_attr = mode << 16
                archive.writestr(entry, data, method)
        return path

    def folder(self, files: dict) -> Path:
        for name, data in files.items():
            path = self.place / "s001" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return self.place / "s001"

    def take(self, submission: Path):
        if self.into.exists():
            shutil.rmtree(self.into)
        found = intake.taken(submission, self.into)
        self.assertEqual(sorted(os.listdir(self.into)), sorted(found.files))
        for path in self.into.iterdir():
            self.assertTrue(stat.S_ISREG(path.lstat().st_mode) and path.stat().st_nlink == 1, path)
        return found

    def content(self, name: str = NAME) -> bytes:
        return (self.into / name).read_bytes()

    def refused(self, submission: Path, *words: str) -> None:
        found = self.take(submission)
        self.assertEqual(found.files, [])
        for word in words:
            self.assertIn(word, found.reason)
        self.assertNotRegex(found.reason, "[\x00-\x1f]")

    def test_where_a_file_may_lie(self):
        for path in (NAME, f"student/{NAME}", f"linear-attention-labs/student/{NAME}", f"linear attention ü/{NAME}",
                     f"a/b/student/{NAME}", f"top\\student\\{NAME}"):
            self.assertEqual(self.take(self.zip({path: b"mine"})).files, [NAME], path)
            self.assertEqual(self.content(), b"mine")

    def test_a_folder_is_taken_like_a_zip(self):
        taken = self.take(self.folder({f"work/student/{NAME}": b"mine", f"work/student/.stubs/{NAME}": b"stub",
                                       f"work/build/student/{NAME}": b"built", f"work/kept/1/student/{NAME}": b"kept",
                                       "work/.handout.version": b"2027-01-15\nmore", "work/README.md": b"",
                                       "work/student/a.txt": b""}))
        self.assertEqual((taken.student, taken.handout, taken.files, taken.left_out), ("s001", "2027-01-15", [NAME], []))
        self.assertEqual(self.content(), b"mine")

    def test_of_two_the_one_in_student_counts(self):
        taken = self.take(self.zip({NAME: b"old", f"student/{NAME}": b"new", OTHER: b"other"}))
        self.assertEqual((self.content(), self.content(OTHER)), (b"new", b"other"))
        self.assertEqual(taken.left_out, [f"{NAME}: there is another file of this name, which was taken"])

    def test_a_zip_in_a_folder(self):
        self.zip({NAME: b"mine"}, "inner.zip")
        (self.place / "s001").mkdir()
        (self.place / "inner.zip").rename(self.place / "s001" / "upload.zip")
        self.assertEqual(self.take(self.place / "s001").student, "s001")
        self.assertEqual(self.content(), b"mine")

    def test_a_zip_in_a_zip_is_opened_where_it_is_the_only_one(self):
        inner = self.zip({f"student/{NAME}": b"mine"}, "inner.zip").read_bytes()
        self.assertEqual(self.take(self.zip({"all/s001.zip": inner})).files, [NAME])
        self.assertEqual(self.content(), b"mine")
        self.refused(self.zip({"a.zip": inner, "b.zip": inner}), "a.zip: a zip in a zip is only opened")
        self.refused(self.zip({"all/s001.zip": b"PK"}), "cannot be read")

    def test_near_misses_are_taken_where_there_is_no_doubt(self):
        for name in ("lab1.cpp", "lab01_feature_maps (1).cpp", "LAB01_Feature_Maps.CPP", "lab01_feature_maps - Copy.cpp", "Lab 1.cpp"):
            taken = self.take(self.zip({f"student/{name}": b"mine"}))
            self.assertEqual((taken.files, self.content()), ([NAME], b"mine"), name)
            self.assertIn(f"student/{name}: taken for {NAME}", taken.left_out[0])
        self.assertEqual(self.take(self.zip({"lab1.cpp": b"near", NAME: b"mine"})).left_out, [])
        self.refused(self.zip({"lab1.cpp": b"one", "Lab 1.cpp": b"two"}), "it holds", "Lab 1.cpp", NAME[:5])
        self.refused(self.zip({"lab5.cpp": b"two files of lab05 end in .cpp"}), "it holds lab5.cpp")

    def test_the_id_that_submit_wrote(self):
        written = {f"s001/student/{NAME}": b"", "s001/.handout.version": b"1"}
        self.assertEqual(intake.id_inside(self.zip(written)), "s001")
        for more in ({f"s002/student/{NAME}": b""}, {"s001/course": b""}, {"README": b""}):
            self.assertEqual(intake.id_inside(self.zip(written | more)), "")
        self.assertEqual(intake.id_inside(self.zip({NAME: b""})), "")

    def test_what_cannot_be_opened_is_named(self):
        with mock.patch.object(intake, "_read_file", side_effect=PermissionError(13, "Permission denied")):
            self.refused(self.folder({f"student/{NAME}": b"mine"}), f"student/{NAME}: it cannot be read (Permission denied)")

    def test_of_many_with_one_name_few_are_unpacked(self):
        large = (b"/" * (256 << 10), 0o100644, zipfile.ZIP_DEFLATED)
        submission = self.zip({f"{number:x}/student/{NAME}": large for number in range(3000)})
        began = time.process_time()
        taken = self.take(submission)
        self.assertLess(time.process_time() - began, 5)
        self.assertEqual((taken.files, len(taken.left_out)), ([NAME], intake.MOST_OF_A_NAME))

    def test_what_is_no_ordinary_file_is_left_out(self):
        top = self.folder({OTHER: b"other"})
        for kind, make in {"a link": lambda path: path.symlink_to("/etc/passwd"),
                           "not an ordinary file": lambda path: os.mkfifo(path),
                           "a link, dangling": lambda path: path.symlink_to("nowhere")}.items():
            make(top / NAME)
            taken = self.take(top)
            self.assertEqual((taken.files, taken.left_out), ([OTHER], [f"{NAME}: {kind.partition(',')[0]}"]))
            (top / NAME).unlink()
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(top / NAME))
            self.assertEqual(self.take(top).left_out, [f"{NAME}: not an ordinary file"])
        (top / NAME).unlink()
        (self.place / "elsewhere").mkdir()
        (self.place / "elsewhere" / NAME).write_text("another student's")
        (top / "student").symlink_to(self.place / "elsewhere")
        self.assertEqual(self.take(top).files, [OTHER], "a folder that is a link")

    def test_the_same_in_a_zip(self):
        for kind, entry in {"a link": (b"/etc/passwd", 0o120777, zipfile.ZIP_STORED),
                            "not an ordinary file": (b"", 0o020644, zipfile.ZIP_STORED),
                            "packed in a way": (b"int x;", 0o100644, zipfile.ZIP_LZMA),
                            "saved as UTF-16": ("int x;".encode("utf-16"), 0o100644, zipfile.ZIP_STORED),
                            "larger than": (b"\0" * (64 << 20), 0o100644, zipfile.ZIP_DEFLATED)}.items():
            taken = self.take(self.zip({NAME: entry, OTHER: b"other"}))
            self.assertEqual(taken.files, [OTHER])
            self.assertIn(f"{NAME}: {kind}", taken.left_out[0])

    def test_paths_that_lead_out_are_not_followed(self):
        (self.place / "outside").mkdir()
        for path in (f"../outside/{NAME}", f"/tmp/student/{NAME}", f"a/../../outside/student/{NAME}",
                     f"..\\outside\\student\\{NAME}"):
            self.refused(self.zip({path: b"x", "student/notes.txt": b""}), "none of the files")
            self.assertEqual(os.listdir(self.place / "outside"), [])

    def test_what_cannot_be_read_is_unusable(self):
        good = self.zip({NAME: b"int main() {}" * 100}).read_bytes()
        encrypted = bytearray(good)
        encrypted[6] |= 1
        encrypted[good.index(b"PK\1\2") + 8] |= 1
        damaged = bytearray(good)
        damaged[45:60] = b"\xff" * 15
        cases = {"cut off": (good[:len(good) // 2], "cannot be read"), "empty": (b"", "cannot be read"),
                 "no zip": (b"#!/bin/sh\n" * 50, "cannot be read"), "a tar": (b"\x1f\x8b" * 600, "cannot be read"),
                 "damaged": (bytes(damaged), "cannot be read"), "encrypted": (bytes(encrypted), "encrypted"),
                 "lying about its folder": (good[:-22] + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 1 << 31, 7, 0), "cannot be read")}
        for kind, (data, word) in cases.items():
            path = self.place / "s002.zip"
            path.write_bytes(data)
            self.refused(path, word)

    def test_what_is_too_large_is_unusable(self):
        path = self.place / "many.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(intake.MOST + 1):
                archive.writestr(zipfile.ZipInfo(f"{number}"), b"")
        began = time.process_time()
        self.refused(path, "entries")
        self.assertLess(time.process_time() - began, 10)
        path = self.place / "large.zip"
        with open(path, "wb") as file:
            file.truncate(intake.LARGEST_ZIP + 1)
        self.refused(path, "MiB")
        deep = self.place / "deep"
        deep.mkdir()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(deep)
        for _ in range(2000):
            os.mkdir("d")
            os.chdir("d")
        os.chdir("/")
        self.refused(deep, "none of the files")
        subprocess.run(["rm", "-rf", deep], check=True)  # Python's own removal gives up at such a depth

    def test_what_is_missing_is_no_error_but_nothing_at_all_is(self):
        self.assertEqual(self.take(self.folder({NAME: b""})).files, [NAME], "an empty file")
        (self.place / "s003").mkdir()
        self.refused(self.place / "s003", "none of the files", "./course submit")
        (self.place / "s004").symlink_to(self.place / "s001")
        self.refused(self.place / "s004", "link")
        os.mkfifo(self.place / "s005.zip")
        self.refused(self.place / "s005.zip", "neither")

    def test_the_student_is_the_name_of_the_folder_or_zip(self):
        for name, student in {"s001.zip": "s001", "Zoë Ödön.ZIP": "Zoë Ödön", "a.b": "a.b", "x\x1b[2Jy\n.zip": "x\ufffd[2Jy\ufffd",
                              "Zoe\u0308": "Zoë"}.items():
            self.assertEqual(intake.student_id(self.place / name), student)
        self.assertEqual(intake.safe_id("../a/b"), "_a_b")
        for name in (".zip", "..", " .. ", "n" * 200, "好" * 80):
            with self.assertRaises(CourseError, msg=name):
                intake.student_id(Path(name))
