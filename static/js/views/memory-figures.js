// The pictures of a memory: a row for each key, one value's words, the sentences a key fires in, attention over tokens and slots, and what
// remembering is worth.

import { bars, lines } from "../draw/chart.js";
import { colourOf, css, inkOn, probability, sequential } from "../draw/colours.js";
import { heatMap } from "../draw/heatmap.js";
import { scaleStrip } from "../draw/scalebar.js";
import { line as rule, rect, scene, text } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { monoWidth, number, shorten, visible } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space */
/** @typedef {import("../clinic.js").Drawn} Drawn */
/** @typedef {{neuron: number, tokens: string[], words: string[]}} Key */

const LONGEST = 12;
const joined = (/** @type {string[]} */ tokens, between = " ") => tokens.map(visible).join(between);

/** As many of the last tokens as fit. @param {string[]} tokens @param {number} width @param {number} size */
export function ending(tokens, width, size) {
  const from = tokens.findIndex((_, i) => monoWidth(joined(tokens.slice(i)), size) <= width);
  return from < 0 ? [] : tokens.slice(from);
}

/** One row a key: the bar of its strongest firing, the token there and those before, and the words of its value. @param {any} answer @param {Space} space @returns {Drawn} */
export function keys({ keys: all, chosen, tensors }, { width, height, colours }) {
  const size = colours.tick;
  const known = /** @type {Key[]} */ (all);
  const firing = /** @type {number[]} */ (tensors.firing.data);
  const top = size * 2.2;
  const step = (height - top) / known.length;
  const bar = { x: monoWidth("0000", size), width: Math.min(90, width * 0.16) };
  const middle = bar.x + bar.width + (width - bar.x - bar.width) * 0.52;
  const said = (/** @type {number} */ row) => bar.x + bar.width * (firing[row] / firing[0]);
  const head = { fill: colours.inkSoft, size, font: /** @type {"serif"} */ ("serif"), italic: true };
  return {
    scene: scene(width, height, `The ${known.length} keys that fire strongest, and the words of their values`, [
      text(bar.x - size * 0.6, size * 0.8, "key", { ...head, anchor: "end" }), text(bar.x, size * 0.8, "m", head),
      text(middle - size * 0.6, size * 0.8, "fires at", { ...head, anchor: "end" }), text(middle + size * 1.4, size * 0.8, "writes", head),
      ...known.flatMap(({ neuron, tokens, words }, row) => {
        const y = top + (row + 0.5) * step;
        const token = shorten(visible(tokens[tokens.length - 1]), LONGEST);
        const end = middle - size * 0.6;
        const before = ending(tokens.slice(0, -1), end - monoWidth(token, size) - size - bar.x - bar.width - size * 0.6, size);
        const written = spaced(words, middle + size * 1.4, size).filter(([x, word]) => x + monoWidth(visible(word), size) <= width);
        return [
          ...(neuron === chosen.neuron ? [rect(0, y - step / 2, width, step, { fill: colours.select })] : []),
          text(bar.x - size * 0.6, y, String(neuron), { fill: colours.inkSoft, size, font: "mono", anchor: "end" }),
          rect(bar.x, y - step * 0.28, said(row) - bar.x, step * 0.56, { fill: colours.key }),
          text(end - monoWidth(token, size) - size * 0.6, y, joined(before), { fill: colours.inkSoft, size, font: "mono", anchor: "end" }),
          text(end, y, token, { fill: colours.key, size, font: "mono", anchor: "end", weight: 700 }),
          text(middle + size * 0.4, y, "→", { fill: colours.inkSoft, size, anchor: "middle" }),
          ...written.map(([x, word], i) => text(x, y, visible(word), { fill: colours.value, size, font: "mono", weight: i ? 400 : 700 })),
        ];
      }),
    ]),
    tensor: "firing", rows: known.length, columns: 1,
    box: (/** @type {number} */ row) => ({ x: 0, y: top + row * step, width, height: step }),
    at: (/** @type {number} */ _, /** @type {number} */ y) => (y >= top && y < top + step * known.length ? { row: Math.floor((y - top) / step), column: 0 } : null),
    say: ({ row }) => `key ${known[row].neuron}: ${number(firing[row])} after ${joined(known[row].tokens)}; its value writes ${joined(known[row].words, ", ")}`,
    pick: ({ row }) => ({ rank: String(row + 1) }),
    table: { caption: "Keys and values", head: ["key", "largest m", "fires at", "writes"], rows: known.map(({ neuron, tokens, words }, row) => [String(neuron), firing[row], joined(tokens), joined(words, ", ")]) },
  };
}

/** Words one after another, each where it begins. @param {string[]} words @param {number} x @param {number} size @returns {[number, string][]} */
const spaced = (words, x, size) => words.map((word, i) => [x + words.slice(0, i).reduce((sum, one) => sum + monoWidth(visible(one), size) + size, 0), word]);

/** @param {any} answer @param {Space} space @returns {Drawn} */
export function written({ axes, tensors, chosen }, { width, height, colours }) {
  const words = /** @type {string[]} */ (axes.word.labels);
  const values = /** @type {number[]} */ (tensors.written.data);
  const picture = bars({ series: [{ name: "v W_U", colour: colours.value, values }], names: words, x: `the words pushed up most, of ${chosen.neuron}`, y: { title: "added to the logit, m = 1" }, label: `What value ${chosen.neuron} writes: ${joined(words, ", ")}`, width, height, colours });
  return {
    ...picture, tensor: "written", rows: 1, columns: words.length,
    say: ({ column }) => `${visible(words[column])}: ${number(values[column])}`,
    table: { caption: `What value ${chosen.neuron} writes`, head: ["token", "logit"], rows: words.map((word, i) => [visible(word), values[i]]) },
  };
}

