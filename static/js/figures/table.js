// A figure's numbers as a table: a matrix for a heat map, a column a line or bar for all that share their places.

import { plain } from "./arrange.js";
import { decoded } from "./decode.js";

/** @typedef {import("./arrange.js").Figure} Figure */

/** @param {Figure} figure @returns {import("../draw/table.js").Table} */
export function table({ data, layout }) {
  const traces = data.map(decoded).filter(({ meta }) => meta?.tabled !== false);
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
    const cells = (/** @type {any} */ { z, text, meta }) => (meta?.worded ? text.map((/** @type {string[]} */ row) => row.map((said) => plain(said.replace("<br>", " ")))) : z);
    const rows = traces.flatMap((trace) => Array.from(cells(trace), (/** @type {any} */ row, r) => [name(y, r), ...row]));
    return { caption, head: [`${title(y)} \\ ${title(x)}`, ...Array.from(first.z[0] ?? [], (_, c) => String(name(x, c)))], rows };
  }
  const placesOf = (/** @type {any} */ { x, meta }) => /** @type {(number | string)[]} */ (meta?.rows ?? Array.from(x));
  const places = [...new Set(traces.flatMap(placesOf))];
  const x = axisOf(first ?? {}, "x");
  const at = traces.map((trace) => new Map(placesOf(trace).map((place, i) => [place, trace.y[i]])));
  return {
    caption,
    head: [title(x), ...traces.map((trace) => plain(trace.meta?.column ?? trace.name ?? title(axisOf(trace, "y"))))],
    rows: places.map((place) => [name(x, /** @type {number} */ (place)), ...at.map((of) => of.get(place) ?? null)]),
  };
}
