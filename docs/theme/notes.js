// What a citation, or a letter or word of the glossary, stands for, shown beside its link: under the pointer, at the focus of
// the keyboard, and by a first tap, so that only a second follows the link. Escape hides it.
addEventListener("DOMContentLoaded", () => {
  let shown = null, timer;
  const hide = () => {
    clearTimeout(timer);
    if (shown) document.getElementById(shown.getAttribute("aria-describedby")).hidden = true;
    shown = null;
  };
  const show = link => {
    hide();
    const note = document.getElementById((shown = link).getAttribute("aria-describedby")), { left, top, bottom } = link.getClientRects()[0];
    note.hidden = false;
    const above = bottom + note.offsetHeight + 12 > innerHeight && top > note.offsetHeight + 12;
    note.style.left = `${scrollX + Math.max(8, Math.min(left, document.documentElement.clientWidth - note.offsetWidth - 8))}px`;
    note.style.top = `${scrollY + (above ? top - note.offsetHeight - 6 : bottom + 6)}px`;
    return note;
  };
  const later = (act, wait) => {
    clearTimeout(timer);
    timer = setTimeout(act, wait);
  };
  const byMouse = act => event => event.pointerType === "mouse" && act();
  for (const link of document.querySelectorAll("a[aria-describedby^=note-]")) {
    let first = false;  // whether a touch has just begun on a link whose note is not shown
    link.addEventListener("pointerenter", byMouse(() => later(() => show(link), 120)));
    link.addEventListener("pointerleave", byMouse(() => later(hide, 250)));
    link.addEventListener("focus", () => link.matches(":focus-visible") && show(link));
    link.addEventListener("blur", hide);
    link.addEventListener("pointerdown", event => first = event.pointerType === "touch" && shown !== link);
    link.addEventListener("click", event => {
      if (!first) return;
      event.preventDefault();
      show(link).classList.add("tapped");
      first = false;
    });
  }
  for (const note of document.querySelectorAll(".popover")) {  // one can move the pointer into it
    note.addEventListener("pointerenter", () => clearTimeout(timer));
    note.addEventListener("pointerleave", byMouse(() => later(hide, 250)));
  }
  addEventListener("keydown", event => event.key === "Escape" && hide());
  addEventListener("pointerdown", event => event.target.closest("a[aria-describedby], .popover") || hide());
});
