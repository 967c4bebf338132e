// The tree of a beam search: a column for each step, the best hypothesis on top; what was kept is boxed, what was dropped is crossed out.

import { line, link, rect, scene, text } from "../draw/scene.js";
import { monoWidth, number, share, shorten, visible } from "../draw/text.js";

/** @typedef {{number: number, parent: number | null, step: number, token: {text: string, id: number}, log_probability: number, score: number, kept: boolean, finished: boolean}} Node */
/** @typedef {{nodes: Node[], kept: number[][], hypotheses: {number: number, text: string, tokens: number, score: number, finished: boolean}[]}} Tree */
/** @typedef {{node: Node, stands: boolean, waits: boolean, rank: number}} Entry `stands` in the beam after this step; `waits`: had ended before it */

const FAINT = 0.3;

/** What stood and what was considered at each step, the best first. @param {Tree} tree @returns {Entry[][]} */
export function columns(tree) {
  return tree.kept.map((kept, step) => {
    const standing = kept.map((number) => tree.nodes[number]);
    const dropped = tree.nodes.filter((node) => node.step === step && !kept.includes(node.number)).sort((a, b) => b.score - a.score);
    return [...standing, ...dropped].map((node, rank) => ({ node, rank, stands: rank < kept.length, waits: node.step < step }));
  });
}

/** The numbers of the hypotheses from the prompt to one. @param {Tree} tree @param {number} number @returns {number[]} */
export function lineage(tree, number) {
  const path = [];
  for (let node = tree.nodes[number]; ; node = tree.nodes[node.parent]) {
    path.unshift(node.number);
    if (node.parent === null) return path;
  }
}

/** The part of a text that the tree considered, as numbers. @param {Tree} tree @param {number[]} ids @returns {number[]} */
export function follow(tree, ids) {
  const path = [0];
  for (const id of ids) {
    const next = tree.nodes.find((node) => node.parent === path[path.length - 1] && node.token.id === id);
    if (!next) break;
    path.push(next.number);
  }
  return path;
}

/**
 * @param {object} options
 * @param {Tree} options.tree @param {number} options.index the step in focus; later ones are faint @param {number[]} options.greedy tokens that greedy decoding writes
 * @param {import("../draw/palette.js").Palette} options.colours @param {number} options.width @param {number} options.height
 */
