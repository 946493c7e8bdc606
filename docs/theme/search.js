// The search: "/" or the button opens it, arrows move, Enter follows a link, Escape closes. It scans the sections of
// search-sections.js, which are loaded when somebody first searches.
const Search = (() => {
  // One spelling for British and American words, and for words with and without an ending.
  const fold = text => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replace(/([iy])z(?=e|ing|ation)/g, "$1s")
    .replace(/our(?=\b|s\b|ed\b|ing\b|able\b)/g, "or");
  const stem = word => word.length > 4 ? word.replace(/(?:ations?|ers?|ed|ing|es|s|e)$/, "") : word;
  const words = text => fold(text).match(/[\p{L}\p{N}_]+(?:\++(?![\p{L}\p{N}]))?/gu) ?? [];  // "elu+1" is two, "FAVOR+" one
  const literal = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const LETTERS = { phi: "φ", epsilon: "ε" };
  // Words that people type for what these pages call otherwise.
  const ALSO = { segfault: ["crash"], install: ["setup", "set up"], setup: ["set up"], backward: ["gradient"], backprop: ["gradient"],
    lr: ["learning rate"], nan: ["not a number"], cuda: ["gpu"], slow: ["cost"], download: ["set up"], dump: ["crash"],
    cheating: ["must not pass"], dimension: ["shape"], incompatible: ["mismatch"], exceeded: ["timeout"], build: ["compile"],
    deadlock: ["barrier"], uninitialised: ["undefined contents"], invalid_argument: ["mismatch"], addresssanitiser: ["crash"], heap: ["crash"], killed: ["timeout"] };
  const COMMON = new Set("a an and are as at be can do does for how i in is it of on or the to what when where which with".split(" "));
  const spellings = word => [stem(word), ...word in LETTERS ? [LETTERS[word]] : [], ...ALSO[word] ?? ALSO[stem(word)] ?? []].map(literal).join("|");
  const beginning = word => `(?<![\\p{L}\\p{N}])(?:${spellings(word)})`;
  const whole = word => `${beginning(word)}(?:ations?|ers?|ed|ing|es|s|e)?(?![\\p{L}\\p{N}])`;
  const sought = query => {
    const all = words(query), rare = all.filter(word => !COMMON.has(word));
    return rare.length ? rare : all;
  };
  const prepare = sections => sections.map(section => ({ ...section, cited: fold(section.cited ?? ""),
    folded: [section.title, section.text, section.page].map(fold) }));

  // A word that no page has becomes the most frequent one that differs by a letter, or by two letters exchanged.
  let vocabulary;  // word → how often
  const corrected = (sections, query) => query.replace(/\p{L}{5,}/gu, typed => {
    const known = new RegExp(beginning(fold(typed)), "u");
    if (sections.some(({ folded }) => folded.some(text => known.test(text)))) return typed;
    vocabulary ??= sections.reduce((all, { folded }) => {
      for (const each of words(folded.join(" "))) all.set(each, (all.get(each) ?? 0) + 1);
      return all;
    }, new Map());
    const lower = typed.toLowerCase(), slips = [...lower].flatMap((letter, i) => [[".?", i + 1], [".", i], [(lower[i + 1] ?? "") + letter, i + 2]]
      .map(([instead, on]) => fold(lower.slice(0, i) + instead + lower.slice(on))));
    const near = new RegExp(`^(?:${slips.join("|")})$`, "u");
    return [...vocabulary].filter(([each]) => near.test(each)).reduce((best, each) => each[1] > best[1] ? each : best, [typed, 0])[0];
  });

  // Every word must occur, as a word or, which counts a fifth, as the beginning of one; if no section has them all, the
  // sections with most of them are found. Rare words, titles, and words side by side weigh more: most of all in a title, of the section or of the paper
  // that it is about, and then by how often they occur.
  const find = (sections, query, limit = 20) => {
    const wanted = sought(query), all = words(query);
    if (!wanted.length) return [];
    const parts = wanted.map(word => [beginning, whole].map(form => new RegExp(form(word), "gu")));
    const phrase = new RegExp(all.map(word => literal(stem(word)) + "\\p{L}*").join("[^\\p{L}\\p{N}]+"), "gu");
    const count = (text, part) => (text.match(part) ?? []).length;
    const counts = sections.map(({ folded }) => parts.map(([begun, full]) =>
      folded.map(text => 0.2 * count(text, begun) + 0.8 * count(text, full))));
    const rarity = parts.map((_, i) => Math.log(1 + sections.length / (1 + counts.filter(of => of[i][0] + of[i][1]).length)));
    const present = counts.map(of => of.filter(([title, text, page]) => title || text || page).length), most = Math.max(...present);
    return sections.map((section, at) => {
      const [title, text] = section.folded;
      if (!most || present[at] < most) return { section, score: -Infinity };
      let score = counts[at].reduce((sum, of, i) => sum + rarity[i] *
        (12 * Math.min(of[0], 1) + 6 * of[1] / (of[1] + 1.5 + text.length / 1500) + Math.min(of[2], 1)), 0);
      const inTitle = words(title), stems = inTitle.map(stem);
      wanted.forEach((word, i) => score += rarity[i] *
        (inTitle.includes(word) || inTitle.includes(LETTERS[word]) ? 12 : stems.includes(stem(word)) ? 5 : 0));
      const meant = inTitle.filter(word => !COMMON.has(word) && !/^\d+$/.test(word));  // of "9.7 The delta rule"
      if (inTitle.join(" ") === all.join(" ") || meant.join(" ") === wanted.join(" ")) score += 20;
      const uses = count(text, phrase), named = count(title, phrase) + count(section.cited, phrase) > 0;
      if (all.length > 1) score += (all.length - 1) *
        (30 * named + 24 * uses / (uses + 1) * (1 + 400 / (400 + text.length)));
      const aside = /^(group\w+\.html$|mistakes\.html)/.test(section.url) && !(all.length > 2 && uses);  // unless its very words were typed
      return { section, score: score - inTitle.length / 2 - 10 * aside };
    }).filter(found => found.score > -Infinity).sort((a, b) => b.score - a.score).slice(0, limit).map(found => found.section);
  };
  return { beginning, corrected, find, fold, prepare, sought };
})();

