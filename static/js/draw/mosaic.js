// All layers and heads in one drawing: a grid of small heat maps, one block of cells each.

import { pixels } from "./colours.js";
import { cells, hatch, rect, scene, text } from "./scene.js";

/** @typedef {{row: number, column: number, values: (number | null)[][]}} Panel where it stands in the grid, and its matrix */
/**
 * @param {object} options
 * @param {Panel[]} options.panels @param {string[]} options.rows @param {string[]} options.columns @param {string} options.label
 * @param {import("./colours.js").Scale} options.scale @param {import("./colours.js").Palette} options.colours
 * @param {number} options.width @param {number} options.height
 * @param {{row: number, column: number}} [options.selected] @param {(string | undefined)[]} [options.marks] a colour under each column's name, for instance the head's
 */
export function mosaic({ panels, rows, columns, label, scale, colours, width, height, selected, marks = [] }) {
  const size = colours.tick;
  const gap = Math.max(4, Math.min(12, width / columns.length / 12));
  const left = Math.max(...rows.map((name) => name.length * size * 0.55)) + size;
  const top = size * 2;
  const cell = { width: (width - left) / columns.length, height: (height - top) / rows.length };
  const box = (/** @type {number} */ r, /** @type {number} */ c) => ({ x: left + c * cell.width, y: top + r * cell.height, width: cell.width - gap, height: cell.height - gap });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const place = { row: Math.floor((y - top) / cell.height), column: Math.floor((x - left) / cell.width) };
    return place.row >= 0 && place.row < rows.length && place.column >= 0 && place.column < columns.length ? place : null;
  };
  const shapes = [
    ...columns.flatMap((name, c) => {
      const x = left + c * cell.width;
      const under = marks[c] ? [rect(x, top - 6, cell.width - gap, 3, { fill: marks[c] })] : [];
      return [text(x, size * 0.8, name, { fill: colours.inkSoft, size }), ...under];
    }),
    ...rows.map((name, r) => text(left - size * 0.7, top + r * cell.height + (cell.height - gap) / 2, name, { fill: colours.inkSoft, size, anchor: "end" })),
    ...panels.flatMap((panel) => one(panel, box(panel.row, panel.column), scale, colours)),
    ...(selected ? [frame(box(selected.row, selected.column), colours)] : []),
  ];
  return { scene: scene(width, height, label, shapes), box, at };
}

/** @param {import("./heatmap.js").Box} box @param {import("./colours.js").Palette} colours */
const frame = ({ x, y, width, height }, colours) => rect(x - 2, y - 2, width + 4, height + 4, { stroke: colours.ink, line: 2 });

/** @param {Panel} panel @param {import("./heatmap.js").Box} box @param {import("./colours.js").Scale} scale @param {import("./colours.js").Palette} colours */
function one({ values }, { x, y, width, height }, scale, colours) {
  const columns = values[0]?.length ?? 0;
  const block = cells(x, y, width, height, values.length, columns, pixels(values, scale));
  const hidden = values.some((row) => row.includes(null)) ? [hatch(x, y, width, height, { stroke: colours.hatch, gap: 8 })] : [];
  return [...hidden, block, rect(x, y, width, height, { stroke: colours.rule })];
}
