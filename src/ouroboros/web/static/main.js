// The page as a whole: which model, which view, and what the server tells in between.
import { call, told } from "./api.js";
import { el, fill } from "./dom.js";
import { modelView } from "./model.js";
import { exploreView } from "./explore.js";
import { checkView } from "./check.js";
import { traceView } from "./trace.js";
import { graphView } from "./graph.js";

const TABS = [["model", "Model"], ["explore", "Explore"], ["check", "Check"], ["trace", "Counterexample"], ["graph", "Graph"]];
const by = (id) => document.getElementById(id);

const bench = {
  name: null, model: null, tab: "model", path: [0], watches: [], tree: new Map(), runs: [], run: null, property: null,

  definitions() {
    return Object.fromEntries(by("definitions").value.split(/\s+/).filter((word) => word.includes("=")).map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
  },
  asked() { return { model: bench.name, definitions: bench.definitions() }; },
  notice(text) { by("notice").hidden = !text; by("notice").textContent = text; },
  unreached() {
    const done = bench.runs.find((run) => run.model === bench.name && run.unreached?.length);
    return done?.unreached ?? [];
  },

  goto(change) {
    const before = bench.tab;
    Object.assign(bench, change);
    const words = new URLSearchParams({ model: bench.name, tab: bench.tab, path: bench.path.join(".") });
    if (by("definitions").value.trim()) words.set("D", by("definitions").value.trim());
    if (bench.run) { words.set("run", bench.run); words.set("property", bench.property); }
    history.replaceState(null, "", `#${words}`);
    if (change.tab && (change.tab !== before || change.run)) show();
  },

  async reload() {
    bench.model = await call("model", bench.asked(), "reading the model …");
    show();
  },

  async pulse() {
    const { runs, stamps } = await call("pulse", { models: bench.name ? [bench.name] : [] }, null);
    const finished = runs.filter((run) => run.status === "done" && !bench.runs.find((one) => one.number === run.number)?.told);
    bench.runs = runs.map((run) => ({ ...bench.runs.find((one) => one.number === run.number), ...run }));
    for (const run of finished) {
      const whole = await call("run", { run: run.number }, null);
      Object.assign(bench.runs.find((one) => one.number === run.number), { told: true, unreached: whole.report?.unreached ?? [] });
    }
    const stamp = bench.name && stamps[bench.name];
    if (stamp && bench.model && String(stamp) !== String(bench.model.stamp)) {
      bench.notice("The file has changed on disk, and was read again.");
      bench.tree.clear();
      bench.path = [0];
      await bench.reload();
    } else if (stamp === null && bench.name) bench.notice("The file of the model is gone.");
    else view?.beat?.();
    return runs;
  },

  async finished(number) {
    for (;;) {
      const run = await call("run", { run: number }, null);
      if (run.status !== "running") return run;
      await new Promise((wake) => { setTimeout(wake, 150); });
    }
  },
};

let view = null;

function counterexample() {
  if (!bench.run) return null;
  const which = { run: bench.run, property: bench.property };
  return {
    trace: () => call("trace", which, "opening the trace …"), state: (at) => call("trace-state", { ...which, at }), values: (text) => call("trace-values", { ...which, text }, "evaluating …"),
    messages: () => call("trace-messages", which, "drawing …"),
    atoms: async () => { const run = await call("run", { run: bench.run }, null); return (run.report?.properties ?? []).find((one) => one.name === bench.property)?.atoms ?? []; },
    open: (trace) => { bench.tree.clear(); bench.goto({ tab: "explore", path: trace.path }); },
  };
}

function show() {
  fill(by("tabs"), TABS.map(([tab, name]) => el("button", { role: "tab", id: `tab-${tab}`, "aria-selected": String(tab === bench.tab), onclick: () => bench.goto({ tab }) }, name)));
  if (!bench.model) return;
  view = { model: modelView, explore: exploreView, check: checkView, trace: (one) => traceView(one, counterexample()), graph: graphView }[bench.tab](bench);
  fill(by("view"), view.nodes);
}

async function open(name) {
  bench.name = name;
  bench.tree.clear();
  bench.notice("");
  await bench.reload();
}

async function begin() {
  const words = new URLSearchParams(location.hash.slice(1));
  const { models } = await call("about");
  if (!models.length) { bench.notice("There is no model in this folder."); return; }
  fill(by("models"), models.map((name) => el("option", { value: name }, name)));
  by("definitions").value = words.get("D") ?? "";
  bench.tab = TABS.some(([tab]) => tab === words.get("tab")) ? words.get("tab") : "model";
  bench.path = (words.get("path") ?? "0").split(".").map(Number).filter(Number.isInteger);
  if (!bench.path.length) bench.path = [0];
  bench.run = Number(words.get("run")) || null;
  bench.property = words.get("property");
  by("models").value = models.includes(words.get("model")) ? words.get("model") : models[0];
  by("models").addEventListener("change", () => { bench.path = [0]; bench.run = null; open(by("models").value).then(() => bench.goto({})).catch((error) => bench.notice(told(error))); });
  by("definitions").addEventListener("change", () => { bench.path = [0]; bench.tree.clear(); bench.reload().then(() => bench.goto({})).catch((error) => bench.notice(told(error))); });
  await open(by("models").value);
  for (;;) {
    try { await bench.pulse(); } catch (error) { bench.notice(told(error)); }
    await new Promise((wake) => { setTimeout(wake, 700); });
  }
}

document.addEventListener("keydown", (event) => {
  if (event.altKey && /^[1-5]$/.test(event.key)) { event.preventDefault(); bench.goto({ tab: TABS[event.key - 1][0] }); } else if (!event.ctrlKey && !event.metaKey && !event.altKey) view?.key?.(event);
});
begin().catch((error) => bench.notice(told(error)));
