// What is drawn of a detection: the picture with its boxes, every head small, and what every query says; and which shape lies under a point.

import { colourOf, css, headColour, inkOn, pixels, probability, ramp, sequential } from "../draw/colours.js";
import { scaleBar } from "../draw/scalebar.js";
import { cells, rect, scene, text } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { monoWidth, weight } from "../draw/text.js";

/** @typedef {{width: number, height: number, colours: import("../draw/palette.js").Palette}} Space */
/** @typedef {{query: number, layer: number, head: number}} Place */
/** @typedef {{row: number, column: number}} Cell */
/** @typedef {[number, number, number, number]} Box centre x, y, width and height, as shares of the picture */
/** @typedef {{x: number, y: number, side: number}} Area where the picture lies */

const FRAME = 0.09; // of a patch's side
const KINDS = /** @type {Record<string, string>} */ ({ ellipse: "●", rectangle: "■", triangle: "▲" });

/** What each query says after a layer. @param {any} answer @param {number} layer */
export function said(answer, layer) {
  const { labels } = answer.axes.vocabulary;
  return answer.tensors.chances.data[layer].map((/** @type {number[]} */ chances, /** @type {number} */ query) => {
    const best = chances.indexOf(Math.max(...chances));
    const box = /** @type {Box} */ (answer.tensors.boxes.data[layer][query]);
    return { query, class: labels[best], probability: chances[best], nothing: best === labels.length - 1, box };
  });
}

/** @param {any} answer @param {Place} place */
export const look = (answer, { layer, head }) => answer.tensors.weights.data[layer][head];

/** From nothing to the most that the query looks at anything in any head, so that heads can be compared. @param {any} answer @param {Space["colours"]} colours */
const scaleOf = (answer, colours) => sequential(colours, Math.max(...answer.tensors.weights.data.flat(2)), "weight");

/** @param {Box} box @param {Area} area */
const inPixels = ([x, y, width, height], area) => ({ x: area.x + (x - width / 2) * area.side, y: area.y + (y - height / 2) * area.side, width: width * area.side, height: height * area.side });

/** A frame that is seen on every ground. @param {import("../draw/heatmap.js").Box} box @param {string} stroke @param {number} line @param {Space["colours"]} colours */
const framed = ({ x, y, width, height }, stroke, line, colours) => [rect(x, y, width, height, { stroke: colours.paper, line: line + 2 }), rect(x, y, width, height, { stroke, line })];

