"""./course hint: what it counts, what it takes for a hint, and what it says where it cannot write. Its words are in tests/transcripts."""

import os
import subprocess
from unittest import mock

import pytest
from conftest import course_words

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
"""


@pytest.fixture(autouse=True)
def hints(small):
    small.write("labs/lab07_numbers/hints.md", HINTS)
    small.write("labs/lab08_more/hints.md", "## Exercise 8.1: `once`\nNo hint.\n")


def test_what_is_a_hint_and_formulas_become_text(small):
    assert small.course("hint", "twice").stdout == "hint 1 of 2: what is twice one?\n```sh\n## not a heading\n```\n\n"
    shown = small.course("hint", "twice").stdout
    assert shown.startswith("hint 2 of 2: ⌈m/d⌉\n"
                            "φ(x)ᵀ S_jj ≤ e^(‖x\N{COMBINING CIRCUMFLEX ACCENT}‖²), \\unknown x, `a $b$ \\le`\n\nthere are no more hints")
    assert small.course("hint", "once").stdout == "there are no hints for lab08.once, which comes solved; read labs/lab08_more/README.md §8.1\n"
    (small.root / "labs/lab07_numbers/hints.md").unlink()
    assert "the hints are missing; labs/lab07_numbers/hints.md" in small.course("hint", "twice").stderr


@pytest.mark.parametrize("spoilt", ["{", "[]", '{"lab07.twice": "two"}'])
def test_a_spoilt_state_file_begins_again(small, spoilt):
    small.course("hint", "twice")
    (small.root / "build/hints.json").write_text(spoilt)
    assert "hint 1 of 2" in small.course("hint", "twice").stdout


def test_a_folder_that_cannot_be_written_to_costs_only_the_count(small):
    with mock.patch("tempfile.mkstemp", side_effect=OSError(30, os.strerror(30))):
        for _ in range(2):
            result = small.course("hint", "twice")
            assert "hint 1 of 2" in result.stdout
            assert result.stderr.startswith("course: the next call shows this hint again; cannot write ")
        assert "Read-only file system" in small.course("hint", "twice", "--reset").stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["hint", "twice"], ["hint", "twice", "--reset"], ["--version"]])
def test_an_output_that_cannot_be_written_is_one_sentence(small, words, unbuffered):
    """Whatever the command, and also when it writes a character at a time."""
    with open("/dev/full", "w") as full:
        ended = subprocess.run(course_words(small.root, *words), env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
                               stdout=full, stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, ended.stderr) == (
        2, "course: the output cannot be written: No space left on device; fix that and try again\n")
    assert "hint 1 of 2" in small.course("hint", "twice").stdout, "a hint that nobody saw was counted"