addEventListener("DOMContentLoaded", () => {
  const dialog = document.getElementById("search"), field = dialog.querySelector("input");
  const list = dialog.querySelector("ol"), status = dialog.querySelector("[role=status]");
  const make = (tag, given, ...children) => {
    const element = Object.assign(document.createElement(tag), given);
    element.append(...children);
    return element;
  };
  let loaded;
  const load = () => loaded ??= new Promise((done, fail) => {
    const script = make("script", { src: "search-sections.js" });
    script.onload = () => done(Search.prepare(window.SECTIONS));
    script.onerror = () => fail(status.textContent = "search-sections.js is missing; run ./course docs again.");
    document.head.append(script);
  });
  const marked = (text, query) => {
    const hit = new RegExp(`(?:${Search.sought(query).map(Search.beginning).join("|")})[\\p{L}\\p{N}]*`, "gu");
    const folded = Search.fold(text), parts = [];
    if (folded.length !== text.length) return [text];  // the places would not be the same
    let end = 0;
    for (const found of folded.matchAll(hit)) {
      parts.push(text.slice(end, found.index), make("mark", {}, text.slice(found.index, end = found.index + found[0].length)));
    }
    return [...parts, text.slice(end)];
  };
  const excerpt = (section, query) => {
    const first = Search.fold(section.text).search(new RegExp(Search.sought(query).map(Search.beginning).join("|"), "u"));
    const from = first < 60 ? 0 : section.text.indexOf(" ", first - 50) + 1;
    const shown = section.text.slice(from, from + 170);
    return (from ? "… " : "") + (section.text.length > from + 170 ? `${shown.replace(/\s\S*$/, "")} …` : shown);
  };
  const show = async () => {
    const sections = await load(), query = Search.corrected(sections, field.value), found = Search.find(sections, query);
    list.replaceChildren(...found.map(section => make("li", {},
      make("a", { href: section.url }, ...marked(section.title, query)),
      make("span", {}, section.page === section.title ? "" : ` ${section.page}`),
      make("p", {}, ...marked(excerpt(section, query), query)))));
    status.textContent = !Search.sought(query).length ? "" : !found.length ? "Nothing found." :
      found.length === 20 ? "The first 20 sections" : `${found.length} section${found.length === 1 ? "" : "s"}`;
  };
  const open = () => { dialog.open || dialog.showModal(); field.select(); show(); };
  document.getElementById("search-button").addEventListener("click", open);
  addEventListener("keydown", event => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest?.("input, textarea, select")) return;
    event.preventDefault();
    open();
  });
  field.addEventListener("input", show);
  dialog.addEventListener("click", event => (event.target === dialog || event.target.closest("a")) && dialog.close());
  dialog.addEventListener("keydown", event => {
    const stops = [field, ...list.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && at >= 0) stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
    else if (event.key === "Enter" && at === 0 && stops[1]) stops[1].click();
    else return;
    event.preventDefault();
  });
});
