// Modes: a square says what its model's mask and pattern say, hatches what is hidden, and ends each row with what is said there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tokens } from "../../static/js/views/attention-maps.js";
import { drawn, sayCell, square, summary, table } from "../../static/js/views/modes-figures.js";
import { gives, has, holds, inOrder, numbers, wording } from "./said.js";

const colours = { tick: 13, ink: "#000", inkSoft: "#333", rule: "#ccc", hatch: "#777", attention: "#1768a8", cividis: ["#00224e", "#fee838"] };
const space = { show: "map", width: 300, height: 300, colours };
const MASK = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]];
const PATTERN = [[0.5, 0.5, null, null], [0.25, 0.75, null, null], [0.1, 0.2, 0.7, null], [0.25, 0.25, 0.25, 0.25]];
const visible = { name: "visible", value: 11, law: "n^2 + m n + m (m + 1) / 2 = 11", holds: true, unit: "cells" };
const prefix = { mode: "prefix", model: "small", kind: "trained", why: null, layer: 1, head: 2, layers: 3, heads: 4, target_from: 2, visible, top_tokens: [["je", "j'"], ["</s>", "."]], expected: ["je", "</s>"], says: "je", sees: "…" };
const none = { ...prefix, model: null, kind: "analytic", why: "No model that is prefix is shipped yet.", layer: null, head: null, layers: null, heads: null, top_tokens: [], says: null };
const answer = {
  axes: { "prefix.read": { labels: ["i", "am", "<s>", "je"] }, rank: { size: 2 } },
  tensors: { "prefix.mask": { data: MASK }, "prefix.pattern": { data: PATTERN }, "prefix.top_probability": { data: [[0.75, 0.125], [1, 0]] } },
};
const bare = { axes: answer.axes, tensors: { "prefix.mask": { data: MASK } } };
const shapes = (picture, shape) => picture.scene.shapes.filter((one) => one.shape === shape);
const words = (picture) => shapes(picture, "text").map(({ content }) => content);

test("only rows that are asked say something, with its probability", () => {
  assert.deepEqual(square(answer, prefix).said.map((row) => row?.[0]?.token ?? null), [null, null, "je", "</s>"]);
  const told = words(drawn(answer, prefix, space));
  assert.deepEqual(told.slice(told.indexOf("→") - 1), ["<s>", "→", "je .75", "j' .13", "je", "→", "</s> 1", ". 0"]);
});

test("what the mask hides is hatched, in the map and in the mask", () => {
  for (const show of ["map", "mask"]) assert.equal(shapes(drawn(answer, prefix, { ...space, show }), "hatch").length, 5);
});

test("a line parts source from target, down and across, and there is none where there is one text", () => {
  assert.equal(shapes(drawn(answer, prefix, space), "path").length, 2);
  assert.equal(shapes(drawn(answer, { ...prefix, target_from: null }, space), "path").length, 0);
});

test("every cell is found where its box is, and nothing beside them", () => {
  const picture = drawn(answer, prefix, space);
  for (let row = 0; row < 4; row += 1) {
    for (let column = 0; column < 4; column += 1) {
      const { x, y, width, height } = picture.box(row, column);
      assert.deepEqual(picture.at(x + width / 2, y + height / 2), { row, column });
    }
  }
  assert.equal(picture.at(299, picture.box(2, 0).y + 1), null);
  assert.equal(picture.at(1, 1), null);
});

test("a cell says its weight and what its row says; a hidden one that it is hidden", () => {
  const said = sayCell(answer, prefix, { row: 3, column: 1 });
  inOrder(said, "je", "am");
  holds(said, ".250", "0");
  gives(said, { "</s>": "1" });
  const hidden = sayCell(answer, prefix, { row: 0, column: 3 });
  const open = sayCell(bare, none, { row: 0, column: 1 });
  inOrder(hidden, "i", "je");
  inOrder(open, "i", "am");
  assert.deepEqual([numbers(hidden), numbers(open)], [[], []]);
  assert.notEqual(wording(hidden, "i", "je"), wording(open, "i", "am"));
});

test("without a model there is a mask, its reason, and no number that nobody computed", () => {
  const picture = drawn(bare, none, space);
  assert.ok(!words(picture).some((word) => word.startsWith("→")));
  holds(summary(none, 4), none.why);
  inOrder(summary(none, 4), "11", "16");
  assert.deepEqual(table(bare, none).rows[0], ["i", 1, 1, 0, 0, "", ""]);
});

test("under a mode stands whose numbers they are and what is said", () => {
  holds(summary(prefix, 4), "small", "je");
  gives(summary(prefix, 4), { layer: "1", head: "2" });
  inOrder(summary(prefix, 4), "11", "16");
  assert.deepEqual(table(answer, prefix).rows[2], ["<s>", 0.1, 0.2, 0.7, null, "je", ".750"]);
  const { head } = table(answer, prefix);
  assert.deepEqual([head.length, head.slice(1, 5)], [7, ["i", "am", "<s>", "je"]]);
});

test("many tokens are named every so often, and one picture holds none at all", () => {
  const many = Array.from({ length: 60 }, (_, i) => `t${i}`);
  const long = { axes: { "prefix.read": { labels: many } }, tensors: { "prefix.mask": { data: many.map(() => many.map(() => 1)) } } };
  const named = words(drawn(long, none, space));
  assert.ok(named.length > 8 && named.length < 60, String(named.length));
  const empty = { axes: { "prefix.read": { labels: [] } }, tensors: { "prefix.mask": { data: [] } } };
  assert.equal(drawn(empty, { ...none, target_from: 0 }, space).rows, 0);
});

test("where the positions asked do not fit, the table is named, and nothing runs over the edge", () => {
  const many = Array.from({ length: 30 }, (_, i) => `t${i}`);
  const tall = {
    axes: { "prefix.read": { labels: many } },
    tensors: { "prefix.mask": { data: many.map(() => many.map(() => 1)) }, "prefix.pattern": { data: many.map(() => many.map(() => 0.03)) }, "prefix.top_probability": { data: many.map(() => [0.5, 0.25]) } },
  };
  for (const [width, height] of [[300, 360], [330, 300], [640, 500]]) {
    const picture = drawn(tall, { ...prefix, target_from: null, top_tokens: many.map(() => ["je", "tu"]) }, { ...space, width, height });
    const left = String(30 - words(picture).filter((word) => word === "→").length);
    assert.ok(words(picture).some((word) => has(word, left)), `${left} at ${width} x ${height}`);
    assert.ok(shapes(picture, "text").every(({ y }) => y < height), `${width} x ${height}`);
  }
});

test("on other pages, too, what comes next stands at the positions that are asked", () => {
  const patterns = { axes: { text: { labels: ["i", "</s>", "<s>", "je"] } }, expected: ["je", "</s>"], expected_from: 2 };
  assert.deepEqual(tokens({ patterns, chosen: { map: { query: "text", key: "text", stack: "decoder" } } }).expected, ["", "", "je", "</s>"]);
});

test("of a text longer than a mode reads nothing is drawn, and the reason is said", () => {
  const long = { axes: { "prefix.read": { labels: [] } }, tensors: { "prefix.mask": { data: [] } } };
  const why = { ...none, why: "The source has 72 tokens; prefix-translator reads at most 64.", target_from: null, visible: { ...visible, value: 0 } };
  assert.deepEqual(drawn(long, why, space).scene.shapes, []);
  assert.ok(summary(why, 0).startsWith(why.why));
});
