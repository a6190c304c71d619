// Layers by distance from the start, the order within a layer by where the neighbours stand: good enough for 300 states.
import { el, save, svg } from "./dom.js";

export function layered(count, edges, starts) {
  const next = Array.from({ length: count }, () => []), before = Array.from({ length: count }, () => []);
  for (const edge of edges) if (edge.to !== null) { next[edge.from].push(edge.to); before[edge.to].push(edge.from); }
  const layer = new Array(count).fill(-1);
  let row = [...starts];
  row.forEach((node) => { layer[node] = 0; });
  const layers = [];
  while (row.length) {
    layers.push(row);
    const following = [];
    for (const node of row) for (const target of next[node]) if (layer[target] < 0) { layer[target] = layers.length; following.push(target); }
    row = following;
  }
  const lost = layer.flatMap((at, node) => (at < 0 ? [node] : []));
  if (lost.length) layers.push(lost);
  const place = new Array(count).fill(0);
  const settle = (nodes) => nodes.forEach((node, at) => { place[node] = at - (nodes.length - 1) / 2; });
  layers.forEach(settle);
  const middle = (nodes, own) => (nodes.length ? nodes.reduce((sum, node) => sum + place[node], 0) / nodes.length : place[own]);
  for (let round = 0; round < 8; round += 1) {
    for (const nodes of layers) {
      const wish = new Map(nodes.map((node) => [node, round % 2 ? middle(next[node], node) : middle(before[node], node)]));
      nodes.sort((one, other) => wish.get(one) - wish.get(other));
      settle(nodes);
    }
  }
  // A layer that is much wider than the others stands in several rows.
  const most = Math.max(8, Math.round(2.5 * Math.sqrt(count)));
  const rows = layers.flatMap((nodes) => {
    const parts = Math.ceil(nodes.length / most), size = Math.ceil(nodes.length / parts);
    return Array.from({ length: parts }, (_, part) => nodes.filter((_node, at) => at % parts === part).slice(0, size));
  });
  rows.forEach((nodes, at) => { settle(nodes); nodes.forEach((node) => { layer[node] = at; }); });
  return { place, layer, layers: rows };
}

// The drawing has its style within, so that it looks the same when it is saved.
const STYLE = `.graph text { font: 11px system-ui, sans-serif; fill: var(--text, #1d2421) } .graph .small { font-size: 9.5px; fill: var(--dim, #68736d); paint-order: stroke; stroke: var(--panel, #fff); stroke-width: 3px }
.graph .node { fill: var(--panel, #fff); stroke: var(--dim, #68736d); stroke-width: 1.2 } .graph .edge { fill: none; stroke: var(--dim, #68736d) }
.graph .path { stroke: var(--bad, #b3261e); stroke-width: 2.5 } .graph .start { stroke-width: 3 } .graph .end { stroke: var(--bad, #b3261e); stroke-width: 2 }
.graph .open { stroke-dasharray: 2 3 } .graph .here { stroke: var(--accent, #1f6f54); stroke-width: 4 } .graph .light { fill: #111 } .graph marker path { fill: var(--dim, #888) }`;

let drawings = 0;

// Edges to the next layer are straight; others go round what is between, those that lead back on the right.
function route(edge, number, at, layer, radius) {
  const [ax, ay] = at(edge.from), [bx, by] = at(edge.to);
  if (edge.from === edge.to) {
    const size = 24 + number * 12;
    return { d: `M${ax + radius - 3} ${ay - 6} c ${size} -${size / 2} ${size} ${size / 2 + 10} 0 12`, x: ax + radius + 0.7 * size, y: ay + 4 - number * 12, anchor: "start" };
  }
  const length = Math.hypot(bx - ax, by - ay) || 1, ux = (bx - ax) / length, uy = (by - ay) / length;
  const down = layer[edge.to] - layer[edge.from];
  const bend = (down === 1 ? 0 : down === 0 ? 26 : down < 0 ? 44 - 30 * (down + 1) : 30 * (1 - down)) + number * (down > 1 ? -18 : 18);
  const mx = (ax + bx) / 2 - uy * bend, my = (ay + by) / 2 + ux * bend;
  const [x, y] = [(ax + 2 * mx + bx) / 4, (ay + 2 * my + by) / 4];
  const aside = -uy * bend, anchor = Math.abs(aside) < 8 ? "middle" : aside > 0 ? "start" : "end";
  return { d: `M${ax + ux * radius} ${ay + uy * radius} Q${mx} ${my} ${bx - ux * (radius + 4)} ${by - uy * (radius + 4)}`, x, ...(anchor === "middle" ? { x: x - 7, y: y + 3 - number * 11, anchor: "end" } : { y: y + 3, anchor }) };
}

