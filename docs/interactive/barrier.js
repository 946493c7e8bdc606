// Lab 05: thread 2 writes A(1, 0), thread 0 reads it. Without a barrier the order is that of the hardware, which the reader
// chooses here; with one, the read comes after the write.
const lastStep = ({ barrier }) => barrier ? 6 : 4;
interactive("barrier", {
  inputs: [
    { kind: "choice", name: "first", label: "faster thread", value: "thread 0", options: ["thread 0", "thread 2"] },
    { kind: "toggle", name: "barrier", label: "__syncthreads() between write and read", value: false },
    { kind: "button", name: "step", label: "previous step", value: 0, next: now => Math.max(0, Math.min(now.step, lastStep(now)) - 1) },
    { kind: "button", name: "step", label: "next step", value: 0, next: now => Math.min(lastStep(now), now.step + 1) },
  ],

  // What each of the threads does, in the order in which it happens, and what is read.
  compute({ first, barrier }) {
    const programs = { "thread 0": ["writes A(0, 0)", "waits at the barrier", "reads A(1, 0)"],
      "thread 2": ["writes A(1, 0)", "waits at the barrier", "goes on"] };
    const order = first === "thread 0" ? ["thread 0", "thread 2"] : ["thread 2", "thread 0"];
    const part = (from, to) => order.flatMap(thread => programs[thread].slice(from, to).map(does => ({ thread, does })));
    const events = barrier ? [...part(0, 2), ...part(2, 3)]
      : part(0, 3).filter(({ does }) => does !== "waits at the barrier");
    let stored = "old";
    for (const event of events) {
      if (event.does === "writes A(1, 0)") stored = "new";
      if (event.does === "reads A(1, 0)") event.value = stored;
    }
    return { events, value: events.find(event => event.value).value, race: !barrier };
  },

  draw({ step, barrier }, { events, race }) {
    const shown = events.slice(0, step), last = shown.at(-1);
    const cells = (thread, i) => element("td", {}, shown[i]?.thread === thread ? shown[i].does + (shown[i].value ? ` and gets the ${shown[i].value} value` : "") : "");
    const table = element("table", { class: "events" }, element("caption", {}, "time runs downwards"),
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "thread 0"), element("th", { scope: "col" }, "thread 2"))),
      element("tbody", {}, ...events.map((_, i) => element("tr", {}, cells("thread 0", i), cells("thread 2", i)))));
    const read = shown.find(event => event.value);
    return {
      picture: table,
      says: !last ? "Press “next step”." : read && race ? `Thread 0 has read the ${read.value} value. Make the other thread faster, and it reads the other one: a data race.`
        : read ? "Thread 0 has read the new value, whichever thread is faster." : `${last.thread} ${last.does}.` + (barrier ? "" : " No barrier says who must wait."),
    };
  },
});