/** The picture, a frame around each patch as strong as the chosen query looks at it, and boxes over it. @param {any} answer @param {Place} place @param {Space} space */
export function found(answer, place, { width, height, colours }) {
  const { labels, grid: [rows, columns] } = answer.axes.image;
  const size = colours.tick;
  const area = { x: 2, y: 2, side: Math.max(64, Math.min(height - size * 2.4, width - size * 5)) };
  const { high } = scaleOf(answer, colours);
  const scale = { low: 0, high, unit: "weight", ramp: ramp([colours.paper, colours.cross]), stops: [colours.paper, colours.cross] };
  const weights = look(answer, place);
  const cell = area.side / columns;
  const box = (/** @type {number} */ row, /** @type {number} */ column) => ({ x: area.x + column * cell, y: area.y + row * cell, width: cell, height: cell });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const [row, column] = [Math.floor((y - area.y) / cell), Math.floor((x - area.x) / cell)];
    return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
  };
  const queries = said(answer, place.layer);
  const chosen = queries[place.query];
  const others = queries.filter((/** @type {any} */ one) => !one.nothing && one !== chosen);
  const truth = answer.tensors.truth.data.map((/** @type {Box} */ one) => inPixels(one, area));
  const layers = answer.axes.layer.size;
  const trail = Array.from({ length: layers }, (_, layer) => layer).filter((layer) => layer !== place.layer);
  const shapes = [
    cells(area.x, area.y, area.side, area.side, answer.axes.row.size, answer.axes.column.size, light(answer)),
    rect(area.x, area.y, area.side, area.side, { stroke: colours.rule }),
    ...weights.map((/** @type {number} */ value, /** @type {number} */ i) => inner(box(Math.floor(i / columns), i % columns), { stroke: colours.cross, line: FRAME * cell, opacity: value / high })),
    ...truth.map((/** @type {any} */ one) => rect(one.x, one.y, one.width, one.height, { stroke: colours.inkSoft, line: 1.5, dash: [3, 4] })),
    ...trail.map((layer) => ({ ...inPixels(answer.tensors.boxes.data[layer][place.query], area), layer })).map((one) => rect(one.x, one.y, one.width, one.height, { stroke: colours.query, line: 1.5, dash: one.layer < place.layer ? [7, 4] : [2, 3] })),
    ...others.flatMap((/** @type {any} */ one) => framed(inPixels(one.box, area), colours.ink, 1.5, colours)),
    ...framed(inPixels(chosen.box, area), colours.query, 3, colours),
    ...[...others, chosen].flatMap((/** @type {any} */ one) => tag(one, one === chosen, area, colours)),
    ...scaleBar({ scale, colours, x: area.x + area.side + size, y: area.y + size * 1.4, height: Math.min(area.side - size * 1.4, 240) }),
  ];
  const right = answer.found.filter((/** @type {any} */ one) => one.object !== null && one.class === answer.axes.object.labels[one.object]);
  const label = `${answer.axes.object.size} shapes. After layer ${place.layer}, ${others.length + Number(!chosen.nothing)} of ${queries.length} queries say that something is there; in the end ${right.length} with the right class. Query ${place.query} says ${chosen.class} with probability ${weight(chosen.probability)}.`;
  const say = (/** @type {Cell} */ { row, column }) => `query ${place.query} looks at ${labels[row * columns + column]}: ${weight(weights[row * columns + column], 3)}`;
  return { scene: scene(width, height, label, shapes), area, rows, columns, box, at, say, table: boxesTable(answer, place.layer, queries) };
}

/** The picture as RGBA bytes. @param {any} answer */
function light({ tensors: { picture: { data: [red, green, blue] } } }) {
  const side = red.length;
  const bytes = new Uint8ClampedArray(4 * side * side);
  for (let i = 0; i < side * side; i += 1) bytes.set([...[red, green, blue].map((of) => 255 * of[Math.floor(i / side)][i % side]), 255], 4 * i);
  return bytes;
}

/** A frame whose whole line lies inside. @param {import("../draw/heatmap.js").Box} box @param {{stroke: string, line: number, opacity: number}} style */
const inner = ({ x, y, width, height }, style) => rect(x + style.line / 2, y + style.line / 2, width - style.line, height - style.line, style);

/** Which query, what it says and how sure it is, above its box or, where there is no room, inside it. @param {any} one @param {boolean} chosen @param {Area} area @param {Space["colours"]} colours */
function tag(one, chosen, area, colours) {
  const size = colours.tick;
  const content = `${one.query} ${one.class} ${weight(one.probability)}`;
  const { x, y } = inPixels(one.box, area);
  const wide = monoWidth(content, size) + 8;
  const left = Math.max(area.x, Math.min(x, area.x + area.side - wide));
  const above = y - size * 1.5 < area.y ? Math.max(area.y, y) : y - size * 1.5;
  const [fill, ink] = chosen ? [colours.query, colours.paper] : [colours.paper, colours.ink];
  return [rect(left, above, wide, size * 1.5, { fill }), text(left + 4, above + size * 0.75, content, { fill: ink, size, font: "mono" })];
}

/** @param {any} answer @param {number} layer @param {any[]} queries */
const boxesTable = (answer, layer, queries) => ({
  caption: `What every query says after layer ${layer}`,
  head: ["query", "class", "probability", ...answer.axes.side.labels, "answers for", "IoU in the end"],
  rows: queries.map((one) => {
    const { object, iou } = answer.found[one.query];
    return [String(one.query), one.class, one.probability, ...one.box, object === null ? "" : answer.axes.object.labels[object], iou === null ? "" : iou];
  }),
});