// `graph`: nodes of {label, title, fill, classes, accepting}, edges of {from, to, label, highlighted}, starts.
export function draw(graph, { across = 120, down = 80, radius = 13, choose = null, labels = true } = {}) {
  const { place, layer, layers } = layered(graph.nodes.length, graph.edges, graph.starts);
  const at = (node) => [place[node] * across, 36 + layer[node] * down];
  const seen = new Map(), tip = `tip${(drawings += 1)}`;
  const named = labels && graph.edges.length < 60;
  const widest = Math.max(1, ...layers.map((nodes) => nodes.length)) * across / 2 + 30;
  let [left, right] = [-widest, widest];
  const paths = graph.edges.filter((edge) => edge.to !== null).map((edge) => {
    const key = `${edge.from} ${edge.to}`, number = seen.get(key) ?? 0;
    seen.set(key, number + 1);
    const { d, x, y, anchor } = route(edge, number, at, layer, radius);
    const words = named && edge.label ? (edge.label.length > 42 ? `${edge.label.slice(0, 40)}…` : edge.label) : "";
    const wide = words.length * 5.4 + 8;
    left = Math.min(left, anchor === "end" ? x - wide : anchor === "middle" ? x - wide / 2 : x);
    right = Math.max(right, anchor === "start" ? x + wide : anchor === "middle" ? x + wide / 2 : x);
    return [svg("path", { class: `edge ${edge.highlighted ? "path" : ""}`, d, "marker-end": `url(#${tip})` }, svg("title", {}, edge.label ?? "")),
      words ? svg("text", { x, y, "text-anchor": anchor, class: "small" }, words) : null];
  });
  const width = right - left, height = layers.length * down + 36;
  const nodes = graph.nodes.map((node, number) => {
    const [x, y] = at(number);
    return svg("g", { tabindex: choose ? 0 : null, role: choose ? "button" : null, "data-node": number, "aria-label": node.title, style: choose ? "cursor:pointer" : null, onclick: choose && (() => choose(number)), onkeydown: choose && ((event) => event.key === "Enter" && choose(number)) },
      svg("circle", { class: `node ${node.classes ?? ""}`, cx: x, cy: y, r: radius, style: node.fill ? `fill:${node.fill}` : null }, svg("title", {}, node.title ?? "")),
      node.accepting ? svg("circle", { class: "node", cx: x, cy: y, r: radius - 4, style: "fill:none;pointer-events:none" }) : null,
      svg("text", { class: node.fill ? "light" : null, x, y: y + 4, "text-anchor": "middle", style: "pointer-events:none" }, node.label ?? ""));
  });
  return svg("svg", { class: "graph", viewBox: `${left} 0 ${width} ${height}`, width, height, xmlns: "http://www.w3.org/2000/svg", role: "img" },
    svg("style", {}, STYLE),
    svg("defs", {}, svg("marker", { id: tip, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0 L8 4 L0 8 z" }))),
    paths, nodes);
}

export const saveSvg = (name, drawing) => save(name, new XMLSerializer().serializeToString(drawing), "image/svg+xml");

// A box in which a drawing is dragged, and made larger and smaller: with the wheel, the buttons, or the keys + - 0.
export function zoomable(drawing) {
  const natural = [Number(drawing.getAttribute("width")), Number(drawing.getAttribute("height"))];
  let scale = 1, held = null;
  const box = el("div", { class: "zoomable", tabindex: 0, "aria-label": "drawing: + and - change its size, 0 fits it in",
    onwheel: (event) => { if (event.ctrlKey || event.shiftKey) { event.preventDefault(); zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event); } },
    onpointerdown: (event) => { held = [event.clientX + box.scrollLeft, event.clientY + box.scrollTop]; },
    onpointermove: (event) => { if (held && event.buttons) { box.scrollLeft = held[0] - event.clientX; box.scrollTop = held[1] - event.clientY; } },
    onkeydown: (event) => { if (event.key === "+") zoom(1.25); else if (event.key === "-") zoom(0.8); else if (event.key === "0") fit(); } }, drawing);
  function sized() {
    drawing.setAttribute("width", natural[0] * scale);
    drawing.setAttribute("height", natural[1] * scale);
  }
  function zoom(factor, event = null) {
    const bounds = box.getBoundingClientRect();
    const [x, y] = event ? [event.clientX - bounds.left, event.clientY - bounds.top] : [box.clientWidth / 2, box.clientHeight / 2];
    const old = scale;
    scale = Math.min(4, Math.max(0.05, scale * factor));
    const [left, top] = [(box.scrollLeft + x) * scale / old - x, (box.scrollTop + y) * scale / old - y];
    sized();
    box.scrollTo(left, top);
  }
  function fit() {
    const room = (box.clientWidth - 4) / natural[0];
    if (room <= 0) return;
    // What would be too small to be read is better scrolled.
    scale = Math.min(1, Math.max(0.45, room));
    sized();
    box.scrollLeft = (natural[0] * scale - box.clientWidth) / 2;
  }
  const tools = el("span", { class: "zoom" }, el("button", { title: "larger", onclick: () => zoom(1.25) }, "+"), el("button", { title: "smaller", onclick: () => zoom(0.8) }, "−"), el("button", { title: "fit", onclick: fit }, "fit"));
  return { box, tools, fit };
}

export function asDot(graph, name) {
  const quote = (text) => `"${String(text ?? "").replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
  const colour = (node) => (node.fill ? `, style=filled, fillcolor=${quote(node.dot ?? node.fill)}` : "");
  return [`digraph ${quote(name)} {`, ...graph.nodes.map((node, at) => `  ${at} [label=${quote(node.title || node.label)}${colour(node)}];`),
    ...graph.edges.filter((edge) => edge.to !== null).map((edge) => `  ${edge.from} -> ${edge.to} [label=${quote(edge.label)}${edge.highlighted ? ", color=red, penwidth=2.5" : ""}];`), "}", ""].join("\n");
}

const HUES = [210, 20, 130, 280, 50, 330, 170, 90, 250, 0];
export const hue = (at) => `hsl(${HUES[at % HUES.length]} 65% ${at >= HUES.length ? 45 : 65}%)`;
// The same for DOT, which knows hue, saturation and value.
export const dotHue = (at) => `${(HUES[at % HUES.length] / 360).toFixed(3)} 0.5 ${at >= HUES.length ? 0.7 : 0.95}`;

// The automaton of a formula's violations, or of a property; `here` is the state that it is in.
export function automatonPicture(found, here = null) {
  return draw({
    nodes: Array.from({ length: found.states }, (_, state) => ({ label: String(found.names?.[state] ?? state).slice(0, 6), title: `state ${found.names?.[state] ?? state}${found.accepting.includes(state) ? ", accepting" : ""}`, accepting: found.accepting.includes(state), classes: state === here ? "here" : "" })),
    edges: found.edges, starts: [found.initial] }, { across: 190, radius: 15, down: 84 });
}

// A process as an automaton; `here` is the value of its place.
export function processPicture(process, here = null) {
  const places = Object.keys(process.names), at = new Map(places.map((place, index) => [Number(place), index]));
  return draw({
    nodes: places.map((place) => ({ label: process.names[place].slice(0, 12), title: process.names[place], classes: Number(place) === here ? "here" : "" })),
    edges: process.edges.map((edge) => ({ ...edge, from: at.get(edge.from), to: at.get(edge.to) })),
    starts: [at.get(process.initial) ?? 0] }, { across: 190, radius: 25, down: 96 });
}
