// Circuits: every cell says its path and its number, the scale has no colour at random pairs, and the letters are those that were read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rgb } from "../../static/js/draw/colours.js";
import { chosen, context, logit, pairs, score, total } from "../../static/js/views/circuits-theory-figures.js";
import { PALETTE as COMMON } from "./attention-example.js";
import { gives, has, holds, inOrder } from "./said.js";

const colours = { ...COMMON };
const space = { width: 600, height: 480, colours, state: { position: "1", composition: "k" } };
const answer = {
  expected: 0.125, letters: "·abcdefghabcdefgha",
  axes: {
    way_1: { labels: ["past", "1.0", "1.1"] }, way_2: { labels: ["past", "2.0", "2.1"] }, query: { labels: ["past", "1.0", "1.1"] }, key: { labels: ["past", "1.0", "1.1"] },
    first: { labels: ["1.0", "1.1"] }, second: { labels: ["2.0", "2.1"] }, composition: { labels: ["q", "k", "v"] },
  },
  tensors: {
    logit_paths: { axes: ["position", "way_2", "way_1"], data: [[[0, 0, 0], [1, 0, 0], [0, 0, 0]], [[0, 0.25, 0], [7.5, 0, 0.125], [0, -0.5, 0]]] },
    score_paths: { axes: ["position", "query", "key"], data: [[[0, 1, 0], [0, 0, 0], [0, 0, 0]], [[0.5, 14, 0], [0, 0, -1], [0, 0, 0]]] },
    composition: { axes: ["composition", "second", "first"], data: [[[0, 0.125], [0.125, 0.125]], [[0.25, 0.13], [0.12, 0.125]], [[0, 0.125], [0.125, 0.125]]] },
    baseline: { axes: ["composition", "statistic"], data: [[0.125, 0.007], [0.124, 0.006], [0.126, 0.008]] },
  },
};
const centre = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
const words = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);

test("every cell is found where it was drawn, at any width", () => {
  for (const draw of [logit, score, pairs]) for (const width of [328, 600]) {
    const { box, at, rows, columns, say } = draw(answer, { ...space, width });
    for (let row = 0; row < rows; row += 1) for (let column = 0; column < columns; column += 1) {
      assert.deepEqual(at(...centre(box(row, column))), { row, column }, draw.name);
      assert.ok(say({ row, column }).length > 10);
    }
  }
});

test("a cell says its path, its number and the sum it is a part of", () => {
  const { say } = logit(answer, space);
  holds(say({ row: 1, column: 0 }), "2.0");
  inOrder(say({ row: 1, column: 0 }), "7.500", "7.38");
  inOrder(say({ row: 2, column: 1 }), "1.0", "2.1");
  inOrder(say({ row: 2, column: 1 }), "−0.500", "7.38");
  const past = say({ row: 0, column: 0 });
  inOrder(past, "0", "7.38");
  for (const head of ["1.0", "1.1", "2.0", "2.1"]) assert.ok(!has(past, head), past);
  const byScore = score(answer, space).say;
  inOrder(byScore({ row: 0, column: 1 }), "14.000", "13.50");
  gives(byScore({ row: 0, column: 1 }), { key: "1.0" });
  gives(byScore({ row: 1, column: 0 }), { query: "1.0" });
});

test("the position chosen is the one drawn, and its letters are named", () => {
  assert.equal(logit(answer, { ...space, state: { position: "0" } }).table.rows[1][1], 1);
  assert.deepEqual(context(answer, 0), { read: "ha", next: "b" });
  assert.deepEqual(context(answer, 7), { read: "gh", next: "a" });
  assert.equal(total(answer.tensors.logit_paths.data[1]), 7.375);
});

test("a pair says its composition beside that of random pairs, by queries, keys or values", () => {
  const said = pairs(answer, space).say({ row: 0, column: 0 });
  inOrder(said, "2.0", "1.0");
  inOrder(said, "0.124", "0.006");
  holds(said, "0.250", chosen(answer, space.state).by);
  assert.deepEqual(pairs(answer, { ...space, state: { composition: "q" } }).table.rows[0], ["2.0", 0, 0.125]);
  const by = ["q", "k", "v"].map((composition) => chosen(answer, { composition }).by);
  assert.equal(new Set(by.filter(Boolean)).size, 3);
  inOrder(pairs(answer, space).scene.label, "0.124", "0.006");
});

test("what random pairs have is the middle of the scale; zero and twice that lie as far from it", () => {
  const cell = (composition, i) => [...pairs(answer, { ...space, state: { composition } }).scene.shapes.find(({ shape }) => shape === "cells").pixels.slice(4 * i, 4 * i + 3)];
  const [low, middle, high] = [colours.signed[0], colours.signed[(colours.signed.length - 1) / 2], colours.signed[colours.signed.length - 1]].map(rgb);
  const near = (a, b) => assert.ok(Math.max(...a.map((value, i) => Math.abs(value - b[i]))) <= 8, `${a} is not ${b}`);
  near(cell("q", 1), middle);
  near(cell("q", 0), low);
  near(cell("k", 0), high);
});

test("numbers stand in the cells", () => {
  assert.ok(words(pairs(answer, space)).includes("0.25"));
  assert.ok(words(logit(answer, space)).includes("7.50"));
});
