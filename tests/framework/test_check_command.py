"""./course check, with a ctest that does what the test tells it: nothing passes unless a result of this run says so."""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import threading
import time
from unittest import mock

from course_tree import REPOSITORY, CourseTree, run_course
from fake_tools import FAKE_CMAKE, FakeTools

from author.commands.bench import FIGURES
from course import progress_line, training_program, version
from course.commands import watch


class Check(FakeTools):
    def check(self, *words, status=None):
        return self.graded("check", *words, status=status)

    def test_everything_passes(self):
        self.ctest_does(self.leaves("twice", "pass") + self.leaves("thrice", "pass"))
        result = self.check("lab07", status=0)
        self.assertRegex(result.stdout, r"twice +PASS +2/2 points +5 min  §7\.1")
        self.assertIn("thrice ★", result.stdout)
        self.assertIn("score 3 of 3", result.stdout)
        self.assertIn("next: lab08", result.stdout)
        self.assertNotIn("\033", result.stdout, "no colours in a file")

    def test_messages_table_and_next_step(self):
        self.ctest_does(self.leaves("twice", "fail", "twice differs\n  at token 0") + self.leaves("thrice", "todo", "thrice: to do"))
        result = self.check("lab07", status=1)
        self.assertLess(result.stdout.index("twice differs\n  at token 0"), result.stdout.index("lab07 · Numbers"))
        self.assertRegex(result.stdout, r"thrice ★ +TODO +0/1")
        self.assertIn("score 0 of 3", result.stdout)
        self.assertRegex(result.stdout, r"(?s)next: twice in student/lab07_numbers\.cpp.*README\.md §7\.1.*"
                                        r"\./course hint lab07\.twice.*\./course check lab07")

    def test_it_goes_on_where_one_exercise_is_unexplained(self):
        with mock.patch("course.edits.report.of", return_value="one small change") as search:
            self.ctest_does(self.leaves("twice", "pass") + self.leaves("thrice", "fail"))
            self.assertTrue(self.check("lab07", status=1).stdout.endswith("./course check lab07.thrice\n\none small change\n"))
            search.reset_mock()
            self.ctest_does(self.leaves("twice", "fail") + self.leaves("thrice", "fail"))
            self.assertIn("lab07.twice    (tries small changes", self.check("lab07", status=1).stdout)
            search.assert_not_called()

    def test_a_stretch_exercise_comes_last(self):
        self.ctest_does(self.leaves("twice", "pass") + self.leaves("thrice", "todo") + self.leaves("once", "crash", lab="lab08"))
        self.assertIn("next: once", self.check().stdout)

    def test_after_one_exercise_comes_the_one_after_it(self):
        self.ctest_does(self.leaves("twice", "pass"))
        self.assertIn("next: thrice: ./course check lab07.thrice\n  or the whole lab: ./course check lab07",
                      self.check("lab07.twice", status=0).stdout)

    def test_json_has_one_object_a_line_and_nothing_else(self):
        self.ctest_does(self.leaves("twice", "pass", "fine — 1e-12") + self.leaves("thrice", "timeout", "10 s"))
        self.assertEqual([json.loads(line) for line in self.check("lab07", "--json", status=1).stdout.splitlines()], [
            {"lab": "lab07", "exercise": "twice", "status": "pass", "points": 2, "max_points": 2, "message": "fine — 1e-12"},
            {"lab": "lab07", "exercise": "thrice", "status": "timeout", "points": 0, "max_points": 1, "message": "10 s"}])

    def test_a_mistyped_lab_is_refused_before_anything_runs(self):
        for mistyped in ("lab99", "Lab07", "lab7", "lab07.", "lab07.twise", "07", ""):
            self.assert_one_line_error(self.check("lab08", mistyped), "lab07")
        self.assertEqual(self.read("calls"), "")
        for mistyped in ("lab7", "lab007", "lab7_numbers", "Lab07", "lba07", "7", "student/lab07_numbers.cpp", "labs/lab07_numbers/"):
            self.assert_one_line_error(self.check(mistyped), f"no lab '{mistyped}'; did you mean lab07?")
        self.assert_one_line_error(self.check("lab07.twise"), "there is no exercise 'lab07.twise'")

    def test_a_stale_result_is_not_graded(self):
        self.ctest_does(self.leaves("twice", "pass") + self.leaves("thrice", "pass"))
        self.check("lab07")
        self.ctest_does(self.leaves("twice", "pass"))
        result = self.check("lab07", status=1)
        self.assertRegex(result.stdout, r"thrice ★ +NOT RUN +0/1")
        self.assertIn("lab07.thrice left no result; ctest's output is in build/student/check.log", result.stdout)
        self.assertIn("what ctest prints", self.read("build/student/check.log"))

    def test_what_does_not_compile_is_said_once(self):
        self.ctest_does(self.not_built("lab07_numbers.cpp:3: expected ;", begin_with="thrice")
                        + self.ctest_calls_failed("lab07.build", "lab07.twice", "lab07.thrice"))
        result = self.check("lab07.twice", "lab07.thrice", status=1)
        self.assertEqual(result.stdout.count("expected ;"), 1)
        self.assertEqual(result.stdout.count("NOT RUN"), 2)
        self.assertIn("next: thrice", result.stdout, "the function that holds the error")
        self.assertEqual([json.loads(line)["message"] for line in self.check("lab07", "--json").stdout.splitlines()],
                         ["lab07_numbers.cpp:3: expected ;"] * 2)

    def test_after_what_does_not_compile_comes_its_line(self):
        self.ctest_does(self.not_built("expected ;", begin_with="thrice", place="line 3 of student/lab07_numbers.cpp")
                        + self.ctest_calls_failed("lab07.build", "lab07.twice", "lab07.thrice"))
        self.assertTrue(self.check("lab07", status=1).stdout.endswith(
            "next: line 3 of student/lab07_numbers.cpp\n  again  ./course check lab07.thrice\n"))

    def test_what_to_fix_first_is_on_the_screen(self):
        def message(name):
            return "\n".join([f"{name}   FAIL"] + [f"    {name} line {number}" for number in range(2, 41)])
        self.ctest_does("".join(self.leaves(name, "fail", message(name), lab=lab) for name, lab in
                                (("twice", "lab07"), ("thrice", "lab07"), ("once", "lab08"))))
        said = self.check().stdout
        self.assertIn(message("twice") + "\n\nlab07 · Numbers", said, "the first is whole, and the last above the table")
        self.assertLess(said.index("thrice   FAIL"), said.index("once   FAIL"), "a stretch exercise comes last of all")
        for name, lab in (("once", "lab08"), ("thrice", "lab07")):
            self.assertIn(f"{name} line 8\n  … 32 more lines: ./course check {lab}.{name}\n\n", said)
            self.assertNotIn(f"{name} line 9", said)

    def test_a_short_output_is_whole(self):
        self.ctest_does(self.leaves("twice", "fail", "twice\n" * 12) + self.leaves("thrice", "fail", "thrice\n" * 12))
        said = self.check("lab07").stdout
        self.assertEqual((said.count("thrice\n"), said.count("\ntwice") + said.startswith("twice")), (12, 12))

    def test_what_an_exercise_waits_for_comes_first(self):
        waits = json.dumps({"lab": "lab07", "exercise": "twice", "status": "fail", "message": "twice\n  is wrong",
                            "begin_with": "thrice"})
        self.ctest_does(f"cat >build/student/results/lab07.twice.json <<'END'\n{waits}\nEND\n"
                        + self.leaves("thrice", "fail", "thrice\n  is wrong"))
        said = self.check("lab07").stdout
        self.assertLess(said.index("twice\n  is wrong"), said.index("thrice\n  is wrong"))
        self.assertIn("next: thrice", said)

    def test_no_control_character_is_printed(self):
        hostile = "".join(map(chr, (*range(32), 127, 0x9b, 0x202e, 0xfffe))) + "\ud800 end"
        self.ctest_does(self.leaves("twice", "fail", hostile) + self.not_built(hostile, lab="lab08"))
        for words in (("lab07", "lab08"), ("lab07", "lab08", "--json")):
            said = self.check(*words).stdout
            self.assertIn(" end", said)
            for line in said.splitlines():
                self.assertTrue(line.replace("\t", "").isprintable() or not line, ascii(line))

    def test_forged_and_broken_results_do_not_pass(self):
        for forged in (self.leaves("once", "pass", lab="lab08", exercise="other"), self.leaves("once", "PASS", lab="lab08"),
                       "echo '{' >build/student/results/lab08.once.json", "echo '[]' >build/student/results/lab08.once.json",
                       ": >build/student/results/lab08.once.json"):
            self.ctest_does(forged)
            self.assertIn("NOT RUN", self.check("lab08", status=1).stdout, forged)

    def test_a_complaint_of_ctest_is_no_pass(self):
        both = self.leaves("twice", "pass") + self.leaves("thrice", "pass")
        for complaint, passed in ((both + "exit 8", []), (both + self.ctest_calls_failed("lab07.build"), []),
                                  (both + self.ctest_calls_failed("lab07.thrice"), ["twice"])):
            self.ctest_does(complaint)
            for line in map(json.loads, self.check("lab07", "--json", status=1).stdout.splitlines()):
                good = line["exercise"] in passed
                self.assertEqual((line["status"], line["points"] > 0), ("pass" if good else "not_run", good))
                self.assertEqual("not counted as a pass" in line["message"], not good)
        self.assertIn("score 2 of 3", self.check("lab07").stdout)

    def test_only_what_was_asked_for_runs(self):
        self.check("lab07.twice")
        self.assertIn(r"-R ^(lab07\.twice)$ ", self.read("calls"))
        self.check("lab07_numbers", "lab08")
        self.assertIn(r"-R ^(lab07\.twice|lab07\.thrice|lab08\.once)$ ", self.read("calls"))

    def test_it_configures_when_needed_only(self):
        def configured():
            return self.read("calls").count("cmake --preset student")
        self.check("lab07")
        self.check("lab07")
        self.assertEqual(configured(), 1)
        later = time.time() + 10
        os.utime(self.root / "labs/lab08_more/lab.json", (later, later))
        self.check("lab07")
        self.assertEqual(configured(), 2)
        self.write("build/student/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/where/it/was\n")
        os.utime(self.root / "build/student/build.ninja", (later + 10, later + 10))
        self.check("lab07")
        self.assertEqual(configured(), 3)
        self.assertFalse((self.root / "build/student/CMakeCache.txt").exists(), "CMake refuses the cache of another folder")

    def test_the_reference_track(self):
        self.ctest_does(self.leaves("once", "pass", lab="lab08", track="reference"))
        self.check("lab08", "--track", "reference", status=0)
        self.assertIn("cmake --preset reference", self.read("calls"))

    def test_a_failed_configuration_shows_why(self):
        self.write("cmake-fails", "")
        result = self.check("lab07", status=2)
        self.assertIn("CMake Error: no BLAS", result.stderr)
        self.assertIn("course: CMake could not configure build/student", result.stderr)

    def test_a_missing_tool_is_named(self):
        (self.root / "bin/cmake").unlink()
        self.assertIn("course: cmake is not on the PATH; run ./course setup", self.course("check", PATH=f"{self.root}/bin", status=2).stderr)

    def test_a_manifest_that_a_handout_lost_is_named(self):
        (self.root / "labs/lab08_more/lab.json").unlink()
        self.ctest_does(self.leaves("twice", "pass"))
        self.check("lab07.twice", status=0)
        self.write(".handout.sha256", "0123  labs/lab08_more/lab.json\n")
        self.assert_one_line_error(self.check("lab08.once"), "labs/lab08_more/lab.json is missing")

    def test_a_broken_manifest_is_one_line(self):
        for text, said in (("{", "is not JSON"), ('{"lab": "lab08"}', "lacks 'title'"), ("[]", "does not have the form"),
                           ('{"lab": "lab09", "title": "", "sources": [], "exercises": []}', "folder says otherwise")):
            self.write("labs/lab08_more/lab.json", text)
            self.assert_one_line_error(self.check(), "labs/lab08_more/lab.json", said)


