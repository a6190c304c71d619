// What a search did over time: a small chart for each number, so that none hides behind another.
import { svg } from "./dom.js";

const WIDTH = 340, HIGH = 84, LEFT = 8, TOP = 20;
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const bytes = (value) => `${short.format(value / 2 ** 20)} MiB`;

const SERIES = [
  ["states", (moment) => moment.states, short.format], ["states a second", (moment, before) => (before ? (moment.states - before.states) / Math.max(0.05, moment.seconds - before.seconds) : 0), short.format],
  ["frontier", (moment) => moment.frontier, short.format], ["depth", (moment) => moment.depth, short.format], ["memory", (moment) => moment.bytes, bytes],
];

export function chart(moments) {
  const end = Math.max(0.2, moments.at(-1).seconds);
  return svg("svg", { id: "chart-over-time", class: "over-time", viewBox: `0 0 ${WIDTH * 3} ${HIGH * 2}`, role: "img", "aria-label": "states, rate, frontier, depth and memory over time" },
    SERIES.map(([name, read, shown], number) => {
      const values = moments.map((moment, at) => Math.max(0, read(moment, moments[at - 1])));
      const top = Math.max(1, ...values), x0 = (number % 3) * WIDTH + LEFT, y0 = Math.floor(number / 3) * HIGH + TOP;
      const points = values.map((value, at) => `${(x0 + (WIDTH - 2 * LEFT) * moments[at].seconds / end).toFixed(1)},${(y0 + (HIGH - TOP - 8) * (1 - value / top)).toFixed(1)}`);
      const floor = y0 + HIGH - TOP - 8;
      return svg("g", {}, svg("text", { x: x0, y: y0 - 6 }, `${name}: ${shown(values.at(-1))}`, svg("tspan", { class: "dim" }, `  at most ${shown(top)}`)),
        svg("polygon", { points: [`${x0},${floor}`, ...points, `${points.at(-1).split(",")[0]},${floor}`].join(" ") }),
        svg("polyline", { points: points.join(" ") }));
    }));
}
