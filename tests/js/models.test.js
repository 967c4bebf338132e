// The gallery of models: every model a tile and a link, its stacks as its configuration says, and a table of what differs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange, comparison, gallery, headline, measured, size } from "../../static/js/views/models-gallery.js";
import { drawing, stacks } from "../../static/js/views/models-stacks.js";
import { has, holds } from "./said.js";

const CONFIG = { n_encoder_layers: 3, n_decoder_layers: 3, d_ff: 576, n_heads: 4, placement: "post", positions: "sinusoidal", relative: "none", d_model: 192 };
const ALONE = { ...CONFIG, n_encoder_layers: 0, n_decoder_layers: 2, d_ff: 0, placement: "none", positions: "none", relative: "rope", d_model: 64 };
const card = (id, config) => ({ id, name: `The ${id}`, family: "decoder-only", config, parameters: 36736, bytes: 148200, quality: { note: { how: "x" }, repeat_accuracy: { value: 0.9918, how: "share of letters" } }, training: { minutes: 3.2 } });
const colours = { tick: 13, attention: "a", cross: "c", feedForward: "f", position: "p", stream: "s", paper: "w", ink: "i", inkSoft: "j", rule: "r" };
const flat = (shapes) => shapes.flatMap((shape) => [shape, ...flat(shape.shapes ?? [])]);
const fills = (config, fill) => drawing(config, { x: 0, y: 0, width: 300, height: 160 }, colours).filter((shape) => shape.fill === fill);

test("the sub-layers drawn are those of the configuration", () => {
  assert.deepEqual(stacks(CONFIG).map((blocks) => blocks.map((block) => block.join(" "))), [Array(3).fill("attention feedForward"), Array(3).fill("attention cross feedForward")]);
  assert.deepEqual(stacks(ALONE), [[["attention"], ["attention"]]]);
  assert.deepEqual(["a", "c", "f"].map((fill) => fills(CONFIG, fill).length), [6, 3, 6]);
  assert.deepEqual(["a", "c", "f"].map((fill) => fills(ALONE, fill).length), [2, 0, 0]);
});

test("a norm is drawn for every sub-layer that has one, and one more at the end of a Pre-LN stack", () => {
  for (const [placement, norms] of [["post", 15], ["pre", 17], ["none", 0]]) assert.equal(fills({ ...CONFIG, placement }, "w").length, norms, placement);
});

test("positions are drawn where they are told: on the stream, or in every self-attention", () => {
  assert.equal(fills(CONFIG, "p").length, 2);
  assert.equal(fills(ALONE, "p").length, 2);
  assert.equal(fills({ ...ALONE, relative: "none" }, "p").length, 0);
});

test("a drawing stays in its box", () => {
  for (const config of [CONFIG, ALONE, { ...CONFIG, n_encoder_layers: 12, n_decoder_layers: 12 }]) {
    for (const shape of drawing(config, { x: 10, y: 20, width: 140, height: 60 }, colours)) {
      const [xs, ys] = shape.points ? [0, 1].map((i) => shape.points.map((point) => point[i])) : [[shape.x, shape.x + (shape.width ?? 0)], [shape.y, shape.y + (shape.height ?? 0)]];
      assert.ok(Math.min(...xs) >= 10 && Math.max(...xs) <= 150 && Math.min(...ys) >= 20 && Math.max(...ys) <= 80, JSON.stringify(shape));
    }
  }
});

for (const [width, height, n] of [[952, 528, 3], [952, 528, 13], [328, 500, 3], [328, 500, 13], [952, 540, 1]]) {
  test(`${n} tiles on ${width} x ${height} lie beside each other, each a link that says what it is`, () => {
    const cards = Array.from({ length: n }, (_, i) => card(`m${i}`, i ? ALONE : CONFIG));
    const { scene, least } = gallery({ cards, current: "m0", href: (id) => `/models?model=${id}`, colours, width, height });
    const tiles = scene.shapes.filter(({ href }) => href);
    assert.deepEqual(tiles.map(({ href }) => href), cards.map(({ id }) => `/models?model=${id}`));
    const plates = tiles.map(({ shapes }) => shapes.find(({ kind }) => kind === "plate"));
    for (const [i, a] of plates.entries()) {
      assert.ok(a.x >= 0 && a.x + a.width <= width && a.y + a.height <= scene.height);
      for (const b of plates.slice(i + 1)) assert.ok(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y);
    }
    assert.ok(tiles.every(({ label }) => has(label, "36\u202f736", "99.2 %")));
    assert.ok(width < 900 || least <= height, "a laptop shows all without scrolling");
    assert.equal(flat(scene.shapes).filter(({ stroke, kind }) => kind === "plate" && stroke === "i").length, 1);
  });
}

test("tiles take the room there is", () => {
  assert.equal(arrange(3, 952, 540, { width: 150, height: 170 }).columns, 3);
  assert.equal(arrange(13, 952, 540, { width: 150, height: 170 }).columns, 5);
  assert.equal(arrange(13, 328, 540, { width: 150, height: 170 }).columns, 2);
});

test("numbers are told as they were measured", () => {
  assert.deepEqual([size(148200), size(15263232)], ["148 kB", "15.3 MB"]);
  assert.equal(measured({ value: 0.086762, how: "-ln p", unit: "nats a letter" }), "0.0868 nats a letter");
  holds(headline(card("x", ALONE)), "99.2 %");
  assert.equal(headline({ ...card("x", ALONE), quality: {} }), "");
});

test("the table holds the choices in which models differ, and no others", () => {
  const { head, rows } = comparison([card("a", CONFIG), card("b", { ...ALONE, younger: true })]);
  assert.deepEqual(head, ["", "a", "b"]);
  const named = Object.fromEntries(rows.map(([name, ...values]) => [name, values]));
  assert.deepEqual(named.placement, ["post", "none"]);
  assert.deepEqual(named.d_ff, ["576", "0"]);
  assert.deepEqual(named.younger.map(Boolean), [false, true]);
  assert.ok(Object.values(named).some((values) => values.join() === "3.2 min,3.2 min"));
  assert.equal("n_heads" in named, false);
});