export function treePicture({ tree, index, greedy, colours, width, height }) {
  const size = colours.tick;
  const all = columns(tree);
  const beams = Math.max(...tree.kept.map((kept) => kept.length));
  const frame = { top: size * 2.2, bottom: height - size * 2.2, left: size * 4.5 };
  const tall = Math.min(size * 3.2, ((frame.bottom - frame.top) * 0.62) / beams);
  const short = size * 1.35;
  const room = Math.max(0, Math.floor((frame.bottom - frame.top - tall * beams - size * 1.5) / short));
  const narrow = size * 7.5;
  const fits = Math.max(1, Math.min(all.length, Math.floor((width - frame.left) / narrow)));
  const first = Math.max(0, Math.min(index - Math.ceil(fits / 2), all.length - fits));
  const wide = Math.min((width - frame.left - 2) / fits, size * 18);
  const best = new Set(lineage(tree, tree.kept[Math.min(index, tree.kept.length - 1)][0]));
  const greedily = new Set(follow(tree, greedy).slice(1));
  const entries = all.map((column) => column.slice(0, column.filter(({ stands }) => stands).length + room));
  const x = (/** @type {number} */ step) => frame.left + (step - first) * wide;
  const y = (/** @type {Entry} */ { rank, stands }) => (stands ? frame.top + (rank + 0.5) * tall : frame.top + beams * tall + size * 0.6 + (rank - beams + 0.5) * short);
  const boxOf = (/** @type {Entry} */ entry, /** @type {number} */ step) => ({ x: x(step) + wide * 0.2, width: wide * 0.8, height: entry.stands ? tall * 0.8 : short, y: y(entry) - (entry.stands ? tall * 0.4 : short / 2) });
  const parentOf = (/** @type {Entry} */ { node, waits }, /** @type {number} */ step) => (step === 0 ? null : all[step - 1].find((entry) => entry.node.number === (waits ? node.number : node.parent)));
  const soft = { fill: colours.inkSoft, size, font: /** @type {"serif"} */ ("serif"), italic: true };
  const column = (/** @type {number} */ step) => {
    const shapes = entries[step].flatMap((entry) => {
      const parent = parentOf(entry, step);
      const place = boxOf(entry, step);
      const onBest = best.has(entry.node.number);
      const from = parent ? { x: boxOf(parent, step - 1).x + boxOf(parent, step - 1).width, y: y(parent) } : { x: frame.left - size * 0.8, y: frame.top + tall / 2 };
      const style = entry.stands ? { stroke: onBest ? colours.ink : colours.ruleStrong, line: onBest ? 3.5 : 1.5, dash: entry.waits ? [2, 4] : undefined } : { stroke: colours.ruleStrong, line: 0.75, dash: [3, 5] };
      return [link(step === first && step > 0 ? x(step) : from.x, step === first && step > 0 ? y(entry) : from.y, place.x, y(entry), style), ...nodeShapes(entry, place, { onBest, greedily: greedily.has(entry.node.number), colours })];
    });
    const more = all[step].length - entries[step].length;
    return [
      ...shapes,
      text(x(step) + wide * 0.2, size * 0.9, `${step + 1}`, { fill: step === index ? colours.ink : colours.inkSoft, size, font: "mono", weight: step === index ? 700 : 400 }),
      ...(more > 0 ? [text(x(step) + wide * 0.2, frame.bottom + size * 0.2, `+ ${more} dropped`, { ...soft, baseline: "bottom" })] : []),
    ];
  };
  const steps = Array.from({ length: fits }, (_, i) => first + i);
  const root = shorten(visible(tree.nodes[0].token.text), 5);
  return {
    scene: scene(width, height, `Beam search with ${beams} beams: ${tree.hypotheses.map(({ text, score }) => `${text} ${number(score)}`).join("; ")}`, [
      rect(x(index) + wide * 0.1, 0, wide * 0.94, frame.bottom + size * 0.2, { fill: colours.sunken }),
      text(0, size * 0.9, "step", soft),
      ...(first === 0 ? [rect(0, frame.top + tall * 0.1, frame.left - size * 0.8, tall * 0.8, { stroke: colours.ruleStrong }), text((frame.left - size * 0.8) / 2, frame.top + tall / 2, root, { fill: colours.ink, size, font: "mono", anchor: "middle" })] : []),
      ...[...steps].reverse().flatMap((step) => column(step).map((shape) => ({ ...shape, opacity: step > index ? FAINT : 1 }))),
      ...legend({ y: height - size * 0.7, width, colours, greedy: greedy.length > 0 }),
    ]),
    rows: Math.max(...steps.map((step) => entries[step].length)),
    columns: fits,
    first,
    entry: (/** @type {number} */ row, /** @type {number} */ c) => entries[first + c][Math.min(row, entries[first + c].length - 1)],
    box: (/** @type {number} */ row, /** @type {number} */ c) => boxOf(entries[first + c][Math.min(row, entries[first + c].length - 1)], first + c),
    at: (/** @type {number} */ px, /** @type {number} */ py) => {
      const c = Math.floor((px - frame.left) / wide);
      if (c < 0 || c >= fits) return null;
      const row = entries[first + c].findIndex((entry) => Math.abs(py - y(entry)) <= (entry.stands ? tall : short) / 2);
      return row < 0 ? null : { row, column: c };
    },
  };
}

