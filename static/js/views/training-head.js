// One head of the training page, large enough for its letters.

import { probability } from "../draw/colours.js";
import { heatMap } from "../draw/heatmap.js";
import { scene } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { headName, mapOf, note, outlines, sayCell } from "./training-figures.js";

/** @param {any} moment @param {import("./training-figures.js").Head} which @param {import("./training-figures.js").Space} space */
export function oneMap(moment, which, { width, height, colours }) {
  const letters = moment.axes.text.labels;
  const values = mapOf(moment, which);
  const picture = heatMap({ values, rows: letters, columns: letters, rowTitle: "read", columnTitle: `looked at; ${headName(moment, which)}: ${note(moment, which)}`, label: `Attention of ${headName(moment, which)} at step ${moment.axes.step.labels[0]}`, scale: probability(colours, "weight"), colours, width, height, print: false });
  return {
    ...picture, scene: scene(width, height, picture.scene.label, [...picture.scene.shapes, ...outlines(moment, which, picture.box, colours, 2)]), rows: letters.length, columns: letters.length,
    table: matrixTable(`Weights of ${headName(moment, which)}`, "read \\ looked at", letters, letters, values),
    say: (/** @type {import("./training-figures.js").Cell} */ { row, column }) => sayCell(moment, which, row, column), head: () => which,
  };
}
