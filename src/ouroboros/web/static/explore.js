// Step by step through the model. The paths that were walked are kept as a tree; the address holds the present one.
import { call, told } from "./api.js";
import { el, fill, image, save } from "./dom.js";
import { stateTable } from "./state.js";
import { sourceView } from "./source.js";

export function exploreView(bench) {
  const choices = el("div", { class: "panel steps side", id: "steps" });
  const present = el("div", { class: "panel grow", id: "state" });
  const beside = el("div", { class: "column side" });
  const tree = bench.tree;
  let shown = null;

  async function go(path) {
    // What is shown belongs to the state before: no step of it can be taken any more.
    choices.querySelectorAll("button").forEach((button) => { button.disabled = true; });
    try {
      shown = await call("state", { ...bench.asked(), path, watches: bench.watches, trail: !tree.has(path.join(".")) }, "stepping …");
    } catch (error) {
      bench.notice(told(error));
      if (path.length > 1) await go([path[0]]);
      else if (shown) render();
      return;
    }
    shown.trail?.forEach((step, at) => note(path.slice(0, at + 2), step));
    note(path);
    bench.goto({ path });
    render();
  }

  function note(path, step) {
    const key = path.join(".");
    if (!tree.has(key)) tree.set(key, { path, step: null, children: [], bookmarked: false });
    if (step) tree.get(key).step = step;
    if (path.length > 1) {
      const parent = path.slice(0, -1);
      note(parent);
      const { children } = tree.get(parent.join("."));
      if (!children.includes(key)) children.push(key);
    }
  }

  function take(step) {
    note([...bench.path, step.number], step);
    return go([...bench.path, step.number]);
  }

  async function random(count, until = null) {
    let path = bench.path;
    for (let made = 0; made < count; made += 1) {
      const here = await call("state", { ...bench.asked(), path, watches: until ? [until] : [] }, "running …");
      if (until && here.watches[0].error) { bench.notice(here.watches[0].error); break; }
      if (!here.steps.length || (until && made && here.watches[0].value)) break;
      const step = here.steps[Math.floor(Math.random() * here.steps.length)];
      path = [...path, step.number];
      note(path, step);
    }
    await go(path);
  }

  async function nearest(expression) {
    try {
      await call("expression", { ...bench.asked(), text: expression });
      const { run } = await call("start", { ...bench.asked(), title: `nearest: ${expression}`, sought: expression, start: bench.path }, "searching …");
      bench.notice(`searching for a state where ${expression} …`);
      const result = await bench.finished(run.number);
      if (result.error) { bench.notice(told(result.error)); return; }
      if (!result.traces?.length) { bench.notice(result.report?.verdict === "holds" ? `no state where ${expression} can be reached from here` : `not found: ${result.report?.reason ?? result.status}`); return; }
      const trace = await call("trace", { run: run.number, property: result.traces[0] });
      bench.notice("");
      if (trace.path) await go(trace.path);
      else bench.notice(`found after ${trace.steps.length} steps: see the counterexample of run ${run.number}`);
    } catch (error) { bench.notice(told(error)); }
  }

  function render() {
    const groups = Map.groupBy ? Map.groupBy(shown.steps, (step) => step.process || "rules") : shown.steps.reduce((found, step) => found.set(step.process || "rules", [...(found.get(step.process || "rules") ?? []), step]), new Map());
    const condition = el("input", { id: "condition", placeholder: "an expression of the model", spellcheck: "false" });
    fill(choices, el("div", { class: "toolbar" },
      el("button", { id: "undo", disabled: bench.path.length < 2, onclick: () => go(bench.path.slice(0, -1)), title: "u" }, "undo"),
      el("button", { id: "restart", onclick: () => go([bench.path[0]]) }, "restart"),
      el("button", { id: "random", onclick: () => random(10), title: "r" }, "10 random steps")),
      bench.model.about.initial > 1 && el("label", {}, "initial state ", el("input", { type: "number", min: 0, max: bench.model.about.initial - 1, value: bench.path[0], onchange: (event) => go([Number(event.target.value)]) })),
      el("h2", {}, shown.ending ? el("span", { class: shown.failed ? "bad" : "unsure", id: "ending" }, shown.ending) : "possible steps"),
      [...groups].map(([process, steps]) => [el("h3", {}, process), steps.map((step) => el("button", { class: step.fails ? "bad" : "", "data-step": step.number, onclick: () => take(step) },
        `${step.place ? `${step.place}: ` : ""}${step.statement || process}`, el("span", { class: "preview" }, step.fails ? `fails: ${step.fails}` : step.changes.join(", "))))]),
      el("h3", {}, "go on until"), condition, el("div", { class: "toolbar" },
        el("button", { id: "until", onclick: () => condition.value && random(1000, condition.value) }, "random run until it holds"),
        el("button", { id: "nearest", onclick: () => condition.value && nearest(condition.value) }, "find the nearest")));
    const watch = el("input", { id: "watch", placeholder: "watch an expression", spellcheck: "false", onkeydown: (event) => {
      if (event.key === "Enter" && watch.value.trim()) { bench.watches.push(watch.value.trim()); go(bench.path); }
    } });
    fill(present, el("div", { class: "toolbar" }, el("h2", {}, `after ${bench.path.length - 1} steps`),
      el("button", { id: "bookmark", onclick: () => { const node = tree.get(bench.path.join(".")); node.bookmarked = !node.bookmarked; render(); } }, tree.get(bench.path.join(".")).bookmarked ? "★ bookmarked" : "☆ bookmark")),
      stateTable(shown.state), shown.picture && image(shown.picture, "picture of the state"),
      el("h3", {}, "watched"), el("table", { class: "mono", id: "watches" }, bench.watches.map((text, at) => el("tr", {}, el("td", {}, text),
        el("td", { class: shown.watches[at]?.error ? "bad" : "" }, shown.watches[at]?.error ?? String(shown.watches[at]?.value)),
        el("td", {}, el("button", { title: "forget", onclick: () => { bench.watches.splice(at, 1); go(bench.path); } }, "×"))))), watch,
      shown.properties.length ? [el("h3", {}, "properties in this state"), el("table", { class: "mono" }, shown.properties.map((one) => el("tr", {}, el("td", {}, one.name), el("td", { class: one.value ? "good" : "bad" }, one.error ?? (one.value ? "holds" : "false")))))] : null);
    const upload = el("input", { type: "file", accept: ".json", hidden: true, onchange: async () => {
      try { const data = JSON.parse(await upload.files[0].text()); await go(data.path); } catch { bench.notice("this is no path that was saved here"); }
    } });
    const chart = el("div", {});
    fill(beside, el("div", { class: "panel" }, el("h2", {}, "path"), el("div", { class: "toolbar" },
      el("button", { onclick: () => save("path.json", JSON.stringify({ model: bench.name, definitions: bench.definitions(), path: bench.path }), "application/json") }, "save path"),
      el("button", { onclick: () => upload.click() }, "load path"), upload,
      el("button", { id: "chart", onclick: async () => {
        try { fill(chart, image((await call("messages", { ...bench.asked(), path: bench.path }, "drawing …")).svg, "message chart")); } catch (error) { bench.notice(told(error)); }
      } }, "message chart")), chart, branch(String(bench.path[0]))),
      el("div", { class: "panel" }, el("h2", {}, "source"), sourceView(bench.model.text, bench.model.about.language, lit())));
    beside.querySelector(".row.lit")?.scrollIntoView({ block: "nearest" });
  }

  function lit() {
    const step = tree.get(bench.path.join("."))?.step;
    return new Map((step?.lines ?? (step?.place && /^\d+$/.test(step.place) ? [Number(step.place)] : [])).map((line) => [line, { kind: "lit", title: "the last step" }]));
  }

  function branch(start) {
    const items = [];
    let key = start;
    while (key) {
      const node = tree.get(key);
      const here = key === bench.path.join(".");
      const text = node.path.length === 1 ? "initial state" : `${node.path.length - 1}  ${node.step?.process ?? ""} ${node.step?.statement ?? ""}`;
      items.push(el("li", {}, el("button", { class: here ? "here" : "", onclick: () => go(node.path) }, node.bookmarked ? "★ " : "", text)));
      if (node.children.length > 1) items.push(...node.children.map((child) => el("li", {}, branch(child))));
      key = node.children.length === 1 ? node.children[0] : null;
    }
    return el("ul", { class: "tree" }, items);
  }

  function key(event) {
    if (event.target.matches("input, textarea, select") || !shown) return;
    if (event.key === "u" && bench.path.length > 1) go(bench.path.slice(0, -1));
    else if (event.key === "r") random(10);
    else if (/^[1-9]$/.test(event.key) && shown.steps[event.key - 1]) take(shown.steps[event.key - 1]);
  }

  const ready = bench.model.about ? go(bench.path) : fill(present, el("p", { class: "dim" }, "The model cannot be read."));
  return { nodes: [choices, present, beside], key, ready };
}
