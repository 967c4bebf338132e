// Points: one quantity against another in the same unit, with the diagonal where both are equal.

import { place, ticks, xAxis, yAxis } from "./axes.js";
import { dot, line, scene } from "./scene.js";

/**
 * Both axes have the same range and length, so that the diagonal is one. Points come in rows, as their matrix has them.
 * @param {{x: number[][], y: number[][], xTitle: string, yTitle: string, colour: string, label: string, colours: import("./colours.js").Palette, width: number, height: number}} options
 */
export function scatter({ x, y, xTitle, yTitle, colour, label, colours, width, height }) {
  const size = colours.tick;
  const most = Math.max(...[x, y].flat(2).map(Math.abs), 1e-12) * 1.05;
  const side = Math.max(40, Math.min(width - size * 4.5 - 16, height - size * 6));
  const area = { x: size * 4.5, y: size * 2.4, width: side, height: side };
  const marks = /** @type {[number, string][]} */ (ticks(-most, most, Math.floor(side / (size * 3.5))).map((value) => [value, String(value).replace("-", "−")]));
  const range = { low: -most, high: most, marks };
  const [toX, toY] = [place(range, area.x, area.x + side), place(range, area.y + side, area.y)];
  const columns = x[0].length;
  const centre = (/** @type {number} */ row, /** @type {number} */ column) => /** @type {[number, number]} */ ([toX(x[row][column]), toY(y[row][column])]);
  const points = x.flatMap((row, r) => row.map((_, c) => centre(r, c)));
  const radius = points.length > 500 ? 2 : 3;
  const box = (/** @type {number} */ row, /** @type {number} */ column) => {
    const [px, py] = centre(row, column);
    return { x: px - 6, y: py - 6, width: 12, height: 12 };
  };
  const at = (/** @type {number} */ px, /** @type {number} */ py) => {
    const far = points.map(([qx, qy]) => (qx - px) ** 2 + (qy - py) ** 2);
    const nearest = far.indexOf(Math.min(...far));
    return far[nearest] > NEAR ** 2 ? null : { row: Math.floor(nearest / columns), column: nearest % columns };
  };
  return {
    scene: scene(width, height, label, [
      ...yAxis(area, { ...range, title: yTitle }, colours),
      ...xAxis(area, { ...range, title: xTitle }, colours),
      line(toX(-most), toY(-most), toX(most), toY(most), { stroke: colours.ruleStrong, dash: [4, 4] }),
      ...points.map(([px, py]) => dot(px, py, radius, { fill: colour, opacity: 0.6 })),
    ]),
    box, at, area,
  };
}

const NEAR = 16;
