// The text of a model with line numbers, colours and marks.
import { calmly, el, fill } from "./dom.js";

const KEYWORDS = {
  dve: "process state init trans guard effect sync commit accept assert const byte int channel system async property true false or and not imply",
  promela: "active proctype init never if fi do od else timeout atomic d_step skip break goto unless provided run mtype chan of typedef byte bit bool int short unsigned hidden local show xr xs assert printf inline ltl for in select true false priority",
  murphi: "const type var record end array of enum scalarset multiset union ruleset rule startstate invariant begin procedure function if then elsif else endif for do endfor while endwhile switch case endswitch return assert error put clear undefine isundefined forall exists true false boolean liveness cover assume alias property choose multisetadd multisetremove multisetcount",
  python: "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield self match case",
  uppaal: "process state init trans guard assign sync commit urgent broadcast clock chan const int bool typedef struct system select template return for while do if else true false forall exists rate query void",
};
const TOKEN = /("""[\s\S]*?(?:"""|$)|\/\*[\s\S]*?(?:\*\/|$)|<!--[\s\S]*?(?:-->|$)|\/\/[^\n]*|--[^\n]*|#[^\n]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(\b\d+\b)|(<\/?[A-Za-z_][\w.-]*|\/?>)|([A-Za-z_]\w*)/g;
const COMMENTS = { dve: ["//", "/*"], promela: ["//", "/*"], murphi: ["--", "/*"], python: ["#", '"""'], uppaal: ["//", "/*", "<!--"] };

function kindOf(found, words, comments, markup) {
  const [text, comment, string, number, tag, word] = found;
  if (comment) return comments.some((begin) => comment.startsWith(begin)) ? "c" : null;
  if (string) return "s";
  if (number) return "n";
  if (tag) return markup && tag.length > 1 ? "k" : null;
  return words.has(word) || words.has(text.toLowerCase()) ? "k" : null;
}

function coloured(text, language) {
  const name = String(language ?? "").toLowerCase();
  const words = new Set((KEYWORDS[name] ?? Object.values(KEYWORDS).join(" ")).split(" "));
  const comments = COMMENTS[name] ?? ["//", "/*"], markup = text.trimStart().startsWith("<");
  const parts = [];
  let last = 0;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
    const kind = kindOf(found, words, comments, markup);
    if (!kind) {
      // What only looks like a comment is looked at again, behind its first letter.
      if (found[1]) TOKEN.lastIndex = found.index + 1;
      continue;
    }
    parts.push(["", text.slice(last, found.index)], [kind, found[0]]);
    last = found.index + found[0].length;
  }
  parts.push(["", text.slice(last)]);
  return parts;
}

function rows(text, language, marks) {
  const lines = [[]];
  for (const [kind, piece] of coloured(text, language)) {
    piece.split("\n").forEach((part, at) => {
      if (at) lines.push([]);
      if (part) lines.at(-1).push(kind ? el("span", { class: kind }, part) : part);
    });
  }
  return lines.map((parts, at) => {
    const mark = marks.get(at + 1);
    return el("span", { class: `row ${mark?.kind ?? ""}`, "data-line": at + 1, title: mark?.title }, parts.length ? parts : "\u200b");
  });
}

// `marks`: line number → class and title; `counts`: line number → how often it was taken.
export function sourceView(text, language, marks = new Map(), counts = new Map()) {
  const lines = rows(text, language, marks);
  return el("div", { class: "source code" },
    counts.size ? el("div", { class: "counts", title: "how often it was taken" }, lines.map((_, at) => (counts.has(at + 1) ? `${counts.get(at + 1).toLocaleString("en")}×` : "")).join("\n")) : null,
    el("div", { class: "numbers" }, lines.map((_, at) => at + 1).join("\n")),
    el("div", { class: "lines" }, lines));
}

// Shows a line of a source within its own panel, and scrolls nothing else.
export function reveal(panel, selector) {
  const row = panel.querySelector(selector);
  if (!row || panel.scrollHeight <= panel.clientHeight) return;
  const top = row.getBoundingClientRect().top - panel.getBoundingClientRect().top;
  if (top < 0 || top > panel.clientHeight - 40) panel.scrollTop += top - panel.clientHeight / 3;
}

// An editor: what is typed into the text area is seen through it in colours, with what is wrong marked at its place.
export function editor(text, language, look) {
  const below = el("div", { class: "below" });
  const marks = new Map();
  const asked = calmly(async () => {
    const found = await look(area.value);
    if (found === null) return;
    marks.clear();
    if (found) marks.set(found.line, { kind: "error", title: found.title });
    show();
  }, 300);
  const area = el("textarea", { class: "editor", spellcheck: "false", autocapitalize: "off", "aria-label": "text of the model", wrap: "off", oninput: () => { show(); asked(); },
    onkeydown: (event) => {
      if (event.key !== "Tab" || event.shiftKey || event.altKey) return;
      event.preventDefault();
      area.setRangeText("  ", area.selectionStart, area.selectionEnd, "end");
      show();
      asked();
    } });
  function show() {
    fill(below, sourceView(area.value, language, marks));
    const lines = area.value.split("\n");
    area.style.height = `${(lines.length + 1) * 1.5 + 1}em`;
    area.style.width = `${Math.max(...lines.map((line) => line.replaceAll("\t", "    ").length)) + 8}ch`;
  }
  area.value = text;
  show();
  return { node: el("div", { class: "editing code" }, below, area), area };
}
