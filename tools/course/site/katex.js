// Formulas in, HTML out, in one process for the whole site. argv: KaTeX's own script.
// stdin: a JSON list of [tex, display]; stdout: a JSON list of {html} or {error}, in the same order.
const katex = require(process.argv[2]);
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
// Formulas that stand side by side may stand one below another, on a phone: each is a box.
const SEAM = /<span class="mspace allowbreak"><\/span>(?:<span class="mspace"[^>]*><\/span>)?<\/span>(?=<span class="base">)/g;
// Where a line may end: between two parts of a formula that is not short, outside of short brackets.
const BASE = /(?=<span class="part"><span class="base">|(?<!<span class="part">)<span class="base">)/;
const seams = html => {
  const [head, ...bases] = html.split(BASE), texts = bases.map(base => base.replace(/<[^>]*>|\u200b/g, ""));
  const all = texts.join(""), within = new Set(), open = [];
  [...all].length > 14 && [...all].forEach((letter, at) => {
    if ("([".includes(letter)) open.push(at);
    else if (")]".includes(letter) && open.length) for (let i = open.pop(); at - i <= 24 && i < at;) within.add(++i);
  });
  let end = 0;
  return bases.reduce((out, base, i) => {
    end += [...texts[i]].length;
    return out + base + (i + 1 < bases.length && [...all].length > 14 && !within.has(end) ? "<wbr/>" : "");
  }, head);
};
process.stdout.write(JSON.stringify(formulas.map(([tex, displayMode]) => {
  try {
    const parts = displayMode ? tex.replace(/\\q?quad(?![a-z])/g, "$&\\allowbreak ") : tex;
    const drawn = katex.renderToString(parts, { displayMode, output: "htmlAndMathml", strict: "error" }).replace(/\\allowbreak +/g, "");
    const boxes = drawn.replace(SEAM, '$&</span><span class="part">');
    return { html: seams(boxes === drawn ? drawn : boxes.replace('<span class="base">', '<span class="part">$&') + "</span>") };
  } catch (error) {
    return { error: error.message };
  }
})));
