// How long the vectors of positions are beside those of the tokens they are added to.

import { nameAxis, nameSpace, place, yAxis } from "../draw/axes.js";
import { line, rect, scene, text } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { monoWidth, number, visible } from "../draw/text.js";
import { typeset } from "./facts.js";

/** @typedef {import("../draw/colours.js").Palette} Palette */
/** @typedef {import("./positions-field.js").Asked} Asked */
/** @typedef {import("./positions-field.js").View} View */

const FACTS = { squared_norm: "|PE|²", largest_value: "Largest number", change_with_length: "Change with length", nearest_distance: "Nearest two positions" };

/** @param {Asked} asked @returns {View} */
export function view({ own, size: { width, height }, colours }) {
  const texts = Object.keys(own.tensors).filter((name) => name.startsWith("token_norm.")).map((name) => name.slice("token_norm.".length));
  const tokens = texts.flatMap((name) => own.axes[name].labels);
  const token = texts.flatMap((name) => own.tensors[`token_norm.${name}`].data);
  const position = texts.flatMap((name) => own.tensors.position_norm.data.slice(0, own.axes[name].size));
  const vocabulary = own.vocabulary_norm ?? []; // patches are of none
  const quantile = (/** @type {number} */ q) => vocabulary.find((/** @type {any} */ row) => row.quantile === q)?.value ?? 0;
  const high = Math.max(...token, ...position, quantile(0.95)) * 1.08;
  const tick = colours.tick;
  const turned = Math.max(...tokens.map((name) => monoWidth(visible(name), tick))) > (width - tick * 5) / tokens.length - 4;
  const area = { x: tick * 4, y: tick * 4.4, width: width - tick * 5, height: height - tick * 4.4 - nameSpace(tokens, turned, tick) };
  const y = place({ low: 0, high, title: "" }, area.y + area.height, area.y);
  const step = area.width / tokens.length;
  const bar = (/** @type {number} */ i, /** @type {number} */ side, /** @type {number} */ value, /** @type {string} */ fill) => rect(area.x + (i + 0.5 + side * 0.18) * step - step * 0.16, y(value), step * 0.32, y(0) - y(value), { fill });
  const shapes = [
    ...(vocabulary.length ? [rect(area.x, y(quantile(0.95)), area.width, y(quantile(0.05)) - y(quantile(0.95)), { fill: colours.select })] : []),
    ...yAxis(area, { low: 0, high, title: "norm, in units of the residual stream" }, colours),
    ...tokens.flatMap((_, i) => [bar(i, -1, token[i], colours.embedding), bar(i, 1, position[i], colours.position)]),
    ...(vocabulary.length ? [line(area.x, y(quantile(0.5)), area.x + area.width, y(quantile(0.5)), { stroke: colours.ink, dash: [6, 4] })] : []),
    ...nameAxis(area, tokens, texts.join(", then "), colours),
    ...legend([["token", colours.embedding], ["position", colours.position], ...(vocabulary.length ? [/** @type {[string, string]} */ ([`vocabulary 5 to 95 %, median ${number(quantile(0.5), 1)}`, colours.select])] : [])], area.x, tick * 1, colours),
  ];
  const label = `Norms of the token embeddings, ${number(Math.min(...token))} to ${number(Math.max(...token))}, beside those of the positions, ${number(position[0])}`;
  const say = (/** @type {number} */ i) => `${tokens[i]}: embedding ${number(token[i])}, position ${number(position[i])}`;
  return {
    facts: FACTS,
    title: "Embedding beside position", caption: `${own.model}’s own: ${typeset(own.tensors[`token_norm.${texts[0]}`].formula)} and |PE(p)|`, scene: scene(width, height, label, shapes), tensor: `token_norm.${texts[0]}`,
    table: matrixTable("Norms", "norm \\ token", ["token", "position"], tokens, [token, position]), rows: 1, columns: tokens.length,
    box: (/** @type {number} */ _, /** @type {number} */ c) => ({ x: area.x + c * step, y: area.y, width: step, height: area.height }),
    at: (/** @type {number} */ px, /** @type {number} */ py) => (px >= area.x && px < area.x + area.width && py >= area.y && py <= area.y + area.height ? { row: 0, column: Math.floor((px - area.x) / step) } : null),
    say: ({ column }) => say(column),
  };
}

/** Names beside squares of their colour. @param {[string, string][]} entries @param {number} x @param {number} y @param {Palette} colours */
function legend(entries, x, y, colours) {
  const tick = colours.tick;
  const starts = entries.reduce((places, [name]) => [...places, places[places.length - 1] + tick * 2.4 + name.length * tick * 0.52], [x]);
  return entries.flatMap(([name, fill], i) => [rect(starts[i], y - tick * 0.5, tick, tick, { fill, stroke: colours.ruleStrong }), text(starts[i] + tick * 1.4, y, name, { fill: colours.ink, size: tick, font: "sans" })]);
}
