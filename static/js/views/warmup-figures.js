// Who learns at which rate: a line an arm, a thin one a seed, and what guessing costs.

import { place } from "../draw/axes.js";
import { lines } from "../draw/chart.js";
import { PLACEMENT, placementColour } from "../draw/placements.js";
import { path } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space */
/** @typedef {import("../clinic.js").Drawn} Drawn */
/** @typedef {{step: number, rate: number[], loss: number[][]}} Step one step as the stream tells it: rates by arm, losses by arm and seed */

/** @type {Record<string, string>} */
export const ARM = { ...PLACEMENT, post_warmup: "with warm-up" };
const DASHES = /** @type {Record<string, number[]>} */ ({ post_warmup: [7, 4] });

/** @param {any} answer @returns {string[]} */
export const arms = (answer) => answer.axes.arm.labels;

/** @param {import("../draw/colours.js").Palette} colours @param {string} arm */
const colourOf = (colours, arm) => placementColour(colours, arm.replace("_warmup", ""));

/** Marks of the steps: round numbers and the last. @param {number} count @returns {import("../draw/axes.js").Marks} */
function marks(count) {
  const every = [10, 20, 50, 100].find((step) => count / step <= 6) ?? 100;
  return [1, ...Array.from({ length: Math.floor(count / every) }, (_, i) => (i + 1) * every)].map((step) => [step, String(step)]);
}

/** @param {any} answer @param {Space} space @returns {Drawn} */
export function loss(answer, { width, height, colours }) {
  const { data } = answer.tensors.loss;
  const means = /** @type {number[][]} */ (answer.tensors.mean.data);
  const steps = means[0].map((_, i) => i + 1);
  const high = Math.ceil(2 * Math.max(...data.flat(2))) / 2;
  const named = arms(answer);
  const picture = lines({
    series: [
      ...named.map((arm, i) => ({ name: ARM[arm], colour: colourOf(colours, arm), values: means[i], dash: DASHES[arm] })),
      { name: "guessing", colour: colours.inkSoft, values: steps.map(() => answer.guessing), dash: [1, 5] },
    ],
    xs: steps, marks: marks(steps.length), x: "step t", y: { title: "loss", low: 0, high },
    label: `Loss by step: ${named.map((arm) => ARM[arm]).join(", ")}`, width, height, colours,
  });
  const [x, y] = scales(picture.area, steps.length, high);
  const thin = named.flatMap((arm, i) => data[i].map((/** @type {number[]} */ one) => path(one.map((value, t) => [x(t + 1), y(value)]), { stroke: colourOf(colours, arm), line: 1, opacity: 0.35 })));
  return {
    ...picture, scene: { ...picture.scene, shapes: [...thin, ...picture.scene.shapes] },
    tensor: "mean", rows: 1, columns: steps.length, say: ({ column }) => `step ${column + 1}: ${at(answer, column)}`,
    table: matrixTable("Loss, mean over the seeds", "arm \\ step", named.map((arm) => ARM[arm]), steps.map(String), means),
  };
}

/** @param {import("../draw/axes.js").Area} area @param {number} count @param {number} high */
const scales = (area, count, high) => [place({ low: 1, high: count, title: "" }, area.x, area.x + area.width), place({ low: 0, high, title: "" }, area.y + area.height, area.y)];

/** The mean losses of a step, counted from 0. @param {any} answer @param {number} t */
export const at = (answer, t) => arms(answer).map((arm, i) => `${ARM[arm]} ${number(answer.tensors.mean.data[i][t], 2)}`).join("; ");

/** @param {any} answer @param {Space} space @returns {Drawn} */
export function rate(answer, { width, height, colours }) {
  const values = /** @type {number[][]} */ (answer.tensors.rate.data);
  const steps = values[0].map((_, i) => i + 1);
  const named = arms(answer);
  const warmed = named.indexOf("post_warmup");
  const rest = named.findIndex((arm) => arm !== "post_warmup");
  const picture = lines({
    series: [
      { name: "the others", colour: colours.inkSoft, values: values[rest] },
      { name: "with warm-up", colour: colourOf(colours, "post_warmup"), values: values[warmed], dash: DASHES.post_warmup },
    ],
    xs: steps, marks: marks(steps.length), x: "step t", y: { title: "rate η", low: 0, high: Math.max(...values.flat()) * 1.1 },
    label: "Learning rate by step, with and without warm-up", width, height, colours,
  });
  return {
    ...picture, tensor: "rate", rows: 1, columns: steps.length,
    say: ({ column }) => `step ${column + 1}: rate ${number(values[warmed][column], 4)} with warm-up, ${number(values[rest][column], 4)} without`,
    table: matrixTable("Learning rate", "arm \\ step", named.map((arm) => ARM[arm]), steps.map(String), values),
  };
}
