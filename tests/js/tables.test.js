// The page of tables: every cell is found where it was drawn and says the answer's number; a row is written as it was read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { change } from "../../static/js/draw/text.js";
import { byClass, chances, changes, columnName, map, reads, rows, written } from "../../static/js/views/tables-figures.js";
import { gives, holds, inOrder } from "./said.js";

const colours = { tick: 13, small: 13, text: 16, ink: "#000000", inkSoft: "#333333", rule: "#cccccc", ruleStrong: "#888888", sunken: "#eeeeee", paper: "#ffffff", focus: "#0000ff", attention: "#1768a8", cividis: ["#00224e", "#fee838"], heads: ["#0072b2", "#e69f00"], signed: [] };
const even = (n, at) => Array.from({ length: n }, (_, i) => (i === at ? 0.6 : 0.4 / (n - 1)));
const square = (n, at) => Array.from({ length: n }, () => even(n, at));
const answer = {
  axes: { row: { labels: ["[CLS]", "bill_length_mm", "sex"] }, table: { labels: ["itself", "Adelie-1", "Gentoo-1", "Gentoo-2"] } },
  tensors: {
    weights: { data: [[square(3, 1), square(3, 2)], [square(3, 0), square(3, 1)]] },
    rows: { data: [[even(4, 0), even(4, 3)], [even(4, 1), even(4, 2)]] },
  },
};
const place = { layer: 1, head: 1, query: 0 };

test("columns are named without their unit", () => {
  assert.equal(columnName("bill_length_mm"), "bill_length");
  assert.equal(columnName("[CLS]"), "[CLS]");
});

test("a class is named once, at the middle of its rows, and columns keep their names", () => {
  assert.deepEqual(byClass(["itself", "Adelie-1", "Adelie-2", "Adelie-3", "Gentoo-1", "Gentoo-2"]), ["itself", "", "Adelie", "", "Gentoo", ""]);
  assert.deepEqual(byClass(["[CLS]", "bill_length", "sex"]), ["[CLS]", "bill_length", "sex"]);
});

test("what is read most by the chosen head is said, of columns and of rows", () => {
  const space = { width: 420, height: 300, colours };
  const ofColumns = reads(answer, place, space).said;
  gives(ofColumns, { layer: "1", head: "1" });
  inOrder(ofColumns, "[CLS]", "bill_length");
  holds(ofColumns, ".60");
  const ofRows = rows(answer, place, space).said;
  gives(ofRows, { layer: "1", head: "1" });
  holds(ofRows, "Gentoo-1", ".60");
  const cell = map(answer, { layer: 0, head: 1, query: 0 }, space).say({ row: 1, column: 2 });
  inOrder(cell, "bill_length", "sex");
  holds(cell, ".60");
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

const said = {
  says: { class: "Gentoo", probability: 0.7 },
  axes: { class: { labels: ["Adelie", "Chinstrap", "Gentoo"] }, cleared: { labels: ["bill_length_mm", "sex"] } },
  tensors: { chances: { data: [0.2, 0.1, 0.7] }, without: { data: [[0.5, 0.4, 0.1], [0.1, 0.1, 0.8]] } },
};

test("classes stand in their own order, whichever is said", () => {
  assert.deepEqual(chances(said).map(({ name, value, most }) => [name, value, most]), [["Adelie", 0.2, false], ["Chinstrap", 0.1, false], ["Gentoo", 0.7, true]]);
});

test("what clearing a column does is the change of the probability of what was said", () => {
  assert.deepEqual(Object.entries(changes(said)).map(([name, by]) => [name, change(by)]), [["bill_length_mm", "−.60"], ["sex", "+.10"]]);
  assert.deepEqual([change(0), change(-0.004), change(-1)], ["0", "0", "−1"]);
});

test("a row is written without what is missing", () => {
  assert.equal(written([["bill_length_mm", "39.1"], ["island", "Biscoe"]]), "bill_length_mm=39.1,island=Biscoe");
  assert.equal(written([["bill_length_mm", ""], ["sex", "male"]]), "sex=male");
});
