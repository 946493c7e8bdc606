// What the interactive figures share. A figure has inputs, a function `compute` from their values to numbers, and a
// function `draw` from both to a picture and a sentence. Until its script runs, the page shows the still picture.
// What differs from the values that it begins with is in the address, as in ?favor.m=8#figure-favor.
const Figures = {};  // name → compute: the tests compare its numbers with the answer key's

function element(tag, attributes = {}, ...children) {
  const made = ["svg", "g", "rect", "line", "path", "text", "circle"].includes(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== false) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// The same numbers for the same seed: N(0, 1).
function gaussian(seed) {
  const uniform = () => {
    seed = (seed + 0x6D2B79F5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

const number = value => Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value) : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3
  ? value.toExponential(1) : String(Number(value.toPrecision(3)));
const large = value => value >= 1e12 ? `${number(value / 1e12)} T` : value >= 1e9 ? `${number(value / 1e9)} G`
  : value >= 1e6 ? `${number(value / 1e6)} M` : value >= 1e4 ? `${number(value / 1e3)} k` : number(value);
const matrix = (title, rows, kind = "", show = number) => element("table", { class: `matrix ${kind}` }, element("caption", {}, title),
  element("tbody", {}, ...rows.map(row => element("tr", {}, ...row.map(value => element("td", {}, show(value)))))));

function kept(name, input) {
  try { return JSON.parse(new URLSearchParams(location.search).get(`${name}.${input}`)); } catch { return null; }
}

function keep(name, inputs, settings) {
  const url = new URL(location), query = url.searchParams;
  let changed = false;
  for (const input of inputs) {
    const key = `${name}.${input.name}`, now = JSON.stringify(settings[input.name]);
    const wanted = now === JSON.stringify(input.value) ? null : now;
    if (query.get(key) === wanted) continue;
    wanted === null ? query.delete(key) : query.set(key, wanted);
    changed = true;
  }
  url.hash = `figure-${name}`;
  try { changed && history.replaceState(null, "", url); } catch {}  // a browser may refuse the hundredth in a few seconds
}

const positions = ({ min, max, step = 1, of = at => at }) =>
  Array.from({ length: Math.round((max - min) / step) + 1 }, (_, i) => [min + i * step, of(min + i * step)]);
const alike = (value, example) => Array.isArray(example) ? Array.isArray(value) && value.every(each => alike(each, example[0]))
  : typeof value === typeof example;
const fits = (input, value) => input.kind === "range" ? positions(input).some(([, of]) => of === value)
  : input.kind === "choice" ? input.options.includes(value) : alike(value, input.value);

function interactive(name, { inputs, compute, draw }) {
  Figures[name] = compute;
  const host = document.querySelector(`[data-figure=${name}]`);
  if (!host) return;
  const begin = values => {
    const shown = build(host, name, inputs, values, compute, draw);
    const again = element("button", { type: "button" }, "start again");
    again.addEventListener("click", () => {
      shown.forEach(part => part.remove());
      begin({}).focus();
    });
    shown[0].append(again);
    return again;
  };
  host.querySelector("img").hidden = true;
  const values = inputs.map(input => [input, kept(name, input.name)]).filter(([input, value]) => fits(input, value));
  try {
    begin(Object.fromEntries(values.map(([input, value]) => [input.name, value])));
  } catch {  // an address that somebody wrote
    begin({});
  }
}

// Controls, stage and sentence of a figure with these values, and else those that it begins with.
function build(host, name, inputs, values, compute, draw) {
  const settings = Object.fromEntries(inputs.map(input => [input.name, values[input.name] ?? input.value]));
  const controls = element("div", { class: "controls", role: "group", "aria-label": "Settings of the figure" });
  const stage = element("div", { class: "stage" }), sentence = element("p", { class: "sentence", role: "status" });
  const update = () => {
    const { picture, says } = draw(settings, compute(settings));
    stage.replaceChildren(...[picture].flat());
    sentence.textContent = says;
    for (const [button, input] of buttons) {
      button.setAttribute("aria-disabled", JSON.stringify(input.next(settings)) === JSON.stringify(settings[input.name]));
    }
    keep(name, inputs, settings);
  };
  const buttons = [];
  const kinds = {
    range(input) {
      const shown = element("output", {}, input.show(settings[input.name]));
      const [at] = positions(input).find(([, value]) => value === settings[input.name]);
      const field = element("input", { type: "range", min: input.min, max: input.max, step: input.step ?? 1, value: at,
        "aria-valuetext": shown.textContent });
      field.addEventListener("input", () => {
        settings[input.name] = input.of ? input.of(Number(field.value)) : Number(field.value);
        shown.textContent = input.show(settings[input.name]);
        field.setAttribute("aria-valuetext", shown.textContent);
        update();
      });
      return element("label", {}, `${input.label} `, field, shown);
    },
    choice(input) {
      const field = element("select", {}, ...input.options.map(option => element("option", {}, option)));
      field.value = settings[input.name];
      field.addEventListener("change", () => { settings[input.name] = field.value; update(); });
      return element("label", {}, `${input.label} `, field);
    },
    toggle(input) {
      const field = element("input", { type: "checkbox" });
      field.checked = settings[input.name];
      field.addEventListener("change", () => { settings[input.name] = field.checked; update(); });
      return element("label", {}, field, ` ${input.label}`);
    },
    button(input) {
      const field = element("button", { type: "button" }, input.label);
      field.addEventListener("click", () => { settings[input.name] = input.next(settings); update(); });
      buttons.push([field, input]);
      return field;
    },
    matrix(input) {
      const rows = settings[input.name].map((row, i) => element("tr", {}, ...row.map((value, j) => {
        const field = element("input", { type: "number", step: "any", value, "aria-label": `${input.label}, row ${i + 1}, column ${j + 1}` });
        field.addEventListener("input", () => {
          const empty = !Number.isFinite(field.valueAsNumber);
          field.setAttribute("aria-invalid", empty);
          if (empty) return;  // the last number counts
          settings[input.name] = settings[input.name].map(of => [...of]);
          settings[input.name][i][j] = field.valueAsNumber;
          update();
        });
        return element("td", {}, field);
      })));
      return element("table", { class: "matrix" }, element("caption", {}, input.label), element("tbody", {}, ...rows));
    },
  };
  const edited = inputs.filter(input => input.kind === "matrix");
  controls.append(...inputs.filter(input => !edited.includes(input)).map(input => kinds[input.kind](input)));
  if (edited.length) controls.append(element("details", {}, element("summary", {}, `Edit ${edited.map(input => input.label).join(", ")}`),
    element("div", { class: "row" }, ...edited.map(kinds.matrix))));
  update();
  host.querySelector("img").after(controls, stage, sentence);
  return [controls, stage, sentence];
}