class Watch(CourseTree):
    def assert_wakes(self, file, before):
        waiting = threading.Thread(target=watch.wait_for_change, args=([file], before), daemon=True)
        waiting.start()
        waiting.join(600)  # a limit, not an expectation: a loaded machine takes its time
        self.assertFalse(waiting.is_alive(), "the save was not seen")

    def test_it_wakes_for_every_way_to_save(self):
        file = self.write("student/x.cpp", "one")

        def rename_over():
            self.write("student/y", "two")
            os.replace(self.root / "student/y", file)

        def remove_and_create():
            file.unlink()
            time.sleep(0.1)
            file.write_text("six")

        for save in (lambda: file.write_text("ten"), rename_over, remove_and_create):
            before = watch.fingerprint([file])
            editor = threading.Timer(0.1, save)
            editor.start()
            self.assert_wakes(file, before)
            editor.join()

    def test_a_save_during_the_grading_is_not_missed(self):
        file = self.write("student/x.cpp", "one")
        before = watch.fingerprint([file])
        file.write_text("longer")  # within a tick of the clock the time stamp may stay as it was
        self.assert_wakes(file, before)


class FirstBuild(FakeTools):
    NINJA = "for step in 1 2 3; do echo \"[$step/3] Building x.cpp\"; done; exit {}"

    def building(self, status, stderr):
        self.write("bin/cmake", FAKE_CMAKE + f"case $1 in --build) {self.NINJA.format(status)} ;; esac\n", 0o755)
        self.write("student/lab07_numbers.cpp", "")
        with mock.patch("contextlib.redirect_stderr", lambda _: contextlib.nullcontext()), mock.patch("sys.stderr", stderr):
            self.graded("check", "lab07")
        return stderr.getvalue()

    def test_a_pipe_gets_a_line_at_the_start_and_one_at_the_end(self):
        for status, word in ((0, "built"), (1, "stopped")):
            said = self.building(status, io.StringIO())
            self.assertRegex(said, r"building lab07 in build/student; the first time takes up to a minute[^\n]*\n"
                                   rf"{word} after \d+ s\n$")
            shutil.rmtree(self.root / "build")

    def test_a_long_build_says_in_a_pipe_how_far_it_is(self):
        with mock.patch.object(progress_line, "BETWEEN_LINES", 0):
            steps = "".join(rf"  \[{n}/3\] \d+ s, about \d+ s left\n" for n in (1, 2, 3))
            self.assertRegex(self.building(0, io.StringIO()), f"cores …\n{steps}built")

    def test_after_an_update_it_is_a_first_build_again(self):
        self.assertIn("built after", self.building(0, io.StringIO()))
        self.assertEqual(self.building(0, io.StringIO()), "")
        later = time.time() + 10
        os.utime(self.write(version.FILE, "2027-02-15\n"), (later, later))
        self.assertIn("built after", self.building(0, io.StringIO()))

    def test_a_terminal_gets_a_line_that_is_rewritten(self):
        terminal = io.StringIO()
        terminal.isatty = lambda: True
        self.assertRegex(self.building(0, terminal),
                         r"\r  \[1/3\] \d+ s, .*\r  \[3/3\] \d+ s, .*\r\033\[Kbuilt after \d+ s\n$")


