"""./course python: arguments and results of each kind go between NumPy and C++ as they are, nothing that is passed ends Python, and
the interactive figures compute what these functions do."""

import importlib.util
import inspect
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from conftest import BUILD, LABS, ROOT, python_modules, run_course, with_answers

from author import stubs
from course.commands import python as command
from course.sources import bindings

np = pytest.importorskip("numpy")
NOT_OFFERED = {"lab02": ["test_linear_attention_parallel"],
               "lab03": ["test_causal_linear_attention_resume"],
               "lab05": ["feature_map_fused", "chunkwise_forward", "chunk_states", "scan_states", "chunk_outputs",  # kernels
                         "packed_chunkwise_forward"],
               "lab06": ["test_causal_attention_backward"],
               "lab09": ["gated_delta_forward"]}
EPSILON = 1e-6


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    sys.path.insert(0, str(python_modules()))


def module(name: str):
    return __import__(f"labs.{name}", fromlist=["labs"])


def function(name: str):
    lab, _, own = name.partition(".")
    return getattr(module(lab), own)


def run(modules: Path, *words: str, **options) -> subprocess.CompletedProcess:
    environment = {"PYTHONPATH": str(modules), "LINATTN_BUILD": str(BUILD)}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=os.environ | environment, **options)


def elu(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def t(x):
    return np.swapaxes(x, -1, -2)


def normalised(phi_Q, phi_K, V):
    W = np.tril(phi_Q @ t(phi_K))
    return W / (W.sum(-1, keepdims=True) + EPSILON) @ V


def state(phi_K, V):
    return {"S": t(phi_K) @ V, "z": phi_K.sum(-2)}


def patterns(x):
    """Of bfloat16."""
    bits = np.float32(x).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def numbers(pattern):
    return (pattern.astype(np.uint32) << 16).view(np.float32)


def a_model():
    return module("lab08").initial_model(vocabulary=6, positions=9, layers=2, d=8, heads=2, seed=3)


def fields(value) -> list:
    return list(inspect.signature(type(value)).parameters)


def moved(value, rng):
    """With other numbers in all of its arrays."""
    if isinstance(value, np.ndarray):
        return value + rng.normal(size=value.shape)
    if isinstance(value, (int, list)):
        return value if isinstance(value, int) else [moved(each, rng) for each in value]
    return type(value)(*(moved(getattr(value, name), rng) for name in fields(value)))


def agrees(got, expected, tolerance: float) -> None:
    if isinstance(expected, dict):
        for name, each in expected.items():
            agrees(got[name] if isinstance(got, dict) else getattr(got, name), each, tolerance)
    elif isinstance(expected, list):
        for one, each in zip(got, expected, strict=True):
            agrees(one, each, tolerance)
    elif isinstance(expected, str):
        assert got == expected
    else:
        assert np.shape(got) == np.shape(expected)
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def calls() -> dict:
    """For each kind of argument and result a function of the labs, what it is called with, and what must come of it."""
    lab03, lab05, lab08, rng = module("lab03"), module("lab05"), module("lab08"), np.random.default_rng(1)
    Q, K, V = (rng.normal(size=(2, 3, 7, width)) for width in (4, 4, 5))
    single = [np.float32(each[0]) for each in (Q, K, V)]
    half = [patterns(each) for each in single]
    states = [state(elu(K[..., :seen, :]), V[..., :seen, :]) for seen in (0, 3, 6)]
    saved = lab03.CausalState(S=np.stack([each["S"] for each in states], -3), z=np.stack([each["z"] for each in states], -2))
    w, X = a_model(), rng.normal(size=(2, 7, 8))
    more, centred = moved(w, rng), X - X.mean(-1, keepdims=True)
    normed = centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5)
    return {"lab00.outer_product": (([1, 2], [3.0, 4, 5]), np.outer([1, 2], [3, 4, 5])),
            "lab01.feature_map": ((Q, "relu"), np.maximum(Q, 0)),
            "lab02.linear_attention_quadratic": ((Q, K, V, elu, "none"), elu(Q) @ t(elu(K)) @ V),
            "lab02.linear_attention_recurrent": ((Q, K, V, "elu_plus_one"), np.tril(elu(Q) @ t(elu(K))) @ V),
            "lab02.inclusive_scan": ((list("abcdeö"), lambda a, b: a + b), list(itertools.accumulate("abcdeö"))),
            "lab03.causal_linear_attention_step": (
                (Q[..., 6, :], K[..., 6, :], V[..., 6, :], lab03.CausalState(**states[2]), elu, EPSILON),
                {"output": normalised(elu(Q), elu(K), V)[..., 6, :], "state": state(elu(K), V)}),
            "lab03.rewind_state": ((saved, 3, K, V, elu, 5), state(elu(K[..., :5, :]), V[..., :5, :])),
            "lab04.gaussian_projection": ((3, 4, 2**64 - 1), module("lab04").gaussian_projection(3, 4, 2**64 - 1)),
            "lab05.chunkwise_linear_attention": ((*single, lab05.Sizes(3, 7, 4, 5), 3, EPSILON),
                                                 normalised(elu(single[0]), elu(single[1]), single[2])),
            "lab05.to_bfloat16": ((single[0],), half[0].ravel()),
            "lab05.chunkwise_mixed_precision": ((*half, lab05.Sizes(3, 7, 4, 5), 3, EPSILON), normalised(
                *(numbers(patterns(elu(numbers(each)))) for each in half[:2]), numbers(half[2]))),
            "lab06.central_differences": ((lambda x: (x ** 2).sum(), Q, 0.01), 2 * Q),
            "lab06.reverse_cumsum": ((Q, -2), np.flip(np.flip(Q, -2).cumsum(-2), -2)),
            "lab07.logits": (([[1, 0]], type(more)(*(getattr(more, name) for name in fields(more)))), module("lab07").logits([[1, 0]], more)),
            "lab08.layer_norm_backward": ((X, w.last, 0 * X + 1), {"dX": 0 * X, "dw": {"gain": normed.sum((0, 1)), "bias": np.full(8, 14.0)}}),
            "lab08.adam_step": ((X, 0 * X, lab08.Moments(0 * X, X ** 2, 2**31 - 2), 0.1), {"w": X, "state": {"step": 2**31 - 1}})}


