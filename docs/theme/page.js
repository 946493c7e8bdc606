// What every page does: light and dark, folded lists on a phone, copy buttons, what scrolls sideways, where one is.
addEventListener("DOMContentLoaded", () => {
  const page = document.documentElement;
  const make = (tag, given) => Object.assign(document.createElement(tag), given);

  const theme = document.getElementById("theme-button");
  const show = dark => {
    page.classList.toggle("dark-mode", dark);
    page.classList.toggle("light-mode", !dark);
    theme.setAttribute("aria-pressed", dark);
  };
  const kept = store => { try { return store(localStorage); } catch { return null; } };  // a browser may refuse to keep anything
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", () => kept(store => store.getItem("theme")) ?? show(system.matches));
  theme.addEventListener("click", () => {
    const dark = !page.classList.contains("dark-mode");
    kept(store => store.setItem("theme", dark ? "dark" : "light"));
    show(dark);
  });
  show(page.classList.contains("dark-mode"));

  for (const [id, least] of [["pages", 900], ["toc", 1000]]) {
    const list = document.getElementById(id), wide = matchMedia(`(min-width: ${least}px)`);
    const fold = () => list && (list.open = wide.matches);
    wide.addEventListener("change", fold);
    fold();
  }

  for (const code of document.querySelectorAll("main .fragment")) {
    const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      const lines = [...code.querySelectorAll(".line")].map(line => line.textContent).join("\n");
      const copied = navigator.clipboard?.writeText(lines) ?? Promise.reject();  // absent without https
      button.textContent = await copied.then(() => "Copied", () => "Select it, then copy");
      setTimeout(() => button.textContent = "Copy", 2000);
    });
    const box = make("div", { className: "copyable" });
    code.replaceWith(box);
    box.append(code, button);
  }

  // On a phone, a table that does not fit, or only with cells of five lines of a word or two, shows its cells one below another,
  // each with the head of its column.
  const narrow = cell => {
    const words = document.createRange();
    words.selectNodeContents(cell);
    return cell.clientWidth < 90 && words.getBoundingClientRect().height > 90;
  };
  const stack = table => {
    const [heads, ...rows] = [...table.rows].map(row => [...row.cells]);
    for (const cells of rows) cells.forEach((cell, i) => {
      if (!cell.textContent.trim()) return cell.classList.add("empty");
      const head = make("span", { className: "head" });
      head.append(...heads[i].cloneNode(true).childNodes, " ");
      cell.prepend(head);
    });
    table.classList.add("stack");
  };

  // A tab stop where, and only where, something is out of sight.
  const boxes = document.querySelectorAll("main :is(.formulaDsp, .fragment, figure, table, tbody)");
  const reach = boxes => {
    const wide = boxes.map(box => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible");
    const tall = boxes.map(box => innerWidth < 480 && box.matches("table.markdownTable:not(.stack)") &&
      [...box.rows].some(row => [...row.cells].some(narrow)));
    boxes.forEach((box, i) => {  // all are measured before the first is changed: one layout serves them all
      const table = (tall[i] || wide[i] && innerWidth < 480) && box.closest("table.markdownTable:not(.stack)");
      if (table) return stack(table);
      const role = box.matches("table, tbody") ? {} : { role: "group", "aria-label": "wider than the page: scrolls sideways" };
      for (const [name, value] of Object.entries({ tabindex: 0, ...role })) {
        if (wide[i] !== box.hasAttribute(name)) wide[i] ? box.setAttribute(name, value) : box.removeAttribute(name);
      }
    });
  };
  const watch = new ResizeObserver(entries => reach(entries.map(({ target }) => target)));
  boxes.forEach(box => watch.observe(box));
  document.fonts.addEventListener("loadingdone", () => reach([...boxes]));

  for (const select of document.querySelectorAll("select[data-shows]")) {
    const kind = select.dataset.shows;
    select.closest("[hidden]").hidden = false;
    select.addEventListener("change", () => {
      for (const part of document.querySelectorAll(`[data-${kind}]`)) {
        part.hidden = select.value && part.dataset[kind] !== select.value;
      }
    });
  }

  // Only the rows with these words, and the blocks that hold some of them, which open.
  for (const input of document.querySelectorAll("input[data-filters]")) {
    const rows = [...document.querySelectorAll(input.dataset.filters)].filter(row => !row.querySelector("th"));
    const said = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) row.hidden = !words.every(word => said.get(row).includes(word));
      for (const fold of new Set(rows.map(row => row.closest("details")))) {
        fold.open = words.length > 0;
        fold.parentElement.hidden = [...fold.querySelectorAll("tr:has(td)")].every(row => row.hidden);
      }
    });
  }

  // A link into a folded block opens it. (Chromium does so by itself, other browsers not always.) So does one to the heading
  // above it, of an exercise or of a whole lab.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const block = target?.closest("[data-exercise], [data-lab]");
    const folds = [...document.querySelectorAll("main details:not([open])")]
      .filter(fold => fold.contains(target) || block?.contains(fold));
    for (const fold of folds) fold.open = true;
    if (folds.length) target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();

  const places = new Map([...document.querySelectorAll("#toc a")].map(link => [document.getElementById(link.hash.slice(1)), link]));
  const mark = () => {
    const passed = [...places.keys()].filter(heading => heading?.getBoundingClientRect().top < 120).pop();
    for (const [heading, link] of places) {
      if (heading !== passed) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        const list = link.closest("#toc"), top = link.offsetTop - list.offsetTop;
        if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) list.scrollTop = top - list.clientHeight / 3;
      }
    }
  };
  if (places.size) addEventListener("scroll", mark, { passive: true });

  // On paper: everything open, dark letters; afterwards as it was.
  let folded = [], dark = false;
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    folded.forEach(block => block.open = true);
    dark = page.classList.contains("dark-mode");
    show(false);
  });
  addEventListener("afterprint", () => {
    folded.forEach(block => block.open = false);
    show(dark);
  });

  // ← and → lead to the chapters before and after, unless something on the page wants these keys.
  addEventListener("keydown", event => {
    const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    const busy = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented ||
      event.target.closest?.("input, textarea, select, button, .interactive, [tabindex='0'], dialog");
    if (rel && !busy) document.querySelector(`nav.pager [rel=${rel}]`)?.click();
  });
});
