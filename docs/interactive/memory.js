// Lab 09: a state of 4 × 4 numbers under five rules. Keys are written, overwritten and cleared, and every key
// is read back.
(() => {
  const KEYS = {
    overlap: [[1, 0, 0, 0], [0.6, 0.8, 0, 0], [0, 0.6, 0.8, 0], [0, 0, 0.6, 0.8]],
    "are orthogonal": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
  };
  const VALUES = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], NONE = [0, 0, 0, 0];
  const KEY_NAMES = ["A", "B", "C", "D"], VALUE_NAMES = ["1", "2", "3", "4"], RIDGE = 0.01;
  const START = [[0, 0, 0], [1, 1, 0], [0, 3, 0]];  // key, value (-1: none), whether all is forgotten

  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const read = (S, q) => S[0].map((_, b) => S.reduce((sum, row, a) => sum + row[b] * q[a], 0));
  const add = (S, k, u) => S.map((row, a) => row.map((value, b) => value + k[a] * u[b]));
  const times = (S, a) => S.map(row => row.map(value => a * value));
  const minus = (a, b) => a.map((value, i) => value - b[i]);

  // The state after the tokens [k, v, a], the key, the value and the decay of each.
  function compute({ rule, beta, ridge = RIDGE, tokens, ...settings }) {
    tokens ??= settings.writes.map(([key, value, all]) =>
      [key < 0 ? NONE : KEYS[settings.keys][key], value < 0 ? NONE : VALUES[value], all ? 0 : settings.decay]);
    const [k, v] = tokens[0] ?? [NONE, NONE];
    let S = k.map(() => v.map(() => 0)), P = k.map((_, i) => k.map((_, j) => (i === j) / ridge));
    for (const [k, v, a] of tokens) {
      if (rule === "decay" || rule === "both") S = times(S, a);
      const error = minus(v, read(S, k));
      if (rule === "plain sum" || rule === "decay") S = add(S, k, v);
      else if (rule === "least squares") {
        const Pk = read(P, k), gain = Pk.map(value => value / (1 + dot(k, Pk)));  // P is symmetric
        S = add(S, gain, error);
        P = add(P, gain.map(value => -value), Pk);
      } else S = add(S, k, error.map(value => beta * value));
    }
    return { S };
  }

  // The last value of each key: undefined before its first write, -1 once it was cleared.
  function expected(writes) {
    const last = Array(KEY_NAMES.length).fill(undefined);
    for (const [key, value, all] of writes) {
      if (all) last.forEach((of, at) => { if (of !== undefined) last[at] = -1; });
      if (key >= 0) last[key] = value;
    }
    return last;
  }

  // Which of the four values, or nothing (-1), is the nearest to what was read.
  function nearest(output) {
    const far = of => minus(output, of).reduce((sum, value) => sum + value * value, 0);
    return VALUES.reduce((best, value, at) => far(value) < far(best < 0 ? NONE : VALUES[best]) - 1e-12 ? at : best, -1);
  }

  const named = value => value < 0 ? "–" : VALUE_NAMES[value];

  function draw(settings, { S }) {
    const { rule, keys, writes } = settings, last = expected(writes);
    const asked = KEY_NAMES.map((name, key) => ({ name, output: read(S, KEYS[keys][key]), last: last[key] })).filter(({ last }) => last !== undefined);
    const wrong = asked.filter(({ output, last }) => nearest(output) !== last);
    const rows = asked.map(({ name, output, last }) => element("tr", { class: nearest(output) === last ? false : "miss" },
      element("th", { scope: "row" }, name), element("td", {}, named(last)),
      ...output.map(value => element("td", {}, number(Math.round(value * 100) / 100))),
      element("td", {}, nearest(output) === last ? named(last) : `✗ ${named(nearest(output))}`)));
    const head = element("thead", {}, element("tr", {}, ...["key", "last", "1", "2", "3", "4", "nearest"].map(title => element("th", { scope: "col" }, title))));
    return {
      picture: element("div", { class: "row" }, matrix("S", S.map(row => row.map(value => Math.round(value * 100) / 100))),
        ...(rows.length ? [element("table", { class: "reads" }, element("caption", {}, "what each key reads (–: nothing)"), head, element("tbody", {}, ...rows))] : [])),
      says: !writes.length ? "S = 0: nothing was written. Choose a key and a value, and press “write”."
        : `${writes.length} ${writes.length === 1 ? "write" : "writes"}, ${rule}: ` + (!asked.length ? "no key has a value."
          : `what is read is nearest to the last value for ${asked.length - wrong.length} of ${asked.length} ${asked.length === 1 ? "key" : "keys"}` +
            (wrong.length ? `, not for ${wrong.map(({ name }) => name).join(", ")}.` : ".")),
    };
  }

  const at = (names, name) => names.indexOf(name);
  interactive("memory", {
    inputs: [
      { kind: "choice", name: "rule", label: "rule", value: "plain sum", options: ["plain sum", "decay", "delta rule", "both", "least squares"] },
      { kind: "choice", name: "keys", label: "the keys", value: "overlap", options: Object.keys(KEYS) },
      { kind: "range", name: "decay", label: "decay a", min: 0, max: 20, value: 0.8, of: step => step / 20, show: String },
      { kind: "range", name: "beta", label: "step β", min: 0, max: 20, value: 1, of: step => step / 10, show: String },
      { kind: "choice", name: "key", label: "key", value: "A", options: KEY_NAMES },
      { kind: "choice", name: "value", label: "value", value: "1", options: VALUE_NAMES },
      { kind: "button", name: "writes", label: "write", value: START,
        next: ({ writes, key, value }) => [...writes, [at(KEY_NAMES, key), at(VALUE_NAMES, value), 0]] },
      { kind: "button", name: "writes", label: "clear the key", value: START,
        next: ({ writes, key }) => [...writes, [at(KEY_NAMES, key), -1, 0]] },
      { kind: "button", name: "writes", label: "forget all (a = 0)", value: START, next: ({ writes }) => [...writes, [-1, -1, 1]] },
      { kind: "button", name: "writes", label: "undo", value: START, next: ({ writes }) => writes.slice(0, -1) },
      { kind: "button", name: "writes", label: "no writes", value: START, next: () => [] },
    ],
    compute,
    draw,
  });
})();
