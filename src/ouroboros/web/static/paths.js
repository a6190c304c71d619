// The paths that were walked, as a tree; some are bookmarked.
import { el } from "./dom.js";

const SHOWN = 60; // steps of a stretch without branches; of longer ones the middle is left out

export class Paths {
  constructor() {
    this.nodes = new Map();
  }

  has(path) { return this.nodes.has(path.join(".")); }

  get(path) { return this.nodes.get(path.join(".")); }

  // Remember a path, and the step that leads to its end.
  note(path, step = null) {
    for (let length = path.length; length > 0; length -= 1) {
      const part = path.slice(0, length), key = part.join(".");
      const known = this.nodes.get(key);
      const node = known ?? { path: part, step: null, children: [], name: null };
      if (step && length === path.length) node.step = step;
      this.nodes.set(key, node);
      if (length > 1) {
        const parent = this.nodes.get(part.slice(0, -1).join("."));
        if (parent && !parent.children.includes(key)) parent.children.push(key);
        if (parent && known) return;
      }
    }
    // Those that were made on the way know their children only now.
    for (let length = 1; length < path.length; length += 1) {
      const { children } = this.nodes.get(path.slice(0, length).join(".")), child = path.slice(0, length + 1).join(".");
      if (!children.includes(child)) children.push(child);
    }
  }

  bookmarks() { return [...this.nodes.values()].filter((node) => node.name !== null); }

  // The tree below an initial state; `go(path)` is called for a click.
  view(start, here, go) {
    const items = [];
    const present = here.join(".");
    let key = String(start);
    const stretch = [];
    while (key) {
      const node = this.nodes.get(key);
      if (!node) break;
      stretch.push(node);
      key = node.children.length === 1 ? node.children[0] : null;
    }
    stretch.forEach((node, at) => {
      const isHere = node.path.join(".") === present;
      if (at === 3 && stretch.length > SHOWN) items.push(el("li", { class: "dim" }, `… ${stretch.length - SHOWN + 3} steps`));
      if (at >= 3 && at < stretch.length - SHOWN + 6 && stretch.length > SHOWN && !isHere && node.name === null) return;
      const text = node.path.length === 1 ? "initial state" : `${node.path.length - 1}  ${[node.step?.process, node.step?.statement].filter(Boolean).join("  ")}`;
      items.push(el("li", {}, el("button", { class: isHere ? "here" : null, "aria-current": isHere ? "step" : null, onclick: () => go(node.path) }, node.name !== null ? "★ " : "", text)));
    });
    const last = stretch.at(-1);
    if (last && last.children.length > 1) items.push(...last.children.map((child) => el("li", {}, this.view(child, here, go))));
    return el("ul", { class: "tree" }, items);
  }

  saved() { return this.bookmarks().map((node) => ({ path: node.path, name: node.name })); }

  restore(saved) { for (const { path, name } of saved) { this.note(path); this.get(path).name = name; } }
}
