// The page of tables: every cell is found where it was drawn and says the answer's number; a row is written as it was read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chances, columnName, map, read, reads, rows, written } from "../../static/js/views/tables-figures.js";

const colours = { tick: 13, small: 13, text: 16, ink: "#000000", inkSoft: "#333333", rule: "#cccccc", ruleStrong: "#888888", sunken: "#eeeeee", paper: "#ffffff", focus: "#0000ff", attention: "#1768a8", cividis: ["#00224e", "#fee838"], heads: ["#0072b2", "#e69f00"], signed: [] };
const even = (n, at) => Array.from({ length: n }, (_, i) => (i === at ? 0.6 : 0.4 / (n - 1)));
const square = (n, at) => Array.from({ length: n }, () => even(n, at));
const answer = {
  axes: { row: { labels: ["[CLS]", "bill_length_mm", "sex"] }, table: { labels: ["itself", "Adelie-1", "Gentoo-1", "Gentoo-2"] } },
  tensors: {
    "encoder.0.attention.pattern": { data: [square(3, 1), square(3, 2)] },
    "encoder.0.row_attention.pattern": { data: [square(4, 0), square(4, 3)] },
    "encoder.1.attention.pattern": { data: [square(3, 0), square(3, 1)] },
    "encoder.1.row_attention.pattern": { data: [square(4, 1), square(4, 2)] },
    "encoder.attention.mask": { data: [] },
  },
};
const place = { layer: 1, head: 1, query: 0 };

test("columns are named without their unit", () => {
  assert.equal(columnName("bill_length_mm"), "bill_length");
  assert.equal(columnName("[CLS]"), "[CLS]");
});

test("what is read most by the chosen head is said, of columns and of rows", () => {
  const space = { width: 420, height: 300, colours };
  assert.equal(reads(answer, place, space).said, "layer 1, head 1: [CLS] reads most from bill_length: .60");
  assert.equal(rows(answer, place, space).said, "layer 1, head 1: the row reads most from Gentoo-1: .60");
  assert.equal(map(answer, { layer: 0, head: 1, query: 0 }, space).say({ row: 1, column: 2 }), "bill_length reads sex: .60");
});

for (const [width, height] of [[420, 300], [328, 260], [800, 200]]) {
  test(`every cell is found where it was drawn, ${width} x ${height}`, () => {
    for (const draw of [reads, rows, map]) {
      const drawn = draw(answer, place, { width, height, colours });
      for (let row = 0; row < drawn.rows; row += 1)
        for (let column = 0; column < drawn.columns; column += 1) {
          const box = drawn.box(row, column);
          assert.deepEqual(drawn.at(box.x + box.width / 2, box.y + box.height / 2), { row, column });
          assert.ok(box.x + box.width <= width && box.y + box.height <= height);
        }
    }
  });
}

test("classes stand in their own order, whichever is said", () => {
  const told = chances({ top_tokens: [["Gentoo", "Adelie", "Chinstrap"]], tensors: { top_id: { data: [[2, 0, 1]] }, top_probability: { data: [[0.7, 0.2, 0.1]] } } });
  assert.deepEqual(told.map(({ name, value, most }) => [name, value, most]), [["Adelie", 0.2, false], ["Chinstrap", 0.1, false], ["Gentoo", 0.7, true]]);
});

test("a row is written as it was read, without what is missing", () => {
  const row = "bill_length_mm=39.1,island=Biscoe";
  assert.equal(written(Object.entries(read(row))), row);
  assert.equal(written([["bill_length_mm", ""], ["sex", "male"]]), "sex=male");
});
