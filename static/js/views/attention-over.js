// The chosen query's row of a pattern, painted over the image whose patches are the tokens.

import { probability } from "../draw/colours.js";
import { palette } from "../draw/palette.js";
import { patched, sayLook, tokenOf } from "../draw/image.js";
import { rowsOf } from "../draw/ink.js";
import { matrixTable } from "../draw/table.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { question } from "./attention-maps.js";

const frame = figure("over");

/** @param {any} view what was asked and answered @param {(changes: {query: string}) => void} choose */
export function drawOver({ patterns, opened, state, chosen }, choose) {
  const { width, height } = frame.size();
  if (!width) return;
  const { map, head, query } = chosen;
  const { labels, grid } = patterns.axes[map.key];
  const weights = map.heads[head][query];
  const colours = palette();
  const label = `The image in its patches, each framed in the weight that ${labels[query]} gives it`;
  const picture = patched({ values: rowsOf(patterns.input.image) ?? [[0]], grid, weights, scale: probability(colours, "weight"), colours, label, width, height, selected: query });
  const token = (/** @type {import("../draw/image.js").Cell} */ cell) => tokenOf(cell, grid[1]);
  frame.show({
    scene: picture.scene, table: matrixTable(`Where ${labels[query]} looks`, "query \\ key", [labels[query]], labels, [weights]),
    call: ["attention", question(state, { ...chosen, stage: "pattern" })], answer: opened, shape: `[${labels.length}]`,
  });
  const canvas = frame.canvas();
  walkable(canvas, {
    rows: picture.rows, columns: picture.columns, box: picture.box, at: picture.at,
    say: (cell) => sayLook(labels, query, token(cell), weights[token(cell)]), onPick: (cell) => choose({ query: String(token(cell)) }),
  });
}
