// Why a property is false on this run, in words: which atom changed where, and what the automaton makes of it.
import { el } from "./dom.js";

const MOST = 8;

export function why(run, go) {
  const { trace } = run;
  const link = (at) => el("button", { class: "link", "data-go": at, onclick: () => go(at) }, at ? `step ${at}` : "the initial state");
  const links = (found) => [found.slice(0, MOST).flatMap((at, index) => [index ? ", " : "", link(at)]), found.length > MOST ? ` and ${found.length - MOST} more` : ""];
  const told = (at) => {
    const step = run.step(at);
    return step ? ` (${[step.process, step.statement].filter(Boolean).join(": ")})` : "";
  };
  const lines = [];
  lines.push(...trace.warnings.map((text) => el("span", { class: "unsure" }, text)));
  if (run.loop === null) {
    for (const atom of trace.atoms) {
      const last = atom.values.length - 1, turned = run.turns(atom.values).at(-1);
      const truth = { 1: "true", 0: "false", "?": "undefined" }[atom.values[last]];
      lines.push([el("code", {}, atom.text), ` is ${truth} in the last state; `, turned ? ["it became so in ", link(turned), told(turned)] : "it has been so from the beginning", "."]);
    }
    const end = run.step(run.length);
    if (end?.fails) lines.push(["The last step fails: ", link(run.length), told(run.length), `: ${end.fails}.`]);
  } else {
    lines.push(["The steps after ", link(run.loop), ` are a cycle: the run repeats ${run.length - run.loop === 1 ? "it" : `these ${run.length - run.loop} steps`} for ever.`]);
    for (const atom of trace.atoms) {
      const turns = run.turns(atom.values), inside = turns.filter((at) => at > run.loop);
      const value = { 1: "true", 0: "false", "?": "undefined" }[atom.values[run.loop]];
      const before = turns.filter((at) => at <= run.loop).at(-1);
      lines.push([el("code", {}, atom.text), inside.length ? [" changes on the cycle, in ", links(inside), "."] : [` is ${value} on the whole cycle`, before ? ["; it became so in ", link(before), told(before), "."] : ", as it was from the beginning."]]);
    }
    if (trace.automaton) {
      const accepting = [];
      for (let at = run.loop + 1; at <= run.length; at += 1) if (trace.automaton.accepting.includes(run.automaton(at))) accepting.push(at);
      if (accepting.length) lines.push(["The automaton, which accepts the runs that violate the property, is in an accepting state again and again: after ", links(accepting), "."]);
    }
  }
  const fair = trace.dues.map((due) => el("tr", {}, el("td", {}, due.action), el("td", {}, due.step === null || due.step === undefined ? due.told : [due.told.replace(/step \d+$|the initial state$/, ""), link(due.step)])));
  if (!lines.length && !fair.length) return null;
  return el("details", { id: "why", open: true }, el("summary", {}, "why"), el("ul", {}, lines.map((line) => el("li", {}, line))),
    fair.length ? el("details", { id: "fair" }, el("summary", {}, `why the cycle is fair to all ${fair.length}`), el("table", {}, fair)) : null);
}
