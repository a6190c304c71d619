// A counterexample: why, timeline, table of the steps, and the state where the reader is.
import { told } from "./api.js";
import { el, fill, image, isTyping, onlyLast } from "./dom.js";
import { automatonPicture } from "./layout.js";
import { Run } from "./run.js";
import { stateTable } from "./state.js";
import { Timeline } from "./timeline.js";
import { VirtualList } from "./virtual.js";
import { why } from "./why.js";

const BEAT = 350; // milliseconds a step, when the run is played

// `source`: trace(), and where somebody can answer: values(text), picture(at), messages(), open(trace), lines(lines).
export function traceView(source, notice) {
  const main = el("div", { class: "panel grow column flat", id: "trace" }), side = el("div", { class: "panel side", id: "trace-state" });
  const rows = new Map(), hidden = new Set();
  const picture = source?.picture ? onlyLast(source.picture) : null;
  let run = null, list = null, timeline = null, visible = [], folded = false, onlyChanges = false, playing = null, matches = () => false;
  const search = el("input", { id: "trace-search", placeholder: "search (/)", type: "search", oninput: () => { if (only.checked) settle(); else list.draw(); }, onkeydown: (event) => event.key === "Enter" && next() });
  const only = el("input", { type: "checkbox", id: "only-matches", onchange: () => settle() });

  async function open() {
    if (!source) { fill(main, el("p", { class: "dim" }, "No counterexample is chosen: check a property that is violated, or open one of a run that is done.")); return; }
    try { run = new Run(await source.trace()); } catch (error) { fill(main, el("p", { class: "bad" }, told(error))); return; }
    matches = (at) => {
      const step = run.step(at);
      const text = step && [step.process, step.statement, step.fails, ...step.changes.map((change) => change[1]), ...(step.inner ?? []).map((one) => one.statement)].join(" ");
      return Boolean(search.value && text?.toLowerCase().includes(search.value.toLowerCase()));
    };
    for (const atom of run.trace.atoms) rows.set(atom.text, Object.assign([...atom.values], { isTruth: true }));
    list = new VirtualList(() => visible.length, (index) => line(visible[index]), () => chosen());
    timeline = new Timeline(run, rows, go, () => visible[list.here] ?? 0);
    const cycle = run.loop === null ? "" : `, of which the last ${run.length - run.loop} are a cycle that is repeated for ever`;
    fill(main, el("div", {}, el("h2", {}, el("span", { class: "bad" }, "violated: "), run.trace.message, " ", el("span", { class: "dim plain" }, `${run.length.toLocaleString("en")} step${run.length === 1 ? "" : "s"}${cycle}`)), why(run, go)),
      toolbar(), timeline.node, list.node);
    settle();
  }

  function toolbar() {
    const watch = el("input", { id: "trace-watch", placeholder: source.values ? "value of an expression, as a row" : "value of a variable, as a row", spellcheck: "false", list: "trace-names", onkeydown: (event) => event.key === "Enter" && add(watch) });
    return el("div", { class: "toolbar" }, search, el("button", { onclick: next, title: "n" }, "next"), el("label", {}, only, " only these"),
      run.loop !== null && el("button", { id: "fold", "aria-pressed": "false", title: "f", onclick: fold }, "fold the cycle"),
      watch, el("datalist", { id: "trace-names" }, run.variables().map((name) => el("option", { value: name }))),
      el("button", { id: "play", title: "space", onclick: play }, "▶ play"),
      el("span", { class: "zoom" }, el("button", { title: "wider steps", onclick: () => timeline.zoom(1) }, "+"), el("button", { title: "narrower steps", onclick: () => timeline.zoom(-1) }, "−")),
      source.open && run.trace.path && el("button", { id: "explore-trace", onclick: () => source.open(run.trace, visible[list.here]) }, "explore this run"),
      source.graph && run.trace.path && el("button", { id: "graph-trace", onclick: () => source.graph(run.trace) }, "in the graph"),
      source.messages && run.trace.path && el("button", { id: "trace-chart", onclick: chart }, "message chart"));
  }

  async function chart() {
    try {
      const drawn = image((await source.messages()).svg, "message chart");
      const shown = el("div", { class: "panel overlay", id: "chart" }, el("button", { onclick: () => shown.remove() }, "close"), drawn);
      main.append(shown);
    } catch (error) { notice(told(error)); }
  }

  // Which steps are listed: all, or those that are searched for; with or without the cycle.
  function settle(at = visible[list.here] ?? 0) {
    const end = folded ? run.loop : run.length;
    visible = [];
    for (let step = 0; step <= end; step += 1) if (!only.checked || !search.value || step === 0 || matches(step)) visible.push(step);
    const index = visible.findLastIndex((one) => one <= at);
    list.choose(Math.max(0, index));
  }

  function fold() {
    folded = !folded;
    document.getElementById("fold").setAttribute("aria-pressed", String(folded));
    settle();
  }

  function go(at) {
    if (folded && run.isInCycle(at)) fold();
    if (!visible.includes(at)) { only.checked = false; settle(at); }
    list.choose(visible.indexOf(at));
  }

  function line(at) {
    const time = at && run.step(at).time !== undefined ? el("span", { class: "place", title: "when it is made" }, `t ${run.step(at).time}`) : null;
    const automaton = run.trace.automaton ? el("span", { class: "place", title: "state of the automaton" }, `q ${run.automatonName(at)}`) : null;
    if (!at) return el("div", { class: "line", "data-at": 0 }, el("span", { class: "number" }, "0"), automaton, el("span", { class: "what dim" }, "initial state"));
    const step = run.step(at), last = folded && at === run.loop;
    const words = step.inner ? step.inner.map((one) => one.statement).join("; ") : step.statement;
    const changes = step.fails ? `fails: ${step.fails}` : step.changes.filter(([name]) => !isHidden(name)).map((change) => change[1]).join(", ");
    return el("div", { class: `line${run.isInCycle(at) ? " cycle" : ""}${matches(at) ? " found" : ""}${step.processes.length && step.processes.every((name) => hidden.has(name)) ? " dim" : ""}`, "data-at": at }, el("span", { class: "number" }, String(at)), time, automaton,
      el("span", { class: "who" }, step.process), el("span", { class: "place" }, step.place), el("span", { class: "what", title: words }, words), el("span", { class: `changes${step.fails ? " bad" : ""}`, title: changes }, changes, last ? "   ⟲ then the cycle, folded" : ""));
  }

  const isHidden = (name) => [...hidden].some((one) => name === one || name.startsWith(`${one}.`) || name.startsWith(`${one}[`));

  function next() {
    const found = visible.findIndex((at, index) => index > list.here && matches(at));
    const again = found < 0 ? visible.findIndex((at) => matches(at)) : found;
    if (again >= 0) list.choose(again);
    else notice(`nothing has “${search.value}” in it`);
  }

  async function add(input) {
    const text = input.value.trim();
    if (!text) return;
    const values = run.variable(text);
    try {
      if (values) rows.set(text, values);
      else if (source.values) {
        const found = await source.values(text);
        if (found.error && found.values.every((one) => one === null)) { notice(found.error); return; }
        rows.set(text, found.values);
      } else { notice(`the run has no variable ${text}`); return; }
    } catch (error) { notice(told(error)); return; }
    input.value = "";
    chosen();
  }

  function play() {
    if (playing) clearInterval(playing);
    playing = playing ? null : setInterval(() => {
      if (!main.isConnected) { clearInterval(playing); return; }
      if (list.here < visible.length - 1) list.choose(list.here + 1);
      else if (run.loop !== null && !folded && !only.checked) list.choose(visible.indexOf(run.loop + 1));
      else play();
    }, BEAT);
    document.getElementById("play").textContent = playing ? "❚❚ pause" : "▶ play";
  }

  const drawn = el("div", {});
  async function chosen() {
    const at = visible[list.here] ?? 0, step = run.step(at), state = run.state(at);
    timeline.lanes = run.processes.filter((name) => !hidden.has(name));
    timeline.follow();
    if (step) source.lines?.(step.lines);
    const values = [...rows].map(([text, found]) => el("tr", {}, el("td", {}, text), el("td", { class: at && found[at] !== found[at - 1] ? "changed" : null }, found.isTruth ? { 1: "true", 0: "false" }[found[at]] ?? "?" : String(found[at] ?? "?")),
      el("td", {}, found.isTruth ? null : el("button", { title: `take the row of ${text} away`, onclick: () => { rows.delete(text); chosen(); } }, "×"))));
    const toggle = (name) => (event) => { if (event.target.checked) hidden.add(name); else hidden.delete(name); list.draw(); chosen(); };
    const boxes = (name, label) => el("label", { class: "check" }, el("input", { type: "checkbox", checked: hidden.has(name), onchange: toggle(name) }), ` ${label}`);
    const opened = side.querySelector("#hide")?.open;
    fill(side, el("h2", {}, at ? `after step ${at}` : "initial state", " ", el("button", { id: "only-changes", "aria-pressed": String(onlyChanges), title: "c", onclick: () => { onlyChanges = !onlyChanges; chosen(); } }, "only changes")),
      rows.size ? el("table", { class: "mono", id: "trace-values" }, values) : null,
      stateTable(state, { hidden, onlyChanges }), drawn,
      run.trace.automaton && el("details", { open: true }, el("summary", {}, `automaton of the violations: state ${run.automatonName(at)}`), automatonPicture(run.trace.automaton, run.automaton(at))),
      el("details", { id: "hide", open: opened }, el("summary", {}, "hide"), state.map((component) => [boxes(component.name, component.name), component.variables.filter((one) => one.name).map((one) => boxes(component.process ? `${component.name}.${one.name}` : one.name, `  ${one.name}`))])));
    if (!picture) return;
    const answer = await picture(at);
    if (answer?.value) fill(drawn, answer.value.picture ? image(answer.value.picture, "picture of the state") : null);
  }

  function key(event) {
    if (isTyping(event) || !list) return;
    const action = { "/": () => search.focus(), n: next, f: run.loop !== null && fold, c: () => { onlyChanges = !onlyChanges; chosen(); }, " ": play }[event.key];
    if (action) { event.preventDefault(); action(); } else list.key(event);
  }

  return { nodes: [main, side], ready: open(), key };
}
