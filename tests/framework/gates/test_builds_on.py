"""What is wrong because an exercise that it builds on is wrong says so and no more. One that is not written is no reason."""

import pytest
from answer_build import AnswerBuild
from conftest import BUILD, LABS, ROOT

SLOPE = "return dY * (cdf + X * density);"
NO_SLOPE = {"gelu_backward(pass.hidden, down.dX)": "down.dX"}
NOT_WRITTEN = {SLOPE: 'throw NotImplemented("gelu_backward");'}


def verdicts(name: str, changes: dict, functions: tuple, place) -> dict:
    """The verdicts on `functions` of the reference in which each text of `changes`, which stands there once, is another."""
    lab = next(each for each in LABS if each.name == name)
    source, = lab.sources
    text = (ROOT / "reference" / source).read_text()
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    return AnswerBuild(ROOT, BUILD, place).verdicts(lab, {source: text}, list(functions), name)


@pytest.mark.parametrize(("lab", "changes", "wrong", "calls_it", "is_like_it"), [
    ("lab07", {"const Tensor Y = X + attention(": "const Tensor Y = attention("}, "transformer_block",
     (), ("logits", "block_step", "generate")),
    ("lab08", {SLOPE: "return dY * cdf;"}, "gelu_backward", ("block_backward", "model_gradients"), ()),
    ("lab08", {"query.dX + key.dX + value.dX": "query.dX + key.dX"}, "attention_backward",
     (), ("block_backward", "model_gradients")),
])
def test_they_lead_to_what_is_wrong(lab, changes, wrong, calls_it, is_like_it, tmp_path):
    found = verdicts(lab, changes, (wrong, *calls_it, *is_like_it), tmp_path)
    assert found[wrong].mistakes
    for function in calls_it:
        assert f"it calls your {wrong}, which is wrong: fix that first\n" in found[function].message
    for function in is_like_it:
        assert f"your {wrong} is wrong, too: fix that first, since both may share what is wrong\n" in found[function].message
    for function in (*calls_it, *is_like_it):
        assert "differs" not in found[function].message and f"./course check {lab}.{wrong} " in found[function].message


def test_what_is_not_written_is_no_reason(tmp_path):
    found = verdicts("lab08", NOT_WRITTEN | NO_SLOPE, ("gelu_backward", "block_backward"), tmp_path)
    assert found["gelu_backward"].status == "todo"
    assert found["block_backward"].status == "fail" and "gelu_backward is" not in found["block_backward"].message
    assert found["block_backward"].mistakes
