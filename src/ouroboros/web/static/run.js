// A counterexample as data: any of its states from what each step changes.
const lastAtMost = (sorted, at) => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low ? sorted[low - 1] : null;
};

export class Run {
  constructor(trace) {
    this.trace = trace;
    this.length = trace.steps.length;
    this.loop = trace.loop;
    this.initial = new Map(trace.initial.map((component) => [component.name, component]));
    this.told = new Map(trace.components.map((name) => [name, []]));
    trace.steps.forEach((step, index) => Object.keys(step.touched ?? {}).forEach((name) => this.told.get(name).push(index + 1)));
    this.processes = [...new Set(trace.heads.flatMap((head) => head.processes))];
  }

  // Steps count from one; what comes before them is the initial state.
  step(at) {
    if (!at) return null;
    const step = this.trace.steps[at - 1];
    return { ...this.trace.heads[step.head], ...step };
  }

  isInCycle(at) { return this.loop !== null && at > this.loop; }

  component(name, at) {
    const told = lastAtMost(this.told.get(name), at);
    return (told === null ? this.initial.get(name) : this.trace.steps[told - 1].touched[name]) ?? null;
  }

  state(at) {
    return this.trace.components.map((name) => this.component(name, at)).filter(Boolean);
  }

  // The names that `variable` knows.
  variables() {
    const names = [];
    for (const name of this.trace.components) {
      const told = [this.initial.get(name), ...this.told.get(name).map((at) => this.trace.steps[at - 1].touched[name])].find(Boolean);
      for (const variable of told?.variables ?? []) {
        const full = !variable.name ? name : told.process ? `${name}.${variable.name}` : variable.name;
        if (Array.isArray(variable.value)) names.push(...variable.value.map((_, index) => `${full}[${index}]`));
        else names.push(full);
      }
    }
    return names;
  }

  // The value of a variable in every state; null where there is none of that name.
  variable(full) {
    const [, base, index] = /^(.*?)(?:\[(\d+)\])?$/.exec(full);
    for (const name of this.trace.components) {
      const inner = base === name ? "" : base.startsWith(`${name}.`) ? base.slice(name.length + 1) : base;
      const read = (component) => {
        const variable = component?.variables.find((one) => one.name === inner);
        if (!variable) return undefined;
        return Array.isArray(variable.value) ? (index === undefined ? variable.value.join(" ") : variable.value[index]) : index === undefined ? variable.value : undefined;
      };
      const told = this.told.get(name);
      if (read(this.initial.get(name)) === undefined && !told.some((at) => read(this.trace.steps[at - 1].touched[name]) !== undefined)) continue;
      const values = new Array(this.length + 1);
      let value = read(this.initial.get(name)) ?? null, next = 0;
      for (let at = 0; at <= this.length; at += 1) {
        if (told[next] === at) { value = read(this.trace.steps[at - 1].touched[name]) ?? null; next += 1; }
        values[at] = value;
      }
      return values;
    }
    return null;
  }

  // The state of the property's automaton.
  automaton(at) {
    if (!this.trace.automaton) return null;
    return at ? this.trace.steps[at - 1].automaton ?? null : this.trace.automaton.first;
  }

  automatonName(at) {
    const state = this.automaton(at);
    return state === null ? "" : this.trace.automaton.names[state] ?? String(state);
  }

  // The processes whose steps change the truth of an atom, and where.
  turns(values) {
    const found = [];
    for (let at = 1; at < values.length; at += 1) if (values[at] !== values[at - 1]) found.push(at);
    return found;
  }
}
