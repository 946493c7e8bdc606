// Lab 08: the model of `./course train digits` draws 8 × 8 pixels of 17 grey levels, one after the other, from its state
// alone: S and z of every head. Its weights come from digits_weights.js, in 8 bits, when somebody asks for a drawing.
(() => {
  const START = 17, SIDE = 8;
  const phi = x => x > 0 ? x + 1 : Math.exp(x);
  const sum = values => values.reduce((total, value) => total + value, 0);

  // All terms of the series have one sign, so nothing cancels.
  function erf(x) {
    if (Math.abs(x) > 6) return Math.sign(x);
    let term = x, total = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(total); ++n) total += term *= 2 * x * x / (2 * n + 1);
    return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * total;
  }
  const gelu = x => x * (1 + erf(x / Math.SQRT2)) / 2;

  function affine(x, { W, b }) {
    const y = [...b];
    x.forEach((value, i) => { for (let j = 0; j < y.length; ++j) y[j] += value * W[i][j]; });
    return y;
  }

  function layerNorm(x, { gain, bias }) {
    const mean = sum(x) / x.length, variance = sum(x.map(value => (value - mean) ** 2)) / x.length;
    return x.map((value, i) => (value - mean) / Math.sqrt(variance + 1e-5) * gain[i] + bias[i]);
  }

  const nothingSeen = ({ blocks, heads, embedding }) => {
    const e = embedding[0].length / heads;
    return blocks.map(() => Array.from({ length: heads }, () =>
      ({ S: Array.from({ length: e }, () => Array(e).fill(0)), z: Array(e).fill(0) })));
  };

  // One token: adds it to the state, and returns the logits of the next.
  function next(model, state, id, position) {
    let x = model.embedding[id].map((value, i) => value + model.positions[position][i]);
    model.blocks.forEach((block, l) => {
      const seen = layerNorm(x, block.before_attention), e = x.length / model.heads;
      const [q, k, v] = ["Q", "K", "V"].map(name => affine(seen, block.attention[name]));
      const merged = state[l].flatMap(({ S, z }, head) => {
        const part = of => of.slice(head * e, head * e + e), phiQ = part(q).map(phi), value = part(v);
        part(k).map(phi).forEach((feature, a) => {
          z[a] += feature;
          for (let b = 0; b < e; ++b) S[a][b] += feature * value[b];
        });
        const below = sum(phiQ.map((feature, a) => feature * z[a])) + 1e-6;
        return value.map((_, b) => sum(phiQ.map((feature, a) => feature * S[a][b])) / below);
      });
      const y = affine(merged, block.attention.O).map((value, i) => x[i] + value);
      const inner = affine(layerNorm(y, block.before_feed_forward), block.feed_forward.up).map(gelu);
      x = affine(inner, block.feed_forward.down).map((value, i) => y[i] + value);
    });
    return affine(layerNorm(x, model.last), model.head);
  }

  Figures.draws = ({ model, ids }) => {
    const state = nothingSeen(model);
    return ids.map((id, position) => next(model, state, id, position));
  };

  const host = document.querySelector("[data-figure=draws]");
  if (!host) return;

  let loading;
  const load = () => loading ??= new Promise((done, fail) => {
    const script = element("script", { src: "interactive/digits_weights.js" });
    script.onload = () => done(unpacked(window.DIGITS));
    script.onerror = () => fail(sentence.textContent = "interactive/digits_weights.js is missing; run ./course docs again.");
    document.head.append(script);
  });

  // {heads, weights: [[path, shape, scale]], bytes}: every number is a signed byte times the scale of its weight.
  function unpacked({ heads, weights, bytes }) {
    const raw = Int8Array.from(atob(bytes), letter => letter.charCodeAt(0)), model = { heads, blocks: [] };
    let at = 0;
    for (const [path, shape, scale] of weights) {
      const row = () => Array.from(raw.subarray(at, at += shape.at(-1)), value => value * scale);
      const names = path.split("."), last = names.pop();
      const place = names.reduce((of, name) => of[name] ??= {}, model);
      place[last] = shape.length === 1 ? row() : Array.from({ length: shape[0] }, row);
    }
    return model;
  }

  let stroke = null;  // what a pointer that is down paints: 0 or 16
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => stroke = null);
  const half = () => pixels.slice(0, SIDE * SIDE / 2);
  // What the reader drew is in the address: a hexadecimal digit for each four pixels.
  const remember = () => {
    const bits = half().map(cell => cell.dataset.grey === "16" ? 1 : 0).join("").match(/.{4}/g);
    const digits = bits.map(four => parseInt(four, 2).toString(16)).join("");
    keep("draws", [{ name: "pixels", value: "00000000" }], { pixels: digits });
  };
  const ink = (cell, grey) => {
    paint(cell, grey);
    remember();
  };
  const pixels = Array.from({ length: SIDE * SIDE }, (_, i) => {
    const cell = element("button", { type: "button", "aria-pressed": "false", disabled: i >= SIDE * SIDE / 2,
      "aria-label": `pixel in row ${Math.floor(i / SIDE) + 1}, column ${i % SIDE + 1}` });
    const other = () => cell.dataset.grey === "16" ? 0 : 16;
    cell.addEventListener("click", event => event.detail || ink(cell, other()));  // by keyboard; a pointer paints sooner
    cell.addEventListener("pointerdown", event => {
      cell.releasePointerCapture(event.pointerId);  // or a touch would stay in its first cell
      if (!cell.disabled) ink(cell, stroke = other());
    });
    cell.addEventListener("pointerenter", () => stroke === null || cell.disabled || ink(cell, stroke));
    return cell;
  });
  function paint(cell, grey) {
    cell.dataset.grey = grey;
    cell.style.background = `color-mix(in srgb, var(--page-foreground-color) ${grey * 6.25}%, var(--page-background-color))`;
    cell.setAttribute("aria-pressed", grey > 8);
  }
  const heat = element("svg", { viewBox: "0 0 160 160", role: "img", "aria-label": "The state S of the first head" });
  const BEGIN = "Draw the upper half of a digit and let the model complete it, or let it draw from nothing.";
  const scale = element("span", {}), sentence = element("p", { class: "sentence", role: "status" }, BEGIN);
  const median = of => [...of].sort((a, b) => a - b)[Math.floor(of.length / 2)];
  const size = state => sum(state.flat().map(({ S, z }) => S.flat().length + z.length));

  let run = 0;
  async function draw(given) {
    const mine = ++run, model = await load(), state = nothingSeen(model), times = [], sizes = [];
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!given) {
      pixels.forEach(cell => paint(cell, 0));
      remember();
    }
    for (let i = 0, id = START; i < pixels.length; ++i) {
      const began = performance.now(), logits = next(model, state, id, i).slice(0, START), most = Math.max(...logits);
      times.push(performance.now() - began);
      sizes.push(size(state));
      if (i >= given) {
        const weights = logits.map(value => Math.exp(value - most));
        let left = Math.random() * sum(weights);
        id = Math.max(0, weights.findIndex(weight => (left -= weight) <= 0));
        paint(pixels[i], id);
      } else id = Number(pixels[i].dataset.grey);
      const { S } = state[0][0], largest = Math.max(...S.flat().map(Math.abs));
      heat.replaceChildren(...S.flatMap((row, a) => row.map((value, b) => element("rect", { x: 10 * b, y: 10 * a, width: 10, height: 10,
        class: value < 0 ? "b" : "a", "fill-opacity": Math.abs(value) / largest }))));
      scale.textContent = `S of the first head: the fullest colour is ${number(largest)}`;
      if (!still) await new Promise(done => setTimeout(done, 25));
      if (mine !== run) return;
    }
    sentence.textContent = `64 pixels. S and z of all heads held ${number(sizes[0])} numbers after the first pixel and ` +
      `${number(sizes.at(-1))} after the last. Milliseconds for a pixel, median: ${number(median(times.slice(8, 24)))} for the 9th to the ` +
      `24th, ${number(median(times.slice(48)))} for the last 16.`;
  }
  const button = (label, act) => {
    const made = element("button", { type: "button" }, label);
    made.addEventListener("click", act);
    return made;
  };

  const before = kept("draws", "pixels"), drawn = /^[0-9a-f]{8}$/.test(before) ? before : "00000000";
  pixels.forEach(cell => paint(cell, 0));
  half().forEach((cell, i) => paint(cell, parseInt(drawn[i >> 2], 16) >> (3 - i % 4) & 1 ? 16 : 0));
  host.append(element("div", { class: "controls" }, button("draw a digit", () => draw(0)),
    button("complete the upper half", () => draw(SIDE * SIDE / 2)),
    button("clear", () => {
      ++run;
      pixels.forEach(cell => paint(cell, 0));
      remember();
      heat.replaceChildren();
      scale.textContent = "";
      sentence.textContent = BEGIN;
    })),
    element("div", { class: "stage row drawing" }, element("div", { class: "pixels", role: "group", "aria-label": "Pixels" }, ...pixels), element("div", {}, heat, scale)), sentence);
})();