/** Every head of every layer small, with the query's box over it. @param {any} answer @param {Place} place @param {Space} space */
export function heads(answer, place, { width, height, colours }) {
  const { data } = answer.tensors.weights;
  const [rows, columns] = [data.length, data[0].length];
  const { labels, grid: [high, wide] } = answer.axes.image;
  const size = colours.tick;
  const scale = scaleOf(answer, colours);
  const [left, top, gap] = [size * 1.6, size * 1.6, 8];
  const tile = Math.max(24, Math.min((width - left) / columns, (height - top) / rows) - gap);
  const box = (/** @type {number} */ row, /** @type {number} */ column) => ({ x: left + column * (tile + gap), y: top + row * (tile + gap), width: tile, height: tile });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const cell = { row: Math.floor((y - top) / (tile + gap)), column: Math.floor((x - left) / (tile + gap)) };
    return cell.row >= 0 && cell.row < rows && cell.column >= 0 && cell.column < columns ? cell : null;
  };
  const soft = { fill: colours.inkSoft, size, font: /** @type {const} */ ("mono"), anchor: /** @type {const} */ ("middle") };
  const each = data.flatMap((/** @type {number[][]} */ of, /** @type {number} */ row) => of.map((weights, column) => ({ row, column, weights })));
  const shapes = each.flatMap((/** @type {{row: number, column: number, weights: number[]}} */ { row, column, weights }) => {
    const { x, y } = box(row, column);
    const grid = Array.from({ length: high }, (_, r) => weights.slice(r * wide, (r + 1) * wide));
    const mine = inPixels(answer.tensors.boxes.data[row][place.query], { x, y, side: tile });
    const chosen = row === place.layer && column === place.head;
    return [
      cells(x, y, tile, tile, high, wide, pixels(grid, scale)),
      rect(mine.x, mine.y, mine.width, mine.height, { stroke: colours.paper, line: 1.5 }),
      ...(chosen ? [rect(x - 3, y - 3, tile + 6, tile + 6, { stroke: headColour(colours, column), line: 3 })] : []),
    ];
  });
  const most = (/** @type {number[]} */ weights) => weights.indexOf(Math.max(...weights));
  return {
    rows, columns, box, at,
    scene: scene(width, height, `${rows * columns} heads: where query ${place.query} looks in each; rows are layers, columns are heads, brighter is more.`, [
      ...data.map((/** @type {unknown} */ _, /** @type {number} */ row) => text(size * 0.5, box(row, 0).y + tile / 2, String(row), soft)),
      ...data[0].map((/** @type {unknown} */ _, /** @type {number} */ column) => text(box(0, column).x + tile / 2, size * 0.6, String(column), soft)),
      ...shapes,
    ]),
    say: (/** @type {Cell} */ { row, column }) => `layer ${row}, head ${column}: query ${place.query} looks most at ${labels[most(data[row][column])]}, ${weight(Math.max(...data[row][column]), 3)}`,
    table: matrixTable(`Where query ${place.query} looks`, "head \\ patch", each.map((/** @type {any} */ { row, column }) => `layer ${row}, head ${column}`), labels, each.map((/** @type {any} */ { weights }) => weights)),
  };
}

