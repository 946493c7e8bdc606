// What a page of the site must satisfy once it is drawn. Evaluates to a list of sentences, one for each defect.
(() => {
  const found = [];
  const excerpt = element => (element.innerText || element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 50);

  for (const folded of document.querySelectorAll("details")) folded.open = true;

  // Formulas: every one that the page holds is drawn, and none is an error in red.
  const formulas = window.MathJax ? MathJax.Hub.getAllJax() : [];
  const drawn = [...document.querySelectorAll(".MathJax_SVG > svg")].filter(svg => svg.clientWidth > 0).length;
  if (drawn !== formulas.length) found.push(`${formulas.length} formulas, but ${drawn} drawn`);
  for (const formula of formulas) {
    const tree = formula.root.toString();
    if (tree.includes("merror")) found.push(`formula: ${tree}: ${formula.originalText}`);
  }
  // TeX that no formula holds: a dollar sign that did not count, a command outside.
  const contents = document.querySelector("div.contents");
  const words = document.createTreeWalker(contents, NodeFilter.SHOW_TEXT);
  const notProse = "code, .fragment, script, style, svg, .MathJax_SVG, .MathJax_SVG_Display, .memproto, .memtitle";
  for (let node; (node = words.nextNode());) {
    if (node.parentElement.closest(notProse)) continue;
    const raw = node.data.match(/\\[a-zA-Z([]\w*|\$[^$]*[\\^_][^$]*\$|```|\*\*|\]\(|&[#\w]+;/);
    if (raw) found.push(`unrendered: ${raw[0]} in "${node.data.trim().slice(0, 60)}"`);
  }

  for (const code of contents.querySelectorAll(".fragment, code")) {
    const tag = code.textContent.match(/<\/?su[bp]>/);
    if (tag) found.push(`unrendered: ${tag[0]} in "${excerpt(code)}"`);
  }

  for (const image of document.querySelectorAll("div.contents img")) {
    if (image.complete && image.naturalWidth === 0) found.push(`missing image: ${image.getAttribute("src")}`);
    if (!image.hasAttribute("alt")) found.push(`image without a text alternative: ${image.getAttribute("src")}`);
  }
  if (window.innerWidth >= 1280) {
    for (const formula of contents.querySelectorAll("p.formulaDsp")) {
      const hidden = formula.scrollWidth - formula.clientWidth;
      if (hidden > 1) found.push(`formula: its last ${hidden} pixels are out of sight: ${formula.querySelector("script")?.textContent.slice(0, 60)}`);
    }
  }
  if (!document.documentElement.lang) found.push("no language");
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) found.push(`${wide} pixels wider than the window`);
  if (contents.scrollWidth > contents.clientWidth + 1) {
    const culprit = [...contents.querySelectorAll("*")].find(e => {
      if (e.getBoundingClientRect().right <= contents.getBoundingClientRect().right + 1) return false;
      for (let box = e.parentElement; box !== contents; box = box.parentElement) {
        if (getComputedStyle(box).overflowX !== "visible") return false;
      }
      return true;
    });
    const excess = contents.scrollWidth - contents.clientWidth;
    found.push(`contents ${excess} pixels too wide: ${culprit ? culprit.outerHTML.slice(0, 90) : "?"}`);
  }

  // Contrast of text: 4.5 to 1, or 3 to 1 for large text (WCAG 2, AA).
  const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parse = text => { const v = text.match(/[\d.]+/g).map(Number); return v.length < 4 ? [...v, 1] : v; };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    const page = document.documentElement.classList.contains("dark-mode") ? [0, 0, 0] : [255, 255, 255];
    return layers.reverse().reduce((below, top) => over(top, below), page);
  };
  const faint = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = texts.nextNode());) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, style, svg, [hidden]")) continue;
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const style = getComputedStyle(element);
    const below = behind(element);
    const ink = over(parse(style.color), below);
    const [light, dark] = [luminance(ink), luminance(below)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      const key = `${element.tagName.toLowerCase()}.${element.className}`;
      const colours = `${style.color} on rgb(${below.map(Math.round)})`;
      if (!faint.has(key)) faint.set(key, `contrast ${ratio.toFixed(2)} to 1: ${key} "${excerpt(element)}" ${colours}`);
    }
  }
  return [...found, ...faint.values()];
})()
