// A state by component: what changed is lit.
import { el } from "./dom.js";

export function stateTable(components, hidden = new Set()) {
  return el("table", { class: "state mono" }, components.filter((one) => !hidden.has(one.name)).map((component) => [
    el("tr", {}, el("th", { colspan: 2, class: component.new ? "changed" : "" }, component.name)),
    component.variables.filter((variable) => !hidden.has(`${component.name}.${variable.name}`)).map((variable) => el("tr", {},
      el("td", { class: "dim" }, `  ${variable.name || "at"}`),
      el("td", {}, Array.isArray(variable.value)
        ? variable.value.flatMap((value, at) => [at ? " " : "", el("span", { class: variable.changed.includes(at) ? "changed" : "" }, value)])
        : el("span", { class: variable.changed ? "changed" : "" }, variable.value)))),
  ]));
}