/** @param {Entry} entry @param {{x: number, y: number, width: number, height: number}} place @param {{onBest: boolean, greedily: boolean, colours: import("../draw/palette.js").Palette}} style */
function nodeShapes({ node, stands }, { x, y, width, height }, { onBest, greedily, colours }) {
  const size = colours.tick;
  const chars = Math.max(2, Math.floor((width - size * (greedily ? 2 : 1)) / (size * 0.61)));
  const label = visible(node.token.text);
  const mark = greedily ? [rect(x + width - size * 1.2, y + height / 2 - size * 0.3, size * 0.6, size * 0.6, { fill: colours.heads[5], stroke: colours.ink })] : [];
  if (!stands) return [text(x, y + height / 2, shorten(`× ${label}`, chars), { fill: colours.inkSoft, size, font: "mono" }), ...mark];
  const twoLines = height > size * 2.2;
  return [
    rect(x, y, width, height, { fill: onBest ? colours.select : colours.paper, stroke: onBest ? colours.ink : colours.ruleStrong, line: onBest ? 2 : 1 }),
    ...(node.finished ? [rect(x + width - 4, y, 4, height, { fill: colours.ink })] : []),
    text(x + size * 0.6, twoLines ? y + height * 0.32 : y + height / 2, shorten(label, chars), { fill: colours.ink, size, font: "mono", weight: onBest ? 700 : 400 }),
    ...(twoLines ? [text(x + size * 0.6, y + height * 0.72, number(node.score, 2), { fill: colours.inkSoft, size, font: "mono" })] : []),
    ...mark,
  ];
}

/** @param {{y: number, width: number, colours: import("../draw/palette.js").Palette, greedy: boolean}} options */
function legend({ y, width, colours, greedy }) {
  const size = colours.tick;
  const entries = [
    { draw: (/** @type {number} */ x) => [rect(x, y - size * 0.45, size * 1.2, size * 0.9, { fill: colours.select, stroke: colours.ink, line: 2 })], name: "best so far" },
    { draw: (/** @type {number} */ x) => [rect(x, y - size * 0.45, size * 1.2, size * 0.9, { stroke: colours.ruleStrong })], name: "kept" },
    { draw: (/** @type {number} */ x) => [rect(x, y - size * 0.45, size * 1.2, size * 0.9, { stroke: colours.ruleStrong }), rect(x + size * 1.2 - 4, y - size * 0.45, 4, size * 0.9, { fill: colours.ink })], name: "ended" },
    { draw: (/** @type {number} */ x) => [line(x, y, x + size * 1.2, y, { stroke: colours.ruleStrong, dash: [3, 5] })], name: "× dropped" },
    ...(greedy ? [{ draw: (/** @type {number} */ x) => [rect(x + size * 0.3, y - size * 0.3, size * 0.6, size * 0.6, { fill: colours.heads[5], stroke: colours.ink })], name: "greedy’s text" }] : []),
    { draw: () => [], name: "number: sum of ln p" },
  ];
  let x = 0;
  return entries.flatMap(({ draw, name }) => {
    const at = x;
    const marked = draw(at);
    const indent = marked.length ? size * 1.6 : 0;
    x += indent + monoWidth(name, size) * 0.9 + size * 1.4;
    return x > width + size ? [] : [...marked, text(at + indent, y, name, { fill: colours.inkSoft, size })];
  });
}

/** One sentence about a hypothesis. @param {Tree} tree @param {Entry} entry */
export function sayNode(tree, { node, stands, waits, rank }) {
  const words = lineage(tree, node.number).slice(1).map((number) => visible(tree.nodes[number].token.text)).join(" ");
  const fate = stands ? `kept, rank ${rank + 1}` : "dropped";
  const end = waits ? ", has ended" : node.finished ? ", ends here" : "";
  return `${words}: ${number(node.score)}, ${fate}${end}; this token ${share(Math.exp(node.log_probability))}`;
}

/** @param {Tree} tree @returns {import("../draw/table.js").Table} */
export const treeTable = (tree) => ({
  caption: "Every hypothesis considered; its score is the sum of the ln p of its tokens",
  head: ["step", "text so far", "score", "ln p of the last token", "kept", "ended"],
  rows: columns(tree).flatMap((column, step) =>
    column.map(({ node, stands }) => [
      String(step + 1),
      lineage(tree, node.number).slice(1).map((number) => tree.nodes[number].token.text).join(" "),
      node.score, node.log_probability, stands ? "kept" : "dropped", node.finished ? "ended" : "",
    ])),
});
