// Lab 03: the worked example token by token. Each token is added to S and z, then its query reads both. The tokens can be
// edited, and a mistake can be switched on.
(() => {
  const phi = x => x > 0 ? x + 1 : Math.exp(x), identity = x => x;
  const EPSILON = 1e-6;

  // One entry for each token: the state after it and its output.
  function compute({ Q, K, V, mistake }) {
    const feature = mistake === "φ left out" ? identity : phi;
    let S = K[0].map(() => V[0].map(() => 0)), z = K[0].map(() => 0);
    return Q.map((query, i) => {
      const q = query.map(feature), k = K[i].map(feature), before = { S, z };
      S = S.map((row, a) => row.map((value, b) => (mistake === "state replaced instead of added to" ? 0 : value) + k[a] * V[i][b]));
      z = z.map((value, a) => (mistake === "state replaced instead of added to" ? 0 : value) + k[a]);
      const readS = mistake === "S read before it is updated" ? before.S : S;
      const readz = mistake === "z read before it is updated" ? before.z : z;
      const above = V[i].map((_, b) => q.reduce((sum, value, a) => sum + value * readS[a][b], 0));
      const below = q.reduce((sum, value, a) => sum + value * readz[a], 0) + EPSILON;
      return { q, k, S, z, above, below, output: above.map(value => mistake === "no normaliser" ? value : value / below) };
    });
  }

  function draw(settings, tokens) {
    const right = compute({ ...settings, mistake: "none" });
    const token = Math.min(Math.floor((settings.step - 1) / 2), tokens.length - 1), read = settings.step % 2 === 0;
    if (settings.step === 0) return { picture: element("p", {}, "S = 0 and z = 0: no token has been read."), says: "Press “next step”." };
    const { q, k, S, z, above, below, output } = tokens[token];
    const wrong = output.some((value, b) => Math.abs(value - right[token].output[b]) > 1e-9);
    const parts = [matrix(`φ(k) of token ${token + 1}`, k.map(value => [value])), matrix("v", [settings.V[token]]),
      matrix("S", S, read ? "" : "changed"), matrix("z", z.map(value => [value]), read ? "" : "changed")];
    if (read) {
      parts.push(matrix("φ(q)", q.map(value => [value])), matrix("φ(q)ᵀ S", [above]), matrix("φ(q)·z + ε", [[below]]),
        matrix(`output ${token + 1}`, [output], wrong ? "wrong" : "changed"));
      if (wrong) parts.push(matrix("right output", [right[token].output], "changed"));
    }
    return {
      picture: element("div", { class: "row" }, ...parts),
      says: `Token ${token + 1} of ${tokens.length}, ` + (!read ? "update: φ(k) vᵀ is added to S, and φ(k) to z."
        : `read: the query reads S and z. ` + (wrong ? `With the mistake “${settings.mistake}” the output is wrong.`
          : settings.mistake === "none" ? "The token sees itself." : `The mistake “${settings.mistake}” does not show in this output.`)),
    };
  }

  interactive("state", {
    inputs: [
      { kind: "button", name: "step", label: "previous step", value: 1, next: ({ step }) => Math.max(0, step - 1) },
      { kind: "button", name: "step", label: "next step", value: 1, next: ({ step, Q }) => Math.min(2 * Q.length, step + 1) },
      { kind: "choice", name: "mistake", label: "mistake", value: "none", options: ["none", "z read before it is updated",
        "S read before it is updated", "no normaliser", "state replaced instead of added to", "φ left out"] },
      { kind: "matrix", name: "Q", label: "Q", value: [[1, 0], [0, 2], [0, 0], [1, 2]] },
      { kind: "matrix", name: "K", label: "K", value: [[0, 1], [1, 0], [0, 0], [2, 1]] },
      { kind: "matrix", name: "V", label: "V", value: [[1, 0, 2], [0, 1, 1], [3, 0, 1], [1, 2, 0]] },
    ],
    compute,
    draw,
  });
})();
