"""Small changes of an answer (tools/course/edits): what a body is taken to be, which edits are made, and which one is found."""

import re
import shutil
import subprocess

import pytest
from author.case_file import Case, put_into
from conftest import BUILD, LABS, ROOT
from course.edits import explain
from course.edits.body import Body, parameters_of
from course.edits.schemata import VARIABLE, Schemata
from course.edits.search import NotSearched, Search
from course.edits.usual import Edit, Editor
from course.sources import manifest

HEAD = "Tensor f(const Tensor& Q, const FeatureMap& phi, std::size_t n, double epsilon)"


def body_of(text):
    return Editor(HEAD, text, 1)


def test_parameters_have_their_types():
    assert parameters_of(HEAD) == {"Q": "Tensor", "phi": "FeatureMap", "n": "std::size_t", "epsilon": "double"}
    assert parameters_of("__global__ void k(const float* __restrict__ Q, int d_k)") == {"Q": "float*", "d_k": "int"}
    assert parameters_of("void f(const std::function<double(double, double)>& g, std::vector<int> v)").keys() == {"g", "v"}
    assert parameters_of("Tensor f()") == {}


def test_statements_are_nested():
    body = body_of("double s = 0; for (int i = 0; i < n; ++i) { if (i) s += 1; else { --s; } } do s /= 2; while (s > 1); return s;")
    lists = [[body.source(statement.first, statement.last) for statement in some] for some in body.every_list()]
    assert ["s += 1;"] in lists and ["--s;"] in lists
    assert lists[0][0] == "double s = 0;" and lists[0][-1] == "return s;"


def test_names_end_with_their_block():
    body = body_of("for (std::size_t i = 0; i < n; ++i) { const double *a = q, *b = r; use(a); } double c{0}; return c;")
    inside = next(i for i in range(len(body.tokens)) if body.word(i) == "use")
    assert {"i", "a", "b", "n"} <= body.visible(inside).keys() and "c" not in body.visible(inside)
    assert body.visible(inside)["b"].type == "double*"
    assert body.visible(len(body.tokens) - 1).keys() == {"Q", "phi", "n", "epsilon", "c"}


def test_a_type_keeps_its_words_apart():
    body = body_of("const std::span<const std::uint16_t> keys = K.subspan(n); use(keys);")
    assert body.visible(len(body.tokens) - 1)["keys"].type == "std::span<const std::uint16_t>"


def test_a_value_may_be_one_of_two():
    body = body_of("const int end = n ? f(n) : 2; for (auto x : Q) use(x, end);")
    initial = next(name.initial for name in body.names if name.text == "end")
    assert body.source(*initial) == "n ? f(n) : 2" and "x" in body.visible(len(body.tokens) - 3)


@pytest.mark.parametrize("text, operands", [
    ("x = a - b - c * d;", {("a", "b"), ("a - b", "c * d"), ("c", "d")}),
    ("x = f(a + 1, b) / (c - -d);", {("a", "1"), ("f(a + 1, b)", "(c - -d)"), ("c", "-d")}),
    ("x = static_cast<double>(n) * std::max<int>(i, 2);", {("static_cast<double>(n)", "std::max<int>(i, 2)")}),
    ("if (a == \"x (\" && c != ')') y = f(\"b\");", {("a", '"x ("'), ("c", "')'"), ('a == "x ("', "c != ')'")}),
    ("if (a < b && !c) y(1, 2) += -a;", {("a", "b"), ("a < b", "!c")}),
])
def test_operators_have_their_operands(text, operands):
    body = body_of(text)
    assert {(body.source(body.left(i), i - 1), body.source(i + 1, body.right(i)))
            for i in range(len(body.tokens)) if body.is_binary(i)} == operands


