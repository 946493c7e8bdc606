// Lab 02: the two orders of φ(Q) φ(K)ᵀ V. FLOPs, and the numbers that stand between the two products, both to scale.
interactive("brackets", {
  inputs: [
    { kind: "range", name: "n", label: "tokens n", min: 4, max: 14, value: 512, of: exponent => 2 ** exponent, show: String },
    { kind: "range", name: "d", label: "width c = d", min: 3, max: 8, value: 64, of: exponent => 2 ** exponent, show: String },
  ],

  compute: ({ n, d }) => ({
    left: { flops: 2 * n * n * d + 2 * n * n * d, between: n * n },
    right: { flops: 2 * n * d * d + 2 * n * d * d, between: d * d },
  }),

  draw({ n, d }, { left, right }) {
    const most = Math.max(left.flops, right.flops), widest = Math.max(n, d);
    const part = (y, kind, title, between, of, side) => {
      const square = Math.max(1, 130 * side / widest), bar = Math.max(1, 330 * of.flops / most);
      return [
        element("text", { x: 0, y, class: "strong" }, title),
        element("rect", { x: 0, y: y + 12, width: square, height: square, class: kind }),
        element("text", { x: 142, y: y + 26 }, `${between}: ${large(of.between)} numbers`),
        element("rect", { x: 142, y: y + 46, width: bar, height: 22, class: kind }),
        element("text", { x: 142, y: y + 88 }, `${large(of.flops)}FLOP`),
      ];
    };
    const factor = left.flops / right.flops;
    return {
      picture: element("svg", { viewBox: "0 0 480 320", "aria-hidden": "true" },
        ...part(16, "a", "left bracket first: (φ(Q) φ(K)ᵀ) V", "between, n × n", left, n),
        ...part(178, "b", "right bracket first: φ(Q) (φ(K)ᵀ V)", "between, c × d", right, d)),
      says: `n = ${n}, d = ${d}: ` + (factor === 1 ? "both orders cost the same; this is where they cross, n = d."
        : factor > 1 ? `the left bracket takes ${number(factor)} times the FLOPs, and its square is ${number(factor ** 2)} times as large. They cross at n = ${d}.`
        : `the left bracket takes fewer FLOPs, by a factor of ${number(1 / factor)}: the sequence is shorter than the width. They cross at n = ${d}.`),
    };
  },
});
