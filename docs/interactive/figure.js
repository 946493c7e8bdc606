// What the interactive figures share. A figure has inputs, a function `compute` from their values to numbers, and a
// function `draw` from both to a picture and a sentence. Until its script runs, the page shows the still picture.
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
const matrix = (title, rows, kind = "") => element("table", { class: `matrix ${kind}` }, element("caption", {}, title),
  element("tbody", {}, ...rows.map(row => element("tr", {}, ...row.map(value => element("td", {}, number(value)))))));

function interactive(name, { inputs, compute, draw }) {
  Figures[name] = compute;
  const host = document.querySelector(`[data-figure=${name}]`);
  if (!host) return;
  const begin = () => {
    const shown = build(host, inputs, compute, draw);
    const again = element("button", { type: "button" }, "start again");
    again.addEventListener("click", () => {
      shown.forEach(part => part.remove());
      begin().focus();
    });
    shown[0].append(again);
    return again;
  };
  host.querySelector("img").hidden = true;
  begin();
}

// Controls, stage and sentence of a figure as it begins.
function build(host, inputs, compute, draw) {
  const settings = Object.fromEntries(inputs.map(input => [input.name, input.value]));
  const controls = element("div", { class: "controls", role: "group", "aria-label": "Settings of the figure" });
  const stage = element("div", { class: "stage" }), sentence = element("p", { class: "sentence", role: "status" });
  const update = () => {
    const { picture, says } = draw(settings, compute(settings));
    stage.replaceChildren(...[picture].flat());
    sentence.textContent = says;
  };
  const kinds = {
    range(input) {
      const shown = element("output", {}, input.show(input.value));
      const field = element("input", { type: "range", min: input.min, max: input.max, step: input.step ?? 1, value: input.at,
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
      field.addEventListener("change", () => { settings[input.name] = field.value; update(); });
      return element("label", {}, `${input.label} `, field);
    },
    toggle(input) {
      const field = element("input", { type: "checkbox" });
      field.checked = input.value;
      field.addEventListener("change", () => { settings[input.name] = field.checked; update(); });
      return element("label", {}, field, ` ${input.label}`);
    },
    button(input) {
      const field = element("button", { type: "button" }, input.label);
      field.addEventListener("click", () => { settings[input.name] = input.next(settings); update(); });
      return field;
    },
    matrix(input) {
      const rows = input.value.map((row, i) => element("tr", {}, ...row.map((value, j) => {
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
  controls.append(...inputs.map(input => kinds[input.kind](input)));
  host.append(controls, stage, sentence);
  update();
  return [controls, stage, sentence];
}
