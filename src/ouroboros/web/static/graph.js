// The state graph of a small system, or what is near a state of a large one; any state can be explored on from.
import { call, told } from "./api.js";
import { el, fill, onlyLast, save } from "./dom.js";
import { asDot, dotHue, draw, hue, saveSvg, zoomable } from "./layout.js";

const MOST = 300;
const EXPANSION = 25; // states more, around one that is explored on from

export function graphView(bench) {
  const panel = el("div", { class: "panel grow", id: "graph" });
  const described = el("div", { class: "panel side", id: "described" }, el("p", { class: "dim" }, "Choose a state to see what is in it, and to go on from it."));
  const again = (event) => event.key === "Enter" && load();
  const group = el("input", { id: "group", placeholder: "colour by an expression", spellcheck: "false", list: "names", onkeydown: again });
  const most = el("input", { type: "number", id: "most", min: 1, max: MOST, value: 100, onkeydown: again });
  const from = el("select", { id: "from", onchange: () => load() }, el("option", { value: "" }, "from the initial states"), el("option", { value: "here" }, "from the explorer's state"));
  const process = el("select", { id: "by-process", onchange: () => load() }, el("option", { value: "" }, "colour by a process"), (bench.model.about?.places ?? []).map((name) => el("option", { value: name }, name)));
  const place = el("div", { class: "place" }), note = el("p", { class: "dim", id: "graph-note" }), legend = el("p", { class: "legend", id: "legend" }), tools = el("span", {});
  const states = onlyLast((path, limit) => call("states", { ...bench.asked(), most: limit, group: process.value ? null : group.value.trim() || null, process: process.value || null, path }, "exploring …"));
  let nodes = [], edges = [], numbers = new Map(), along = [], chosen = null, picture = null, shown = null;

  async function load() {
    nodes = []; edges = []; numbers = new Map(); chosen = null;
    await more(from.value ? bench.path : null, Math.min(MOST, Number(most.value) || 100));
  }

  // Adds the states around one; what is there already stays.
  async function more(path, limit) {
    const answer = await states(path, limit);
    if (!answer) return;
    if (answer.error) { bench.notice(told(answer.error)); return; }
    const data = answer.value, at = [];
    for (const node of data.nodes) {
      const known = numbers.get(node.key);
      if (known === undefined) {
        if (nodes.length >= MOST) { at.push(null); continue; }
        numbers.set(node.key, nodes.length);
        at.push(nodes.length);
        nodes.push(node);
      } else {
        at.push(known);
        if (!node.open) nodes[known].open = false;
      }
    }
    const have = new Set(edges.map((edge) => `${edge.from} ${edge.to} ${edge.label}`));
    for (const edge of data.edges) {
      const [source, target] = [at[edge.from], edge.to === null ? null : at[edge.to]];
      if (source === null || source === undefined) continue;
      if (edge.to !== null && target === null) { nodes[source].open = true; continue; }
      const one = { ...edge, from: source, to: target };
      if (!have.has(`${one.from} ${one.to} ${one.label}`)) edges.push(one);
    }
    await highlight();
  }

  // The explorer's path, or the run that was looked at, as far as it is drawn.
  async function highlight() {
    along = [];
    if (bench.path.length > 1) {
      try { along = (await call("keys", { ...bench.asked(), path: bench.path }, null)).keys.map((key) => numbers.get(key)); } catch { along = []; }
    }
    render();
  }

  function render() {
    const groups = [...new Set(nodes.map((node) => node.group))].filter((one) => one !== null);
    const taken = new Set(along.slice(1).map((target, at) => `${along[at]} ${target}`));
    shown = {
      nodes: nodes.map((node, at) => {
        const colour = node.group === null ? null : groups.indexOf(node.group);
        const classes = [node.initial && "start", node.end && "end", node.open && "open", along.includes(at) && "path", at === chosen && "here"].filter(Boolean).join(" ");
        return { label: String(at), title: `${node.label.join("\n")}${node.open ? "\n(there are more successors)" : ""}`, fill: colour === null ? null : hue(colour), dot: colour === null ? null : dotHue(colour), classes };
      }),
      edges: edges.map((edge) => ({ ...edge, highlighted: taken.has(`${edge.from} ${edge.to}`) })),
      starts: nodes.flatMap((node, at) => (node.initial ? [at] : [])).concat(nodes.some((node) => node.initial) ? [] : nodes.length ? [0] : []),
    };
    const open = nodes.filter((node) => node.open).length;
    note.textContent = `${nodes.length} state${nodes.length === 1 ? "" : "s"}, ${edges.length} steps${open ? `: there are more, behind the ${open} with a dotted line` : ": all there are"}. Bold: initial. Red: no step is possible${taken.size ? ", or on the path of the explorer" : ""}.`;
    fill(legend, groups.map((one, at) => el("span", {}, el("i", { style: `background:${hue(at)}` }), one)));
    const scroll = picture && [picture.box.scrollLeft, picture.box.scrollTop];
    picture = zoomable(draw(shown, { ...(shown.edges.length < 15 ? { across: 150, down: 90 } : { across: 46, down: 64, labels: false }), choose: describe }));
    fill(tools, picture.tools);
    fill(place, picture.box);
    picture.fit();
    if (scroll && chosen !== null) picture.box.scrollTo(...scroll);
  }

  function describe(at) {
    chosen = at;
    const node = nodes[at];
    render();
    fill(described, el("h2", {}, `state ${at}`), el("pre", {}, node.label.join("\n")),
      el("div", { class: "toolbar" }, el("button", { id: "expand", onclick: () => more(node.path, Math.min(EXPANSION, MOST)), disabled: nodes.length >= MOST }, "explore on from here"),
        el("button", { id: "to-explorer", onclick: () => bench.goto({ tab: "explore", path: node.path }) }, "open in the explorer")),
      el("ul", { class: "plain" }, edges.filter((edge) => edge.from === at).map((edge) => el("li", {}, edge.to === null ? el("span", { class: "bad" }, `fails: ${edge.fails}  `) : el("button", { class: "link", onclick: () => describe(edge.to) }, `→ ${edge.to}`), ` ${edge.label}`))));
  }

  const name = () => bench.name.split("/").pop();
  fill(panel, el("div", { class: "toolbar" }, from, el("label", {}, "at most ", most), process, group, el("button", { id: "draw", onclick: load }, "draw"), tools,
    el("button", { id: "svg", onclick: () => picture && saveSvg(`${name()}.svg`, picture.box.firstChild) }, "SVG"), el("button", { id: "dot", onclick: () => shown && save(`${name()}.dot`, asDot(shown, bench.name)) }, "DOT")), note, legend, place);
  return bench.model.about ? { nodes: [panel, described], ready: load() } : { nodes: [el("div", { class: "panel grow" }, el("p", { class: "dim" }, "The model cannot be read."))] };
}
