// Scaling: the pictures say the numbers of the answer, and what is pointed at is what is drawn there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { binned } from "../../static/js/draw/histogram.js";
import { entropy, gradient, products, variance, weights } from "../../static/js/views/scaling-figures.js";
import { PALETTE as COMMON } from "./attention-example.js";
import { gives, has, holds, inOrder, numbers } from "./said.js";

const colours = { ...COMMON, cross: "#ad3f76", attention: "#1768a8", value: "#0b756f", query: "#7a3e9d", feedForward: "#b94e12", bias: "#77725f" };
const space = { width: 600, height: 480, colours, state: { d_head: "16" } };
const answer = {
  axes: { d_head: { labels: ["1", "16", "256"] }, key: { size: 3 }, statistic: { labels: ["10 %", "median", "90 %", "mean"] } },
  tensors: {
    pattern: { data: [[0.01, 0.98, 0.01], [0.3, 0.45, 0.25]] },
    entropy: { data: [[0.88, 0.33, 0.03], [0.88, 0.85, 0.85]] },
    jacobian: { data: [[[0.1, 0.05, 0], [0.27, 0.2, 2e-5], [0.3, 0.4, 0.2], [0.28, 0.22, 0.06]], [[0.2, 0.2, 0.2], [0.3, 0.3, 0.3], [0.4, 0.4, 0.4], [0.31, 0.31, 0.31]]] },
    variance: { data: [[1.1, 15, 260], [1.1, 0.94, 1.02]] },
    products: { data: [[-4.5, -0.5], [0.5, 8]] },
  },
};
const texts = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);
const some = (drawn, part) => texts(drawn).some((content) => has(content, part));
const finite = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "path").every(({ points }) => points.flat().every(Number.isFinite));
const centre = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

test("the largest weight of each softmax is printed over its bar", () => {
  const drawn = weights(answer, space);
  for (const said of [".98", ".45", "unscaled", "scaled"]) assert.ok(some(drawn, said), said);
  assert.deepEqual(drawn.table.rows[0], ["unscaled", 0.01, 0.98, 0.01]);
  holds(drawn.say({ row: 1, column: 2 }), "3", "scaled", "0.250");
});

test("every bar, curve and bin is found where it was drawn", () => {
  for (const draw of [weights, variance, entropy, gradient, products]) {
    const { box, at, rows, columns, say } = draw(answer, space);
    for (let row = 0; row < rows; row += 1) for (let column = 0; column < columns; column += 1) {
      const { width } = box(row, column);
      assert.ok(say({ row, column }).length > 10);
      if (width > 1) assert.deepEqual(at(...centre(box(row, column))), { row, column }, draw.name);
    }
  }
});

test("the variance of each width stands over its law", () => {
  const drawn = variance(answer, { ...space, state: { d_head: "16", correlation: "0" } });
  for (const said of ["unscaled", "scaled"]) assert.ok(texts(drawn).includes(said), said);
  const laws = drawn.scene.shapes.filter(({ dash, stroke }) => dash && stroke === colours.inkSoft);
  assert.equal(laws.length, 2);
  holds(drawn.say({ column: 2 }), "256");
  gives(drawn.say({ column: 2 }), { unscaled: "260.0", scaled: "1.020" });
  assert.deepEqual(drawn.table.rows[0], ["unscaled", 1.1, 15, 260]);
});

test("each width has its entropies and its place on the scale", () => {
  const drawn = entropy(answer, space);
  for (const said of ["1", "16", "256", "ln 3", "unscaled", "scaled"])
    assert.ok(some(drawn, said), said);
  holds(drawn.say({ column: 1 }), "16");
  gives(drawn.say({ column: 1 }), { unscaled: "0.330", scaled: "0.850" });
  assert.deepEqual(drawn.table.rows[1], ["scaled", 0.88, 0.85, 0.85]);
});

test("the table of gradients has every statistic, the sentence the median and the mean", () => {
  const drawn = gradient(answer, space);
  const [name, ...values] = drawn.table.rows[1];
  holds(name, "unscaled", "median");
  assert.deepEqual(values, [0.27, 0.2, 2e-5]);
  assert.equal(drawn.table.rows.length, 8);
  holds(drawn.say({ column: 2 }), "256", "2.00e−5", "0.300", "0.060");
  inOrder(drawn.say({ column: 2 }), "2.00e−5", "0.300");
});

test("a gradient of exactly 0 is no point on a scale of logarithms", () => {
  const jacobian = { data: [answer.tensors.jacobian.data[0].map(([a, b]) => [a, b, 0]), answer.tensors.jacobian.data[1]] };
  const drawn = gradient({ ...answer, tensors: { ...answer.tensors, jacobian } }, space);
  assert.ok(finite(drawn));
  assert.equal(drawn.table.rows[1][3], 0);
});

test("bins count every number once", () => {
  assert.deepEqual(binned([-0.5, 0, 0.9, 1, 3], 1).map(({ from, share }) => [from, share]), [[-1, 0.2], [0, 0.4], [1, 0.2], [2, 0], [3, 0.2]]);
});

test("the scaled products are the same shares on a fourth of the width", () => {
  const drawn = products(answer, space);
  assert.ok(finite(drawn));
  const [name, ...values] = drawn.table.rows[0];
  assert.deepEqual([numbers(name), values], [["−5.0", "−4.0"], [-1.25, 0.25]]);
  inOrder(drawn.say({ row: 1, column: 0 }), "−1.3", "−1.0");
  holds(drawn.say({ row: 1, column: 0 }), "scaled", "0.250");
  assert.ok(Math.abs(drawn.box(0, 0).width / drawn.box(1, 0).width - 4) < 1e-9);
});
