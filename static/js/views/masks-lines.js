// What the mask does, as lines over tokens: the loss and the row sums of the sentence run under it. Their code comes when they are asked for.

import { lines } from "../draw/chart.js";
import { headColour } from "../draw/colours.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";

/** @typedef {import("../draw/palette.js").Palette} Palette */
/** @typedef {import("./masks-effect.js").Size} Size @typedef {import("./masks-effect.js").Asked} Asked @typedef {import("./masks-effect.js").Effect} Effect */

/** Two lines over tokens, one as trained or as it should be, one as it is now. @param {{first: string, second: string, values: number[][], names: string[], x: string, y: any, colours: Palette, size: Size, label: string, strong: string}} options */
const pair = ({ first, second, values, names, x, y, colours, size, label, strong }) => lines({
  series: [{ name: first, colour: colours.inkSoft, values: values[0], dash: [5, 4], dots: true }, { name: second, colour: strong, values: values[1], dots: true }],
  names, x, y, label, colours, ...size,
});

/** @param {Asked} asked @returns {Effect} */
function loss({ answer, size, colours }) {
  const { data } = answer.tensors.loss;
  const names = answer.axes.predicted.labels;
  const picture = pair({ first: "trained", second: "now", values: data, names, x: "token to predict", y: { title: "loss in nats", low: 0 }, colours, size, strong: colours.attention, label: `Loss at each token: mean ${number(answer.loss.trained)} as trained, ${number(answer.loss.chosen)} under this mask` });
  return {
    title: "What it costs", caption: "surprise at the token that comes next", picture,
    table: matrixTable("Loss in nats", "mask \\ token to predict", ["as trained", "under this mask"], names, data), tensor: "loss", rows: 1, columns: names.length,
    say: ({ column }) => `${names[column]}: ${number(data[0][column])} nats as trained, ${number(data[1][column])} under this mask.`,
  };
}

/** @param {Asked} asked @returns {Effect} */
function sums({ answer, labels, head, layer, size, colours }) {
  const [added, multiplied] = answer.tensors.row_sum.data.map((/** @type {number[][]} */ heads) => heads[head]);
  const picture = pair({ first: "added", second: "multiplied", values: [added, multiplied], names: labels, x: "query", y: { title: "sum of the row’s weights", low: 0, high: 1.05 }, colours, size, strong: headColour(colours, head), label: `Row sums of layer ${layer}, head ${head}: 1 when the mask is added before the softmax, less when it is multiplied after` });
  return {
    title: "Added, not multiplied", caption: `row sums of layer ${layer}, head ${head}`, picture,
    table: matrixTable(`Row sums of layer ${layer}, head ${head}`, "mask \\ query", ["added before the softmax", "multiplied after it"], labels, [added, multiplied]), tensor: "row_sum", rows: 1, columns: labels.length,
    say: ({ column }) => `Row of ${labels[column]}: ${number(added[column])} with the mask added before the softmax, ${number(multiplied[column])} with it multiplied after.`,
  };
}

export const LINES = Object.freeze({ loss, sums });
