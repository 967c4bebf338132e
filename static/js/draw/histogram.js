// A histogram: how many of some numbers fall between one place and the next, with a curve of what was expected.

import { place, xAxis, yAxis } from "./axes.js";
import { path, rect, scene } from "./scene.js";

/** @typedef {{from: number, to: number, share: number}} Bin */

/** Shares of `values` in steps of `step`, from the one the smallest lies in to the one the largest lies in. @param {number[]} values @param {number} step @returns {Bin[]} */
export function binned(values, step) {
  const at = values.map((value) => Math.floor(value / step));
  const [first, last] = at.reduce(([low, high], i) => [Math.min(low, i), Math.max(high, i)], [Infinity, -Infinity]);
  const bins = Array.from({ length: last - first + 1 }, (_, i) => ({ from: (first + i) * step, to: (first + i + 1) * step, share: 0 }));
  for (const i of at) bins[i - first].share += 1 / values.length;
  return bins;
}

const STEPS = 240;

/**
 * `expected` gives the share expected in a step about x. The level axis may reach farther than the bins.
 * @param {{bins: Bin[], expected?: (x: number) => number, colour: string, x: {title: string, low: number, high: number}, y: {title: string}, label: string, colours: import("./colours.js").Palette, width: number, height: number}} options
 */
export function histogram({ bins, expected, colour, x, y, label, colours, width, height }) {
  const size = colours.tick;
  const area = { x: size * 4.5, y: size * 2.4, width: Math.max(40, width - size * 4.5 - 16), height: Math.max(40, height - size * 6) };
  const even = Array.from({ length: STEPS + 1 }, (_, i) => x.low + ((x.high - x.low) * i) / STEPS);
  const xs = [...even, ...bins.map(({ from, to }) => (from + to) / 2)].sort((a, b) => a - b); // a narrow curve has its peak too
  const curve = expected ? xs.map(expected) : [];
  const range = { title: y.title, low: 0, high: Math.max(...bins.map(({ share }) => share), ...curve) };
  const [toX, toY] = [place(x, area.x, area.x + area.width), place(range, area.y + area.height, area.y)];
  const box = (/** @type {number} */ _, /** @type {number} */ c) => ({ x: toX(bins[c].from), y: area.y, width: Math.max(1, toX(bins[c].to) - toX(bins[c].from)), height: area.height });
  const at = (/** @type {number} */ px, /** @type {number} */ py) => {
    const column = bins.findIndex(({ from, to }) => px >= toX(from) && px < toX(to));
    return column >= 0 && py >= area.y && py <= area.y + area.height ? { row: 0, column } : null;
  };
  const bars = bins.map(({ share }, c) => rect(box(0, c).x, toY(share), box(0, c).width, toY(0) - toY(share), { fill: colour }));
  const line = curve.length ? [path(xs.map((value, i) => [toX(value), toY(curve[i])]), { stroke: colours.ink, line: 2, dash: [4, 4] })] : [];
  return { scene: scene(width, height, label, [...yAxis(area, range, colours), ...xAxis(area, x, colours), ...bars, ...line]), box, at, area };
}
