// A counterexample: table, timeline with a lane for each process, state, watched values.
import { call, told } from "./api.js";
import { el, fill, image } from "./dom.js";
import { stateTable } from "./state.js";
import { hue } from "./layout.js";
import { VirtualList } from "./virtual.js";

export function traceView(bench, source) {
  const main = el("div", { class: "panel grow column", id: "trace" }), side = el("div", { class: "panel side", id: "trace-state" });
  const rows = new Map(), hidden = new Set();
  let trace = null, list = null, folded = false, timeline = null, atoms = [];

  async function open() {
    if (!source) { fill(main, el("p", { class: "dim" }, "No counterexample is chosen: check a property that is violated.")); return; }
    try { trace = await source.trace(); } catch (error) { fill(main, el("p", { class: "bad" }, told(error))); return; }
    const search = el("input", { id: "trace-search", placeholder: "search", oninput: () => list.draw() });
    const watch = el("input", { id: "trace-watch", placeholder: "value of an expression along the run", spellcheck: "false", onkeydown: (event) => event.key === "Enter" && value(watch.value.trim()) });
    const matches = (at) => search.value && step(at) && `${step(at).process} ${step(at).statement} ${step(at).changes.map((one) => one.text).join(" ")}`.toLowerCase().includes(search.value.toLowerCase());
    list = new VirtualList(count, (at) => line(at, matches(at)), chosen);
    const processes = [...new Set(trace.steps.flatMap((one) => one.processes))];
    timeline = new Timeline(trace, processes, rows, (at) => list.choose(at), () => list.here);
    const cycle = trace.loop === null ? "" : `, then a cycle of ${trace.steps.length - trace.loop} repeated for ever`;
    fill(main, el("div", {}, el("h2", {}, el("span", { class: "bad" }, "violated: "), trace.message), el("p", { class: "dim" }, `${trace.loop ?? trace.steps.length} steps${cycle}`)),
      el("div", { class: "toolbar" }, search, el("button", { onclick: () => next(matches) }, "next match"),
        trace.loop !== null && el("button", { id: "fold", onclick: () => { folded = !folded; list.draw(); } }, "fold the cycle"),
        source.values && watch, source.open && trace.path && el("button", { id: "explore-trace", onclick: () => source.open(trace) }, "explore this run"),
        source.messages && el("button", { onclick: async () => { try { fill(side, image((await source.messages()).svg, "message chart")); } catch (error) { bench.notice(told(error)); } } }, "message chart")),
      timeline.node, list.node,
      trace.dues.length ? el("details", {}, el("summary", {}, "why the cycle is fair"), el("table", {}, trace.dues.map((due) => el("tr", {}, el("td", {}, due.action), el("td", {}, due.told))))) : null);
    list.draw();
    timeline.draw();
    await chosen(0);
    atoms = source.atoms ? await source.atoms() : [];
    for (const atom of atoms) await value(atom);
  }

  const count = () => 1 + (folded ? trace.loop : trace.steps.length);
  const step = (at) => (at ? trace.steps[at - 1] : null);

  function line(at, found) {
    const one = step(at);
    if (!one) return el("div", { class: "line" }, el("span", { class: "number" }, "0"), el("span", { class: "what dim" }, "initial state"));
    return el("div", { class: `line ${trace.loop !== null && at > trace.loop ? "cycle" : ""} ${found ? "found" : ""}`, "data-at": at }, el("span", { class: "number" }, String(at)), el("span", { class: "who" }, one.process),
      el("span", { class: "place" }, one.place), el("span", { class: "what", title: one.statement }, one.statement), el("span", { class: "changes" }, one.fails ? `fails: ${one.fails}` : one.changes.map((change) => change.text).join(", ")));
  }

  function next(matches) {
    for (let at = list.here + 1; at < count(); at += 1) if (matches(at)) { list.choose(at); return; }
    for (let at = 0; at <= list.here; at += 1) if (matches(at)) { list.choose(at); return; }
  }

  async function value(text) {
    if (!text) return;
    try {
      const found = await source.values(text);
      if (found.error && found.values.every((one) => one === null)) { bench.notice(found.error); return; }
      rows.set(text, found.values);
      timeline.draw();
    } catch (error) { bench.notice(told(error)); }
  }

  async function chosen(at) {
    timeline.draw();
    let data;
    try { data = at === 0 && !source.state ? { state: trace.initial } : await source.state(at); } catch (error) { fill(side, el("p", { class: "bad" }, told(error))); return; }
    if (list.here !== at && at) return;
    const one = step(at);
    fill(side, el("h2", {}, at ? `after step ${at}` : "initial state"), one?.automaton !== undefined && one?.automaton !== null && el("p", { class: "dim" }, `automaton in state ${one.automaton}`),
      rows.size ? el("table", { class: "mono" }, [...rows].map(([text, values]) => el("tr", {}, el("td", {}, text), el("td", { class: at && values[at] !== values[at - 1] ? "changed" : "" }, String(values[at] ?? "?"))))) : null,
      stateTable(data.state, hidden), data.picture && image(data.picture, "picture of the state"),
      el("details", {}, el("summary", {}, "hide"), data.state.map((component) => el("label", {}, el("input", { type: "checkbox", checked: hidden.has(component.name), onchange: (event) => { if (event.target.checked) hidden.add(component.name); else hidden.delete(component.name); chosen(at); } }), ` ${component.name} `))));
  }

  return { nodes: [main, side], ready: open(), key: (event) => !event.target.matches("input, textarea, select, .virtual") && list?.key(event) };
}

