// The model: its text, what is in it, and what is wrong with it.
import { call, told } from "./api.js";
import { el, fill } from "./dom.js";
import { sourceView } from "./source.js";
import { draw } from "./layout.js";

export function modelView(bench) {
  const text = el("div", { class: "panel grow", id: "source" });
  const side = el("div", { class: "column side" });
  let editing = false;

  function marks() {
    const found = new Map();
    const place = bench.model.error?.place;
    if (place) found.set(place.line, { kind: "error", title: bench.model.error.message });
    for (const one of bench.unreached()) if (one.line) found.set(one.line, { kind: "unreached", title: "no run executes this" });
    return found;
  }

  function show() {
    const { model } = bench;
    const problem = model.error && el("pre", { class: "bad", id: "problem" }, model.error.place ? `line ${model.error.place.line}: ` : "", told(model.error));
    if (editing) edit(problem);
    else fill(text, el("div", { class: "toolbar" }, el("button", { id: "edit", onclick: () => { editing = true; show(); } }, "edit")), problem, sourceView(model.text, model.about?.language, marks()));
    fill(side, model.about ? about(model.about) : el("div", { class: "panel dim" }, "The model cannot be read: mend it, and this page follows."));
  }

  function edit(problem) {
    const shown = el("pre", { class: "bad", id: "problem" }, problem?.textContent ?? "");
    let timer = null;
    const area = el("textarea", { class: "editor", spellcheck: "false", "aria-label": "text of the model", oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        try {
          const { error } = await call("draft", { model: bench.name, text: area.value, definitions: bench.definitions() }, null);
          shown.textContent = error ? `${error.place ? `line ${error.place.line}: ` : ""}${told(error)}` : "";
        } catch (error) { shown.textContent = told(error); }
      }, 300);
    } });
    area.value = bench.model.text;
    fill(text, el("div", { class: "toolbar" },
      el("button", { id: "save", onclick: async () => {
        try {
          await call("save", { model: bench.name, text: area.value, stamp: bench.model.stamp }, "saving …");
          editing = false;
          await bench.reload();
        } catch (error) { shown.textContent = told(error); }
      } }, "save"),
      el("button", { onclick: () => { editing = false; show(); } }, "cancel")), shown, area);
  }

  function about(data) {
    const control = el("div", { class: "panel" }, el("h2", {}, "control flow"), el("button", { id: "control", onclick: flow }, "draw the processes"));
    async function flow() {
      try {
        const { processes } = await call("control", bench.asked(), "drawing …");
        fill(control, el("h2", {}, "control flow"), processes.length ? processes.map((process, number) => {
          const places = Object.keys(process.names), at = new Map(places.map((place, index) => [Number(place), index]));
          return el("details", { open: number === 0 || processes.length < 3 }, el("summary", {}, process.process), draw({
            nodes: places.map((place) => ({ label: process.names[place].slice(0, 14), title: process.names[place] })),
            edges: process.edges.map((edge) => ({ ...edge, from: at.get(edge.from), to: at.get(edge.to) })),
            starts: [at.get(process.initial) ?? 0] }, { across: 150, radius: 16 }));
        }) : el("p", { class: "dim" }, "The model has no processes with places: its steps are rules."));
      } catch (error) { bench.notice(told(error)); }
    }
    return [
      el("div", { class: "panel" }, el("h2", {}, `${data.language}`), el("h3", {}, "properties"),
        el("table", {}, data.properties.map((one) => el("tr", {}, el("td", { class: "mono" }, one.name), el("td", { class: "dim" }, one.meaning))))),
      el("div", { class: "panel" }, el("h2", {}, "variables"), data.components.map((component) => [
        el("h3", {}, component.process ? `process ${component.name}` : component.name),
        el("table", { class: "mono" }, component.variables.map((variable) => el("tr", {}, el("td", {}, variable.name), el("td", { class: "dim" }, `${variable.elements ? `${variable.elements} × ` : ""}${variable.type}`))))])),
      control,
    ];
  }

  show();
  return { nodes: [text, side], refresh: show };
}
