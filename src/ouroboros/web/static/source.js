// The text of a model with line numbers, colours and marks.
import { el } from "./dom.js";

const KEYWORDS = {
  DVE: "process state init trans guard effect sync commit accept assert const byte int channel system async property true false and or not imply",
  Promela: "active proctype init never if fi do od else timeout atomic d_step skip break goto unless provided run mtype chan of typedef byte bit bool int short unsigned hidden local show xr xs assert printf inline ltl for in select true false priority",
  Murphi: "const type var record end array of enum scalarset multiset union ruleset rule startstate invariant begin procedure function if then elsif else endif for do endfor while endwhile switch case endswitch return assert error put clear undefine isundefined forall exists true false boolean liveness cover assume alias property choose multisetadd multisetremove multisetcount",
};
const TOKEN = /(\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|--[^\n]*)|("(?:[^"\\\n]|\\.)*")|(\b\d+\b)|([A-Za-z_]\w*)/g;

function coloured(text, language) {
  const words = new Set((KEYWORDS[language] ?? Object.values(KEYWORDS).join(" ")).split(" "));
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(TOKEN)) {
    const kind = found[1] ? "c" : found[2] ? "s" : found[3] ? "n" : words.has(found[4].toLowerCase()) || words.has(found[4]) ? "k" : null;
    if (found[1]?.startsWith("--") && language !== "Murphi") continue;
    if (!kind) continue;
    parts.push(["", text.slice(last, found.index)], [kind, found[0]]);
    last = found.index + found[0].length;
  }
  parts.push(["", text.slice(last)]);
  return parts;
}

// `marks`: line number → class and title.
export function sourceView(text, language, marks = new Map(), counts = new Map()) {
  const lines = [[]];
  for (const [kind, piece] of coloured(text, language)) {
    piece.split("\n").forEach((part, at) => {
      if (at) lines.push([]);
      if (part) lines[lines.length - 1].push(kind ? el("span", { class: kind }, part) : part);
    });
  }
  const numbers = lines.map((_, at) => `${counts.has(at + 1) ? `${counts.get(at + 1)}×  ` : ""}${at + 1}`).join("\n");
  return el("div", { class: "source code" },
    el("div", { class: "numbers" }, numbers),
    el("div", { class: "lines" }, lines.map((parts, at) => {
      const mark = marks.get(at + 1);
      return el("span", { class: `row ${mark?.kind ?? ""}`, "data-line": at + 1, title: mark?.title }, parts.length ? parts : "\u200b");
    })));
}
