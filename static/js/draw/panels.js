// Small maps of one size side by side, each under its name and a line of its own, with one scale for all.

import { pixels } from "./colours.js";
import { cells, hatch, rect, scene, text } from "./scene.js";
import { scaleStrip } from "./scalebar.js";

/** @typedef {{title: string, note?: string, colour: string, values: (number | null)[][]}} Panel null is masked */

const GAP = 12;

/**
 * Rows and columns of cells count through all panels: a panel's cells are a block of them.
 * @param {{panels: Panel[], across: number, scale: import("./colours.js").Scale, label: string, colours: import("./colours.js").Palette, width: number, height: number}} options
 */
export function panels({ panels, across, scale, label, colours, width, height }) {
  const size = colours.tick;
  const down = Math.ceil(panels.length / across);
  const [rows, columns] = [panels[0].values.length, panels[0].values[0].length];
  const head = size * (panels.some(({ note }) => note) ? 2.9 : 1.6);
  const strip = size * 2.2;
  const step = { x: width / across, y: (height - strip) / down };
  const cell = Math.max(2, Math.min((step.x - GAP) / columns, (step.y - GAP - head) / rows, 48));
  const corner = (/** @type {number} */ i) => ({ x: (i % across) * step.x, y: Math.floor(i / across) * step.y + head });
  const [wide, high] = [cell * columns, cell * rows];
  const box = (/** @type {number} */ row, /** @type {number} */ column) => {
    const { x, y } = corner(Math.floor(row / rows) * across + Math.floor(column / columns));
    return { x: x + (column % columns) * cell, y: y + (row % rows) * cell, width: cell, height: cell };
  };
  const at = (/** @type {number} */ px, /** @type {number} */ py) => {
    const [i, j] = [Math.floor(px / step.x), Math.floor(py / step.y)];
    const { x, y } = corner(j * across + i);
    const found = { row: Math.floor((py - y) / cell), column: Math.floor((px - x) / cell) };
    const inside = i < across && j < down && found.row >= 0 && found.row < rows && found.column >= 0 && found.column < columns;
    return inside ? { row: j * rows + found.row, column: i * columns + found.column } : null;
  };
  const shapes = panels.flatMap(({ title, note, colour, values }, i) => {
    const { x, y } = corner(i);
    return [
      text(x, y - head + size * 0.7, title, { fill: colour, size, font: "mono", weight: 700 }),
      ...(note ? [text(x, y - size * 0.9, note, { fill: colours.inkSoft, size, font: "serif", italic: true })] : []),
      cells(x, y, wide, high, rows, columns, pixels(values, scale)),
      ...values.flatMap((row, r) => row.flatMap((value, c) => (value === null ? [hatch(x + c * cell, y + r * cell, cell, cell, { stroke: colours.hatch, gap: 5 })] : []))),
      rect(x, y, wide, high, { stroke: colours.rule }),
    ];
  });
  const bar = scaleStrip({ scale, colours, x: size * 5.6, y: height - size * 1.4, width: Math.min(160, width / 3) });
  return { scene: scene(width, height, label, [...shapes, ...bar]), box, at, rows: down * rows, columns: across * columns };
}