const STEP = 16, LANE = 20, LEFT = 130;

class Timeline {
  constructor(trace, lanes, rows, choose, here) {
    Object.assign(this, { trace, lanes, rows, choose, here });
    this.canvas = el("canvas", { role: "img", "aria-label": "timeline, one lane a process", onclick: (event) => {
      const at = Math.floor((event.offsetX - LEFT) / STEP) + this.first();
      if (event.offsetX >= LEFT && at <= trace.steps.length) choose(at);
    } });
    this.spacer = el("div", {});
    this.scroll = el("div", { style: "overflow-x:auto", onscroll: () => this.draw() }, this.spacer);
    this.node = el("div", { id: "timeline" }, this.canvas, this.scroll);
  }

  first() { return Math.floor(this.scroll.scrollLeft / STEP); }

  draw() {
    const style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name).trim();
    const width = this.node.clientWidth || 800, lanes = this.lanes.slice(0, 24), texts = [...this.rows];
    const height = (lanes.length + texts.length) * LANE + 8;
    this.spacer.style.cssText = `height:1px;width:${(this.trace.steps.length + 1) * STEP + LEFT}px`;
    Object.assign(this.canvas, { width, height });
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d");
    context.font = "11px system-ui, sans-serif";
    const first = this.first(), last = Math.min(this.trace.steps.length, first + Math.ceil((width - LEFT) / STEP));
    const x = (at) => LEFT + (at - first) * STEP;
    if (this.trace.loop !== null) {
      context.fillStyle = colour("--cycle");
      context.fillRect(Math.max(LEFT, x(this.trace.loop + 1)), 0, x(last + 1) - Math.max(LEFT, x(this.trace.loop + 1)), height);
    }
    context.fillStyle = colour("--chosen");
    if (this.here() >= first) context.fillRect(x(this.here()), 0, STEP, height);
    lanes.forEach((lane, row) => {
      context.fillStyle = colour("--dim");
      context.fillText(lane.slice(0, 20), 4, row * LANE + 15);
      context.fillRect(LEFT, row * LANE + LANE - 1, width, 1);
      context.fillStyle = hue(row);
      for (let at = Math.max(1, first); at <= last; at += 1) if (this.trace.steps[at - 1].processes.includes(lane)) context.fillRect(x(at) + 2, row * LANE + 4, STEP - 4, LANE - 8);
    });
    texts.forEach(([text, values], index) => {
      const top = (lanes.length + index) * LANE;
      context.fillStyle = colour("--text");
      context.fillText(text.slice(0, 20), 4, top + 15);
      for (let at = first; at <= last; at += 1) {
        const value = values[at];
        context.fillStyle = at && value !== values[at - 1] ? colour("--bad") : colour("--dim");
        context.fillText(String(value ?? "?").slice(0, 3), x(at) + 2, top + 15);
      }
    });
  }
}
