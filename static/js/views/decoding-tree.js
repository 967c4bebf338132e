// Every text of a small chain as a tree: a branch is as thick as what begins with it is probable.

import { apart } from "../draw/chart.js";
import { dot, line, link, scene, text } from "../draw/scene.js";
import { monoWidth, number, share } from "../draw/text.js";

const THICK = 14;

/** What begins with each prefix: the sum over its texts. @param {string[]} texts @param {number[]} probabilities @returns {Map<string, number>} */
export function prefixes(texts, probabilities) {
  const sums = new Map();
  texts.forEach((whole, i) => {
    for (let n = 0; n <= whole.length; n += 1) sums.set(whole.slice(0, n), (sums.get(whole.slice(0, n)) ?? 0) + probabilities[i]);
  });
  return sums;
}

/** Greedy as on the page of generation; the best is drawn last, over it. @param {any} answer @param {import("../draw/colours.js").Palette} colours */
const paths = ({ greedy, best }, colours) => [{ of: greedy, colour: colours.heads[5], word: "greedy" }, { of: best, colour: colours.ink, word: "best" }];

/** @param {any} answer @param {import("../clinic.js").Space} space @returns {import("../clinic.js").Drawn & {kind: string}} */
export function tree(answer, { width, height, colours }) {
  const texts = /** @type {string[]} */ (answer.axes.text.labels);
  const [probabilities, sampled] = [answer.tensors.probability.data, answer.tensors.sampled.data];
  const [size, depth] = [colours.tick, texts[0].length];
  const sums = prefixes(texts, probabilities);
  const of = (/** @type {string} */ prefix) => sums.get(prefix) ?? 0;
  const chosen = paths(answer, colours);
  const words = (/** @type {string} */ one) => chosen.filter((path) => path.of === one).map(({ word }) => word).join(", ");
  const said = (/** @type {number} */ i) => `${texts[i]} ${share(probabilities[i])} ${words(texts[i])}`.trim();

  const nameOf = (/** @type {string} */ prefix) => `${prefix.at(-1)} ${share(of(prefix) / of(prefix.slice(0, -1)))}`;
  const [indent, zone] = [size * 0.7, monoWidth("a .000", size) + size * 1.2];
  const right = Math.max(...texts.map((_, i) => monoWidth(said(i), size))) + size * 1.4;
  const [left, top, bottom] = [size * 0.5, size * 2.4, height - size * 0.6];
  const step = (bottom - top) / texts.length;
  const long = (width - left - right - (depth - 1) * zone) / depth;
  const arrives = (/** @type {number} */ n) => left + n * long + (n - 1) * zone;
  const leaf = (/** @type {number} */ i) => top + (i + 0.5) * step;
  const below = (/** @type {string} */ prefix) => texts.map((_, i) => i).filter((i) => texts[i].startsWith(prefix));
  const y = (/** @type {string} */ prefix) => (leaf(below(prefix)[0]) + leaf(/** @type {number} */ (below(prefix).at(-1)))) / 2;
  const named = (/** @type {string} */ prefix) => prefix !== "" && step * below(prefix).length >= size * 1.4;
  const leaves = (/** @type {string} */ prefix) => (prefix === "" ? left : arrives(prefix.length) + (named(prefix) ? zone : 0));

  const colourOf = (/** @type {string} */ prefix) => chosen.findLast((path) => path.of.startsWith(prefix))?.colour;
  const branches = [...sums.keys()].filter(Boolean).sort((a, b) => Number(Boolean(colourOf(a))) - Number(Boolean(colourOf(b))));
  const kept = new Set(answer.beam.flat());
  const ends = texts.map((_, i) => i).filter((i) => step >= size * 0.9 || words(texts[i]));
  const levels = apart(ends.map(leaf), Math.min(step, size * 1.05), top, bottom);
  const end = arrives(depth);
  return {
    scene: scene(width, height, `All ${texts.length} texts of ${depth} letters: greedy writes ${answer.greedy}, the best is ${answer.best}`, [
      ...branches.map((prefix) => link(leaves(prefix.slice(0, -1)), y(prefix.slice(0, -1)), arrives(prefix.length), y(prefix), { stroke: colourOf(prefix) ?? colours.rule, line: 1 + THICK * of(prefix) })),
      ...branches.filter((prefix) => kept.has(prefix)).map((prefix) => dot(arrives(prefix.length), y(prefix), 5, { fill: colours.paper, stroke: colours.ink, line: 1.5 })),
      ...branches.filter((prefix) => prefix.length < depth && named(prefix)).map((prefix) => text(arrives(prefix.length) + indent, y(prefix), nameOf(prefix), { fill: colourOf(prefix) ?? colours.ink, size, font: "mono" })),
      ...ends.flatMap((i, n) => [
        ...(Math.abs(levels[n] - leaf(i)) > 1 ? [line(end + 2, leaf(i), end + indent, levels[n], { stroke: colours.rule })] : []),
        text(end + indent, levels[n], said(i), { fill: chosen.findLast((path) => path.of === texts[i])?.colour ?? colours.inkSoft, size, font: "mono", weight: words(texts[i]) ? 700 : 400 }),
      ]),
      ...Array.from({ length: depth }, (_, n) => text(arrives(n + 1) + indent, size * 0.8, `letter ${n + 1}`, { fill: colours.inkSoft, size, font: "serif", italic: true })),
    ]),
    tensor: "probability", kind: "analytic", rows: texts.length, columns: 1,
    box: (/** @type {number} */ row) => ({ x: left, y: top + row * step, width: width - left, height: step }),
    at: (/** @type {number} */ _, /** @type {number} */ level) => (level >= top && level < bottom ? { row: Math.floor((level - top) / step), column: 0 } : null),
    say: ({ row }) => `${texts[row]}: probability ${number(probabilities[row], 4)}, drawn in ${number(100 * sampled[row], 1)} % of the samples${words(texts[row]) ? `, ${words(texts[row])}` : ""}`,
    table: { caption: "Every text", head: ["text", "probability", "share of the samples"], rows: texts.map((one, i) => [one, probabilities[i], sampled[i]]) },
  };
}
