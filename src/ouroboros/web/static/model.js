// The model: its text, what is in it, and what is wrong with it.
import { call, told } from "./api.js";
import { el, fill, onlyLast } from "./dom.js";
import { processPicture, saveSvg } from "./layout.js";
import { editor, reveal, sourceView } from "./source.js";

export function modelView(bench) {
  const text = el("div", { class: "panel grow", id: "source" });
  const side = el("div", { class: "column side" });
  let editing = null;

  function marks() {
    const found = new Map();
    for (const one of bench.unreached()) if (one.line) found.set(one.line, { kind: "unreached", title: `no run executes this: ${one.statement}` });
    const place = bench.model.error?.place;
    if (place) found.set(place.line, { kind: "error", title: bench.model.error.message });
    return found;
  }

  const wrong = (error) => (error ? `${error.place ? `line ${error.place.line}, column ${error.place.column}: ` : ""}${told(error)}` : "");

  function show() {
    if (editing) return;
    const { model } = bench, found = marks(), counts = bench.counts();
    const legend = [found.size > (model.error ? 1 : 0) && !model.error ? el("span", { class: "unsure", id: "unreached" }, `${[...found.values()].filter((one) => one.kind === "unreached").length} lines that no run executes are underlined`) : null,
      counts && el("span", { class: "dim", id: "counted" }, counts.complete ? "counts: how often each line is taken, over all states" : `counts: over the first ${counts.states.toLocaleString("en")} states only`)];
    const top = text.scrollTop;
    fill(text, el("div", { class: "toolbar" }, el("button", { id: "edit", title: "e", onclick: edit }, "edit"), legend),
      model.error && el("pre", { class: "bad", id: "problem" }, wrong(model.error)), sourceView(model.text, model.about?.language, found, new Map(counts?.lines)));
    text.scrollTop = top;
    if (model.error) reveal(text, ".row.error");
    fill(side, model.about ? about(model.about) : el("div", { class: "panel dim" }, "The model cannot be read: mend it, and this page follows."));
  }

  function edit() {
    const shown = el("pre", { class: "bad", id: "problem" }, wrong(bench.model.error));
    const stamp = bench.model.stamp;
    const draft = onlyLast((words) => call("draft", { model: bench.name, text: words, definitions: bench.definitions() }, null));
    // Gives where something is wrong, false where nothing is, null where nobody knows any more.
    async function look(words) {
      const answer = await draft(words);
      if (!answer) return null;
      const error = answer.error ?? answer.value.error;
      shown.textContent = wrong(error) || (answer.value && !answer.value.looked ? "This model is a program: it is looked at when it is saved." : "");
      shown.className = error ? "bad" : "dim";
      return error?.place ? { line: error.place.line, title: error.message } : false;
    }
    editing = editor(bench.model.text, bench.model.about?.language, look);
    const { area } = editing;
    const close = () => { editing = null; show(); };
    async function save() {
      try {
        await call("save", { model: bench.name, text: area.value, stamp: bench.model.stamp ?? stamp }, "saving …");
        editing = null;
        await bench.reload();
      } catch (error) { shown.textContent = told(error); shown.className = "bad"; }
    }
    area.addEventListener("keydown", (event) => {
      if (event.key === "s" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); save(); }
      if (event.key === "Escape") area.blur();
    });
    fill(text, el("div", { class: "toolbar" }, el("button", { id: "save", class: "main", title: "Ctrl-S", onclick: save }, "save"), el("button", { id: "cancel", onclick: close }, "cancel")), shown, editing.node);
    area.focus();
    area.setSelectionRange(0, 0);
    text.scrollTop = 0;
  }

  function about(data) {
    const control = el("div", { class: "panel" }, el("h2", {}, "control flow"), el("button", { id: "control", onclick: flow }, "draw the processes"));
    async function flow() {
      try {
        const processes = await bench.control();
        fill(control, el("h2", {}, "control flow"), processes.length ? processes.map((process, number) => {
          const picture = processPicture(process);
          return el("details", { open: number === 0 || processes.length < 3 }, el("summary", {}, process.process), picture, el("button", { onclick: () => saveSvg(`${process.process}.svg`, picture) }, "SVG"));
        }) : el("p", { class: "dim" }, "The model has no processes with places: its steps are rules."));
      } catch (error) { bench.notice(told(error)); }
    }
    return [
      el("div", { class: "panel" }, el("h2", {}, "properties"),
        el("table", {}, data.properties.map((one) => el("tr", {}, el("td", { class: "mono" }, one.name), el("td", { class: "dim" }, one.meaning))))),
      el("div", { class: "panel" }, el("h2", {}, "processes and variables"), data.components.map((component) => [
        el("h3", {}, component.process ? `process ${component.name}` : component.name),
        el("table", { class: "mono" }, component.variables.map((variable) => el("tr", {}, el("td", {}, variable.name === component.name ? "at" : variable.name.replace(`${component.name}.`, "")), el("td", { class: "dim" }, `${variable.elements ? `${variable.elements} × ` : ""}${variable.type}`))))])),
      control,
    ];
  }

  function key(event) {
    if (event.key === "e" && !editing && !event.target.matches("input, textarea, select")) { event.preventDefault(); edit(); }
  }

  show();
  return { nodes: [text, side], beat: () => { if (bench.fresh()) show(); }, key, editing: () => editing && editing.area.value !== bench.model.text };
}