# The interactive figures: settings, and what the answer key computes for them -------------------------------------------

def figure_state(rng):
    lab = module("lab03")
    for n, c, d in ((4, 2, 3), (7, 3, 1)):
        Q, K, V = (rng.normal(size=(n, width)) for width in (c, c, d))
        steps, held = [], lab.CausalState(np.zeros((c, d)), np.zeros(c))
        for token in zip(Q, K, V):
            steps.append(lab.causal_linear_attention_step(*token, held, "elu_plus_one", EPSILON))
            held = steps[-1].state
        yield dict(Q=Q, K=K, V=V, mistake="none"), [dict(S=each.state.S, z=each.state.z, output=each.output) for each in steps]


def figure_favor(rng):
    lab = module("lab04")
    for d, m in ((2, 1), (2, 16), (3, 64)):
        q, k, W = rng.normal(size=d), rng.normal(size=d), rng.normal(size=(m, d))
        x = q / d ** 0.25
        positive = lab.positive_random_features([q], W, "per_token")[0] * np.exp((W @ x).max() - x @ x / 2)  # not shifted
        yield dict(q=q, k=k, W=W), dict(variance=lab.kernel_variance(q, k, m), features=dict(
            positive=positive, trigonometric=lab.trigonometric_random_features([q], W)[0]))


def figure_brackets(rng):
    for n, d in ((16, 8), (256, 16), (16, 64)):
        yield dict(n=n, d=d), dict(left=dict(flops=4 * n * n * d), right=dict(flops=4 * n * d * d))


def figure_passes(rng):
    Q, K, V, dO = *np.exp(rng.normal(size=(2, 5, 3))), *rng.normal(size=(2, 5, 2))
    for epsilon in (0, 0.5):
        d = module("lab06").causal_attention_backward(Q, K, V, dO, epsilon)
        yield (dict(Q=Q, K=K, V=V, dO=dO, epsilon=epsilon, mistake="none"),
               [dict(zip(("dQ", "dK", "dV"), rows)) for rows in zip(d.phi_Q, d.phi_K, d.V)])


