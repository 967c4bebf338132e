// A painted mask comes back from its address, and what is drawn is what the answer says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EFFECTS, matrixOf } from "../../static/js/views/masks-effect.js";
import { LINES } from "../../static/js/views/masks-lines.js";
import { fold, grid, matrix, reachedLater } from "../../static/js/views/masks-matrix.js";
import { parseStrokes, withCell, writeStrokes } from "../../static/js/views/masks-strokes.js";
import { typeset } from "../../static/js/views/facts.js";
import { PALETTE as COMMON } from "./attention-example.js";
import { gives, holds, numbers, wording } from "./said.js";

const PALETTE = { ...COMMON, attention: "#1768a8", position: "#2e7f9c", embedding: "#5a6b86", feedForward: "#b94e12", error: "#9c2c13" };

const SIZE = { width: 460, height: 420 };
const labels = ["<s>", "</s>", "<b>"];
const allowed = [[1, 0, 0], [1, 1, 1], [0, 0, 0]];
const needed = [[0, null, null], [1, 0, 1], [null, null, 0]];
const texts = (scene) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);
const ofShape = (scene, shape) => scene.shapes.filter((one) => one.shape === shape);

test("every set of painted cells comes back from its address", () => {
  for (let bits = 0; bits < 512; bits += 1) {
    const cells = new Set([...Array(9).keys()].filter((i) => bits & (1 << i)).map((i) => `${Math.floor(i / 3)}.${i % 3}`));
    assert.deepEqual(parseStrokes(writeStrokes(cells)), cells);
  }
});

test("neighbours in a row are written as one span, and a cell named twice is not painted", () => {
  assert.equal(writeStrokes(new Set(["3.6", "2.5", "3.4", "3.5", "10.0"])), "2.5,3.4-6,10.0");
  assert.deepEqual(parseStrokes("2.5,3.4-6,3.5"), new Set(["2.5", "3.4", "3.6"]));
  assert.deepEqual([parseStrokes(""), parseStrokes("none")], [new Set(), new Set()]);
  assert.equal(writeStrokes(new Set()), "none");
});

test("a stroke changes one cell and leaves the strokes before it as they were", () => {
  const before = new Set(["0.1"]);
  assert.deepEqual(withCell(before, "2.2", true), new Set(["0.1", "2.2"]));
  assert.deepEqual(withCell(before, "0.1", false), new Set());
  assert.deepEqual(before, new Set(["0.1"]));
});

/** The words on the matrix where its last query sees nothing, and not where it sees something. */
const [blind, seeing] = [[0, 0, 0], [0, 0, 1]].map((last) => {
  const rows = [...allowed.slice(0, 2), last];
  const mask = { allowed: rows, needed, layers: 3, labels, turned: new Set() };
  return texts(matrix(mask, SIZE, PALETTE).scene).filter((content) => /\p{L}/u.test(content));
});
const nothing = blind.filter((content) => !seeing.includes(content));

test("hidden cells are hatched, and a blind row is said", () => {
  const picture = matrix({ allowed, needed, layers: 3, labels, turned: new Set() }, SIZE, PALETTE);
  assert.equal(ofShape(picture.scene, "hatch").length, 5);
  assert.equal(nothing.length, 1);
  const { y } = picture.scene.shapes.find(({ content }) => content === nothing[0]);
  assert.equal(picture.at(SIZE.width / 2, y).row, 2);
  for (const label of labels) assert.equal(texts(picture.scene).filter((text) => text === label).length, 2);
});

test("a hidden cell carries the number of layers in which it is reached, if there are so many", () => {
  const deep = [[0, 3, null], [1, 0, 1], [null, null, 0]];
  const discs = (layers) => texts(matrix({ allowed, needed: deep, layers, labels, turned: new Set() }, SIZE, PALETTE).scene).filter((text) => text === "3" || text === "0");
  assert.deepEqual(discs(2), ["0"]);
  assert.deepEqual(discs(3), ["3", "0"]);
  assert.deepEqual([reachedLater(allowed, deep, 2), reachedLater(allowed, deep, 3)], [1, 2]);
});

test("pointing at the middle of a cell finds the cell", () => {
  const picture = matrix({ allowed, needed, layers: 1, labels, turned: new Set(["1.2"]) }, SIZE, PALETTE);
  for (let row = 0; row < 3; row += 1) {
    for (let column = 0; column < 3; column += 1) {
      const { x, y, width, height } = picture.box(row, column);
      assert.deepEqual(picture.at(x + width / 2, y + height / 2), { row, column });
    }
  }
  assert.equal(picture.at(1, 1), null);
});

