"""Answers in refused/ that give right numbers by a wrong method, that remember earlier calls, or whose diagnosis is easily wrong:
each is refused, and the message says why."""

import os
import tempfile
import unittest
from pathlib import Path

import cases  # first: it says where the package `course` lies
import case_file
from answer_build import AnswerBuild
from course import manifest

FOLDER = Path(__file__).parent / "refused"


class Refused(unittest.TestCase):
    def test_each_is_refused_for_its_reason(self):
        labs = manifest.load(cases.ROOT)
        found = case_file.read_folder(FOLDER, labs)
        self.assertTrue(found)
        build = Path(os.environ.get("LINATTN_BUILD", cases.ROOT / "build/reference"))
        with tempfile.TemporaryDirectory() as place:
            for case, verdict in zip(found, cases.graded(found, labs, AnswerBuild(cases.ROOT, build, Path(place)))):
                with self.subTest(case.name):
                    self.assertTrue(cases.as_expected(case, verdict), verdict.message)
                    self.assertEqual(cases.naming(case, verdict), "rightly", verdict.message)
