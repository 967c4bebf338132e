// What the mask does: the leak and the weights of the sentence run under it, or the layers that each way takes, on a grid where there is one.

import { probability, sequential, largest } from "../draw/colours.js";
import { heatMap } from "../draw/heatmap.js";
import { text } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { number, weight } from "../draw/text.js";
import { fold, grid as gridPicture, numbers, reachedLater } from "./masks-matrix.js";

/** @typedef {import("../draw/palette.js").Palette} Palette */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {{answer: any, labels: string[], head: number, layer: number, sequence: number, query: number, size: Size, colours: Palette}} Asked */
/** @typedef {{title: string, caption: string, picture: any, table: import("../draw/table.js").Table, tensor: string, rows: number, columns: number, say: (cell: {row: number, column: number}) => string}} Effect */

/** @param {any} answer @param {string} name @param {number} sequence a batch's sequence, where there is a batch */
export const matrixOf = (answer, name, sequence = 0) => (answer.tensors[name].axes[0] === "sequence" ? answer.tensors[name].data[sequence] : answer.tensors[name].data);

/** @param {Asked} asked @returns {Effect} */
function leak({ answer, labels, size, colours }) {
  const changes = answer.tensors.leak;
  const values = changes.data.map((/** @type {number[]} */ row) => row.map((value) => (value === 0 ? null : value)));
  const scale = sequential(colours, largest(changes.data), answer.unit === "logits" ? "logits" : "stream");
  const picture = heatMap({ values, rows: labels, columns: labels, rowTitle: "answer at", columnTitle: "token replaced", label: `How much each answer changes, in ${answer.unit}, when each token is replaced`, scale, colours, ...size });
  return {
    title: "What leaks", caption: `change of the ${answer.unit} when a token is replaced`,
    picture: { ...picture, scene: { ...picture.scene, shapes: [...picture.scene.shapes, ...zeros(values, picture, colours)] } },
    table: matrixTable(`Leak in ${answer.unit}; rows: answer at, columns: token replaced`, "answer at \\ replaced", labels, labels, changes.data),
    tensor: "leak", rows: labels.length, columns: labels.length,
    say: ({ row, column }) => changes.data[row][column] === 0
      ? `Replace ${labels[column]}: the answer at ${labels[row]} changes by exactly 0.`
      : `Replace ${labels[column]}: the answer at ${labels[row]} changes by up to ${number(changes.data[row][column])} ${answer.unit}.`,
  };
}

/** Exact zeros are said, not only hatched. @param {(number | null)[][]} values @param {any} picture @param {Palette} colours */
const zeros = (values, picture, colours) => values.flatMap((row, q) => row.flatMap((value, k) => {
  const { x, y, width, height } = picture.box(q, k);
  return value !== null || width < colours.tick * 1.6 ? [] : [text(x + width / 2, y + height / 2, "0", { fill: colours.ink, size: colours.tick, font: "mono", anchor: "middle", weight: 700 })];
}));

/** @param {Asked} asked @returns {Effect} */
function weights({ answer, labels, head, layer, size, colours }) {
  const tensor = `${answer.stack}.${layer}.attention.pattern`;
  const allowed = answer.tensors.allowed.data;
  const pattern = answer.tensors[tensor].data[head];
  const columns = answer.axes.column?.labels ?? labels;
  const first = answer.axes.column?.parts?.memory ?? 0;
  const open = (/** @type {number} */ q, /** @type {number} */ k) => allowed[q][k - first] ?? 1;
  const values = pattern.map((/** @type {number[]} */ row, /** @type {number} */ q) => row.map((value, k) => (open(q, k) ? value : null)));
  const picture = heatMap({ values, rows: labels, columns, rowTitle: "query", columnTitle: "key", label: `Attention weights of layer ${layer}, head ${head}, under the mask`, scale: probability(colours, "weight"), colours, ...size, sums: true });
  return {
    title: "Where it looks", caption: `layer ${layer}, head ${head}, under this mask`, picture,
    table: matrixTable(`Weights of layer ${layer}, head ${head}`, "query \\ key", labels, columns, values), tensor, rows: labels.length, columns: columns.length,
    say: ({ row, column }) => open(row, column) ? `${labels[row]} looks at ${columns[column]}: ${weight(pattern[row][column], 3)}.` : `${labels[row]} may not look at ${columns[column]}.`,
  };
}

/** @param {Asked} asked @returns {Effect} */
function depth({ answer, labels, sequence, size, colours }) {
  const values = matrixOf(answer, "layers_needed", sequence);
  const scale = sequential(colours, 4 * Math.max(1, Math.ceil(largest(values) / 4)), "layers");
  const picture = heatMap({ values, rows: labels, columns: labels, rowTitle: "output", columnTitle: "input", label: "The fewest layers from each input to each output", scale, colours, ...size });
  return {
    title: "How many layers it takes", caption: "from input to output; hatched: never", picture,
    table: matrixTable("Fewest layers; empty: never", "output \\ input", labels, labels, values), tensor: "layers_needed", rows: labels.length, columns: labels.length,
    say: ({ row, column }) => values[row][column] === null ? `${labels[column]} never reaches ${labels[row]}.` : `${labels[column]} reaches ${labels[row]} in ${values[row][column]} layers.`,
  };
}

/** @param {Asked} asked @returns {Effect} */
function grid({ answer: { columns, layers, ...answer }, labels, sequence, query, size, colours }) {
  const [allowed, needed] = ["allowed", "layers_needed"].map((name) => matrixOf(answer, name, sequence));
  const ways = fold(needed[query], columns);
  const rows = numbers(ways.length);
  return {
    title: "On the grid", caption: `what query ${labels[query]} sees; point at another`,
    picture: gridPicture({ allowed: allowed[query], needed: needed[query], layers, columns, query }, size, colours),
    table: matrixTable(`Fewest layers to query ${labels[query]}; empty: never`, "row \\ column", rows, numbers(columns), ways), tensor: "layers_needed", rows: rows.length, columns,
    say: ({ row, column }) => {
      const q = row * columns + column;
      const seen = allowed[q].filter(Boolean).length;
      return `Query ${labels[q]} sees ${seen}, through ${layers} layers ${seen + reachedLater([allowed[q]], [needed[q]], layers)}: row ${row}, column ${column}.`;
    },
  };
}

export const EFFECTS = Object.freeze({ leak, weights, depth, grid });
