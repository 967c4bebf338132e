// The board: every scheme against the same questions, each with the number that was measured and whether it holds.

import { line, rect, scene, text } from "../draw/scene.js";
import { number } from "../draw/text.js";
import { typeset } from "./facts.js";

/** @typedef {import("./positions-field.js").Asked} Asked */
/** @typedef {{name: string, value: number, law: string, holds: boolean, unit: string}} Fact */
/** @typedef {{name: string, how: string, kind: string, facts: Fact[]}} Row */

/** The questions: what is asked, in a word or two, and what the number under the mark is. */
export const QUESTIONS = Object.freeze({
  change_with_length: ["same at any length", "change"],
  weight: ["bounded", "beside a token"],
  distinct: ["all distinct", "identifiers"],
  score_spread: ["offset decides", "spread"],
  missing: ["goes on", "missing"],
  unseen: ["nothing new there", "distance"],
  far_share: ["far counts little", "weight there"],
});
const NONE = "—";

/** @param {Fact | undefined} fact */
const mark = (fact) => (fact ? (fact.holds ? "✓" : "✗") : NONE);

/** Short enough for a cell: a number that is 0 but for rounding is 0 there. @param {Fact} fact */
const short = ({ value, holds }) => (Number.isInteger(value) && Math.abs(value) < 1e5 ? String(value) : holds && Math.abs(value) < 1e-6 ? "0" : Math.abs(value) >= 1000 ? value.toExponential(0).replace("+", "") : Math.abs(value) >= 10 ? value.toFixed(1) : number(value));

/** A few words in two lines of about one length. @param {string} words */
function inTwo(words) {
  const gaps = [...words.matchAll(/ /g)].map(({ index }) => index).sort((a, b) => Math.abs(a - words.length / 2) - Math.abs(b - words.length / 2));
  return gaps.length ? [words.slice(0, gaps[0]), words.slice(gaps[0] + 1)] : [words];
}

/** @param {Asked} asked @returns {import("./positions-field.js").View} */
export function view({ answer, size: { width, height }, colours }) {
  /** @type {Row[]} */ const rows = answer.board;
  const keys = Object.keys(QUESTIONS);
  const tick = colours.tick;
  const left = tick * 7.2;
  const step = (width - left - 4) / keys.length;
  const wide = step > tick * 9;
  const top = step > tick * 6 ? tick * 3.4 : tick * 9.6;
  const tall = (height - top - 4) / rows.length;
  const cellOf = (/** @type {Row} */ row, /** @type {number} */ c) => row.facts.find(({ name }) => name === keys[c]);
  const x = (/** @type {number} */ c) => left + c * step;
  const y = (/** @type {number} */ r) => top + r * tall;
  const soft = { fill: colours.inkSoft, size: tick };
  const stacked = step < tick * 5.6;
  const numbered = !stacked || tall > tick * 2.6;
  const title = (/** @type {number} */ cx, /** @type {number} */ cy, /** @type {string} */ words) => text(cx, cy, words, { fill: colours.ink, size: tick, anchor: "middle", weight: 600 });
  const headings = Object.values(QUESTIONS).flatMap(([question, quantity], c) => {
    const middle = x(c) + step / 2;
    if (wide) return [title(middle, tick, question), text(middle, tick * 2.4, quantity, { ...soft, font: "serif", italic: true, anchor: "middle" })];
    if (step > tick * 6) return inTwo(question).map((words, i) => title(middle, tick * (1 + 1.3 * i), words));
    return [text(middle, top - tick * 0.6, question, { fill: colours.ink, size: tick, turn: -90 })];
  });
  const here = rows.findIndex(({ name }) => name === answer.scheme);
  const cells = rows.flatMap((row, r) =>
    keys.flatMap((_, c) => {
      const fact = cellOf(row, c);
      const [cx, cy] = [x(c) + step / 2, y(r) + tall / 2];
      if (!fact) return [text(cx, cy, NONE, { ...soft, anchor: "middle" })];
      const ink = fact.holds ? colours.ink : colours.error;
      const at = !numbered ? { mark: [cx, cy], value: [cx, cy] } : stacked ? { mark: [cx, cy - tick * 0.6], value: [cx, cy + tick * 0.7] } : { mark: [cx - tick * 1.9, cy], value: [cx - tick * 0.9, cy] };
      return [
        ...(fact.holds || r === here ? [] : [rect(x(c) + 1, y(r) + 1, step - 2, tall - 2, { fill: colours.sunken })]),
        text(at.mark[0], at.mark[1], mark(fact), { fill: ink, size: tick * 1.1, anchor: "middle", weight: 600 }),
        ...(numbered ? [text(at.value[0], at.value[1], short(fact), { fill: ink, size: tick, font: "mono", anchor: stacked ? "middle" : "start" })] : []),
      ];
    }),
  );
  const roomy = tall > tick * 2.3;
  const names = rows.flatMap(({ name, kind }, r) => [
    ...(roomy && kind !== "analytic" ? [text(0, y(r) + tall / 2 + tick * 0.7, "untrained", { ...soft, font: "serif", italic: true })] : []),
    text(0, y(r) + tall / 2 - (roomy && kind !== "analytic" ? tick * 0.6 : 0), name, { fill: colours.ink, size: tick, font: "mono", weight: r === here ? 600 : 400 }),
    line(0, y(r), width - 4, y(r), { stroke: colours.rule }),
  ]);
  const say = (/** @type {{row: number, column: number}} */ { row, column }) => {
    const fact = cellOf(rows[row], column);
    return `${rows[row].name}, ${QUESTIONS[/** @type {keyof typeof QUESTIONS} */ (keys[column])][0]}: ${fact ? `${mark(fact)} ${Number.isInteger(fact.value) ? fact.value : number(fact.value)}; asked for ${typeset(fact.law)}` : "not asked"}`;
  };
  return {
    facts: {},
    title: "Every scheme against the same questions", caption: `${answer.length} positions, d = ${answer.d_model}; choose a row`, tensor: "identifier_norm", shape: `${rows.length} schemes, ${keys.length} questions`,
    scene: scene(width, height, `${rows.length} schemes, ${keys.length} questions: ${rows.map((row) => `${row.name} holds ${row.facts.filter(({ holds }) => holds).length} of ${row.facts.length}`).join(", ")}.`, [...(here < 0 ? [] : [rect(0, y(here), width - 4, tall, { fill: colours.select })]), ...headings, ...cells, ...names]),
    table: { caption: "Every scheme against the same questions", head: ["scheme", "how", ...Object.values(QUESTIONS).map(([question, quantity]) => `${question} (${quantity})`)], rows: rows.map((row) => [row.name, row.how, ...keys.map((_, c) => ((fact) => (fact ? `${mark(fact)} ${number(fact.value)}` : NONE))(cellOf(row, c)))]) },
    rows: rows.length, columns: keys.length,
    box: (/** @type {number} */ r, /** @type {number} */ c) => ({ x: x(c), y: y(r), width: step, height: tall }),
    at: (/** @type {number} */ px, /** @type {number} */ py) => {
      const place = { row: Math.floor((py - top) / tall), column: Math.max(0, Math.floor((px - left) / step)) };
      return place.row >= 0 && place.row < rows.length && place.column < keys.length ? place : null;
    },
    say, pick: ({ row }) => ({ scheme: rows[row].name }),
  };
}
