// The page as a whole: which model, which view, and what the server tells in between.
import { call, told, Unreachable } from "./api.js";
import { checkView } from "./check.js";
import { el, fill, isTyping } from "./dom.js";
import { exploreView } from "./explore.js";
import { graphView } from "./graph.js";
import { modelView } from "./model.js";
import { Paths } from "./paths.js";
import { traceView } from "./trace.js";

const TABS = [["model", "Model"], ["explore", "Explore"], ["check", "Check"], ["trace", "Counterexample"], ["graph", "Graph"]];
const BEAT = 700; // milliseconds between two looks at runs and files
const by = (id) => document.getElementById(id);

const KEYS = [["Alt-1 … Alt-5", "the views"], ["e", "edit the model; Ctrl-S saves"], ["1 … 9", "take a step"], ["u, 0", "undo, back to the start"], ["r", "random steps"], ["b", "bookmark"],
  ["↑ ↓, j k, Page, Home, End", "along a counterexample"], ["space", "play it"], ["/, n", "search in it, the next match"], ["f, c", "fold its cycle, only changes"], ["+ − 0", "size of a drawing"], ["?", "this list"]];

let view = null, beats = 0;
let address = ""; // as it was last read or written here

const bench = {
  name: null, model: null, tab: "model", path: [0], watches: [], paths: new Paths(), runs: [], run: null, property: null, chosen: null, process: null, told: new Map(), flow: null,

  definitions() {
    return Object.fromEntries(by("definitions").value.split(/\s+/).filter((word) => word.includes("=")).map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
  },
  asked() { return { model: bench.name, definitions: bench.definitions() }; },

  // What there is to say; `action` is a word on a button and what it does.
  notice(text, action = null) {
    by("notice").hidden = !text;
    fill(by("notice"), el("span", {}, text), action && el("button", { onclick: action[1] }, action[0]), el("button", { "aria-label": "close", onclick: () => bench.notice("") }, "×"));
  },

  names() {
    const { components = [] } = bench.model.about ?? {};
    return [...new Set(components.flatMap((component) => [component.name, ...component.variables.flatMap((variable) => [variable.name, ...(variable.name === component.name && variable.type.startsWith("one of ") ? variable.type.slice(7).split(", ").map((place) => `${component.name}.${place}`) : [])])]))].sort();
  },

  // What the last searches of this text have found.
  last(kind) { return [...bench.told.values()].filter((one) => one.model === bench.name && one.stamp === String(bench.model.stamp) && one[kind]).at(-1)?.[kind] ?? null; },
  unreached() { return bench.last("unreached") ?? []; },
  counts() { return bench.last("counts"); },
  fresh() { const was = bench.seen; bench.seen = [...bench.told.keys()].join(); return was !== bench.seen; },

  control() {
    bench.flow ??= call("control", bench.asked(), "drawing …").then(({ processes }) => processes);
    return bench.flow;
  },

  // What a reload of the page must not lose.
  keep() { sessionStorage.setItem(`ouroboros ${bench.name}`, JSON.stringify({ watches: bench.watches, bookmarks: bench.paths.saved() })); },
  restore() {
    let kept = {};
    try { kept = JSON.parse(sessionStorage.getItem(`ouroboros ${bench.name}`) ?? "{}"); } catch { kept = {}; }
    bench.watches = kept.watches ?? [];
    bench.paths = new Paths();
    bench.paths.restore(kept.bookmarks ?? []);
  },

  goto(change) {
    const before = bench.tab;
    Object.assign(bench, change);
    const words = new URLSearchParams({ model: bench.name, tab: bench.tab, path: bench.path.join(".") });
    if (by("definitions").value.trim()) words.set("D", by("definitions").value.trim());
    if (bench.run) { words.set("run", bench.run); words.set("property", bench.property); }
    // Another address may have been entered of which the browser is yet to tell: it is read then, and not overwritten.
    if (location.hash === address) {
      history.replaceState(null, "", `#${words}`);
      address = location.hash;
    }
    if (change.tab && (change.tab !== before || change.run)) show();
  },

  async reload() {
    bench.flow = null;
    bench.model = await call("model", bench.asked(), "reading the model …");
    fill(by("names"), bench.names().map((name) => el("option", { value: name })));
    show();
  },

  async pulse() {
    beats += 1;
    const mine = beats, name = bench.name;
    const { runs, stamps } = await call("pulse", { models: name ? [name] : [] }, null);
    // An answer that is overtaken, or about another model, says nothing any more.
    if (mine !== beats || name !== bench.name) return;
    bench.runs = runs;
    for (const run of runs.filter((one) => one.status === "done" && !bench.told.has(one.number))) {
      const whole = await call("run", { run: run.number }, null);
      bench.told.set(run.number, { model: run.model, stamp: String(run.stamp), unreached: whole.report?.unreached ?? null, counts: whole.counts ?? null });
    }
    const stamp = stamps[name];
    if (bench.model?.name !== name) return; // it is just being read
    if (stamp && String(stamp) !== String(bench.model.stamp)) await bench.changed();
    else if (stamp === null && name) bench.notice("The file of the model is gone.");
    else await view?.beat?.();
  },

  async changed() {
    if (view?.editing?.()) {
      bench.notice("The file has changed on disk while it is edited here.", ["read it again, without what was written here", () => bench.read()]);
      bench.model.stamp = (await call("pulse", { models: [bench.name] }, null)).stamps[bench.name];
      return;
    }
    await bench.read();
    bench.notice("The file has changed on disk, and was read again.");
  },

  async read() {
    bench.restore();
    bench.path = [0];
    bench.notice("");
    await bench.reload();
    bench.goto({});
  },

  async finished(number) {
    for (;;) {
      const run = await call("run", { run: number }, null);
      if (run.status !== "running") return run;
      await new Promise((wake) => { setTimeout(wake, 150); });
    }
  },
};

function counterexample() {
  if (!bench.run) return null;
  const which = { run: bench.run, property: bench.property };
  const explore = (trace, tab, at = null) => {
    bench.paths = new Paths();
    bench.goto({ tab, path: at === null || trace.path.length !== trace.steps.length + 1 ? trace.path : trace.path.slice(0, at + 1) });
  };
  return {
    trace: () => call("trace", which, "opening the trace …"), values: (text) => call("trace-values", { ...which, text }, "evaluating …"),
    picture: (at) => call("trace-picture", { ...which, at }, null), messages: () => call("trace-messages", which, "drawing …"),
    open: (trace, at) => explore(trace, "explore", at), graph: (trace) => explore(trace, "graph"),
  };
}

function show() {
  fill(by("tabs"), TABS.map(([tab, name]) => el("button", { role: "tab", id: `tab-${tab}`, "aria-selected": String(tab === bench.tab), onclick: () => bench.goto({ tab }) }, name)));
  if (!bench.model) return;
  view = { model: modelView, explore: exploreView, check: checkView, trace: () => traceView(counterexample(), bench.notice), graph: graphView }[bench.tab](bench);
  fill(by("view"), view.nodes);
}

async function open(name) {
  bench.name = name;
  bench.notice("");
  bench.restore();
  await bench.reload();
}

function readAddress() {
  address = location.hash;
  const words = new URLSearchParams(address.slice(1));
  bench.tab = TABS.some(([tab]) => tab === words.get("tab")) ? words.get("tab") : "model";
  bench.path = (words.get("path") ?? "0").split(".").map(Number).filter(Number.isInteger);
  if (!bench.path.length) bench.path = [0];
  bench.run = Number(words.get("run")) || null;
  bench.property = words.get("property");
  by("definitions").value = words.get("D") ?? "";
  return words.get("model");
}

async function begin() {
  const named = readAddress();
  const { models } = await call("about");
  if (!models.length) { bench.notice("There is no model in this folder."); return; }
  fill(by("models"), models.map((name) => el("option", { value: name }, name)));
  const settle = (name) => { by("models").value = models.includes(name) ? name : models[0]; return open(by("models").value); };
  const fresh = (work) => work().then(() => bench.goto({})).catch((error) => bench.notice(told(error)));
  by("models").addEventListener("change", () => { bench.path = [0]; bench.run = null; fresh(() => open(by("models").value)); });
  by("definitions").addEventListener("change", () => fresh(() => bench.read()));
  window.addEventListener("hashchange", () => { const name = readAddress(); fresh(() => settle(name)); });
  await settle(named);
  let lost = false;
  for (;;) {
    try {
      await bench.pulse();
      if (lost) bench.notice("");
      lost = false;
    } catch (error) {
      lost = error instanceof Unreachable;
      bench.notice(told(error));
    }
    await new Promise((wake) => { setTimeout(wake, BEAT); });
  }
}

function help() {
  const open = document.querySelector("dialog");
  if (open) { open.remove(); return; }
  const dialog = el("dialog", { id: "help" }, el("h2", {}, "keys"), el("table", {}, KEYS.map(([key, meaning]) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, meaning)))), el("button", { onclick: () => dialog.remove() }, "close"));
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}

by("help-button").addEventListener("click", help);
document.addEventListener("keydown", (event) => {
  if (event.altKey && /^[1-5]$/.test(event.key)) { event.preventDefault(); bench.goto({ tab: TABS[event.key - 1][0] }); } else if (event.key === "?" && !isTyping(event)) help();
  else if (!event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector("dialog")) view?.key?.(event);
});
begin().catch((error) => bench.notice(told(error)));
