// The gallery of models: a tile for each, with its drawing and its numbers; and the choices in which they differ, as a table.

import { dot, group, move, rect, scene, text } from "../draw/scene.js";
import { count, fit } from "../draw/text.js";
import { drawing } from "./models-stacks.js";

/** @typedef {import("../draw/scene.js").Shape} Shape */
/** @typedef {import("../draw/palette.js").Palette} Palette */
/** @typedef {{id: string, name: string, family: string, config: any, parameters: number, bytes: number, quality: Record<string, any>, training: {minutes: number}}} Card */

/** 147 kB, 15.3 MB. @param {number} bytes */
export const size = (bytes) => (bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** A share as a percentage, any other number with three digits. @param {{value: number, how?: string, unit?: string}} measure */
export const measured = ({ value, how = "", unit = "" }) => (how.startsWith("share") ? `${(100 * value).toFixed(1)} %` : `${Number(value.toPrecision(3))} ${unit}`.trim());

/** What the card measured first: "token accuracy 74.8 %". @param {Card} card */
export function headline({ quality }) {
  const [name, measure] = Object.entries(quality).find(([, { value }]) => typeof value === "number") ?? [];
  return measure ? `${/** @type {string} */ (name).replaceAll("_", " ")} ${measured(measure)}` : "";
}

const GAP = 12;
const PAD = 10;

/** How tiles of at least `least` fill a width and a height: the columns for which the smaller side of a tile is longest. @param {number} n @param {number} width @param {number} height @param {{width: number, height: number}} least */
export function arrange(n, width, height, least) {
  const of = (/** @type {number} */ columns) => {
    const rows = Math.ceil(n / columns);
    const free = (height - GAP * (rows - 1)) / rows;
    const wide = (width - GAP * (columns - 1)) / columns;
    return { columns, rows, width: wide, height: Math.max(least.height, Math.min(free, wide)), fits: free >= least.height };
  };
  const most = Math.max(1, Math.min(n, Math.floor((width + GAP) / (least.width + GAP))));
  const all = Array.from({ length: most }, (_, i) => of(i + 1));
  const fitting = all.filter(({ fits }) => fits);
  if (!fitting.length) return all[most - 1];
  return fitting.reduce((best, one) => (Math.min(one.width, one.height) > Math.min(best.width, best.height) ? one : best));
}

/** The picture, and the height below which it cannot go. @param {{cards: Card[], current: string, href: (id: string) => string, colours: Palette, width: number, height: number}} asked */
export function gallery({ cards, current, href, colours, width, height }) {
  const unit = colours.tick;
  const signs = key(width, colours);
  const legend = signs.height + unit;
  const grid = arrange(cards.length, width, height - legend, { width: unit * 11.5, height: unit * 12 });
  const tiles = cards.map((card, i) => {
    const box = { x: (i % grid.columns) * (grid.width + GAP), y: Math.floor(i / grid.columns) * (grid.height + GAP), width: grid.width, height: grid.height };
    const said = `${card.name}, ${card.family}, ${count(card.parameters)} parameters, ${headline(card)}`;
    return group(tile(card, box, card.id === current, colours), { href: href(card.id), label: said, kind: card.id === current ? "current part" : "part" });
  });
  const below = grid.rows * (grid.height + GAP) - GAP;
  const least = Math.ceil(below + legend);
  return { scene: scene(width, Math.max(height, least), `${cards.length} models`, [...tiles, ...move(0, below + unit, signs.shapes)]), least };
}

/** @param {Card} card @param {{x: number, y: number, width: number, height: number}} box @param {boolean} current @param {Palette} colours @returns {Shape[]} */
function tile(card, { x, y, width, height }, current, colours) {
  const unit = colours.tick;
  const wide = width - 2 * PAD;
  const line = (/** @type {number} */ at, /** @type {string} */ content, /** @type {any} */ style = {}) => text(x + PAD, at, fit(content, wide, style.size ?? unit), { fill: colours.inkSoft, size: unit, ...style });
  const top = y + PAD + unit * 4.4;
  const bottom = y + height - PAD - unit * 3.1;
  return [
    { ...rect(x + 1, y + 1, width - 2, height - 2, { fill: colours.paper, stroke: current ? colours.ink : colours.rule, line: current ? 2 : 1 }), kind: "plate" },
    line(y + PAD + unit * 0.7, card.name, { fill: colours.ink, size: unit * 1.2, font: "serif" }),
    line(y + PAD + unit * 2.2, card.id, { fill: colours.ink, font: "mono" }),
    line(y + PAD + unit * 3.5, card.family),
    ...drawing(card.config, { x: x + PAD, y: top, width: wide, height: bottom - top }, colours),
    line(y + height - PAD - unit * 2.1, `${count(card.parameters)} parameters${wide < unit * 13 ? "" : `, ${size(card.bytes)}`}`),
    line(y + height - PAD - unit * 0.7, headline(card), { fill: colours.ink }),
  ];
}

/** What the colours and signs mean, in as many lines as they need. @param {number} width @param {Palette} colours */
function key(width, colours) {
  const unit = colours.tick;
  const swatch = (/** @type {string} */ fill) => rect(0, unit * 0.2, unit * 0.8, unit * 0.8, { fill });
  /** @type {[string, Shape][]} */
  const signs = [
    ["self-attention", swatch(colours.attention)], ["cross-attention", swatch(colours.cross)], ["feed-forward", swatch(colours.feedForward)],
    ["positions", dot(unit * 0.4, unit * 0.6, unit * 0.35, { fill: colours.position })],
    ["norm", rect(unit * 0.1, unit * 0.3, unit * 0.6, unit * 0.6, { fill: colours.paper, stroke: colours.stream })],
  ];
  let [x, y] = [1, 0];
  const shapes = signs.flatMap(([name, sign]) => {
    const wide = unit * (name.length * 0.52 + 2);
    if (x + wide > width) [x, y] = [1, y + unit * 1.6];
    const placed = move(x, y, [sign, text(unit * 1.2, unit * 0.6, name, { fill: colours.inkSoft, size: unit })]);
    x += wide + unit;
    return placed;
  });
  return { shapes, height: y + unit * 1.6 };
}

/** A column for each model, a row for each number and for each choice in which not all are alike. @param {Card[]} cards @returns {import("../draw/table.js").Table} */
export function comparison(cards) {
  const fields = [...new Set(cards.flatMap(({ config }) => Object.keys(config)))];
  const differing = fields.filter((name) => new Set(cards.map(({ config }) => config[name])).size > 1);
  const row = (/** @type {string} */ name, /** @type {(card: Card) => unknown} */ of) => [name, ...cards.map((card) => told(of(card)))];
  return {
    caption: "The numbers of each, and the choices in which they differ",
    head: ["", ...cards.map(({ id }) => id)],
    rows: [
      row("parameters", ({ parameters }) => parameters), row("file", ({ bytes }) => size(bytes)),
      row("trained for", ({ training }) => `${training.minutes} min`), row("measured", headline),
      ...differing.map((name) => row(name, ({ config }) => config[name])),
    ],
  };
}

/** A choice as text; one that the card does not know is empty. @param {unknown} value */
const told = (value) => (value === undefined ? "" : typeof value === "boolean" ? (value ? "yes" : "no") : String(value));
