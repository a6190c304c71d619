// Ask the model something, watch the search, read the answer.
import { call, told } from "./api.js";
import { chart } from "./chart.js";
import { calmly, el, fill, onlyLast } from "./dom.js";
import { automatonPicture } from "./layout.js";
import { withCompletion } from "./words.js";

const OPTIONS = [
  ["workers", "number", "processes that search together"], ["memory", "text", "at most so much, such as 512M or 4G"], ["seconds", "number", "give up after so many seconds"],
  ["states", "number", "give up after so many states"], ["store", ["full", "tree", "collapse", "compact", "bitstate"], "how states are kept; the last two may miss some"],
  ["algorithm", ["auto", "ndfs", "owcty", "map"], "how cycles are looked for"], ["fairness", ["", "weak", "strong"], "only runs count that are fair to every process"],
  ["deadlock", ["", "stuck", "stuttering", "off"], "what a deadlock is"], ["reduction", "checkbox", "leave out states where that is sound"], ["symmetry", "checkbox", "one of states that differ by a permutation"],
  ["keep", "checkbox", "goes on when this page is closed; else it ends a minute later"],
];
const UNITS = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
const FIELDS = [["invariant", "expression", "must hold in every state"], ["ltl", "formula", "[] (p -> <> q)"], ["response", "response", "p ~> q"]];
const verdictClass = (run) => ({ holds: "good", violated: "bad" }[run.verdict] ?? "unsure");