/** The sentences as text, each token on the colour of its firing. @param {any} answer @param {Space} space @returns {Drawn} */
export function fires({ sentences, tensors, chosen }, { width, height, colours }) {
  const size = colours.tick;
  const rows = /** @type {string[][]} */ (sentences);
  const values = /** @type {number[][]} */ (tensors.fires.data);
  const scale = sequential(colours, chosen.firing, "m");
  const wide = (/** @type {string} */ token) => monoWidth(visible(token), size) + size * 0.7;
  const line = size * 1.8;
  /** @type {{row: number, column: number, x: number, y: number, width: number}[]} */ const cells = [];
  let y = 1;
  rows.forEach((tokens, row) => {
    let x = 0;
    tokens.forEach((token, column) => {
      if (x > 0 && x + wide(token) > width) [x, y] = [size * 1.4, y + line];
      cells.push({ row, column, x, y, width: wide(token) });
      x += wide(token) + 2;
    });
    y += line + size * 0.9;
  });
  const shown = cells.filter((cell) => cell.y + line < height - size * 2.4);
  const find = (/** @type {number} */ row, /** @type {number} */ column) => {
    const of = shown.filter((cell) => cell.row === row);
    return of[Math.min(column, of.length - 1)] ?? shown[shown.length - 1];
  };
  return {
    scene: scene(width, height, `Sentences in which key ${chosen.neuron} fires strongest`, [
      ...shown.flatMap(({ row, column, x, y: level, width: w }) => {
        const value = values[row][column];
        return [
          value > 0 ? rect(x, level, w, line - 2, { fill: css(scale, value) }) : rect(x, level, w, line - 2, { stroke: colours.rule }),
          text(x + w / 2, level + line / 2 - 1, visible(rows[row][column]), { fill: value > 0 ? inkOn(colourOf(scale, value)) : colours.ink, size, font: "mono", anchor: "middle" }),
        ];
      }),
      ...scaleStrip({ scale, colours, x: size * 3.6, y: height - size * 1.4, width: Math.min(160, width / 3) }),
    ]),
    tensor: "fires", rows: rows.length, columns: Math.max(...rows.map((tokens) => tokens.length)),
    box: (/** @type {number} */ row, /** @type {number} */ column) => ({ ...find(row, column), height: line - 2 }),
    at: (/** @type {number} */ px, /** @type {number} */ py) => {
      const cell = shown.find(({ x, y: level, width: w }) => px >= x && px < x + w && py >= level && py < level + line);
      return cell ? { row: cell.row, column: cell.column } : null;
    },
    say: (cell) => {
      const { row, column } = find(cell.row, cell.column);
      return `${visible(rows[row][column])}: ${number(values[row][column])}`;
    },
    table: { caption: `Where key ${chosen.neuron} fires`, head: ["sentence", "token", "m"], rows: rows.flatMap((tokens, row) => tokens.map((token, column) => [String(row + 1), visible(token), values[row][column]])) },
  };
}

/** @param {any} answer @param {Space} space @returns {Drawn} */
export function slots({ axes, tensors }, { width, height, colours }) {
  const [rows, columns] = [axes.query.labels, axes.column.labels];
  const values = tensors.slots.data;
  const picture = heatMap({ values, rows, columns, rowTitle: "query", columnTitle: "tokens, then slots that were never trained", label: `Attention of ${rows.length} tokens over themselves and ${columns.length - rows.length} slots`, scale: probability(colours, "weight"), colours, width, height, sums: true, stretch: true });
  const first = picture.area.x + (picture.area.width * rows.length) / columns.length;
  const between = rule(first, picture.area.y, first, picture.area.y + picture.area.height, { stroke: colours.paper, line: 2 });
  return {
    ...picture, scene: { ...picture.scene, shapes: [...picture.scene.shapes, between] }, tensor: "slots", rows: rows.length, columns: columns.length,
    say: ({ row, column }) => `${visible(rows[row])} looks at ${visible(columns[column])}: ${number(values[row][column], 4)}`,
    table: matrixTable("Attention over tokens and slots", "query \\ column", rows, columns, values),
  };
}

/** Bits a character by how much each layer remembers: of the text held out, and of the one that was given. @param {any} answer @param {Space} space @returns {Drawn} */
export function recurrence({ axes, tensors }, { width, height, colours }) {
  const lengths = /** @type {number[]} */ (axes.memory.ids);
  const [held, given] = [tensors.held_out.data, tensors.bits.data];
  const low = Math.floor(2 * Math.min(...held, ...given)) / 2;
  const marks = lengths.filter((length) => length % 64 === 0).map((length) => /** @type {[number, string]} */ ([length, String(length)]));
  const series = [{ name: "held out", colour: colours.inkSoft, values: held, dash: [5, 4], dots: true }, { name: "this text", colour: colours.attention, values: given, dots: true }];
  const picture = lines({ series, xs: lengths, marks, x: "inputs that each layer remembers", y: { title: "bits a character", low }, label: `Bits a character with memories of ${lengths[0]} to ${lengths[lengths.length - 1]}`, width, height, colours });
  return {
    ...picture, tensor: "bits", rows: 1, columns: lengths.length,
    say: ({ column }) => `${lengths[column]} remembered: ${number(given[column], 3)} bits a character of this text, ${number(held[column], 3)} of the text held out`,
    table: { caption: "Bits a character", head: ["remembered", "held out", "this text"], rows: lengths.map((length, i) => [String(length), held[i], given[i]]) },
  };
}
