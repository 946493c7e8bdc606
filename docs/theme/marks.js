// Which exercises are done. The browser keeps it; the reader ticks a box, or results.js, which ./course docs --open fills,
// says what ./course check passed. Each run of the suites counts once, so that a box can be unticked again.
addEventListener("DOMContentLoaded", () => {
  const kept = act => { try { return act(localStorage); } catch { return null; } };  // a browser may refuse to keep anything
  const done = new Set(kept(store => JSON.parse(store.getItem("done"))) ?? []);
  const keep = () => kept(store => store.setItem("done", JSON.stringify([...done])));
  const { when, passed } = window.RESULTS;
  if (when && kept(store => store.getItem("results")) !== when) {
    passed.forEach(name => done.add(name));
    keep();
    kept(store => store.setItem("results", when));
  }

  const boxes = [...document.querySelectorAll("[data-mark]")].map(place => {
    const name = place.dataset.mark, label = document.createElement("label"), box = document.createElement("input");
    Object.assign(box, { type: "checkbox", ariaLabel: `done: ${name}` });
    box.addEventListener("change", () => {
      done[box.checked ? "add" : "delete"](name);
      keep();
      show();
    });
    label.className = "done";
    label.append(box, "done");
    place.closest(".card") ? place.prepend(label) : place.append(label);
    return [name, box];
  });
  const labs = [...document.querySelectorAll("[data-marks]")].map(lab => {
    const count = document.createElement("small");
    lab.querySelector("span").append(count);
    return [lab, lab.dataset.marks.split(" "), count];
  });
  const show = () => {
    for (const [name, box] of boxes) box.checked = done.has(name);
    for (const [lab, names, count] of labs) {
      const many = names.filter(name => done.has(name)).length;
      lab.classList.toggle("done", many === names.length);
      count.textContent = many ? `${many} of ${names.length} done` : "";
    }
  };
  show();
});
