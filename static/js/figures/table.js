// A figure's numbers as a table: a matrix for a heat map, a column a line or bar for all that share their places.

import { plain } from "./arrange.js";
import { decoded } from "./decode.js";

/** @typedef {import("./arrange.js").Figure} Figure */

/** @param {Figure} figure @returns {import("../draw/table.js").Table} */
export function table({ data, layout }) {
  const all = data.map(decoded).filter(({ meta }) => !meta?.aside);
  const traces = all[0]?.z ? all.filter(({ z }) => z) : all;
  const caption = layout.meta?.title ?? "";
  const axisOf = (/** @type {any} */ trace, /** @type {"x" | "y"} */ which) => layout[`${which}axis${(trace[`${which}axis`] ?? which).slice(1)}`] ?? {};
  const title = (/** @type {any} */ axis) => plain(axis.title?.text ?? "");
  const name = (/** @type {any} */ axis, /** @type {number} */ value) => {
    const i = (axis.tickvals ?? []).indexOf(value);
    return i >= 0 && axis.ticktext?.[i] ? plain(axis.ticktext[i]) : value;
  };
  const [first] = traces;
  if (first?.z) {
    const [x, y] = [axisOf(first, "x"), axisOf(first, "y")];
    const rows = traces.flatMap((trace) => Array.from(trace.meta?.said ?? trace.z, (/** @type {any} */ row, r) => [name(y, trace.y?.length === trace.z.length ? trace.y[r] : r), ...row]));
    return { caption, head: [`${title(y)} \\ ${title(x)}`, ...Array.from(first.z[0] ?? [], (_, c) => String(name(x, first.x?.length === first.z[0].length ? first.x[c] : c)))], rows };
  }
  const places = [...new Set(traces.flatMap(({ x }) => Array.from(x)))];
  const x = axisOf(first ?? {}, "x");
  const at = traces.map((trace) => new Map(Array.from(trace.x, (place, i) => [place, (trace.meta?.said ?? trace.y)[i]])));
  return {
    caption,
    head: [title(x), ...traces.map((trace) => plain(trace.name ?? title(axisOf(trace, "y"))))],
    rows: places.map((place) => [name(x, /** @type {number} */ (place)), ...at.map((of) => known(of.get(place)))]),
  };
}

/** A line has no point where it has no number. @param {any} value */
const known = (value) => (value !== null && Number.isFinite(value) ? value : "—");