@pytest.mark.parametrize("text, said", [  # «what is wrong→what is right»
    ("return Q «-→+» 1;", "`-` is the wrong operator in `Q - 1`"),
    ("return Q« / sqrt(n)→»;", "`/ sqrt(n)` is too much in `Q / sqrt(n)`"),
    ("return sum(a, b«→)» * c«)→»;", "the bracket of `sum(a, b * c)` closes too late"),
    ("return exp(a«)→» + b * c«→)»;", "the bracket of `exp(a)` closes too early"),
    ("return flip(sum(Q, «0), 0→-2), -2»);", "the axis should be -2 in `flip(sum(Q, 0), 0)`, here and in 1 other place"),
    ("if (n)«→ return» relu(Q); return Q;", "`return` is missing before `relu(Q)`"),
    ("«load(n); __syncthreads(); →»use(a); use(b); use(c); __syncthreads();«→ load(n); __syncthreads();»",
     "`load(n);` comes too early: it belongs, with the barrier behind it, behind `__syncthreads();` in line 1"),
    ("for (int i = 0; i <«→=» n; ++i) use(i);", "`<` is the wrong operator in `i < n`"),
    ("int a = 0, b = 1; use(«a→b»);", "`a` should be another variable in `use(a)`"),
    ("«double s = 0; →»for (int i = 0; i < n; ++i) { «→double s = 0; »use(s); }",
     "`double s = 0;` belongs in the loop, at its beginning"),
    ("double s = 0; for (int i = 0; i < n; ++i) {«→ s = 0;» for (int j = 0; j < n; ++j) s += 1; use(s); }",
     "`s` is not set back to the first value in each round of a loop"),
    ("double s = 0; for (;;) s += a; «→s = 0; »for (;;) s += b;", "`s` is not set back to the first value before `for (;;) s += b;`"),
    ("double s = 0, t = 0; for (int i = 0; i < n; ++i) { «→s = 0; t = 0; »use(s, t); }",
     "`s` and `t` are not set back to the first value in each round of a loop"),
    ("use(a[«→n + »i]); put(a[n + i]);", "`i` should be `n + i` in `a[i]`, as elsewhere"),
    ("«read(S); →»S += a;«→ read(S);»", "`read(S);` comes too early: it belongs behind `S += a;`"),
    ("for (int i = 0; i < n; ++i) «→if (i == 0) »s += b;", "`s += b;` is done again in each round of the loop over `i`"),
    ("join(«b, a→a, b», -2); join(«d, c→c, d», -2);", "arguments of `join` are exchanged, here and in 1 other place"),
    ("return exp(«x→minimum(x, 0.0)»);", "the argument of `exp(x)` is not cut off at 0"),
    ("return «→(»a + b«→)» * c;", "brackets are missing around `a + b` in `a + b * c`"),
    ("return f(a) * «→(»b - c«→)»;", "brackets are missing around `b - c` in `f(a) * b - c`"),
    ("return Q / «→(»sum(a« + b→», -1)«→ + b)»;", "the bracket of `sum(a + b, -1)` closes too late"),
    ("return Q / «→(»sum(a)«→ + epsilon)»;", "`+ epsilon` is missing below the line in `Q / sum(a)`"),
    ("double a = b * c; return «d→(d) * c»;", "`* c`, which stands elsewhere, is missing at `d`"),
    ("Tensor a = f(n * Q); return sum(«a * a→(n * Q) * (n * Q)»);", "`a * a` is the square of the wrong thing"),
    ("double a = «b→(b) + d»; c = a« + d→»;", "`+ d` belongs to `b`"),
    ("double s = «a→exp(a)»; return s;", "`a` lacks an `exp`"),
    ("use(«s.S→r.s.S»); put(r.s.S);", "`s.S` should be `r.s.S` in `use(s.S)`"),
    ("int i = 0, j = 1; use(«i→(i + 1)» + j * «i→(i + 1)»); use(i);", "`i` is one off in `use(i + j * i)`, here and in 1 other place"),
    ("for (;;) if (n) «break→continue»;", "`continue` should replace `break`"),
    ("double a = n; use(«a→static_cast<double>(length(Q, -1))»);", "`a` should be `length(Q, -1)` in `use(a)`"),
    ("return «max(Q,→(Q +» epsilon);", "`max(Q, epsilon)` should be a sum"),
    ("return std::accumulate(a, b, «0→0.0») / n;", "0 is a whole number in `std::accumulate(a, b, 0)`, and what it makes is one, too: 0.0"),
    ("double s = 0, t = 0; std::vector<double> v(n); «→{ »s *= a;«→ t *= a; }»", "what `s *= a;` does is missing for `t`"),
    ("double s = 0; std::vector<double> v(n); «→{ »s *= a;«→ for (auto& entry : v) entry *= a; }»",
     "what `s *= a;` does is missing for `v`"),
    ("const int d = n; for (int t = 0; t < d; ++t) x[t «→* d »+ b] = 0;", "the factor `d` is missing in `t + b`"),
    ("const int d = n; use(a + b * n«→ * d»);", "the factor `d` is missing in `b * n`"),
    ("return Q / «n→sqrt(1.0 * (n))»;", "a root is missing in `Q / n`"),
    ("for (int i = 0; i < n; ++i) «→if (i != 0) »s += b;", "`s += b;` is done in the first round of the loop over `i`, too"),
])
def test_an_edit_undoes_a_usual_slip(text, said):
    wrong, right = (re.sub("«(.*?)→(.*?)»", side, text) for side in (r"\1", r"\2"))
    made = {"".join(edit.applied(wrong, 0, len(wrong)).split()): edit.mistake for edit in body_of(wrong).edits()}
    assert made.get("".join(right.split())) == said


