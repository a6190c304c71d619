// A state by component: what changed is lit.
import { el } from "./dom.js";

const lit = (value, changed) => el("span", { class: changed ? "changed" : null }, value);

function value(variable) {
  if (!Array.isArray(variable.value)) return lit(variable.value, variable.changed);
  return variable.value.flatMap((one, at) => [at ? " " : "", lit(one, variable.changed.includes(at))]);
}

const isChanged = (variable) => (Array.isArray(variable.changed) ? variable.changed.length > 0 : variable.changed);

// `hidden`: names of components, or of variables with that of their component; `onlyChanges` leaves out all else.
export function stateTable(components, { hidden = new Set(), onlyChanges = false } = {}) {
  const shown = components.filter((one) => !hidden.has(one.name) && (!onlyChanges || one.new || one.variables.some(isChanged)));
  return el("div", { class: "state mono" }, shown.map((component) => {
    const isHidden = (variable) => hidden.has(component.process ? `${component.name}.${variable.name}` : variable.name);
    const variables = component.variables.filter((variable) => !isHidden(variable) && (!onlyChanges || component.new || isChanged(variable)));
    const [place, rest] = [variables.filter((variable) => !variable.name), variables.filter((variable) => variable.name)];
    return el("section", {}, el("h4", { class: component.new ? "changed" : null }, component.name, place.length ? [" ", el("b", {}, place.flatMap((one, at) => [at ? ", " : "", value(one)]))] : null),
      rest.length ? el("dl", {}, rest.map((variable) => [el("dt", {}, variable.name), el("dd", {}, value(variable))])) : null);
  }));
}
