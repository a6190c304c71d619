// A list of any length: only the lines in sight exist.
import { el, fill } from "./dom.js";

const HEIGHT = 22;
const HIGHEST = 8_000_000; // browsers lay out no more pixels than some ten million

export class VirtualList {
  // `line(at)` makes the element of a line, `chosen(at)` is told when another one is here.
  constructor(count, line, chosen) {
    Object.assign(this, { count, line, chosen, here: 0 });
    this.spacer = el("div", { class: "spacer" });
    this.node = el("div", { class: "virtual", tabindex: 0, role: "listbox", "aria-label": "steps", onscroll: () => this.draw(), onkeydown: (event) => this.key(event) }, this.spacer);
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  // Pixels of the scroll bar for each of the list.
  get squeeze() { return Math.min(1, HIGHEST / (this.count() * HEIGHT)); }

  draw() {
    const high = this.node.clientHeight || 600, top = this.node.scrollTop / this.squeeze;
    this.spacer.style.height = `${this.count() * HEIGHT * this.squeeze}px`;
    const first = Math.max(0, Math.floor(top / HEIGHT) - 5);
    const last = Math.min(this.count(), first + Math.ceil(high / HEIGHT) + 10);
    const lines = [];
    for (let at = first; at < last; at += 1) {
      const line = this.line(at);
      line.style.top = `${at * HEIGHT - top + this.node.scrollTop}px`;
      line.setAttribute("role", "option");
      line.setAttribute("aria-selected", String(at === this.here));
      if (at === this.here) line.classList.add("here");
      line.addEventListener("click", () => this.choose(at));
      lines.push(line);
    }
    fill(this.spacer, lines);
  }

  choose(at) {
    this.here = Math.max(0, Math.min(this.count() - 1, at));
    const top = this.here * HEIGHT * this.squeeze, box = this.node;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = top + HEIGHT - box.clientHeight;
    this.draw();
    this.chosen(this.here);
  }

  // Returns whether the key was one of the list.
  key(event) {
    const page = Math.max(1, Math.floor(this.node.clientHeight / HEIGHT) - 1);
    const move = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (move === undefined) return false;
    event.preventDefault();
    event.stopPropagation();
    this.choose(Number.isFinite(move) ? this.here + move : move < 0 ? 0 : this.count() - 1);
    return true;
  }
}
