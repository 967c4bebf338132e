// The page of images: every head and every point is found where it was drawn, and says the numbers of the answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { heads, painted, says } from "../../static/js/views/images-figures.js";
import { gives, holds, inOrder, wording } from "./said.js";

const colours = { tick: 13, small: 13, text: 16, ink: "#000000", inkSoft: "#333333", rule: "#cccccc", ruleStrong: "#888888", sunken: "#eeeeee", paper: "#ffffff", focus: "#0000ff", attention: "#1768a8", feedForward: "#b94e12", embedding: "#5a6b86", cividis: ["#00224e", "#fee838"], heads: ["#0072b2", "#e69f00"], signed: [] };
const LABELS = ["[CLS]", "1,1", "1,2", "2,1", "2,2"];
const row = (at) => LABELS.map((_, i) => (i === at ? 0.6 : 0.1));
const answer = {
  query: 0, says: { class: "bee", probability: 0.75 },
  axes: { image: { labels: LABELS, grid: [2, 2] }, class: { labels: ["ant", "bee", "cat"] } },
  points: ["encoder.embedding.sum", "encoder.0.attention.out", "encoder.0.feed_forward.out"].map((wrote) => ({ name: wrote, wrote })),
  tensors: {
    pixels: { data: [[0, 1], [0.5, 0]] },
    weights: { data: [[row(1), row(4)], [row(0), row(2)], [row(3), row(1)]] },
    says: { data: [[0.5, 0.25, 0.25], [0.2, 0.7, 0.1], [0.25, 0.75, 0]] },
  },
};
const place = { layer: 1, head: 1, query: 0 };
const space = (width = 420, height = 300) => ({ width, height, colours });
const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

test("the chosen head's row lies over the image, and the most of it is said first", () => {
  const drawn = painted(answer, place, space());
  inOrder(drawn.said, "[CLS]", "1,2");
  holds(drawn.said, ".60");
  inOrder(drawn.say({ row: 1, column: 2 }), "[CLS]", "2,2");
  holds(drawn.say({ row: 1, column: 2 }), ".10");
  assert.equal(drawn.token({ row: 0, column: 0 }), 0);
  assert.deepEqual(drawn.table.rows[0].slice(1), answer.tensors.weights.data[1][1]);
});

for (const [width, height] of [[420, 300], [328, 320], [700, 160]]) {
  test(`every head and every point is found where it was drawn, ${width} x ${height}`, () => {
    for (const drawn of [heads(answer, place, space(width, height)), says(answer, space(width, height))])
      for (let r = 0; r < drawn.rows; r += 1)
        for (let c = 0; c < drawn.columns; c += 1) {
          const box = drawn.box(r, c);
          assert.deepEqual(drawn.at(...middle(box)), { row: r, column: c });
          assert.ok(box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height, `${r}, ${c}`);
        }
  });
}

test("a head says where it looks most, and has a row in the table", () => {
  const drawn = heads(answer, place, space());
  const said = drawn.say({ row: 0, column: 1 });
  gives(said, { layer: "0", head: "1" });
  inOrder(said, "[CLS]", "2,2");
  holds(said, ".60");
  assert.equal(drawn.table.rows.length, 6);
  assert.equal(drawn.scene.shapes.filter(({ stroke }) => stroke === colours.heads[1]).length, 1, "the chosen one is framed");
});

test("what [CLS] says is told for every writer, and the last column is the answer", () => {
  const drawn = says(answer, space());
  const cells = [[0, 0, "ant", ".500"], [1, 1, "bee", ".700"], [1, 2, "bee", ".750"]];
  const writers = cells.map(([row, column, name, chance]) => {
    holds(drawn.say({ row, column }), name, chance);
    return wording(drawn.say({ row, column }), name);
  });
  assert.equal(new Set(writers).size, 3);
  for (const column of [1, 2]) holds(drawn.say({ row: 1, column }), "0");
  holds(drawn.scene.label, "bee", ".75");
});
