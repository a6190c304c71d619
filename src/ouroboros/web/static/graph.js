// The state graph of a small system, or what is near a state of a large one.
import { call, told } from "./api.js";
import { el, fill, save } from "./dom.js";
import { asDot, draw, hue } from "./layout.js";

export function graphView(bench) {
  const panel = el("div", { class: "panel grow", id: "graph" });
  const group = el("input", { id: "group", placeholder: "colour by an expression", spellcheck: "false", onkeydown: (event) => event.key === "Enter" && load() });
  const most = el("input", { type: "number", id: "most", min: 1, max: 300, value: 100 });
  const from = el("select", { id: "from" }, el("option", { value: "" }, "from the initial states"), el("option", { value: "here" }, "from the explorer's state"));
  const place = el("div", { style: "overflow:auto" }), note = el("p", { class: "dim", id: "graph-note" }), legend = el("p", { class: "legend" });
  let shown = null, picture = null;

  async function load() {
    try {
      const data = await call("states", { ...bench.asked(), most: Number(most.value) || 100, group: group.value.trim() || null, path: from.value ? bench.path : null }, "exploring …");
      const groups = [...new Set(data.nodes.map((node) => node.group))];
      shown = { nodes: data.nodes.map((node, at) => ({ label: String(at), title: node.label.join("\n") + (node.open ? "\n(not all successors are shown)" : ""), fill: node.group === null ? null : hue(groups.indexOf(node.group)), classes: node.end ? "path" : node.initial ? "accepting" : "" })),
        edges: data.edges, starts: data.nodes.flatMap((node, at) => (node.initial ? [at] : [])) };
      note.textContent = `${data.nodes.length} states, ${data.edges.length} steps${data.complete ? ": all there are" : ": there are more; those with open ends can be explored on"}. Red: no step is possible.`;
      fill(legend, groups.filter((one) => one !== null).map((one, at) => el("span", {}, el("i", { style: `background:${hue(groups.indexOf(one))}` }), one)));
      picture = draw(shown, { across: 52, down: 64, choose: describe, labels: shown.edges.length < 30 });
      fill(place, picture);
    } catch (error) { bench.notice(told(error)); }
  }

  const described = el("pre", { class: "panel side", id: "described" }, "Choose a state to see what is in it.");
  function describe(at) {
    described.textContent = `state ${at}\n${shown.nodes[at].title}\n\n${shown.edges.filter((edge) => edge.from === at).map((edge) => `→ ${edge.to ?? "fails"}  ${edge.label}`).join("\n")}`;
  }

  fill(panel, el("div", { class: "toolbar" }, from, el("label", {}, "at most ", most), group, el("button", { id: "draw", onclick: load }, "draw"),
    el("button", { onclick: () => picture && save("states.svg", new XMLSerializer().serializeToString(picture), "image/svg+xml") }, "SVG"), el("button", { onclick: () => shown && save("states.dot", asDot(shown, bench.name)) }, "DOT")), note, legend, place);
  return { nodes: [panel, described], ready: bench.model.about ? load() : null };
}
