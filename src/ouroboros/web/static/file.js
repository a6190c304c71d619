// A page that was sent: the report of a run with its counterexamples and the model's text, and nobody to ask.
import { el, fill, image } from "./dom.js";
import { reveal, sourceView } from "./source.js";
import { traceView } from "./trace.js";

const data = JSON.parse(document.getElementById("data").textContent);
const by = (id) => document.getElementById(id);

function notice(text) {
  by("notice").hidden = !text;
  fill(by("notice"), el("span", {}, text), el("button", { "aria-label": "close", onclick: () => notice("") }, "×"));
}

const report = () => ({ nodes: [el("div", { class: "panel grow" }, el("h2", {}, `${data.model} `, el("span", { id: "verdict", class: { holds: "good", violated: "bad" }[data.verdict] ?? "unsure" }, data.verdict)), el("pre", { id: "report" }, data.text))] });

function source(lines = []) {
  const marks = new Map(data.unreached.filter((one) => one.line).map((one) => [one.line, { kind: "unreached", title: "no run executes this" }]));
  for (const line of lines) marks.set(line, { kind: "lit", title: "the step" });
  return sourceView(data.source, data.language, marks);
}

function counterexample(trace) {
  const beside = el("div", { class: "panel side", id: "source" }, source());
  const lit = (lines) => {
    beside.querySelectorAll(".row.lit").forEach((row) => row.classList.remove("lit"));
    lines.forEach((line) => beside.querySelector(`[data-line="${line}"]`)?.classList.add("lit"));
    reveal(beside, ".row.lit");
  };
  const view = traceView({ trace: async () => trace, lines: lit, picture: trace.pictures.length ? async (at) => ({ picture: trace.pictures[trace.picture[at]] ?? null }) : null,
    messages: trace.chart ? async () => ({ svg: trace.chart }) : null }, notice);
  return { ...view, nodes: [...view.nodes, beside] };
}

const views = [["report", "Report", report], ...Object.entries(data.traces).map(([name, trace], at) => [`trace-${at}`, `Counterexample: ${name}`, () => counterexample(trace)]),
  ["model", "Model", () => ({ nodes: [el("div", { class: "panel grow", id: "source" }, source())] })]];
let view = null;

function show(id) {
  fill(by("tabs"), views.map(([name, title]) => el("button", { role: "tab", id: `tab-${name}`, "aria-selected": String(name === id), onclick: () => show(name) }, title)));
  view = views.find(([name]) => name === id)[2]();
  fill(by("view"), view.nodes);
}

document.title = `${data.model}: ${data.verdict}`;
document.addEventListener("keydown", (event) => {
  if (event.altKey && /^[1-9]$/.test(event.key) && views[event.key - 1]) { event.preventDefault(); show(views[event.key - 1][0]); } else if (!event.ctrlKey && !event.metaKey && !event.altKey) view?.key?.(event);
});
show(views.length > 2 ? views[1][0] : "report");
