// Lab 05: what a chunk length computes, what it costs for each token and head, and where that lies under a roofline.
(() => {
  const MACHINES = {  // FLOP/s and bytes/s
    "H200, CUDA cores, float32": [67e12, 4.8e12],
    "H200, tensor cores, TF32": [495e12, 4.8e12],
    "one CPU core, for example": [80e9, 10e9],
  };
  const TOKENS = 32;

  function compute({ C, d, machine = "H200, CUDA cores, float32" }) {
    const [peak, bandwidth] = MACHINES[machine], flops = 4 * d * d + 4 * C * d, bytes = 4 * d * 4;
    return { flops, bytes, intensity: flops / bytes, seconds: Math.max(flops / peak, bytes / bandwidth), ridge: peak / bandwidth,
      weights: TOKENS * C };
  }

  function draw({ C, d, machine }, { flops, intensity, seconds, ridge, weights }) {
    const tiles = [], size = 200 / TOKENS;
    for (let first = 0; first < TOKENS; first += C) {
      if (first) tiles.push(element("rect", { x: 0, y: 20 + first * size, width: first * size, height: C * size, class: "b" }));
      tiles.push(element("rect", { x: first * size, y: 20 + first * size, width: C * size, height: C * size, class: "a" }));
    }
    // Both axes logarithmic: intensity from 4 to 512, speed over 2.2 powers of ten below the peak.
    const [peak, bandwidth] = MACHINES[machine];
    const x = of => 262 + 208 * Math.log2(of / 4) / 7, y = of => 50 + 170 * Math.log10(peak / of) / 2.2;
    const least = peak * 10 ** -2.2, begin = Math.max(4, least / bandwidth), decade = 10 ** Math.floor(Math.log10(peak));
    return {
      picture: element("svg", { viewBox: "0 0 480 266", "aria-hidden": "true" },
        element("text", { x: 0, y: 12 }, `${TOKENS} queries × ${TOKENS} keys`), ...tiles,
        element("text", { x: 480, y: 12, "text-anchor": "end" }, `ridge ${number(ridge)} FLOPs/byte`),
        element("text", { x: 262, y: 38, "text-anchor": "middle" }, "FLOP/s"),
        element("path", { d: `M262 44 V220 H470 ${[4, 16, 64, 256].map(of => `M${x(of)} 220 v5`).join(" ")} ` +
          [decade / 10, decade].map(of => `M262 ${y(of)} h-5`).join(" "), class: "line" }),
        ...[4, 16, 64, 256].map(of => element("text", { x: x(of), y: 241, "text-anchor": "middle" }, of)),
        ...[decade / 10, decade].map(of => element("text", { x: 254, y: y(of) + 5, "text-anchor": "end" }, large(of))),
        element("path", { d: `M${x(begin)} ${y(begin * bandwidth)} L${x(ridge)} ${y(peak)} L470 ${y(peak)}`, class: "mark" }),
        element("circle", { cx: x(intensity), cy: y(Math.min(peak, intensity * bandwidth)), r: 6, class: "a" }),
        element("text", { x: 366, y: 262, "text-anchor": "middle" }, "FLOPs per byte")),
      says: `C = ${C}, d = ${d}: ${large(flops)} FLOPs a token and head, ${number(4 * d * d)} for the state and ${number(4 * C * d)} for the tiles ` +
        `(${large(weights)} weights for these ${TOKENS} tokens). ${number(intensity)} FLOPs per byte: ` +
        `${intensity > ridge ? "compute" : "memory"}-bound on this machine, at least ${number(seconds * 1e9)} ns.`,
    };
  }

  interactive("chunks", {
    inputs: [
      { kind: "range", name: "C", label: "chunk C", min: 0, max: 5, value: 8, of: exponent => 2 ** exponent, show: String },
      { kind: "range", name: "d", label: "width d", min: 4, max: 7, value: 64, of: exponent => 2 ** exponent, show: String },
      { kind: "choice", name: "machine", label: "machine", value: "H200, CUDA cores, float32", options: Object.keys(MACHINES) },
    ],
    compute,
    draw,
  });
})();