def figure_draws(rng):
    w = moved(a_model(), rng)
    yield dict(model=w, ids=[4, 0, 3, 3, 1, 2]), module("lab07").logits([4, 0, 3, 3, 1, 2], w)


def figure_adam(rng):
    lab, gradients = module("lab08"), 2 * rng.normal(size=(30, 2))
    for rate, warm_up, clip, decay in ((0.03, 0, False, "L2"), (0.03, 10, True, "AdamW"), (0.1, 40, True, "none")):
        w, moments, steps = np.ones(2), lab.Moments(np.zeros(2), np.zeros(2), 0), []
        for step, g in enumerate(gradients, 1):
            now, g = rate * min(1, step / max(1, warm_up)), g / max(1, np.linalg.norm(g)) if clip else g
            update = lab.adam_step(w, g + (decay == "L2") * w, moments, now)
            w, moments = update.w - (decay == "AdamW") * now * w, update.state
            steps.append(dict(w=w))
        yield dict(gradients=gradients, rate=rate, warmUp=warm_up, clip=clip, decay=decay), dict(adam=steps)


def figure_memory(rng):
    """The state after all tokens: its row r is what a query with a 1 at place r reads."""
    lab, beta, decay = module("lab09"), np.full(6, 0.7), np.array([-0.1, -1.2, 0, -np.inf, -0.2, -0.05])
    K, V = rng.normal(size=(6, 4)), rng.normal(size=(6, 3))
    for rule, attention, *more in (
            ("plain sum", lab.gated_attention_recurrent, 0 * beta), ("decay", lab.gated_attention_recurrent, decay),
            ("delta rule", lab.delta_rule_recurrent, beta), ("both", lab.gated_delta_rule_resume, beta, decay, np.zeros((4, 3))),
            ("least squares", lab.least_squares_recurrent, 0.3)):
        results = [attention([query] * 6, K, V, *more) for query in np.eye(4)]
        yield (dict(rule=rule, beta=0.7, ridge=0.3, tokens=list(zip(K, V, np.exp(decay)))),
               dict(S=[getattr(result, "output", result)[-1] for result in results]))


# The tests --------------------------------------------------------------------------------------------------------------

def test_arguments_and_results_of_each_kind_however_arrays_lie_in_memory():
    for name, (arguments, expected) in calls().items():
        f = function(name)
        tolerance = 1e-5 if name.startswith("lab05") else 1e-9
        agrees(f(*arguments), expected, tolerance)
        strided = [np.asfortranarray(np.stack([each, each]))[1] if isinstance(each, np.ndarray) else each for each in arguments]
        agrees(f(**dict(zip(inspect.signature(f).parameters, strided, strict=False))), expected, tolerance)


@pytest.fixture(scope="module")
def browser():
    with pytest.importorskip("browser").Browser() as browser:
        yield browser


@pytest.mark.parametrize("figure", ["state", "favor", "brackets", "passes", "draws", "adam", "memory"])
def test_figures_compute_what_the_answer_key_computes(browser, figure):
    scripts = "".join((ROOT / f"docs/interactive/{name}.js").read_text() for name in ("figure", figure))
    for settings, expected in globals()[f"figure_{figure}"](np.random.default_rng(1)):
        given = json.dumps(settings, default=lambda each: each.tolist() if isinstance(each, np.ndarray) else
                           {name: getattr(each, name) for name in fields(each)})
        agrees(browser.execute_script(f"{scripts} return Figures.{figure}({given})"), expected, 1e-12)


def test_what_is_not_offered_says_why():
    for lab in LABS:
        left_out = [each.function for each in lab.exercises if each.function not in bindings.offered(lab)]
        assert left_out == NOT_OFFERED.get(lab.name, [])
        for name in left_out:
            with pytest.raises(NotImplementedError, match=f"{name} (is a kernel|tests functions).*; ./course check {lab.name}.{name} runs it"):
                getattr(module(lab.name), name)(1, x=2)


