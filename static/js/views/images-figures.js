// What is drawn of an image: one head's row painted over it, every head's small, and what [CLS] says at each point of its stream.

import { css, headColour, inkOn, colourOf, probability } from "../draw/colours.js";
import { patched, patches, sayLook, tokenOf } from "../draw/image.js";
import { line, rect, scene, text } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { weight } from "../draw/text.js";
import { WRITERS } from "./residual-stream.js";

/** @typedef {{width: number, height: number, colours: import("../draw/palette.js").Palette}} Space */
/** @typedef {{layer: number, head: number, query: number}} Place */
/** @typedef {{row: number, column: number}} Cell */

const WIDE = 0.25; // a frame that is seen where a patch is small
const ASIDE = 1.3; // patches to the left of the image: [CLS] and a gap

/** Pixels, grid and scale, which all pictures share. @param {any} answer @param {Space} space */
const shared = ({ tensors, axes }, { colours }) => ({ values: tensors.pixels.data, grid: axes.image.grid, scale: probability(colours, "weight"), colours });

/** @param {any} answer @param {Place} place */
export const look = (answer, { layer, head }) => answer.tensors.weights.data[layer][head];

/** One head's row over the whole image. @param {any} answer @param {Place} place @param {Space} space */
export function painted(answer, place, space) {
  const { labels, grid: [, columns] } = answer.axes.image;
  const weights = look(answer, place);
  const token = (/** @type {Cell} */ cell) => tokenOf(cell, columns);
  const say = (/** @type {Cell} */ cell) => sayLook(labels, place.query, token(cell), weights[token(cell)]);
  const most = weights.indexOf(Math.max(...weights));
  const label = `The image in ${labels.length - 1} patches; layer ${place.layer}, head ${place.head}: ${sayLook(labels, place.query, most, weights[most])}, the most.`;
  const picture = patched({ ...shared(answer, space), ...space, weights, label, selected: place.query });
  return { ...picture, token, say, said: `most: ${sayLook(labels, place.query, most, weights[most])}`, table: matrixTable(`Where ${labels[place.query]} looks: layer ${place.layer}, head ${place.head}`, "query \\ key", [labels[place.query]], labels, [weights]) };
}

/** Every head small: layers are rows, heads are columns; the chosen one in a frame of its colour. @param {any} answer @param {Place} place @param {Space} space */
export function heads(answer, place, space) {
  const { width, height, colours } = space;
  const { data } = answer.tensors.weights;
  const [rows, columns] = [data.length, data[0].length];
  const { labels, grid: [, across] } = answer.axes.image;
  const size = colours.tick;
  const [left, top, gap] = [size * 1.4, size * 1.4, 8];
  const side = Math.max(4, Math.min(((width - left) / columns - gap) / (across + ASIDE), ((height - top) / rows - gap) / across));
  const [wide, high] = [side * (across + ASIDE), side * across];
  const box = (/** @type {number} */ row, /** @type {number} */ column) => ({ x: left + column * (wide + gap), y: top + row * (high + gap), width: wide, height: high });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const cell = { row: Math.floor((y - top) / (high + gap)), column: Math.floor((x - left) / (wide + gap)) };
    return cell.row >= 0 && cell.row < rows && cell.column >= 0 && cell.column < columns ? cell : null;
  };
  const soft = { fill: colours.inkSoft, size, font: /** @type {const} */ ("mono") };
  const each = data.flatMap((/** @type {number[][]} */ of, /** @type {number} */ row) => of.map((weights, column) => ({ row, column, weights })));
  const shapes = each.flatMap((/** @type {{row: number, column: number, weights: number[]}} */ { row, column, weights }) => {
    const { x, y } = box(row, column);
    const chosen = row === place.layer && column === place.head;
    const of = { ...shared(answer, space), weights };
    return [
      rect(x, y, side, side, { fill: css(of.scale, weights[0]) }),
      ...patches({ ...of, x: x + side * ASIDE, y, side, frame: WIDE }),
      ...(chosen ? [rect(x - 3, y - 3, wide + 6, high + 6, { stroke: headColour(colours, column), line: 3 })] : []),
    ];
  });
  const most = (/** @type {number[]} */ weights) => weights.indexOf(Math.max(...weights));
  return {
    rows, columns, box, at,
    scene: scene(width, height, `${rows * columns} heads: where ${labels[place.query]} looks in each; rows are layers, columns are heads, brighter is more.`, [
      ...data.map((/** @type {unknown} */ _, /** @type {number} */ row) => text(0, box(row, 0).y + box(row, 0).height / 2, String(row), soft)),
      ...data[0].map((/** @type {unknown} */ _, /** @type {number} */ column) => text(box(0, column).x + wide / 2, size * 0.5, String(column), { ...soft, anchor: "middle" })),
      ...shapes,
    ]),
    say: (/** @type {Cell} */ { row, column }) => `layer ${row}, head ${column}: ${labels[place.query]} looks most at ${labels[most(data[row][column])]}, ${weight(Math.max(...data[row][column]))}`,
    table: matrixTable(`Where ${labels[place.query]} looks`, "head \\ key", each.map((/** @type {any} */ { row, column }) => `layer ${row}, head ${column}`), labels, each.map((/** @type {any} */ { weights }) => weights)),
  };
}

