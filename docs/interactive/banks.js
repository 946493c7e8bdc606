// Lab 05: 32 threads of a warp read one word each, `stride` words apart. Word w is in bank w mod 32; a bank gives one word
// per pass, and the same word to all who ask.
interactive("banks", {
  inputs: [
    { kind: "range", name: "stride", label: "words from one row to the next", min: 0, max: 66, value: 64, show: String },
  ],

  compute({ stride }) {
    const banks = Array.from({ length: 32 }, () => new Set());
    for (let thread = 0; thread < 32; ++thread) banks[thread * stride % 32].add(thread * stride);
    return { words: banks.map(bank => bank.size), passes: Math.max(...banks.map(bank => bank.size)) };
  },

  draw: ({ stride }, { words, passes }) => ({
    picture: element("svg", { viewBox: "0 0 480 230", "aria-hidden": "true" },
      element("text", { x: 0, y: 14 }, "words that each of the 32 banks must give"),
      ...words.flatMap((count, bank) => [
        ...Array.from({ length: count }, (_, i) => element("rect", { x: 15 * bank, y: 198 - 5.5 * i, width: 13, height: 4.5, class: passes > 1 ? "a" : "b" })),
        element("rect", { x: 15 * bank, y: 205, width: 13, height: 4, class: "axis" }),
      ]),
      element("text", { x: 0, y: 226 }, "bank 0"), element("text", { x: 480, y: 226, "text-anchor": "end" }, "bank 31")),
    says: `Thread t reads word ${stride} t: ${passes} pass${passes === 1 ? "" : "es"}. ` + (stride === 0 ? "All read the same word, which is given to all at once."
      : passes === 1 ? "Every word comes from another bank." : `${passes} different words wait for one bank: a ${passes}-way bank conflict.`),
  }),
});
