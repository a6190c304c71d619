// Layers by distance from the start, the order within a layer by where the neighbours stand: good enough for 300 states.
import { svg } from "./dom.js";

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
  const settle = () => layers.forEach((nodes) => nodes.forEach((node, at) => { place[node] = at - (nodes.length - 1) / 2; }));
  settle();
  const middle = (nodes, own) => (nodes.length ? nodes.reduce((sum, node) => sum + place[node], 0) / nodes.length : place[own]);
  for (let round = 0; round < 8; round += 1) {
    for (const nodes of layers) {
      const wish = new Map(nodes.map((node) => [node, round % 2 ? middle(next[node], node) : middle(before[node], node)]));
      nodes.sort((one, other) => wish.get(one) - wish.get(other));
      nodes.forEach((node, at) => { place[node] = at - (nodes.length - 1) / 2; });
    }
  }
  return { place, layer: layers.reduce((found, nodes, at) => { nodes.forEach((node) => { found[node] = at; }); return found; }, []), layers };
}

// `graph`: nodes of {label, title, fill, classes}, edges of {from, to, label, highlighted}, starts.
export function draw(graph, { across = 120, down = 80, radius = 13, choose = null, labels = true } = {}) {
  const { place, layer, layers } = layered(graph.nodes.length, graph.edges, graph.starts);
  const widest = Math.max(1, ...layers.map((nodes) => nodes.length));
  const width = Math.max(320, widest * across + 160), height = layers.length * down + 60;
  const x = (node) => width / 2 + place[node] * across, y = (node) => 40 + layer[node] * down;
  const seen = new Map();
  const paths = graph.edges.filter((edge) => edge.to !== null).map((edge) => {
    const key = `${edge.from} ${edge.to}`, number = seen.get(key) ?? 0;
    seen.set(key, number + 1);
    const [ax, ay, bx, by] = [x(edge.from), y(edge.from), x(edge.to), y(edge.to)];
    let d, tx, ty;
    if (edge.from === edge.to) {
      const size = 24 + number * 12;
      d = `M${ax + radius - 3} ${ay - 6} c ${size} -${size / 2} ${size} ${size / 2 + 10} 0 12`;
      [tx, ty] = [ax + radius + size, ay];
    } else {
      const length = Math.hypot(bx - ax, by - ay) || 1, ux = (bx - ax) / length, uy = (by - ay) / length;
      const bend = (by <= ay ? 26 : 0) + number * 16, mx = (ax + bx) / 2 - uy * bend, my = (ay + by) / 2 + ux * bend;
      d = `M${ax + ux * radius} ${ay + uy * radius} Q${mx} ${my} ${bx - ux * (radius + 4)} ${by - uy * (radius + 4)}`;
      [tx, ty] = [mx, my];
    }
    return [
      svg("path", { class: `edge ${edge.highlighted ? "path" : ""}`, d, "marker-end": "url(#tip)" }, svg("title", {}, edge.label ?? "")),
      labels && edge.label && graph.edges.length < 60 ? svg("text", { x: tx, y: ty - 3, "text-anchor": "middle", class: "small" }, edge.label.slice(0, 40)) : null,
    ];
  });
  const nodes = graph.nodes.map((node, at) => svg("g", { tabindex: choose ? 0 : null, "data-node": at, onclick: choose && (() => choose(at)), onkeydown: choose && ((event) => event.key === "Enter" && choose(at)) },
    svg("circle", { class: `node ${node.classes ?? ""}`, cx: x(at), cy: y(at), r: radius, style: node.fill ? `fill:${node.fill}` : null }, svg("title", {}, node.title ?? "")),
    node.accepting ? svg("circle", { class: "node", cx: x(at), cy: y(at), r: radius - 4, style: "fill:none;pointer-events:none" }) : null,
    svg("text", { x: x(at), y: y(at) + 4, "text-anchor": "middle", style: "pointer-events:none" }, node.label ?? "")));
  return svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, xmlns: "http://www.w3.org/2000/svg", role: "img" },
    svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0 L8 4 L0 8 z", fill: "#888" }))),
    paths, nodes);
}

export function asDot(graph, name) {
  const quote = (text) => `"${String(text ?? "").replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  return [`digraph ${quote(name)} {`, ...graph.nodes.map((node, at) => `  ${at} [label=${quote(node.title || node.label)}];`),
    ...graph.edges.filter((edge) => edge.to !== null).map((edge) => `  ${edge.from} -> ${edge.to} [label=${quote(edge.label)}];`), "}", ""].join("\n");
}

const HUES = [210, 20, 130, 280, 50, 330, 170, 90, 250, 0];
export const hue = (at) => `hsl(${HUES[at % HUES.length]} 65% ${at >= HUES.length ? 35 : 60}%)`;
