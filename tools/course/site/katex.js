// Formulas in, HTML out, in one process for the whole site. argv: KaTeX's own script.
// stdin: a JSON list of [tex, display]; stdout: a JSON list of {html} or {error}, in the same order.
const katex = require(process.argv[2]);
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
// Formulas that stand side by side may stand one below another, on a phone: each is a box.
const SEAM = /<span class="mspace allowbreak"><\/span>(?:<span class="mspace"[^>]*><\/span>)?<\/span>(?=<span class="base">)/g;
process.stdout.write(JSON.stringify(formulas.map(([tex, displayMode]) => {
  try {
    const parts = displayMode ? tex.replace(/\\q?quad(?![a-z])/g, "$&\\allowbreak ") : tex;
    const drawn = katex.renderToString(parts, { displayMode, output: "htmlAndMathml", strict: "error" }).replace(/\\allowbreak +/g, "");
    const boxes = drawn.replace(SEAM, '$&</span><span class="part">');
    return { html: boxes === drawn ? drawn : boxes.replace('<span class="base">', '<span class="part">$&') + "</span>" };
  } catch (error) {
    return { error: error.message };
  }
})));
