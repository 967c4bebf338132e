// One model as a small drawing of its configuration: stacks, blocks, sub-layers, where norms stand and where positions are told.

import { dot, line, path, rect } from "../draw/scene.js";

/** @typedef {import("../draw/scene.js").Shape} Shape */
/** @typedef {import("../draw/palette.js").Palette} Palette */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {"attention" | "cross" | "feedForward"} SubLayer as its colour is called */

/** The stacks of a configuration from the first to the last, each a list of blocks. @param {any} config @returns {SubLayer[][][]} */
export function stacks({ n_encoder_layers, n_decoder_layers, d_ff }) {
  const last = /** @type {SubLayer[]} */ (d_ff ? ["feedForward"] : []);
  const block = (/** @type {SubLayer[]} */ first, /** @type {number} */ layers) => Array.from({ length: layers }, () => [...first, ...last]);
  const both = n_encoder_layers && n_decoder_layers;
  return [block(["attention"], n_encoder_layers), block(both ? ["attention", "cross"] : ["attention"], n_decoder_layers)].filter((blocks) => blocks.length);
}

/** Where the norm of a sub-layer stands, in cells: behind it on the stream, before it or after it on its branch. @type {Record<string, {along: number, on: "stream" | "branch"}>} */
const NORMS = { post: { along: 1, on: "stream" }, admin: { along: 1, on: "stream" }, b2t: { along: 1, on: "stream" }, pre: { along: 0.25, on: "branch" }, branch: { along: 0.75, on: "branch" } };

const ENTER = 1.2; // cells before the first block
const BETWEEN = 0.35; // cells between blocks
const LARGEST = 44;

/** @param {any} config @param {Box} box @param {Palette} colours @returns {Shape[]} */
export function drawing(config, { x, y, width, height }, colours) {
  const all = stacks(config);
  const cells = (/** @type {SubLayer[][]} */ blocks) => ENTER + blocks.flat().length + BETWEEN * (blocks.length - 1) + 0.8;
  const cell = Math.min(LARGEST, width / Math.max(...all.map(cells)), height / all.length / 1.9);
  const row = Math.min(height / all.length, cell * 2.6);
  const top = y + (height - row * all.length) / 2;
  const shapes = /** @type {Shape[]} */ ([]);
  /** @type {[number, number] | null} */ let memory = null;
  for (const [i, blocks] of all.entries()) {
    const stream = top + row * (i + 1) - cell * 0.5;
    const end = x + cells(blocks) * cell;
    const places = blocks.flatMap((block, b) => block.map((kind, k) => ({ kind, x: x + cell * (ENTER + blocks.slice(0, b).flat().length + k + BETWEEN * b) })));
    shapes.push(line(x, stream, end, stream, { stroke: colours.stream, line: 2 }));
    if (config.positions !== "none") shapes.push(dot(x + cell * 0.5, stream, cell * 0.2, { fill: colours.position }));
    for (const place of places) shapes.push(...sublayer(place, stream, cell, config, colours));
    if (config.placement === "pre") shapes.push(norm(end - cell * 0.4, stream, cell, colours));
    if (memory) shapes.push(...remembered(memory, places.filter(({ kind }) => kind === "cross"), stream, cell, colours));
    memory = [end, stream];
  }
  return shapes;
}

/** @param {{kind: SubLayer, x: number}} place @param {number} stream @param {number} cell @param {any} config @param {Palette} colours @returns {Shape[]} */
function sublayer({ kind, x }, stream, cell, { placement, relative, n_heads }, colours) {
  const [left, side, bottom] = [x + cell * 0.1, cell * 0.8, stream - cell * 0.42];
  const heads = kind === "feedForward" || side / n_heads < 3 ? [] : Array.from({ length: n_heads - 1 }, (_, h) => left + (side * (h + 1)) / n_heads);
  const told = kind === "attention" && relative && relative !== "none";
  const { along, on } = NORMS[placement] ?? {};
  return [
    line(x + cell * 0.25, stream, x + cell * 0.25, bottom, { stroke: colours[kind] }),
    line(x + cell * 0.75, stream, x + cell * 0.75, bottom, { stroke: colours[kind] }),
    rect(left, bottom - side, side, side, { fill: colours[kind] }),
    ...heads.map((at) => line(at, bottom - side, at, bottom, { stroke: colours.paper })),
    ...(told ? [dot(x + cell / 2, bottom - side / 2, cell * 0.2, { fill: colours.position, stroke: colours.paper })] : []),
    ...(on ? [norm(x + cell * along, on === "stream" ? stream : (stream + bottom) / 2, cell, colours)] : []),
  ];
}

/** @param {number} x @param {number} y @param {number} cell @param {Palette} colours */
const norm = (x, y, cell, colours) => rect(x - cell * 0.13, y - cell * 0.13, cell * 0.26, cell * 0.26, { fill: colours.paper, stroke: colours.stream });

/** What the encoder wrote goes to every cross-attention. @param {[number, number]} from @param {{x: number}[]} places @param {number} stream @param {number} cell @param {Palette} colours @returns {Shape[]} */
function remembered([x, y], places, stream, cell, colours) {
  const style = { stroke: colours.cross, line: 1 };
  const level = y + cell * 0.3;
  const ends = places.map((place) => place.x + cell / 2);
  return [path([[x, y], [x, level], [Math.min(x, ...ends), level]], style), path([[x, level], [Math.max(x, ...ends), level]], style), ...ends.map((at) => line(at, level, at, stream - cell * 1.22, style))];
}
