// Beyond the length: how large the identifiers become up to twice of it, and what the last query sees behind it there.

import { lines } from "../draw/chart.js";
import { headColour } from "../draw/colours.js";
import { move, scene, text } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";

/** @typedef {import("./positions-field.js").Asked} Asked */
/** @typedef {(number | null)[]} Row */

const NOTHING = "—";

const FACTS = { change_with_length: "Change with length", weight: "Largest identifier", missing: "Without one", unseen: "Farthest from any", far_share: "Weight beyond" };

/** @param {Asked} asked @returns {import("./positions-field.js").View} */
export function view({ answer, size: { width, height }, colours }) {
  /** @type {Row} */ const norms = answer.tensors.identifier_norm.data;
  /** @type {Row[]} */ const profile = answer.tensors.profile.data;
  const ends = answer.axes.query.labels.map((/** @type {string} */ p) => `p = ${p}`);
  const length = norms.length / 2;
  const xs = norms.map((_, p) => p);
  const relative = answer.how !== "added to the token";
  const upper = Math.round(height / 2);
  const above = lines({ series: [{ name: "", colour: colours.position, values: norms }], xs, x: relative ? "positions behind" : "position", y: { title: "size of the identifier" }, label: "", colours, width, height: upper, selected: length });
  const seen = profile.map((values, i) => ({ name: ends[i], colour: headColour(colours, i ? 1 : 0), values, dash: i ? [6, 4] : undefined })).filter(({ values }) => values.some((value) => value !== null));
  const below = lines({ series: seen, xs, x: "positions behind the query", y: { title: "what a query sees of the keys behind it", low: Math.min(0, ...numbers(profile)), high: Math.max(0, ...numbers(profile)) || (numbers(profile).some(Boolean) ? 0 : 1) }, label: "", colours, width, height: height - upper, selected: length });
  const soft = { fill: colours.inkSoft, size: colours.tick, font: /** @type {"serif"} */ ("serif"), italic: true };
  const frame = above.area;
  const middle = frame.x + (frame.width * length) / (norms.length - 1);
  const missing = norms.filter((norm) => norm === null).length;
  const notes = [
    text(middle - 6, frame.y + frame.height - colours.tick * 0.8, "the length", { ...soft, anchor: "end" }),
    text(middle + 6, frame.y + frame.height - colours.tick * 0.8, missing ? "nothing beyond" : "beyond", soft),
  ];
  const said = (/** @type {number | null} */ value) => (value === null ? NOTHING : number(value));
  const label = `Size of the identifiers up to twice the length, ${number(numbers([norms])[0])} at first and ${said(norms[norms.length - 1])} at last${missing ? `; ${missing} positions have none` : ""}; below, what the last query sees behind it.`;
  return {
    facts: FACTS,
    title: "At twice the length", caption: "dashes: where the length ends", tensor: "profile",
    scene: scene(width, height, label, [...above.scene.shapes, ...notes, ...move(0, upper, below.scene.shapes)]),
    table: withDashes(matrixTable("Beyond the length", "number \\ position or offset", ["size", ...ends], xs.map(String), [norms, ...profile])), rows: 1, columns: norms.length,
    box: above.box,
    at: (/** @type {number} */ x, /** @type {number} */ y) => (y < upper ? above.at(x, y) : below.at(x, y - upper)),
    say: ({ column: c }) => `${c}: size ${said(norms[c])}; ${c} behind, ${ends.map((/** @type {string} */ end, /** @type {number} */ i) => `${end} sees ${said(profile[i][c])}`).join(", ")}`,
  };
}

/** @param {Row[]} rows */
const numbers = (rows) => /** @type {number[]} */ (rows.flat().filter((value) => value !== null));

/** A place without a number has a dash: nothing is masked here. @param {import("../draw/table.js").Table} table */
const withDashes = (table) => ({ ...table, rows: table.rows.map((row) => row.map((cell) => cell ?? NOTHING)) });
