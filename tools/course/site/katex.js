// Formulas in, HTML out, in one process for the whole site. argv: KaTeX's own script.
// stdin: a JSON list of [tex, display]; stdout: a JSON list of {html} or {error}, in the same order.
const katex = require(process.argv[2]);
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(formulas.map(([tex, displayMode]) => {
  try {
    return { html: katex.renderToString(tex, { displayMode, output: "htmlAndMathml", strict: "error" }) };
  } catch (error) {
    return { error: error.message };
  }
})));
