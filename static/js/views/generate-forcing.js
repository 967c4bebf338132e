// Teacher forcing beside generation: the same network, fed the reference or its own words; where the inputs agree, so must the numbers.

import { css, probability } from "../draw/colours.js";
import { line, rect, scene, text } from "../draw/scene.js";
import { fit, number, shorten, visible, weight } from "../draw/text.js";

/** @typedef {{text: string, id: number, probability: number}} Said */
/** @typedef {{index: number, read: string, expected: Said, predicted: Said, written: Said | null, same_input: boolean, agrees: boolean}} Row */
/** @typedef {{reference: string[], rows: Row[], shared: number, largest_difference: number, first_difference: number | null, log_probability: number}} Forcing */

/**
 * @param {object} options
 * @param {Forcing} options.forcing @param {import("./generate-question.js").Step[]} options.steps @param {number} options.index @param {string} options.prompt
 * @param {import("../draw/palette.js").Palette} options.colours @param {number} options.width @param {number} options.height
 */
export function forcingPicture({ forcing, steps, index, prompt, colours, width, height }) {
  const size = colours.tick;
  const all = Math.max(forcing.rows.length, steps.length);
  const left = size * 3;
  const fits = Math.max(1, Math.min(all, Math.floor((width - left) / (size * 5.2))));
  const first = Math.max(0, Math.min(index - Math.ceil(fits / 2), all - fits));
  const wide = Math.min((width - left) / fits, size * 10);
  const middle = size * 3.8;
  const tall = (height - middle - size * 2) / 2;
  const x = (/** @type {number} */ row) => left + (row - first) * wide;
  const lane = (/** @type {number} */ top) => ({ top: top + size * 4.2, bottom: top + tall - size * 1.6, title: top + size * 0.8 });
  const [taught, own] = [lane(0), lane(tall + middle)];
  const scale = probability(colours);
  const soft = { fill: colours.inkSoft, size, font: /** @type {"serif"} */ ("serif"), italic: true };
  const chars = Math.max(2, Math.floor((wide - 6) / (size * 0.61)));
  const rows = Array.from({ length: fits }, (_, i) => first + i);
  const bar = (/** @type {{top: number, bottom: number}} */ room, /** @type {number} */ row, /** @type {Said} */ said, /** @type {string} */ read, /** @type {boolean} */ bold) => {
    const level = room.bottom - (room.bottom - room.top) * said.probability;
    const centre = x(row) + wide / 2;
    return [
      rect(centre - wide * 0.45, level - size * 2.2, wide * 0.9, size * 2.1, { fill: row === index ? colours.sunken : colours.paper }),
      rect(centre - wide * 0.3, level, wide * 0.6, room.bottom - level, { fill: css(scale, said.probability), stroke: colours.ruleStrong }),
      text(centre, level - size * 1.55, shorten(visible(said.text), chars), { fill: colours.ink, size, font: "mono", anchor: "middle", weight: bold ? 700 : 400 }),
      text(centre, level - size * 0.6, weight(said.probability), { fill: colours.inkSoft, size, font: "mono", anchor: "middle" }),
      text(centre, room.bottom + size, shorten(visible(read), chars), { fill: colours.inkSoft, size, font: "mono", anchor: "middle" }),
    ];
  };
  const read = [prompt, ...steps.map(({ token }) => token.text)];
  const between = tall + size * 2;
  const parts = forcing.first_difference;
  return {
    scene: scene(width, height, `Teacher forcing beside generation: ${parts === null ? "no row differs" : `row ${parts + 1} is the first that differs`}`, [
      rect(x(index), 0, wide, height, { fill: colours.sunken }),
      ...[taught, own].flatMap((room) => axis(room, { left, width: Math.min(width, x(first + fits)), colours })),
      text(0, taught.title, fit("teacher forcing reads the reference (below) and says (above); bar: probability", width, size), soft),
      text(0, own.title, fit("generation reads its own words (below) and writes (above); bar: probability", width, size), soft),
      ...rows.flatMap((row) => {
        const forced = forcing.rows[row];
        const step = steps[row];
        const faint = row > index ? 0.32 : 1;
        return [
          ...(forced ? bar(taught, row, forced.predicted, forced.read, !forced.agrees) : []),
          ...(forced && forced.expected.id !== forced.predicted.id ? missed(taught, x(row) + wide / 2, wide, forced, chars, colours) : []),
          ...(step ? bar(own, row, { ...step.token, probability: step.probability }, read[row], forced && !forced.agrees).map((shape) => ({ ...shape, opacity: faint })) : []),
          ...(forced ? [text(x(row) + wide / 2, between, sign(forced), { fill: colours.ink, size: size * 1.3, font: "mono", anchor: "middle", weight: row === parts ? 700 : 400 })] : []),
        ];
      }),
      ...(parts !== null && parts >= first && parts < first + fits ? firstDifference(x(parts), wide, { taught, own, between, colours }) : []),
      text(0, height - size * 0.6, fit(`= same input, same numbers (largest difference ${number(forcing.largest_difference)})   ≈ other input, same word   ≠ another word`, width, size), { fill: colours.inkSoft, size }),
    ]),
    rows: 1,
    columns: fits,
    first,
    box: (/** @type {number} */ _, /** @type {number} */ c) => ({ x: x(first + c), y: 0, width: wide, height }),
    at: (/** @type {number} */ px, /** @type {number} */ _) => {
      const column = Math.floor((px - left) / wide);
      return column >= 0 && column < fits ? { row: 0, column } : null;
    },
  };
}

