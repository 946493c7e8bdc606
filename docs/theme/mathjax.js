MathJax.Hub.Config({
  messageStyle: "none", showMathMenu: false,
  // Doxygen writes \( \) and \[ \]; code is never a formula.
  tex2jax: { inlineMath: [["\\(", "\\)"]], displayMath: [["\\[", "\\]"]], ignoreClass: "fragment" },
  SVG: { linebreaks: { automatic: false }, scale: 92, undefinedFamily: "serif" }
});
