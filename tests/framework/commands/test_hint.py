"""./course hint: what it counts, what it takes for a hint, and what it says where it cannot write. Its words are in tests/transcripts."""

import json
import os
import subprocess
from unittest import mock

import pytest
from course_tree import course_words, run_course

HINTS = """# Hints for lab07
## Exercise 7.1: `twice`
<details><summary>Hint 1: what is twice one?</summary>

```sh
## not a heading
```
</details>
<details>
<summary>Hint 2: $\\lceil m/d\\rceil$</summary>
$\\varphi(x)^\\top S_{jj} \\le e^{\\lVert\\hat x\\rVert^2}$, $\\unknown x$, `a $b$ \\le`
</details>
<details><summary>Why not three?</summary>An answer, not a hint.</details>

## Exercise 7.2: `thrice`
No hint.
"""


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "labs/lab07_numbers"
    folder.mkdir(parents=True)
    (folder / "hints.md").write_text(HINTS, encoding="utf-8")
    (folder / "lab.json").write_text(json.dumps({"lab": "lab07", "title": "Numbers", "sources": [], "exercises": [
        {"function": name, "points": 2, "minutes": 5, "section": section, "solved": name == "thrice"}
        for name, section in (("twice", "7.1"), ("thrice", "7.2"), ("half", "7.3"))]}))
    return tmp_path


def hint(root, *words):
    return run_course(root, ("hint", *words)).stdout


def test_what_is_a_hint_and_formulas_become_text(root):
    assert hint(root, "twice") == "hint 1 of 2: what is twice one?\n```sh\n## not a heading\n```\n\n"
    shown = hint(root, "twice")
    assert shown.startswith("hint 2 of 2: ⌈m/d⌉\n"
                            "φ(x)ᵀ S_jj ≤ e^(‖x\N{COMBINING CIRCUMFLEX ACCENT}‖²), \\unknown x, `a $b$ \\le`\n\nthere are no more hints")
    assert hint(root, "thrice") == ("there are no hints for lab07.thrice, which comes solved; read labs/lab07_numbers/README.md §7.2\n")
    (root / "labs/lab07_numbers/hints.md").unlink()
    assert "the hints are missing; labs/lab07_numbers/hints.md" in run_course(root, ("hint", "twice")).stderr


@pytest.mark.parametrize("spoilt", ["{", "[]", '{"lab07.twice": "two"}'])
def test_a_spoilt_state_file_begins_again(root, spoilt):
    hint(root, "twice")
    (root / "build/hints.json").write_text(spoilt)
    assert "hint 1 of 2" in hint(root, "twice")


def test_a_folder_that_cannot_be_written_to_costs_only_the_count(root):
    with mock.patch("tempfile.mkstemp", side_effect=OSError(30, os.strerror(30))):
        for _ in range(2):
            result = run_course(root, ("hint", "twice"))
            assert "hint 1 of 2" in result.stdout
            assert result.stderr.startswith("course: the next call shows this hint again; cannot write ")
        assert "Read-only file system" in run_course(root, ("hint", "twice", "--reset")).stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["hint", "twice"], ["hint", "twice", "--reset"], ["--version"]])
def test_an_output_that_cannot_be_written_is_one_sentence(root, words, unbuffered):
    """Whatever the command, and also when it writes a character at a time."""
    with open("/dev/full", "w") as full:
        ended = subprocess.run(course_words(root, *words), env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
                               stdout=full, stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, ended.stderr) == (
        2, "course: the output cannot be written: No space left on device; fix that and try again\n")
    assert "hint 1 of 2" in hint(root, "twice"), "a hint that nobody saw was counted"
