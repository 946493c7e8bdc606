// What a page of the site must satisfy once it is drawn. Evaluates to a list of sentences, one for each defect.
(() => {
  const found = [], contents = document.querySelector("div.contents"), phone = innerWidth === 390;
  const excerpt = element => (element.innerText || element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 50);
  const tex = element => element.querySelector("annotation")?.textContent.slice(0, 60);
  const check = (selector, fault) => found.push(...[...document.querySelectorAll(selector)].map(fault).filter(Boolean));
  const texts = (root, left) => {  // its words, but for those in elements that `left` chooses
    const all = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
      node => node.matches?.(left) ? NodeFilter.FILTER_REJECT : node.data?.trim() ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP);
    while (walker.nextNode()) all.push(walker.currentNode);
    return all;
  };

  for (const { name } of performance.getEntriesByType("resource")) found.push(`asked for ${name}`);  // files are not among them
  for (const font of document.fonts) if (font.status === "error") found.push(`font not loaded: ${font.family}`);
  check(".katex", formula => {
    if (formula.closest(".stack :is(.head, tr:first-child)") && !formula.checkVisibility()) return "";  // shown in the other place
    const drawn = formula.querySelector(".katex-html").getBoundingClientRect().width > 0;
    return drawn && formula.querySelector("math") ? "" : `not drawn: ${excerpt(formula)}`;
  });
  // TeX that no formula holds: a dollar sign that did not count, a command outside.
  for (const { data } of texts(contents, "code, .fragment, script, style, svg, .katex")) {
    const raw = data.match(/\\[a-zA-Z([]\w*|\$(?!\d)|```|\*\*|\]\(|&[#\w]+;/);
    if (raw) found.push(`unrendered: ${raw[0]} in "${data.trim().slice(0, 60)}"`);
  }
  check(".contents :is(.fragment, code)", code => /<\/?su[bp]>/.test(code.textContent) && `unrendered: a tag in "${excerpt(code)}"`);

  check(".contents img", image => image.complete && image.naturalWidth === 0 && `missing image: ${image.getAttribute("src")}`);
  check(".contents img:not([alt])", image => `image without a text alternative: ${image.getAttribute("src")}`);
  // The least letters in our figures have 12 pixels (test_docs.py); drawn at three quarters, they have 9.
  check(".contents figure img[src$='.svg']", image => {
    const scale = image.getBoundingClientRect().width / image.naturalWidth;
    return phone && scale > 0 && scale < 0.75 && `letters of ${(12 * scale).toFixed(1)} pixels in ${image.getAttribute("src")}`;
  });
  check(".contents :is(.formulaDsp, .fragment)", box => {  // a formula breaks between relations on a phone; a table in it cannot
    const hidden = box.scrollWidth - box.clientWidth, breaks = tex(box) && !box.querySelector("annotation").textContent.includes("{array}");
    return hidden > 1 && (innerWidth >= 1280 || phone && breaks) && `its last ${hidden} pixels are out of sight: ${tex(box) ?? excerpt(box)}`;
  });
  check(".contents .katex", formula => {
    const parts = formula.closest(".katex-display") ? [] : [...formula.querySelectorAll(".base")].map(part => part.getBoundingClientRect());
    const short = [...formula.querySelector(".katex-html").textContent.replaceAll("\u200b", "")].length <= 14;
    return short && parts.some(part => part.top > parts[0].bottom) && `a line ends in ${tex(formula)}`;
  });
  check(".contents .joined", ({ lastChild: stop }) => {
    const range = document.createRange(), end = stop.previousSibling?.querySelector?.(".katex-html > :last-child")?.getBoundingClientRect();
    range.selectNodeContents(stop);
    const [place] = range.getClientRects();
    return place && end && place.left < end.left && place.top > end.top + end.height / 2 && `a line begins with "${stop.data}"`;
  });
  check("#toc", list => list.scrollWidth > list.clientWidth && "an entry of the contents is cut off");

  const ids = [...document.querySelectorAll("[id]")].map(element => element.id), twice = ids.filter((id, i) => ids.indexOf(id) < i);
  if (twice.length) found.push(`ids that occur twice: ${twice.slice(0, 3)}`);
  check("html:not([lang])", () => "no language");
  const levels = [...document.querySelectorAll("main :is(h1, h2, h3, h4, h5, h6)")].map(heading => Number(heading.tagName[1]));
  if (levels.filter(level => level === 1).length !== 1) found.push("not one h1");
  levels.forEach((level, i) => i && level > levels[i - 1] + 1 && found.push(`h${levels[i - 1]} is followed by h${level}`));
  const wide = document.documentElement.scrollWidth - innerWidth, excess = contents.scrollWidth - contents.clientWidth;
  if (wide > 0) found.push(`${wide} pixels wider than the window`);
  if (excess > 1) {
    const scrolls = element => element !== contents && (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement));
    const culprit = [...contents.querySelectorAll("*")].find(element =>
      element.getBoundingClientRect().right > contents.getBoundingClientRect().right + 1 && !scrolls(element.parentElement));
    found.push(`contents ${excess} pixels too wide: ${culprit?.outerHTML.slice(0, 90)}`);
  }

  // Contrast of text: 4.5 to 1, or 3 to 1 for large text (WCAG 2, AA).
  const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const over = (colour, below) => {
    const [r, g, b, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return [r, g, b].map((value, i) => value * alpha + below[i] * (1 - alpha));
  };
  const known = new Map([[null, document.documentElement.classList.contains("dark-mode") ? [0, 0, 0] : [255, 255, 255]]]);
  const behind = element => {
    if (!known.has(element)) known.set(element, over(getComputedStyle(element).backgroundColor, behind(element.parentElement)));
    return known.get(element);
  };
  const elements = texts(document.body, "script, style, svg, [hidden]").map(({ parentElement }) => parentElement.closest(".katex") ?? parentElement);
  const faint = new Map();
  for (const element of new Set(elements)) {  // a formula has one colour
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const style = getComputedStyle(element), below = behind(element), size = parseFloat(style.fontSize);
    const [light, dark] = [over(style.color, below), below].map(luminance).sort((a, b) => b - a), ratio = (light + 0.05) / (dark + 0.05);
    const least = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700) ? 3 : 4.5, kind = `${element.tagName}.${element.className}`;
    if (ratio < least && !faint.has(kind)) faint.set(kind, `contrast ${ratio.toFixed(2)} to 1: ${kind} "${excerpt(element)}" ${style.color}`);
  }
  return [...found, ...faint.values()];
})()
