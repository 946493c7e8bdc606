// Lab 03: the worked example token by token. Each token is added to S and z, then its query reads both. The tokens can be
// edited, and a mistake can be switched on. Below, the numbers of the example beside those that ./course trace printed.
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

  const EXAMPLE = { Q: [[1, 0], [0, 2], [0, 0], [1, 2]], K: [[0, 1], [1, 0], [0, 0], [2, 1]], V: [[1, 0, 2], [0, 1, 1], [3, 0, 1], [1, 2, 0]] };
  const PARTS = ["S", "S", "z", "output"];  // the rows of a token, as ./course trace prints them
  const rowsOf = ({ S, z, output }) => [...S, z, output];
  const digits = value => String(Number(value.toPrecision(6)));
  const alike = (mine, right) => mine === undefined || Math.abs(mine - right) <= 1e-5 * Math.max(1, Math.abs(right));  // 6 digits
  const numbers = text => (text.match(/-?(?:nan|inf|\d+(?:\.\d+)?(?:e[-+]?\d+)?)/gi) ?? []).map(word => Number(word.replace("inf", "Infinity")));

  // {says, yours}: the first difference in words; yours[token][row] begins with what the text holds of that row.
  function compared(text) {
    const right = compute({ ...EXAMPLE, mistake: "none" }), blocks = text.split(/^token (?=\d)/m).slice(1), yours = [];
    let first = "";
    for (const [head, ...lines] of blocks.map(block => block.split("\n"))) {
      const [token, ...given] = numbers(head), wanted = ["Q", "K", "V"].flatMap(name => EXAMPLE[name][token]);
      if (!given.length || given.some((value, i) => value !== wanted[i])) return { says: "These are not the tokens of the example.", yours: [] };
      yours[token] = lines.filter(line => /^ +(?:(?:S|z|output) +)?-?(?:\d|nan|inf)/.test(line)).map(numbers);
      rowsOf(right[token]).forEach((row, r) => row.forEach((value, at) => {
        const mine = yours[token][r]?.[at];
        if (!alike(mine, value)) first ||= `token ${token}, ${PARTS[r]}[${r < 2 ? `${r}, ` : ""}${at}]: yours ${mine}, right ${digits(value)}`;
      }));
      if (yours[token].length < PARTS.length) first ||= lines.find(line => line.includes(" has shape "))?.trim() ?? `token ${token} is not whole`;
    }
    return { yours, says: !blocks.length ? "No token stands in this text." : first ? `First difference: ${first}.`
      : `${blocks.length} of ${right.length} tokens are there, and they are right.` };
  }

  function beside(host) {
    const field = element("textarea", { rows: 6, spellcheck: "false" }), status = element("p", { role: "status" }), tokens = element("div");
    const show = () => {
      const { says, yours } = field.value.trim() ? compared(field.value) : { says: "", yours: [] };
      status.textContent = says;
      tokens.replaceChildren(...compute({ ...EXAMPLE, mistake: "none" }).map((right, token) => element("div", { class: "row" },
        ...["S", "z", "output"].flatMap(part => {
          const wanted = rowsOf(right).filter((_, r) => PARTS[r] === part), from = PARTS.indexOf(part);
          const mine = wanted.map((row, r) => yours[token]?.[from + r]?.slice(0, row.length) ?? []);
          const same = wanted.every((row, r) => row.every((value, at) => alike(mine[r][at], value)));
          return [matrix(`token ${token}: ${part}`, wanted, "", digits), ...same ? [] : [matrix(`your ${part}`, mine, "wrong", String)]];
        }))));
    };
    field.addEventListener("input", show);
    show();
    host.append(element("details", {}, element("summary", {}, "Every S, z and output, beside yours"),
      element("label", {}, "Paste what ", element("code", {}, "./course trace lab03.causal_linear_attention_step"), " prints: ", field), status, tokens));
  }

  Figures.trace = compared;
  interactive("state", {
    inputs: [
      { kind: "button", name: "step", label: "previous step", value: 1, next: ({ step }) => Math.max(0, step - 1) },
      { kind: "button", name: "step", label: "next step", value: 1, next: ({ step, Q }) => Math.min(2 * Q.length, step + 1) },
      { kind: "choice", name: "mistake", label: "mistake", value: "none", options: ["none", "z read before it is updated",
        "S read before it is updated", "no normaliser", "state replaced instead of added to", "φ left out"] },
      { kind: "matrix", name: "Q", label: "Q", value: EXAMPLE.Q },
      { kind: "matrix", name: "K", label: "K", value: EXAMPLE.K },
      { kind: "matrix", name: "V", label: "V", value: EXAMPLE.V },
    ],
    compute,
    draw,
  });
  const host = document.querySelector("[data-figure=state]");
  if (host) beside(host);
})();
