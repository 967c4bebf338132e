// What a scheme tells as a heat map, channels or heads down and positions or offsets across, and under it single rows as curves.

import { place, xAxis, yAxis } from "../draw/axes.js";
import { apart } from "../draw/chart.js";
import { headColour, largest, signed } from "../draw/colours.js";
import { dot, line, path, rect, scene, text } from "../draw/scene.js";
import { field } from "./positions-field.js";

/** @typedef {import("../draw/colours.js").Palette} Palette */
/** @typedef {{width: number, height: number}} Size */

export const MOST_CHANNELS = 6;

/** "0,8,24" to numbers that exist, each once. @param {string} list @param {number} size */
export const parseChannels = (list, size) => [...new Set(list.split(",").filter(Boolean).map(Number))].filter((c) => Number.isInteger(c) && c >= 0 && c < size).slice(0, MOST_CHANNELS);

/** Picks a channel or lets it go; the oldest leaves when there are too many. @param {number[]} channels @param {number} channel */
export const withChannel = (channels, channel) => (channels.includes(channel) ? channels.filter((c) => c !== channel) : [...channels, channel].slice(-MOST_CHANNELS));

/**
 * `encoding` is [position][channel], or [offset][head]: `row` and `column` name them, `first` is the first column's number, `position` the column to mark.
 * @param {{encoding: number[][], channels: number[], position: number, row?: string, column?: string, quantity?: string, first?: number}} table @param {Size} size @param {Palette} colours
 */
export function tablePicture({ encoding, channels, position, row = "channel", column = "position", quantity = "PE", first = 0 }, size, colours) {
  const values = (encoding[0] ?? []).map((_, c) => encoding.map((row) => row[c]));
  const limit = largest(encoding) || 1;
  const map = field({ values, rowTitle: row, columnTitle: column, scale: signed(colours, limit, quantity), first }, size, colours);
  const { frame, area, x } = map;
  const range = { low: encoding.flat().some((value) => value < 0) ? -limit : 0, high: encoding.flat().some((value) => value > 0) ? limit : 0, title: quantity };
  if (range.low === range.high) range.high = limit;
  const y = place(range, frame.y + frame.height, frame.y);
  const here = map.box(0, position);
  const ends = apart(channels.map((c) => y(values[c][encoding.length - 1])), colours.tick * 1.15, frame.y, frame.y + frame.height);
  const end = frame.x + frame.width + 8;
  const named = channels.length * colours.tick * 1.15 < frame.height + colours.tick * 1.5;
  const label = `${column}s ${first} to ${first + encoding.length - 1} across, ${row}s 0 to ${values.length - 1} down; below, ${row}s ${channels.join(", ")} as curves.`;
  return {
    ...map,
    scene: scene(size.width, size.height, label, [
      ...map.shapes,
      ...channels.flatMap((c, i) => marker(map.box(c, 0), area, headColour(colours, i), colours.tick)),
      rect(here.x, area.y, Math.max(2, here.width), area.height, { stroke: colours.ink, line: 1.5 }),
      ...yAxis(frame, range, colours),
      ...xAxis(frame, { low: first - 0.5, high: first + encoding.length - 0.5, title: column }, colours),
      line(x(position), frame.y, x(position), frame.y + frame.height, { stroke: colours.ink, dash: [2, 3] }),
      ...(channels.length && named ? [text(end, frame.y - colours.tick, row, { fill: colours.inkSoft, size: colours.tick, font: "serif", italic: true })] : []),
      ...channels.flatMap((c, i) => [
        path(values[c].map((value, p) => /** @type {[number, number]} */ ([x(p), y(value)])), { stroke: headColour(colours, i), line: 2 }),
        dot(x(position), y(values[c][position]), 4, { fill: headColour(colours, i) }),
        ...(named ? [text(end, ends[i], String(c), { fill: headColour(colours, i), size: colours.tick, font: "mono", weight: 600 })] : []),
      ]),
    ]),
  };
}

/** A row's own colour, at its edge and through it. @param {{y: number, height: number}} box @param {{x: number, width: number}} area @param {string} colour @param {number} tick */
function marker({ y, height }, area, colour, tick) {
  const middle = y + height / 2;
  return [
    path([[area.x, middle], [area.x - tick * 0.7, middle - tick * 0.4], [area.x - tick * 0.7, middle + tick * 0.4]], { fill: colour, closed: true }),
    line(area.x, middle, area.x + area.width, middle, { stroke: colour, line: Math.max(1.5, Math.min(3, height)) }),
  ];
}