# Words of commands, and what the sentence says that refuses them. (test_train.py has those of ./course train.)
WRONG_USE = (
    (("chekc", "lab02"), "invalid choice: 'chekc'; did you mean check?"), (("help", "hnit"), "did you mean hint?"),
    (("train", "digit"), "invalid choice: 'digit'; did you mean digits?"), (("docs", "--edition", "students"), "did you mean student?"),
    (("hint", "chunk_"), "did you mean lab05.chunk_states or lab05.chunk_outputs?"), (("hint", "Lab01.RELU"), "did you mean lab01.relu?"),
    (("hint", "linear_attention"), "or lab02.linear_attention_recurrent or lab02.linear_attention_step?"),
    *(((command, "lab00"), "lab00 is a lab; name an exercise: lab00.row_sums, lab00.outer_product") for command in ("hint", "trace", "debug")),
    (("hint", "student/lab00_warm_up.cpp"), "lab00 has lab00.row_sums, lab00.outer_product"),
    (("gradcheck", "reverse_cumsun"), "did you mean lab06.reverse_cumsum?"), (("gradcheck", "lab02"), "there is no lab 'lab02'"),
    (("gradcheck", "test_causal_attention_backward"), "is a test and has no gradient"),
    (("gradcheck", "--track", "mine"), "invalid choice: 'mine'"), (("gradcheck", "--out", __file__), "is a file; --out names a folder"),
    (("generate", "digits", "--rows", "8"), "--rows 8 is not between 1 and 7"), (("generate", "digits", "--rows", "many"), "invalid int value"),
    (("generate", "digits", "--out", __file__), "is a file; --out names a folder"), (("generate", "digits", "faces"), "unrecognized arguments: faces"),
    (("profile", "lab02.inclusive_scan"), "this command looks at lab05 and lab09"), (("profile", "lab02"), "looks at"),
    (("profile", "lab05.to_bfloat16", "--n", "0"), "--n 0 is not between"), (("profile", "lab09.decay_mask", "--n", "9999999"), "choose a smaller --n"),
    (("profile", "--chunk", "0"), "--chunk 0 is not between 1 and 256"), (("profile", "--d", "257"), "--d 257"), (("profile", "--heads", "-1"), "--heads -1"),
    (("bench", "--figures", "memoirs"), "there is no figure memoirs; choose from " + ", ".join(FIGURES)))