def test_names_defaults_and_comments_are_those_of_the_contracts():
    for lab in LABS:
        text = "".join(header.read_text() for header in lab.folder.glob("*.hpp"))
        for name in bindings.offered(lab):
            f = getattr(module(lab.name), name)
            declared = re.sub(r"\s+", " ", re.search(rf" {name}\(([^;]*)\);", text)[1])
            assert [each.split(" = ")[0].split()[-1] for each in declared.split(", ")] == list(inspect.signature(f).parameters)
            assert "\\" not in f.__doc__ and "///" not in f.__doc__ and len(f.__doc__) > 40, f.__doc__
    assert inspect.signature(module("lab01").feature_map).parameters["method"].default == "elu_plus_one"
    about = module("lab02").linear_attention_step.__doc__
    assert "\nq: (…, d_k)\nk: (…, d_k)\nv: (…, d_v)\nS: state before the token (…, c, d_v); zeros before the first\n" in about
    assert about.endswith("exercise 2.6")


def test_errors_are_in_the_words_of_the_course():
    lab02, lab03, x = module("lab02"), module("lab03"), np.ones((3, 2))
    for error, words, call in (
            (ValueError, r"softmax_attention: .*\(3, 2\)", lambda: lab02.softmax_attention(x, x, np.ones((4, 2)), "causal")),
            (TypeError, "softmax_attention: Q must be an array of numbers; got None", lambda: lab02.softmax_attention(None, x, x, "causal")),
            (TypeError, "K must be an array of numbers; got an array of complex128", lambda: lab02.softmax_attention(x, x + 1j, x, "causal")),
            (ValueError, "mask must be \"none\" or \"causal\"; got 'casual'", lambda: lab02.softmax_attention(x, x, x, "casual")),
            (TypeError, "state must be CausalState; got a value of type tuple", lambda: lab03.causal_linear_attention_step(x, x, x, (x, x), elu, 0)),
            (ValueError, "what phi returns must be of the shape of its argument", lambda: lab02.linear_attention_parallel(x, x, x, np.sum)),
            (TypeError, "what phi returns must be an array of numbers; got None", lambda: lab02.linear_attention_parallel(x, x, x, lambda x: None)),
            (ZeroDivisionError, "", lambda: lab02.linear_attention_recurrent(x, x, x, lambda x: 1 // 0)),
            (ValueError, "method must be elu_plus_one, relu", lambda: lab02.linear_attention_parallel(x, x, x, "elo")),
            (ValueError, "m must be a whole number from 0 to 2147483647; got -1", lambda: module("lab04").gaussian_projection(-1, 2, 0)),
            (ValueError, "read-only", lambda: lab03.CausalState(x, x).S.fill(0)), (AttributeError, "", lambda: setattr(lab03.CausalState(x, x), "S", x))):
        with pytest.raises(error, match=words):
            call()
    assert repr(lab03.CausalState(x[0], [1])) == "CausalState(S=array([1., 1.]), z=array([1.]))"


def call_with_wrong_values() -> None:
    """Each in the place of each argument of these functions, and of all arguments of every function and struct. In a process of its
    own, which reports that it is at the end."""
    wrong = [None, "text", "\ud800", b"x", object(), {}, [], [[1], [1, 2]], 1j, True, -1, 0, 2.5, 2**63, 2**70, float("nan"), np.nan * np.ones(3),
             np.zeros(()), np.zeros((0, 3)), np.ones((2, 2, 2, 2, 2)), np.ones(7)[::-3], np.array(["a"]), np.array([None]), np.array([1, 2], ">i2"),
             np.ones(3, [("a", "f8")]), np.broadcast_to(1.0, (2, 3, 7, 4)), np.ma.masked_array([1.0], [True]), lambda *x: 1 // 0,
             lambda *x: None, lambda *x: "\ud800", lambda *x: np.ones(x[0].shape + (1,)), lambda x: x[..., :0],
             lambda x: np.ones(np.random.randint(1, 9, 3)), module("lab05").Sizes(-1, -2, 0, 2**31 - 1), module("lab05").Sizes(*[2**31 - 1] * 4), a_model()]
    tried = [(function(name), [*arguments[:place], value, *arguments[place + 1:]])
             for name, (arguments, _) in calls().items() for place, value in itertools.product(range(len(arguments)), wrong)]
    for lab in LABS:
        for each in [each for name, each in vars(module(lab.name)).items() if inspect.isclass(each) or name in bindings.offered(lab)]:
            tried += [(each, [value] * len(inspect.signature(each).parameters)) for value in wrong]
            for few in ((), (1,) * 20):
                with pytest.raises(TypeError):
                    each(*few, nothing_of_this_name=1)
    for each, arguments in tried:
        try:
            each(*arguments)
        except Exception:  # whichever it is
            pass
    print("at the end")


def test_no_value_ends_python():
    folders = [str(ROOT / "tests/framework" / each) for each in (".", "commands")]
    script = f"import sys; sys.path[:0] = {folders}; import test_python_module as t; t.call_with_wrong_values()"
    result = run(BUILD / "python", "-W", "ignore", "-X", "faulthandler", "-c", script)
    assert (result.returncode, result.stdout[-11:]) == (0, "at the end\n"), result.stderr


@pytest.mark.parametrize("body, status, words", [('throw NotImplemented("outer_product");', 1, "NotImplementedError: outer_product is not written yet: replace"),
                                                 ("std::raise(SIGINT); std::raise(SIGINT); for (volatile unsigned i = 0;; ++i) {}", 130, "Python ends"),
                                                 ("std::raise(SIGINT); return a;", -2, "KeyboardInterrupt"),
                                                 ("throw 1;", 1, "RuntimeError: outer_product threw something")])
def test_a_function_that_does_not_return(tmp_path, body, status, words):
    file, labs = "lab00_warm_up.cpp", tmp_path / "labs"
    stub = stubs.cut_all(ROOT)[file].replace('throw NotImplemented("outer_product");', body)
    labs.mkdir()
    with_answers("lab00_python", file, f"#include <csignal>\n{stub}", labs).rename(labs / "lab00.so")
    (labs / "__init__.py").touch()
    result = run(tmp_path, "-c", "from labs import lab00; lab00.outer_product([1.0], [1.0])")
    assert result.returncode == status and words in result.stderr, result
    assert ("NotImplemented" in body) == result.stderr.endswith(f"/{file}\n")


def test_the_example_of_the_start_page_prints_what_it_says():
    page = (ROOT / "docs/start.md").read_text()
    script, printed = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", page, re.S).groups()
    result = run(BUILD / "python", "-c", script)
    assert (result.stdout, result.stderr) == (printed, "")


def test_the_given_examples_run_or_say_what_is_missing(tmp_path):
    for file, module_name, said in (("attention_weights.py", "matplotlib", "rows of the weights sum to 1.000000 (softmax) and 1.000000 (linear)"),
                                    ("autograd_function.py", "torch", "gradcheck: your backward pass is the gradient of your forward pass")):
        result = run(BUILD / "python", str(ROOT / "python" / file), cwd=tmp_path)
        if importlib.util.find_spec(module_name):
            assert result.returncode == 0 and result.stdout.startswith(said), result.stderr
        else:
            assert result.returncode == 1 and re.fullmatch(r"this example .* not installed.*\n", result.stderr)


def test_the_command_names_what_is_missing():
    for has, words in (((), "has no NumPy; ./course setup --with-python installs it (python3-numpy)"),
                       (("numpy",), "there is no pybind11; ./course setup --with-python installs it (pybind11-dev)")):
        with mock.patch.object(command, "find_spec", lambda name: None if name not in has else SimpleNamespace(submodule_search_locations=())), mock.patch.object(command, "PREFIXES", ()), \
                mock.patch.object(command, "build") as build:
            result = run_course(ROOT, ("python",), {})
        assert result.returncode == 2 and words in result.stderr
        build.assert_not_called()