/** A row for each query, a column for each class, and the object that it answers for in the end. @param {any} answer @param {Place} place @param {Space} space */
export function board(answer, place, { width, height, colours }) {
  const chances = answer.tensors.chances.data[place.layer];
  const { labels } = answer.axes.vocabulary;
  const size = colours.tick;
  const scale = probability(colours);
  const beside = Math.min(width * 0.34, size * 14);
  const frame = { x: size * 1.6, y: size * 3, width: width - size * 1.6 - beside, height: Math.max(60, height - size * 3) };
  const [wide, high] = [frame.width / labels.length, Math.min(frame.height / chances.length, size * 2.4)];
  const box = (/** @type {number} */ row, /** @type {number} */ column) => ({ x: frame.x + column * wide, y: frame.y + row * high, width: wide, height: high });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const [row, column] = [Math.floor((y - frame.y) / high), Math.floor((x - frame.x) / wide)];
    if (row < 0 || row >= chances.length || x < 0 || x > width) return null;
    return { row, column: Math.max(0, Math.min(labels.length - 1, column)) };
  };
  const tick = Math.min(size, high);
  const named = labels.map((/** @type {string} */ label) => label.split(" "));
  const heading = (/** @type {string} */ content, /** @type {number} */ x, /** @type {number} */ y) => text(x, y, content, { fill: colours.inkSoft, size, anchor: "middle" });
  const shapes = [
    ...named.flatMap(([colour, kind]/** @type {string[]} */, /** @type {number} */ column) => [
      ...(kind ? [heading(KINDS[kind], box(0, column).x + wide / 2, frame.y - size * 0.9)] : [heading("∅", box(0, column).x + wide / 2, frame.y - size * 0.9)]),
      ...(kind && named[column - 1]?.[0] !== colour ? [heading(wide > size * 1.3 ? colour : colour[0], box(0, column).x + wide * 1.5, frame.y - size * 2.2)] : []),
    ]),
    text(frame.x + frame.width + size * 0.6, frame.y - size * 0.9, "answers for · IoU", { fill: colours.inkSoft, size }),
    ...chances.flatMap((/** @type {number[]} */ row, /** @type {number} */ query) => {
      const { object, iou } = answer.found[query];
      const middle = frame.y + (query + 0.5) * high;
      const strong = query === place.query;
      const told = object === null ? "" : `${answer.axes.object.labels[object]} ${weight(iou)}`;
      return [
        ...row.flatMap((value, column) => [
          rect(box(query, column).x, box(query, column).y, wide - 1, high - 1, { fill: css(scale, value) }),
          ...(value >= 0.05 && wide >= size * 2 && high >= size ? [text(box(query, column).x + wide / 2, middle, weight(value), { fill: inkOn(colourOf(scale, value)), size: size * 0.85, font: "mono", anchor: "middle" })] : []),
        ]),
        text(frame.x - size * 0.5, middle, String(query), { fill: strong ? colours.query : colours.ink, size: tick, font: "mono", anchor: "end", weight: strong ? 700 : 400 }),
        text(frame.x + frame.width + size * 0.6, middle, told, { fill: strong ? colours.query : colours.ink, size: tick, weight: strong ? 700 : 400 }),
        ...(strong ? [rect(frame.x - 1, frame.y + query * high - 1, frame.width + 1, high + 1, { stroke: colours.query, line: 3 })] : []),
      ];
    }),
  ];
  return {
    rows: chances.length, columns: labels.length, box, at,
    scene: scene(width, height, `${chances.length} queries, ${labels.length} classes, the last is nothing: the probability of each after layer ${place.layer}.`, shapes),
    say: (/** @type {Cell} */ { row, column }) => `query ${row}: ${labels[column]} with probability ${weight(chances[row][column], 3)}`,
    table: matrixTable(`What every query says after layer ${place.layer}`, "query \\ class", answer.axes.queries.labels, labels, chances),
  };
}

/** The smallest box of all that are said around a point, or the chosen query's where there is none. @param {any} answer @param {Place} place @param {number} x @param {number} y */
export function queryAt(answer, place, x, y) {
  const around = said(answer, place.layer).filter(({ box: [cx, cy, w, h], nothing }) => !nothing && Math.abs(x - cx) <= w / 2 && Math.abs(y - cy) <= h / 2);
  around.sort((/** @type {any} */ a, /** @type {any} */ b) => a.box[2] * a.box[3] - b.box[2] * b.box[3]);
  return around[0]?.query ?? place.query;
}