def test_what_stands_behind_an_edit_is_found_before_it():
    edit = Edit(((2, 2, "xx"), (4, 6, "")), "")
    assert edit.applied("abcdefgh", 0, 8) == "abxxcdgh"
    assert [edit.before(offset) for offset in range(8)] == [0, 1, 2, 2, 2, 3, 6, 7]


def test_no_edit_leaves_the_text_as_it_is_and_none_comes_twice():
    text = "double s = 0; for (int i = 0; i < n; ++i) s += Q(i) * epsilon; return s / n;"
    made = [edit.applied(text, 0, len(text)) for edit in body_of(text).edits()]
    assert len(made) > 50 and text not in made
    assert len({"".join(each.split()) for each in made}) == len(made)


def test_versions_of_a_statement_share_one_function():
    """Most edits need no copy of it."""
    text = "const double a = Q(0) * 2; double s = 0; for (int i = 0; i < n; ++i) s += a * i + 1; return s;"
    body = body_of(text)
    numbered = dict(enumerate(body.edits(), 1))
    schemata = Schemata(HEAD, "f", body, numbered)
    assert len(schemata.copies) < len(numbered) / 3
    assert schemata.text(numbered.keys()).count("case") == 0


@pytest.mark.parametrize("text", ["", ";", "{", "x = (1;", "if", "else", "for (;;", "return", "a < b > c", "#define X (\nuse(X);", "'", "= = =",
                                  "f(a)) + b;", "f(a)); return b;", ") + b;", "f(a] ) + b;"])
def test_what_is_no_cpp_does_not_stop_it(text):
    body_of(text).edits()


def search_of(tmp_path, name, text, **before):
    """For this body in the place of the answer key's."""
    lab, exercise = manifest.find_exercise(LABS, name)
    key = lab.source_with(exercise, ROOT / "reference")
    case = Case("", lab.name, exercise.function, "", "refuse", "", {"body": text.splitlines(), **before})
    (tmp_path / key.name).write_text(put_into(key.read_text(), key.name, {each.function for each in lab.exercises}, [case]))
    return exercise, Search(lab, exercise, tmp_path / key.name, BUILD, tmp_path / "place")


