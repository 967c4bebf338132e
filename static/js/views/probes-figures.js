// The pictures of probes: accuracy after each layer, held out and fitted; and of the stream, how alike tokens are and what came straight from below.

import { place } from "../draw/axes.js";
import { lines } from "../draw/chart.js";
import { path } from "../draw/scene.js";
import { number } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space */
/** @typedef {import("../clinic.js").Drawn} Drawn */
/** @typedef {{name: string, colour: string, values: number[], dash?: number[], level?: boolean}} Line a dashed line is named in the table only, a level one has no dots */

/** Lines over the embedding and the layers, from 0 to 1. @param {any} answer @param {string} tensor @param {Line[]} series @param {{y: string, label: string, low?: number}} words @param {Space} space @returns {Drawn} */
function over({ axes }, tensor, series, { y, label, low = 0 }, { width, height, colours }) {
  const points = /** @type {string[]} */ (axes.point.labels);
  const xs = points.map((_, i) => i);
  const picture = lines({
    series: series.filter(({ dash }) => !dash).map((line) => ({ ...line, dots: !line.level })),
    xs, marks: xs.map((x) => [x, x ? points[x] : "in"]), x: "after layer", y: { title: y, low, high: 1 }, label, width, height, colours,
  });
  const { area, box } = picture;
  const toY = place({ low, high: 1, title: y }, area.y + area.height, area.y);
  const dashed = series.filter(({ dash }) => dash).map(({ values, colour, dash }) =>
    path(values.map((value, i) => [box(0, i).x + box(0, i).width / 2, toY(value)]), { stroke: colour, line: 2, dash }));
  const say = (/** @type {{column: number}} */ { column }) => `${column ? `after layer ${points[column]}` : "embedding"}: ${series.map(({ name, values }) => `${name} ${number(values[column])}`).join(", ")}`;
  return { ...picture, scene: { ...picture.scene, shapes: [...picture.scene.shapes, ...dashed] }, tensor, rows: 1, columns: points.length, say, table: { caption: label, head: ["", ...points], rows: series.map(({ name, values }) => [name, ...values]) } };
}

/** @param {any} answer @param {"on" | "off"} residual @param {Space} space @returns {Drawn} */
export function probes(answer, residual, space) {
  const { axes, tensors, findings } = answer;
  const { colours } = space;
  const { data } = tensors[`accuracy.${residual}`];
  const colour = /** @type {Record<string, string>} */ ({ position: colours.position, token: colours.embedding, control: colours.cross });
  const guess = findings.find((/** @type {import("../clinic.js").Finding} */ { name }) => name === "by_word").mean;
  const named = /** @type {string[]} */ (axes.probe.labels);
  const series = [
    { name: "by word", colour: colours.inkSoft, values: data[0][0].map(() => guess), level: true },
    ...named.flatMap((name, i) => [
      { name: `${name}, fitted`, colour: colour[name], values: data[i][0], dash: [5, 4] },
      { name, colour: colour[name], values: data[i][1] },
    ]).reverse(),
  ];
  return over(answer, `accuracy.${residual}`, series, { y: "share read right; dashed: where it was fitted", label: `What probes read, residual ${residual}` }, space);
}

/** @param {any} answer @param {"on" | "off"} residual @param {Space} space @returns {Drawn} */
export function stream(answer, residual, space) {
  const { tensors } = answer;
  const { colours } = space;
  const [position, token] = tensors[`direct.${residual}`].data;
  const series = [
    { name: "cosine", colour: colours.stream, values: tensors[`cosine.${residual}`].data },
    { name: "token", colour: colours.embedding, values: token },
    { name: "position", colour: colours.position, values: position },
  ];
  const low = Math.min(0, ...series.flatMap(({ values }) => values));
  return over(answer, `cosine.${residual}`, series, { y: "cosine of tokens; share of |x|² straight from token, position", label: `The stream, residual ${residual}`, low }, space);
}