const tensor = (axes, data) => ({ axes, shape: axes.map(() => 3), formula: "", data });
const answer = {
  columns: 3, layers: 1, stack: "decoder", unit: "logits", loss: { trained: 1, chosen: 2 }, axes: { predicted: { labels } },
  tensors: {
    allowed: tensor(["query", "key"], allowed),
    layers_needed: tensor(["query", "key"], needed),
    leak: tensor(["query", "key"], [[2, 0, 0], [1, 4, 0.5], [0, 0, 3]]),
    "decoder.1.attention.pattern": tensor(["head", "query", "key"], [[[1, 0, 0], [0.25, 0.5, 0.25], [0, 0, 0]]]),
    row_sum: tensor(["order", "head", "query"], [[[1, 1, 0]], [[0.4, 1, 0]]]),
    loss: tensor(["mask", "predicted"], [[0.5, 1, 1.5], [1, 2, 3]]),
  },
};
const asked = { answer, labels, head: 0, layer: 1, sequence: 0, query: 1, size: SIZE, colours: PALETTE };

test("an exact zero is hatched and printed as 0, a small change is a number", () => {
  const { picture, table, say } = EFFECTS.leak(asked);
  assert.equal(ofShape(picture.scene, "hatch").length, 4);
  assert.equal(texts(picture.scene).filter((text) => text === "0" ).length, 4 + 1); // and the scale's end
  assert.equal(table.rows[0][2], 0);
  holds(say({ row: 0, column: 1 }), "<s>", "</s>", "0");
  holds(say({ row: 1, column: 2 }), "</s>", "<b>", "0.500 logits");
});

test("weights are drawn from 0 to 1, hidden cells hatched, rows summed", () => {
  const { picture, say } = EFFECTS.weights(asked);
  assert.equal(ofShape(picture.scene, "hatch").length, 5);
  assert.deepEqual(texts(picture.scene).filter((text) => /^\d\.00$/.test(text)), ["1.00", "1.00", "0.00"]);
  const [open, hidden] = [0, 1].map((column) => say({ row: 0, column }));
  holds(hidden, "<s>", "</s>");
  assert.deepEqual([numbers(open), numbers(hidden)], [["1"], []]);
  assert.notEqual(wording(hidden, ...labels), wording(open, ...labels));
});

test("each effect has a table with the answer's own numbers and a sentence for every cell", () => {
  for (const [name, effect] of Object.entries({ ...EFFECTS, ...LINES })) {
    const shown = effect(asked);
    assert.ok(answer.tensors[shown.tensor], name);
    assert.equal(shown.table.rows[0].length, shown.table.head.length, name);
    for (let row = 0; row < shown.rows; row += 1) for (let column = 0; column < shown.columns; column += 1) assert.ok(shown.say({ row, column }).includes(shown.rows > 1 ? labels[row] : labels[column]), name);
  }
});

test("a row of the matrix is folded into the rows of the grid", () => {
  assert.deepEqual(fold([0, 1, 2, 3, 4, 5], 3), [[0, 1, 2], [3, 4, 5]]);
  assert.deepEqual(fold([0, 1], 1), [[0], [1]]);
});

test("on the grid the query's keys are open, the rest hatched, what is reached later numbered, and the query framed", () => {
  const picture = grid({ allowed: [1, 0, 0, 1, 1, 0], needed: [1, 2, null, 1, 0, null], layers: 2, columns: 3, query: 4 }, SIZE, PALETTE);
  assert.equal(ofShape(picture.scene, "hatch").length, 3);
  assert.deepEqual(ofShape(picture.scene, "dot").length, 1);
  holds(picture.scene.label, "2", "3", "4", "3", "1");
  const { x, y } = picture.box(1, 1);
  assert.deepEqual(ofShape(picture.scene, "rect").filter(({ line, stroke }) => line === 3 && stroke === PALETTE.query).map((frame) => [frame.x, frame.y]), [[x, y]]);
  assert.ok(!texts(picture.scene).includes(nothing[0]));
});

test("each position of the grid says what it sees as a query, and how much more layers bring", () => {
  const seen = Array.from({ length: 4 }, (_, q) => Array.from({ length: 4 }, (_, k) => Number(k === q || k === q - 2)));
  const way = [[0, null, null, null], [null, 0, null, null], [1, null, 0, null], [2, 1, 1, 0]];
  const square = { ...answer, columns: 2, layers: 2, tensors: { allowed: tensor(["query", "key"], seen), layers_needed: tensor(["query", "key"], way) } };
  const shown = EFFECTS.grid({ ...asked, answer: square, labels: ["a", "b", "c", "d"], query: 3 });
  holds(shown.say({ row: 1, column: 1 }), "d", "2", "4");
  gives(shown.say({ row: 1, column: 1 }), { row: "1", column: "1" });
  assert.deepEqual(shown.table.rows, [["0", 2, 1], ["1", 1, 0]]);
  assert.deepEqual([shown.rows, shown.columns], [2, 2]);
});

test("of a batch one sequence is shown", () => {
  const batch = { tensors: { allowed: tensor(["sequence", "query", "key"], [allowed, [[1]]]) } };
  assert.deepEqual(matrixOf(batch, "allowed", 1), [[1]]);
  assert.deepEqual(matrixOf(answer, "allowed", 1), allowed);
});

test("laws are set as in print", () => assert.equal(typeset("n w - w (w - 1) / 2 = 12 x 3 - 3 x 2 / 2 = 33"), "n w − w (w − 1) / 2 = 12 × 3 − 3 × 2 / 2 = 33"));
