// What the attention page draws is what the answer says: no number moved, lost or made up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { probability } from "../../static/js/draw/colours.js";
import * as tokenLines from "../../static/js/views/attention-lines.js";
import { bestHead, edges, groups, headRow, heaviest, maps, mask, question, resolve, rowSum, withHead } from "../../static/js/views/attention-maps.js";
import { arrange, mosaic, tileAt } from "../../static/js/views/attention-mosaic.js";
import { example, PALETTE } from "./attention-example.js";

const answer = example();
const tokens = { queries: answer.axes.target.labels, keys: answer.axes.source.labels, expected: answer.expected };
const cross = maps(answer).at(-1);

test("maps come encoder first, self before cross, layer by layer", () => {
  const names = maps(answer).map((map) => map.name);
  assert.deepEqual(names, ["encoder.0.attention", "encoder.1.attention", "decoder.0.attention", "decoder.1.attention", "decoder.0.cross_attention", "decoder.1.cross_attention"]);
});

test("the heaviest keys are as few as possible and hold the threshold", () => {
  for (const map of maps(answer)) {
    for (const row of map.heads.flat()) {
      for (const threshold of [0.1, 0.5, 0.7, 0.95, 1]) {
        const kept = heaviest(row, threshold);
        const mass = kept.reduce((sum, key) => sum + row[key], 0);
        assert.ok(mass >= threshold - 1e-12);
        assert.ok(mass - row[kept.at(-1)] < threshold);
        const left = row.filter((_, key) => !kept.includes(key));
        assert.ok(left.every((value) => value <= row[kept.at(-1)]));
      }
    }
  }
});

test("a query that may look nowhere has no lines and a row sum of 0", () => {
  assert.deepEqual(heaviest([0, 0, 0], 0.7), []);
  assert.equal(rowSum([null, null]), 0);
});

test("the page opens on the head that the card measured to do best, else on the last layer's first", () => {
  assert.deepEqual(bestHead({ alignment: { by_head: { "0.1": 0.8, "1.0": 0.4, "1.mean": 0.85 } } }, 2), { layer: 0, head: 1 });
  assert.deepEqual(bestHead({ induction: { by_layer: { 0: [0.1, 0.1], 1: [0.7, 0.8] } } }, 2), { layer: 1, head: 1 });
  assert.deepEqual(bestHead(undefined, 2), { layer: 1, head: 0 });
});

test("the mosaic has a tile for every head, none over another, each under its own point", () => {
  for (const [width, height] of [[1240, 520], [240, 560], [328, 520]]) {
    const layout = arrange(groups(answer), width, height, 13);
    assert.equal(layout.tiles.length, 12);
    for (const tile of layout.tiles) {
      assert.equal(tileAt(layout, tile.x + tile.width / 2, tile.y + tile.height / 2), tile);
      assert.ok(tile.x >= 0 && tile.x + tile.width <= width + 0.01 && tile.y + tile.height <= height + 0.01);
    }
    const boxes = layout.tiles.map((t) => `${Math.round(t.x)} ${Math.round(t.y)}`);
    assert.equal(new Set(boxes).size, 12);
  }
});

test("a tall box stacks the kinds of attention, a wide one sets them side by side", () => {
  const rowsOf = (layout) => new Set(layout.tiles.map((tile) => Math.round(tile.y))).size;
  assert.equal(rowsOf(arrange(groups(answer), 240, 600, 13)), 6);
  assert.equal(rowsOf(arrange(groups(answer), 1240, 400, 13)), 2);
});

test("lines join exactly the keys that hold the threshold, and the bars are the chosen query's row", () => {
  const layout = tokenLines.arrange({ queries: tokens.queries, keys: tokens.keys, heads: 2 }, 460, 420, 13);
  const of = { heads: cross.heads, head: 1, row: cross.heads[1][2], stage: "pattern", query: 2, key: null, threshold: 0.7 };
  const drawn = tokenLines.lines(of, layout, { width: 460, palette: PALETTE });
  const expected = cross.heads[1].reduce((sum, row) => sum + heaviest(row, 0.7).length, 0);
  assert.equal(drawn.shapes.filter((shape) => shape.shape === "link").length, expected);
  const bars = drawn.shapes.filter((shape) => shape.shape === "rect" && Math.abs(shape.x - layout.bars) < 1e-9);
  bars.forEach((bar, key) => assert.ok(Math.abs(bar.width / layout.barWidth - cross.heads[1][2][key]) < 1e-12));
  assert.equal(bars.length, 5);
});

test("a point on the lines is a query on the left and a key on the right", () => {
  const layout = tokenLines.arrange({ queries: tokens.queries, keys: tokens.keys, heads: 2 }, 460, 420, 13);
  const y = layout.top + 3.5 * layout.row;
  assert.deepEqual(tokenLines.tokenAt(layout, 5, y), { side: "query", index: 3 });
  assert.deepEqual(tokenLines.tokenAt(layout, layout.to + 5, y), { side: "key", index: 3 });
  assert.equal(tokenLines.tokenAt(layout, 5, layout.top + 4.5 * layout.row), null);
});

test("the mask of a map belongs to its kind of attention", () => {
  const self = maps(answer).find((map) => map.name === "decoder.1.attention");
  assert.deepEqual(mask(answer, self)[0], [1, 0, 0, 0]);
});

test("an opened head comes with all its digits among heads that have two, and is asked for alone", () => {
  const whole = example();
  const state = { kind: "cross", stack: "decoder", layer: "1", head: "1" };
  const name = "decoder.1.cross_attention.pattern";
  const round = (values) => (Array.isArray(values) ? values.map(round) : Math.round(values * 100) / 100);
  const rounded = { ...whole, tensors: { ...whole.tensors, [name]: { ...whole.tensors[name], data: round(whole.tensors[name].data) } } };
  const chosen = resolve(rounded, state);
  const { head, layer, stage } = question(state, chosen);
  assert.deepEqual([head, layer, stage], [1, 1, "pattern"]);
  const opened = { tensors: { [name]: { ...whole.tensors[name], data: [whole.tensors[name].data[1]] } } };
  assert.deepEqual(withHead(rounded, opened, chosen).tensors[name].data, [round(whole.tensors[name].data[0]), whole.tensors[name].data[1]]);
  assert.deepEqual(rounded.tensors[name].data[1], round(whole.tensors[name].data[1]), "the answer about all heads stays as it came");
});

test("a head without a distance says why, each kind of keys in its own way", () => {
  const answer = example();
  const about = (keys) => headRow({ ...answer, axes: { ...answer.axes, keys } }, { name: "decoder.0.cross_attention", layer: 0, key: "keys" }, 0).distance;
  const kinds = [
    { kind: "position" }, { kind: "patch" }, { kind: "slot" }, { kind: "column" }, { kind: "row" },
    { kind: "slot", parts: { memory: 2, text: 3, slot: 4 } },
  ];
  const reasons = kinds.map(about);
  for (const reason of reasons) assert.match(reason, /\p{L}/u);
  assert.equal(new Set(reasons).size, kinds.length);
  assert.equal(headRow(answer, { name: "decoder.0.attention", layer: 0, key: "target" }, 1).distance, 2);
});
