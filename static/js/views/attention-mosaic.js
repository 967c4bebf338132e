// Every head of every layer in one drawing: where each small map lies, the picture, and which head is under the pointer.

import { headColour, pixels } from "../draw/colours.js";
import { cells, hatch, rect, scene, text } from "../draw/scene.js";
import { monoWidth } from "../draw/text.js";
import { levelBar, THICK } from "./level-bar.js";
import { groups, mask } from "./attention-maps.js";

const GAP = 4;
const BETWEEN = 20;
const LEAST = 12;
const WIDEST = 1.9;

/** @typedef {{name: string, group: string, layer: number, head: number, x: number, y: number, width: number, height: number}} Tile */

/**
 * Groups under each other when that makes larger tiles, else side by side; layers are rows and heads are columns.
 * @param {{id: string, title: string, short: string, maps: any[]}[]} all
 * @param {number} width @param {number} height of the drawing
 * @param {number} size of the letters
 */
export function arrange(all, width, height, size) {
  const room = height - THICK - size * 2;
  const [down, across] = [stacked(all, width, room, size), abreast(all, width, room, size)];
  return across.titled && side(across) > side(down) ? across : down;
}

const side = ({ tiles }) => Math.min(tiles[0].width, tiles[0].height);

/** A tile as wide as it may be, but never much wider than high nor higher than wide. */
function tileSize(width, height) {
  const least = Math.max(LEAST, Math.min(width, height));
  return { width: Math.min(Math.max(width, LEAST), least * WIDEST), height: Math.min(Math.max(height, LEAST), least * WIDEST) };
}

function stacked(all, width, height, size) {
  const columns = Math.max(...all.map((group) => group.maps[0].heads.length));
  const rows = all.reduce((sum, group) => sum + group.maps.length, 0);
  const left = size * 1.5;
  const titles = all.length * (size * 1.4 + GAP) + size * 1.2;
  const tile = tileSize((width - left) / columns - GAP, (height - titles - (all.length - 1) * (BETWEEN / 2)) / rows - GAP);
  const tiles = [];
  const words = Array.from({ length: columns }, (_, head) => word(left + head * (tile.width + GAP) + tile.width / 2, size * 0.5, String(head), "middle"));
  let y = size * 1.2;
  for (const group of all) {
    words.push({ ...word(0, y + size * 0.7, group.title, "start"), title: true });
    y += size * 1.4 + GAP;
    for (const map of group.maps) {
      words.push(word(0, y + tile.height / 2, String(map.layer), "start"));
      tiles.push(...map.heads.map((_, head) => ({ ...tileOf(map, head), x: left + head * (tile.width + GAP), y, ...tile })));
      y += tile.height + GAP;
    }
    y += BETWEEN / 2;
  }
  return { tiles, words, height: y - BETWEEN / 2 };
}

function abreast(all, width, height, size) {
  const left = size * 1.5;
  const top = size * 2.8;
  const columns = all.reduce((sum, group) => sum + group.maps[0].heads.length, 0);
  const rows = Math.max(...all.map((group) => group.maps.length));
  const tile = tileSize((width - left - (all.length - 1) * BETWEEN) / columns - GAP, (height - top) / rows - GAP);
  const tiles = [];
  const words = Array.from({ length: rows }, (_, layer) => word(0, top + layer * (tile.height + GAP) + tile.height / 2, String(layer), "start"));
  let x = left;
  for (const group of all) {
    words.push({ ...word(x, size * 0.7, group.title, "start"), title: true });
    group.maps[0].heads.forEach((_, head) => words.push(word(x + head * (tile.width + GAP) + tile.width / 2, size * 2, String(head), "middle")));
    group.maps.forEach((map, row) =>
      tiles.push(...map.heads.map((_, head) => ({ ...tileOf(map, head), x: x + head * (tile.width + GAP), y: top + row * (tile.height + GAP), ...tile }))),
    );
    x += group.maps[0].heads.length * (tile.width + GAP) + BETWEEN;
  }
  const titled = all.every((group) => group.maps[0].heads.length * (tile.width + GAP) >= monoWidth(group.title, size));
  return { tiles, words, height: top + rows * (tile.height + GAP), titled };
}

const word = (x, y, content, anchor) => ({ x, y, content, anchor, title: false });
const tileOf = (map, head) => ({ name: map.name, group: map.group, layer: map.layer, head });

/** The tile at a point, the gaps counted in, so that a finger need not aim. */
export const tileAt = ({ tiles }, x, y) =>
  tiles.find((tile) => x >= tile.x - GAP / 2 && x < tile.x + tile.width + GAP / 2 && y >= tile.y - GAP / 2 && y < tile.y + tile.height + GAP / 2) ?? null;

/**
 * The picture; the opened head has a frame in its own colour.
 * @param {any} answer all heads' patterns
 * @param {ReturnType<typeof arrange>} layout
 * @param {{width: number, height: number, palette: any, scale: any, open: {name: string, head: number}|null}} options
 */
export function mosaic(answer, layout, { width, height, palette, scale, open }) {
  const all = groups(answer).flatMap((group) => group.maps);
  const shapes = layout.words.map(({ x, y, content, anchor, title }) =>
    text(x, y, content, { anchor, size: palette.tick, fill: title ? palette.ink : palette.inkSoft }),
  );
  for (const tile of layout.tiles) {
    const map = all.find((other) => other.name === tile.name);
    shapes.push(...small(map.heads[tile.head], mask(answer, map), tile, scale, palette));
    if (open && open.name === tile.name && open.head === tile.head) {
      shapes.push(rect(tile.x - 2, tile.y - 2, tile.width + 4, tile.height + 4, { stroke: headColour(palette, tile.head), line: 4 }));
    }
  }
  shapes.push(...levelBar({ scale, unit: "weight", palette, x: layout.tiles[0].x, y: layout.height + GAP, width: Math.min(width / 2, 160) }));
  const label = `${layout.tiles.length} attention maps, one a head: rows are layers, columns are heads, brighter is more.`;
  return scene(width, height, label, shapes);
}

/** One small map; masked cells are left to the paper and hatched. */
function small(rows, allowed, { x, y, width, height }, scale, palette) {
  const values = rows.map((row, q) => row.map((value, k) => (allowed[q][k] ? value : null)));
  const masked = allowed.some((row) => row.includes(0));
  const ground = masked ? [hatch(x, y, width, height, { stroke: palette.hatch, gap: 5, line: 0.75 })] : [];
  return [rect(x, y, width, height, { fill: palette.paper }), ...ground, cells(x, y, width, height, rows.length, rows[0].length, pixels(values, scale))];
}