/** @param {Row} row */
export const sign = (row) => (!row.agrees ? "≠" : row.same_input ? "=" : "≈");

/** What the reference has instead, with the probability it was given. @param {{top: number, bottom: number}} room @param {number} centre @param {number} wide @param {Row} row @param {number} chars @param {import("../draw/palette.js").Palette} colours */
function missed({ top, bottom }, centre, wide, row, chars, colours) {
  const level = bottom - (bottom - top) * row.expected.probability;
  const size = colours.tick;
  return [
    line(centre - wide * 0.36, level, centre + wide * 0.36, level, { stroke: colours.error, line: 3 }),
    text(centre, bottom + size * 2.1, shorten(`→ ${visible(row.expected.text)}`, chars), { fill: colours.error, size, font: "mono", anchor: "middle" }),
  ];
}

/** A frame around the first row that differs, in both lanes. @param {number} x @param {number} wide @param {any} room */
function firstDifference(x, wide, { taught, own, between, colours }) {
  const size = colours.tick;
  const frame = (/** @type {number} */ top, /** @type {number} */ bottom) => rect(x + 2, top, wide - 4, bottom - top, { stroke: colours.error, line: 2, dash: [6, 4] });
  return [frame(taught.title + size * 0.9, between + size), frame(own.title + size * 0.9, own.bottom + size * 1.6)];
}

/** @param {{top: number, bottom: number}} room @param {{left: number, width: number, colours: import("../draw/palette.js").Palette}} frame */
const axis = ({ top, bottom }, { left, width, colours }) =>
  [0, 0.5, 1].flatMap((p) => {
    const level = bottom - (bottom - top) * p;
    return [
      line(left, level, width, level, { stroke: p === 0 ? colours.ruleStrong : colours.rule }),
      text(left - 6, level, weight(p, 1), { fill: colours.inkSoft, size: colours.tick, font: "mono", anchor: "end" }),
    ];
  });

/** @param {Forcing} forcing @param {number} row */
export function sayRow({ rows }, row) {
  const one = rows[row];
  if (!one) return `row ${row + 1}: the reference has ended`;
  const says = `row ${row + 1}: after ${visible(one.read)} teacher forcing says ${visible(one.predicted.text)} (${number(one.predicted.probability)})`;
  const has = one.expected.id === one.predicted.id ? ", as the reference has" : `; the reference has ${visible(one.expected.text)} (${number(one.expected.probability)})`;
  return `${says}${has}; generation ${one.written ? `wrote ${visible(one.written.text)}` : "had ended"}`;
}

/** @param {Forcing} forcing @returns {import("../draw/table.js").Table} */
export const forcingTable = ({ rows }) => ({
  caption: "Teacher forcing beside generation, row by row",
  head: ["row", "read of the reference", "says", "probability", "the reference has", "its probability", "generation wrote", "same input", "agrees"],
  rows: rows.map((row) => [
    String(row.index + 1), row.read, row.predicted.text, row.predicted.probability, row.expected.text, row.expected.probability, row.written?.text ?? "", row.same_input ? "yes" : "no", row.agrees ? "yes" : "no",
  ]),
});