export function checkView(bench) {
  const form = el("div", { class: "panel side" });
  const runs = el("div", { id: "runs", class: "runs" });
  const result = el("div", { class: "panel grow", id: "result" });
  const options = {}, asked = {};
  const syntax = el("pre", { class: "bad", id: "syntax" }), automaton = el("div", { id: "automaton" });
  let drawn = null;

  // Looks at what is written; only what was written last counts.
  function looking(kind, request) {
    const ask = onlyLast(async (text) => (text ? call(request, { ...bench.asked(), text }, null) : null));
    return calmly(async (text) => {
      const answer = await ask(text);
      if (answer === null) return;
      asked[kind].wrong = answer.error ? `${kind}: ${answer.error.place ? `column ${answer.error.place.column}: ` : ""}${told(answer.error)}` : "";
      syntax.textContent = Object.values(asked).map((one) => one.wrong).filter(Boolean).join("\n");
      if (kind === "ltl") fill(automaton, answer.value ? [el("h3", {}, `automaton of the violations: ${answer.value.strength}, ${answer.value.states} state${answer.value.states === 1 ? "" : "s"}`), automatonPicture(answer.value)] : null);
    });
  }

  function build() {
    const properties = bench.model.about?.properties ?? [];
    const picked = properties.map((one) => el("label", { title: one.meaning, class: "check" }, el("input", { type: "checkbox", name: "property", value: one.name }), ` ${one.name} `, el("span", { class: "dim" }, one.meaning)));
    const fields = FIELDS.map(([kind, request, placeholder]) => {
      const look = looking(kind, request);
      const input = el("input", { type: "text", id: kind, placeholder, spellcheck: "false", autocomplete: "off", oninput: () => look(input.value.trim()), onkeydown: (event) => event.key === "Enter" && start() });
      asked[kind] = { input, wrong: "" };
      return [el("label", { for: kind }, kind === "ltl" ? "formula" : kind), withCompletion(input, bench.names)];
    });
    const rows = OPTIONS.map(([name, kind, help]) => {
      const input = Array.isArray(kind) ? el("select", {}, kind.map((value) => el("option", { value }, value || "default"))) : el("input", { type: kind, min: kind === "number" ? 1 : null, checked: name === "reduction" });
      input.id = `option-${name}`;
      options[name] = input;
      return [el("label", { for: input.id }, name), el("span", {}, input, el("span", { class: "dim" }, ` ${help}`))];
    });
    fill(form, el("h2", {}, "ask"), el("div", { class: "picked" }, picked), el("p", { class: "dim small" }, "Without a choice: what the model asks for itself."),
      el("div", { class: "form" }, fields), syntax, automaton,
      el("details", {}, el("summary", {}, "options"), el("div", { class: "form" }, rows)),
      el("p", { class: "toolbar" }, el("button", { id: "start", class: "main", onclick: start }, "check"), el("button", { id: "count", title: "count, over all reachable states, how often each action is taken", onclick: count }, "count the actions")), runs);
  }

  async function begin(body) {
    try {
      const { run } = await call("start", body, "starting …");
      bench.chosen = run.number;
      drawn = null;
      await bench.pulse();
    } catch (error) { bench.notice(told(error)); }
  }

  const count = () => begin({ ...bench.asked(), title: "how often each action is taken", counted: true, seconds: Number(options.seconds.value) || 60 });

  function start() {
    const properties = [...form.querySelectorAll("input[name=property]:checked")].map((input) => input.value);
    const one = (kind) => [asked[kind].input.value.trim()].filter(Boolean);
    const body = { ...bench.asked(), properties, invariants: one("invariant"), ltl: one("ltl"), responses: one("response") };
    for (const [name, kind] of OPTIONS) {
      const input = options[name];
      if (kind === "checkbox") body[name] = input.checked;
      else if (name === "memory" && input.value.trim()) {
        const found = /^([\d.]+)\s*([kmgt]?)(i?b)?$/i.exec(input.value.trim());
        if (!found) { bench.notice("memory: write 512M or 4G"); return null; }
        body.memory = Math.round(found[1] * UNITS[found[2].toLowerCase()]);
      } else if (kind === "number" && input.value) body[name] = Number(input.value);
      else if (Array.isArray(kind) && input.value) body[name] = input.value;
    }
    body.title = [...properties, ...body.invariants, ...body.ltl, ...body.responses].join(", ") || "what the model asks for";
    return begin(body);
  }

  function list() {
    bench.chosen ??= bench.runs[0]?.number ?? null;
    const focused = runs.contains(document.activeElement) ? document.activeElement.dataset.run : null;
    fill(runs, el("h2", {}, "runs"), bench.runs.length ? null : el("p", { class: "dim" }, "none yet"), bench.runs.map((run) => el("button", { class: "entry", "data-run": run.number, "aria-pressed": String(run.number === bench.chosen), onclick: () => { bench.chosen = run.number; drawn = null; show(); } },
      `${run.number}  ${run.title} `, el("span", { class: "dim" }, `· ${run.model} · `), el("span", { class: verdictClass(run) }, run.verdict ?? run.status), el("span", { class: "dim" }, ` · ${run.seconds.toFixed(1)} s`))));
    if (focused) runs.querySelector(`[data-run="${focused}"]`)?.focus();
  }

  const ask = onlyLast((run) => call("run", { run }, null));

  async function show() {
    list();
    const summary = bench.runs.find((run) => run.number === bench.chosen);
    if (!summary) { fill(result, el("p", { class: "dim" }, "No search was made yet: choose what to ask, and press check.")); return; }
    if (drawn === `${bench.chosen} ${summary.status}` && summary.status !== "running") return;
    const answer = await ask(bench.chosen);
    if (!answer?.value) return;
    const run = answer.value;
    drawn = `${run.number} ${run.status}`;
    const control = (name, request) => el("button", { id: name, onclick: async () => { await call(request, { run: run.number }); if (request === "remove") bench.chosen = null; drawn = null; await bench.pulse(); } }, name);
    const now = run.progress;
    fill(result, el("h2", {}, `${run.number}  ${run.title} `, el("span", { id: "verdict", class: verdictClass(run) }, run.verdict ?? run.status)),
      el("div", { class: "toolbar" }, run.status === "running" ? control("stop", "stop") : control("forget", "remove"),
        (run.traces ?? []).map((name) => el("button", { class: "bad", "data-trace": name, onclick: () => bench.goto({ tab: "trace", run: run.number, property: name }) }, `counterexample: ${name}`))),
      run.status === "running" && el("p", { class: "dim", id: "progress" }, now ? `${now.phase}: ${now.states.toLocaleString("en")} states, ${now.transitions.toLocaleString("en")} steps, ${now.frontier.toLocaleString("en")} wait, depth ${now.depth}` : "reading and compiling the model …"),
      run.moments.length > 1 && chart(run.moments), run.error && el("pre", { class: "bad", id: "run-error" }, told(run.error)), run.text && el("pre", { id: "report" }, run.text),
      run.counts && counts(run.counts));
  }

  build();
  const ready = show();
  return { nodes: [form, result], beat: show, ready };
}

function counts(found) {
  const words = found.complete ? `all ${found.states.toLocaleString("en")} states, ${found.transitions.toLocaleString("en")} steps` : `the first ${found.states.toLocaleString("en")} states only: there are more`;
  const rows = [...found.actions].sort((one, other) => other[2] - one[2]);
  return [el("p", {}, `How often each action is taken, over ${words}.`),
    el("table", { class: "mono", id: "counts" }, rows.map(([process, name, taken]) => el("tr", {}, el("td", { class: taken ? "count" : "count unsure" }, taken.toLocaleString("en")), el("td", {}, process), el("td", {}, name))))];
}
