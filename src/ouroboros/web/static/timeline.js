// The run from left to right: a lane for each process, a row for each value that is watched. Only what is in sight is drawn.
import { el } from "./dom.js";
import { hue } from "./layout.js";

const LANE = 20, LEFT = 132, MOST_LANES = 24;
const SIZES = [3, 6, 10, 16, 28, 48];

export class Timeline {
  // `rows`: name → values of every state; `choose(at)` is called for a click.
  constructor(run, rows, choose, here) {
    Object.assign(this, { run, rows, choose, here, size: 3, lanes: run.processes });
    this.canvas = el("canvas", { role: "img", "aria-label": "timeline, one lane a process", onclick: (event) => this.clicked(event), onwheel: (event) => this.wheeled(event) });
    this.spacer = el("div", {});
    this.scroll = el("div", { class: "scroll", tabindex: -1, onscroll: () => this.draw() }, this.spacer);
    this.node = el("div", { id: "timeline" }, this.canvas, this.scroll);
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  get step() { return SIZES[this.size]; }

  first() { return Math.floor(this.scroll.scrollLeft / this.step); }

  clicked(event) {
    const at = Math.floor((event.offsetX - LEFT) / this.step) + this.first();
    if (event.offsetX >= LEFT && at <= this.run.length) this.choose(at);
  }

  wheeled(event) {
    if (event.ctrlKey) { event.preventDefault(); this.zoom(event.deltaY < 0 ? 1 : -1); } else if (event.deltaX) this.scroll.scrollLeft += event.deltaX;
  }

  zoom(by) {
    const middle = this.here();
    this.size = Math.max(0, Math.min(SIZES.length - 1, this.size + by));
    this.draw();
    this.scroll.scrollLeft = Math.max(0, middle * this.step - (this.canvas.width - LEFT) / 2);
    this.draw();
  }

  // Scrolls so that where the reader is can be seen.
  follow() {
    const x = this.here() * this.step, room = (this.node.clientWidth || 800) - LEFT;
    if (x < this.scroll.scrollLeft || x + this.step > this.scroll.scrollLeft + room) this.scroll.scrollLeft = x - room / 2;
    this.draw();
  }

  draw() {
    const style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name).trim();
    const { run, step } = this, lanes = this.lanes.slice(0, MOST_LANES), texts = [...this.rows];
    const width = this.node.clientWidth || 800, height = (lanes.length + texts.length) * LANE + 4;
    this.spacer.style.cssText = `height:1px;width:${(run.length + 1) * step + LEFT}px`;
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    const first = this.first(), last = Math.min(run.length, first + Math.ceil((width - LEFT) / step));
    const x = (at) => LEFT + (at - first) * step;
    if (run.loop !== null && run.loop < last) {
      const from = Math.max(LEFT, x(run.loop + 1));
      context.fillStyle = colour("--cycle");
      context.fillRect(from, 0, x(last + 1) - from, height);
    }
    context.fillStyle = colour("--chosen");
    if (this.here() >= first && this.here() <= last) context.fillRect(x(this.here()), 0, Math.max(2, step), height);
    lanes.forEach((lane, row) => {
      const top = row * LANE;
      context.fillStyle = colour("--line");
      context.fillRect(LEFT, top + LANE - 1, width, 1);
      context.fillStyle = colour("--dim");
      context.fillText(cut(lane), 4, top + 14);
      context.fillStyle = hue(row);
      for (let at = Math.max(1, first); at <= last; at += 1) {
        const head = run.trace.heads[run.trace.steps[at - 1].head];
        if (head.processes.includes(lane)) context.fillRect(x(at) + (step > 8 ? 1 : 0), top + 3, step > 8 ? step - 2 : step, LANE - 7);
      }
    });
    texts.forEach(([text, values], index) => this.row(context, colour, text, values, (lanes.length + index) * LANE, first, last, x));
  }

  // Truth as a line that goes up and down, other values as words where they begin.
  row(context, colour, text, values, top, first, last, x) {
    context.fillStyle = colour("--text");
    context.fillText(cut(text), 4, top + 14);
    const isTruth = values.isTruth;
    for (let at = first; at <= last;) {
      let end = at;
      while (end < last && values[end + 1] === values[at]) end += 1;
      const [left, right] = [x(at), x(end + 1)], value = String(values[at] ?? "?");
      if (isTruth) {
        context.fillStyle = value === "1" ? colour("--good") : value === "0" ? colour("--line") : colour("--bad");
        context.fillRect(left, value === "1" ? top + 4 : top + LANE - 6, right - left, value === "1" ? LANE - 8 : 2);
      } else {
        context.fillStyle = colour("--line");
        context.fillRect(left, top + 3, 1, LANE - 6);
        context.fillRect(left, top + LANE - 3, right - left, 1);
        context.save();
        context.beginPath();
        context.rect(left, top, right - left, LANE);
        context.clip();
        context.fillStyle = colour("--text");
        context.fillText(value, left + 3, top + 14);
        context.restore();
      }
      at = end + 1;
    }
  }
}

const cut = (text) => (text.length > 20 ? `${text.slice(0, 19)}…` : text);
