// Lab 08: Adam beside plain steps. Two weights, a and b, take 60 steps from 1; the gradients, the rate, warm-up, clipping
// and the decay of the weights can be chosen.
(() => {
  const STEPS = 60, LAMBDA = 1, CURVATURE = 50, FIRST = 0.9, SECOND = 0.999;
  const GRADIENTS = {  // of step t, counted from 1, at the weights a and b; and what to see
    [`a valley, ½(a² + ${CURVATURE} b²)`]: [(t, [a, b]) => [a, CURVATURE * b],
      `With Adam both weights take the same path. The rate of a plain step must be below 2/${CURVATURE} for b, which makes it slow for a.`],
    "steady: 0.1 and 10": [() => [0.1, 10], "Adam's steps do not depend on the size of the gradient; plain steps do."],
    "b flips its sign": [t => [1, t % 2 ? 1 : -1], "A steady gradient gives Adam steps of size rate, one that flips its sign much smaller ones."],
    "step 20 is 100 times as large": [t => t === 20 ? [100, 100] : [1, 1],
      "A plain step jumps with one large gradient. Adam does not, but v remembers it, and the steps after it are short. Clip it."],
    "mean 0: ±0.1 and ±10": [t => t % 2 ? [0.1, 10] : [-0.1, -10], "No gradient pulls these weights anywhere. Add a decay, L2 or AdamW."],
  };

  // The weights after each step, and what the step was made of.
  function path(takeStep, { gradients, rate, warmUp = 0, clip = false, decay = "none", start = [1, 1] }) {
    const listed = Array.isArray(gradients), of = listed ? t => gradients[t - 1] : GRADIENTS[gradients][0];
    const taken = [];
    let w = start;
    for (let t = 1; t <= (listed ? gradients.length : STEPS); ++t) {
      const now = rate * (t < warmUp ? t / warmUp : 1);
      let g = of(t, w);
      if (clip) g = g.map(value => value / Math.max(1, Math.hypot(...g)));
      if (decay === "L2") g = g.map((value, i) => value + LAMBDA * w[i]);
      const { moves, ...numbers } = takeStep(t, g, now), before = w;
      w = w.map((value, i) => value + moves[i] - (decay === "AdamW" ? now * LAMBDA * value : 0));
      taken.push({ w, g, moves: w.map((value, i) => value - before[i]), ...numbers });
    }
    return taken;
  }

  function compute({ corrected = true, ...settings }) {
    let m = [0, 0], v = [0, 0];
    const adam = path((t, g, rate) => {
      m = m.map((value, i) => FIRST * value + (1 - FIRST) * g[i]);
      v = v.map((value, i) => SECOND * value + (1 - SECOND) * g[i] ** 2);
      const mean = m.map(value => corrected ? value / (1 - FIRST ** t) : value);
      const root = v.map(value => Math.sqrt(corrected ? value / (1 - SECOND ** t) : value));
      return { mean, root, moves: mean.map((value, i) => -rate * value / (root[i] + 1e-8)) };
    }, settings);
    return { adam, plain: path((t, g, rate) => ({ moves: g.map(value => -rate * value) }), settings) };
  }

  // Two curves over the steps, from −1 to 2; what leaves this range runs along its edge.
  function panel(top, title, taken, step) {
    const x = t => 40 + 410 * t / STEPS, y = value => top + 120 - 40 * (Math.max(-1, Math.min(2, value)) + 1);
    const curves = [0, 1].map(i => [1, ...taken.map(({ w }) => w[i])]);
    const [a, b] = curves.map(curve => y(curve.at(-1))), gap = Math.abs(a - b), shift = Math.sign(a - b) * Math.max(0, 16 - gap) / 2;
    return [
      element("text", { x: 40, y: top - 8, class: "strong" }, title),
      ...[-1, 0, 1, 2].map(value => element("text", { x: 28, y: y(value) + 5, "text-anchor": "end" }, String(value).replace("-", "−"))),
      element("line", { x1: 40, x2: 450, y1: y(0), y2: y(0), class: "axis" }),
      element("line", { x1: x(step), x2: x(step), y1: top, y2: top + 120, class: "mark" }),
      ...curves.map((curve, i) => element("path", { d: `M${curve.map((value, t) => `${x(t).toFixed(1)} ${y(value).toFixed(1)}`).join(" L")}`,
        style: `fill: none; stroke-width: 2.5; stroke: var(--${"ab"[i]})${i ? "; stroke-dasharray: 7 4" : ""}` })),
      ...(gap < 1 ? [["a, b", a]] : [["a", a + shift], ["b", b - shift]]).map(([name, at]) => element("text", { x: 455, y: at + 5 }, name)),
    ];
  }

  function remark({ gradients, clip, decay, corrected }) {
    if (!corrected) return "Without the corrections Adam's first step is 3.2 times as long.";
    if (decay === "L2") return "L2 adds λw to the gradient, and Adam divides that by √v̂: weights with large gradients shrink more slowly.";
    if (decay === "AdamW") return "AdamW shrinks every weight by rate · λ of itself, whatever its gradients are.";
    return clip ? "A gradient longer than 1 is scaled down to length 1: its direction stays." : GRADIENTS[gradients][1];
  }

  function draw(settings, { adam, plain }) {
    const { step, decay, corrected } = settings, now = adam[step - 1], other = plain[step - 1];
    return {
      picture: [
        element("svg", { viewBox: "0 0 480 325", "aria-hidden": "true" }, ...panel(22, decay === "AdamW" ? "AdamW" : "Adam", adam, step),
          ...panel(180, "plain steps", plain, step), element("text", { x: 450, y: 320, "text-anchor": "end" }, `steps 0 to ${STEPS}`)),
        element("div", { class: "row" }, ...[["Adam: g", now.g], [corrected ? "m̂" : "m", now.mean], [corrected ? "√v̂" : "√v", now.root],
          ["step", now.moves], ["a, b", now.w], ["plain: g", other.g], ["step", other.moves], ["a, b", other.w]]
          .map(([title, values]) => matrix(title, values.map(value => [value])))),
      ],
      says: `Step ${step}: Adam moves a by ${number(now.moves[0])} and b by ${number(now.moves[1])}, a plain step by ` +
        `${number(other.moves[0])} and ${number(other.moves[1])}. ${remark(settings)}`,
    };
  }

  const first = Object.keys(GRADIENTS)[0];
  interactive("adam", {
    inputs: [
      { kind: "choice", name: "gradients", label: "gradients", value: first, options: Object.keys(GRADIENTS) },
      { kind: "range", name: "rate", label: "rate", min: 0, max: 4, at: 3, value: 0.03, of: i => [0.001, 0.003, 0.01, 0.03, 0.1][i], show: String },
      { kind: "range", name: "warmUp", label: "warm-up steps", min: 0, max: 40, step: 10, at: 0, value: 0, show: String },
      { kind: "toggle", name: "clip", label: "clip to norm 1", value: false },
      { kind: "choice", name: "decay", label: `weight decay, λ = ${LAMBDA}`, value: "none", options: ["none", "L2", "AdamW"] },
      { kind: "toggle", name: "corrected", label: "correct m and v", value: true },
      { kind: "range", name: "step", label: "look at step", min: 1, max: STEPS, at: 1, value: 1, show: String },
    ],
    compute,
    draw,
  });
})();
