// Step by step through the model. The address holds the present path.
import { call, told } from "./api.js";
import { el, fill, image, isTyping, save } from "./dom.js";
import { processPicture } from "./layout.js";
import { reveal, sourceView } from "./source.js";
import { stateTable } from "./state.js";

export function exploreView(bench) {
  const choices = el("div", { class: "panel steps side", id: "steps" });
  const present = el("div", { class: "panel grow", id: "state" });
  const tree = el("div", { class: "panel", id: "path" }), source = el("div", { class: "panel flat", id: "lines" });
  const beside = el("div", { class: "column side" }, tree, source);
  const condition = el("input", { id: "condition", placeholder: "an expression of the model", spellcheck: "false", list: "names", onkeydown: (event) => event.key === "Enter" && until() });
  const count = el("input", { id: "count", type: "number", min: 1, max: 1000, value: 10, "aria-label": "how many random steps" });
  const chart = el("div", {}), automaton = el("div", {});
  let shown = null, asked = 0, process = bench.process ?? null;

  async function go(path) {
    asked += 1;
    const mine = asked;
    // What is shown belongs to the state before: no step of it can be taken any more.
    choices.querySelectorAll("button").forEach((button) => { button.disabled = true; });
    try {
      const answer = await call("state", { ...bench.asked(), path, watches: bench.watches, trail: !bench.paths.get(path)?.step && path.length > 1 }, "stepping …");
      if (mine !== asked) return;
      shown = answer;
    } catch (error) {
      if (mine !== asked) return;
      bench.notice(told(error));
      if (error.place === undefined) { if (shown) render(); return; }
      if (path.length > 1) await go([path[0]]);
      else if (path[0]) await go([0]);
      return;
    }
    bench.paths.note(path);
    shown.trail?.forEach((step, at) => bench.paths.note(path.slice(0, at + 2), step));
    fill(chart);
    bench.goto({ path });
    render();
  }

  function take(step) {
    const path = [...bench.path, step.number];
    bench.paths.note(path, step);
    return go(path);
  }

  async function wander(most, expression = null) {
    const from = bench.path;
    try {
      const answer = await call("wander", { ...bench.asked(), path: from, most, until: expression, seed: Math.floor(Math.random() * 2 ** 31) }, "running …");
      answer.trail.forEach((step, at) => bench.paths.note(answer.path.slice(0, from.length + at + 1), step));
      await go(answer.path);
      if (expression) bench.notice(answer.found ? "" : `after ${answer.path.length - from.length} random steps ${expression} has not come to hold: “find the nearest” looks everywhere`);
    } catch (error) { bench.notice(told(error)); }
  }

  const until = () => condition.value.trim() && wander(1000, condition.value.trim());

  async function nearest(expression) {
    try {
      await call("expression", { ...bench.asked(), text: expression });
      const { run } = await call("start", { ...bench.asked(), title: `nearest: ${expression}`, sought: expression, start: bench.path }, "searching …");
      bench.notice(`searching for a state where ${expression} …`, ["stop", () => call("stop", { run: run.number })]);
      const result = await bench.finished(run.number);
      if (result.error) { bench.notice(told(result.error)); return; }
      if (!result.traces?.length) {
        const holds = result.report?.verdict === "holds";
        bench.notice(holds ? `no state where ${expression} can be reached from here` : `not found: ${result.report?.reason ?? result.status}`);
        return;
      }
      const trace = await call("trace", { run: run.number, property: result.traces[0] });
      bench.notice("");
      if (trace.path) await go(trace.path);
      else bench.goto({ tab: "trace", run: run.number, property: result.traces[0] });
    } catch (error) { bench.notice(told(error)); }
  }

  function stepButton(step, number) {
    const name = step.place ? `${step.place}: ${step.statement || step.process}` : step.statement || step.process;
    return el("button", { class: step.fails ? "bad" : null, "data-step": step.number, onclick: () => take(step), onmouseenter: () => mark(step.lines), onmouseleave: () => mark([]), onfocus: () => mark(step.lines) },
      number <= 9 ? el("kbd", {}, number) : null, name, el("span", { class: "preview" }, step.fails ? `fails: ${step.fails}` : step.changes.join(", ") || "changes nothing"));
  }

  // The lines of a step that might be taken.
  function mark(lines) {
    source.querySelectorAll(".row.next").forEach((row) => row.classList.remove("next"));
    for (const line of lines) source.querySelector(`[data-line="${line}"]`)?.classList.add("next");
    if (lines.length) reveal(source, ".row.next");
  }

  function render() {
    const groups = new Map();
    for (const step of shown.steps) groups.set(step.process, [...(groups.get(step.process) ?? []), step]);
    // A single rule that says its name itself needs no heading.
    const heading = (name, steps) => (name && !(steps.length === 1 && steps[0].statement === name) ? el("h3", {}, name) : null);
    let number = 0;
    fill(choices, el("div", { class: "toolbar" },
      el("button", { id: "undo", disabled: bench.path.length < 2, onclick: undo, title: "u" }, "undo"),
      el("button", { id: "restart", onclick: () => go([bench.path[0]]), title: "0" }, "restart"),
      el("button", { id: "random", onclick: () => wander(Number(count.value) || 10), title: "so many random steps: r" }, "random steps"), count),
      bench.model.about.initial > 1 && el("label", {}, "initial state ", el("input", { type: "number", min: 0, max: bench.model.about.initial - 1, value: bench.path[0], onchange: (event) => go([Number(event.target.value)]) }), ` of ${bench.model.about.initial}`),
      el("h2", {}, shown.ending ? el("span", { class: shown.failed ? "bad" : "unsure", id: "ending" }, shown.ending) : `possible steps: ${shown.steps.length}`),
      [...groups].map(([name, steps]) => [heading(name, steps), steps.map((step) => { number += 1; return stepButton(step, number); })]),
      el("h3", {}, "go on until"), condition, el("div", { class: "toolbar" },
        el("button", { id: "until", onclick: until }, "random run until it holds"),
        el("button", { id: "nearest", onclick: () => condition.value.trim() && nearest(condition.value.trim()) }, "find the nearest")));
    renderState();
    renderTree();
    fill(source, sourceView(bench.model.text, bench.model.about.language, new Map(shown.lines.map((line) => [line, { kind: "lit", title: "the last step" }]))));
    reveal(source, ".row.lit");
  }

  function renderState() {
    const watch = el("input", { id: "watch", placeholder: "watch an expression", spellcheck: "false", list: "names", onkeydown: (event) => {
      if (event.key === "Enter" && watch.value.trim()) { bench.watches.push(watch.value.trim()); bench.keep(); go(bench.path).then(() => present.querySelector("#watch").focus()); }
    } });
    const forget = (at) => { bench.watches.splice(at, 1); bench.keep(); go(bench.path); };
    const node = bench.paths.get(bench.path), taken = bench.path.length - 1;
    const mark = () => { node.name = node.name === null ? "" : null; bench.keep(); render(); };
    fill(present, el("div", { class: "toolbar" }, el("h2", {}, taken ? `after ${taken} step${taken === 1 ? "" : "s"}` : "initial state"),
      el("button", { id: "bookmark", "aria-pressed": String(node.name !== null), title: "b", onclick: mark }, node.name !== null ? "★ bookmarked" : "☆ bookmark")),
      el("div", { class: "pair" }, stateTable(shown.state), shown.picture && image(shown.picture, "picture of the state")),
      el("h3", {}, "watched"), bench.watches.length ? el("table", { class: "mono", id: "watches" }, bench.watches.map((text, at) => el("tr", {}, el("td", {}, text),
        el("td", { class: shown.watches[at]?.error ? "bad" : null }, shown.watches[at]?.error ?? String(shown.watches[at]?.value)),
        el("td", {}, el("button", { title: `watch ${text} no longer`, onclick: () => forget(at) }, "×"))))) : null, watch,
      shown.properties.length ? [el("h3", {}, "what the properties speak of"), el("table", { class: "mono", id: "atoms" }, shown.properties.map((one) => el("tr", {}, el("td", { class: "dim" }, one.property), el("td", {}, one.text === one.property ? "" : one.text),
        el("td", { class: one.required ? (one.value ? "good" : "bad") : null }, one.error ?? (one.required ? (one.value ? "holds" : "false") : one.value ? "true" : "false")))))] : null,
      automaton);
    drawProcess();
  }

  async function drawProcess() {
    const names = bench.model.about.places;
    if (!names.length) return;
    const select = el("select", { id: "process", onchange: () => { process = bench.process = select.value || null; drawProcess(); } }, el("option", { value: "" }, "none"), names.map((name) => el("option", { value: name }, name)));
    select.value = process ?? "";
    const place = shown;
    let drawn = null;
    if (process) {
      const found = (await bench.control()).find((one) => one.process === process);
      drawn = found ? processPicture(found, place.places[process]) : el("p", { class: "dim" }, "This process does not exist yet.");
    }
    if (place === shown) fill(automaton, el("h3", {}, el("label", {}, "process as an automaton: ", select)), drawn);
  }

  function renderTree() {
    const upload = el("input", { type: "file", accept: ".json", id: "upload", hidden: true, onchange: () => load(upload.files[0]) });
    const marked = bench.paths.bookmarks();
    fill(tree, el("h2", {}, "path"), el("div", { class: "toolbar" },
      el("button", { id: "save-path", title: "as a trace that other tools read (ITF)", onclick: saved }, "save"),
      el("button", { onclick: () => upload.click(), title: "a trace that was saved here, or by ouro check --json" }, "load"), upload,
      el("button", { id: "chart", onclick: messages }, "message chart"),
      el("button", { id: "link", title: "the address of this state", onclick: () => navigator.clipboard?.writeText(location.href).then(() => bench.notice("the address is in the clipboard"), () => bench.notice(location.href)) }, "link")),
      marked.length ? el("ul", { class: "tree", id: "bookmarks" }, marked.map((node) => el("li", {}, el("button", { onclick: () => go(node.path) }, `★ after ${node.path.length - 1} steps`),
        el("input", { class: "name", placeholder: "name", value: node.name, "aria-label": "name of the bookmark", onchange: (event) => { node.name = event.target.value; bench.keep(); } })))) : null,
      chart, bench.paths.view(bench.path[0], bench.path, go));
    reveal(tree, ".here");
  }

  async function saved() {
    try {
      const { trace } = await call("recorded", { ...bench.asked(), path: bench.path }, "writing …");
      save(`${bench.name.split("/").pop()}.itf.json`, `${JSON.stringify(trace, null, 1)}\n`, "application/json");
    } catch (error) { bench.notice(told(error)); }
  }

  async function load(file) {
    let trace;
    try { trace = JSON.parse(await file.text()); } catch { bench.notice(`${file.name} is no JSON: load a trace that was saved here, or by ouro check --json`); return; }
    try { await go((await call("along", { ...bench.asked(), trace }, "walking along the trace …")).path); } catch (error) { bench.notice(told(error)); }
  }

  async function messages() {
    try { fill(chart, image((await call("messages", { ...bench.asked(), path: bench.path }, "drawing …")).svg, "message chart")); } catch (error) { bench.notice(told(error)); }
  }

  const undo = () => bench.path.length > 1 && go(bench.path.slice(0, -1));

  function key(event) {
    if (isTyping(event) || !shown) return;
    if (event.key === "u") undo();
    else if (event.key === "r") wander(Number(count.value) || 10);
    else if (event.key === "b") present.querySelector("#bookmark").click();
    else if (event.key === "0") go([bench.path[0]]);
    else if (/^[1-9]$/.test(event.key)) {
      const button = choices.querySelectorAll("button[data-step]")[event.key - 1];
      if (button && !button.disabled) button.click();
    }
  }

  const ready = bench.model.about ? go(bench.path) : fill(present, el("p", { class: "dim" }, "The model cannot be read."));
  return { nodes: bench.model.about ? [choices, present, beside] : [present], key, ready };
}
