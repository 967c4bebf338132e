// A basis: a point where before and after meet, on the diagonal exactly where both are equal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { number } from "../../static/js/draw/text.js";
import { hidden, logits, stream } from "../../static/js/views/basis-figures.js";
import { PALETTE as COMMON } from "./attention-example.js";
import { gives, holds, inOrder } from "./said.js";

const colours = { ...COMMON, stream: "#3f3d38", attention: "#1768a8", feedForward: "#b94e12" };
const space = { width: 600, height: 480, colours, state: {} };
const answer = { tensors: { stream: { data: [[[1, -2, 0.5]], [[-1.5, 0.25, 2]]] }, logits: { data: [[[0.5, -1], [2, 0]], [[0.5, -1], [2, 0]]] }, hidden_logits: { data: [[0.25, -1], [1, 0]] } } };
const dots = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "dot");
const centre = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

test("every point is found where it was drawn, and says both numbers", () => {
  for (const draw of [stream, logits, hidden]) for (const width of [328, 600]) {
    const { box, at, rows, columns, say, table } = draw(answer, { ...space, width });
    for (let row = 0; row < rows; row += 1) for (let column = 0; column < columns; column += 1) {
      assert.deepEqual(at(...centre(box(row, column))), { row, column }, draw.name);
      const [, before, after] = table.rows[row * columns + column];
      inOrder(say({ row, column }), number(before), number(after));
    }
  }
  const said = stream(answer, space).say({ row: 0, column: 1 });
  gives(said, { position: "1", channel: "1" });
  inOrder(said, "−2.000", "0.250");
});

test("logits that stay lie on the diagonal, coordinates that turn do not", () => {
  const off = (drawn) => {
    const diagonal = drawn.scene.shapes.find(({ shape, points, dash }) => shape === "path" && dash && points.length === 2).points;
    const [[x0, y0], [x1, y1]] = diagonal;
    return Math.max(...dots(drawn).map(({ x, y }) => Math.abs((x - x0) / (x1 - x0) - (y - y0) / (y1 - y0))));
  };
  assert.ok(off(logits(answer, space)) < 1e-12);
  assert.ok(off(stream(answer, space)) > 0.1);
  assert.ok(off(hidden(answer, space)) > 0.1);
});

test("the label says how far the farthest point is from the diagonal", () => {
  holds(hidden(answer, space).scene.label, "1.000");
  holds(logits(answer, space).scene.label, "0");
});

test("the table has every number before and after", () => {
  const [name, ...values] = stream(answer, space).table.rows[1];
  gives(name, { position: "1", channel: "1" });
  assert.deepEqual(values, [-2, 0.25]);
  assert.equal(logits(answer, space).table.rows.length, 4);
});