@pytest.mark.parametrize("name, text, line, said", [
    ("lab01.relu", """
        Tensor y = x;
        for (std::size_t i = 0; i < length(x, -1); ++i) y.data()[i] = y.data()[i] < 0.0 ? 0.0 : y.data()[i];
        return y;""", 3, "`length(x, -1)` is not the length"),
    ("lab02.linear_attention_quadratic", """
        const Tensor q = phi(Q), k = phi(K);
        Tensor y = zeros(shape_of(V));
        const std::size_t c = length(q, -1), rows = q.size() / c;
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t i = row % shape.n, end = mask == Mask::causal ? i + 1 : shape.n;
            double weight = 0.0;
            for (std::size_t j = 0; j < end; ++j) {
                for (std::size_t a = 0; a < c; ++a) weight += q.data()[row * c + a] * k.data()[(row - i + j) * c + a];
                for (std::size_t b = 0; b < shape.d_v; ++b)
                    y.data()[row * shape.d_v + b] += weight * V.data()[(row - i + j) * shape.d_v + b];
            }
        }
        return y;""", 7, "`double weight = 0.0;` belongs in the loop, at its beginning"),
    ("lab06.reverse_cumsum", """
        Tensor y = swap_axes(x, axis, -1);
        const std::size_t n = length(y, -1);
        for (std::size_t row = 0; row < y.size(); row += n)
            for (std::size_t i = n - 1; i > 0; --i) y.data()[row + i] += y.data()[row + i + 1];
        return swap_axes(y, axis, -1);""", 5, "one off"),  # two changes: it begins one too late, and stores into the wrong one
    ("lab03.attention_weights", """
        Tensor weights = matmul(phi(Q), matrix_transpose(phi(K)));
        if (mask == Mask::causal) weights = where(expand_dims(arange(length(Q, -2)), -1) >= arange(length(Q, -2)), weights, 0.0);
        return weights / sum(weights + epsilon, -2, keep_dims);""", 4, "closes too late"),  # and the wrong axis
    ("lab07.gelu", "return X;", None, None),
    ("lab05.feature_map_fused", "return fmaxf(x, 0.0f) + __expf(x);", 1, "not cut off at 0"),
])
def test_the_change_that_makes_every_check_pass_is_found(tmp_path, name, text, line, said):
    exercise, search = search_of(tmp_path, name, text)
    cures = search.single() or search.double()
    if line is None:
        assert cures == []
        assert explain.in_words(exercise, cures, len(search.edits)).startswith(f"none of {len(search.edits)} small changes")
        return
    found = next(at for cure in cures for at, mistake in cure.mistakes if said in mistake)
    assert search.text.splitlines()[found - 1].strip() == text.splitlines()[line - 1].strip()
    assert f"line {found}: " in explain.in_words(exercise, cures, len(search.edits))


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_a_value_of_a_structured_binding_has_versions_without_a_lambda(tmp_path, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    body = Body("int f()", "const auto [a, b] = std::pair(2, 3); int s = a; for (int i = a; i < b; ++i) s += b; return s;", 1)
    places = [at.start() for at in re.finditer(r"(?<== )a|b(?=;)", body.text)]
    versions = Schemata("int f() ", "f", body, {n: Edit(((at, at + 1, "(a + b)"),), "") for n, at in enumerate(places, 1)})
    (tmp_path / "f.cpp").write_text(f"#include <utility>\nint {VARIABLE} = 0;\n{versions.text((), lambdas=False)}\n")
    subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "f.cpp"], cwd=tmp_path, check=True)
    assert len(places) == 4 and not versions.copies and "[&]" not in versions.text((), lambdas=False)


@pytest.mark.parametrize("name", ["lab02.softmax_attention", "lab05.scan_states", "lab09.delta_rule_chunkwise"])
def test_without_a_number_it_does_what_it_did(tmp_path, name):
    """The answer key with all its edits in it still passes, so the choices between them change nothing."""
    lab, exercise = manifest.find_exercise(LABS, name)
    search = Search(lab, exercise, lab.source_with(exercise, ROOT / "reference"), BUILD, tmp_path)
    edits = dict(enumerate(search.edits, 1))  # those of its helpers, too
    made = tmp_path / "edits.o"
    assert len(search.compiled(edits, made)) > len(edits) / 3
    assert search.tried(search.linked(made), 0, 0, lambda tried: None) == [0]


@pytest.mark.parametrize("above, one", [
    ("static double above(double v) { return v + 2.0; }", "static double one(double v) { return v > 0.0 ? above(v) : exp(v); }"),
    ("struct Line { double at; explicit Line(double v) : at{v} {}", "double above() const { return at + 2.0; } };\n"
     "static double one(double v) { return v > 0.0 ? Line(v).above() : exp(v); }"),
    ("struct Line { double v; double operator()() const { return v + 2.0; } };",
     "static double one(double v) { return v > 0.0 ? Line{v}() : exp(v); }")])
def test_the_change_may_be_in_a_function_that_it_calls(tmp_path, above, one):
    """Or in a member of a class that it names."""
    exercise, search = search_of(tmp_path, "lab01.elu_plus_one", "return per_entry(x);", before=[
        above, one, "static Tensor per_entry(Tensor x) {", "    for (double& v : x) v = one(v);", "    return x;", "}"])
    assert len(search.parts) == 4
    cures = search.single()
    assert any("the number 2.0 is wrong in" in cure.mistakes[0][1] for cure in cures), cures
    assert "+ 2.0" in search.text.splitlines()[cures[0].mistakes[0][0] - 1]


def test_a_function_that_is_not_there_is_said_to_be(tmp_path):
    lab, exercise = manifest.find_exercise(LABS, "lab01.relu")
    (tmp_path / "lab01.cpp").write_text("int other() { return 1; }")
    with pytest.raises(NotSearched, match="relu was not found in lab01.cpp"):
        Search(lab, exercise, tmp_path / "lab01.cpp", BUILD, tmp_path)