class CommandLine(CourseTree):
    def test_wrong_use_is_one_sentence(self):
        for words, sentence in WRONG_USE:
            with mock.patch.object(training_program, "prepared"), mock.patch.object(training_program, "build"):
                refused = run_course(REPOSITORY, words)
            self.assert_one_line_error(refused, sentence)
            self.assertEqual(refused.stdout, "", words)

    def script(self, *words, program=REPOSITORY / "course"):
        return subprocess.run([program, *words], capture_output=True, text=True, encoding="utf-8",
                              env=os.environ | {"LC_ALL": "C"}, stdin=subprocess.DEVNULL)

    def test_the_script_itself_runs_and_may_be_linked_to(self):
        folder = self.root / "on the path"
        folder.mkdir(parents=True)
        (folder / "linked").symlink_to(REPOSITORY / "course")
        (folder / "course").symlink_to("linked")
        for program in (REPOSITORY / "course", folder / "course"):
            refused = self.script("hint", "lab99.none", program=program)
            self.assertEqual((refused.returncode, refused.stderr[:8], refused.stdout), (2, "course: ", ""))

    def test_help(self):
        for words in ((), ("help",), ("--help",)):
            result = self.course(*words, status=0)
            self.assertEqual(result.stderr, "")
            self.assertRegex(result.stdout, r"(?s)usage: course .*\n    check .*\n    hint ")
        self.assertEqual(self.course("help", "check").stdout, self.course("check", "--help").stdout)
        self.assertEqual(self.script("help", "setup").stdout, self.script("setup", "--help").stdout)
        self.assert_one_line_error(self.course("help", "frobnicate"), "frobnicate")

    def test_every_file_in_commands_is_a_command(self):
        listed = self.course("--help").stdout
        for file in REPOSITORY.glob("tools/*/commands/*.py"):
            self.assertTrue(re.search(rf"^ +{file.stem.replace('_', '-')}( |$)", listed, re.M), file)
        self.assert_one_line_error(self.course("frobnicate"), "frobnicate", "./course --help")