/** Whether a point is the embedding, or which layer and part wrote it. @param {{wrote: string}} point */
function writer({ wrote }) {
  const [, layer, part] = wrote.split(".");
  const embedded = layer === "embedding";
  const { short, colour, title } = WRITERS[/** @type {keyof typeof WRITERS} */ (embedded ? layer : part)];
  return { short, colour, layer: embedded ? null : Number(layer), title: embedded ? title : `layer ${layer} ${title}` };
}

/** A column for each point of the stream, a row for each class; at the right the answer as bars. @param {any} answer @param {Space} space */
export function says(answer, { width, height, colours }) {
  const { data } = answer.tensors.says;
  const { labels } = answer.axes.class;
  const size = colours.tick;
  const scale = probability(colours);
  const writers = answer.points.map(writer);
  const frame = { x: size * 1.6, y: 2, width: width * 0.62, height: Math.max(40, height - size * 3.4) };
  const [wide, high] = [frame.width / data.length, frame.height / labels.length];
  const box = (/** @type {number} */ row, /** @type {number} */ column) => ({ x: frame.x + column * wide, y: frame.y + row * high, width: wide, height: high });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const cell = { row: Math.floor((y - frame.y) / high), column: Math.floor((x - frame.x) / wide) };
    return cell.row >= 0 && cell.row < labels.length && cell.column >= 0 && cell.column < data.length ? cell : null;
  };
  const bars = { x: frame.x + frame.width + size, width: width - frame.x - frame.width - size * 4.2 };
  const base = frame.y + frame.height;
  const tick = Math.min(size, high);
  const shapes = [
    ...labels.flatMap((/** @type {string} */ label, /** @type {number} */ row) => {
      const middle = frame.y + (row + 0.5) * high;
      const chance = data.at(-1)[row];
      const strong = label === answer.says.class;
      return [
        text(frame.x - size * 0.5, middle, label, { fill: colours.ink, size: tick, font: "mono", anchor: "end", weight: strong ? 700 : 400 }),
        ...data.map((/** @type {number[]} */ point, /** @type {number} */ column) => rect(box(row, column).x, box(row, column).y, wide - 1, high - 1, { fill: css(scale, point[row]) })),
        ...data.flatMap((/** @type {number[]} */ point, /** @type {number} */ column) => (point[row] >= 0.005 && high >= size && wide >= size * 2 ? [text(box(row, column).x + wide / 2, middle, weight(point[row]), { fill: inkOn(colourOf(scale, point[row])), size: size * 0.85, font: "mono", anchor: "middle" })] : [])),
        rect(bars.x, middle - high * 0.35, bars.width * chance, high * 0.7, { fill: strong ? colours.ink : colours.ruleStrong }),
        text(bars.x + bars.width * chance + 4, middle, chance < 0.005 ? "" : weight(chance), { fill: strong ? colours.ink : colours.inkSoft, size: tick, font: "mono" }),
      ];
    }),
    ...writers.map((/** @type {any} */ { short, colour }, /** @type {number} */ column) => text(box(0, column).x + wide / 2, base + size * 0.8, short, { fill: colours[colour], size, anchor: "middle" })),
    ...[...new Set(writers.map((/** @type {any} */ { layer }) => layer))].filter((layer) => layer !== null).flatMap((layer) => {
      const of = writers.flatMap((/** @type {any} */ one, /** @type {number} */ i) => (one.layer === layer ? [i] : []));
      const [x1, x2] = [box(0, of[0]).x + 3, box(0, of[of.length - 1]).x + wide - 3];
      return [line(x1, base + size * 1.7, x2, base + size * 1.7, { stroke: colours.ruleStrong }), text((x1 + x2) / 2, base + size * 2.5, wide * of.length > size * 4 ? `layer ${layer}` : String(layer), { fill: colours.inkSoft, size, anchor: "middle" })];
    }),
  ];
  return {
    rows: labels.length, columns: data.length, box, at,
    scene: scene(width, height, `What [CLS] would say at ${data.length} points of its stream; at the end ${answer.says.class} with probability ${weight(answer.says.probability)}.`, shapes),
    say: (/** @type {Cell} */ { row, column }) => `after ${writers[column].title}: ${labels[row]} with probability ${weight(data[column][row], 3)}`,
    table: matrixTable("What [CLS] would say", "after \\ class", writers.map((/** @type {any} */ { title }) => title), labels, data),
  };
}

