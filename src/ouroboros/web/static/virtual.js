// A list of any length: only the lines in sight exist.
import { el, fill } from "./dom.js";

const HEIGHT = 22;

export class VirtualList {
  constructor(count, line, chosen) {
    this.count = count;
    this.line = line;
    this.here = 0;
    this.chosen = chosen;
    this.spacer = el("div", { class: "spacer" });
    this.node = el("div", { class: "virtual", tabindex: 0, role: "listbox", "aria-label": "steps", onscroll: () => this.draw(), onkeydown: (event) => this.key(event) }, this.spacer);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.node);
  }

  draw() {
    this.spacer.style.height = `${this.count() * HEIGHT}px`;
    const first = Math.max(0, Math.floor(this.node.scrollTop / HEIGHT) - 5);
    const last = Math.min(this.count(), first + Math.ceil((this.node.clientHeight || 600) / HEIGHT) + 10);
    const lines = [];
    for (let at = first; at < last; at += 1) {
      const line = this.line(at);
      line.style.top = `${at * HEIGHT}px`;
      line.setAttribute("role", "option");
      if (at === this.here) line.classList.add("here");
      line.setAttribute("aria-selected", String(at === this.here));
      line.addEventListener("click", () => this.choose(at));
      lines.push(line);
    }
    fill(this.spacer, lines);
  }

  choose(at) {
    this.here = Math.max(0, Math.min(this.count() - 1, at));
    const top = this.here * HEIGHT, box = this.node;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = top + HEIGHT - box.clientHeight;
    this.draw();
    this.chosen(this.here);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.node.clientHeight / HEIGHT) - 1);
    const move = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    this.choose(Number.isFinite(move) ? this.here + move : move < 0 ? 0 : this.count() - 1);
  }
}
