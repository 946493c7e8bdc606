// The search: "/" or the button opens it, arrows move, Enter follows a link, Escape closes. It scans the sections of
// search-sections.js, which are loaded when somebody first searches.
const Search = (() => {
  // One spelling for British and American words, and for words with and without an ending.
  const fold = text => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replace(/([iy])z(?=e|ing|ation)/g, "$1s")
    .replace(/our(?=\b|s\b|ed\b|ing\b|able\b)/g, "or");
  const stem = word => word.length > 4 ? word.replace(/(?:ations?|ers?|ed|ing|es|s|e)$/, "") : word;
  const words = query => fold(query).match(/[\p{L}\p{N}_+]+/gu) ?? [];
  const literal = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const beginning = word => `(?<![\\p{L}\\p{N}])${literal(stem(word))}`;
  const prepare = sections => sections.map(section => ({ ...section, folded: [section.title, section.text, section.page].map(fold) }));

  // Every word must occur as the beginning of a word. Rare words, titles, and words side by side weigh more.
  const find = (sections, query, limit = 20) => {
    const wanted = words(query);
    if (!wanted.length) return [];
    const parts = wanted.map(word => new RegExp(beginning(word), "gu"));
    const phrase = new RegExp(wanted.map(word => literal(stem(word)) + "\\p{L}*").join("[^\\p{L}\\p{N}]+"), "gu");
    const count = (text, part) => (text.match(part) ?? []).length;
    const counts = sections.map(({ folded }) => parts.map(part => folded.map(text => count(text, part))));
    const rarity = parts.map((_, i) => Math.log(1 + sections.length / (1 + counts.filter(of => of[i][0] + of[i][1]).length)));
    return sections.map((section, at) => {
      const [title, text] = section.folded;
      if (counts[at].some(of => !of[0] && !of[1] && !of[2])) return { section, score: 0 };
      let score = counts[at].reduce((sum, of, i) => sum + rarity[i] *
        (12 * Math.min(of[0], 1) + 6 * of[1] / (of[1] + 1.5 + text.length / 1500) + Math.min(of[2], 1)), 0);
      const inTitle = words(title);
      wanted.forEach((word, i) => score += inTitle.includes(word) ? 12 * rarity[i] : 0);
      if (inTitle.join(" ") === wanted.join(" ")) score += 20;
      if (wanted.length > 1) score += 15 * Math.min(1, count(title, phrase)) + 8 * Math.min(2, count(text, phrase));
      return { section, score };
    }).filter(found => found.score > 0).sort((a, b) => b.score - a.score).slice(0, limit).map(found => found.section);
  };
  return { beginning, find, fold, prepare, words };
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
    const hit = new RegExp(`(?:${Search.words(query).map(Search.beginning).join("|")})[\\p{L}\\p{N}]*`, "gu");
    const folded = Search.fold(text), parts = [];
    if (folded.length !== text.length) return [text];  // the places would not be the same
    let end = 0;
    for (const found of folded.matchAll(hit)) {
      parts.push(text.slice(end, found.index), make("mark", {}, text.slice(found.index, end = found.index + found[0].length)));
    }
    return [...parts, text.slice(end)];
  };
  const excerpt = (section, query) => {
    const first = Search.fold(section.text).search(new RegExp(Search.words(query).map(Search.beginning).join("|"), "u"));
    const from = first < 60 ? 0 : section.text.indexOf(" ", first - 50) + 1;
    return (from ? "… " : "") + section.text.slice(from, from + 170) + (section.text.length > from + 170 ? " …" : "");
  };
  const show = async () => {
    const query = field.value, found = Search.find(await load(), query);
    list.replaceChildren(...found.map(section => make("li", {},
      make("a", { href: section.url }, ...marked(section.title, query)),
      make("span", {}, section.page === section.title ? "" : ` ${section.page}`),
      make("p", {}, ...marked(excerpt(section, query), query)))));
    status.textContent = !Search.words(query).length ? "" : !found.length ? "Nothing found." :
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
