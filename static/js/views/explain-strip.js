// A vector as a strip of bars: one bar a number, up is positive, the chosen one marked and its value beside it.

import { line, rect, scene, text } from "../draw/scene.js";
import { monoWidth, number, shorten, visible } from "../draw/text.js";

/** @typedef {import("./explain-steps.js").Strip} Strip */

/**
 * @param {Strip} strip
 * @param {number} chosen the member the cursor is on
 * @param {{width: number, height: number, palette: any, limit?: number}} options `limit`: the same scale for strips that are compared
 */
export function bars(strip, chosen, { width, height, palette, limit }) {
  const { left, step, labelled, bottom } = room(strip, width, palette.tick);
  const high = limit ?? reach(strip);
  const low = strip.positive ? 0 : -high;
  const y = (value) => (height - bottom) * (1 - (value - low) / (high - low)) || 0;
  const shapes = [rect(left, 0, width - left, height - bottom, { fill: palette.sunken })];
  strip.values.forEach((value, i) => {
    const x = left + i * step;
    if (i === chosen) shapes.push(rect(x, 0, Math.max(step, 2), height - bottom, { fill: palette.select }));
    if (value === null) return;
    const [top, foot] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
    shapes.push(rect(x + gap(step), top, Math.max(step - 2 * gap(step), 0.75), Math.max(foot - top, 0.75), { fill: colour(strip, value, palette) }));
  });
  shapes.push(line(left, y(0), width, y(0), { stroke: palette.ruleStrong, line: 1 }));
  const mono = { font: "mono", size: palette.tick, fill: palette.inkSoft };
  const ends = strip.positive ? [[high, "top", 0]] : [[high, "top", 0], [low, "bottom", height - bottom]];
  shapes.push(...ends.map(([value, baseline, at]) => text(left - 4, at, number(value, 2), { ...mono, anchor: "end", baseline })));
  if (strip.own !== null) shapes.push(rect(left + strip.own * step, 0, Math.max(step, 2), height - bottom, { stroke: palette.ink, line: 1.5 }));
  if (labelled) {
    const letters = Math.floor(step / monoWidth("m", palette.tick));
    shapes.push(...strip.labels.map((token, i) => text(left + (i + 0.5) * step, height - bottom / 2, shorten(visible(token), letters), { ...mono, anchor: "middle", fill: i === strip.own ? palette.ink : palette.inkSoft })));
  }
  return scene(width, height, `${strip.label}: ${strip.values.length} numbers as bars, from ${number(-high * !strip.positive)} to ${number(high)}`, shapes);
}

const gap = (step) => (step > 4 ? 1 : step > 2 ? 0.5 : 0);
const colour = (strip, value, palette) =>
  strip.quantity ? palette[camel(strip.quantity)] : palette.signed.at(value < 0 ? 1 : -2);
const camel = (name) => name.replace(/-(\w)/g, (_, c) => c.toUpperCase());

/** The largest size in a strip: the end of its scale. */
export const reach = (strip) => strip.values.reduce((most, value) => Math.max(most, Math.abs(value ?? 0)), 0) || 1;

/** The width that the numbers of the scale take, that of one bar, and whether tokens fit under the bars. */
function room(strip, width, size) {
  const left = monoWidth("−00.00", size) + 4;
  const step = (width - left) / strip.values.length;
  const labelled = strip.labels !== null && step >= monoWidth("mmm", size);
  return { left, step, labelled, bottom: labelled ? size * 1.5 : 0 };
}

/** The member at a point, the nearest one outside. */
export function memberAt(strip, x, width, size) {
  const { left, step } = room(strip, width, size);
  return Math.max(0, Math.min(strip.values.length - 1, Math.floor((x - left) / step)));
}

/** How a member is called: its token, or its number. */
export const memberName = (strip, i) => (strip.labels ? visible(strip.labels[i]) : String(i));
