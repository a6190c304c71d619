// Ask the model something, watch the search, read the answer.
import { call, told } from "./api.js";
import { el, fill } from "./dom.js";
import { draw } from "./layout.js";

const OPTIONS = [
  ["workers", "number", "processes that search together"], ["memory", "text", "at most so much, such as 512M or 4G"], ["seconds", "number", "give up after so many seconds"],
  ["states", "number", "give up after so many states"], ["store", ["full", "tree", "collapse", "compact", "bitstate"], "how states are kept; the last two may miss some"],
  ["algorithm", ["auto", "ndfs", "owcty", "map"], "how cycles are looked for"], ["fairness", ["", "weak", "strong"], "only runs count that are fair to every process"],
  ["deadlock", ["", "stuck", "stuttering", "off"], "what a deadlock is"], ["reduction", "checkbox", "leave out states where that is sound"], ["symmetry", "checkbox", "one of states that differ by a permutation"],
  ["keep", "checkbox", "goes on when this page is closed"],
];
const UNITS = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

export function checkView(bench) {
  const form = el("div", { class: "panel side" });
  const runs = el("div", { class: "panel runs", id: "runs" });
  const result = el("div", { class: "panel grow", id: "result" });
  const inputs = {};
  let chosen = null, drawn = null;

  function build() {
    const names = bench.model.about?.properties ?? [];
    const words = [...new Set(bench.model.about?.components.flatMap((component) => [component.name, ...component.variables.map((variable) => variable.name)]) ?? [])];
    const picked = names.map((one) => el("label", { title: one.meaning }, el("input", { type: "checkbox", value: one.name }), ` ${one.name} `));
    const syntax = el("pre", { class: "bad", id: "syntax" }), automaton = el("div", { id: "automaton" });
    const field = (kind, placeholder) => {
      let timer = null;
      const input = el("input", { type: "text", id: kind, placeholder, spellcheck: "false", list: "words", oninput: () => {
        clearTimeout(timer);
        timer = setTimeout(() => look(kind, input.value.trim()), 250);
      } });
      return input;
    };
    async function look(kind, text) {
      syntax.textContent = "";
      if (kind === "ltl") fill(automaton);
      if (!text || kind === "response") return;
      try {
        const found = await call(kind === "ltl" ? "formula" : "expression", { ...bench.asked(), text }, null);
        if (kind === "ltl") fill(automaton, el("h3", {}, `automaton of the violations: ${found.strength}`), draw({
          nodes: Array.from({ length: found.states }, (_, state) => ({ label: String(state), accepting: found.accepting.includes(state) })), edges: found.edges, starts: [found.initial] }, { across: 170 }));
      } catch (error) { syntax.textContent = `${error.place ? `column ${error.place.column}: ` : ""}${told(error)}`; }
    }
    const invariant = field("invariant", "must hold in every state"), ltl = field("ltl", "[] (p -> <> q)"), response = field("response", "p ~> q");
    const rows = OPTIONS.map(([name, kind, help]) => {
      const input = Array.isArray(kind) ? el("select", { title: help }, kind.map((value) => el("option", { value }, value || "default"))) : el("input", { type: kind, title: help, min: kind === "number" ? 1 : null, checked: name === "reduction" });
      input.id = `option-${name}`;
      inputs[name] = input;
      return [el("label", { for: input.id, title: help }, name), el("span", {}, input, el("span", { class: "dim" }, ` ${help}`))];
    });
    fill(form, el("h2", {}, "ask"), el("h3", {}, "properties of the model (none: what it asks for itself)"), picked, el("datalist", { id: "words" }, words.map((word) => el("option", { value: word }))),
      el("div", { class: "form" }, el("label", { for: "invariant" }, "invariant"), invariant, el("label", { for: "ltl" }, "formula"), ltl, el("label", { for: "response" }, "response"), response), syntax, automaton,
      el("details", {}, el("summary", {}, "options"), el("div", { class: "form" }, rows)),
      el("p", {}, el("button", { id: "start", onclick: () => start(picked, invariant, ltl, response) }, "check")), runs);
  }

  async function start(picked, invariant, ltl, response) {
    const properties = picked.map((label) => label.querySelector("input")).filter((input) => input.checked).map((input) => input.value);
    const body = { ...bench.asked(), properties, invariants: [invariant.value.trim()].filter(Boolean), ltl: [ltl.value.trim()].filter(Boolean), responses: [response.value.trim()].filter(Boolean) };
    for (const [name, kind] of OPTIONS) {
      const input = inputs[name];
      if (kind === "checkbox") body[name] = input.checked;
      else if (name === "memory" && input.value) {
        const found = /^([\d.]+)\s*([kmgt]?)/i.exec(input.value);
        if (!found) { bench.notice("memory: write 512M or 4G"); return; }
        body.memory = Math.round(found[1] * UNITS[found[2].toLowerCase()]);
      } else if (kind === "number" && input.value) body[name] = Number(input.value);
      else if (Array.isArray(kind) && input.value) body[name] = input.value;
    }
    body.title = [...properties, ...body.invariants, ...body.ltl, ...body.responses].join(", ") || "what the model asks for";
    try {
      const { run } = await call("start", body, "starting …");
      chosen = run.number;
      await bench.pulse();
    } catch (error) { bench.notice(told(error)); }
  }

  function list() {
    fill(runs, el("h2", {}, "runs"), bench.runs.map((run) => el("button", { class: "entry", "data-run": run.number, "aria-pressed": String(run.number === chosen), onclick: () => { chosen = run.number; drawn = null; show(); } },
      `${run.number}  ${run.title} · ${run.model} · `, el("span", { class: { holds: "good", violated: "bad" }[run.verdict] ?? "unsure" }, run.verdict ?? run.status), ` · ${run.seconds.toFixed(1)} s`)));
    chosen ??= bench.runs[0]?.number ?? null;
  }

  async function show() {
    list();
    const summary = bench.runs.find((run) => run.number === chosen);
    if (!summary) { fill(result, el("p", { class: "dim" }, "No search was made yet: choose what to ask, and press check.")); return; }
    if (drawn === `${chosen} ${summary.status}` && summary.status !== "running") return;
    let run;
    try { run = await call("run", { run: chosen }, null); } catch { return; }
    drawn = `${chosen} ${run.status}`;
    const now = run.progress;
    const numbers = now && [["states", now.states], ["frontier", now.frontier], ["depth", now.depth], ["memory", `${(now.bytes / 2 ** 20).toFixed(1)} MiB`], ["phase", now.phase], ["rate", `${Math.round(rate(run.moments)).toLocaleString("en")}/s`]];
    fill(result, el("h2", {}, `${run.number}  ${run.title} `, el("span", { id: "verdict", class: { holds: "good", violated: "bad" }[run.verdict] ?? "unsure" }, run.verdict ?? run.status)),
      el("div", { class: "toolbar" }, run.status === "running" && el("button", { id: "stop", onclick: async () => { await call("stop", { run: run.number }); await bench.pulse(); } }, "stop"),
        run.status !== "running" && el("button", { onclick: async () => { await call("remove", { run: run.number }); chosen = null; await bench.pulse(); } }, "forget"),
        (run.traces ?? []).map((name) => el("button", { class: "bad", "data-trace": name, onclick: () => bench.goto({ tab: "trace", run: run.number, property: name }) }, `counterexample: ${name}`))),
      numbers && el("table", { class: "mono", id: "progress" }, numbers.map(([name, value]) => el("tr", {}, el("td", { class: "dim" }, name), el("td", {}, typeof value === "number" ? value.toLocaleString("en") : value)))),
      run.moments.length > 1 && chart(run.moments), run.error && el("pre", { class: "bad" }, told(run.error)), run.text && el("pre", { id: "report" }, run.text));
  }

  build();
  const ready = show();
  return { nodes: [form, result], refresh: () => { build(); show(); }, beat: show, ready };
}

const rate = (moments) => {
  const [first, last] = [moments.at(-Math.min(6, moments.length)), moments.at(-1)];
  return (last.states - first.states) / Math.max(0.2, last.seconds - first.seconds);
};

function chart(moments) {
  const canvas = el("canvas", { width: 700, height: 160, role: "img", "aria-label": "states, frontier and memory over time" });
  const context = canvas.getContext("2d"), end = moments.at(-1).seconds || 1;
  [["states", "#2a7f62"], ["frontier", "#b35900"], ["bytes", "#7a3e9d"], ["depth", "#0b5cad"]].forEach(([name, colour], at) => {
    const top = Math.max(1, ...moments.map((moment) => moment[name]));
    context.strokeStyle = context.fillStyle = colour;
    context.beginPath();
    moments.forEach((moment) => context.lineTo(10 + (680 * moment.seconds) / end, 150 - (120 * moment[name]) / top));
    context.stroke();
    context.fillText(`${name === "bytes" ? "memory" : name} (up to ${top.toLocaleString("en")})`, 10 + at * 170, 12);
  });
  return canvas;
}
