// Lab 06: the worked example in two passes. Forwards each token is added to S and z, and its query's gradient is read from
// them; backwards each query is added to R and r, and its key's and its value's gradients are read. The numbers can be
// edited, and a mistake can be switched on.
(() => {
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const plus = (a, b, factor = 1) => a.map((value, i) => value + factor * b[i]);
  const times = (M, column) => M.map(row => dot(row, column));
  const rowTimes = (row, M) => M[0].map((_, b) => M.reduce((sum, of, a) => sum + row[a] * of[b], 0));
  const addOuter = (M, column, row) => M.map((of, a) => plus(of, row, column[a]));
  const column = values => values.map(value => [value]);

  // One entry for each token: both states after it, what was read on the way, and its gradients.
  function compute({ Q, K, V, dO, epsilon = 0, mistake }) {
    const nothing = { M: K[0].map(() => V[0].map(() => 0)), sum: K[0].map(() => 0) };
    let { M: S, sum: z } = nothing, { M: R, sum: r } = nothing;
    const tokens = Q.map((q, i) => {
      const before = S;
      S = addOuter(S, K[i], V[i]);
      z = plus(z, K[i]);
      const readS = mistake === "S read before it is updated" ? before : S;
      const D = dot(q, z) + epsilon, o = rowTimes(q, readS).map(value => value / D), dN = dO[i].map(value => value / D);
      const dD = { "numerator only": 0, "sign of dD": 1 }[mistake] ?? -1;
      const token = { S, z, D, o, dN, dD: dD * dot(dN, o) };
      return { ...token, dQ: plus(times(readS, dN), z, mistake === "z dD omitted" ? 0 : token.dD) };
    });
    for (const [j, token] of [...tokens.entries()].reverse()) {
      const before = R;
      R = addOuter(R, Q[j], token.dN);
      r = plus(r, Q[j], token.dD);
      const readR = mistake === "R read before it is updated" ? before : R;
      Object.assign(token, { R, r, dK: plus(times(readR, V[j]), r, mistake === "r omitted" ? 0 : 1), dV: rowTimes(K[j], readR) });
    }
    return tokens;
  }

  // Which tokens each state has seen: S and z from the left, R and r from the right.
  function strip(n, token, backwards, reads) {
    const width = 400 / n, x = of => 70 + width * of;
    const bar = (y, first, last, kind, faint) => element("rect", { x: x(first) + 2, y, width: Math.max(0, width * (last - first) - 4), height: 18,
      rx: 3, class: kind, "fill-opacity": faint ? 0.4 : 1 });
    return element("svg", { viewBox: "0 0 480 122", "aria-hidden": "true" },
      element("text", { x: 0, y: 22, class: "strong" }, "S, z →"), bar(8, 0, token + 1, "a", backwards),
      ...Array.from({ length: n }, (_, i) => element("text", { x: x(i + 0.5), y: 67, "text-anchor": "middle" }, `token ${i + 1}`)),
      element("rect", { x: x(token) + 2, y: 46, width: width - 4, height: 32, rx: 3, class: "mark", "stroke-dasharray": reads ? false : "5 4" }),
      element("text", { x: 0, y: 110, class: "strong" }, "R, r ←"), ...(backwards ? [bar(96, token, n, "b", false)] : []));
  }

  function tables(settings, tokens, at, backwards, reads) {
    const { Q, K, V, dO } = settings, token = tokens[at], state = reads ? "" : "changed";
    const right = compute({ ...settings, mistake: "none" })[at];
    const gradient = (title, name) => matrix(title, [token[name]],
      token[name].some((value, b) => Math.abs(value - right[name][b]) > 1e-9) ? "wrong" : "changed");
    if (backwards)
      return [matrix("φ(q)", column(Q[at])), matrix("dN", [token.dN]), matrix("dD", [[token.dD]]), matrix("R", token.R, state),
        matrix("r", column(token.r), state),
        ...(reads ? [matrix("φ(k)", column(K[at])), matrix("v", [V[at]]), gradient("dφ(k) = R v + r", "dK"), gradient("dv = Rᵀφ(k)", "dV")] : [])];
    return [matrix("φ(k)", column(K[at])), matrix("v", [V[at]]), matrix("S", token.S, state), matrix("z", column(token.z), state),
      ...(reads ? [matrix("φ(q)", column(Q[at])), matrix("dO", [dO[at]]), matrix("D", [[token.D]]), matrix("o", [token.o]),
        matrix("dN = dO / D", [token.dN]), matrix("dD = −dN·o", [[token.dD]]), gradient("dφ(q) = S dN + z dD", "dQ")] : [])];
  }

  function draw(settings, tokens) {
    const n = tokens.length, turn = Math.ceil(settings.step / 2), backwards = turn > n, reads = settings.step % 2 === 0;
    if (settings.step === 0) return { picture: element("p", {}, "S = 0 and z = 0: no token has been read."), says: "Press “next step”." };
    const at = backwards ? 2 * n - turn : turn - 1;
    const now = tables(settings, tokens, at, backwards, reads);
    const wrong = now.some(table => table.classList.contains("wrong"));
    const seen = backwards ? `R and r hold ${at + 1 === n ? `token ${n} alone` : `tokens ${at + 1} to ${n}`}`
      : `S and z hold ${at ? `tokens 1 to ${at + 1}` : "token 1 alone"}`;
    const step = backwards ? (reads ? "the key and the value read their gradients from R and r" : "φ(q) dNᵀ is added to R, and φ(q) dD to r")
      : reads ? "the query reads S and z for its output, and again for its gradient" : "φ(k) vᵀ is added to S, and φ(k) to z";
    return {
      picture: [strip(n, at, backwards, reads), element("div", { class: "row" }, ...now)],
      says: `${backwards ? "Backwards" : "Forwards"}, token ${at + 1} of ${n}, ${reads ? "read" : "update"}: ${step}. ${seen}.` +
        (tokens[at].D === 0 ? " D is 0: there is no gradient." : wrong ? ` With the mistake “${settings.mistake}” a gradient is wrong.`
          : settings.mistake !== "none" && reads ? ` The mistake “${settings.mistake}” does not show in this gradient.`
          : settings.step === 4 * n ? " All gradients are there, and no state was kept for a token." : ""),
    };
  }

  interactive("passes", {
    inputs: [
      { kind: "button", name: "step", label: "previous step", value: 1, next: ({ step }) => Math.max(0, step - 1) },
      { kind: "button", name: "step", label: "next step", value: 1, next: ({ step, Q }) => Math.min(4 * Q.length, step + 1) },
      { kind: "choice", name: "mistake", label: "mistake", value: "none", options: ["none", "numerator only", "sign of dD", "z dD omitted",
        "r omitted", "S read before it is updated", "R read before it is updated"] },
      { kind: "matrix", name: "Q", label: "φ(Q)", value: [[1, 1], [2, 1], [1, 0]] },
      { kind: "matrix", name: "K", label: "φ(K)", value: [[1, 1], [1, 3], [2, 0]] },
      { kind: "matrix", name: "V", label: "V", value: [[1, 0, 2], [0, 1, 1], [3, 0, 1]] },
      { kind: "matrix", name: "dO", label: "dO", value: [[2, 0, 0], [0, 8, 0], [4, 0, 4]] },
    ],
    compute,
    draw,
  });
})();
