// The length of the stream's vectors by depth, a line a placement, and for Pre-LN the bounds of Lemma 2 over it.

import { decades } from "../draw/axes.js";
import { lines } from "../draw/chart.js";
import { PLACEMENT, placementColour } from "../draw/placements.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";

/** An axis of logarithms marked at 1, 2, 5, 10 …, or at powers of ten where it is long. @param {number[]} values @param {string} title @returns {import("../draw/axes.js").Range} */
export function rounded(values, title) {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  if (high - low > 2) return decades(values, title);
  const steps = [-3, -2, -1, 0, 1, 2, 3, 4].flatMap((power) => [1, 2, 5].map((m) => Number((m * 10 ** power).toPrecision(1))));
  const from = Math.max(...steps.filter((step) => Math.log10(step) <= low + 1e-9));
  const to = Math.min(...steps.filter((step) => Math.log10(step) >= high - 1e-9));
  return { title, low: Math.log10(from), high: Math.log10(to), marks: steps.filter((step) => step >= from && step <= to).map((step) => [Math.log10(step), String(step)]) };
}

/** A stack without a norm grows by decades: it is drawn only where it was asked for. @param {any} answer @param {import("../clinic.js").Space} space @returns {import("../clinic.js").Drawn} */
export function stream(answer, { width, height, colours, state }) {
  const placements = /** @type {string[]} */ (answer.axes.placement.labels);
  const depths = /** @type {string[]} */ (answer.axes.sublayer.labels);
  const values = /** @type {number[][]} */ (answer.tensors["stream.all"].data);
  const bounds = state.placement === "pre" ? /** @type {number[][]} */ (answer.tensors.lemma.data) : [];
  const shown = placements.map((placement, i) => ({ placement, values: values[i] })).filter(({ placement }) => placement !== "none" || state.placement === "none");
  const atLayers = (/** @type {number[]} */ bound) => depths.map((_, i) => (i % 2 ? Math.log10(bound[(i - 1) / 2]) : null));
  const xs = depths.map((depth) => Math.log2(Number(depth) + 1));
  const marked = depths.map(Number).filter((depth) => (depth & (depth - 1)) === 0 || depth === depths.length);
  const picture = lines({
    series: [
      ...shown.map(({ placement, values }) => ({
        name: PLACEMENT[placement], colour: placementColour(colours, placement), values: values.map(Math.log10), dots: placement === state.placement, dash: placement === "admin" ? [6, 4] : undefined,
      })),
      ...bounds.map((bound, i) => ({ name: ["lower bound", "upper bound"][i], colour: colours.inkSoft, values: atLayers(bound), dash: [2, 4] })),
    ],
    xs, marks: marked.filter((depth, i) => depth === depths.length || depth < 0.8 * depths.length || i === 0).map((depth) => [xs[depth - 1], String(depth)]),
    x: "sub-layer n", y: rounded([...shown.flatMap(({ values }) => values), ...bounds.flat()], "length |x|"),
    label: `Length of a token's vector by depth: ${shown.map(({ placement }) => PLACEMENT[placement]).join(", ")}${bounds.length ? ", with the bounds of Lemma 2" : ""}`,
    width, height, colours,
  });
  const say = (/** @type {{column: number}} */ { column }) => {
    const between = bounds.length && column % 2 ? `; layer ${(column + 1) / 2}: from ${number(bounds[0][(column - 1) / 2], 1)} to ${number(bounds[1][(column - 1) / 2], 1)}` : "";
    return `after sub-layer ${depths[column]}: ${shown.map(({ placement, values }) => `${PLACEMENT[placement]} ${number(values[column], 1)}`).join(", ")}${between}`;
  };
  return { ...picture, tensor: "stream.all", rows: 1, columns: depths.length, say, table: matrixTable("Length of a token's vector", "placement \\ sub-layer", placements.map((placement) => PLACEMENT[placement]), depths, values) };
}
