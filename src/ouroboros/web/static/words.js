// Completion of the names of a model in a line of text: the word before the cursor is looked up.
import { el, fill } from "./dom.js";

const MOST = 8;

// Returns the input inside of a box with what fits below it. Arrows choose, Tab or Enter takes, Escape closes.
export function withCompletion(input, names) {
  const list = el("ul", { class: "words", role: "listbox", hidden: true });
  let found = [], at = 0;

  const word = () => /[A-Za-z_][\w.\[\]]*$/.exec(input.value.slice(0, input.selectionStart))?.[0] ?? "";

  function show() {
    const begun = word();
    found = begun.length ? names().filter((name) => name !== begun && name.toLowerCase().startsWith(begun.toLowerCase())).slice(0, MOST) : [];
    at = 0;
    draw();
  }

  function draw() {
    list.hidden = !found.length;
    fill(list, found.map((name, index) => el("li", { role: "option", "aria-selected": String(index === at), onmousedown: (event) => { event.preventDefault(); at = index; take(); } }, name)));
  }

  function take() {
    const begun = word(), end = input.selectionStart;
    input.setRangeText(found[at], end - begun.length, end, "end");
    found = [];
    draw();
    input.dispatchEvent(new Event("input"));
  }

  input.addEventListener("input", show);
  input.addEventListener("blur", () => { found = []; draw(); });
  input.addEventListener("keydown", (event) => {
    if (!found.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { at = (at + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length; draw(); } else if (event.key === "Tab" || event.key === "Enter") take();
    else if (event.key === "Escape") { found = []; draw(); } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  return el("span", { class: "completing" }, input, list);
}
