// Lab 04: many draws of m directions, and for each the estimate of the softmax kernel by positive and by trigonometric
// features: the two distributions. d = 2.
(() => {
  const DRAWS = 400;
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

  // For one W: the features of x without a shift, and the estimates.
  function compute({ q, k, W }) {
    const scaled = x => x.map(value => value * x.length ** -0.25);
    const positive = x => W.map(w => Math.exp(dot(w, scaled(x)) - dot(scaled(x), scaled(x)) / 2) / Math.sqrt(W.length));
    const trigonometric = x => [Math.cos, Math.sin].flatMap(wave =>
      W.map(w => Math.exp(dot(scaled(x), scaled(x)) / 2) * wave(dot(w, scaled(x))) / Math.sqrt(W.length)));
    const sum = scaled(q).map((value, i) => value + scaled(k)[i]);
    return {
      kernel: Math.exp(dot(scaled(q), scaled(k))),
      positive: dot(positive(q), positive(k)),
      trigonometric: dot(trigonometric(q), trigonometric(k)),
      variance: Math.exp(2 * dot(scaled(q), scaled(k))) * (Math.exp(dot(sum, sum)) - 1) / W.length,
      features: { positive: positive(q), trigonometric: trigonometric(q) },
    };
  }

  function draw({ m, square, angle, seed }) {
    const length = Math.sqrt(square * Math.SQRT2), radians = angle * Math.PI / 180;  // ‖q̂‖² = square
    const q = [length, 0], k = [length * Math.cos(radians), length * Math.sin(radians)];
    const next = gaussian(seed);
    const found = Array.from({ length: DRAWS }, () => compute({ q, k, W: Array.from({ length: m }, () => [next(), next()]) }));
    const { kernel, variance } = found[0];
    const rows = [["positive", "positive features", "a"], ["trigonometric", "sines and cosines", "b"]].map(([kind, title, colour], row) => {
      const errors = found.map(of => of[kind] / kernel), counts = Array(41).fill(0);
      errors.forEach(value => counts[Math.max(0, Math.min(40, Math.round((value + 1) * 10)))]++);
      const y = 20 + 150 * row, deviation = Math.sqrt(errors.reduce((sum, value) => sum + (value - 1) ** 2, 0) / DRAWS);
      const middle = [...errors].sort((one, other) => one - other)[DRAWS / 2];
      return { deviation, middle, negative: errors.filter(value => value < 0).length, parts: [
        element("text", { x: 0, y, class: "strong" }, title),
        ...counts.map((count, i) => element("rect", { x: 20 + 10 * i, y: y + 110 - 90 * count / Math.max(...counts), width: 9,
          height: 90 * count / Math.max(...counts), class: colour })),
        element("line", { x1: 20, x2: 430, y1: y + 110.5, y2: y + 110.5, class: "axis" }),
        ...[-1, 0, 1, 2, 3].map(value => element("text", { x: 125 + 100 * value, y: y + 126, "text-anchor": "middle" },
          value === -1 ? "≤ −1" : value === 3 ? "≥ 3" : value)),
      ] };
    });
    return {
      picture: element("svg", { viewBox: "0 0 480 305", "aria-hidden": "true" },
        element("line", { x1: 225, x2: 225, y1: 26, y2: 282, class: "mark" }), ...rows.flatMap(row => row.parts)),
      says: `Estimate divided by the kernel e^(q̂·k̂) = ${number(kernel)}, ${DRAWS} draws of ${m} directions. Root of the mean ` +
        `squared error: positive ${number(rows[0].deviation)} (the formula says ${number(Math.sqrt(variance) / kernel)}), ` +
        `sines and cosines ${number(rows[1].deviation)}; of these ${rows[1].negative} estimates are negative.` +
        (square < 1 ? " Make the vectors longer: the error of positive features is then made by rare large values, which few draws meet." :
          ` Half of the positive estimates are below ${number(rows[0].middle)}, and their mean should be 1: a few rare large ones make up ` +
          `for the others. The formula counts them even where ${DRAWS} draws meet none.`),
    };
  }

  interactive("favor", {
    inputs: [
      { kind: "range", name: "m", label: "directions m", min: 0, max: 8, value: 32, of: exponent => 2 ** exponent, show: String },
      { kind: "range", name: "square", label: "squared norm of q̂ and k̂", min: 0.25, max: 3, step: 0.25, value: 0.25, show: String },
      { kind: "range", name: "angle", label: "angle between them", min: 0, max: 180, step: 10, value: 60, show: value => `${value}°` },
      { kind: "button", name: "seed", label: "draw again", value: 1, next: ({ seed }) => seed + 1 },
    ],
    compute: settings => settings.W ? compute(settings) : null,
    draw,
  });
})();
